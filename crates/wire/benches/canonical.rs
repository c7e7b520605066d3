//! Canonicalise and digest.

fn main() {}
