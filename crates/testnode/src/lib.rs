//! What tests need a real part for: a local Ethereum node (anvil from npm), a misbehaving server in front of one, and a
//! web server. Each is on a free port and stopped on drop.
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
mod site;

pub use http::RequestError;
pub use node::{FUNDED, Node};
pub use proxy::{Proxy, Reply};
pub use site::{Page, Site};
