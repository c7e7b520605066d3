//! Anchored reports on two real chains: what counts against a source as of the anchoring, and what is verified now.
#![allow(clippy::unwrap_used)]

mod chains;
mod common;

use alloy_primitives::Address;
use chains::{Chains, OWNER, listing};
use common::key;
use presight_testnode::{FUNDED, Proxy, Reply};
use presight_verify::Conclusion::{NotVerifiable, Rejected, Verified};
use presight_verify::Status::{Fail, NotRead, Pass};
use presight_view::fault::{Fault, FaultPlan};
use presight_view::rpc::BlockTag;
use presight_wire::report::sign::SigningKey;

/// The key of the first funded account, which owns the agent.
fn owner_key() -> SigningKey {
    SigningKey::from_hex(b"ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80").unwrap()
}

#[test]
fn a_report_anchored_while_its_key_was_listed_counts_after_the_key_is_removed() {
    let key = key(7);
    let Some(chains) = Chains::start(&listing(&[key.address()])) else {
        return;
    };
    let (early, late) = (chains.report(&key, 1), chains.report(&key, 2));
    assert_eq!(chains.verify_now(&early).conclusion(), Verified);
    chains.anchor(&early, key.address(), 1_000);
    chains.set_agent_uri(&listing(&[]), 2_000);
    chains.anchor(&late, key.address(), 3_000);
    chains.pass(10_000);

    assert_eq!(chains.attribute(&early).conclusion(), Verified);
    let attribution = chains.attribute(&late);
    assert_eq!(attribution.conclusion(), Rejected);
    assert_eq!(attribution.step("identity").unwrap().status, Fail);
    // For signing, the key vouches for neither.
    for report in [&early, &late] {
        assert_eq!(chains.verify_now(report).step("identity").unwrap().status, Fail);
    }
    let code = chains.attribute(&early).step("anchor-code").cloned().unwrap();
    assert_eq!(
        (code.status, code.detail.as_deref()),
        (Pass, Some("PresignReportAnchor"))
    );
    let attributed = chains.attribute(&early).into_attributed().unwrap();
    assert_eq!(attributed.anchoring().timestamp, chains::time(1_000));
}

#[test]
fn a_removal_in_the_second_of_the_anchoring_comes_first() {
    let key = key(7);
    let Some(chains) = Chains::start(&listing(&[key.address()])) else {
        return;
    };
    let report = chains.report(&key, 1);
    chains.set_agent_uri(&listing(&[]), 1_000);
    chains.anchor(&report, key.address(), 1_000);
    chains.pass(10_000);
    assert_eq!(chains.attribute(&report).conclusion(), Rejected);
}

#[test]
fn a_wallet_that_a_transfer_cleared_vouched_until_then() {
    let Some(chains) = Chains::start("") else { return };
    let (early, late) = (chains.report(&owner_key(), 1), chains.report(&owner_key(), 2));
    assert_eq!(chains.verify_now(&early).conclusion(), Verified);
    chains.anchor(&early, OWNER, 1_000);
    chains.transfer_agent(FUNDED[1].parse().unwrap(), 2_000);
    chains.anchor(&late, OWNER, 3_000);
    chains.pass(10_000);
    assert_eq!(chains.attribute(&early).conclusion(), Verified);
    assert_eq!(chains.attribute(&late).conclusion(), Rejected);
    assert_eq!(chains.verify_now(&early).step("identity").unwrap().status, Fail);
}

#[test]
fn a_wallet_contract_that_rotates_its_key_accepted_the_old_one_then() {
    let old = key(7);
    let Some(chains) = Chains::start("") else { return };
    let wallet = chains.deploy_wallet(old.address());
    chains.set_agent_uri(&listing(&[wallet]), 500);
    let report = chains.report_of_wallet(wallet, &old, 1);
    assert_eq!(chains.verify_now(&report).conclusion(), Verified);
    chains.anchor(&report, wallet, 1_000);
    chains.rotate(wallet, key(8).address(), 2_000);
    chains.pass(10_000);

    let attribution = chains.attribute(&report);
    assert_eq!(attribution.conclusion(), Verified);
    let accepted = attribution.step("signature").unwrap().detail.clone().unwrap();
    assert!(accepted.contains("isValidSignature"), "{accepted}");
    let now = chains.verify_now(&report);
    assert_eq!(now.step("signature").unwrap().status, Fail);
    assert_eq!(now.step("identity").unwrap().status, Pass);
}

#[test]
fn an_account_that_is_delegated_later_signed_by_its_key_then() {
    let key = key(7);
    let Some(chains) = Chains::start(&listing(&[key.address()])) else {
        return;
    };
    let report = chains.report(&key, 1);
    chains.anchor(&report, key.address(), 1_000);
    chains.pass(2_000);
    // A delegation (EIP-7702) to an account that accepts nothing.
    let designator = format!("0xef0100{:x}", Address::repeat_byte(9));
    chains
        .registry_node
        .set_code(&format!("{:#x}", key.address()), &designator)
        .unwrap();
    chains.pass(10_000);
    assert_eq!(chains.attribute(&report).conclusion(), Verified);
    assert_eq!(chains.verify_now(&report).step("signature").unwrap().status, Fail);
}

#[test]
fn nothing_is_attributed_by_a_file_at_a_mutable_uri() {
    let key = key(7);
    let Some(chains) = Chains::start("https://example.com/agent.json") else {
        return;
    };
    let report = chains.report(&key, 1);
    chains.anchor(&report, key.address(), 1_000);
    chains.pass(10_000);
    let attribution = chains.attribute(&report);
    assert_eq!(attribution.conclusion(), NotVerifiable);
    let identity = attribution.step("identity").unwrap();
    assert!(
        identity.detail.clone().unwrap().contains("mutable URI"),
        "{identity:?}"
    );
}

#[test]
fn only_an_anchoring_by_the_signer_counts() {
    let key = key(7);
    let Some(chains) = Chains::start(&listing(&[key.address()])) else {
        return;
    };
    let report = chains.report(&key, 1);
    let step = |name: &str| chains.attribute(&report).step(name).map(|step| step.status);
    assert_eq!(step("anchored"), Some(Fail));
    chains.anchor(&report, OWNER, 1_000);
    chains.pass(2_000);
    assert_eq!(step("anchored"), Some(Fail));
    assert_eq!(chains.attribute(&report).conclusion(), Rejected);
    chains.anchor(&report, key.address(), 3_000);
    // The registry's chain has not come to that time.
    assert_eq!(step("registry-block"), Some(NotRead));
    assert_eq!(chains.attribute(&report).conclusion(), NotVerifiable);
    chains.pass(10_000);
    assert_eq!(chains.attribute(&report).conclusion(), Verified);
    // A second anchoring changes nothing.
    chains.anchor(&report, key.address(), 11_000);
    chains.pass(20_000);
    let again = chains.attribute(&report).into_attributed().unwrap();
    assert_eq!(again.anchoring().timestamp, chains::time(3_000));
    // Another report of the same source is not anchored by it.
    assert_eq!(chains.attribute(&chains.report(&key, 2)).conclusion(), Rejected);
}

#[test]
fn before_the_agent_there_was_nothing_to_vouch() {
    let key = key(7);
    let Some(chains) = Chains::start(&listing(&[key.address()])) else {
        return;
    };
    let report = chains.report(&key, 1);
    // The registry's chain begins, and the agent is registered, at 100 and later; this chain is older.
    chains.anchor(&report, key.address(), 50);
    chains.pass(10_000);
    assert_eq!(chains.attribute(&report).conclusion(), Rejected);
}

#[test]
fn without_archive_state_a_report_is_not_read_rather_than_unsigned() {
    let key = key(7);
    let Some(chains) = Chains::start(&listing(&[key.address()])) else {
        return;
    };
    let report = chains.report(&key, 1);
    chains.anchor(&report, key.address(), 1_000);
    chains.set_agent_uri(&listing(&[]), 2_000);
    chains.pass(10_000);
    let located = chains.locate(&report);
    let then = located.past_block().unwrap().block.hash.to_string();
    // A pruned node: it has the header, and no state at it.
    let pruned = Proxy::start(chains.registry_node.address(), move |_, body| {
        let reads_state = [
            "eth_getCode",
            "eth_getStorageAt",
            "eth_getBalance",
            "eth_getTransactionCount",
        ];
        if body.contains(&then) && reads_state.iter().any(|method| body.contains(method)) {
            let ids = body.matches("\"id\"").count();
            let error = r#"{"code":-32000,"message":"missing trie node"}"#;
            let answers: Vec<String> = (0..ids)
                .map(|id| format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#))
                .collect();
            return Reply::Body(match answers.as_slice() {
                [one] => one.clone(),
                many => format!("[{}]", many.join(",")),
            });
        }
        Reply::Forward
    });
    let attribution = chains.attribute_over(&report, &located, &pruned.url(), None);
    assert_eq!(
        attribution.conclusion(),
        NotVerifiable,
        "{:#?}",
        attribution.steps()
    );
    assert_eq!(attribution.step("signature").unwrap().status, NotRead);
    assert_eq!(attribution.step("identity").unwrap().status, NotRead);
}

#[test]
fn a_view_of_another_block_attributes_nothing() {
    let key = key(7);
    let Some(chains) = Chains::start(&listing(&[key.address()])) else {
        return;
    };
    let report = chains.report(&key, 1);
    chains.anchor(&report, key.address(), 1_000);
    chains.pass(10_000);
    let located = chains.locate(&report);
    let url = chains.registry_node.url();
    let latest = chains.attribute_over(&report, &located, &url, Some(BlockTag::Latest));
    assert_eq!(latest.conclusion(), NotVerifiable);
    assert_eq!(latest.step("identity"), None);
    assert_eq!(
        chains.attribute_over(&report, &located, &url, None).conclusion(),
        Verified
    );
}

#[test]
fn no_fault_of_a_node_attributes_what_was_revoked_or_denies_what_was_bound() {
    let key = key(7);
    let Some(chains) = Chains::start(&listing(&[key.address()])) else {
        return;
    };
    let (early, late) = (chains.report(&key, 1), chains.report(&key, 2));
    chains.anchor(&early, key.address(), 1_000);
    chains.set_agent_uri(&listing(&[]), 2_000);
    chains.anchor(&late, key.address(), 3_000);
    chains.pass(10_000);
    let (mut runs, mut unread) = (0, 0);
    for (report, wrong) in [(&early, Rejected), (&late, Verified)] {
        for at_present in [true, false] {
            let (_, calls) = chains.attribute_with(report, at_present, None);
            for index in 0..calls {
                for fault in Fault::ALL.into_iter().filter(|fault| !fault.needs_proofs()) {
                    let plan = FaultPlan { index, fault };
                    let (attribution, _) = chains.attribute_with(report, at_present, Some(plan));
                    let conclusion = attribution.conclusion();
                    assert_ne!(
                        conclusion,
                        wrong,
                        "{plan:?} {at_present}: {:#?}",
                        attribution.steps()
                    );
                    runs += 1;
                    unread += usize::from(conclusion == NotVerifiable);
                }
            }
        }
    }
    println!("{runs} faults, {unread} not read, none wrong");
    assert!(unread > 0);
}
