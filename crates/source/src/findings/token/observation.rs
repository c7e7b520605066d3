//! `erc.presign.token.observation`

use crate::config::{ObservationKind, Registry};
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use alloy_dyn_abi::{DynSolType, DynSolValue, FunctionExt, JsonAbiExt, Specifier};
use alloy_json_abi::Param;
use alloy_primitives::{Address, U256};
use presight_exec::reads;
use presight_view::{Lookup, Unread};
use presight_wire::kinds::Group;
use presight_wire::{AccountId, Evidence, NotRead, Read, Reason, hex};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What a registry of Launch Observations has of the token, copied: `{ value, detector, observationId, observedBlock,
/// recordedAt }`. Not read, `unavailable`, where it has nothing: its own not read value, no observation, a call that
/// reverts. The detector's lean is not copied.
#[derive(Debug)]
pub struct Observation;

impl Kind for Observation {
    fn name(&self) -> &'static str {
        "erc.presign.token.observation"
    }

    fn group(&self) -> Group {
        Group::Token
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        let Entity::Token(token) = entity else {
            return Vec::new();
        };
        if context.config.observations.is_empty() {
            return Fact::only(Err(Reason::Unsupported.into()));
        }
        let registries = context.config.observations.iter();
        let asked = registries.flat_map(|registry| registry.kinds.iter().map(move |kind| (registry, kind)));
        asked
            .map(|(registry, kind)| Fact {
                param: Some(json!({
                    "registry": registry.registry.to_string(), "kind": kind.kind, "param": kind.param,
                })),
                reading: latest(context, token, registry, kind),
            })
            .collect()
    }
}

fn latest(
    context: &Context<'_>,
    token: &AccountId,
    registry: &Registry,
    kind: &ObservationKind,
) -> Lookup<Read<Value>> {
    let function = registry.function();
    let unsupported = |what: &str| Unread::from(NotRead::new(Reason::Unsupported).with_note(what));
    let arguments = function
        .inputs
        .iter()
        .map(|input| argument(input, token, registry, kind))
        .collect::<Option<Vec<_>>>()
        .ok_or_else(|| unsupported("the registry's function cannot take this token or kind"))?;
    let encoded = function
        .abi_encode_input_raw(&arguments)
        .map_err(|_| unsupported("the registry's function cannot take these arguments"))?;
    let account = &registry.registry;
    let returned = reads::returned(
        context.view,
        &account.chain,
        account.address,
        &function.signature(),
        &encoded,
    )?;
    let (at, mut evidence) = (returned.at().cloned(), returned.evidence().to_vec());
    let nothing = |what: &str| {
        Unread::from(NotRead {
            at: at.clone(),
            evidence: returned.evidence().to_vec(),
            ..NotRead::new(Reason::Unavailable).with_note(what)
        })
    };
    let Some(found) = results(&function.outputs, returned.value(), function) else {
        return Err(nothing("the registry's answer is not what its function returns"));
    };
    let number = |name: &str| {
        found
            .get(name)
            .and_then(DynSolValue::as_uint)
            .map(|(value, _)| value)
    };
    let detector = match found.get("detector") {
        Some(value) => value.as_address(),
        None => registry.detectors.first().copied(),
    };
    let (Some(value), Some(id), Some(observed), Some(recorded), Some(detector)) = (
        number("value"),
        number("observationId"),
        number("observedBlock"),
        number("recordedAt"),
        detector,
    ) else {
        return Err(nothing(
            "the registry's answer is not of the types of an observation",
        ));
    };
    if id.is_zero() {
        return Err(nothing("the registry has no observation"));
    }
    if value == U256::MAX {
        return Err(nothing("the registry has the observation as not read"));
    }
    if !registry.detectors.contains(&detector) {
        return Err(nothing("the registry names a detector that was not asked for"));
    }
    evidence.push(Evidence::Observation {
        registry: account.clone(),
        observation_id: id,
    });
    let value = json!({
        "value": value.to_string(),
        "detector": AccountId::new(account.chain.clone(), detector).to_string(),
        "observationId": id.to_string(),
        "observedBlock": observed.to_string(),
        "recordedAt": recorded.to_string(),
    });
    let at = at.ok_or(Reason::Unavailable)?;
    Ok(Read::from_chain(value, at, evidence))
}

/// An argument by its name; none when its type cannot hold it.
fn argument(
    input: &Param,
    token: &AccountId,
    registry: &Registry,
    kind: &ObservationKind,
) -> Option<DynSolValue> {
    let word = |value: U256, of: &DynSolType| match of {
        DynSolType::Uint(bits) => (value.bit_len() <= *bits).then_some(DynSolValue::Uint(value, *bits)),
        DynSolType::FixedBytes(32) => Some(DynSolValue::FixedBytes(value.into(), 32)),
        _ => None,
    };
    let account = |address: Address, of: &DynSolType| match of {
        DynSolType::Address => Some(DynSolValue::Address(address)),
        of => word(U256::from_be_bytes(address.into_word().0), of),
    };
    let of = input.resolve().ok()?;
    match (input.name.as_str(), &of) {
        ("chainId", of) => word(U256::from(token.chain.evm_id()?), of),
        ("token", of) => account(token.address, of),
        ("detector", of) => account(*registry.detectors.first()?, of),
        ("detectors", DynSolType::Array(of)) => {
            let detectors = registry.detectors.iter().map(|detector| account(*detector, of));
            detectors.collect::<Option<_>>().map(DynSolValue::Array)
        }
        ("kind", of) => word(U256::from_be_bytes(kind.kind.0), of),
        ("param", of) => word(hex::decimal(&kind.param, "").ok()?, of),
        _ => None,
    }
}

/// The results by name; those of a struct are its members.
fn results(
    outputs: &[Param],
    bytes: &[u8],
    function: &alloy_json_abi::Function,
) -> Option<BTreeMap<String, DynSolValue>> {
    let values = function.abi_decode_output(bytes).ok()?;
    let mut found = BTreeMap::new();
    flatten(outputs, values, &mut found);
    Some(found)
}

fn flatten(outputs: &[Param], values: Vec<DynSolValue>, found: &mut BTreeMap<String, DynSolValue>) {
    for (output, value) in outputs.iter().zip(values) {
        match value {
            DynSolValue::Tuple(members) => flatten(&output.components, members, found),
            value => drop(found.insert(output.name.clone(), value)),
        }
    }
}
