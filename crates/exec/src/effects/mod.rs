//! What a simulation did, in the terms of a signer: from its state changes, its events and its call tree.

/// Contracts asked again in one simulation, before and after counted apart.
pub const MAX_REREADS: usize = 4096;
