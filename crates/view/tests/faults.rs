//! One fault at a time, at every call of a run: every fact is the true one or not read.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use presight_testnode::Node;
use presight_view::fault::{Fault, FaultPlan};
use presight_view::rpc::{BlockTag, ChainSettings};
use presight_view::{file, run_recorded};
use presight_wire::Reason;
use std::collections::BTreeSet;
use support::{core, deploy_proxy, drive, faulty};

/// Faults every call in every way, and gives the runs made, those with an unread fact, and the calls of a clean run.
async fn campaign(prove: bool) -> Option<(usize, usize, usize)> {
    let node = Node::start(&[])?;
    // One block earlier there is no proxy, so that an answer for the parent is another answer.
    let proxy = deploy_proxy(&node);
    let head = node.head().unwrap()["number"].as_str().unwrap().to_owned();
    let block = BlockTag::parse(&head).unwrap();
    let settings = ChainSettings {
        block,
        prove,
        ..ChainSettings::default()
    };

    let clean = drive(&mut faulty(&node.url(), settings, None), proxy).await;
    assert_eq!(clean.value.reasons(), []);
    let (mut runs, mut with_unread) = (0, 0);
    for fault in Fault::ALL {
        if fault.needs_proofs() && !prove {
            continue;
        }
        let mut felt = BTreeSet::new();
        for index in 0..clean.calls {
            let plan = FaultPlan { index, fault };
            let driven = drive(&mut faulty(&node.url(), settings, Some(plan)), proxy).await;
            runs += 1;
            assert!(
                driven.value.are_those_of_or_not_read(&clean.value),
                "{plan:?}: {:?}\n{:?}\n{:?}",
                driven.value,
                clean.value,
                driven.problems
            );
            if !driven.value.reasons().is_empty() {
                with_unread += 1;
                assert!(!driven.problems.is_empty(), "{plan:?} is not named");
            }
            if driven.value != clean.value || !driven.problems.is_empty() {
                felt.insert(index);
            }
            if fault == Fault::Timeout {
                assert!(
                    driven
                        .value
                        .reasons()
                        .iter()
                        .all(|reason| *reason == Reason::Timeout),
                    "{plan:?}"
                );
            }
            let witness = file::parse(file::to_json(&driven.witness()).as_bytes()).unwrap();
            assert_eq!(
                run_recorded(&witness.snapshot, core(proxy)).value,
                driven.value,
                "{plan:?}"
            );
        }
        assert!(felt.len() > 3, "{fault:?} was felt at {felt:?} only");
    }
    Some((runs, with_unread, clean.calls))
}

#[tokio::test]
async fn plain_reads_under_every_fault_that_shows() {
    let Some((runs, with_unread, calls)) = campaign(false).await else {
        return;
    };
    println!("{runs} runs over {calls} calls, {with_unread} with a fact not read");
    assert!(with_unread > calls);
}

#[tokio::test]
async fn proved_reads_under_every_fault() {
    let Some((runs, with_unread, calls)) = campaign(true).await else {
        return;
    };
    println!("{runs} runs over {calls} calls, {with_unread} with a fact not read");
    assert!(with_unread > calls);
}

/// Why proving exists, and that the campaign can fail: a node that answers for another block is believed otherwise.
#[tokio::test]
async fn a_plain_read_cannot_tell_another_block_s_answer() {
    let Some(node) = Node::start(&[]) else { return };
    let proxy = deploy_proxy(&node);
    let clean = drive(&mut faulty(&node.url(), ChainSettings::default(), None), proxy).await;
    let mut lies = 0;
    for index in 2..clean.calls {
        let plan = FaultPlan {
            index,
            fault: Fault::ParentBlock,
        };
        let driven = drive(
            &mut faulty(&node.url(), ChainSettings::default(), Some(plan)),
            proxy,
        )
        .await;
        lies += usize::from(!driven.value.are_those_of_or_not_read(&clean.value));
    }
    assert!(lies >= 3, "balance, nonce and code of the block before: {lies}");
}
