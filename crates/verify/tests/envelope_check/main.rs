//! The run-time check of envelopes.
#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]
#![allow(clippy::needless_pass_by_value, reason = "envelopes are made on the spot")]

mod actions;
mod calls;
mod chain;
mod claims;
mod consumer;
mod delegatecalls;
mod documents;
mod exchanges;
mod expiries;
mod hostile;
mod revocations;
mod zeros;
