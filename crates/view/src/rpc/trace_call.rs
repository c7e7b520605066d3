//! `debug_traceCall`: one call on the pinned block, with the call tracer and with the prestate tracer.

use super::simulate_v1::{bounded, log};
use super::transport::RpcCall;
use crate::block::{quantity, quantity_u64};
use crate::change::{AccountChange, Change};
use crate::hard_fork::HardFork;
use crate::node_execution::{
    MAX_NODE_CHANGES, MAX_NODE_FRAMES, MAX_NODE_LOGS, NODE_CALL_GAS, NODE_QUESTION_GAS, NodeCall,
    NodeCallEnd, NodeDetail, NodeEnd, NodeQuestion,
};
use crate::snapshot::Block;
use crate::trace::{Frame, FrameKind, Log, MAX_FRAME_INPUT};
use alloy_primitives::{Address, B256, Bytes, U256};
use presight_wire::error::Refusal;
use presight_wire::hex;
use presight_wire::node::Node;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// What earlier calls changed, for a later one to find.
#[derive(Debug, Default)]
pub(super) struct Overrides(BTreeMap<Address, AccountChange>);

impl Overrides {
    /// Adds what a call changed.
    pub(super) fn add(&mut self, changes: &BTreeMap<Address, AccountChange>) {
        for (address, change) in changes {
            self.0.entry(*address).or_default().then(change.clone());
        }
    }

    fn to_json(&self) -> Value {
        let accounts = self.0.iter().filter(|(_, change)| !change.is_none());
        let accounts: Map<String, Value> = accounts
            .map(|(address, change)| (format!("{address:#x}"), account_override(change)))
            .collect();
        accounts.into()
    }
}

fn account_override(change: &AccountChange) -> Value {
    let mut members = Map::new();
    if let Some(balance) = &change.balance {
        members.insert("balance".into(), format!("{:#x}", balance.after).into());
    }
    if let Some(nonce) = &change.nonce {
        members.insert("nonce".into(), format!("{:#x}", nonce.after).into());
    }
    if let Some(code) = &change.code {
        members.insert("code".into(), code.after.to_string().into());
    }
    let slots: Map<String, Value> = change
        .storage
        .iter()
        .map(|(slot, change)| {
            (
                B256::from(*slot).to_string(),
                B256::from(change.after).to_string().into(),
            )
        })
        .collect();
    if change.destroyed {
        members.insert("state".into(), slots.into());
    } else if !slots.is_empty() {
        members.insert("stateDiff".into(), slots.into());
    }
    members.into()
}

/// The two calls: the first for the call tree, the second for the changes.
pub(super) fn calls(sender: Address, call: &NodeCall, so_far: &Overrides, pin: &Block) -> [RpcCall; 2] {
    let gas = pin
        .gas_limit
        .map_or(NODE_CALL_GAS, |limit| limit.min(NODE_CALL_GAS));
    let sent = json!({
        "from": sender, "to": call.to, "value": format!("{:#x}", call.value), "input": call.data,
        "gas": format!("{gas:#x}"),
    });
    [
        traced(&sent, "callTracer", &json!({ "withLog": true }), so_far, pin.hash),
        traced(
            &sent,
            "prestateTracer",
            &json!({ "diffMode": true }),
            so_far,
            pin.hash,
        ),
    ]
}

/// A question after the calls.
pub(super) fn question(question: &NodeQuestion, so_far: &Overrides, pin: B256) -> RpcCall {
    let sent = json!({
        "from": Address::ZERO, "to": question.to, "input": question.data,
        "gas": format!("{NODE_QUESTION_GAS:#x}"),
    });
    traced(&sent, "callTracer", &json!({ "onlyTopCall": true }), so_far, pin)
}

fn traced(sent: &Value, tracer: &str, config: &Value, so_far: &Overrides, pin: B256) -> RpcCall {
    let at = json!({ "blockHash": pin, "requireCanonical": true });
    let mut options = json!({ "tracer": tracer, "tracerConfig": config });
    if !so_far.0.is_empty() {
        options["stateOverrides"] = so_far.to_json();
    }
    RpcCall::new("debug_traceCall", json!([sent, at, options]))
}

/// What a question was answered with; `None` when the contract did not return.
pub(super) fn answer(node: &Node<'_>) -> Result<Option<Bytes>, Refusal> {
    let output = output(node)?;
    Ok(given(node, "error")?.is_none().then_some(output))
}

/// Reads the call tree and the changes of a call.
pub(super) fn read(
    call: usize,
    traced: &Node<'_>,
    changed: &Node<'_>,
    fork: HardFork,
) -> Result<NodeCallEnd, Refusal> {
    let mut tree = Tree {
        call,
        frames: Vec::new(),
        logs: Vec::new(),
    };
    tree.enter(traced, None, 0, Address::ZERO, true)?;
    let output = output(traced)?;
    let end = match given(traced, "error")? {
        None => NodeEnd::Success,
        Some(error) => match error.string()? {
            "execution reverted" => NodeEnd::Reverted,
            _ if !output.is_empty() => NodeEnd::Reverted,
            words => NodeEnd::Failed(bounded(words)),
        },
    };
    let changes = changes(changed, &tree.frames, fork)?;
    Ok(NodeCallEnd {
        end,
        gas_used: quantity_u64(&traced.required("gasUsed")?)?,
        output,
        logs: tree.logs,
        detail: NodeDetail::Trace {
            frames: tree.frames,
            changes,
        },
    })
}

/// A member that is there and not `null`.
fn given<'a>(node: &Node<'a>, name: &str) -> Result<Option<Node<'a>>, Refusal> {
    Ok(node.optional(name)?.filter(|member| !member.value.is_null()))
}

/// Tracers leave out what is empty.
fn output(node: &Node<'_>) -> Result<Bytes, Refusal> {
    match given(node, "output")? {
        Some(output) => hex::data(output.string()?, &output.pointer),
        None => Ok(Bytes::new()),
    }
}

/// The call tree while it is read.
struct Tree {
    call: usize,
    frames: Vec<Frame>,
    logs: Vec<Log>,
}

impl Tree {
    /// Reads a frame and those in it. `parent_caller` is what the code of the frame around it sees as its caller.
    fn enter(
        &mut self,
        node: &Node<'_>,
        parent: Option<usize>,
        depth: usize,
        parent_caller: Address,
        stands: bool,
    ) -> Result<(), Refusal> {
        if self.frames.len() >= MAX_NODE_FRAMES {
            return Err(node.refuse("too-many", format!("MAX_NODE_FRAMES is {MAX_NODE_FRAMES}")));
        }
        let frame = self.frame(node, parent, depth, parent_caller)?;
        let (index, caller, stands) = (self.frames.len(), frame.caller, stands && frame.success);
        self.frames.push(frame);
        let mut logs = match given(node, "logs")? {
            Some(logs) if stands => logs.array(MAX_NODE_LOGS, "MAX_NODE_LOGS")?,
            _ => Vec::new(),
        }
        .into_iter()
        .peekable();
        let inner = match given(node, "calls")? {
            Some(calls) => calls.array(MAX_NODE_FRAMES, "MAX_NODE_FRAMES")?,
            None => Vec::new(),
        };
        // A log's position is the number of calls made before it.
        for (made, call) in inner.iter().enumerate() {
            while let Some(entry) = logs.peek()
                && position(entry)? <= made
            {
                self.take_log(entry)?;
                logs.next();
            }
            self.enter(call, Some(index), depth + 1, caller, stands)?;
        }
        logs.try_for_each(|entry| self.take_log(&entry))
    }

    fn take_log(&mut self, node: &Node<'_>) -> Result<(), Refusal> {
        if self.logs.len() >= MAX_NODE_LOGS {
            return Err(node.refuse("too-many", format!("MAX_NODE_LOGS is {MAX_NODE_LOGS}")));
        }
        self.logs.push(log(self.call, node)?);
        Ok(())
    }

    fn frame(
        &self,
        node: &Node<'_>,
        parent: Option<usize>,
        depth: usize,
        parent_caller: Address,
    ) -> Result<Frame, Refusal> {
        let kind_node = node.required("type")?;
        let kind = FrameKind::parse(kind_node.string()?)
            .ok_or_else(|| kind_node.refuse("bad-frame", "no such kind of frame"))?;
        let success = given(node, "error")?.is_none();
        let from = address(&node.required("from")?)?;
        let to = match given(node, "to")? {
            Some(to) => address(&to)?,
            // Nothing was created.
            None if matches!(kind, FrameKind::Create | FrameKind::Create2) && !success => Address::ZERO,
            None => return Err(node.refuse("missing-member", "member `to` is missing")),
        };
        let (caller, account) = match kind {
            FrameKind::DelegateCall => (parent_caller, from),
            FrameKind::CallCode => (from, from),
            _ => (from, to),
        };
        let value = match given(node, "value")? {
            Some(value) if kind != FrameKind::DelegateCall => quantity(&value)?,
            _ => U256::ZERO,
        };
        let input_node = given(node, "input")?;
        let input = match &input_node {
            Some(input) => hex::data(input.string()?, &input.pointer)?,
            None if kind == FrameKind::SelfDestruct => Bytes::new(),
            None => return Err(node.refuse("missing-member", "member `input` is missing")),
        };
        let kept = match kind {
            FrameKind::Create | FrameKind::Create2 | FrameKind::SelfDestruct => Bytes::new(),
            _ => Bytes::copy_from_slice(input.get(..MAX_FRAME_INPUT).unwrap_or(&input)),
        };
        let (account, code) = match kind {
            FrameKind::Create | FrameKind::Create2 if !success => (Address::ZERO, Address::ZERO),
            _ => (account, to),
        };
        Ok(Frame {
            call: self.call,
            parent,
            depth,
            kind,
            caller,
            account,
            code,
            value,
            input: kept,
            input_len: input.len(),
            success,
        })
    }
}

fn position(node: &Node<'_>) -> Result<usize, Refusal> {
    let position = node.required("position")?;
    usize::try_from(quantity_u64(&position)?)
        .map_err(|_| position.refuse("bad-integer", "not below the number of calls"))
}

fn address(node: &Node<'_>) -> Result<Address, Refusal> {
    hex::address_any_case(node.string()?, &node.pointer)
}

/// One side of the prestate tracer's answer. A member that is left out is empty where the account is new or the side
/// is the earlier one, and as it was on the later one.
#[derive(Debug, Default)]
struct Side {
    balance: Option<U256>,
    nonce: Option<u64>,
    code: Option<Bytes>,
    storage: BTreeMap<U256, U256>,
}

fn changes(
    node: &Node<'_>,
    frames: &[Frame],
    fork: HardFork,
) -> Result<BTreeMap<Address, AccountChange>, Refusal> {
    let pre = sides(&node.required("pre")?)?;
    let post = sides(&node.required("post")?)?;
    let addresses: BTreeSet<Address> = pre.keys().chain(post.keys()).copied().collect();
    let mut changes = BTreeMap::new();
    for address in addresses {
        let change = match (pre.get(&address), post.get(&address)) {
            (before, Some(after)) => changed(before, after).ok_or_else(|| {
                node.refuse("missing-member", format!("no earlier balance of {address:#x}"))
            })?,
            (Some(before), None) => {
                let destroyed = frames
                    .iter()
                    .any(|frame| frame.kind == FrameKind::SelfDestruct && frame.caller == address);
                // EIP-6780: only what was created just now is destroyed, and that has no earlier side.
                if !destroyed || fork >= HardFork::Cancun {
                    let message = format!("{address:#x} has no later side, and was not destroyed");
                    return Err(node.refuse("missing-member", message));
                }
                gone(before)
            }
            (None, None) => continue,
        };
        if !change.is_none() {
            changes.insert(address, change);
        }
    }
    Ok(changes)
}

/// What changed of an account that is still there; `None` when its earlier balance is left out.
fn changed(before: Option<&Side>, after: &Side) -> Option<AccountChange> {
    let new = Side::default();
    let was = before.unwrap_or(&new);
    let balance = match (after.balance, was.balance) {
        (None, _) => None,
        (Some(after), Some(before)) => Change::between(before, after),
        (Some(after), None) if before.is_none() => Change::between(U256::ZERO, after),
        (Some(_), None) => return None,
    };
    let slots: BTreeSet<U256> = was.storage.keys().chain(after.storage.keys()).copied().collect();
    // Tracers leave out slots that are zero, and nonces and codes that accounts do not have.
    let value = |side: &Side, slot: &U256| side.storage.get(slot).copied().unwrap_or(U256::ZERO);
    let storage = slots
        .iter()
        .filter_map(|slot| Some((*slot, Change::between(value(was, slot), value(after, slot))?)));
    Some(AccountChange {
        balance,
        nonce: after
            .nonce
            .and_then(|nonce| Change::between(was.nonce.unwrap_or(0), nonce)),
        code: after
            .code
            .clone()
            .and_then(|code| Change::between(was.code.clone().unwrap_or_default(), code)),
        storage: storage.collect(),
        destroyed: false,
    })
}

/// What changed of an account that destroyed itself.
fn gone(before: &Side) -> AccountChange {
    let to_zero = |value: &U256| Change::between(*value, U256::ZERO);
    AccountChange {
        balance: before.balance.as_ref().and_then(to_zero),
        nonce: before.nonce.and_then(|nonce| Change::between(nonce, 0)),
        code: before
            .code
            .clone()
            .and_then(|code| Change::between(code, Bytes::new())),
        storage: before
            .storage
            .iter()
            .filter_map(|(slot, value)| Some((*slot, to_zero(value)?)))
            .collect(),
        destroyed: true,
    }
}

fn sides(node: &Node<'_>) -> Result<BTreeMap<Address, Side>, Refusal> {
    let mut room = MAX_NODE_CHANGES;
    let mut take = |count: usize| {
        room = room
            .checked_sub(count)
            .ok_or_else(|| node.refuse("too-many", format!("MAX_NODE_CHANGES is {MAX_NODE_CHANGES}")))?;
        Ok::<(), Refusal>(())
    };
    let mut sides = BTreeMap::new();
    for key in node.object()?.keys() {
        let account = node.required(key)?;
        take(1)?;
        let mut side = Side::default();
        if let Some(balance) = given(&account, "balance")? {
            side.balance = Some(quantity(&balance)?);
        }
        if let Some(nonce) = given(&account, "nonce")? {
            let number = nonce.value.is_number();
            side.nonce = Some(if number {
                nonce.small_integer()?
            } else {
                quantity_u64(&nonce)?
            });
        }
        if let Some(code) = given(&account, "code")? {
            side.code = Some(hex::data(code.string()?, &code.pointer)?);
        }
        if let Some(storage) = given(&account, "storage")? {
            take(storage.object()?.len())?;
            for key in storage.object()?.keys() {
                let value = storage.required(key)?;
                let slot = hex::quantity(key, &value.pointer)?;
                side.storage.insert(slot, quantity(&value)?);
            }
        }
        if sides
            .insert(hex::address_any_case(key, &account.pointer)?, side)
            .is_some()
        {
            return Err(account.refuse("duplicate-member", "the account is given twice"));
        }
    }
    Ok(sides)
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Address = Address::repeat_byte(0xaa);
    const B: Address = Address::repeat_byte(0xbb);
    const C: Address = Address::repeat_byte(0xcc);

    fn entry(address: Address, position: u64) -> Value {
        json!({ "address": address, "topics": [], "data": "0x", "position": format!("{position:#x}") })
    }

    fn tree() -> Value {
        json!({
            "type": "CALL", "from": A, "to": B, "gasUsed": "0x100", "input": "0x01020304", "value": "0x0",
            "logs": [entry(B, 0), entry(B, 2)],
            "calls": [
                { "type": "DELEGATECALL", "from": B, "to": C, "input": "0x", "gasUsed": "0x1", "logs": [entry(C, 0)] },
                { "type": "CALL", "from": B, "to": A, "input": "0x", "gasUsed": "0x1", "error": "execution reverted",
                  "logs": [entry(A, 0)] },
            ],
        })
    }

    fn diff() -> Value {
        let slot = |n: u64| format!("{n:#066x}");
        json!({
            "pre": { B.to_string(): { "balance": "0x5", "storage": { slot(1): slot(7) } } },
            "post": { B.to_string(): { "storage": { slot(2): slot(9) } }, C.to_string(): { "balance": "0x1" } },
        })
    }

    fn read_on(tree: &Value, diff: &Value) -> Result<NodeCallEnd, Refusal> {
        read(0, &Node::root(tree), &Node::root(diff), HardFork::Osaka)
    }

    #[test]
    fn a_tree_is_read_in_order_and_what_failed_says_nothing() {
        let end = read_on(&tree(), &diff()).unwrap();
        let NodeDetail::Trace { frames, changes } = end.detail else {
            panic!("a trace");
        };
        let emitters: Vec<Address> = end.logs.iter().map(|log| log.address).collect();
        assert_eq!(emitters, [B, C, B]);
        let shape: Vec<_> = frames
            .iter()
            .map(|f| (f.depth, f.caller, f.account, f.code, f.success))
            .collect();
        assert_eq!(
            shape,
            [(0, A, B, B, true), (1, A, B, C, true), (1, B, A, A, false)]
        );
        let change = |before: u64, after: u64| Change {
            before: U256::from(before),
            after: U256::from(after),
        };
        assert_eq!(
            changes[&B].storage,
            BTreeMap::from([(U256::ONE, change(7, 0)), (U256::from(2), change(0, 9))])
        );
        assert_eq!(changes[&B].balance, None);
        assert_eq!(changes[&C].balance, Some(change(0, 1)));
    }

    #[test]
    fn what_is_left_out_is_refused() {
        let trees: [(&str, Value); 7] = [
            ("/type", json!("JUMP")),
            ("/from", Value::Null),
            ("/to", Value::Null),
            ("/input", Value::Null),
            ("/gasUsed", json!(7)),
            ("/logs/0/position", Value::Null),
            ("/calls", json!("none")),
        ];
        for (place, value) in trees {
            let mut tree = tree();
            *tree.pointer_mut(place).unwrap() = value;
            assert!(read_on(&tree, &diff()).is_err(), "{place}");
        }
        let account = format!("/pre/{B}");
        let diffs: [(&str, Value); 4] = [
            ("/pre", Value::Null),
            ("/post", json!([])),
            // An account that is said to change and has no balance before.
            ("/post", json!({ B.to_string(): { "balance": "0x1" } })),
            // One that is gone and did not destroy itself.
            ("/post", json!({})),
        ];
        for (place, value) in diffs {
            let mut diff = diff();
            diff.pointer_mut(&account)
                .unwrap()
                .as_object_mut()
                .unwrap()
                .remove("balance");
            *diff.pointer_mut(place).unwrap() = value;
            assert!(read_on(&tree(), &diff).is_err(), "{place}");
        }
    }

    #[test]
    fn later_calls_find_what_earlier_ones_left() {
        let end = read_on(&tree(), &diff()).unwrap();
        let NodeDetail::Trace { changes, .. } = end.detail else {
            panic!("a trace");
        };
        let mut overrides = Overrides::default();
        overrides.add(&changes);
        let slot = |n: u64| format!("{n:#066x}");
        assert_eq!(
            overrides.to_json(),
            json!({
                format!("{B:#x}"): { "stateDiff": { slot(1): slot(0), slot(2): slot(9) } },
                format!("{C:#x}"): { "balance": "0x1" },
            })
        );
    }
}
