//! The keys, one after the other.

use super::error::ConfigError;
use super::reader::{Given, Reader};
use super::{
    ChainConfig, Config, DocumentsConfig, HttpConfig, LimitsConfig, LogConfig, LogFormat, PoliciesConfig,
    ReadMode, SourceConfig,
};
use alloy_primitives::U256;
use axum::http::HeaderName;
use presight_engine::settings;
use presight_view::rpc::{BlockTag, ChainSettings, NodeExecutionSetting};
use presight_wire::{AccountId, ChainId, hex};
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where the service listens when nothing else is said: this machine alone can ask it.
const DEFAULT_LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8481);

pub(super) fn config(reader: &mut Reader, folder: &Path) -> Result<Config, ConfigError> {
    let listen = reader.text("listen")?;
    let listen = listen.map(|given| {
        given.read("bad-value", |text| {
            text.parse()
                .map_err(|_| "an address and a port expected, such as 127.0.0.1:8481")
        })
    });
    let views = reader.list("views")?.map_or_else(Vec::new, |given| given.value);
    Ok(Config {
        listen: listen.transpose()?.unwrap_or(DEFAULT_LISTEN),
        source: source(reader, folder)?,
        views: views.iter().map(|view| folder.join(view)).collect(),
        policies: PoliciesConfig {
            folder: path(reader, "policies", folder)?,
            default: reader
                .text("policy")?
                .map_or_else(|| "traffic-light".to_owned(), |given| given.value),
        },
        documents: DocumentsConfig {
            ipfs_gateways: reader
                .list("ipfs-gateway")?
                .map_or_else(Vec::new, |given| given.value),
            allow_loopback: reader.boolean("allow-loopback-documents")?.unwrap_or(false),
        },
        chains: chains(reader)?,
        limits: limits(reader)?,
        http: http(reader)?,
        log: log(reader)?,
    })
}

fn path(reader: &mut Reader, key: &str, folder: &Path) -> Result<Option<PathBuf>, ConfigError> {
    Ok(reader.text(key)?.map(|given| folder.join(given.value)))
}

fn source(reader: &mut Reader, folder: &Path) -> Result<SourceConfig, ConfigError> {
    let registry = reader.text("registry")?;
    let registry = registry.map(|given| given.read("bad-value", |text| AccountId::parse(text, "")));
    let agent_id = reader.text("agent-id")?;
    let agent_id = agent_id.map(|given| given.read("bad-value", |text| hex::decimal(text, "")));
    Ok(SourceConfig {
        key_file: path(reader, "key-file", folder)?,
        unsigned: reader.boolean("unsigned")?.unwrap_or(false),
        registry: registry.transpose()?,
        agent_id: agent_id.transpose()?.unwrap_or(U256::ZERO),
        sources: path(reader, "sources", folder)?,
        endpoint: reader.text("endpoint")?.map(|given| given.value),
    })
}

fn chains(reader: &mut Reader) -> Result<BTreeMap<ChainId, ChainConfig>, ConfigError> {
    // `eip155:1` is `EIP155_1` in a variable's name.
    let names = reader.names_under("chain", |rest| {
        let (reference, _) = rest.strip_prefix("EIP155_")?.split_once('_')?;
        Some(format!("eip155:{reference}"))
    });
    let mut chains = BTreeMap::new();
    for name in names {
        let id = ChainId::parse(&name, "")
            .ok()
            .filter(|id| id.evm_id().is_some())
            .ok_or_else(|| {
                let message = "a chain is named by its CAIP-2 identifier, such as eip155:1";
                ConfigError::new("bad-chain", format!("chain.\"{}\"", name.escape_debug()), message)
            })?;
        chains.insert(id, chain(reader, &name)?);
    }
    Ok(chains)
}

fn chain(reader: &mut Reader, name: &str) -> Result<ChainConfig, ConfigError> {
    let key = |key: &str| format!("chain.{name}.{key}");
    let nodes = reader.list(&key("nodes"))?;
    let nodes = nodes.filter(|given| !given.value.is_empty()).ok_or_else(|| {
        let place = format!("chain.\"{name}\"");
        ConfigError::new(
            "no-nodes",
            place,
            "at least one node is needed: nodes = [\"http://…\"]",
        )
    })?;
    let read = reader.text(&key("read"))?;
    let read = read
        .map(|given| read_mode(&given, nodes.value.len()))
        .transpose()?;
    let block = reader.text(&key("block"))?;
    let block = block.map(|given| given.read("bad-value", |text| settings::block(text)));
    let hard_fork = reader.text(&key("spec"))?;
    let hard_fork = hard_fork.map(|given| given.read("bad-value", |text| settings::hard_fork(text)));
    let node_execution = reader.text(&key("node-execution"))?;
    let node_execution = node_execution.map(|given| match given.value.as_str() {
        "off" => Ok(NodeExecutionSetting::Off),
        "any" => Ok(NodeExecutionSetting::Any),
        _ => given.read("bad-value", |text| settings::node_method(text)),
    });
    Ok(ChainConfig {
        nodes: nodes.value,
        read: read.unwrap_or(ReadMode::Priority),
        settings: ChainSettings {
            block: block.transpose()?.unwrap_or(BlockTag::Latest),
            hard_fork: hard_fork.transpose()?,
            prove: reader.boolean(&key("prove"))?.unwrap_or(false),
            node_execution: node_execution.transpose()?.unwrap_or_default(),
            ..ChainSettings::default()
        },
        max_lag_blocks: reader.integer(&key("max-lag-blocks"), 0, 5)?,
        poll: Duration::from_secs(reader.integer(&key("poll-seconds"), 1, 4)?),
        node_requests: reader.integer(&key("node-requests"), 1, 16)?,
    })
}

fn read_mode(given: &Given<String>, nodes: usize) -> Result<ReadMode, ConfigError> {
    given.read("bad-value", |text| match text.strip_prefix("quorum=") {
        None if text == "priority" => Ok(ReadMode::Priority),
        None => Err("`priority` or `quorum=N` expected".to_owned()),
        Some(number) => match number.parse() {
            Ok(number) if (1..=nodes).contains(&number) => Ok(ReadMode::Quorum(number)),
            _ => Err(format!(
                "a quorum of 1 to {nodes} expected: the chain has {nodes} nodes"
            )),
        },
    })
}

fn limits(reader: &mut Reader) -> Result<LimitsConfig, ConfigError> {
    let mut number = |key: &str, least, default| reader.integer(&format!("limits.{key}"), least, default);
    Ok(LimitsConfig {
        deadline: Duration::from_secs(number("deadline-seconds", 1, 30)?.into()),
        client_per_second: number("client-per-second", 1, 20)?,
        client_burst: number("client-burst", 1, 60)?,
        all_per_second: number("all-per-second", 1, 500)?,
        all_burst: number("all-burst", 1, 1000)?,
        shutdown: Duration::from_secs(number("shutdown-seconds", 0, 30)?.into()),
        cache: Duration::from_secs(number("cache-seconds", 0, 12)?.into()),
        running: reader.integer("limits.running", 1, 16)?,
        queue: reader.integer("limits.queue", 0, 256)?,
        connections: reader.integer("limits.connections", 1, 1024)?,
        cache_bytes: reader.integer("limits.cache-bytes", 0, 64 * 1024 * 1024)?,
    })
}

fn http(reader: &mut Reader) -> Result<HttpConfig, ConfigError> {
    let origins = reader.list("http.cors-origins")?;
    let origins =
        origins.map(|given| given.read("bad-value", |origins| origins.iter().map(|o| origin(o)).collect()));
    let header = reader.text("http.client-address-header")?;
    let header = header.map(|given| given.read("bad-value", |name| name.parse::<HeaderName>()));
    Ok(HttpConfig {
        cors_origins: origins.transpose()?.unwrap_or_default(),
        hosts: reader
            .list("http.hosts")?
            .map_or_else(Vec::new, |given| given.value),
        client_address_header: header.transpose()?,
    })
}

/// An origin as browsers send it, or `*`.
fn origin(text: &str) -> Result<String, String> {
    let host = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    let plain = |host: &str| {
        !host.is_empty()
            && host
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-.:[]".contains(&b))
    };
    match text == "*" || host.is_some_and(plain) {
        true => Ok(text.to_owned()),
        false => Err(format!(
            "`{}` is no origin, such as https://app.example",
            text.escape_debug()
        )),
    }
}

fn log(reader: &mut Reader) -> Result<LogConfig, ConfigError> {
    let format = reader.text("log.format")?;
    let format = format.map(|given| {
        given.read("bad-value", |text| match text.as_str() {
            "human" => Ok(LogFormat::Human),
            "json" => Ok(LogFormat::Json),
            _ => Err("`human` or `json` expected"),
        })
    });
    let level = reader.text("log.level")?;
    let level = level.map(|given| {
        given.read("bad-value", |text| {
            text.parse::<tracing_subscriber::filter::targets::Targets>()
                .map(|_| text.clone())
        })
    });
    Ok(LogConfig {
        format: format.transpose()?.unwrap_or(LogFormat::Human),
        level: level.transpose()?.unwrap_or_else(|| "info".to_owned()),
    })
}
