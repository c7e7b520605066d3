//! The wire forms of Presight: ERC-8481 requests and reports, ERC-8265 envelopes, strict I-JSON, canonical bytes,
//! digests and signatures. This crate touches nothing outside its arguments: no network, no files, no clock; only a
//! new signing key takes from the system's random source.

pub mod caip;
pub mod eip712;
pub mod envelope;
pub mod error;
pub mod hex;
pub mod jcs;
pub mod json;
pub mod kinds;
pub mod limits;
pub mod node;
pub mod reading;
pub mod report;
pub mod request;
pub mod schema;
pub mod time;
pub mod tree;

pub use caip::{AccountId, ChainId};
pub use error::Refusal;
pub use reading::{At, Evidence, NotRead, Read, Reading, Reason};
pub use report::Report;
pub use request::Request;
pub use time::Timestamp;
