//! Where chains differ from Ethereum in what their code can call.

use alloy_primitives::{Address, U256};
use presight_wire::ChainId;

/// Where chains put precompiles.
pub(crate) fn is_reserved(address: Address) -> bool {
    let (high, low) = address.split_at(18);
    high == [0; 18] && low != [0; 2]
}

/// Ethereum mainnet, its test networks and the usual local ones: what a fork says holds there, and nothing else.
pub(crate) fn is_ethereum(chain: &ChainId) -> bool {
    matches!(
        chain.evm_id(),
        Some(1 | 1_337 | 17_000 | 31_337 | 560_048 | 11_155_111)
    )
}

/// Chains of the ZK Stack, whose contracts are compiled for EraVM: ZKsync Era and its test network, Lens, Abstract
/// and its test network, Cronos zkEVM, Sophon, Treasure.
pub(crate) fn has_another_machine(chain: &ChainId) -> bool {
    matches!(
        chain.evm_id(),
        Some(232 | 300 | 324 | 388 | 2_741 | 11_124 | 50_104 | 61_166)
    )
}

/// Whether one of Ethereum's precompiles may do something else on the chain. Scroll, Linea and their test networks
/// have released rules under which RIPEMD-160, BLAKE2 and the point evaluation fail, as their proofs did not have
/// them.
pub(crate) fn has_another_precompile(chain: &ChainId, address: Address) -> bool {
    const UNPROVED: [u8; 3] = [0x03, 0x09, 0x0a];
    let unproved = UNPROVED
        .iter()
        .any(|last| U256::from_be_slice(address.as_slice()) == U256::from(*last));
    unproved && matches!(chain.evm_id(), Some(534_352 | 534_351 | 59_144 | 59_141))
}
