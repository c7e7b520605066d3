//! Transactions run one after the other on the state of a view.

use super::changes::Changes;
use super::record::Recorder;
use crate::evm::{blob_fee, block_env};
use crate::fork::spec_id;
use crate::instructions;
use crate::state::{CallContext, Missing, Observe, ViewState, missing_field};
use alloy_primitives::{Address, Bytes, U256};
use presight_view::{Block, Lookup, View};
use presight_wire::{ChainId, NotRead, Reason};
use revm::context::result::{EVMError, ExecutionResult, HaltReason, InvalidTransaction};
use revm::context::{
    BlockEnv, CfgEnv, Context, ContextSetters, ContextTr, Evm, Journal, JournalTr, Transaction,
    TransactionType, TxEnv,
};
use revm::context_interface::journaled_state::account::JournaledAccountTr;
use revm::context_interface::transaction::AuthorizationTr;
use revm::handler::instructions::EthInstructions;
use revm::handler::{EthFrame, EthPrecompiles, FrameResult, Handler, pre_execution};
use revm::inspector::InspectorHandler;
use revm::interpreter::interpreter::EthInterpreter;
use revm::interpreter::{GasTracker, InitialAndFloorGas};
use revm::primitives::TxKind;
use revm::primitives::hardfork::SpecId;
use std::marker::PhantomData;

/// What is asked of a transaction's sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Terms {
    /// Nothing: no fees, any nonce, any code. Value is taken from its balance.
    Free,
    /// All that a block asks. Fees are taken before the transaction, which can see it, and given back after it.
    Paid,
}

/// A transaction that ran, or that no block would take.
pub(crate) enum Ran {
    /// It ran, and changed the state.
    Done(ExecutionResult, Changes),
    /// It was refused; the state is as it was.
    Refused(InvalidTransaction),
}

/// A chain that transactions run on.
pub(crate) struct Machine<'v> {
    evm: RecordedEvm<'v>,
}

type RecordedEvm<'v> = Evm<
    CallContext<'v>,
    Recorder,
    EthInstructions<EthInterpreter, CallContext<'v>>,
    EthPrecompiles,
    EthFrame<EthInterpreter>,
>;

impl<'v> Machine<'v> {
    /// The chain at its pinned block; `header` is what the code sees of a block.
    pub(crate) fn new(view: &'v View<'v>, chain: &'v ChainId, header: &'v Block) -> Lookup<Self> {
        let chain_id = chain.evm_id().ok_or_else(|| {
            NotRead::new(Reason::Unsupported).with_note(format!("{chain} is not an EVM chain"))
        })?;
        let state = ViewState::under(view, chain, header)?;
        let spec = spec_id(state.fork);
        let block = block_env(state.block, blob_fee(chain_id, &state));
        let cfg = CfgEnv::new_with_spec(spec).with_chain_id(chain_id);
        let context: CallContext<'_> =
            Context::<BlockEnv, TxEnv, CfgEnv, _, Journal<ViewState<'_>>, ()>::new(state, spec)
                .with_block(block)
                .with_cfg(cfg);
        let evm = Evm::new_with_inspector(
            context,
            Recorder::default(),
            instructions::table(spec),
            EthPrecompiles::new(spec),
        );
        Ok(Self { evm })
    }

    /// The block as the code sees it.
    pub(crate) fn header(&self) -> &'v Block {
        self.state().block
    }

    /// What is written down of the transactions that [`Machine::transact`] runs.
    pub(crate) fn recorder(&mut self) -> &mut Recorder {
        &mut self.evm.inspector
    }

    /// The balance of an account as the transactions so far left it.
    pub(crate) fn balance(&mut self, address: Address) -> Lookup<U256> {
        self.evm
            .ctx
            .balance_so_far(address)
            .map_err(|Missing(unread)| unread)
    }

    /// Lets an account have another balance than it has.
    pub(crate) fn pretend_balance(&mut self, address: Address, balance: U256) {
        self.evm
            .ctx
            .journaled_state
            .database
            .pretend_balance(address, balance);
    }

    /// Runs a transaction for good. A gas price that is not known is not shown to the code.
    pub(crate) fn transact(&mut self, tx: TxEnv, terms: Terms, gas_price_known: bool) -> Lookup<Ran> {
        self.evm.ctx.journaled_state.database.gas_price_known = gas_price_known;
        self.set(tx, terms);
        let result = Rules::of(terms).inspect_run(&mut self.evm);
        self.finish(result)
    }

    /// Applies the authorization list of a transaction, and nothing else of it: the transaction of a request that
    /// has no calls.
    pub(crate) fn apply_list(&mut self, tx: TxEnv) -> Lookup<Changes> {
        self.set(tx, Terms::Free);
        let rules = Rules::of(Terms::Free);
        let applied = rules
            .validate_against_state_and_deduct_caller(&mut self.evm, &mut InitialAndFloorGas::new(0, 0))
            .and_then(|()| rules.load_accounts(&mut self.evm))
            .and_then(|()| apply_list(&mut self.evm.ctx));
        match applied {
            Ok(_) => Ok(self.commit()),
            Err(error) => {
                self.discard();
                Err(unread(error))
            }
        }
    }

    /// Runs a contract read on the state as the transactions so far left it, as [`crate::call`] does on the state of
    /// the block, and undoes it. `None` when it did not return.
    pub(crate) fn read(&mut self, to: Address, data: Bytes, gas: u64) -> Lookup<Read> {
        let state = &mut self.evm.ctx.journaled_state.database;
        state.gas_price_known = true;
        let tx = TxEnv {
            gas_limit: gas,
            kind: TxKind::Call(to),
            data,
            chain_id: None,
            ..TxEnv::default()
        };
        self.set(tx, Terms::Free);
        let result = Rules::of(Terms::Free).run(&mut self.evm);
        self.discard();
        match result {
            Ok(result) => Ok(Read {
                gas: result.tx_gas_used(),
                returned: match result {
                    ExecutionResult::Success { output, .. } => Some(output.into_data()),
                    _ => None,
                },
            }),
            Err(EVMError::Database(Missing(unread))) => Err(unread),
            Err(_) => Ok(Read {
                gas: 0,
                returned: None,
            }),
        }
    }

    fn state(&self) -> &ViewState<'v> {
        &self.evm.ctx.journaled_state.database
    }

    fn set(&mut self, tx: TxEnv, terms: Terms) {
        let free = terms == Terms::Free;
        let cfg = &mut self.evm.ctx.cfg;
        cfg.disable_nonce_check = free;
        cfg.disable_balance_check = free;
        cfg.disable_block_gas_limit = free;
        cfg.disable_eip3607 = free;
        cfg.disable_base_fee = free;
        cfg.disable_fee_charge = free;
        self.evm.ctx.set_tx(tx);
    }

    fn finish(&mut self, result: Result<ExecutionResult, EVMError<Missing>>) -> Lookup<Ran> {
        match result {
            Ok(result) => Ok(Ran::Done(result, self.commit())),
            Err(EVMError::Transaction(why)) => {
                self.discard();
                Ok(Ran::Refused(why))
            }
            Err(error) => {
                self.discard();
                Err(unread(error))
            }
        }
    }

    fn commit(&mut self) -> Changes {
        let left = self.evm.ctx.journaled_state.finalize();
        self.evm.ctx.journaled_state.database.commit(left)
    }

    fn discard(&mut self) {
        self.evm.ctx.journaled_state.finalize();
    }
}

/// A contract read on the state after transactions.
pub(crate) struct Read {
    /// The gas it used.
    pub(crate) gas: u64,
    /// What it returned, if it did.
    pub(crate) returned: Option<Bytes>,
}

fn unread(error: EVMError<Missing>) -> presight_view::Unread {
    match error {
        EVMError::Database(Missing(unread)) => unread,
        other => NotRead::new(Reason::Unavailable)
            .with_note(format!("the transaction could not be run: {other}"))
            .into(),
    }
}

/// Mainnet's rules on a state whose members are observed before they matter. The block's producer is not paid:
/// nothing can see it.
#[derive(Debug)]
struct Rules<'v> {
    terms: Terms,
    evm: PhantomData<RecordedEvm<'v>>,
}

impl Rules<'_> {
    fn of(terms: Terms) -> Self {
        Self {
            terms,
            evm: PhantomData,
        }
    }
}

impl<'v> Handler for Rules<'v> {
    type Evm = RecordedEvm<'v>;
    type Error = EVMError<Missing>;
    type HaltReason = HaltReason;

    fn validate_against_state_and_deduct_caller(
        &self,
        evm: &mut RecordedEvm<'v>,
        _gas: &mut InitialAndFloorGas,
    ) -> Result<(), EVMError<Missing>> {
        let context = &mut evm.ctx;
        if self.terms == Terms::Paid {
            observe_payment(context).map_err(EVMError::Database)?;
            pre_execution::validate_against_state_and_deduct_caller::<_, EVMError<Missing>>(context)?;
        } else {
            let (tx, journal) = context.tx_journal_mut();
            let mut sender = journal.load_account_mut(tx.caller)?;
            sender.touch();
            if tx.kind.is_call() {
                sender.bump_nonce();
            }
        }
        observe_first_frame(context).map_err(EVMError::Database)
    }

    fn apply_eip7702_auth_list(
        &self,
        evm: &mut RecordedEvm<'v>,
        _gas: &mut GasTracker,
    ) -> Result<Option<u64>, EVMError<Missing>> {
        if evm.ctx.tx.tx_type() != TransactionType::Eip7702 {
            return Ok(Some(0));
        }
        let existing = apply_list(&mut evm.ctx)?;
        let refund = evm.ctx.cfg.gas_params.tx_eip7702_auth_refund_regular();
        Ok(Some(refund.saturating_mul(existing)))
    }

    fn reimburse_caller(
        &self,
        evm: &mut RecordedEvm<'v>,
        _result: &mut FrameResult,
    ) -> Result<(), EVMError<Missing>> {
        if self.terms == Terms::Free {
            return Ok(());
        }
        let context = &mut evm.ctx;
        let base_fee = u128::from(context.block.basefee);
        let blob_fee = context
            .block
            .blob_excess_gas_and_price
            .map_or(0, |blob| blob.blob_gasprice);
        let fees = context.tx.gas_balance_spending(base_fee, blob_fee)?;
        let sender = context.tx.caller;
        context.journal_mut().load_account_mut(sender)?.incr_balance(fees);
        Ok(())
    }

    fn reward_beneficiary(
        &self,
        _evm: &mut RecordedEvm<'v>,
        _result: &mut FrameResult,
    ) -> Result<(), EVMError<Missing>> {
        Ok(())
    }
}

impl InspectorHandler for Rules<'_> {
    type IT = EthInterpreter;
}

/// What a block checks of the sender, and takes from it.
fn observe_payment(context: &mut CallContext<'_>) -> Result<(), Missing> {
    let sender = context.tx.caller;
    context.observe_balance(sender)?;
    context.observe_nonce(sender)?;
    context.observe_code(sender)?;
    let header = context.journaled_state.database.block;
    if context.cfg.spec >= SpecId::LONDON && header.base_fee_per_gas.is_none() {
        return Err(missing_field("base fee"));
    }
    if context.tx.tx_type() == TransactionType::Eip4844 {
        context
            .journaled_state
            .database
            .ensure_blob_fee(context.cfg.chain_id)?;
    }
    Ok(())
}

/// What the first frame does to accounts before any instruction runs.
fn observe_first_frame(context: &mut CallContext<'_>) -> Result<(), Missing> {
    let (sender, value) = (context.tx.caller, context.tx.value);
    let to = match context.tx.kind {
        TxKind::Call(to) => {
            context.journaled_state.database.ensure_callable(to)?;
            to
        }
        TxKind::Create => {
            context.observe_nonce(sender)?;
            let created = sender.create(context.nonce_so_far(sender));
            context.observe_nonce(created)?;
            context.observe_code(created)?;
            created
        }
    };
    if !value.is_zero() {
        context.observe_balance(sender)?;
        context.observe_balance(to)?;
    }
    Ok(())
}

/// Applies the transaction's authorization list (EIP-7702 §Behavior); gives how often an authority existed before
/// its tuple.
fn apply_list(context: &mut CallContext<'_>) -> Result<u64, EVMError<Missing>> {
    let list = context.tx.authorization_list.clone();
    let chain_id = U256::from(context.cfg.chain_id);
    let mut existing = 0;
    for tuple in &list {
        let applies_here = tuple.chain_id().is_zero() || tuple.chain_id() == chain_id;
        let Some(authority) = tuple
            .authority()
            .filter(|_| applies_here && tuple.nonce() != u64::MAX)
        else {
            continue;
        };
        context.journal_mut().load_account_mut(authority)?;
        context.observe_code(authority).map_err(EVMError::Database)?;
        context.observe_nonce(authority).map_err(EVMError::Database)?;
        let account = context.journal_mut().load_account_with_code_mut(authority)?;
        let takes = account
            .code()
            .is_none_or(|code| code.is_empty() || code.is_eip7702());
        if !takes || account.nonce() != tuple.nonce() {
            continue;
        }
        context.observe_emptiness(authority).map_err(EVMError::Database)?;
        let mut account = context.journal_mut().load_account_with_code_mut(authority)?;
        existing += u64::from(!account.account().is_empty());
        account.delegate(tuple.address());
    }
    Ok(existing)
}
