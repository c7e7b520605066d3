//! The objects of an envelope (ERC-8265 §1 to §8).

use super::code::Code;
use super::shape::{Field, Rule, Shape, optional, required};
use super::words::{
    AccountType, Action, Coverage, LabelSource, MessageScheme, MovementKind, NonceKind, Operation, PartyRole,
    RiskAction, RiskSeverity, Standard, VerifyStatus,
};

/// The `$schema` of version 0.1, compared exactly.
pub const SCHEMA_URL: &str = "https://txkit.dev/schemas/v0.1/envelope.json";
/// Code points of an envelope's `id`, at most (§1.2, D-4).
pub const MAX_ID_CHARS: usize = 4096;
/// The last second that RFC 3339 can write: 9999-12-31T23:59:59Z.
pub const MAX_TIME: i64 = 253_402_300_799;

/// The largest integer that every JSON reader agrees on.
pub(super) const MAX_INTEGER: i64 = 9_007_199_254_740_991;

/// The kinds it reserves (§10).
pub(crate) const RESERVED_KINDS: &[&str] = &[
    "evm-userop",
    "evm-frame",
    "evm-7702",
    "mandate",
    "intent",
    "psbt",
    "svm-tx",
    "move-tx",
    "cosmos-tx",
];

/// §1.
pub(crate) static ENVELOPE: Shape = Shape {
    name: "Envelope",
    fields: &[
        required("$schema", Rule::Url),
        required("kind", Rule::Text),
        optional("id", Rule::TextUpTo(MAX_ID_CHARS)),
        required("issuedAt", Rule::Time),
        optional("expiresAt", Rule::Time),
        optional("nonce", Rule::Hex),
        optional("producer", Rule::Object(&PRODUCER)),
        optional("origin", Rule::Object(&ORIGIN)),
        required("content", Rule::Record),
        optional("risk", Rule::Object(&RISK)),
        optional(
            "capabilities",
            Rule::Capabilities {
                shape: &CAPABILITIES,
                judged: true,
            },
        ),
        optional("meta", Rule::Record),
    ],
};

/// §3.
pub(crate) static PRODUCER: Shape = Shape {
    name: "Producer",
    fields: &[
        required("id", Rule::NonEmpty),
        optional("name", Rule::Text),
        optional("signature", Rule::Object(&PRODUCER_SIGNATURE)),
    ],
};

/// §3.2.
pub(crate) static PRODUCER_SIGNATURE: Shape = Shape {
    name: "ProducerSignature",
    fields: &[
        required("scheme", Rule::NonEmpty),
        optional("publicKey", Rule::Text),
        required("signature", Rule::NonEmpty),
        required("coverage", Rule::OneOf(Coverage::WORDS)),
    ],
};

/// §4.
static ORIGIN: Shape = Shape {
    name: "Origin",
    fields: &[
        required("url", Rule::Url),
        required("verifyStatus", Rule::OneOf(VerifyStatus::WORDS)),
        optional("attestation", Rule::Text),
    ],
};

/// §5, the content of `evm-tx` and `evm-batch`.
pub(crate) static CALLS: Shape = Shape {
    name: "EvmTxContent",
    fields: &[
        required("chain", Rule::Chain),
        optional("chainId", Rule::Integer(1, MAX_INTEGER)),
        optional("from", Rule::Address),
        required("calls", Rule::Array(&CALL)),
        required("validity", Rule::Object(&VALIDITY)),
        required("description", Rule::Object(&DESCRIPTION)),
        required("metadata", Rule::Object(&METADATA)),
        optional("decoderRef", Rule::Text),
        optional("clearSigning", Rule::Record),
    ],
};

/// §5.3.
pub(crate) static CALL: Shape = Shape {
    name: "EvmCall",
    fields: &[
        required("to", Rule::Address),
        optional("value", Rule::Quantity),
        optional("data", Rule::Bytes),
        Field {
            name: "operation",
            required: Some(Code::MissingOperation),
            rule: Rule::OneOf(Operation::WORDS),
        },
        optional(
            "capabilities",
            Rule::Capabilities {
                shape: &CAPABILITIES,
                judged: false,
            },
        ),
    ],
};

/// §5.4.
static VALIDITY: Shape = Shape {
    name: "Validity",
    fields: &[
        optional("notBefore", Rule::Integer(0, MAX_TIME)),
        required("notAfter", Rule::Integer(1, MAX_TIME)),
        optional("nonceKind", Rule::OneOf(NonceKind::WORDS)),
        optional("blockhashRecency", Rule::Object(&BLOCKHASH_RECENCY)),
    ],
};

static BLOCKHASH_RECENCY: Shape = Shape {
    name: "BlockhashRecency",
    fields: &[required("maxAge", Rule::Integer(0, MAX_INTEGER))],
};

/// §5.5.
static DESCRIPTION: Shape = Shape {
    name: "Description",
    fields: &[
        required("short", Rule::NonEmpty),
        optional("long", Rule::Text),
        required("action", Rule::OneOf(Action::WORDS)),
    ],
};

/// §5.6.
static METADATA: Shape = Shape {
    name: "Metadata",
    fields: &[
        required("protocol", Rule::NonEmpty),
        required("tokenMovements", Rule::Array(&TOKEN_MOVEMENT)),
        required("counterparties", Rule::Array(&COUNTERPARTY)),
        optional("estimatedGas", Rule::Decimal),
    ],
};

static TOKEN_MOVEMENT: Shape = Shape {
    name: "TokenMovement",
    fields: &[
        required("token", Rule::AddressOr("native")),
        required("standard", Rule::OneOf(Standard::WORDS)),
        required("symbol", Rule::Text),
        required("decimals", Rule::Integer(0, 255)),
        required("amount", Rule::Decimal),
        optional("tokenId", Rule::Decimal),
        required("kind", Rule::OneOf(MovementKind::WORDS)),
        optional("isUnlimited", Rule::Boolean),
        required("from", Rule::Address),
        required("to", Rule::Address),
        optional("usdValue", Rule::Number(Some(0), None)),
    ],
};

static COUNTERPARTY: Shape = Shape {
    name: "Counterparty",
    fields: &[
        required("address", Rule::Address),
        required("role", Rule::OneOf(PartyRole::WORDS)),
        optional("label", Rule::Text),
        optional("labelSource", Rule::OneOf(LabelSource::WORDS)),
        optional("similarityWarning", Rule::Object(&SIMILARITY_WARNING)),
    ],
};

static SIMILARITY_WARNING: Shape = Shape {
    name: "SimilarityWarning",
    fields: &[
        required("similarTo", Rule::Address),
        required("distance", Rule::Number(None, None)),
    ],
};

/// §6. The members that depend on `scheme` are judged by [`super::message`].
pub(crate) static SIGNATURE: Shape = Shape {
    name: "SignatureContent",
    fields: &[
        required("chain", Rule::Chain),
        optional("from", Rule::Address),
        required("scheme", Rule::OneOf(MessageScheme::WORDS)),
        optional("domain", Rule::Any),
        optional("types", Rule::Any),
        optional("primaryType", Rule::Any),
        optional("message", Rule::Any),
        optional("messageText", Rule::Any),
        required("description", Rule::Object(&DESCRIPTION)),
        optional("metadata", Rule::Object(&METADATA)),
        optional("validity", Rule::Object(&VALIDITY)),
        optional("erc6492", Rule::Boolean),
    ],
};

/// §7, and the member that ERC-8481 §Envelope adds, whose entries are read as reports by those who use them.
static RISK: Shape = Shape {
    name: "RiskAssessment",
    fields: &[
        required("action", Rule::OneOf(RiskAction::WORDS)),
        optional("score", Rule::Number(Some(0), Some(100))),
        required("warnings", Rule::Array(&RISK_WARNING)),
        optional("scanners", Rule::Array(&SCANNER_VERDICT)),
        optional("reports", Rule::Any),
    ],
};

static RISK_WARNING: Shape = Shape {
    name: "RiskWarning",
    fields: &[
        required("code", Rule::NonEmpty),
        required("severity", Rule::OneOf(RiskSeverity::WORDS)),
        required("message", Rule::Text),
    ],
};

static SCANNER_VERDICT: Shape = Shape {
    name: "ScannerVerdict",
    fields: &[
        required("provider", Rule::NonEmpty),
        required("verdict", Rule::OneOf(RiskAction::WORDS)),
        optional("url", Rule::Text),
    ],
};

/// §8.1.
static CAPABILITIES: Shape = Shape {
    name: "Capabilities",
    fields: &[
        optional("atomicRequired", Rule::Boolean),
        optional("paymasterService", Rule::Object(&PAYMASTER_SERVICE)),
        optional("permissions", Rule::Object(&PERMISSION_CONTEXT)),
        optional("requiresAccountType", Rule::OneOf(AccountType::WORDS)),
    ],
};

static PAYMASTER_SERVICE: Shape = Shape {
    name: "PaymasterService",
    fields: &[
        required("url", Rule::NonEmpty),
        optional("sponsor", Rule::Address),
    ],
};

static PERMISSION_CONTEXT: Shape = Shape {
    name: "PermissionContext",
    fields: &[required("context", Rule::Bytes), required("type", Rule::NonEmpty)],
};
