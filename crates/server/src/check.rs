//! `presight config check`: what is configured is tried, and what would be blind is said.

use crate::config::Config;
use crate::health;
use crate::http::ServeError;
use crate::nodes::Standing;
use crate::service::Service;
use serde_json::{Value, json};

/// What was tried, and whether reports could be made.
#[derive(Debug)]
pub struct Checked {
    /// Each thing that was tried.
    pub items: Vec<Item>,
    /// At least one chain can be read.
    pub can_read: bool,
}

/// One thing that was tried.
#[derive(Debug)]
pub struct Item {
    /// What.
    pub what: String,
    /// Whether it works.
    pub status: Status,
    /// What was seen.
    pub detail: String,
}

/// Whether something works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It does.
    Works,
    /// It does not.
    Fails,
    /// It is not there, and what it would tell is not read.
    Blind,
}

impl Status {
    /// Its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Works => "ok",
            Self::Fails => "fails",
            Self::Blind => "blind",
        }
    }
}

impl Checked {
    /// `{ canRead, items: [{ what, status, detail }] }`.
    pub fn to_value(&self) -> Value {
        let items = self
            .items
            .iter()
            .map(|item| json!({ "what": item.what, "status": item.status.as_str(), "detail": item.detail }));
        json!({ "canRead": self.can_read, "items": items.collect::<Vec<_>>() })
    }
}

/// Opens everything the configuration names and asks each node once.
///
/// # Errors
/// What would keep the service from starting.
pub fn check(config: Config) -> Result<Checked, ServeError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|why| ServeError::Machine {
            what: "the runtime does not start".to_owned(),
            why,
        })?;
    let service = Service::open(config)?;
    runtime.block_on(service.world.look());
    let mut items = Vec::new();
    let mut say = |what: String, status, detail: String| items.push(Item { what, status, detail });
    if let Some(key) = &service.identity.key {
        say("key".to_owned(), Status::Works, format!("{:#x}", key.address()));
    }
    let policies = service.policies.names().collect::<Vec<_>>().join(", ");
    say("policies".to_owned(), Status::Works, policies);
    for (chain, block) in service.world.recorded() {
        let (status, detail) = match block {
            Some(block) => (Status::Works, format!("recorded at block {}", block.number)),
            None => (Status::Fails, "recorded without its block".to_owned()),
        };
        say(chain.to_string(), status, detail);
    }
    for pool in service.world.pools.values() {
        for node in &pool.nodes {
            let known = node.known();
            let (status, detail) = match (&known.standing, known.head) {
                (Standing::Aside(why), _) => (Status::Fails, why.to_string()),
                (_, Some(head)) => (Status::Works, format!("at block {}", head.number)),
                (_, None) => (Status::Fails, "not seen".to_owned()),
            };
            say(format!("{} {}", pool.chain, node.shown), status, detail);
        }
    }
    let (can_read, health) = health::health(&service);
    for blind in health["blind"].as_array().into_iter().flatten() {
        let text = |member: &Value| match member {
            Value::Array(items) => {
                let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
                items.join(", ")
            }
            other => other.as_str().unwrap_or_default().to_owned(),
        };
        say(text(&blind["what"]), Status::Blind, text(&blind["why"]));
    }
    Ok(Checked { items, can_read })
}
