//! What the calls or the typed data move and grant, by their bytes.

use super::functions::{Function, Use, Uses};
use super::{exchange, revocations};
use crate::envelope::content::{DecodedContent, Signer};
use alloy_primitives::{Address, U256};
use presight_decode::{Amount, CallNode, Decoded, Grant, Operation, Transfer};
use presight_wire::envelope::{Decimal, Token, TokenMovement};
use presight_wire::hex;
use presight_wire::report::{Approval, Form};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt;

/// What happens to the token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// It changes hands.
    Transfer,
    /// Someone may take it.
    Grant,
    /// A Safe pays for gas. The amount is known when the gas is used.
    Refund,
    /// A signature lets someone take it once: a transfer and a grant, in the words of a producer.
    OneTransfer,
    /// Someone may no longer take it.
    Revocation,
    /// Someone may take less of it. What is left is on chain.
    Reduction,
}

/// How much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Units {
    /// Everything, now and later.
    All,
    /// Not more than this.
    AtMost(U256),
    /// Not less than this.
    AtLeast(U256),
    /// This much. Where the bytes name no item of a contract, it may be one (ERC-721).
    Exactly {
        value: U256,
        /// The maximum of a grant's type.
        max: Option<U256>,
    },
    /// The bytes do not say.
    Unsaid,
}

/// What of a movement the bytes do not say; its member is then the nearest that they name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Unsaid {
    pub(super) token: bool,
    pub(super) from: bool,
    pub(super) to: bool,
}

/// One movement or grant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Moved {
    pub(super) class: Class,
    pub(super) function: Function,
    pub(super) token: Token,
    pub(super) from: Address,
    pub(super) to: Address,
    /// Who gets it, where the one it is granted to is bound to pass it on.
    pub(super) receiver: Option<Address>,
    pub(super) units: Units,
    pub(super) item: Option<U256>,
    /// Whether it is up to a contract that only says to be Permit2 (I-38).
    pub(super) foreign: bool,
    pub(super) unsaid: Unsaid,
    /// Whether an exchange pays it to the one who calls it.
    pub(super) is_returned: bool,
    /// Who signs.
    pub(super) signer: Signer,
    /// Pointer to the call or the message.
    pub(super) path: String,
}

impl Units {
    /// Whether they have only a bound for the amount, and this is not it.
    pub(super) fn is_other_than(self, amount: &Decimal) -> bool {
        match self {
            Self::AtMost(bound) | Self::AtLeast(bound) => amount.to_u256() != Some(bound),
            Self::All | Self::Exactly { .. } | Self::Unsaid => false,
        }
    }

    /// The amount that the bytes name.
    pub(super) fn value(self) -> Option<U256> {
        match self {
            Self::Exactly { value, .. } => Some(value),
            Self::All | Self::AtMost(_) | Self::AtLeast(_) | Self::Unsaid => None,
        }
    }
}

impl Moved {
    /// Whether the grant has no bound.
    pub(super) fn is_unlimited(&self) -> bool {
        match self.units {
            Units::All => true,
            Units::Exactly { value, max } => Some(value) == max,
            Units::AtMost(_) | Units::AtLeast(_) | Units::Unsaid => false,
        }
    }

    /// Whether a signer that the envelope does not name is a party to it.
    pub(super) fn is_of_unnamed(&self) -> bool {
        self.signer.is_unnamed(self.from) || self.signer.is_unnamed(self.to)
    }

    /// Whether it takes a right away, or gives none. For nobody an item is approved to take its approval away.
    pub(super) fn is_revocation(&self) -> bool {
        let nothing = self.is_of_nothing() || (self.function == Function::Item && self.to.is_zero());
        matches!(self.class, Class::Revocation | Class::Reduction) || (self.class == Class::Grant && nothing)
    }

    /// Whether it grants, or moves something as far as the bytes say.
    pub(super) fn is_any(&self) -> bool {
        self.class == Class::Grant || !self.is_of_nothing() || self.may_be_item_zero()
    }

    /// Whether its amount is zero.
    pub(super) fn is_of_nothing(&self) -> bool {
        self.units.value().is_some_and(|value| value.is_zero())
    }

    /// Whether it moves or grants nothing, or else item 0 of an ERC-721: the bytes do not say which.
    pub(super) fn may_be_item_zero(&self) -> bool {
        let is_revocation = self.class == Class::Grant && self.to.is_zero();
        self.function == Function::AmountOrItem && self.is_of_nothing() && !is_revocation
    }

    /// Whether a signer has to be told of it: of what goes, and of what comes to another account.
    pub(super) fn has_to_be_said(&self) -> bool {
        !self.is_returned && (!self.is_revocation() || self.may_be_item_zero())
    }

    /// How many members of the claim stand where the bytes do not say what they are.
    pub(super) fn unsaid_of(&self, claim: &TokenMovement) -> usize {
        [
            self.unsaid.token && claim.token != self.token,
            self.unsaid.from && claim.from != self.from,
            self.unsaid.to && claim.to != self.to,
        ]
        .into_iter()
        .filter(|unsaid| *unsaid)
        .count()
    }

    /// The same, of a token that is known to be an ERC-721, or none.
    pub(super) fn of_standard(self, is_erc721: bool) -> Self {
        match (self.function, self.units) {
            (Function::AmountOrItem, Units::Exactly { value, .. }) if is_erc721 => Self {
                function: Function::Item,
                units: exactly(U256::ONE),
                item: Some(value),
                ..self
            },
            (Function::AmountOrItem, _) => Self {
                function: Function::Amount,
                ..self
            },
            _ => self,
        }
    }
}

impl fmt::Display for Moved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (verb, preposition) = match self.class {
            Class::Transfer => ("transfer", "to"),
            Class::Refund => ("refund for gas", "to"),
            Class::Grant => ("grant", "to"),
            Class::OneTransfer => ("one transfer", "by"),
            Class::Revocation => ("revocation", "of"),
            Class::Reduction => ("reduction", "of"),
        };
        write!(f, "{verb} of ")?;
        match self.units {
            Units::All => f.write_str("everything")?,
            Units::Exactly { .. } if self.may_be_item_zero() => f.write_str("nothing, or of item 0,")?,
            Units::AtMost(bound) => write!(f, "at most {bound}")?,
            Units::AtLeast(bound) => write!(f, "at least {bound}")?,
            Units::Exactly { .. } if self.is_unlimited() => f.write_str("an unlimited amount")?,
            Units::Exactly { value, .. } => write!(f, "{value}")?,
            Units::Unsaid => f.write_str("any amount")?,
        }
        match self.token {
            _ if self.unsaid.token => f.write_str(" of a token that is not named")?,
            Token::Native => f.write_str(" wei")?,
            Token::Contract(token) => write!(f, " of {token:#x}")?,
        }
        if let Some(item) = self.item {
            write!(f, " (item {item})")?;
        }
        let account = |address: Address| match self.signer.is_unnamed(address) {
            true => "the signer".to_owned(),
            false if self.class == Class::Refund && address.is_zero() => "whoever sends it".to_owned(),
            false => format!("{address:#x}"),
        };
        write!(
            f,
            " from {} {preposition} {}",
            account(self.from),
            account(self.to)
        )
    }
}

/// The decoder's code.
const NON_CANONICAL_PERMIT2: &str = "non-canonical-permit2";

/// The calls, and the message as `None`, that hold a contract that is not the canonical Permit2 as if it were.
pub(super) fn foreign(decoded: &Decoded) -> BTreeSet<Option<usize>> {
    fn has_flag(node: &CallNode) -> bool {
        node.flags.contains(&NON_CANONICAL_PERMIT2) || node.inner.iter().any(has_flag)
    }
    let calls = decoded
        .calls
        .iter()
        .enumerate()
        .filter(|(_, node)| has_flag(node));
    let mut foreign: BTreeSet<_> = calls.map(|(index, _)| Some(index)).collect();
    if decoded.typed_data.is_some()
        && decoded
            .flags
            .iter()
            .any(|flag| flag.code == NON_CANONICAL_PERMIT2)
    {
        foreign.insert(None);
    }
    foreign
}

/// Lists them, in the order in which the decoder does, those of an amount of zero included.
pub(super) fn of(content: &DecodedContent) -> Vec<Moved> {
    let decoded = &content.decoded;
    let signer = content.signer;
    let uses = uses(decoded);
    let foreign = foreign(decoded);
    let transfers = decoded.transfers.iter().map(|transfer| Moved {
        // By a signature: ERC-3009, and what a message lets be executed.
        class: match transfer.call_index {
            Some(_) => Class::Transfer,
            None => Class::OneTransfer,
        },
        function: match (is_used(&uses, transferred(transfer)), transfer.token_id) {
            (true, Some(_)) => Function::Item,
            (false, Some(_)) => Function::Items,
            (true, None) => Function::AmountOrItem,
            (false, None) => Function::Amount,
        },
        token: transfer.token.map_or(Token::Native, Token::Contract),
        from: transfer.from,
        to: transfer.to,
        receiver: None,
        units: exactly(transfer.amount),
        item: transfer.token_id,
        foreign: foreign.contains(&transfer.call_index),
        unsaid: Unsaid::default(),
        is_returned: false,
        signer,
        path: place(transfer.call_index),
    });
    let permits = decoded.transfer_permits.iter().map(|permit| Moved {
        class: Class::OneTransfer,
        function: Function::Amount,
        token: Token::Contract(permit.token),
        from: signer.address(),
        to: permit.spender,
        receiver: permit.witness_to,
        units: Units::Exactly {
            value: permit.amount,
            max: Some(U256::MAX),
        },
        item: None,
        foreign: foreign.contains(&None),
        unsaid: Unsaid::default(),
        is_returned: false,
        signer,
        path: place(None),
    });
    let foreign_permits = decoded.foreign_permits.iter().map(|permit| Moved {
        class: Class::Grant,
        function: Function::Amount,
        token: Token::Contract(permit.token),
        from: permit.owner,
        to: permit.spender,
        receiver: None,
        units: granted(permit.grant.amount),
        item: None,
        foreign: foreign.contains(&permit.call_index),
        unsaid: Unsaid::default(),
        is_returned: false,
        signer,
        path: place(permit.call_index),
    });
    let refunds = decoded.refunds.iter().map(|refund| Moved {
        class: Class::Refund,
        function: Function::Amount,
        token: refund.token.map_or(Token::Native, Token::Contract),
        from: refund.from,
        to: refund.to.unwrap_or(Address::ZERO),
        receiver: None,
        units: Units::Unsaid,
        item: None,
        foreign: false,
        unsaid: Unsaid::default(),
        is_returned: false,
        signer,
        path: place(refund.call_index),
    });
    transfers
        .chain(refunds)
        .chain(grants(content, &uses, &foreign))
        .chain(permits)
        .chain(foreign_permits)
        .chain(revocations::of(content, &foreign))
        .chain(exchange::of(content))
        .collect()
}

fn grants<'d>(
    content: &'d DecodedContent,
    uses: &'d Uses,
    foreign: &'d BTreeSet<Option<usize>>,
) -> impl Iterator<Item = Moved> + 'd {
    let decoded = &content.decoded;
    let signer = content.signer;
    let approvals = decoded.entities.approvals.iter().zip(&decoded.grants);
    approvals.map(move |(approval, grant)| Moved {
        class: Class::Grant,
        function: match grant.form {
            Form::ApprovalForAll => Function::Operator,
            Form::Erc20Increase => Function::AddedAmount,
            Form::Erc20Approve if is_used(uses, approved(approval, grant)) => Function::AmountOrItem,
            _ => Function::Amount,
        },
        token: Token::Contract(approval.token.address),
        from: grant.owner,
        to: approval.spender.address,
        receiver: None,
        units: granted(grant.amount),
        item: None,
        foreign: foreign.contains(&approval.call_index),
        unsaid: Unsaid::default(),
        is_returned: false,
        signer,
        path: place(approval.call_index),
    })
}

fn uses(decoded: &Decoded) -> Uses {
    let approvals = decoded.entities.approvals.iter().zip(&decoded.grants);
    let approvals = approvals.filter_map(|(approval, grant)| approved(approval, grant));
    let transfers = decoded.transfers.iter().filter_map(transferred);
    Uses::of(decoded, transfers.chain(approvals))
}

/// Of those of zero, one that ERC-721's function makes counts for all that look like it.
fn is_used(uses: &Uses, movement: Option<Use>) -> bool {
    movement.is_some_and(|movement| match movement.value.is_zero() && !movement.is_item {
        true => uses.has(&movement),
        false => uses.hold(&movement),
    })
}

/// The transfer as an ERC-721's function would make it.
fn transferred(transfer: &Transfer) -> Option<Use> {
    Some(Use {
        call: transfer.call_index,
        token: transfer.token?,
        from: Some(transfer.from),
        to: transfer.to,
        value: transfer.token_id.unwrap_or(transfer.amount),
        is_item: transfer.token_id.is_some(),
    })
}

/// The grant as `approve` would make it.
fn approved(approval: &Approval, grant: &Grant) -> Option<Use> {
    match (grant.form, grant.amount) {
        (Form::Erc20Approve, Amount::Units { value, .. }) => Some(Use {
            call: approval.call_index,
            token: approval.token.address,
            from: None,
            to: approval.spender.address,
            value,
            is_item: false,
        }),
        _ => None,
    }
}

fn exactly(value: U256) -> Units {
    Units::Exactly { value, max: None }
}

fn granted(amount: Amount) -> Units {
    match amount {
        Amount::All => Units::All,
        Amount::Units { value, max } => Units::Exactly {
            value,
            max: Some(max),
        },
    }
}

pub(super) fn place(call: Option<usize>) -> String {
    call.map_or_else(
        || "/content/message".to_owned(),
        |index| format!("/content/calls/{index}"),
    )
}

/// The name of an understood call's function, run as an ordinary call.
pub(super) fn function(node: &CallNode) -> Option<&'static str> {
    let signature = node.signature.filter(|_| node.operation == Operation::Call)?;
    signature.split_once('(').map(|(name, _)| name)
}

pub(super) fn argument<'n>(node: &'n CallNode, name: &str) -> Option<&'n Value> {
    node.args.iter().find(|(n, _)| *n == name).map(|(_, value)| value)
}

pub(super) fn address(value: Option<&Value>) -> Option<Address> {
    hex::address_any_case(value?.as_str()?, "").ok()
}
