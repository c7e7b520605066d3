//! The run-time check of envelopes.
#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

mod calls;
mod chain;
mod claims;
mod consumer;
mod documents;
mod expiries;
mod hostile;
