//! Every bound on input, in one place. A refusal for size names the bound it hit.

/// Bytes of one request or report document.
pub const MAX_DOCUMENT_BYTES: usize = 1024 * 1024;
/// Nesting depth of JSON arrays and objects.
pub const MAX_DEPTH: usize = 64;
/// Calls in one request.
pub const MAX_CALLS: usize = 1_000;
/// Bytes of calldata in one call.
pub const MAX_CALLDATA_BYTES: usize = 128 * 1024;
/// Entries of `context.texts`.
pub const MAX_TEXTS: usize = 1_000;
/// UTF-8 bytes of one text.
pub const MAX_TEXT_BYTES: usize = 64 * 1024;
/// Tuples of one EIP-7702 authorization list.
pub const MAX_AUTHORIZATIONS: usize = 100;
/// Entries of `context.tokens`.
pub const MAX_CONTEXT_TOKENS: usize = 1_000;
/// Entries of `kinds`.
pub const MAX_KINDS: usize = 200;
/// The largest integer that every JSON reader agrees on: 2^53 - 1 (RFC 7493 §2.2).
pub const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;
