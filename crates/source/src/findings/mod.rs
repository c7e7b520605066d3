//! One module per finding kind.

pub mod address;
pub mod approval;
pub mod effects;
pub mod mandate;
pub mod oddity;
pub mod payment;
pub mod permit;
pub mod text;
pub mod token;
pub mod unsupported;
pub mod x402;
