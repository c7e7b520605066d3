//! The consumer of an ERC-8265 envelope: what it checks at the moment of use, with its clock, its address book, its
//! policies and, where it has one, a view of the chain.
//!
//! The stateless validator, and the producer's signature, are [`presight_wire::envelope`]'s.

mod check;
mod claims;
mod code;
mod content;
mod context;
mod delegatecall;
mod descriptor;
mod expiry;
mod json;
mod labels;
mod moment;
mod not_checked;
mod oddity;
mod opaque;
mod set_code;
mod sign_in;
mod simulated;
mod tokens;
mod window;

pub use check::{Checked, Facts, Unchecked, check, check_envelope};
pub use claims::{ActionClaim, Claim, ClaimStatus, MAX_COMPARISONS, Omitted};
pub use code::{CheckCode, ConsumerCode, Note};
pub use context::{
    CheckContext, ContactBook, DEFAULT_EXPIRY_BUFFER, DelegatecallPolicy, MAX_CONTACT_BOOK_BYTES,
    MAX_CONTACTS,
};
pub use expiry::OnChainExpiry;
pub use labels::Label;
pub use moment::Moment;
pub use not_checked::NotChecked;
pub use tokens::MAX_TOKENS;
