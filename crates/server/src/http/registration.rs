//! The part of an ERC-8004 registration file that is about this service.

use super::Shared;
use crate::service::{Problem, Service};
use axum::Json;
use axum::extract::State;
use presight_wire::AccountId;
use presight_wire::report::sign::SigningKey;
use presight_wire::request::VERSION;
use serde_json::{Value, json};

/// `services` with the key's account in `signers` (ERC-8481 §Signature and source identity), and `registrations`.
pub(super) async fn fragment(State(service): Shared) -> Result<Json<Value>, Problem> {
    let endpoint = service.config.source.endpoint.as_deref().ok_or_else(|| {
        Problem::new(
            404,
            "no-endpoint",
            "the service was not told its public address (`endpoint`)",
        )
    })?;
    Ok(Json(document(&service, endpoint)))
}

fn document(service: &Service, endpoint: &str) -> Value {
    let mut of_service = json!({ "name": "presign-risk-report", "endpoint": endpoint, "version": VERSION });
    let signers = signers(service);
    if !signers.is_empty() {
        of_service["signers"] = json!(signers);
    }
    let registrations = service.identity.registry.iter().map(|registry| {
        json!({ "agentId": service.identity.agent_id.to_string(), "agentRegistry": registry.to_string() })
    });
    json!({
        "type": "https://eips.ethereum.org/EIPS/eip-8004#registration-v1",
        "services": [of_service],
        "registrations": registrations.collect::<Vec<_>>(),
    })
}

/// The signer as reports name it: on the registry's chain, or on each chain that is served when no registry is named.
fn signers(service: &Service) -> Vec<String> {
    let Some(address) = service.identity.key.as_ref().map(SigningKey::address) else {
        return Vec::new();
    };
    let on = |chain: &presight_wire::ChainId| AccountId::new(chain.clone(), address).to_string();
    match &service.identity.registry {
        Some(registry) => vec![on(&registry.chain)],
        None => {
            let recorded = service.world.recorded().map(|(chain, _)| chain);
            recorded.chain(service.world.pools.keys()).map(on).collect()
        }
    }
}
