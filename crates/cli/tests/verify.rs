//! The consumer's side against a real node: registration files from the web, anchored reports, attached reports,
//! witnesses.

mod binary;
mod stage;

use alloy_primitives::{U256, hex};
use binary::{Folder, Run, arg, presight};
use presight_testnode::{Page, Site};
use presight_verify::anchoring::{attribute, locate};
use presight_verify::{Options, Unverified};
use presight_view::drive::{self, Driven};
use presight_view::rpc::{BlockTag, ChainSettings, Http, Rpc};
use presight_view::{View, file};
use presight_wire::report::hash_of;
use presight_wire::report::sign::{SigningKey, signing_hash};
use presight_wire::{AccountId, ChainId, Request, Timestamp};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use stage::{KEY, SIGNER, Stage, approve, call, request, request_call, text, uint};
use std::time::Duration;

const SPENDER: &str = "0x00000000000000000000000000000000005be4de";

/// A stage, a request on it, and the files of both.
struct Scene {
    stage: Stage,
    folder: Folder,
}

impl Scene {
    fn set() -> Option<Self> {
        let stage = Stage::set()?;
        let folder = Folder::new();
        let token = stage.token("Example Dollar", "EXD", 6, U256::from(1_000_000));
        let calls = [request_call(&token, &approve(SPENDER, U256::MAX))];
        folder.write("request.json", request(&calls).to_string());
        folder.write("key", KEY);
        Some(Self { stage, folder })
    }

    /// Writes the signed report of a request file, and its witness.
    fn report(&self, request: &str) -> Value {
        let mut arguments = vec!["report".to_owned(), self.file(request)];
        arguments.extend(["--key-file".to_owned(), self.file("key")]);
        arguments.extend(["--witness".to_owned(), self.file("witness.json")]);
        arguments.extend(self.stage.rpc());
        arguments.extend(self.stage.identity());
        let run = presight(&arguments);
        assert_eq!(run.code, 0, "{}", run.stderr);
        std::fs::write(self.folder.path("report.json"), &run.stdout).expect("writes");
        run.json()
    }

    fn verify(&self, more: &[&str]) -> Run {
        let mut arguments = vec!["verify".to_owned(), self.file("report.json")];
        arguments.extend(["--request".to_owned(), self.file("request.json")]);
        self.run(arguments, more)
    }

    fn verify_envelope(&self, more: &[&str]) -> Run {
        let arguments = vec![
            "verify".to_owned(),
            "--envelope".to_owned(),
            self.file("envelope.json"),
        ];
        self.run(arguments, more)
    }

    fn run(&self, mut arguments: Vec<String>, more: &[&str]) -> Run {
        arguments.extend(self.stage.rpc());
        arguments.push("--json".to_owned());
        arguments.extend(more.iter().map(|word| (*word).to_owned()));
        presight(&arguments)
    }

    fn file(&self, name: &str) -> String {
        arg(&self.folder.path(name))
    }

    fn set_agent_uri(&self, uri: &str) {
        let id = uint(U256::from(self.stage.agent_id));
        let data = call("setAgentURI(uint256,string)", &[id, text(uri)]);
        let receipt = self.stage.node.call_in_transaction(&self.stage.registry, &data);
        assert_eq!(receipt.expect("a receipt")["status"], "0x1");
    }

    fn trust(&self) -> String {
        format!("eip155:31337:{}/{}", self.stage.registry, self.stage.agent_id)
    }
}

fn registration() -> Vec<u8> {
    let signers = [format!("eip155:31337:{SIGNER}")];
    json!({ "services": [{ "name": "presign-risk-report", "signers": signers }] })
        .to_string()
        .into_bytes()
}

#[track_caller]
fn assert_step(run: &Run, name: &str, status: &str) {
    let document = run.json();
    let steps = document["steps"].as_array().expect("steps");
    let step = steps.iter().find(|step| step["step"] == name).expect("the step");
    assert_eq!(step["status"], status, "{step} {}", run.stderr);
}

#[test]
fn a_registration_file_comes_from_the_web_when_it_may() {
    let Some(scene) = Scene::set() else { return };
    let site = Site::start(|path| match path {
        "/agent.json" => Page::Document("application/json", registration()),
        _ => Page::Document("application/json", br#"{"services":[]}"#.to_vec()),
    });
    scene.set_agent_uri(&format!("{}/agent.json", site.url()));
    scene.report("request.json");
    let refused = scene.verify(&[]);
    assert_eq!(refused.code, 30);
    assert_step(&refused, "identity", "not-read");
    assert!(refused.stderr.contains("document-refused"), "{}", refused.stderr);
    assert!(site.asked().is_empty());
    assert_eq!(scene.verify(&["--allow-loopback-documents"]).code, 0);
    scene.set_agent_uri(&format!("{}/empty.json", site.url()));
    let removed = scene.verify(&["--allow-loopback-documents"]);
    assert_eq!(removed.code, 20);
    assert_step(&removed, "identity", "fail");
}

#[test]
fn a_registration_file_of_ipfs_is_what_its_name_says() {
    let Some(scene) = Scene::set() else { return };
    let cid = format!("f01551220{}", hex::encode(Sha256::digest(registration())));
    let gateway =
        |body: Vec<u8>| Site::start(move |_| Page::Document("application/vnd.ipld.raw", body.clone()));
    let (honest, lying) = (gateway(registration()), gateway(br#"{"services":[]}"#.to_vec()));
    scene.set_agent_uri(&format!("ipfs://{cid}"));
    scene.report("request.json");
    assert_step(&scene.verify(&[]), "identity", "not-read");
    assert_eq!(scene.verify(&["--ipfs-gateway", &honest.url()]).code, 0);
    let lied = scene.verify(&["--ipfs-gateway", &lying.url()]);
    assert_eq!(lied.code, 30);
    assert_step(&lied, "identity", "not-read");
    assert!(lied.stderr.contains("ipfs-hash-mismatch"), "{}", lied.stderr);
}

#[test]
fn an_anchored_report_counts_after_its_key_is_removed() {
    let Some(scene) = Scene::set() else { return };
    scene.report("request.json");
    let node = &scene.stage.node;
    let later = |seconds: u64| {
        node.request("evm_increaseTime", &json!([seconds]))
            .expect("time passes")
    };
    later(60);
    let [report, key] = ["report.json", "key"].map(|name| scene.file(name));
    let mut arguments = vec![
        "anchor".to_owned(),
        report,
        "--deploy".to_owned(),
        "--json".to_owned(),
    ];
    arguments.extend(["--key-file".to_owned(), key]);
    arguments.extend(scene.stage.rpc());
    let anchored = presight(&arguments);
    assert_eq!(anchored.code, 0, "{}", anchored.stderr);
    let contract = anchored.json()["contract"]
        .as_str()
        .expect("an address")
        .to_lowercase();
    let contract = format!("eip155:31337:{contract}");
    // The chain has not passed the time of the anchoring yet.
    let early = scene.verify(&["--anchored", &contract]);
    assert_eq!(early.code, 30);
    assert_step(&early, "registry-block", "not-read");
    later(60);
    scene.set_agent_uri("data:application/json,{\"services\":[]}");
    later(60);
    node.mine(1).expect("a block");

    let attributed = scene.verify(&["--anchored", &contract]);
    assert_eq!(attributed.code, 0, "{} {}", attributed.text(), attributed.stderr);
    let document = attributed.json();
    assert_eq!(document["conclusion"], "verified");
    assert_eq!(document["anchoring"]["contract"], contract);
    assert_eq!(document["registryBlock"]["block"], document["anchoring"]["block"]);
    assert_step(&attributed, "identity", "pass");

    // The contract by the transaction that anchored it there.
    let transaction = anchored.json()["transaction"]
        .as_str()
        .expect("a hash")
        .to_owned();
    let by_transaction = |hash: &str| scene.verify(&["--anchored", &format!("eip155:31337:{hash}")]);
    assert_eq!(by_transaction(&transaction).stdout, attributed.stdout);
    let unknown = by_transaction(&format!("0x{}", "12".repeat(32)));
    assert_eq!(
        (unknown.code, &unknown.json()["error"]["code"]),
        (2, &json!("no-receipt"))
    );
    recorded_views_attribute_the_same(&scene, &contract, &attributed);

    let now = scene.verify(&[]);
    assert_eq!(now.code, 20);
    assert_step(&now, "identity", "fail");
    // No contract, no anchoring.
    let elsewhere = scene.verify(&["--anchored", &format!("eip155:31337:{SPENDER}")]);
    assert_eq!(elsewhere.code, 30);
    // Another report of the source was not anchored.
    scene.report("request.json");
    let not_anchored = scene.verify(&["--anchored", &contract]);
    assert_eq!(not_anchored.code, 20);
    assert_step(&not_anchored, "anchored", "fail");
    let of_another = by_transaction(&transaction);
    assert_eq!(
        (of_another.code, &of_another.json()["error"]["code"]),
        (2, &json!("no-anchoring"))
    );
}

/// `--view` with `--past-view`: the views of today and of the registry's block of the anchoring, as they were read.
fn recorded_views_attribute_the_same(scene: &Scene, contract: &str, attributed: &Run) {
    let bytes = |name: &str| std::fs::read(scene.folder.path(name)).expect("a file");
    let report = Unverified::parse(&bytes("report.json")).expect("a report");
    let request = Request::parse(&bytes("request.json")).expect("a request");
    let anchor = AccountId::parse(contract, "").expect("an account");
    let today = over_node(scene, BlockTag::Latest, |view| locate(&report, &anchor, view));
    let located = today.value.clone().expect("nothing is pending");
    let block = located.past_block().expect("the registry's block").block.hash;
    let then = over_node(scene, BlockTag::Hash(block), |view| {
        attribute(&report, &request, &located, view, &Options::default())
    });
    let mut pruned = then.witness();
    for chain in pruned.chains.values_mut() {
        chain.accounts.clear();
    }
    for (name, view) in [
        ("today", today.witness()),
        ("then", then.witness()),
        ("pruned", pruned),
    ] {
        scene.folder.write(name, file::to_json(&view));
    }
    let over = |past: Option<&str>| {
        let mut arguments = ["verify", "--json", "--anchored", contract]
            .map(str::to_owned)
            .to_vec();
        arguments.extend([
            scene.file("report.json"),
            "--request".to_owned(),
            scene.file("request.json"),
        ]);
        arguments.extend(["--view".to_owned(), scene.file("today")]);
        if let Some(past) = past {
            arguments.extend(["--past-view".to_owned(), scene.file(past)]);
        }
        presight(&arguments)
    };
    let recorded = over(Some("then"));
    assert_eq!(recorded.code, 0, "{} {}", recorded.text(), recorded.stderr);
    assert_eq!(recorded.stdout, attributed.stdout);
    // No archive state is not read, never unsigned; nor is the state of another block that of this one.
    for (past, step) in [
        (Some("pruned"), "identity"),
        (Some("today"), "signature"),
        (None, "signature"),
    ] {
        let unread = over(past);
        assert_eq!(unread.code, 30, "{past:?} {}", unread.text());
        assert_step(&unread, step, "not-read");
    }
}

fn over_node<T>(scene: &Scene, block: BlockTag, core: impl Fn(&View<'_>) -> T) -> Driven<T> {
    let http = Http::new(&scene.stage.node.url(), Duration::from_secs(10)).expect("a URL");
    let settings = ChainSettings {
        block,
        ..ChainSettings::default()
    };
    let mut rpc = Rpc::new().with_chain(ChainId::evm(31_337), http, settings);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let clock = Timestamp(1_795_001_000);
    runtime.block_on(drive::run(&mut rpc, clock, Duration::from_secs(20), core))
}

#[test]
fn attached_reports_count_only_when_their_source_was_chosen() {
    let Some(scene) = Scene::set() else { return };
    let mut envelope: Value = serde_json::from_str(include_str!("data/envelope-request.json")).expect("JSON");
    let mut envelope = envelope["subject"]["envelope"].take();
    envelope["content"]["chain"] = json!("eip155:31337");
    let subject = json!({ "type": "erc8265-envelope", "envelope": envelope });
    let wrapped = json!({ "version": "erc-presign/1", "subject": subject });
    scene.folder.write("wrapped.json", wrapped.to_string());
    let report = scene.report("wrapped.json");
    scene.folder.write("envelope.json", envelope.to_string());
    assert_eq!(scene.verify_envelope(&[]).code, 30);

    envelope["risk"] = json!({ "action": "ALLOW", "warnings": [], "reports": [report] });
    scene.folder.write("envelope.json", envelope.to_string());
    let unchosen = scene.verify_envelope(&[]);
    assert_eq!(unchosen.code, 30);
    assert_eq!(unchosen.json()["reports"][0]["chosen"], false);
    let chosen = scene.verify_envelope(&["--trust", &scene.trust()]);
    assert_eq!(chosen.code, 0, "{}", chosen.text());
    assert_eq!(chosen.json()["reports"][0]["chosen"], true);
    let pinned = format!("{}=eip155:31337:{SPENDER}", scene.trust());
    assert_eq!(scene.verify_envelope(&["--trust", &pinned]).code, 20);

    envelope["risk"]["reports"][0]["findings"][0]["status"] = json!("read");
    envelope["risk"]["reports"][0]["method"] = json!("other");
    scene.folder.write("envelope.json", envelope.to_string());
    let forged = scene.verify_envelope(&["--trust", &scene.trust()]);
    assert_eq!(
        (forged.code, &forged.json()["conclusion"]),
        (20, &json!("rejected"))
    );
}

#[test]
fn a_witness_confirms_or_denies_each_finding() {
    let Some(scene) = Scene::set() else { return };
    let report = scene.report("request.json");
    let witness = scene.file("witness.json");
    let confirmed = scene.verify(&["--witness", &witness]);
    assert_eq!(confirmed.code, 0, "{}", confirmed.text());
    assert_step(&confirmed, "replay", "pass");
    let findings = confirmed.json()["findings"].as_array().expect("findings").clone();
    assert_eq!(
        findings.len(),
        report["findings"].as_array().expect("findings").len()
    );
    assert!(findings.iter().all(|finding| finding == "confirmed"));

    let mut other: Value =
        serde_json::from_slice(&std::fs::read(&witness).expect("a witness")).expect("JSON");
    let accounts = other["chains"][0]["accounts"].as_object_mut().expect("accounts");
    accounts.retain(|address, _| address == SPENDER);
    let emptied = arg(&scene.folder.write("emptied.json", other.to_string()));
    let unknown = scene.verify(&["--witness", &emptied]);
    assert_eq!(unknown.code, 0, "{}", unknown.text());
    assert_step(&unknown, "replay", "not-read");

    accounts_of(&mut other).insert(SPENDER.to_owned(), json!({ "code": "0x6001" }));
    let denying = arg(&scene.folder.write("denying.json", other.to_string()));
    let denied = scene.verify(&["--witness", &denying]);
    assert_eq!(denied.code, 20, "{}", denied.text());
    assert_step(&denied, "replay", "fail");
    assert!(
        denied.json()["findings"]
            .as_array()
            .expect("findings")
            .contains(&json!("different"))
    );
}

fn accounts_of(view: &mut Value) -> &mut serde_json::Map<String, Value> {
    view["chains"][0]["accounts"].as_object_mut().expect("accounts")
}

#[test]
fn bounds_are_given_for_all_chains_or_for_one() {
    let Some(scene) = Scene::set() else { return };
    scene.report("request.json");
    scene.stage.node.mine(20).expect("blocks");
    assert_eq!(scene.verify(&["--max-age-blocks", "20"]).code, 0);
    assert_eq!(scene.verify(&["--max-age-blocks", "19"]).code, 20);
    assert_eq!(
        scene
            .verify(&["--max-age-blocks", "19", "--max-age-blocks", "31337=20"])
            .code,
        0
    );
    assert_eq!(scene.verify(&["--max-age-blocks", "eip155:31337=19"]).code, 20);
    assert_eq!(scene.verify(&["--max-age-blocks", "few"]).code, 2);
}

#[test]
fn a_received_report_is_judged_only_when_it_is_verified() {
    let Some(scene) = Scene::set() else { return };
    let report = scene.report("request.json");
    let check = |more: &[&str]| {
        let mut arguments = vec!["check".to_owned(), scene.file("request.json")];
        arguments.extend(["--from-report".to_owned(), scene.file("report.json")]);
        scene.run(arguments, more)
    };
    let own = scene.run(
        vec![
            "check".to_owned(),
            scene.file("request.json"),
            "--unsigned".to_owned(),
        ],
        &[],
    );
    let judged = check(&["--trust", &scene.trust()]);
    assert_eq!(judged.code, own.code, "{} {}", judged.text(), judged.stderr);
    for member in ["verdict", "reasons"] {
        assert_eq!(judged.json()[member], own.json()[member]);
    }
    assert_eq!(judged.json()["verification"]["conclusion"], "verified");

    // Another source, and a report that somebody changed: absent.
    let other = format!(
        "eip155:31337:{}/{}",
        scene.stage.registry,
        scene.stage.agent_id + 1
    );
    let mut forged = report.clone();
    for finding in forged["findings"].as_array_mut().expect("findings") {
        if finding["kind"] == "erc.presign.approval.unlimited" {
            finding["value"] = json!(false);
        }
    }
    let absent = |run: &Run| {
        assert_eq!(run.code, 30, "{} {}", run.text(), run.stderr);
        let document = run.json();
        assert_eq!(document["verdict"], Value::Null);
        assert_ne!(document["verification"]["conclusion"], "verified");
        assert_eq!(document.get("reasons"), None);
    };
    absent(&check(&["--trust", &other]));
    scene.folder.write("report.json", forged.to_string());
    absent(&check(&[]));

    // What a source that signs it leaves out counts as not read, and not as clean.
    let mut gaps = report.clone();
    let findings = gaps["findings"].as_array_mut().expect("findings");
    findings.retain(|finding| finding["kind"] != "erc.presign.approval.unlimited");
    scene.folder.write("report.json", sign(gaps).to_string());
    let judged = check(&[]);
    assert_eq!(
        judged.json()["verification"]["conclusion"],
        "verified",
        "{}",
        judged.text()
    );
    assert_ne!(judged.code, 0);
    let missing = judged.json()["notRead"]
        .as_array()
        .expect("a list")
        .iter()
        .any(|fact| {
            (&fact["kind"], &fact["reason"]) == (&json!("erc.presign.approval.unlimited"), &json!("missing"))
        });
    assert!(missing, "{}", judged.text());
}

/// The report as it stands, signed by its source.
fn sign(mut report: Value) -> Value {
    let key = SigningKey::from_hex(KEY.as_bytes()).expect("a key");
    let digest = |name: &str| report[name].as_str().expect("text").parse().expect("a digest");
    let hash = signing_hash(
        31_337,
        digest("subjectDigest"),
        digest("contextDigest"),
        hash_of(&report),
    );
    report["signature"] = json!(key.sign(hash));
    report
}
