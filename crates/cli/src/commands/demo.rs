//! `presight demo`

use super::{replay, verify};
use crate::exit::{Exit, Failure, print, say};
use crate::{input, reports, words};
use anyhow::{Context as _, anyhow};
use presight_source::Config;
use presight_verify::{Conclusion, Options, TrustedSource, Unverified};
use presight_view::file::{self, ViewFile};
use presight_view::{View, drive};
use presight_wire::report::sign::SigningKey;
use presight_wire::report::{ReceivedReport, Source};
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
    let (source, key) = source()?;
    let config = Config::default();

    let told = drive::run_recorded(&view.snapshot, |view| {
        reports::tell(view, &request, &decoded, &source, &config)
    });
    let witness = told.witness();
    let mut told = told
        .value
        .map_err(|_| anyhow!("the recorded view was left with open reads"))?;
    presight_source::sign(&mut told.report, &request, &key).context("the report was not signed")?;
    let received =
        ReceivedReport::from_value(told.report.to_value()).context("the report cannot be read back")?;

    let unverified = Unverified::from(received);
    let trusted = TrustedSource {
        registry: source.registry.clone(),
        agent_id: source.agent_id,
        signer: None,
    };
    let options = Options {
        trusted: vec![trusted],
        ..Options::default()
    };
    let verify = |view: &View<'_>| presight_verify::verify(&unverified, &request, view, &options);
    let verification = drive::run_recorded(&view.snapshot, verify)
        .value
        .map_err(|_| anyhow!("the recorded view was left with open reads"))?;

    // Through its bytes, as anyone would get it.
    let witness: ViewFile = file::parse(file::to_json(&witness).as_bytes())?;
    let replayed = presight_verify::replay(&unverified, &request, &witness, &config);

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

fn source() -> Result<(Source, SigningKey), Failure> {
    let document: serde_json::Value =
        serde_json::from_slice(SOURCE).context("the example's source is JSON")?;
    let text = |member: &str| document[member].as_str().context("the example's source is whole");
    let key = SigningKey::from_hex(text("key")?.as_bytes())?;
    let registry = AccountId::parse(text("registry")?, "/registry")?;
    let agent_id = presight_wire::hex::decimal(text("agentId")?, "/agentId")?;
    let signer = AccountId::new(registry.chain.clone(), key.address());
    Ok((
        Source {
            registry,
            agent_id,
            signer,
        },
        key,
    ))
}
