//! One module per finding kind.

pub mod address;
pub mod approval;
pub mod effects;
pub mod oddity;
pub mod permit;
pub mod text;
pub mod unsupported;
