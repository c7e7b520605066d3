//! `presight.toml` and the `PRESIGHT_…` environment: every key, read strictly.
//!
//! Each key can also be given by an environment variable, which then counts: `limits.queue` is `PRESIGHT_LIMITS_QUEUE`,
//! `nodes` of `[chain."eip155:1"]` is `PRESIGHT_CHAIN_EIP155_1_NODES`. Lists are separated by commas there. A key or a
//! variable that is not known is an error.

mod error;
mod read;
mod reader;

pub use error::ConfigError;

use alloy_primitives::U256;
use axum::http::HeaderName;
use presight_view::rpc::ChainSettings;
use presight_wire::{AccountId, ChainId};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Bytes of a configuration file.
pub const MAX_CONFIG_BYTES: usize = 1024 * 1024;

/// The whole configuration. Relative paths are resolved against the folder of the file.
#[derive(Debug, Clone)]
pub struct Config {
    /// `listen`: where the service listens.
    pub listen: SocketAddr,
    /// Who makes the reports.
    pub source: SourceConfig,
    /// `views`: recorded view files. A request on a chain that one holds is answered from it, without any network.
    pub views: Vec<PathBuf>,
    /// Where policies come from.
    pub policies: PoliciesConfig,
    /// How documents are fetched.
    pub documents: DocumentsConfig,
    /// `[chain."CAIP-2"]`: chains that are read from nodes.
    pub chains: BTreeMap<ChainId, ChainConfig>,
    /// `[limits]`.
    pub limits: LimitsConfig,
    /// `[http]`.
    pub http: HttpConfig,
    /// `[log]`.
    pub log: LogConfig,
}

/// Who makes the reports.
#[derive(Debug, Clone)]
pub struct SourceConfig {
    /// `key-file`: the file with the signing key.
    pub key_file: Option<PathBuf>,
    /// `unsigned`: reports without a signature are wanted, which consumers treat as absent.
    pub unsigned: bool,
    /// `registry`: the ERC-8004 identity registry; its usual address on the request's chain when not given.
    pub registry: Option<AccountId>,
    /// `agent-id`.
    pub agent_id: U256,
    /// `sources`: the file of contracts, lists and formats that no request names.
    pub sources: Option<PathBuf>,
    /// `endpoint`: the public URL of `/api/presign`, for the registration file.
    pub endpoint: Option<String>,
}

/// Where policies come from.
#[derive(Debug, Clone)]
pub struct PoliciesConfig {
    /// `policies`: a folder of policy files, offered by their names besides the presets.
    pub folder: Option<PathBuf>,
    /// `policy`: the policy that is used when a request names none.
    pub default: String,
}

/// How documents are fetched.
#[derive(Debug, Clone)]
pub struct DocumentsConfig {
    /// `ipfs-gateway`: gateways for `ipfs:` documents, tried in order.
    pub ipfs_gateways: Vec<String>,
    /// `allow-loopback-documents`: for development.
    pub allow_loopback: bool,
}

/// `[chain."CAIP-2"]`.
#[derive(Debug, Clone)]
pub struct ChainConfig {
    /// `nodes`: URLs, in order of priority.
    pub nodes: Vec<String>,
    /// `read`: `priority`, or `quorum=N`.
    pub read: ReadMode,
    /// `block`, `prove`, `spec`, `node-execution`.
    pub settings: ChainSettings,
    /// `max-lag-blocks`: a node further than this behind the best one is set aside.
    pub max_lag_blocks: u64,
    /// `poll-seconds`: how often each node's head is looked at.
    pub poll: Duration,
    /// `node-requests`: requests to one node at a time, those of all clients together.
    pub node_requests: usize,
}

/// How several nodes of a chain are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadMode {
    /// The first usable node; the next one when it fails.
    Priority,
    /// A value counts when this many nodes agree on it.
    Quorum(usize),
}

/// `[limits]`.
#[derive(Debug, Clone)]
pub struct LimitsConfig {
    /// `deadline-seconds`: what a request may take, and the most it may ask for by `Prefer: wait`.
    pub deadline: Duration,
    /// `client-per-second`: requests of one client, on average.
    pub client_per_second: u32,
    /// `client-burst`: requests of one client at once.
    pub client_burst: u32,
    /// `all-per-second`: requests of all clients, on average.
    pub all_per_second: u32,
    /// `all-burst`: requests of all clients at once.
    pub all_burst: u32,
    /// `running`: requests that are worked on at a time.
    pub running: usize,
    /// `queue`: requests that wait for their turn.
    pub queue: usize,
    /// `connections`: open connections.
    pub connections: usize,
    /// `cache-seconds`: the oldest answer that is given again at the same block; 0 keeps none.
    pub cache: Duration,
    /// `cache-bytes`: bytes of answers that are kept.
    pub cache_bytes: usize,
    /// `shutdown-seconds`: what requests under way may still take once the service is told to stop.
    pub shutdown: Duration,
}

/// `[http]`.
#[derive(Debug, Clone)]
pub struct HttpConfig {
    /// `cors-origins`: origins whose pages may ask; `*` is any.
    pub cors_origins: Vec<String>,
    /// `client-address-header`: where a trusted proxy says who the client is. Without it the connection's peer counts.
    pub client_address_header: Option<HeaderName>,
    /// `hosts`: host names under which `/mcp` may be asked, besides this machine's own.
    pub hosts: Vec<String>,
}

/// `[log]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogConfig {
    /// `format`.
    pub format: LogFormat,
    /// `level`: `error`, `warn`, `info`, `debug` or `trace`, also per module.
    pub level: String,
}

/// How log lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Human,
    /// One JSON document a line.
    Json,
}

impl Config {
    /// Reads a configuration file, if there is one, and the environment.
    ///
    /// # Errors
    /// The first fault, with its place.
    pub fn load(
        file: Option<&Path>,
        environment: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, ConfigError> {
        let (text, folder) = match file {
            Some(path) => (text_of(path)?, path.parent().unwrap_or(Path::new(""))),
            None => (String::new(), Path::new("")),
        };
        let name = file.map_or_else(String::new, |path| path.display().to_string());
        Self::parse(&text, &name, folder, environment)
    }

    /// Reads the text of a configuration file and the environment.
    ///
    /// # Errors
    /// The first fault, with its place.
    pub fn parse(
        text: &str,
        name: &str,
        folder: &Path,
        environment: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, ConfigError> {
        let mut reader = reader::Reader::new(text, name, environment)?;
        let config = read::config(&mut reader, folder)?;
        reader.finish()?;
        Ok(config)
    }
}

fn text_of(path: &Path) -> Result<String, ConfigError> {
    use std::io::Read as _;
    let unreadable = |e: std::io::Error| {
        ConfigError::new(
            "unreadable-file",
            path.display(),
            format!("it cannot be read: {e}"),
        )
    };
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    let limit = u64::try_from(MAX_CONFIG_BYTES).map_or(u64::MAX, |max| max + 1);
    file.take(limit).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() > MAX_CONFIG_BYTES {
        let message = format!("it is larger than MAX_CONFIG_BYTES = {MAX_CONFIG_BYTES}");
        return Err(ConfigError::new("too-large", path.display(), message));
    }
    String::from_utf8(bytes).map_err(|_| ConfigError::new("config-syntax", path.display(), "it is not UTF-8"))
}

#[cfg(test)]
mod tests;
