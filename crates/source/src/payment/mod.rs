//! What payments are made of: x402 requirements, the payments a request would sign or send, signed quotes and mandates. Pure
//! readers of bytes; the findings about them are in [`crate::findings::payment`], [`crate::findings::x402`] and
//! [`crate::findings::mandate`].

pub mod delegation;
pub mod flat_type;
pub mod mandate;
pub mod quote;
pub mod requirements;
pub mod route;
pub mod service;
pub mod signed;

pub use flat_type::FlatType;
pub use mandate::Mandate;
pub use requirements::{Asset, Given, Member, Network, Requirements};
pub use signed::{Paid, Way};
