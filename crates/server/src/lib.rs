//! `presight serve` and `presight mcp`: the engine as a service.
//!
//! | room | what lives there |
//! | --- | --- |
//! | [`config`] | `presight.toml`, the environment, and `presight config check` |
//! | `service` | questions, their answers, coalescing and caching; knows no transport |
//! | `nodes` | recorded views; the nodes of each chain by priority or quorum, and the watch over them |
//! | `limits` | rates, the queue |
//! | `http` | the routes, problems, and the accept loop |
//! | `mcp` | the tools, over HTTP and stdio |
//! | `health`, `metrics`, `log` | what operators see |

pub mod check;
pub mod config;
mod health;
mod http;
mod limits;
mod log;
mod mcp;
mod metrics;
mod nodes;
mod schemas;
mod service;

pub use config::{Config, ConfigError};
pub use http::openapi::document as openapi;
pub use http::{ServeError, serve};
pub use mcp::serve_stdio;
