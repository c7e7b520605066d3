//! Permits that are no approval of the signer by the text's list, and where permits are kept (I-21, I-38).

pub mod keeper;
pub mod other_owner;
pub mod transfer;
