//! The rules of a hard fork, as revm names them.

use presight_view::HardFork;
use revm::context_interface::block::BlobExcessGasAndPrice;
use revm::primitives::eip4844::{BLOB_BASE_FEE_UPDATE_FRACTION_CANCUN, BLOB_BASE_FEE_UPDATE_FRACTION_PRAGUE};
use revm::primitives::hardfork::SpecId;

/// Ethereum mainnet's chain id.
const MAINNET: u64 = 1;
/// The blob base fee grows by a factor of e for each fraction of excess gas; revm's 128 bits hold
/// it up to about e^50 wei, and no chain has been near.
const MAX_EXCESS_FRACTIONS: u64 = 40;

/// The revm name of a fork's rules.
pub(crate) fn spec_id(fork: HardFork) -> SpecId {
    match fork {
        HardFork::Frontier => SpecId::FRONTIER,
        HardFork::Homestead => SpecId::HOMESTEAD,
        HardFork::Tangerine => SpecId::TANGERINE,
        HardFork::SpuriousDragon => SpecId::SPURIOUS_DRAGON,
        HardFork::Byzantium => SpecId::BYZANTIUM,
        HardFork::Petersburg => SpecId::PETERSBURG,
        HardFork::Istanbul => SpecId::ISTANBUL,
        HardFork::Berlin => SpecId::BERLIN,
        HardFork::London => SpecId::LONDON,
        HardFork::Paris => SpecId::MERGE,
        HardFork::Shanghai => SpecId::SHANGHAI,
        HardFork::Cancun => SpecId::CANCUN,
        HardFork::Prague => SpecId::PRAGUE,
        HardFork::Osaka => SpecId::OSAKA,
    }
}

/// The blob base fee (EIP-4844) that follows from a header's excess blob gas, where the chain's update fraction is
/// known: mainnet's of Cancun and Prague. After Osaka the fraction changes between forks (EIP-7892), and other
/// chains have their own. Without excess it is 1 wei under any fraction.
pub(crate) fn blob_base_fee(chain_id: u64, fork: HardFork, excess: u64) -> Option<BlobExcessGasAndPrice> {
    let fraction = match fork {
        _ if excess == 0 => BLOB_BASE_FEE_UPDATE_FRACTION_CANCUN,
        HardFork::Cancun if chain_id == MAINNET => BLOB_BASE_FEE_UPDATE_FRACTION_CANCUN,
        HardFork::Prague if chain_id == MAINNET => BLOB_BASE_FEE_UPDATE_FRACTION_PRAGUE,
        _ => return None,
    };
    let bounded = excess / fraction < MAX_EXCESS_FRACTIONS;
    bounded.then(|| BlobExcessGasAndPrice::new(excess, fraction))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forks_keep_their_order() {
        for pair in HardFork::ALL.windows(2) {
            assert!(spec_id(pair[0]) < spec_id(pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn blob_base_fee_only_where_the_fraction_is_known() {
        let fee = |chain, fork, excess| blob_base_fee(chain, fork, excess).map(|b| b.blob_gasprice);
        assert_eq!(fee(10, HardFork::Osaka, 0), Some(1));
        assert_eq!(fee(10, HardFork::Prague, 1), None);
        assert_eq!(fee(1, HardFork::Osaka, 1), None);
        // e^10 = 22026.46...
        assert_eq!(fee(1, HardFork::Cancun, 33_384_770), Some(22_026));
        assert_eq!(fee(1, HardFork::Prague, 50_077_160), Some(22_026));
        assert!(fee(1, HardFork::Prague, 5_007_716 * 40 - 1).is_some());
        assert_eq!(fee(1, HardFork::Prague, 5_007_716 * 40), None);
        assert_eq!(fee(1, HardFork::Prague, u64::MAX), None);
    }
}
