//! What exchanges take from their caller and pay out, by the bytes of the calls: Uniswap's Universal Router and the
//! routers of V2 and V3. A pool is not named in them, nor what a trade gives beyond its bounds.

mod path;
mod permit;
mod routers;
mod universal;
mod v4;

use super::functions::Function;
use super::moved::{Class, Moved, Units, Unsaid, place};
use crate::envelope::content::{DecodedContent, Signer};
use alloy_primitives::{Address, U256};
use presight_decode::{CallNode, Operation};
use presight_wire::envelope::Token;

/// One payment of an exchange.
#[derive(Debug, Clone, Copy)]
struct Flow {
    class: Class,
    function: Function,
    /// Absent where the bytes do not name it.
    token: Option<Token>,
    from: Party,
    to: Party,
    units: Units,
    item: Option<U256>,
}

/// Who pays or is paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Party {
    /// Who calls the exchange.
    Caller,
    /// The contract that is called.
    Router,
    /// Some contract of the exchange: the bytes do not name it.
    Pools,
    /// Somebody on chain that the bytes do not name.
    Owner,
    /// This account.
    Account(Address),
}

impl Flow {
    /// Somebody pays the exchange.
    fn pulled(token: Option<Token>, from: Party, units: Units) -> Self {
        Self {
            class: Class::Transfer,
            function: Function::Amount,
            token,
            from,
            to: Party::Pools,
            units,
            item: None,
        }
    }

    /// The exchange pays somebody.
    fn paid(token: Option<Token>, from: Party, to: Party, units: Units) -> Self {
        Self {
            from,
            to,
            ..Self::pulled(token, from, units)
        }
    }

    /// Whether something reaches another account or leaves this one.
    fn is_any(&self) -> bool {
        let nothing = matches!(self.units, Units::AtMost(bound) if bound.is_zero())
            || matches!(self.units, Units::Exactly { value, .. } if value.is_zero());
        !nothing && self.to != Party::Router && !(self.from == Party::Caller && self.to == Party::Caller)
    }
}

/// The zero address stands for the native asset.
fn currency(token: Address) -> Token {
    if token.is_zero() {
        Token::Native
    } else {
        Token::Contract(token)
    }
}

/// Lists the payments of all calls, those inside others included.
pub(super) fn of(content: &DecodedContent) -> Vec<Moved> {
    let mut found = Vec::new();
    for (index, node) in content.decoded.calls.iter().enumerate() {
        look(node, Some(index), content.signer, &mut found);
    }
    for node in content.decoded.typed_data.iter().flat_map(|typed| &typed.inner) {
        look(node, None, content.signer, &mut found);
    }
    found
}

/// Whether a call that the decoder does not understand in full is of an exchange and read here.
pub(crate) fn is_read(node: &CallNode) -> bool {
    if !node.commands.is_empty() {
        return node.flags.is_empty() && node.commands.iter().all(universal::is_read);
    }
    routers::flows(node).is_some() || permit::flows(node).is_some()
}

fn look(node: &CallNode, call: Option<usize>, signer: Signer, found: &mut Vec<Moved>) {
    if node.operation == Operation::Call {
        let mut flows = universal::flows(&node.commands);
        if node.opaque && node.commands.is_empty() {
            flows.extend(
                routers::flows(node)
                    .or_else(|| permit::flows(node))
                    .into_iter()
                    .flatten(),
            );
        }
        found.extend(
            flows
                .iter()
                .filter(|flow| flow.is_any())
                .map(|flow| moved(flow, node, call, signer)),
        );
    }
    for inner in &node.inner {
        look(inner, call, signer, found);
    }
}

fn moved(flow: &Flow, node: &CallNode, call: Option<usize>, signer: Signer) -> Moved {
    let account = |party: Party| match party {
        Party::Caller | Party::Owner => node.caller,
        Party::Router | Party::Pools => node.to,
        Party::Account(account) => account,
    };
    let is_unsaid = |party: Party| matches!(party, Party::Pools | Party::Owner);
    let to = account(flow.to);
    Moved {
        class: match (flow.class, call) {
            (Class::Transfer, None) => Class::OneTransfer,
            (class, _) => class,
        },
        function: flow.function,
        token: flow.token.unwrap_or(Token::Native),
        from: account(flow.from),
        to,
        receiver: None,
        units: flow.units,
        item: flow.item,
        foreign: false,
        unsaid: Unsaid {
            token: flow.token.is_none(),
            from: is_unsaid(flow.from),
            to: is_unsaid(flow.to),
        },
        is_returned: flow.class == Class::Transfer && to == node.caller,
        signer,
        path: place(call),
    }
}
