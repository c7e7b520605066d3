//! Calls inside calls. Each family of formats is one module: from an understood function to the calls it makes
//! (I-20).
//!
//! The functions are recognised on any contract: that their arguments decode is visible in the bytes, that the
//! contract does what its function's name says is not.

pub(super) mod abi;
mod account;
mod batch;
mod entry_point;
mod execution;
mod forwarder;
mod multi_send;
mod multicall;
mod safe;

pub(super) use entry_point::wrapped_user_op;
pub(crate) use forwarder::in_name_of;

use super::Call;
use super::calldata::Oddity;
use super::function::Function;
use crate::model::Operation;
use alloy_primitives::{Address, Bytes, U256};

/// What a function runs could not be read from its arguments in full.
pub(super) const NOT_UNDERSTOOD: Oddity = Oddity::of_data(
    "nested-not-understood",
    "what the arguments say to execute is malformed or of an unknown kind",
);
/// ERC-7821 and MultiSend 1.5.
const SELF_TARGET: Oddity = Oddity::of_data(
    "zero-address-target",
    "the zero address as target: the account calls itself instead",
);

/// Who runs a function.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    /// Whose code is run.
    pub(super) to: Address,
    pub(super) caller: Address,
    pub(super) operation: Operation,
}

impl Frame {
    /// The account in whose name the code of `to` makes its calls.
    fn account(self) -> Address {
        match self.operation {
            Operation::Call => self.to,
            Operation::DelegateCall => self.caller,
        }
    }

    /// A call of the account.
    fn call(self, to: Address, value: U256, data: &Bytes) -> Call {
        self.run(to, value, data, Operation::Call)
    }

    fn run(self, to: Address, value: U256, data: &Bytes, operation: Operation) -> Call {
        Call::new(self.account(), to, value, data.clone(), operation)
    }

    /// A call of the contract to itself that keeps the caller.
    fn again(self, data: &Bytes) -> Call {
        Call::new(self.caller, self.to, U256::ZERO, data.clone(), Operation::Call)
    }
}

/// The calls a function makes, in order, and what is odd about how they are written.
#[derive(Debug, Default)]
pub(super) struct Nested {
    pub(super) calls: Vec<Call>,
    pub(super) oddities: Vec<Oddity>,
}

impl Nested {
    fn one(call: Call) -> Self {
        Self {
            calls: vec![call],
            oddities: Vec::new(),
        }
    }

    fn all(calls: impl IntoIterator<Item = Call>) -> Self {
        Self {
            calls: calls.into_iter().collect(),
            oddities: Vec::new(),
        }
    }

    fn not_understood() -> Self {
        Self {
            calls: Vec::new(),
            oddities: vec![NOT_UNDERSTOOD],
        }
    }

    /// Adds what follows it.
    fn append(&mut self, mut other: Self) {
        self.calls.append(&mut other.calls);
        self.oddities.append(&mut other.oddities);
    }
}

/// `operation` as Safe and the accounts after it number it. Others are contract creations, or reverts.
fn operation(number: u8) -> Option<Operation> {
    match number {
        0 => Some(Operation::Call),
        1 => Some(Operation::DelegateCall),
        _ => None,
    }
}

/// The calls that parallel arrays name; `values` may be empty for none. Contracts refuse arrays of different
/// lengths; what all of them name is still shown.
fn zip(frame: Frame, targets: &[Address], values: &[U256], data: &[Bytes]) -> Nested {
    let value = |index| match values.is_empty() {
        true => Some(&U256::ZERO),
        false => values.get(index),
    };
    let pairs = targets.iter().zip(data).enumerate();
    let calls = pairs.map_while(|(i, (to, data))| Some(frame.call(*to, *value(i)?, data)));
    let mut nested = Nested::all(calls);
    if nested.calls.len() != targets.len() || targets.len() != data.len() {
        nested.oddities.push(NOT_UNDERSTOOD);
    }
    nested
}

/// The calls a function makes when it is run in `frame`, by its arguments, or by its calldata where accounts read that
/// unchecked.
pub(super) fn calls(function: &Function, calldata: &Bytes, frame: Frame) -> Nested {
    match function {
        Function::MulticallCall(call) => multicall::calls(call, frame),
        Function::BatchCall(call) => batch::calls(call, frame),
        Function::SafeCall(call) => safe::calls(call, frame),
        Function::AccountCall(call) => account::calls(call, calldata, frame),
        Function::EntryPointCall(call) => entry_point::calls(call, frame),
        Function::ForwarderCall(call) => forwarder::calls(call, frame),
        Function::WrappedCall(data) => Nested::one(frame.again(data)),
        Function::TokenCall(_)
        | Function::HelperCall(_)
        | Function::OtherGrant(_)
        | Function::Permit2Call(_)
        | Function::RouterCall(_)
        | Function::TokenOnly => Nested::default(),
    }
}

/// Whether `function`, run by delegatecall, still makes the calls its arguments name in the name of the account.
pub(super) fn runs_by_delegatecall(function: &Function) -> bool {
    matches!(function, Function::BatchCall(_))
}

/// Whether the code at `code` is known to do what [`runs_by_delegatecall`] supposes.
pub(super) fn is_known_code(code: Address) -> bool {
    batch::MULTICALL3 == code || multi_send::DEPLOYMENTS.contains(&code)
}
