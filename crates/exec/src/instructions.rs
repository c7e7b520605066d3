//! The instructions that observe more of the state than the code and storage of what is called. Each makes sure
//! of what it is about to see, then runs as revm has it.

use crate::state::{CallContext, Missing, Observe, missing_field};
use alloy_primitives::{Address, U256};
use presight_view::{Block, HardFork};
use presight_wire::{NotRead, Reason};
use revm::bytecode::opcode;
use revm::context_interface::context::ContextError;
use revm::handler::instructions::EthInstructions;
use revm::interpreter::instructions::{block_info, contract, control, host, tx_info};
use revm::interpreter::interpreter::EthInterpreter;
use revm::interpreter::interpreter_types::{InputsTr, LoopControl, RuntimeFlag};
use revm::interpreter::{
    CreateInputs, FrameInput, Instruction, InstructionContext, InstructionExecResult, InstructionResult,
    InterpreterAction,
};
use revm::primitives::hardfork::SpecId;

type Step<'s, 'v> = InstructionContext<'s, CallContext<'v>, EthInterpreter>;

/// Every instruction of a fork.
pub(crate) fn table<'v>(spec: SpecId) -> EthInstructions<EthInterpreter, CallContext<'v>> {
    let mut table = EthInstructions::new_mainnet_with_spec(spec);
    let own: [(u8, Instruction<EthInterpreter, CallContext<'v>>); 20] = [
        (opcode::BALANCE, Instruction::new(balance)),
        (opcode::SELFBALANCE, Instruction::new(self_balance)),
        (opcode::EXTCODESIZE, Instruction::new(ext_code_size)),
        (opcode::EXTCODECOPY, Instruction::new(ext_code_copy)),
        (opcode::EXTCODEHASH, Instruction::new(ext_code_hash)),
        (opcode::NUMBER, Instruction::new(number)),
        (opcode::GASPRICE, Instruction::new(gas_price)),
        (opcode::BLOCKHASH, Instruction::new(block_hash)),
        (opcode::COINBASE, Instruction::new(coinbase)),
        (opcode::DIFFICULTY, Instruction::new(difficulty)),
        (opcode::GASLIMIT, Instruction::new(gas_limit)),
        (opcode::BASEFEE, Instruction::new(base_fee)),
        (opcode::BLOBBASEFEE, Instruction::new(blob_base_fee)),
        (opcode::CALL, Instruction::new(call)),
        (opcode::CALLCODE, Instruction::new(call_code)),
        (opcode::DELEGATECALL, Instruction::new(delegate_call)),
        (opcode::STATICCALL, Instruction::new(static_call)),
        (opcode::CREATE, Instruction::new(create::<false>)),
        (opcode::CREATE2, Instruction::new(create::<true>)),
        (opcode::SELFDESTRUCT, Instruction::new(self_destruct)),
    ];
    for (code, instruction) in own {
        table.instruction_table_mut()[usize::from(code)] = instruction;
    }
    for code in 0..=u8::MAX {
        if opcode::OpCode::new(code).is_none() {
            table.instruction_table_mut()[usize::from(code)] = Instruction::new(unknown);
        }
    }
    table
}

/// An opcode that Ethereum does not have ends the call there; another chain may have given it a meaning.
fn unknown(step: Step<'_, '_>) -> InstructionExecResult {
    ensure(step.host, |host| {
        host.journaled_state.database.ensure_own_opcodes()
    })?;
    control::unknown(step)
}

fn balance(step: Step<'_, '_>) -> InstructionExecResult {
    if let Some(address) = address_operand(&step, 0) {
        ensure(step.host, |host| host.observe_balance(address))?;
    }
    host::balance(step)
}

fn self_balance(step: Step<'_, '_>) -> InstructionExecResult {
    if step
        .interpreter
        .runtime_flag
        .spec_id()
        .is_enabled_in(SpecId::ISTANBUL)
    {
        let address = step.interpreter.input.target_address();
        ensure(step.host, |host| host.observe_balance(address))?;
    }
    host::selfbalance(step)
}

fn ext_code_size(step: Step<'_, '_>) -> InstructionExecResult {
    if let Some(address) = address_operand(&step, 0) {
        ensure(step.host, |host| host.observe_code(address))?;
    }
    host::extcodesize(step)
}

fn ext_code_copy(step: Step<'_, '_>) -> InstructionExecResult {
    if let Some(address) = address_operand(&step, 0) {
        ensure(step.host, |host| host.observe_code(address))?;
    }
    host::extcodecopy(step)
}

/// The hash of an account without code tells an empty account from one that has a balance or a nonce (EIP-1052).
fn ext_code_hash(step: Step<'_, '_>) -> InstructionExecResult {
    if step
        .interpreter
        .runtime_flag
        .spec_id()
        .is_enabled_in(SpecId::PETERSBURG)
        && let Some(address) = address_operand(&step, 0)
    {
        ensure(step.host, |host| host.observe_emptiness(address))?;
    }
    host::extcodehash(step)
}

fn number(step: Step<'_, '_>) -> InstructionExecResult {
    ensure(step.host, |host| {
        host.journaled_state.database.ensure_own_numbers()
    })?;
    block_info::block_number(step)
}

fn gas_price(step: Step<'_, '_>) -> InstructionExecResult {
    ensure(step.host, |host| {
        if host.journaled_state.database.gas_price_known {
            Ok(())
        } else {
            Err(missing_field("base fee"))
        }
    })?;
    tx_info::gasprice(step)
}

fn block_hash(step: Step<'_, '_>) -> InstructionExecResult {
    ensure(step.host, |host| {
        host.journaled_state.database.ensure_own_numbers()
    })?;
    host::blockhash(step)
}

fn coinbase(step: Step<'_, '_>) -> InstructionExecResult {
    ensure_field(step.host, "coinbase", |block| block.miner.is_some())?;
    block_info::coinbase(step)
}

fn difficulty(step: Step<'_, '_>) -> InstructionExecResult {
    if step.host.journaled_state.database.fork >= HardFork::Paris {
        ensure(step.host, |host| {
            host.journaled_state.database.ensure_own_numbers()
        })?;
        ensure_field(step.host, "prevRandao", |block| block.mix_hash.is_some())?;
    } else {
        ensure_field(step.host, "difficulty", |block| block.difficulty.is_some())?;
    }
    block_info::difficulty(step)
}

fn gas_limit(step: Step<'_, '_>) -> InstructionExecResult {
    ensure_field(step.host, "gas limit", |block| block.gas_limit.is_some())?;
    block_info::gaslimit(step)
}

fn base_fee(step: Step<'_, '_>) -> InstructionExecResult {
    if step
        .interpreter
        .runtime_flag
        .spec_id()
        .is_enabled_in(SpecId::LONDON)
    {
        ensure_field(step.host, "base fee", |block| block.base_fee_per_gas.is_some())?;
    }
    block_info::basefee(step)
}

fn blob_base_fee(step: Step<'_, '_>) -> InstructionExecResult {
    if step
        .interpreter
        .runtime_flag
        .spec_id()
        .is_enabled_in(SpecId::CANCUN)
    {
        let chain_id = step.host.cfg.chain_id;
        ensure(step.host, |host| {
            host.journaled_state.database.ensure_blob_fee(chain_id)
        })?;
    }
    block_info::blob_basefee(step)
}

/// Value moves between two balances, and pays for the receiver's account when there is none. Before EIP-161 a call
/// without value pays for it too.
fn call(mut step: Step<'_, '_>) -> InstructionExecResult {
    if let (Some(to), Some(value)) = (address_operand(&step, 1), operand(&step, 2)) {
        if !value.is_zero() && !step.interpreter.runtime_flag.is_static() {
            let from = step.interpreter.input.target_address();
            ensure(step.host, |host| host.observe_balance(from))?;
            ensure(step.host, |host| host.observe_emptiness(to))?;
        }
        ensure(step.host, |host| ensure_existence(host, to))?;
    }
    ensure_callable(&mut step)?;
    contract::call::<{ opcode::CALL }, _, _>(step)
}

/// Value stays where it is, but must be there.
fn call_code(mut step: Step<'_, '_>) -> InstructionExecResult {
    if operand(&step, 2).is_some_and(|value| !value.is_zero()) {
        let from = step.interpreter.input.target_address();
        ensure(step.host, |host| host.observe_balance(from))?;
    }
    ensure_callable(&mut step)?;
    contract::call::<{ opcode::CALLCODE }, _, _>(step)
}

fn delegate_call(mut step: Step<'_, '_>) -> InstructionExecResult {
    ensure_callable(&mut step)?;
    contract::call::<{ opcode::DELEGATECALL }, _, _>(step)
}

fn static_call(mut step: Step<'_, '_>) -> InstructionExecResult {
    ensure_callable(&mut step)?;
    contract::call::<{ opcode::STATICCALL }, _, _>(step)
}

/// Where the contract goes is known once revm has built the creation.
fn create<const IS_CREATE2: bool>(step: Step<'_, '_>) -> InstructionExecResult {
    let InstructionContext { interpreter, host } = step;
    let built = InstructionContext {
        interpreter: &mut *interpreter,
        host: &mut *host,
    };
    let result = contract::create::<IS_CREATE2, _, _>(built);
    if let Some(InterpreterAction::NewFrame(FrameInput::Create(inputs))) = interpreter.bytecode.action()
        && let Err(missing) = ensure(host, |host| observe_creation(host, inputs))
    {
        interpreter.bytecode.reset_action();
        *interpreter.bytecode.action() = None;
        return Err(missing);
    }
    result
}

/// The creator's nonce decides where the contract goes, and what is there whether it collides; value moves between
/// their balances.
fn observe_creation(host: &mut CallContext<'_>, inputs: &CreateInputs) -> Result<(), Missing> {
    let creator = inputs.caller();
    host.observe_nonce(creator)?;
    let nonce = host.nonce_so_far(creator);
    let created = inputs.created_address(nonce);
    host.observe_nonce(created)?;
    host.observe_code(created)?;
    if !inputs.value().is_zero() {
        host.observe_balance(creator)?;
        host.observe_balance(created)?;
    }
    Ok(())
}

fn self_destruct(step: Step<'_, '_>) -> InstructionExecResult {
    if let Some(heir) = address_operand(&step, 0)
        && !step.interpreter.runtime_flag.is_static()
    {
        let address = step.interpreter.input.target_address();
        ensure(step.host, |host| host.observe_balance(address))?;
        ensure(step.host, |host| host.observe_emptiness(heir))?;
        ensure(step.host, |host| ensure_existence(host, heir))?;
    }
    host::selfdestruct(step)
}

/// What is called is code or a precompile that is known.
fn ensure_callable(step: &mut Step<'_, '_>) -> InstructionExecResult {
    match address_operand(step, 1) {
        Some(to) => ensure(step.host, |host| {
            host.journaled_state.database.ensure_callable(to)
        }),
        None => Ok(()),
    }
}

/// Before EIP-161 an account could exist and be empty, which costs a call of it nothing; an account that does not
/// exist costs 25,000 gas. A view cannot tell the two.
fn ensure_existence(host: &mut CallContext<'_>, address: Address) -> Result<(), Missing> {
    if host.journaled_state.database.fork >= HardFork::SpuriousDragon {
        return Ok(());
    }
    host.observe_emptiness(address)?;
    let exists = host.is_observed_and_not_empty(address);
    if exists {
        return Ok(());
    }
    let note = format!("whether the empty account {address:#x} exists is not known before Spurious Dragon");
    Err(Missing(NotRead::new(Reason::Unsupported).with_note(note).into()))
}

fn ensure_field(host: &mut CallContext<'_>, field: &str, known: fn(&Block) -> bool) -> InstructionExecResult {
    ensure(host, |host| {
        if known(host.journaled_state.database.block) {
            Ok(())
        } else {
            Err(missing_field(field))
        }
    })
}

/// Ends the whole call when something it is about to see is not held.
fn ensure<'v>(
    host: &mut CallContext<'v>,
    observe: impl FnOnce(&mut CallContext<'v>) -> Result<(), Missing>,
) -> InstructionExecResult {
    observe(host).map_err(|missing| {
        host.error = Err(ContextError::Db(missing));
        InstructionResult::FatalExternalError
    })
}

fn operand(step: &Step<'_, '_>, index: usize) -> Option<U256> {
    step.interpreter.stack.peek(index).ok()
}

fn address_operand(step: &Step<'_, '_>, index: usize) -> Option<Address> {
    operand(step, index).map(|word| Address::from_word(word.into()))
}
