//! The surroundings in which a simulation is repeated.

use crate::simulate::{Outcome, Simulation, Surrounding, Surroundings};
use alloy_primitives::{Address, B256, U256, address, keccak256};
use presight_view::Block;
use std::collections::BTreeSet;

/// Some account that produces no blocks.
const OTHER_COINBASE: Address = address!("0x00000000000000000000000000000c01bba5e0ff");
/// More than anyone has, and no overflow: 2^100 wei.
const RICH: U256 = U256::from_limbs([0, 1 << 36, 0, 0]);
/// What wallets add to the base fee, in wei.
const TIP: u64 = 1_000_000_000;
/// The seconds between two blocks.
const BLOCK_TIME: u64 = 12;
/// The gas of three blobs.
const BLOBS: u64 = 3 << 17;
/// Blob gas in excess at which a blob costs many times the least.
const BUSY_BLOBS: u64 = 1 << 25;

/// Other surroundings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Variation {
    /// The next block, with all that a block has otherwise, and a tip for its producer.
    NextBlock,
    /// The block after the next one, likewise.
    TwoBlocksOn,
    /// Five blocks and a minute on, likewise.
    FiveBlocksOn,
    /// 300 blocks and an hour on, likewise.
    HourOn,
    /// 7200 blocks and a day on, likewise.
    DayOn,
    /// A quarter of an hour later.
    Later,
    /// Thirty days later.
    MuchLater,
    /// Another producer of the block.
    OtherCoinbase,
    /// No producer, as some nodes simulate.
    NoCoinbase,
    /// Other randomness.
    OtherRandomness,
    /// A block with twice the gas.
    LargerBlock,
    /// A block with three quarters of the gas.
    SmallerBlock,
    /// Twice the base fee and the price of gas.
    DearerGas,
    /// Half the base fee and the price of gas.
    CheaperGas,
    /// Gas for nothing, as some nodes simulate.
    FreeGas,
    /// A price of gas above the base fee, as wallets pay.
    Tipped,
    /// Many times the blob base fee.
    DearerBlobs,
    /// The least blob base fee there is.
    CheapestBlobs,
    /// Not much more gas than is used, as wallets send.
    ScarceGas,
    /// Less gas, down to the least the calls succeed with: what a node estimates, and below.
    LeastGas,
    /// A sender who has what the calls send, and nothing else.
    PoorSender,
    /// A sender who has more than anyone.
    RichSender,
}

impl Variation {
    /// All of them, in the order in which they are tried.
    pub const ALL: [Self; 22] = [
        Self::NextBlock,
        Self::TwoBlocksOn,
        Self::FiveBlocksOn,
        Self::HourOn,
        Self::DayOn,
        Self::Later,
        Self::MuchLater,
        Self::OtherCoinbase,
        Self::NoCoinbase,
        Self::OtherRandomness,
        Self::LargerBlock,
        Self::SmallerBlock,
        Self::DearerGas,
        Self::CheaperGas,
        Self::FreeGas,
        Self::Tipped,
        Self::DearerBlobs,
        Self::CheapestBlobs,
        Self::ScarceGas,
        Self::LeastGas,
        Self::PoorSender,
        Self::RichSender,
    ];

    /// A stable word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NextBlock => "next-block",
            Self::TwoBlocksOn => "two-blocks-on",
            Self::FiveBlocksOn => "five-blocks-on",
            Self::HourOn => "hour-on",
            Self::DayOn => "day-on",
            Self::Later => "later",
            Self::MuchLater => "much-later",
            Self::OtherCoinbase => "other-coinbase",
            Self::NoCoinbase => "no-coinbase",
            Self::OtherRandomness => "other-randomness",
            Self::LargerBlock => "larger-block",
            Self::SmallerBlock => "smaller-block",
            Self::DearerGas => "dearer-gas",
            Self::CheaperGas => "cheaper-gas",
            Self::FreeGas => "free-gas",
            Self::Tipped => "tipped",
            Self::DearerBlobs => "dearer-blobs",
            Self::CheapestBlobs => "cheapest-blobs",
            Self::ScarceGas => "scarce-gas",
            Self::LeastGas => "least-gas",
            Self::PoorSender => "poor-sender",
            Self::RichSender => "rich-sender",
        }
    }

    /// Whether code that looked at this may see it.
    pub(super) fn is_seen(self, looked_at: &BTreeSet<Surrounding>) -> bool {
        let seen_by = self.seen_by();
        seen_by.iter().any(|surrounding| looked_at.contains(surrounding))
    }

    /// What code has to look at to see it.
    fn seen_by(self) -> &'static [Surrounding] {
        match self {
            Self::NextBlock | Self::TwoBlocksOn | Self::FiveBlocksOn | Self::HourOn | Self::DayOn => &[
                Surrounding::Timestamp,
                Surrounding::Number,
                Surrounding::Coinbase,
                Surrounding::PrevRandao,
                Surrounding::GasLimit,
                Surrounding::BaseFee,
                Surrounding::BlobBaseFee,
                Surrounding::BlockHash,
                Surrounding::GasPrice,
            ],
            Self::Later | Self::MuchLater => &[Surrounding::Timestamp],
            Self::OtherCoinbase | Self::NoCoinbase => &[Surrounding::Coinbase],
            Self::OtherRandomness => &[Surrounding::PrevRandao],
            Self::LargerBlock | Self::SmallerBlock => &[Surrounding::GasLimit],
            Self::DearerGas | Self::CheaperGas => &[Surrounding::BaseFee, Surrounding::GasPrice],
            Self::FreeGas | Self::Tipped => &[Surrounding::GasPrice],
            Self::DearerBlobs | Self::CheapestBlobs => &[Surrounding::BlobBaseFee],
            Self::ScarceGas | Self::LeastGas => &[Surrounding::GasLeft],
            Self::PoorSender | Self::RichSender => &[Surrounding::Balance],
        }
    }

    /// The block it has.
    pub(super) fn header(self, block: &Block) -> Block {
        let mut header = block.clone();
        match self {
            Self::NextBlock => return ahead(block, 1),
            Self::TwoBlocksOn => return ahead(block, 2),
            Self::FiveBlocksOn => return ahead(block, 5),
            Self::HourOn => return ahead(block, 300),
            Self::DayOn => return ahead(block, 7_200),
            Self::Later => header.timestamp = block.timestamp.saturating_add(15 * 60),
            Self::MuchLater => header.timestamp = block.timestamp.saturating_add(30 * 24 * 60 * 60),
            Self::OtherCoinbase => header.miner = Some(OTHER_COINBASE),
            Self::NoCoinbase => header.miner = Some(Address::ZERO),
            Self::OtherRandomness => {
                header.mix_hash = block
                    .mix_hash
                    .map(|hash| B256::from(!U256::from_be_bytes(hash.0)));
            }
            Self::LargerBlock => header.gas_limit = block.gas_limit.map(|limit| limit.saturating_mul(2)),
            Self::SmallerBlock => header.gas_limit = block.gas_limit.map(|limit| limit - limit / 4),
            Self::DearerGas => {
                header.base_fee_per_gas = block.base_fee_per_gas.map(|fee| fee.saturating_mul(2));
            }
            Self::CheaperGas => header.base_fee_per_gas = block.base_fee_per_gas.map(|fee| fee / 2),
            Self::DearerBlobs => {
                header.excess_blob_gas = block
                    .excess_blob_gas
                    .map(|excess| excess.saturating_add(BUSY_BLOBS));
            }
            Self::CheapestBlobs => header.excess_blob_gas = block.excess_blob_gas.map(|_| 0),
            Self::FreeGas
            | Self::Tipped
            | Self::ScarceGas
            | Self::LeastGas
            | Self::PoorSender
            | Self::RichSender => {}
        }
        header
    }

    /// All that the code finds around it. How much less gas it has is not said here.
    pub(super) fn surroundings<'a>(self, header: &'a Block, simulation: &Simulation<'_>) -> Surroundings<'a> {
        let usual = Surroundings {
            header: Some(header),
            ..Surroundings::default()
        };
        match self {
            Self::FreeGas => Surroundings {
                gas_price: Some(0),
                ..usual
            },
            Self::NextBlock
            | Self::TwoBlocksOn
            | Self::FiveBlocksOn
            | Self::HourOn
            | Self::DayOn
            | Self::Tipped => Surroundings {
                gas_price: header.base_fee_per_gas.map(|fee| fee.saturating_add(TIP)),
                ..usual
            },
            Self::PoorSender => {
                let calls = simulation.calls.iter();
                Surroundings {
                    balance: Some(calls.fold(U256::ZERO, |sum, call| sum.saturating_add(call.value))),
                    ..usual
                }
            }
            Self::RichSender => Surroundings {
                balance: Some(RICH),
                ..usual
            },
            _ => usual,
        }
    }
}

/// A block this many blocks on: fees and limits go as far up in odd ones as one block may take them, and down in
/// even ones.
fn ahead(block: &Block, blocks: u64) -> Block {
    let moved = |value: u64, step: u64| {
        if blocks % 2 == 1 {
            value.saturating_add(step)
        } else {
            value.saturating_sub(step)
        }
    };
    let mut header = block.clone();
    header.number = block.number.saturating_add(blocks);
    header.timestamp = block.timestamp.saturating_add(blocks * BLOCK_TIME);
    header.miner = Some(OTHER_COINBASE);
    header.mix_hash = block
        .mix_hash
        .map(|hash| keccak256([hash.as_slice(), &blocks.to_be_bytes()].concat()));
    header.gas_limit = block.gas_limit.map(|limit| moved(limit, limit / 1024));
    header.base_fee_per_gas = block.base_fee_per_gas.map(|fee| moved(fee, fee / 8));
    header.excess_blob_gas = block.excess_blob_gas.map(|excess| moved(excess, BLOBS));
    header.parent_hash = (blocks == 1).then_some(block.hash);
    header
}

/// Not much more gas than each call used, as wallets send.
pub(super) fn scarce(outcome: &Outcome) -> Vec<u64> {
    let calls = outcome.calls.iter();
    calls
        .map(|call| call.gas_used.saturating_mul(2).saturating_add(100_000))
        .collect()
}
