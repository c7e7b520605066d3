//! A whole transaction, as a block would take it.

use super::machine::{Machine, Ran, Terms};
use super::outcome::Outcome;
use super::{Simulated, authorizations};
use alloy_primitives::{Address, B256, Bytes, U256};
use presight_view::{Lookup, View};
use presight_wire::ChainId;
use presight_wire::request::Authorization;
use revm::context::TxEnv;
use revm::context_interface::transaction::{AccessListItem, TransactionType};
use revm::primitives::TxKind;

/// What a transaction offers for gas, in wei.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fees {
    /// One price.
    Price(u128),
    /// At most this much, of which at most that much for the block's producer (EIP-1559).
    Dynamic {
        /// At most this much in all.
        max: u128,
        /// At most this much above the base fee.
        max_priority: u128,
    },
}

/// A transaction with all its members. Its type follows from them: EIP-7702 with authorizations, EIP-4844 with
/// blobs, EIP-1559 with dynamic fees, EIP-2930 with an access list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transaction {
    /// Who sends it.
    pub sender: Address,
    /// The receiver; `None` creates a contract.
    pub to: Option<Address>,
    /// Wei sent along.
    pub value: U256,
    /// Calldata, or creation code.
    pub data: Bytes,
    /// Gas limit.
    pub gas: u64,
    /// The sender's nonce.
    pub nonce: u64,
    /// What it offers for gas.
    pub fees: Fees,
    /// The access list (EIP-2930), when there is one.
    pub access_list: Option<Vec<(Address, Vec<B256>)>>,
    /// The authorization list (EIP-7702).
    pub authorization_list: Vec<Authorization>,
    /// For each tuple of the list, the account its signature recovers to.
    pub authorities: Vec<Option<Address>>,
    /// Blobs (EIP-4844).
    pub blobs: Vec<B256>,
    /// At most this much per unit of blob gas, in wei.
    pub max_fee_per_blob_gas: u128,
}

impl Transaction {
    fn tx_type(&self) -> TransactionType {
        if !self.authorization_list.is_empty() {
            TransactionType::Eip7702
        } else if !self.blobs.is_empty() {
            TransactionType::Eip4844
        } else if matches!(self.fees, Fees::Dynamic { .. }) {
            TransactionType::Eip1559
        } else if self.access_list.is_some() {
            TransactionType::Eip2930
        } else {
            TransactionType::Legacy
        }
    }
}

/// Runs a transaction as a block would: with its own fees, nonce and gas limit, all of which are checked. The fees
/// are taken while it runs, where code can see it, and are no part of the outcome.
///
/// # Errors
/// As [`super::run`]. A transaction that no block would take is an outcome: `halt`, not run.
pub fn run_transaction<'v>(
    view: &'v View<'v>,
    chain: &'v ChainId,
    transaction: &Transaction,
) -> Lookup<Simulated<'v>> {
    let mut machine = Machine::new(view, chain, view.block(chain)?)?;
    let mut outcome = Outcome::new(view.at(chain)?);
    let (gas_price, gas_priority_fee) = match transaction.fees {
        Fees::Price(price) => (price, None),
        Fees::Dynamic { max, max_priority } => (max, Some(max_priority)),
    };
    let access_list = transaction.access_list.iter().flatten();
    let tx = TxEnv {
        tx_type: transaction.tx_type().into(),
        caller: transaction.sender,
        gas_limit: transaction.gas,
        gas_price,
        kind: transaction.to.map_or(TxKind::Create, TxKind::Call),
        value: transaction.value,
        data: transaction.data.clone(),
        nonce: transaction.nonce,
        chain_id: chain.evm_id(),
        access_list: access_list
            .map(|(address, slots)| AccessListItem {
                address: *address,
                storage_keys: slots.clone(),
            })
            .collect::<Vec<_>>()
            .into(),
        gas_priority_fee,
        blob_hashes: transaction.blobs.clone(),
        max_fee_per_blob_gas: transaction.max_fee_per_blob_gas,
        authorization_list: authorizations(
            view,
            chain,
            transaction.sender,
            &transaction.authorization_list,
            &transaction.authorities,
        )?,
    };
    // A base fee that is not known ends the simulation before any code runs.
    match machine.transact(tx, Terms::Paid, true)? {
        Ran::Done(result, changes) => outcome.add(0, result, changes, transaction.gas),
        Ran::Refused(why) => outcome.refuse(&why.to_string()),
    }
    outcome.take_record(machine.recorder());
    Ok(Simulated {
        outcome,
        machine,
        view,
        chain,
    })
}
