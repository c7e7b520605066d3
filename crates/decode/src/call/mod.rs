//! Calls: from calldata to the call tree and its effects.

mod abi;
mod calldata;
mod effects;
mod function;
mod json;
mod nested;

#[cfg(test)]
mod tests;

pub(crate) use effects::PERMIT2;

use crate::collector::Collector;
use crate::effect::Effect;
use crate::model::{CallNode, Flag};
use alloy_primitives::{Address, Bytes, U256};
use calldata::Oddity;
use effects::Site;
use function::Function;
use presight_wire::report::Role;
use presight_wire::{AccountId, ChainId, Refusal};

/// I-38.
const NON_CANONICAL_PERMIT2: Oddity = Oddity::of_data(
    "non-canonical-permit2",
    "a Permit2 function, on a contract that is not the canonical Permit2",
);
/// What a selector does in the account's own context is not known from the bytes.
const DELEGATECALL: Oddity = Oddity {
    code: "delegatecall",
    member: "operation",
    message: "the code of `to` runs as the account itself; nothing is derived from its calldata",
};

/// One call as it would be made.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) to: Address,
    pub(crate) value: U256,
    pub(crate) data: Bytes,
    pub(crate) operation: Operation,
}

/// How the code of `to` is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    /// In its own account.
    Call,
    /// In the caller's account.
    DelegateCall,
}

/// One call of a request: who signs, where, and as which of its calls.
pub(crate) struct Outer<'a> {
    pub(crate) chain: &'a ChainId,
    pub(crate) signer: Address,
    pub(crate) index: usize,
    /// Pointer to the call in the request document.
    pub(crate) pointer: String,
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
            let (from, to) = (self.signer, call.to);
            let native = Effect::Transfers {
                token: None,
                from,
                to,
                amount: call.value,
                token_id: None,
            };
            collector.effect(native, self.chain, Some(self.index));
        }

        let mut node = CallNode {
            to: call.to,
            value: call.value,
            selector: call.data.first_chunk::<4>().copied(),
            signature: None,
            args: Vec::new(),
            opaque: !call.data.is_empty(),
            inner: Vec::new(),
            flags: Vec::new(),
        };
        let oddities = match (call.operation, node.selector) {
            (Operation::DelegateCall, _) => vec![DELEGATECALL],
            (Operation::Call, None) => Vec::new(),
            (Operation::Call, Some(selector)) => match function::read(selector, &call.data[4..]) {
                None => Vec::new(),
                Some(reading) => self.understood(reading, depth, &mut node, collector)?,
            },
        };
        for Oddity {
            code,
            member,
            message,
        } in oddities
        {
            node.flags.push(code);
            collector.flag(Flag::new(code, format!("{}/{member}", self.pointer), message))?;
        }
        Ok(node)
    }

    /// Completes the node of an understood call; returns what is odd about it.
    fn understood(
        &self,
        reading: function::Reading,
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
            to: node.to,
            signer: self.signer,
            call_index: self.index,
        };
        for effect in effects::of(&reading.function, site) {
            collector.effect(effect, self.chain, Some(self.index));
        }
        for inner in nested::calls(&reading.function) {
            if depth == nested::MAX_NESTING {
                node.opaque = true;
                break;
            }
            node.inner.push(self.decode_at(&inner, depth + 1, collector)?);
        }
        Ok(oddities)
    }
}
