//! What is likely to be read of contracts, told before anything of them is known, so that it comes in the first wave.

use super::control;
use alloy_primitives::Address;
use presight_view::View;
use presight_wire::ChainId;

/// Contracts of one request that are expected to be proxies.
pub const MAX_EXPECTED: usize = 16;

/// Tells the rim where proxies among these contracts keep the address of their code. Nothing is read, and no answer
/// changes; of more than [`MAX_EXPECTED`] contracts the first are taken.
pub fn expect(view: &View<'_>, chain: &ChainId, contracts: impl Iterator<Item = Address>) {
    for contract in contracts.take(MAX_EXPECTED) {
        control::pointers().for_each(|slot| view.expect_slot(chain, contract, slot));
    }
}
