//! Prepared Transaction Envelopes (ERC-8265): reading, judging, signing, verifying and projecting them.
//!
//! What needs a clock, a chain or an address book is the consumer's and not here.

mod advice;
mod code;
mod document;
mod fields;
mod instant;
mod key;
mod message;
mod preimage;
mod problem;
mod rules;
mod scalars;
mod send_calls;
mod shape;
mod shapes;
mod signature;
mod siwe;
mod typed;
mod uri;
mod validate;
mod verify;
mod walk;
mod words;
mod write;

pub use code::{Code, Severity, page};
pub use document::{Envelope, NotAnEnvelope};
pub use fields::{
    Call, CallsContent, Capabilities, Content, Counterparty, Description, Fields, Message, Metadata, Origin,
    Paymaster, Permissions, Producer, ProducerSignature, Risk, RiskWarning, Scanner, SignatureContent,
    Similarity, Token, TokenMovement, TypedData, Validity,
};
pub use key::{PublicKey, Scheme};
pub use preimage::{digest, preimage};
pub use problem::{
    MAX_PROBLEM_BYTES, MAX_PROBLEMS, MAX_WARNING_BYTES_OF_A_CODE, MAX_WARNINGS_OF_A_CODE, Problem, Validation,
};
pub use scalars::{Chain, Decimal};
pub use send_calls::{CallsStatus, SendCalls, send_calls};
pub use shapes::{MAX_ID_CHARS, MAX_TIME, SCHEMA_URL};
pub use signature::{ProducerKey, scheme_digest};
pub use validate::{MAX_ENVELOPE_BYTES, read_document, validate, validate_value, written_as_given};
pub use verify::{OFFLINE, Reason, Resolver, Status, Verification, verify, verify_value};
pub use words::{
    AccountType, Action, Coverage, Kind, LabelSource, MessageScheme, MovementKind, NonceKind, Operation,
    PartyRole, RiskAction, RiskSeverity, Standard, VerifyStatus,
};

pub(crate) use problem::Problems;
pub(crate) use shape::{Field, Rule, Shape};
pub(crate) use shapes::{CALLS, ENVELOPE, SIGNATURE};
pub(crate) use walk::value as judge_value;
