//! One call, executed.

use crate::fork::{blob_base_fee, spec_id};
use crate::instructions;
use crate::state::{CallContext, Missing, ViewState};
use alloy_primitives::{Address, B256, Bytes, U256, address};
use presight_view::executed::{CallOutcome, Halt};
use presight_view::{Block, Lookup, View};
use presight_wire::{ChainId, NotRead, Reason};
use revm::context::result::{EVMError, ExecutionResult, HaltReason, InvalidTransaction, OutOfGasError};
use revm::context::{BlockEnv, CfgEnv, Context, ContextTr, Evm, Journal, JournalTr, TxEnv};
use revm::context_interface::block::BlobExcessGasAndPrice;
use revm::context_interface::journaled_state::account::JournaledAccountTr;
use revm::handler::instructions::EthInstructions;
use revm::handler::{EthFrame, EthPrecompiles, EvmTr, Handler};
use revm::interpreter::InitialAndFloorGas;
use revm::interpreter::interpreter::EthInterpreter;
use revm::primitives::TxKind;

/// The gas of a call: the cap of a transaction since Osaka (EIP-7825), or the block's limit when that is lower.
pub const MAX_CALL_GAS: u64 = 1 << 24;
/// The gas of all calls of one run, after which further ones are not executed: a third of a second of hostile
/// code.
pub const MAX_RUN_GAS: u64 = 1 << 28;
/// The longest answer of a call that is taken, in bytes.
pub const MAX_RETURN_BYTES: usize = 256 * 1024;

/// Executes a call (see [`crate::call`]), once in a run.
pub(crate) fn run(view: &View<'_>, chain: &ChainId, to: Address, data: &Bytes) -> Lookup<CallOutcome> {
    view.executed().once(chain, to, data, || {
        if view.executed().gas() >= MAX_RUN_GAS {
            let note = format!("the contract reads of this report used up MAX_RUN_GAS = {MAX_RUN_GAS}");
            return (Err(NotRead::new(Reason::Timeout).with_note(note).into()), 0);
        }
        if let Err(unread) = view.ensure_time() {
            return (Err(unread), 0);
        }
        match execute(view, chain, to, data) {
            Ok((outcome, gas)) => (Ok(outcome), gas),
            Err(unread) => (Err(unread), 0),
        }
    })
}

/// The outcome of a call and the gas it used.
fn execute(view: &View<'_>, chain: &ChainId, to: Address, data: &Bytes) -> Lookup<(CallOutcome, u64)> {
    let chain_id = chain
        .evm_id()
        .ok_or_else(|| NotRead::new(Reason::Unsupported).with_note(format!("{chain} is not an EVM chain")))?;
    view.hint_call(chain, to, data);
    let state = ViewState::new(view, chain)?;
    state.ensure_callable(to).map_err(|Missing(unread)| unread)?;
    let spec = spec_id(state.fork);
    let block = block_env(state.block, blob_fee(chain_id, &state));
    let tx = TxEnv {
        gas_limit: state
            .block
            .gas_limit
            .map_or(MAX_CALL_GAS, |limit| limit.min(MAX_CALL_GAS)),
        kind: TxKind::Call(to),
        data: data.clone(),
        chain_id: None,
        ..TxEnv::default()
    };
    let mut cfg = CfgEnv::new_with_spec(spec).with_chain_id(chain_id);
    cfg.disable_nonce_check = true;
    cfg.disable_balance_check = true;
    cfg.disable_block_gas_limit = true;
    cfg.disable_eip3607 = true;
    cfg.disable_base_fee = true;
    cfg.disable_fee_charge = true;

    let context: CallContext<'_> =
        Context::<BlockEnv, TxEnv, CfgEnv, _, Journal<ViewState<'_>>, ()>::new(state, spec)
            .with_block(block)
            .with_tx(tx)
            .with_cfg(cfg);
    let mut evm = CallEvm::new(context, instructions::table(spec), EthPrecompiles::new(spec));
    let result = CallHandler::default().run(&mut evm);
    let gas = result.as_ref().map_or(0, ExecutionResult::tx_gas_used);
    Ok((ended(result)?, gas))
}

type CallEvm<'v> = Evm<
    CallContext<'v>,
    (),
    EthInstructions<EthInterpreter, CallContext<'v>>,
    EthPrecompiles,
    EthFrame<EthInterpreter>,
>;

/// Mainnet's rules, but the caller pays nothing and nothing is asked of it: its account is loaded without its
/// members, and its nonce raised as a transaction raises it.
#[derive(Debug, Default)]
struct CallHandler<'v>(std::marker::PhantomData<CallEvm<'v>>);

impl<'v> Handler for CallHandler<'v> {
    type Evm = CallEvm<'v>;
    type Error = EVMError<Missing>;
    type HaltReason = HaltReason;

    fn validate_against_state_and_deduct_caller(
        &self,
        evm: &mut CallEvm<'v>,
        _gas: &mut InitialAndFloorGas,
    ) -> Result<(), EVMError<Missing>> {
        let (tx, journal) = evm.ctx().tx_journal_mut();
        let mut caller = journal.load_account_mut(tx.caller)?;
        caller.touch();
        caller.bump_nonce();
        Ok(())
    }
}

/// Stands for a coinbase that is not known. It is warm (EIP-3651), so it is no address that code would touch.
const UNKNOWN_COINBASE: Address = address!("0x9f2c6c1b8a0f4b7e5d3a417c08e6b59d2f60a3e1");

/// The header, with placeholders that no instruction sees (see [`crate::instructions`]).
pub(crate) fn block_env(block: &Block, blob_fee: BlobExcessGasAndPrice) -> BlockEnv {
    BlockEnv {
        number: U256::from(block.number),
        timestamp: U256::from(block.timestamp),
        beneficiary: block.miner.unwrap_or(UNKNOWN_COINBASE),
        gas_limit: block.gas_limit.unwrap_or(u64::MAX),
        basefee: block.base_fee_per_gas.unwrap_or(0),
        difficulty: block.difficulty.unwrap_or(U256::ZERO),
        prevrandao: Some(block.mix_hash.unwrap_or(B256::ZERO)),
        blob_excess_gas_and_price: Some(blob_fee),
        slot_num: 0,
    }
}

pub(crate) fn blob_fee(chain_id: u64, state: &ViewState<'_>) -> BlobExcessGasAndPrice {
    state
        .block
        .excess_blob_gas
        .and_then(|excess| blob_base_fee(chain_id, state.fork, excess))
        .unwrap_or(BlobExcessGasAndPrice {
            excess_blob_gas: 0,
            blob_gasprice: 0,
        })
}

fn ended(result: Result<ExecutionResult, EVMError<Missing>>) -> Lookup<CallOutcome> {
    let halted = |word: String, by_our_bound| Ok(CallOutcome::Halted(Halt { word, by_our_bound }));
    match result {
        Err(EVMError::Database(Missing(unread))) => Err(unread),
        Err(EVMError::Transaction(refused)) => halted(not_run(&refused), true),
        Err(other) => halted(format!("the call could not be run: {other}"), true),
        Ok(ExecutionResult::Halt { reason, .. }) => halted(format!("{reason:?}"), is_our_bound(&reason)),
        Ok(ExecutionResult::Success { output, .. }) => bounded(output.into_data(), CallOutcome::Returned),
        Ok(ExecutionResult::Revert { output, .. }) => bounded(output, CallOutcome::Reverted),
    }
}

fn not_run(refused: &InvalidTransaction) -> String {
    format!("the call could not be run: {refused}")
}

fn bounded(output: Bytes, end: fn(Bytes) -> CallOutcome) -> Lookup<CallOutcome> {
    if output.len() <= MAX_RETURN_BYTES {
        return Ok(end(output));
    }
    let word = format!(
        "an answer of {} bytes, more than MAX_RETURN_BYTES = {MAX_RETURN_BYTES}",
        output.len()
    );
    Ok(CallOutcome::Halted(Halt {
        word,
        by_our_bound: true,
    }))
}

/// Gas runs out at a bound of ours, except where no amount would do. An opcode that the rules do not have may be one
/// of rules that are newer than those we run.
fn is_our_bound(reason: &HaltReason) -> bool {
    match reason {
        HaltReason::OutOfGas(why) => *why != OutOfGasError::InvalidOperand,
        HaltReason::OpcodeNotFound | HaltReason::NotActivated => true,
        _ => false,
    }
}
