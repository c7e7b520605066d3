//! No lie under faults: every call of a run is spoiled in every way, one at a time. Each finding then equals the
//! faultless one or is not read, and the report is valid.

mod requests;
mod stage;

use alloy_primitives::U256;
use presight_decode::Decoded;
use presight_view::drive;
use presight_view::fault::{Fault, FaultPlan, Faulty};
use presight_view::rpc::{BlockTag, ChainSettings, Http, RetrySettings, Retrying, Rpc};
use presight_wire::report::{Entities, EntityRef, Finding, Outcome, Report, Source, TextEntity};
use presight_wire::{AccountId, ChainId, Reason, Request, Timestamp};
use stage::{SIGNER, Stage};
use std::collections::{HashMap, HashSet};
use std::time::Duration;

const CLOCK: Timestamp = Timestamp(1_795_000_100);

struct Subject {
    request: Request,
    decoded: Decoded,
    source: Source,
}

/// One run over the node with a plan; the report, and the calls and waves it took.
async fn run(
    http: &Http,
    subject: &Subject,
    prove: bool,
    block: BlockTag,
    plan: Option<FaultPlan>,
) -> (Report, usize, usize) {
    let transport = Faulty::new(Retrying::new(http.clone(), RetrySettings::default()), plan);
    let counter = transport.counter();
    let settings = ChainSettings {
        prove,
        block,
        ..ChainSettings::default()
    };
    let mut rpc = Rpc::new().with_chain(ChainId::evm(31337), transport, settings);
    let driven = drive::run(&mut rpc, CLOCK, Duration::from_secs(30), |view| {
        presight_source::assemble(
            view,
            &subject.request,
            &subject.decoded,
            &subject.source,
            &presight_source::Config::default(),
        )
    })
    .await;
    let report = driven.value.expect("nothing is left to read");
    (
        report,
        counter.load(std::sync::atomic::Ordering::SeqCst),
        driven.waves,
    )
}

/// Whether a finding under a fault is no lie.
fn is_honest(faulty: &Finding, faultless: &Finding) -> bool {
    let same_place = (&faulty.kind, &faulty.entity, &faulty.param)
        == (&faultless.kind, &faultless.entity, &faultless.param);
    same_place
        && match &faulty.outcome {
            // A value of the request's bytes stays read when the block it would hold at is not known (I-35).
            Outcome::Read(_) => {
                let from_bytes = faulty.at.is_none() && faulty.evidence.is_empty();
                faulty.outcome == faultless.outcome
                    && faulty.evidence == faultless.evidence
                    && (faulty.at == faultless.at || from_bytes)
            }
            Outcome::NotRead(reason) => {
                faulty.outcome == faultless.outcome || matches!(reason, Reason::Unavailable | Reason::Timeout)
            }
        }
}

/// What a finding is about, whatever its position: entities that only the simulation shows may be missing under a
/// fault, and later ones then stand elsewhere.
fn place(finding: &Finding, report: &Report) -> Place {
    let entity = match &finding.entity {
        EntityRef::Approval(index) => {
            let approvals = &report.entities.approvals;
            let before = approvals[..*index].iter().filter(|a| **a == approvals[*index]);
            format!("{:?} {}", approvals[*index], before.count())
        }
        EntityRef::Text(index) => {
            let text = report.entities.texts.iter().find(|text| text.index == *index);
            let text = text.expect("a listed text");
            match &text.reference {
                Some(reference) => format!("{} of {reference}", text.field),
                None => format!("{} {index}", text.field),
            }
        }
        other => format!("{other:?}"),
    };
    let param = finding.param.as_ref().map(ToString::to_string);
    (finding.kind.clone(), entity, param)
}

/// Kind, entity and param.
type Place = (String, String, Option<String>);

/// Whether everything the simulation shows is in a report.
fn is_simulated(report: &Report) -> bool {
    let coverage = report
        .findings
        .iter()
        .filter(|f| f.kind == "presight.effects.coverage");
    coverage
        .into_iter()
        .all(|f| matches!(f.outcome, Outcome::Read(_)))
}

/// Findings that depend on a reading may be listed or not with it (I-13), and entities with the simulation: those the
/// faulty report has and the faultless has not must be not read, and what the faulty report lacks must be of the
/// simulation, which then is not read.
fn compare(faulty: &Report, faultless: &Report, what: &str) {
    presight_source::sign::check_structure(faulty, &dummy_kinds()).unwrap_or_else(|e| panic!("{what}: {e}"));
    let (a, b) = (&faulty.entities, &faultless.entities);
    let nothing_made_up = a.tokens.iter().all(|token| b.tokens.contains(token))
        && a.approvals.iter().all(|approval| b.approvals.contains(approval))
        && a.addresses.iter().all(|address| b.addresses.contains(address));
    assert!(
        nothing_made_up && a.payment == b.payment,
        "{what}: other entities"
    );
    let counts = |e: &Entities| {
        (
            e.tokens.len(),
            e.approvals.len(),
            e.addresses.len(),
            e.texts.len(),
        )
    };
    let complete = is_simulated(faulty);
    assert!(
        !complete || counts(a) == counts(b),
        "{what}: entities were dropped"
    );
    let text = |t: &TextEntity| (t.field.clone(), t.reference.clone());
    for a in &faulty.entities.texts {
        let same = faultless
            .entities
            .texts
            .iter()
            .find(|b| text(a) == text(b) && (a.reference.is_some() || a.index == b.index));
        let same = same.unwrap_or_else(|| panic!("{what}: a text from nowhere"));
        assert!(
            a.digest == same.digest || a.digest.is_zero(),
            "{what}: a made-up text"
        );
    }
    for block in &faulty.blocks {
        assert!(faultless.blocks.contains(block), "{what}: another block");
    }
    let places = |report: &Report| -> HashMap<Place, Finding> {
        let findings = report.findings.iter();
        findings
            .map(|finding| (place(finding, report), finding.clone()))
            .collect()
    };
    let (faulty, faultless) = (places(faulty), places(faultless));
    for (place, finding) in &faulty {
        match faultless.get(place) {
            Some(faultless) => assert!(
                is_honest(finding, faultless),
                "{what}: {finding:?}\nfaultless: {faultless:?}"
            ),
            None => assert!(
                matches!(
                    finding.outcome,
                    Outcome::NotRead(Reason::Unavailable | Reason::Timeout)
                ),
                "{what}: a finding from nowhere: {finding:?}"
            ),
        }
    }
    let listed: HashSet<&String> = faulty.keys().map(|(_, entity, _)| entity).collect();
    for place in faultless.keys() {
        let of_simulation = place.0.starts_with("presight.effects.") || !listed.contains(&place.1);
        assert!(
            faulty.contains_key(place) || (!complete && of_simulation),
            "{what}: {place:?} was dropped"
        );
    }
}

/// A request that leaves every kind asked for.
fn dummy_kinds() -> Request {
    Request::from_value(stage::request(&[stage::request_call(SIGNER, "0x")])).expect("a request")
}

#[test]
fn every_call_spoiled_in_every_way() {
    let Some(stage) = Stage::set() else { return };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let http = Http::new(&stage.node.url(), Duration::from_secs(10)).expect("a URL");
    let account =
        |address: &str| AccountId::parse(&format!("eip155:31337:{address}"), "").expect("an account");
    let source = Source {
        registry: account(&stage.registry),
        agent_id: U256::from(stage.agent_id),
        signer: account(SIGNER),
    };
    let requests = requests::all(&stage);
    assert!(requests.len() >= 12);
    let (mut runs, mut silenced) = (0, 0);
    for (name, document) in requests {
        let request = Request::from_value(document).unwrap_or_else(|e| panic!("{name}: {e}"));
        let decoded = presight_decode::decode(&request).unwrap_or_else(|e| panic!("{name}: {e}"));
        let subject = Subject {
            request,
            decoded,
            source: source.clone(),
        };
        for prove in [false, true] {
            let (faultless, calls, waves) =
                runtime.block_on(run(&http, &subject, prove, BlockTag::Latest, None));
            let read = faultless
                .findings
                .iter()
                .filter(|f| matches!(f.outcome, Outcome::Read(_)))
                .count();
            assert!(read > 0, "{name}: nothing is read without faults");
            println!("{name}, prove {prove}: {calls} calls in {waves} waves, {read} facts read");
            // The pin, what the call hints name, what that touches, the pin again. A long name takes another wave.
            if name.starts_with("approve without limit") {
                assert!(waves <= 4, "{name}: {waves} waves");
            }
            for index in 0..calls {
                // Without proofs a node is trusted for well-formed values; proving is how that is not needed.
                for fault in Fault::ALL
                    .into_iter()
                    .filter(|fault| prove || !fault.needs_proofs())
                {
                    let plan = FaultPlan { index, fault };
                    let (faulty, _, _) =
                        runtime.block_on(run(&http, &subject, prove, BlockTag::Latest, Some(plan)));
                    let what = format!("{name}, prove {prove}, call {index}, {fault:?}");
                    match faulty.blocks.first() {
                        // A node that takes an older block for the newest gives true facts of that block.
                        Some(older) if !faultless.blocks.contains(older) => {
                            let older = BlockTag::Hash(older.hash);
                            let (there, _, _) = runtime.block_on(run(&http, &subject, prove, older, None));
                            compare(&faulty, &there, &what);
                        }
                        _ => compare(&faulty, &faultless, &what),
                    }
                    runs += 1;
                    silenced += usize::from(faulty != faultless);
                }
            }
        }
    }
    // A campaign whose faults change nothing would show nothing.
    assert!(
        silenced > runs / 4,
        "only {silenced} of {runs} faults had an effect"
    );
    println!(
        "{runs} runs with one fault each, {silenced} of them with facts not read, none with a wrong one"
    );
}
