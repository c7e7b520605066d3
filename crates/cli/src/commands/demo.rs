//! `presight demo`

use super::{replay, verify};
use crate::exit::{Exit, Failure, print, say};
use crate::input;
use anyhow::Context as _;
use presight_engine::{Identity, Recorded, words};
use presight_source::Config;
use presight_verify::{Conclusion, Options, TrustedSource, Unverified};
use presight_view::file::{self, ViewFile};
use presight_wire::report::ReceivedReport;
use presight_wire::report::sign::SigningKey;
use presight_wire::{AccountId, Request};
use serde_json::json;
use std::path::Path;

/// An unlimited approval to a contract, and the state it would run on, recorded from a local node.
const REQUEST: &[u8] = include_bytes!("../../../../examples/approve/request.json");
const VIEW: &[u8] = include_bytes!("../../../../examples/approve/view.json");
/// The example's source: a key everyone knows, and the identity that the recorded registry binds it to.
const SOURCE: &[u8] = include_bytes!("../../../../examples/approve/source.json");

/// Report, verification and replay of the example, or of another request on the example's state.
pub(crate) fn run(request: Option<&Path>, as_json: bool) -> Result<Exit, Failure> {
    let request = match request {
        Some(path) => Request::parse(&input::document(path)?)?,
        None => Request::parse(REQUEST)?,
    };
    let decoded = presight_decode::decode(&request)?;
    let view = file::parse(VIEW)?;
    let identity = identity()?;

    let reported = presight_engine::report(&Recorded(&view.snapshot), &request, &decoded, &identity)?;
    let (told, witness) = (reported.told, reported.witness);
    let received =
        ReceivedReport::from_value(told.report.to_value()).context("the report cannot be read back")?;

    let unverified = Unverified::from(received);
    let trusted = TrustedSource {
        registry: told.report.source.registry.clone(),
        agent_id: identity.agent_id,
        signer: None,
    };
    let options = Options {
        trusted: vec![trusted],
        ..Options::default()
    };
    let verification = presight_engine::verify(&Recorded(&view.snapshot), &unverified, &request, &options)?;

    // Through its bytes, as anyone would get it.
    let witness: ViewFile = file::parse(file::to_json(&witness).as_bytes())?;
    let replayed = presight_verify::replay(&unverified, &request, &witness, &identity.sources);

    if as_json {
        let document =
            json!({ "report": told.report.to_value(), "verification": verification, "replay": replayed });
        print(&document.to_string());
    } else {
        let report = &told.report;
        say(&format!(
            "Before {} signs on {}:",
            report.signer.address.to_checksum(None),
            report.chain
        ));
        say(&words::request(&decoded, &told.tokens));
        say("What was read, and at which block:");
        say(&words::findings(report, &told.tokens));
        say("The consumer's checks of the signed report:");
        say(&verify::in_words(&verification));
        say("");
        say("Recomputed from the witness, offline:");
        say(&replay::in_words(&replayed));
    }
    Ok(match (verification.conclusion(), replay::exit(&replayed)) {
        (Conclusion::Verified, Exit::Clean) => Exit::Clean,
        (Conclusion::NotVerifiable, _) | (_, Exit::NotEvaluated) => Exit::NotEvaluated,
        _ => Exit::Block,
    })
}

fn identity() -> Result<Identity, Failure> {
    let document: serde_json::Value =
        serde_json::from_slice(SOURCE).context("the example's source is JSON")?;
    let text = |member: &str| document[member].as_str().context("the example's source is whole");
    Ok(Identity {
        registry: Some(AccountId::parse(text("registry")?, "/registry")?),
        agent_id: presight_wire::hex::decimal(text("agentId")?, "/agentId")?,
        key: Some(SigningKey::from_hex(text("key")?.as_bytes())?),
        sources: Config::default(),
    })
}
