//! The finding kinds that rules can name: those of ERC-8481 and Presight's own, as members of the entities they are about.

use super::types::{Record, Type};
use presight_wire::kinds::Group;

/// A position in [`KINDS`].
pub(crate) type KindIndex = u8;

/// One kind as rules see it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind {
    /// Its name on the wire.
    pub(crate) name: &'static str,
    /// The entities it is about.
    pub(crate) group: Group,
    /// Its name as a member of them.
    pub(crate) member: &'static str,
    /// How its findings are reached.
    pub(crate) shape: Shape,
    /// What a report that has no finding of the kind about an entity says.
    pub(crate) absent: Absent,
}

/// How the findings of a kind about one entity are reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// There is one: the member is its value.
    One(Value),
    /// There may be several, told apart by `param`: the member is the list of them.
    Many(Value),
}

/// What the value of a kind is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Value {
    Bool,
    Integer,
    Text,
    Json,
}

/// What a missing finding means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Absent {
    /// Not read (ERC-8481 §Report: a core kind missing for a listed entity).
    NotRead,
    /// There is nothing to say: the kind is listed only where it applies.
    Nothing,
    /// There is nothing to say when the simulation was read, or when there are no calls to simulate; otherwise not read.
    NothingIfSimulated,
}

impl Value {
    pub(crate) fn type_of(self) -> Type {
        match self {
            Self::Bool => Type::Bool,
            Self::Integer => Type::Integer,
            Self::Text => Type::Text,
            Self::Json => Type::Json,
        }
    }
}

impl Kind {
    /// The type of the member.
    pub(crate) fn type_of(&self, index: KindIndex) -> Type {
        match self.shape {
            Shape::One(value) => value.type_of(),
            Shape::Many(_) => Type::list(Type::Record(Record::Entry(index))),
        }
    }
}

const fn one(group: Group, name: &'static str, member: &'static str, value: Value) -> Kind {
    Kind {
        name,
        group,
        member,
        shape: Shape::One(value),
        absent: Absent::NotRead,
    }
}

const fn many(group: Group, name: &'static str, member: &'static str, value: Value, absent: Absent) -> Kind {
    Kind {
        name,
        group,
        member,
        shape: Shape::Many(value),
        absent,
    }
}

/// A kind about what the calls do when they are simulated.
const fn effects(group: Group, name: &'static str, member: &'static str) -> Kind {
    many(group, name, member, Value::Json, Absent::NothingIfSimulated)
}

/// A kind of Presight's own about a payment.
const fn payment(name: &'static str, member: &'static str) -> Kind {
    many(Payment, name, member, Value::Json, Nothing)
}

/// The kind that says that the simulation was read.
pub(crate) const SIMULATION: &str = "presight.effects.batch";

use Absent::{NotRead, Nothing};
use Group::{Address, Approval, Payment, Text, Token};

/// Every kind that rules can name, in the order of the reports.
pub(crate) const KINDS: &[Kind] = &[
    many(
        Token,
        "erc.presign.token.observation",
        "observation",
        Value::Json,
        NotRead,
    ),
    many(
        Token,
        "erc.presign.token.issuer-listing",
        "issuer_listing",
        Value::Text,
        NotRead,
    ),
    many(
        Token,
        "erc.presign.token.oracle-deviation",
        "oracle_deviation",
        Value::Json,
        NotRead,
    ),
    one(Approval, "erc.presign.approval.amount", "amount", Value::Json),
    one(
        Approval,
        "erc.presign.approval.unlimited",
        "unlimited",
        Value::Bool,
    ),
    one(
        Approval,
        "erc.presign.approval.share-of-supply",
        "share_of_supply",
        Value::Integer,
    ),
    one(Approval, "erc.presign.approval.expiry", "expiry", Value::Json),
    one(
        Approval,
        "erc.presign.approval.current-allowance",
        "current_allowance",
        Value::Json,
    ),
    one(Address, "erc.presign.address.code", "code", Value::Text),
    one(
        Address,
        "erc.presign.address.delegate-single-caller",
        "delegate_single_caller",
        Value::Bool,
    ),
    one(
        Address,
        "erc.presign.address.delegate-unbounded-outflow",
        "delegate_unbounded_outflow",
        Value::Bool,
    ),
    many(
        Address,
        "erc.presign.address.delegate-authorizations",
        "delegate_authorizations",
        Value::Json,
        NotRead,
    ),
    one(
        Address,
        "erc.presign.address.delegation",
        "delegation",
        Value::Json,
    ),
    one(
        Address,
        "erc.presign.address.first-seen-block",
        "first_seen_block",
        Value::Integer,
    ),
    many(
        Address,
        "erc.presign.address.source-verified",
        "source_verified",
        Value::Text,
        NotRead,
    ),
    one(
        Address,
        "erc.presign.address.prior-transfers",
        "prior_transfers",
        Value::Integer,
    ),
    many(
        Address,
        "erc.presign.address.lookalike",
        "lookalike",
        Value::Json,
        NotRead,
    ),
    many(
        Address,
        "erc.presign.address.on-list",
        "on_list",
        Value::Bool,
        NotRead,
    ),
    many(
        Payment,
        "erc.presign.payment.match",
        "match",
        Value::Json,
        Nothing,
    ),
    many(
        Payment,
        "erc.presign.payment.payee-binding",
        "payee_binding",
        Value::Text,
        Nothing,
    ),
    one(
        Text,
        "erc.presign.text.control-chars",
        "control_chars",
        Value::Integer,
    ),
    one(Text, "erc.presign.text.mixed-script", "mixed_script", Value::Bool),
    one(Text, "erc.presign.text.addresses", "addresses", Value::Json),
    many(
        Text,
        "erc.presign.text.pattern-match",
        "pattern_match",
        Value::Json,
        NotRead,
    ),
    many(Approval, "presight.approval.item", "item", Value::Json, Nothing),
    one(
        Approval,
        "presight.approval.owner-balance",
        "owner_balance",
        Value::Integer,
    ),
    many(
        Approval,
        "presight.approval.keeper",
        "keeper",
        Value::Json,
        Nothing,
    ),
    many(
        Address,
        "presight.permit2.transfer",
        "permit2_transfer",
        Value::Json,
        Nothing,
    ),
    many(
        Address,
        "presight.permit.other-owner",
        "permit_other_owner",
        Value::Json,
        Nothing,
    ),
    many(Approval, "presight.approval.flags", "flags", Value::Json, Nothing),
    many(Address, "presight.address.flags", "flags", Value::Json, Nothing),
    many(
        Address,
        "presight.address.never-seen",
        "never_seen",
        Value::Bool,
        Nothing,
    ),
    effects(
        Token,
        "presight.effects.balance-changes",
        "effects_balance_changes",
    ),
    effects(Token, "presight.effects.recipients", "effects_recipients"),
    effects(
        Token,
        "presight.effects.allowances-after",
        "effects_allowances_after",
    ),
    effects(
        Token,
        "presight.effects.operator-changes",
        "effects_operator_changes",
    ),
    effects(
        Token,
        "presight.effects.hidden-approvals",
        "effects_hidden_approvals",
    ),
    effects(Token, "presight.effects.claimed", "effects_claimed"),
    effects(
        Approval,
        "presight.effects.allowance-after",
        "effects_allowance_after",
    ),
    effects(Address, SIMULATION, "effects_batch"),
    effects(Address, "presight.effects.outcome", "effects_outcome"),
    effects(
        Address,
        "presight.effects.native-changes",
        "effects_native_changes",
    ),
    effects(
        Address,
        "presight.effects.control-changes",
        "effects_control_changes",
    ),
    effects(Address, "presight.effects.code-changes", "effects_code_changes"),
    effects(Address, "presight.effects.unattributed", "effects_unattributed"),
    effects(Address, "presight.effects.depends-on", "effects_depends_on"),
    effects(Address, "presight.effects.coverage", "effects_coverage"),
    payment("presight.payment.route", "route"),
    payment("presight.x402.scheme", "x402_scheme"),
    payment("presight.x402.network", "x402_network"),
    payment("presight.x402.asset", "x402_asset"),
    payment("presight.x402.amount", "x402_amount"),
    payment("presight.x402.pay-to", "x402_pay_to"),
    payment("presight.x402.validity", "x402_validity"),
    payment("presight.x402.domain", "x402_domain"),
    payment("presight.x402.token-domain", "x402_token_domain"),
    payment("presight.x402.resource", "x402_resource"),
    payment("presight.mandate.digest", "mandate_digest"),
    payment("presight.mandate.signature", "mandate_signature"),
    payment("presight.mandate.payer", "mandate_payer"),
    payment("presight.mandate.asset", "mandate_asset"),
    payment("presight.mandate.recipients", "mandate_recipients"),
    payment("presight.mandate.limits", "mandate_limits"),
    payment("presight.mandate.expiry", "mandate_expiry"),
    payment("presight.mandate.binding", "mandate_binding"),
];

/// The kind with this index. An index is only made by looking a kind up.
pub(crate) fn kind(index: KindIndex) -> &'static Kind {
    &KINDS[usize::from(index)]
}

/// The kind with this name.
pub(crate) fn by_name(name: &str) -> Option<KindIndex> {
    position(|kind| kind.name == name)
}

/// The kind that is this member of entities of a group.
pub(crate) fn by_member(group: Group, member: &str) -> Option<KindIndex> {
    position(|kind| kind.group == group && kind.member == member)
}

fn position(is: impl Fn(&Kind) -> bool) -> Option<KindIndex> {
    let index = KINDS.iter().position(is)?;
    KindIndex::try_from(index).ok()
}

/// The members that are kinds about entities of a group.
pub(crate) fn members(group: Group) -> impl Iterator<Item = &'static str> {
    KINDS
        .iter()
        .filter(move |kind| kind.group == group)
        .map(|kind| kind.member)
}
