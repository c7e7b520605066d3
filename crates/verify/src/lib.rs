//! The consumer of a report (ERC-8481 §Signature and source identity, §Consuming a report).
//!
//! A report as received is [`Unverified`]: it shows none of its findings. [`verify()`] runs every step a consumer
//! owes and gives a [`Verification`]; only one that concluded [`Conclusion::Verified`] yields the report, as a
//! [`VerifiedReport`]. [`Unverified::trust_unverified`] is the explicit way around.
//!
//! [`attached`] verifies the reports that came inside an envelope; [`anchoring`] asks afterwards whether an anchored
//! report counts against its source.
//!
//! Verification is synchronous over a view, like the rest of the core: when the view does not hold a read yet,
//! [`verify()`] notes it as a want and returns [`Pending`]; the rim fetches and runs it again.

pub mod anchoring;
pub mod attached;
pub mod envelope;

mod identity;
mod options;
mod registration;
mod replay;
mod steps;
mod unverified;
mod verification;
mod verify;

pub use options::{
    DEFAULT_MAX_AGE_BLOCKS, MAX_CLOCK_SKEW_SECONDS, MAX_REPORT_BLOCKS, MaxAge, Options, TrustedSource,
};
pub use presight_source::registration::MAX_REGISTRATION_BYTES;
pub use replay::{Confirmation, Difference, Place, Replay, ReplayConclusion, replay};
pub use unverified::Unverified;
pub use verification::{Conclusion, Status, Step, Verification, VerifiedReport};
pub use verify::{Pending, verify};
