//! Every bound on input, in one place. A refusal for size names the bound it hit.

/// Bytes of one request document.
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
/// Bytes of one report document: a request of 1,000 calls makes a report of many megabytes.
pub const MAX_REPORT_BYTES: usize = 64 * 1024 * 1024;
/// Entries of a report's `blocks`.
pub const MAX_REPORT_BLOCKS: usize = 1_000;
/// Entries of each list of a report's `entities`.
pub const MAX_REPORT_ENTITIES: usize = 20_000;
/// Entries of a report's `findings`.
pub const MAX_REPORT_FINDINGS: usize = 200_000;
/// Entries of one finding's `evidence`.
pub const MAX_REPORT_EVIDENCE: usize = 10_000;
/// Bytes of code, calldata and results that the evidence of one report may hold. In hex they are twice as long, which
/// leaves half of [`MAX_REPORT_BYTES`] to the rest of the report. A finding whose evidence does not fit is not read.
pub const MAX_EVIDENCE_BYTES: usize = 16 * 1024 * 1024;
