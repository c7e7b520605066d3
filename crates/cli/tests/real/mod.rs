//! Real contracts on a node, and what the node does with requests about them.
#![allow(dead_code, unreachable_pub, missing_docs, reason = "a test's own parts")]

pub mod accounts;
pub mod chain;
pub mod control;
pub mod permit2;
pub mod safe;
pub mod tokens;
pub mod told;
pub mod truth;
pub mod uniswap;
