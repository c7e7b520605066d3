//! Which token standards have the function that a movement is made by.

use super::moved::{address, argument};
use alloy_primitives::{Address, U256};
use presight_decode::{CallNode, Decoded};
use presight_wire::envelope::Standard;
use serde_json::Value;
use std::collections::BTreeMap;

/// What a function's arguments name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    /// An amount: a function of ERC-20, its extensions, Permit2 or the native asset.
    Amount,
    /// An amount to be added to an allowance.
    AddedAmount,
    /// An amount of an ERC-20 or an item of an ERC-721: `approve`, `transferFrom`.
    AmountOrItem,
    /// An item of an ERC-721: its `safeTransferFrom`.
    Item,
    /// Some of an ERC-1155 item.
    Items,
    /// Whoever may take everything of an ERC-721 or ERC-1155: `setApprovalForAll`.
    Operator,
}

impl Function {
    /// Whether a contract of the standard has it.
    pub(super) fn is_of(self, standard: Standard) -> bool {
        match standard {
            Standard::Native => false,
            Standard::Erc20 => matches!(self, Self::Amount | Self::AddedAmount | Self::AmountOrItem),
            Standard::Erc721 => matches!(self, Self::AmountOrItem | Self::Item | Self::Operator),
            Standard::Erc1155 => matches!(self, Self::Items | Self::Operator),
        }
    }
}

/// A movement as a function that ERC-721 has would make it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Use {
    /// Index of the outer call; `None` for a message.
    pub(super) call: Option<usize>,
    pub(super) token: Address,
    /// Absent for `approve`.
    pub(super) from: Option<Address>,
    pub(super) to: Address,
    /// The argument: an amount or an item.
    pub(super) value: U256,
    /// Whether the bytes say that it is an item.
    pub(super) is_item: bool,
}

/// The calls of ERC-721's functions, and the movements like them. A movement that other functions may have made too
/// is not taken for an ERC-721's.
#[derive(Debug, Default)]
pub(super) struct Uses(BTreeMap<Use, Counts>);

#[derive(Debug, Default)]
struct Counts {
    calls: usize,
    movements: usize,
}

impl Uses {
    /// Of all calls, those inside others included, against these movements.
    pub(super) fn of(decoded: &Decoded, movements: impl Iterator<Item = Use>) -> Self {
        let mut uses = Self::default();
        for (index, node) in decoded.calls.iter().enumerate() {
            uses.add(Some(index), node);
        }
        for node in decoded.typed_data.iter().flat_map(|typed| &typed.inner) {
            uses.add(None, node);
        }
        for movement in movements {
            uses.0.entry(movement).or_default().movements += 1;
        }
        uses
    }

    /// Whether each movement like this one is made by an ERC-721's function.
    pub(super) fn hold(&self, movement: &Use) -> bool {
        self.0
            .get(movement)
            .is_some_and(|counts| counts.calls >= counts.movements)
    }

    /// Whether a movement like this one is made by an ERC-721's function.
    pub(super) fn has(&self, movement: &Use) -> bool {
        self.0.get(movement).is_some_and(|counts| counts.calls > 0)
    }

    fn add(&mut self, call: Option<usize>, node: &CallNode) {
        if let Some(found) = of_node(call, node) {
            self.0.entry(found).or_default().calls += 1;
        }
        for inner in &node.inner {
            self.add(call, inner);
        }
    }
}

fn of_node(call: Option<usize>, node: &CallNode) -> Option<Use> {
    let (from, to, value, is_item) = match node.signature? {
        "approve(address,uint256)" => (None, "spender", "amount", false),
        "transferFrom(address,address,uint256)" => (Some("from"), "to", "amount", false),
        "safeTransferFrom(address,address,uint256)" | "safeTransferFrom(address,address,uint256,bytes)" => {
            (Some("from"), "to", "tokenId", true)
        }
        _ => return None,
    };
    let named = |name| address(argument(node, name));
    let value = argument(node, value).and_then(Value::as_str)?;
    Some(Use {
        call,
        token: node.to,
        from: match from {
            Some(name) => Some(named(name)?),
            None => None,
        },
        to: named(to)?,
        value: U256::from_str_radix(value, 10).ok()?,
        is_item,
    })
}
