//! A local Ethereum node for tests: anvil from npm, started on a free port and stopped on drop.
//!
//! A test takes the node it needs, and returns when there is none:
//!
//! ```no_run
//! let Some(node) = presight_testnode::Node::start(&[]) else { return };
//! let token = node.deploy("0x6001600081600b8239f300").unwrap();
//! assert_eq!(node.code(&token).unwrap(), "0x00");
//! ```

mod http;
mod node;
mod proxy;

pub use http::RequestError;
pub use node::{FUNDED, Node};
pub use proxy::{Proxy, Reply};
