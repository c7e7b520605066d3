//! The core finding kinds of ERC-8481 in the order of its text, and what they apply to.

/// The kinds of entity a finding can be about (ERC-8481 §Report, `Finding.entity`), in report order (I-9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// `{ token }`.
    Token,
    /// `{ approval }`.
    Approval,
    /// `{ address, role }`.
    Address,
    /// `{ payment: true }`.
    Payment,
    /// `{ text }`.
    Text,
}

/// When a core kind must be present for a listed entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applies {
    /// For every entity of the group.
    Always,
    /// Only where another fact says so (code present, delegated, not an approval for all, pair can be formed).
    Depends,
}

/// One core kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CoreKind {
    /// The kind's name on the wire.
    pub name: &'static str,
    /// The entities it is about.
    pub group: Group,
    /// Whether it must be present for each of them.
    pub applies: Applies,
}

const fn kind(name: &'static str, group: Group, applies: Applies) -> CoreKind {
    CoreKind { name, group, applies }
}

/// Every core kind, in the order of the specification.
pub const CORE: [CoreKind; 24] = [
    kind("erc.presign.token.observation", Group::Token, Applies::Always),
    kind("erc.presign.token.issuer-listing", Group::Token, Applies::Always),
    kind(
        "erc.presign.token.oracle-deviation",
        Group::Token,
        Applies::Always,
    ),
    kind("erc.presign.approval.amount", Group::Approval, Applies::Always),
    kind("erc.presign.approval.unlimited", Group::Approval, Applies::Always),
    kind(
        "erc.presign.approval.share-of-supply",
        Group::Approval,
        Applies::Depends,
    ),
    kind("erc.presign.approval.expiry", Group::Approval, Applies::Always),
    kind(
        "erc.presign.approval.current-allowance",
        Group::Approval,
        Applies::Always,
    ),
    kind("erc.presign.address.code", Group::Address, Applies::Always),
    kind(
        "erc.presign.address.delegate-single-caller",
        Group::Address,
        Applies::Depends,
    ),
    kind(
        "erc.presign.address.delegate-unbounded-outflow",
        Group::Address,
        Applies::Depends,
    ),
    kind(
        "erc.presign.address.delegate-authorizations",
        Group::Address,
        Applies::Depends,
    ),
    kind("erc.presign.address.delegation", Group::Address, Applies::Depends),
    kind(
        "erc.presign.address.first-seen-block",
        Group::Address,
        Applies::Always,
    ),
    kind(
        "erc.presign.address.source-verified",
        Group::Address,
        Applies::Depends,
    ),
    kind(
        "erc.presign.address.prior-transfers",
        Group::Address,
        Applies::Always,
    ),
    kind("erc.presign.address.lookalike", Group::Address, Applies::Always),
    kind("erc.presign.address.on-list", Group::Address, Applies::Always),
    kind("erc.presign.payment.match", Group::Payment, Applies::Depends),
    kind(
        "erc.presign.payment.payee-binding",
        Group::Payment,
        Applies::Depends,
    ),
    kind("erc.presign.text.control-chars", Group::Text, Applies::Always),
    kind("erc.presign.text.mixed-script", Group::Text, Applies::Always),
    kind("erc.presign.text.addresses", Group::Text, Applies::Always),
    kind("erc.presign.text.pattern-match", Group::Text, Applies::Always),
];

/// The closed words of core values and params (ERC-8481 §Core findings).
pub mod words {
    /// The values of `erc.presign.address.code`.
    pub const CODES: [&str; 3] = ["none", "contract", "delegated"];
    /// The values of `erc.presign.token.issuer-listing`.
    pub const ISSUER_LISTINGS: [&str; 4] = ["listed", "issuer-unlisted", "copy", "none"];
    /// The values of `erc.presign.address.source-verified`.
    pub const SOURCE_MATCHES: [&str; 3] = ["exact", "partial", "none"];
    /// The pairs that `erc.presign.payment.match` compares: its `param`.
    pub const PAYMENT_PAIRS: [&str; 10] = [
        "payTo=agentWallet",
        "payTo=quote.recipient",
        "asset=quote.asset",
        "amount=quote.amount",
        "network=quote.chainId",
        "quote.signature",
        "quote.issuer=agentWallet",
        "quote.valid-at-issue",
        "authorization.to=payTo",
        "authorization.value=amount",
    ];
    /// The values of `erc.presign.payment.payee-binding`.
    pub const PAYEE_BINDINGS: [&str; 8] = [
        "verified-wallet",
        "verified-delegation",
        "mismatch",
        "invalid-delegation",
        "endpoint-unlisted",
        "owner-only",
        "no-agent-wallet",
        "no-identity",
    ];
}
