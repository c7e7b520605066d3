//! What the service can read now, and what it is blind to.

use crate::nodes::Pool;
use crate::service::Service;
use presight_source::registry;
use serde_json::{Value, json};
use std::time::{SystemTime, UNIX_EPOCH};

/// Whether reports can be made, and the document that says why.
pub(crate) fn health(service: &Service) -> (bool, Value) {
    let chains: Vec<Chain> = chains(service).collect();
    let can_read = chains.iter().any(|chain| chain.readable);
    let stopping = service.is_stopping();
    let ok = can_read && !stopping;
    let status = match (stopping, ok, chains.iter().all(|chain| chain.readable)) {
        (true, ..) => "stopping",
        (false, false, _) => "blind",
        (false, true, false) => "degraded",
        (false, true, true) => "ok",
    };
    let (running, waiting) = service.limits.load();
    let document = json!({
        "status": status,
        "version": env!("CARGO_PKG_VERSION"),
        "signed": service.identity.key.is_some(),
        "chains": chains.iter().map(|chain| chain.document.clone()).collect::<Vec<_>>(),
        "blind": blind(service, &chains),
        "running": running,
        "waiting": waiting,
    });
    (ok, document)
}

struct Chain {
    readable: bool,
    name: String,
    document: Value,
}

fn chains(service: &Service) -> impl Iterator<Item = Chain> {
    let recorded = service.world.recorded().map(|(chain, block)| Chain {
        readable: block.is_some(),
        name: chain.to_string(),
        document: json!({
            "chainId": chain.to_string(),
            "from": "recorded view",
            "readable": block.is_some(),
            "block": block.map(|block| block.number.to_string()),
            "hash": block.map(|block| block.hash),
        }),
    });
    recorded.chain(service.world.pools.values().map(|pool| of_nodes(pool)))
}

fn of_nodes(pool: &Pool) -> Chain {
    let readable = pool.usable() >= pool.needed();
    let nodes = pool.nodes.iter().map(|node| {
        let known = node.known();
        let why = match &known.standing {
            crate::nodes::Standing::Aside(why) => Some(why.to_string()),
            _ => None,
        };
        json!({
            "node": node.shown,
            "state": known.standing.word(),
            "why": why,
            "block": known.head.map(|head| head.number.to_string()),
            "headAgeSeconds": known.head.map(|head| age(head.timestamp)),
        })
    });
    let head = pool.head();
    Chain {
        readable,
        name: pool.chain.to_string(),
        document: json!({
            "chainId": pool.chain.to_string(),
            "from": "nodes",
            "readable": readable,
            "needs": pool.needed(),
            "block": head.map(|head| head.number.to_string()),
            "hash": head.map(|head| head.hash),
            "headAgeSeconds": head.map(|head| age(head.timestamp)),
            "nodes": nodes.collect::<Vec<_>>(),
        }),
    }
}

/// What is not read whatever is asked: chains without enough nodes, kinds this source does not read, and identities that
/// verify nowhere.
fn blind(service: &Service, chains: &[Chain]) -> Vec<Value> {
    let mut blind: Vec<Value> = chains
        .iter()
        .filter(|chain| !chain.readable)
        .map(|chain| json!({ "what": chain.name, "why": "too few usable nodes, or no pinned block" }))
        .collect();
    if chains.is_empty() {
        blind.push(json!({ "what": "every chain", "why": "no chain and no recorded view is configured" }));
    }
    let unsupported: Vec<&str> = registry::not_read().collect();
    if !unsupported.is_empty() {
        blind.push(json!({ "what": unsupported, "why": "this release does not read these kinds" }));
    }
    let sources = &service.identity.sources;
    for (kind, what, configured) in [
        (
            "erc.presign.address.on-list",
            "list",
            sources.lists != Default::default(),
        ),
        (
            "erc.presign.address.source-verified",
            "verifier",
            sources.verifiers != Default::default(),
        ),
        (
            "erc.presign.token.observation",
            "registry of observations",
            sources.observations != Default::default(),
        ),
    ] {
        if !configured {
            blind.push(json!({ "what": kind, "why": format!("no {what} is configured (`sources`)") }));
        }
    }
    if service.config.documents.ipfs_gateways.is_empty() {
        blind.push(json!({ "what": "ipfs: documents", "why": "no ipfs-gateway is configured" }));
    }
    if service.identity.key.is_none() {
        blind.push(json!({ "what": "signatures", "why": "no key: consumers treat the reports as absent" }));
    }
    blind
}

/// Seconds since a block was made; 0 for one that is dated ahead of this machine's clock.
fn age(timestamp: u64) -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    now.as_secs().saturating_sub(timestamp)
}
