//! The outcome as JSON.

use super::check::{Checked, Facts};
use presight_decode::Flag;
use presight_wire::envelope::{Coverage, Verification};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Value, json};

impl Serialize for Checked {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut map = s.serialize_map(None)?;
        map.serialize_entry("valid", &self.is_valid())?;
        map.serialize_entry("errors", &self.errors)?;
        map.serialize_entry("warnings", &self.warnings)?;
        if self.cut {
            map.serialize_entry("cut", &true)?;
        }
        if let Some(facts) = &self.facts {
            facts_into(facts, &mut map)?;
        }
        map.end()
    }
}

fn facts_into<M: SerializeMap>(facts: &Facts, map: &mut M) -> Result<(), M::Error> {
    map.serialize_entry("tampered", &facts.is_tampered())?;
    map.serialize_entry("producer", &producer(&facts.producer))?;
    if let Some(seconds) = facts.seconds_left {
        map.serialize_entry("secondsLeft", &seconds)?;
    }
    map.serialize_entry("onChainExpiries", &facts.on_chain_expiries)?;
    map.serialize_entry("action", &facts.action)?;
    map.serialize_entry("movements", &facts.movements)?;
    map.serialize_entry("omitted", &facts.omitted)?;
    map.serialize_entry("labels", &facts.labels)?;
    map.serialize_entry("oddities", &facts.oddities.iter().map(oddity).collect::<Vec<_>>())?;
    if let Some(simulation) = &facts.simulation {
        map.serialize_entry("simulation", simulation)?;
    }
    map.serialize_entry("notChecked", &facts.not_checked)
}

fn producer(verification: &Verification) -> Value {
    let mut producer = json!({
        "status": verification.status.as_str(),
        "attested": verification.attested.is_some(),
    });
    let more = [
        ("coverage", verification.attested.map(Coverage::as_str)),
        ("warning", verification.status.warning()),
    ];
    for (name, value) in more {
        if let Some(value) = value {
            producer[name] = json!(value);
        }
    }
    producer
}

fn oddity(flag: &Flag) -> Value {
    json!({ "code": flag.code, "path": flag.pointer, "message": flag.message })
}
