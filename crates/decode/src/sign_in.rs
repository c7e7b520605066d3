//! Sign-in messages (ERC-4361): whether the account and the chain in the text are those of the request.

use crate::collector::Collector;
use crate::model::Flag;
use alloy_primitives::Address;
use presight_wire::{ChainId, Refusal};

const GREETING: &str = " wants you to sign in with your Ethereum account:";
const CHAIN: &str = "Chain ID: ";

/// Flags what in `text` is of another account or chain. Text that is no sign-in message has none of it; its grammar
/// is checked by the envelope validator.
pub(crate) fn check(
    text: &str,
    chain: &ChainId,
    signer: Address,
    pointer: &str,
    collector: &mut Collector,
) -> Result<(), Refusal> {
    let mut lines = text.split('\n');
    if !lines.next().is_some_and(|line| line.ends_with(GREETING)) {
        return Ok(());
    }
    let mut flag = |code, message: &str| collector.flag(Flag::new(code, pointer, message));
    let account = lines.next().unwrap_or_default();
    if account.parse() != Ok(signer) {
        flag(
            "owner-not-signer",
            "signs in another account than the one that would sign",
        )?;
    } else if account != signer.to_checksum(None) {
        flag("bad-checksum", "the account is not in its EIP-55 form")?;
    }
    // A statement may look like a field: every line that names a chain has to name this one.
    let mut chains = lines.filter_map(|line| line.strip_prefix(CHAIN));
    if chains.any(|named| named.parse().ok() != chain.evm_id()) {
        flag(
            "domain-chain-mismatch",
            "signs in on another chain than the request's",
        )?;
    }
    Ok(())
}
