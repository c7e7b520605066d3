//! Calls: from calldata to the call tree and its effects.

mod abi;
mod budget;
mod calldata;
mod effects;
mod function;
mod json;
mod loads;
mod nested;
mod router;

#[cfg(test)]
mod tests;

pub(crate) use budget::Budget;
pub use budget::{MAX_INNER_BYTES, MAX_INNER_CALLS, MAX_NESTING};
pub(crate) use effects::{PERMIT2, refund};
pub(crate) use nested::in_name_of;

use crate::collector::Collector;
use crate::effect::Effect;
use crate::model::{CallNode, Flag, Granted, Operation};
use alloy_primitives::{Address, Bytes, U256};
use calldata::Oddity;
use effects::Site;
use function::{Function, Reading, RouterCall};
use nested::Frame;
use presight_wire::report::Role;
use presight_wire::{AccountId, ChainId, Refusal};
use router::Plan;
use serde_json::Value;

/// I-38.
const NON_CANONICAL_PERMIT2: Oddity = Oddity::of_data(
    "non-canonical-permit2",
    "a Permit2 function, on a contract that is not the canonical Permit2",
);
/// A strict decoder reverts on it; one that is not could still run.
const UNDECODABLE_ARGUMENTS: Oddity = Oddity::of_data(
    "undecodable-arguments",
    "the selector is that of a known function, and the arguments do not decode under it",
);
/// ERC-8481 §Entities lists the forms of approvals.
const GRANT_OF_ANOTHER_KIND: Oddity = Oddity::of_data(
    "grant-of-another-kind",
    "it lets another account act for the caller, in a form that is no approval entity",
);
/// What a selector does in the account's own context is not known from the bytes.
const DELEGATECALL: Oddity = Oddity {
    code: "delegatecall",
    member: "operation",
    message: "the code of `to` runs as the account itself; what it does is not known from its calldata",
};

/// The function that calldata calls, where it is one that is understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Called {
    /// Its canonical signature.
    pub signature: &'static str,
    /// Its arguments by name, as JSON; `None` where the calldata is not there in full.
    pub args: Option<Vec<(&'static str, Value)>>,
}

/// The function that a call of `length` bytes of calldata calls, of which `data` is the beginning. Calldata that is there
/// in full has to decode under the function; otherwise the selector alone names it.
pub fn called(data: &Bytes, length: usize) -> Option<Called> {
    if data.len() == length {
        return function::of_calldata(data).map(|reading| Called {
            signature: reading.signature,
            args: Some(reading.args),
        });
    }
    let signature = function::signature_of(*data.first_chunk()?)?;
    Some(Called {
        signature,
        args: None,
    })
}

/// What one contract call grants when `caller` makes it, by its own calldata: a function of a token or of Permit2.
/// What the called contract does in turn is not looked at.
pub fn grants_of(caller: Address, to: Address, data: &Bytes) -> Vec<Granted> {
    let Some(reading) = function::of_calldata(data) else {
        return Vec::new();
    };
    if !matches!(
        reading.function,
        Function::TokenCall(_) | Function::Permit2Call(_)
    ) {
        return Vec::new();
    }
    let site = Site {
        to,
        caller,
        signer: caller,
        call_index: None,
    };
    let effects = effects::of(&reading.function, site).into_iter();
    let granted = effects.filter_map(|effect| match effect {
        Effect::Approves {
            token,
            spender,
            grant,
        }
        | Effect::SubmitsPermit {
            token,
            spender,
            grant,
            ..
        } => Some(Granted {
            token,
            spender,
            grant,
        }),
        _ => None,
    });
    granted.collect()
}

/// One call as it would be made.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    /// In whose name: an approval is of its allowance.
    pub(crate) caller: Address,
    /// Whose native balance `value` comes from: the caller, or the forwarder that calls in its name.
    pub(crate) payer: Address,
    pub(crate) to: Address,
    pub(crate) value: U256,
    pub(crate) data: Bytes,
    pub(crate) operation: Operation,
}

impl Call {
    /// A call of `caller`.
    pub(crate) fn new(caller: Address, to: Address, value: U256, data: Bytes, operation: Operation) -> Self {
        Self {
            caller,
            payer: caller,
            to,
            value,
            data,
            operation,
        }
    }
}

/// One call of a request, or of a message: who signs, where, and as which of its calls.
pub(crate) struct Outer<'a> {
    pub(crate) chain: &'a ChainId,
    pub(crate) signer: Address,
    /// `None` for a call that a message lets happen.
    pub(crate) index: Option<usize>,
    /// Pointer to the call in the request document.
    pub(crate) pointer: String,
    /// The member there that holds the calldata.
    pub(crate) data_member: &'static str,
}

impl Outer<'_> {
    /// Lists what `call` and the calls inside it touch, and returns its node of the call tree.
    pub(crate) fn decode(&self, call: &Call, collector: &mut Collector) -> Result<CallNode, Refusal> {
        self.decode_at(call, 0, collector)
    }

    fn decode_at(&self, call: &Call, depth: usize, collector: &mut Collector) -> Result<CallNode, Refusal> {
        let to = AccountId::new(self.chain.clone(), call.to);
        collector.address(Role::Target, to);
        if !call.value.is_zero() && call.operation == Operation::Call {
            let native = Effect::Transfers {
                token: None,
                from: call.payer,
                to: call.to,
                amount: call.value,
                token_id: None,
            };
            collector.effect(native, self.chain, self.index);
        }

        let mut node = CallNode {
            caller: call.caller,
            to: call.to,
            value: call.value,
            data: call.data.clone(),
            selector: call.data.first_chunk::<4>().copied(),
            signature: None,
            args: Vec::new(),
            opaque: !call.data.is_empty(),
            operation: call.operation,
            inner: Vec::new(),
            commands: Vec::new(),
            flags: Vec::new(),
        };
        let oddities = match call.operation {
            Operation::Call => self.called(call, depth, &mut node, collector)?,
            Operation::DelegateCall => self.delegated(call, depth, &mut node, collector)?,
        };
        for Oddity {
            code,
            member,
            message,
        } in oddities
        {
            node.flags.push(code);
            // What is nested is inside the calldata of the outer call.
            let member = if depth > 0 || member == "data" {
                self.data_member
            } else {
                member
            };
            collector.flag(Flag::new(code, format!("{}/{member}", self.pointer), message))?;
        }
        Ok(node)
    }

    fn called(
        &self,
        call: &Call,
        depth: usize,
        node: &mut CallNode,
        collector: &mut Collector,
    ) -> Result<Vec<Oddity>, Refusal> {
        match function::of_calldata(&call.data) {
            Some(reading) => self.understood(reading, call, depth, node, collector),
            None if node.selector.and_then(function::signature_of).is_some() => {
                Ok(vec![UNDECODABLE_ARGUMENTS])
            }
            None => Ok(Vec::new()),
        }
    }

    /// Foreign code may do anything. Where its calldata is that of a list of calls, they are shown all the same.
    fn delegated(
        &self,
        call: &Call,
        depth: usize,
        node: &mut CallNode,
        collector: &mut Collector,
    ) -> Result<Vec<Oddity>, Refusal> {
        let reading = function::of_calldata(&call.data).filter(|r| nested::runs_by_delegatecall(&r.function));
        let Some(reading) = reading else {
            return Ok(vec![DELEGATECALL]);
        };
        let mut oddities = self.understood(reading, call, depth, node, collector)?;
        if !nested::is_known_code(call.to) {
            node.opaque = true;
            oddities.insert(0, DELEGATECALL);
        }
        Ok(oddities)
    }

    /// Completes the node of an understood call; returns what is odd about it.
    fn understood(
        &self,
        reading: Reading,
        call: &Call,
        depth: usize,
        node: &mut CallNode,
        collector: &mut Collector,
    ) -> Result<Vec<Oddity>, Refusal> {
        node.signature = Some(reading.signature);
        node.args = reading.args;
        node.opaque = false;
        let mut oddities = reading.oddities;
        if matches!(reading.function, Function::Permit2Call(_)) && node.to != PERMIT2 {
            oddities.push(NON_CANONICAL_PERMIT2);
        }
        let site = Site {
            to: call.to,
            caller: call.caller,
            signer: self.signer,
            call_index: self.index,
        };
        for effect in effects::of(&reading.function, site) {
            if matches!(effect, Effect::Empowers { .. }) {
                oddities.push(GRANT_OF_ANOTHER_KIND);
            }
            collector.effect(effect, self.chain, self.index);
        }
        if let Function::RouterCall(router) = &reading.function {
            oddities.extend(self.commands(router, &call.data, site, depth, node, collector));
        }
        let frame = Frame {
            to: call.to,
            caller: call.caller,
            operation: call.operation,
        };
        let nested = nested::calls(&reading.function, &call.data, frame);
        node.opaque |= nested.oddities.contains(&nested::NOT_UNDERSTOOD);
        oddities.extend(nested.oddities);
        for inner in nested.calls {
            if let Err(limit) = collector.budget.enter(depth, inner.data.len()) {
                node.opaque = true;
                oddities.push(limit);
                break;
            }
            node.inner.push(self.decode_at(&inner, depth + 1, collector)?);
        }
        Ok(oddities)
    }

    /// Completes the node of a router call with its commands; returns what is odd about them.
    fn commands(
        &self,
        router: &RouterCall,
        calldata: &Bytes,
        site: Site,
        depth: usize,
        node: &mut CallNode,
        collector: &mut Collector,
    ) -> Vec<Oddity> {
        let mut plan = Plan::new(calldata, site, &mut collector.budget);
        node.commands = plan.read(router, depth);
        let (effects, oddities) = (plan.effects, plan.oddities);
        node.opaque = !oddities.is_empty() || node.commands.iter().any(|command| command.opaque);
        for effect in effects {
            collector.effect(effect, self.chain, self.index);
        }
        oddities
    }
}
