//! Same request, view, clock and key: the same bytes, whatever the hash seeds and the order answers come in.

mod binary;

use binary::{Folder, arg, presight, root};
use presight_view::drive::{self, Backend};
use presight_view::file;
use presight_view::problem::Problem;
use presight_view::{Answer, Snapshot, Want};
use presight_wire::Reason::Unavailable as UNAVAILABLE;
use presight_wire::Request;
use presight_wire::report::Source;
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::time::Instant;

fn example(name: &str) -> Vec<u8> {
    std::fs::read(root().join("examples/approve").join(name)).expect("the example is whole")
}

#[test]
fn a_hundred_processes_print_the_same_report() {
    let folder = Folder::new();
    let key = folder.write(
        "key",
        "0x4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356",
    );
    let example = |name: &str| arg(&root().join("examples/approve").join(name));
    let run = || {
        presight([
            "report",
            &example("request.json"),
            "--view",
            &example("view.json"),
            "--key-file",
            &arg(&key),
        ])
    };
    let first = run();
    assert_eq!(first.code, 0, "{}", first.stderr);
    for _ in 1..100 {
        assert_eq!(run().stdout, first.stdout);
    }
}

/// Answers from a recorded view: in each wave only a few of the wants, in an order that a seed decides.
struct Shuffled {
    recorded: Snapshot,
    seed: u64,
}

impl Shuffled {
    fn next(&mut self) -> u64 {
        // Knuth's MMIX generator: any order will do.
        self.seed = self
            .seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.seed >> 33
    }

    fn answer(&self, want: &Want, snapshot: &mut Snapshot) {
        let Some((chain, held)) = want
            .chain()
            .and_then(|chain| Some((chain, self.recorded.chains.get(chain)?)))
        else {
            return;
        };
        let chain = snapshot.chains.entry(chain.clone()).or_insert_with(|| {
            let mut empty = held.clone();
            empty.accounts.clear();
            empty.block_hashes.clear();
            empty
        });
        let account = |address| held.accounts.get(address).cloned().unwrap_or_default();
        match want {
            Want::Balance(_, a) => {
                chain.accounts.entry(*a).or_default().balance =
                    Some(account(a).balance.unwrap_or(Answer::Failed(UNAVAILABLE)));
            }
            Want::Nonce(_, a) => {
                chain.accounts.entry(*a).or_default().nonce =
                    Some(account(a).nonce.unwrap_or(Answer::Failed(UNAVAILABLE)));
            }
            Want::Code(_, a) => {
                chain.accounts.entry(*a).or_default().code =
                    Some(account(a).code.unwrap_or(Answer::Failed(UNAVAILABLE)));
            }
            Want::Storage(_, a, slot) => {
                let value = account(a)
                    .storage
                    .get(slot)
                    .cloned()
                    .unwrap_or(Answer::Failed(UNAVAILABLE));
                chain.accounts.entry(*a).or_default().storage.insert(*slot, value);
            }
            Want::BlockHash(_, number) => {
                let hash = held.block_hashes.get(number).cloned();
                chain
                    .block_hashes
                    .insert(*number, hash.unwrap_or(Answer::Failed(UNAVAILABLE)));
            }
            // A report reads no other block.
            Want::Header(_, number) => {
                chain.headers.insert(*number, Answer::Failed(UNAVAILABLE));
            }
            Want::Block(_)
            | Want::Document(_)
            | Want::Answer(_)
            | Want::NodeExecution(..)
            | Want::History(..)
            | Want::Authorizations(..)
            | Want::SourceVerification(..)
            | Want::CallHint(..) => {}
        }
    }
}

impl Backend for Shuffled {
    fn expect(&mut self, _: BTreeSet<Want>) {}

    async fn fetch(&mut self, wants: &BTreeSet<Want>, snapshot: &mut Snapshot, _: Instant) {
        let mut wants: Vec<&Want> = wants.iter().filter(|want| !want.is_hint()).collect();
        let few = 1 + usize::try_from(self.next()).expect("31 bits") % wants.len();
        for _ in 0..few {
            let at = usize::try_from(self.next()).expect("31 bits") % wants.len();
            self.answer(wants.swap_remove(at), snapshot);
        }
    }

    async fn confirm(&mut self, _: &mut Snapshot, _: Instant) -> bool {
        true
    }

    fn calls(&self) -> usize {
        0
    }

    fn take_problems(&mut self) -> Vec<Problem> {
        Vec::new()
    }
}

#[test]
fn the_order_of_answers_cannot_be_seen() {
    let request = Request::parse(&example("request.json")).expect("a request");
    let decoded = presight_decode::decode(&request).expect("decodes");
    let recorded = file::parse(&example("view.json")).expect("a view").snapshot;
    let source: serde_json::Value = serde_json::from_slice(&example("source.json")).expect("JSON");
    let registry =
        presight_wire::AccountId::parse(source["registry"].as_str().expect("text"), "").expect("an account");
    let source = Source {
        signer: registry.clone(),
        registry,
        agent_id: Default::default(),
    };
    let core = |view: &presight_view::View<'_>| {
        presight_source::assemble(
            view,
            &request,
            &decoded,
            &source,
            &presight_source::Config::default(),
        )
    };
    let expected = drive::run_recorded(&recorded, core)
        .value
        .expect("a report")
        .to_value()
        .to_string();

    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime");
    let mut waves = BTreeSet::new();
    for seed in 0..100 {
        let mut backend = Shuffled {
            recorded: recorded.clone(),
            seed,
        };
        let driven = runtime.block_on(drive::run(
            &mut backend,
            recorded.clock,
            Duration::from_secs(60),
            core,
        ));
        waves.insert(driven.waves);
        assert_eq!(
            driven.value.expect("a report").to_value().to_string(),
            expected,
            "seed {seed}"
        );
    }
    assert!(
        waves.len() > 1,
        "the answers always came in the same waves: nothing was shuffled"
    );
}
