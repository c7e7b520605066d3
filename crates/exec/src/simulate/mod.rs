//! Simulation: the calls of a request, or a whole transaction, run on the pinned state, in order, each on what the
//! earlier ones left.
//!
//! The calls of a request are run as transactions of the sender without fees: nothing is taken for gas, the gas
//! price that code sees is the block's base fee, the nonce is not looked at, and the sender may be a contract. Each
//! has [`MAX_CALL_GAS`] or the block's gas limit, whichever is lower. A call that fails is
//! undone alone and the next one runs; executed atomically, one that fails undoes all. An authorization list is
//! applied by the first of them, before it runs, and stays when it fails (I-27).
//!
//! As in contract reads, state that is observed and not held ends the whole simulation: not read.

mod by_node;
mod changes;
mod json;
mod machine;
mod outcome;
mod record;
mod revert;
mod trace;
mod transaction;

use crate::chains::is_ethereum;
use crate::delegation::{self, TupleOutcome};
use crate::evm::MAX_CALL_GAS;
use alloy_primitives::{Address, U256};
use machine::{Ran, Terms};
use presight_view::{Block, HardFork, Lookup, Unread, View};
use presight_wire::request::{Authorization, Call};
use presight_wire::{ChainId, NotRead, Reason};
use revm::context::TxEnv;
use revm::context_interface::either::Either;
use revm::context_interface::transaction::{
    self as transactions, RecoveredAuthority, RecoveredAuthorization, SignedAuthorization,
};
use revm::primitives::TxKind;
use std::cell::Cell;

pub use by_node::{ByNode, by_node};
pub use changes::{AccountChange, Change, Changes};
pub use outcome::{Bound, CallEnd, Caveat, MAX_LOGS, Outcome, Status};
pub use record::{MAX_PREIMAGES, MAX_WRITES, Surrounding};
pub use revert::Revert;
pub use trace::{Frame, FrameKind, Log, MAX_FRAMES};
pub use transaction::{Fees, Transaction, run_transaction};

pub(crate) use by_node::request as node_request;
pub(crate) use machine::Machine;
pub(crate) use trace::standing;

/// The gas of all calls of one simulation, a third of a second of hostile code. A request that uses more is not read,
/// `timeout`.
pub const MAX_SIMULATED_GAS: u64 = 1 << 28;

/// What to simulate.
#[derive(Debug, Clone, Copy)]
pub struct Simulation<'a> {
    /// The chain.
    pub chain: &'a ChainId,
    /// Who sends the calls: an account without code, a delegated one or a contract.
    pub sender: Address,
    /// The calls, in order.
    pub calls: &'a [Call],
    /// The authorization list (EIP-7702); empty for none.
    pub authorization_list: &'a [Authorization],
    /// For each tuple of the list, the account its signature recovers to.
    pub authorities: &'a [Option<Address>],
    /// What the code finds around it.
    pub surroundings: Surroundings<'a>,
}

/// What the code finds around it, where it is to be other than the pinned block has it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Surroundings<'a> {
    /// The block.
    pub header: Option<&'a Block>,
    /// The gas of each call, in order, instead of the usual bound; never more than it.
    pub gas: Option<&'a [u64]>,
    /// The price of gas in wei, instead of the base fee.
    pub gas_price: Option<u64>,
    /// The sender's balance in wei.
    pub balance: Option<U256>,
    /// The gas of all calls, instead of [`MAX_SIMULATED_GAS`]. What they use is taken from it, and for one that ends
    /// for want of state all that it had.
    pub budget: Option<&'a Cell<u64>>,
}

/// A simulation that ran, and the state it left.
pub struct Simulated<'v> {
    /// What happened.
    pub outcome: Outcome,
    pub(crate) machine: Machine<'v>,
    pub(crate) view: &'v View<'v>,
    pub(crate) chain: &'v ChainId,
}

/// Simulates the calls of a request.
///
/// # Errors
/// State that the calls observe and the view does not hold: noted as wants of the view, or not read. Not read,
/// `unsupported`, on a chain that is not an EVM chain, and for an authorization list on a chain without EIP-7702.
pub fn run<'v>(view: &'v View<'v>, simulation: &Simulation<'v>) -> Lookup<Simulated<'v>> {
    let Simulation { chain, sender, .. } = *simulation;
    announce(view, simulation);
    let surroundings = simulation.surroundings;
    let header = match surroundings.header {
        Some(header) => header,
        None => view.block(chain)?,
    };
    let fork = view.hard_fork(chain)?;
    let mut machine = Machine::new(view, chain, header)?;
    if let Some(balance) = surroundings.balance {
        machine.pretend_balance(sender, balance);
    }
    let mut outcome = Outcome::new(view.at(chain)?);
    let mut list = authorizations(
        view,
        chain,
        sender,
        simulation.authorization_list,
        simulation.authorities,
    )?;
    let form = Form {
        chain_id: chain.evm_id(),
        fork,
        gas_price: surroundings.gas_price.or(header.base_fee_per_gas),
        base_fee: header.base_fee_per_gas,
        sender,
    };
    let usual_budget = Cell::new(MAX_SIMULATED_GAS);
    let budget = surroundings.budget.unwrap_or(&usual_budget);
    if simulation.calls.is_empty() && !list.is_empty() {
        let changes = machine.apply_list(form.transaction(None, MAX_CALL_GAS, list.split_off(0)))?;
        outcome.changes.then(changes);
    }
    for (index, call) in simulation.calls.iter().enumerate() {
        if budget.get() == 0 {
            let note = format!("the calls used up MAX_SIMULATED_GAS = {MAX_SIMULATED_GAS}");
            return Err(NotRead::new(Reason::Timeout).with_note(note).into());
        }
        view.ensure_time()?;
        machine.recorder().call = index;
        let held = if call.value.is_zero() {
            None
        } else {
            Some(machine.balance(sender)?)
        };
        let short = held.filter(|held| *held < call.value);
        let asked = surroundings.gas.and_then(|limits| limits.get(index));
        let gas = bounded_gas(header, asked.copied());
        let tx = form.transaction(Some(call), gas, list.split_off(0));
        if let Some(held) = short {
            if !tx.authorization_list.is_empty() {
                let changes = machine.apply_list(tx)?;
                outcome.changes.then(changes);
            }
            outcome.refuse(&format!(
                "the sender holds {held} wei, less than the {} the call sends",
                call.value
            ));
            continue;
        }
        let ran = machine.transact(tx, Terms::Free, form.gas_price.is_some());
        let used = match &ran {
            Ok(Ran::Done(result, _)) => result.tx_gas_used(),
            Ok(Ran::Refused(_)) => 0,
            Err(_) => gas,
        };
        budget.set(budget.get().saturating_sub(used));
        match ran? {
            Ran::Done(result, changes) => outcome.add(index, result, changes, gas),
            Ran::Refused(why) => outcome.refuse(&why.to_string()),
        }
    }
    outcome.take_record(machine.recorder());
    outcome.caveats = caveats(view, simulation, header, &outcome);
    Ok(Simulated {
        outcome,
        machine,
        view,
        chain,
    })
}

/// Asks at once for what the simulation is sure to read, so that it is there in the first wave.
fn announce(view: &View<'_>, simulation: &Simulation<'_>) {
    let Simulation { chain, sender, .. } = *simulation;
    // Whether they are there is seen where they are needed.
    let ask = |address| drop((view.code(chain, address), view.balance(chain, address)));
    ask(sender);
    for call in simulation.calls {
        view.hint_sent(chain, sender, call.to, call.value, &call.data);
        if call.value.is_zero() {
            drop(view.code(chain, call.to));
        } else {
            ask(call.to);
        }
    }
}

/// What the transactions of a request share.
struct Form {
    chain_id: Option<u64>,
    fork: HardFork,
    gas_price: Option<u64>,
    base_fee: Option<u64>,
    sender: Address,
}

impl Form {
    fn transaction(
        &self,
        call: Option<&Call>,
        gas: u64,
        list: Vec<Either<SignedAuthorization, RecoveredAuthorization>>,
    ) -> TxEnv {
        let tx_type = if !list.is_empty() {
            transactions::TransactionType::Eip7702
        } else if self.fork >= HardFork::London {
            transactions::TransactionType::Eip1559
        } else {
            transactions::TransactionType::Legacy
        };
        // What is paid above the base fee goes to the block's producer.
        let tip = self
            .gas_price
            .zip(self.base_fee)
            .map_or(0, |(price, fee)| price.saturating_sub(fee));
        TxEnv {
            tx_type: tx_type.into(),
            caller: self.sender,
            gas_limit: gas,
            // Code that looks at a price that is not known does not get to see this one.
            gas_price: self.gas_price.map_or(0, u128::from),
            gas_priority_fee: (tx_type != transactions::TransactionType::Legacy).then_some(u128::from(tip)),
            kind: TxKind::Call(call.map_or(self.sender, |call| call.to)),
            value: call.map_or(U256::ZERO, |call| call.value),
            data: call.map(|call| call.data.clone()).unwrap_or_default(),
            chain_id: self.chain_id,
            authorization_list: list,
            ..TxEnv::default()
        }
    }
}

fn bounded_gas(header: &Block, asked: Option<u64>) -> u64 {
    let block = header
        .gas_limit
        .map_or(MAX_CALL_GAS, |limit| limit.min(MAX_CALL_GAS));
    asked.map_or(block, |asked| asked.min(block))
}

/// The list as revm takes it: each tuple with the authority it applies to, if it does.
fn authorizations(
    view: &View<'_>,
    chain: &ChainId,
    sender: Address,
    list: &[Authorization],
    authorities: &[Option<Address>],
) -> Lookup<Vec<Either<SignedAuthorization, RecoveredAuthorization>>> {
    if list.is_empty() {
        return Ok(Vec::new());
    }
    if view.hard_fork(chain)? < HardFork::Prague {
        let why = "authorization lists apply from prague on";
        return Err(NotRead::new(Reason::Unsupported).with_note(why).into());
    }
    let applied = delegation::apply(view, chain, sender, list, authorities);
    let tuples = list.iter().zip(authorities).zip(applied.tuples());
    tuples
        .map(|((tuple, authority), outcome)| {
            let authority = match outcome {
                TupleOutcome::Unknown(unread) => return Err(unread.clone()),
                // A tuple that is passed over still makes its authority warm: revm passes it over once more.
                TupleOutcome::Skipped(delegation::Skip::HighS | delegation::Skip::InvalidSignature) => None,
                TupleOutcome::Applied | TupleOutcome::Skipped(_) => *authority,
            };
            let authority = authority.map_or(RecoveredAuthority::Invalid, RecoveredAuthority::Valid);
            let tuple = transactions::Authorization {
                chain_id: tuple.chain_id,
                address: tuple.address,
                nonce: tuple.nonce,
            };
            Ok(Either::Right(RecoveredAuthorization::new_unchecked(
                tuple, authority,
            )))
        })
        .collect()
}

/// What a block would hold against the sender, where it is known; the simulation did not.
fn caveats(view: &View<'_>, simulation: &Simulation<'_>, header: &Block, outcome: &Outcome) -> Vec<Caveat> {
    let Simulation { chain, sender, .. } = *simulation;
    let mut caveats = Vec::new();
    let value = simulation
        .calls
        .iter()
        .fold(U256::ZERO, |sum, call| sum.saturating_add(call.value));
    let fee = header
        .base_fee_per_gas
        .map(|price| U256::from(price).saturating_mul(U256::from(outcome.gas_used)));
    let because = match (view.balance(chain, sender), fee) {
        (Ok(held), Some(fee)) if held < value.saturating_add(fee) => Some(format!(
            "the sender holds {held} wei, less than the {value} its calls send and the {fee} their gas costs at the \
             block's base fee"
        )),
        (Ok(_), Some(_)) => None,
        (Ok(_), None) => Some("the block's base fee was not read".to_owned()),
        (Err(_), _) => Some("the sender's balance was not read".to_owned()),
    };
    caveats.extend(because.map(|because| Caveat::BalanceCheckOff { because }));
    match view.code(chain, sender) {
        Ok(code) if delegation::AccountCode::of(&code) == delegation::AccountCode::Contract => {
            caveats.push(Caveat::SenderIsContract);
        }
        Ok(_) | Err(Unread::Pending) => {}
        Err(Unread::NotRead(_)) => caveats.push(Caveat::SenderCodeNotRead),
    }
    if header.miner.is_none() {
        caveats.push(Caveat::CoinbaseNotRead);
    }
    if !is_ethereum(chain) {
        caveats.push(Caveat::GasOfEthereum);
    }
    caveats
}
