//! A list as a document.

use super::{FORMAT, List, Scope};
use presight_wire::ChainId;
use serde_json::{Map, Value, json};

pub(super) fn to_json(list: &List) -> String {
    let mut members = Map::new();
    let mut set = |name: &str, value: Value| drop(members.insert(name.to_owned(), value));
    set("format", FORMAT.into());
    set("name", list.name.as_str().into());
    set("version", list.version.as_str().into());
    set("published", list.published.to_string().into());
    if let Some(expires) = list.expires {
        set("expires", expires.to_string().into());
    }
    set("criteria", list.criteria.as_str().into());
    if !list.sources.is_empty() {
        set("sources", json!(list.sources));
    }
    let entries = list.entries.iter().map(|((address, scope), evidence)| {
        let mut entry = Map::new();
        entry.insert("address".to_owned(), format!("{address:#x}").into());
        if let Scope::Evm(id) = scope {
            entry.insert("chain".to_owned(), ChainId::evm(*id).to_string().into());
        }
        entry.insert("evidence".to_owned(), json!(evidence));
        Value::Object(entry)
    });
    set("entries", entries.collect());
    format!("{:#}\n", Value::Object(members))
}
