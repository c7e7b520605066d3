//! Interface detection (ERC-165 §How to Detect if a Contract Implements ERC-165).

use super::contract::{Asked, Contract};
use crate::answer::{self, Malformed};
use alloy_primitives::{Address, B256, FixedBytes};
use presight_view::{Lookup, View};
use presight_wire::{ChainId, Read};

const ERC165: FixedBytes<4> = FixedBytes([0x01, 0xff, 0xc9, 0xa7]);
const NO_INTERFACE: FixedBytes<4> = FixedBytes([0xff; 4]);
const ERC721: FixedBytes<4> = FixedBytes([0x80, 0xac, 0x58, 0xcd]);

/// Whether the contract is an ERC-721 (I-36): it implements ERC-165 and says so.
///
/// # Errors
/// As [`supports_interface`].
pub fn is_erc721(view: &View<'_>, chain: &ChainId, token: Address) -> Lookup<Read<bool>> {
    supports_interface(view, chain, token, ERC721)
}

/// Whether the contract implements ERC-165 and says that it supports an interface. The evidence is the calls made,
/// up to the one that decided. A contract that reverts, halts, or returns fewer than 32 bytes to a probe does not
/// implement ERC-165: `false`.
///
/// # Errors
/// State that the view does not hold; a call that a bound of this engine stopped; and an answer that is a number
/// but no bool, which some callers take for `true` and others refuse.
pub fn supports_interface(
    view: &View<'_>,
    chain: &ChainId,
    contract: Address,
    interface: FixedBytes<4>,
) -> Lookup<Read<bool>> {
    let contract = Contract {
        view,
        chain,
        address: contract,
    };
    let (first, answer) = probe(contract, ERC165).inspect_err(|_| ask_ahead(contract, interface))?;
    if answer != Some(true) {
        return Ok(first.map(|()| false));
    }
    let (second, answer) = probe(contract, NO_INTERFACE)?;
    let both = first.zip(second);
    if answer != Some(false) {
        return Ok(both.map(|_| false));
    }
    let (third, answer) = probe(contract, interface)?;
    Ok(both.zip(third).map(|_| answer == Some(true)))
}

/// One call of `supportsInterface`, and what it answered: nothing when it failed.
fn probe(contract: Contract<'_, '_>, interface: FixedBytes<4>) -> Lookup<(Read<()>, Option<bool>)> {
    let asked = ask(contract, interface)?;
    let answer = match asked.returned() {
        Some(bytes) if bytes.len() >= 32 => match answer::boolean(bytes) {
            Ok(supported) => Some(supported),
            // Whether it is taken for true or refused, it is not the false that ERC-165 asks for.
            Err(_) if interface == NO_INTERFACE => None,
            Err(Malformed(what)) => return Err(asked.not_read(&format!("returned {what}"))),
        },
        _ => None,
    };
    Ok((asked.judged(())?, answer))
}

/// Runs the later probes for what they miss, so that one wave fetches it all.
fn ask_ahead(contract: Contract<'_, '_>, interface: FixedBytes<4>) {
    for id in [NO_INTERFACE, interface] {
        // Only the wants matter; the answers come with the run that has what the first probe misses.
        let _ = ask(contract, id);
    }
}

fn ask(contract: Contract<'_, '_>, interface: FixedBytes<4>) -> Lookup<Asked> {
    contract.ask(
        "supportsInterface(bytes4)",
        B256::right_padding_from(interface.as_slice()).as_slice(),
    )
}
