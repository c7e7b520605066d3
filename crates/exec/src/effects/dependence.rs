//! What the effects depend on: the simulation once more in other surroundings. Code that behaves while it is
//! simulated and not on chain looks at the block, at the price of gas, at the gas that is left or at the sender's
//! balance to tell the two apart.

use super::{Effects, Standing};
use crate::delegation::AccountCode;
use crate::simulate::{self, Outcome, Simulation, Status, Surrounding, Surroundings};
use alloy_primitives::{Address, B256, U256, address};
use presight_view::{Block, Lookup, Unread, View};
use presight_wire::{NotRead, Reason};
use std::collections::BTreeSet;

/// Some account that produces no blocks.
const OTHER_COINBASE: Address = address!("0x00000000000000000000000000000c01bba5e0ff");
/// More than anyone has, and no overflow: 2^100 wei.
const RICH: U256 = U256::from_limbs([0, 1 << 36, 0, 0]);

/// The gas of all simulations in other surroundings, counted as what the usual one used: about a second of hostile
/// code.
pub const MAX_VARIED_GAS: u64 = 1 << 30;

/// Other surroundings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Variation {
    /// A quarter of an hour later.
    Later,
    /// Thirty days later.
    MuchLater,
    /// The next block.
    NextBlock,
    /// Another producer of the block.
    OtherCoinbase,
    /// No producer, as some nodes simulate.
    NoCoinbase,
    /// Other randomness.
    OtherRandomness,
    /// A block with twice the gas.
    LargerBlock,
    /// Twice the base fee and the price of gas.
    DearerGas,
    /// Gas for nothing, as some nodes simulate.
    FreeGas,
    /// Not much more gas than is used, as wallets send.
    ScarceGas,
    /// A sender who has what the calls send, and nothing else.
    PoorSender,
    /// A sender who has more than anyone.
    RichSender,
}

impl Variation {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::Later,
        Self::MuchLater,
        Self::NextBlock,
        Self::OtherCoinbase,
        Self::NoCoinbase,
        Self::OtherRandomness,
        Self::LargerBlock,
        Self::DearerGas,
        Self::FreeGas,
        Self::ScarceGas,
        Self::PoorSender,
        Self::RichSender,
    ];

    /// A stable word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Later => "later",
            Self::MuchLater => "much-later",
            Self::NextBlock => "next-block",
            Self::OtherCoinbase => "other-coinbase",
            Self::NoCoinbase => "no-coinbase",
            Self::OtherRandomness => "other-randomness",
            Self::LargerBlock => "larger-block",
            Self::DearerGas => "dearer-gas",
            Self::FreeGas => "free-gas",
            Self::ScarceGas => "scarce-gas",
            Self::PoorSender => "poor-sender",
            Self::RichSender => "rich-sender",
        }
    }

    /// What code has to look at to see it.
    fn seen_by(self) -> &'static [Surrounding] {
        match self {
            Self::Later | Self::MuchLater => &[Surrounding::Timestamp],
            Self::NextBlock => &[Surrounding::Number, Surrounding::BlockHash],
            Self::OtherCoinbase | Self::NoCoinbase => &[Surrounding::Coinbase],
            Self::OtherRandomness => &[Surrounding::PrevRandao],
            Self::LargerBlock => &[Surrounding::GasLimit],
            Self::DearerGas => &[Surrounding::BaseFee, Surrounding::GasPrice],
            Self::FreeGas => &[Surrounding::GasPrice],
            Self::ScarceGas => &[Surrounding::GasLeft],
            Self::PoorSender | Self::RichSender => &[Surrounding::Balance],
        }
    }

    /// The block it has.
    fn header(self, block: &Block) -> Block {
        let mut header = block.clone();
        match self {
            Self::Later => header.timestamp = block.timestamp.saturating_add(15 * 60),
            Self::MuchLater => header.timestamp = block.timestamp.saturating_add(30 * 24 * 60 * 60),
            Self::NextBlock => {
                header.number = block.number.saturating_add(1);
                header.parent_hash = Some(block.hash);
            }
            Self::OtherCoinbase => header.miner = Some(OTHER_COINBASE),
            Self::NoCoinbase => header.miner = Some(Address::ZERO),
            Self::OtherRandomness => {
                header.mix_hash = block
                    .mix_hash
                    .map(|hash| B256::from(!U256::from_be_bytes(hash.0)));
            }
            Self::LargerBlock => header.gas_limit = block.gas_limit.map(|limit| limit.saturating_mul(2)),
            Self::DearerGas => {
                header.base_fee_per_gas = block.base_fee_per_gas.map(|fee| fee.saturating_mul(2));
            }
            Self::FreeGas | Self::ScarceGas | Self::PoorSender | Self::RichSender => {}
        }
        header
    }

    /// All that the code finds around it.
    fn surroundings<'a>(
        self,
        header: &'a Block,
        simulation: &Simulation<'_>,
        outcome: &Outcome,
    ) -> Surroundings<'a> {
        let usual = Surroundings {
            header: Some(header),
            ..Surroundings::default()
        };
        match self {
            Self::FreeGas => Surroundings {
                gas_price: Some(0),
                ..usual
            },
            Self::ScarceGas => {
                let used = outcome.calls.iter().map(|call| call.gas_used).max();
                Surroundings {
                    gas: used.map(|used| used.saturating_mul(2).saturating_add(100_000)),
                    ..usual
                }
            }
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

/// Other surroundings, and whether the effects are others there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependence {
    /// The surroundings.
    pub on: Variation,
    /// What differs.
    pub what: Difference,
}

/// What differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// Nothing.
    Nothing,
    /// What happens: another outcome of a call, another transfer, grant or change.
    Kind,
    /// How much moves or is granted, and nothing else.
    Amounts,
    /// It is not known: state that the code observes there was not to be had.
    NotRead(NotRead),
}

impl Difference {
    /// A stable word for it.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Nothing => "same",
            Self::Amounts => "amounts",
            Self::Kind => "other",
            Self::NotRead(_) => "not-read",
        }
    }
}

/// Simulates once more in every surrounding that the code looked at, each of which is in the answer. A simulation in
/// surroundings of its own is compared with what it gave there. When all of them have used up [`MAX_VARIED_GAS`],
/// further ones are not read, `timeout`.
///
/// # Errors
/// Pending, while any of the simulations is.
pub fn depends_on(
    view: &View<'_>,
    simulation: &Simulation<'_>,
    outcome: &Outcome,
    effects: &Effects,
) -> Lookup<Vec<Dependence>> {
    let block = match simulation.surroundings.header {
        Some(header) => header,
        None => view.block(simulation.chain)?,
    };
    let usual = Shape::of(outcome, effects);
    let mut found = Vec::new();
    let mut pending = false;
    let mut gas = 0u64;
    let seen = Variation::ALL.into_iter().filter(|variation| {
        let seen_by = variation.seen_by().iter();
        seen_by
            .clone()
            .any(|surrounding| outcome.looked_at.contains(surrounding))
    });
    for on in seen {
        let header = on.header(block);
        let again = Simulation {
            surroundings: on.surroundings(&header, simulation, outcome),
            ..*simulation
        };
        if gas > MAX_VARIED_GAS {
            let note =
                format!("the simulations in other surroundings used up MAX_VARIED_GAS = {MAX_VARIED_GAS}");
            let what = Difference::NotRead(NotRead::new(Reason::Timeout).with_note(note));
            found.push(Dependence { on, what });
            continue;
        }
        gas = gas.saturating_add(outcome.gas_used);
        let what = match simulated(view, &again) {
            Ok(there) => there.difference(&usual, effects),
            Err(Unread::Pending) => {
                pending = true;
                continue;
            }
            Err(Unread::NotRead(why)) => Difference::NotRead(why),
        };
        found.push(Dependence { on, what });
    }
    if pending { Err(Unread::Pending) } else { Ok(found) }
}

/// What happens in other surroundings.
struct There {
    shape: Shape,
    effects: Effects,
}

impl There {
    fn difference(&self, usual: &Shape, effects: &Effects) -> Difference {
        // What could not be asked there or here may be what differs.
        if let Some(why) = self.effects.unread.values().chain(effects.unread.values()).next() {
            Difference::NotRead(why.clone())
        } else if self.shape != *usual {
            Difference::Kind
        } else if attributed(&self.effects) != attributed(effects) {
            Difference::Amounts
        } else {
            Difference::Nothing
        }
    }
}

fn simulated(view: &View<'_>, simulation: &Simulation<'_>) -> Lookup<There> {
    let mut simulated = simulate::run(view, simulation)?;
    let effects = super::of(&mut simulated)?;
    Ok(There {
        shape: Shape::of(&simulated.outcome, &effects),
        effects,
    })
}

/// The effects without slots whose meaning is not known: they hold timestamps and the like. Native balances are
/// kept as what they gain or lose: the sender's may be another to begin with.
fn attributed(effects: &Effects) -> Effects {
    let mut effects = effects.clone();
    effects.unattributed.clear();
    for native in &mut effects.native {
        let moved = native.balance.after.wrapping_sub(native.balance.before);
        native.balance.before = U256::ZERO;
        native.balance.after = moved;
    }
    effects
}

/// What happens, without how much.
#[derive(Debug, PartialEq, Eq)]
struct Shape {
    statuses: Vec<Status>,
    native: BTreeSet<(Address, bool)>,
    transfers: BTreeSet<(Address, &'static str, Address, Address, Standing)>,
    balances: BTreeSet<(Address, Option<U256>, Address, bool)>,
    allowances: BTreeSet<(Address, Address, Address, bool)>,
    permit2: BTreeSet<(Address, Address, Address, Address)>,
    operators: BTreeSet<(Address, Address, Address, Option<bool>)>,
    items: BTreeSet<(Address, U256, Option<Address>)>,
    control: BTreeSet<(Address, &'static str, Option<Address>)>,
    code: BTreeSet<(Address, Option<Address>, bool, bool)>,
}

impl Shape {
    fn of(outcome: &Outcome, effects: &Effects) -> Self {
        Self {
            statuses: outcome.calls.iter().map(|call| call.status).collect(),
            native: effects
                .native
                .iter()
                .map(|n| (n.account, n.balance.after > n.balance.before))
                .collect(),
            transfers: effects
                .transfers
                .iter()
                .map(|t| (t.token, t.asset.as_str(), t.from, t.to, t.standing))
                .collect(),
            balances: effects
                .balances
                .iter()
                .map(|b| (b.token, b.id, b.account, b.balance.after > b.balance.before))
                .collect(),
            allowances: effects
                .allowances
                .iter()
                .map(|a| (a.token, a.owner, a.spender, a.is_raised()))
                .collect(),
            permit2: effects
                .permit2
                .iter()
                .map(|a| (a.contract, a.token, a.owner, a.spender))
                .collect(),
            operators: effects
                .operators
                .iter()
                .map(|o| (o.token, o.owner, o.operator, o.approved.as_ref().map(|a| a.after)))
                .collect(),
            items: effects
                .items
                .iter()
                .map(|i| (i.token, i.id, i.approved.as_ref().map(|a| a.after)))
                .collect(),
            control: effects
                .control
                .iter()
                .map(|c| (c.contract, c.what.as_str(), c.subject))
                .collect(),
            code: effects
                .code
                .iter()
                .map(|c| {
                    let has_code = c.code.after != AccountCode::None;
                    (c.account, c.code.after.delegate(), has_code, c.destroyed)
                })
                .collect(),
        }
    }
}
