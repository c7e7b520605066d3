//! The presets: their cases, what they need, and that less knowledge never makes a verdict milder.

use presight_policy::presets::PRESETS;
use presight_policy::{Input, KnownKind, Policy, Verdict, known_kinds};
use presight_wire::kinds::Group;
use presight_wire::report::{AddressEntity, Entities, EntityRef, Finding, Outcome, Report, Role};
use presight_wire::{AccountId, ChainId, Reason};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn policies() -> impl Iterator<Item = Policy> {
    PRESETS.iter().map(|preset| match Policy::load(preset.text) {
        Ok(policy) => policy,
        Err(error) => panic!("{}: {error}", preset.name),
    })
}

/// Position of a verdict, mildest first.
fn level(policy: &Policy, verdict: &Verdict) -> usize {
    policy
        .verdicts()
        .position(|(word, _)| word == verdict.word())
        .expect("a word of the policy")
}

#[test]
fn every_case_comes_out_and_every_rule_fires_and_stays_quiet_in_some() {
    for policy in policies() {
        let report = policy.run_cases();
        let failed: Vec<String> = report
            .cases
            .iter()
            .filter(|case| !case.differences.is_empty())
            .map(|case| format!("{}: {:?}", case.name, case.differences))
            .collect();
        assert!(failed.is_empty(), "{}: {failed:#?}", policy.name());
        for (rule, [fired, quiet, _]) in policy.rules().iter().zip(&report.rules) {
            assert!(*fired > 0, "{}: {} fires in no case", policy.name(), rule.code());
            assert!(
                *quiet > 0,
                "{}: {} is quiet in no case",
                policy.name(),
                rule.code()
            );
            assert!(
                !rule.why().is_empty(),
                "{}: {} has no why",
                policy.name(),
                rule.code()
            );
        }
        println!(
            "{}: {} cases, {} rules",
            policy.name(),
            report.cases.len(),
            policy.rules().len()
        );
    }
}

/// Every kind a case reads, not read instead: the verdict is not milder, and says so where the policy needed it.
#[test]
fn a_fact_that_is_not_read_instead_is_never_clean_where_it_was_needed() {
    for policy in policies() {
        let mut needed = BTreeSet::new();
        for (request, decoded, report) in policy.case_inputs() {
            let before = policy.evaluate(&Input::own(report, request, decoded));
            for position in 0..report.findings.len() {
                let mut without = report.clone();
                without.findings[position].outcome = Outcome::NotRead(Reason::Unavailable);
                without.findings[position].at = None;
                let after = policy.evaluate(&Input::own(&without, request, decoded));
                let kind = &report.findings[position].kind;
                let fact = after
                    .not_read()
                    .iter()
                    .find(|fact| fact.kind == *kind && fact.reason == "unavailable");
                let Some(effect) = fact.expect("listed as not read").effect else {
                    continue;
                };
                needed.insert(kind.clone());
                let accepted = effect == presight_policy::Effect::Accept;
                assert!(
                    accepted || level(&policy, &after) > 0,
                    "{}: {kind}",
                    policy.name()
                );
                if level(&policy, &before) == 0 {
                    assert!(
                        after.reasons().iter().any(|reason| reason.code == *kind),
                        "{}: {kind}",
                        policy.name()
                    );
                }
            }
        }
        println!(
            "{}: {} kinds needed in some case and not read",
            policy.name(),
            needed.len()
        );
        // Every kind that a rule names is among them.
        for kind in known_kinds().filter(|kind| named(&policy, *kind)) {
            assert!(
                needed.contains(kind.name),
                "{}: no case needs {}",
                policy.name(),
                kind.name
            );
        }
    }
}

/// Whether a rule's condition names a kind by the member it is.
fn named(policy: &Policy, kind: KnownKind) -> bool {
    let owners: &[&str] = match kind.group {
        Group::Token => &["token"],
        Group::Approval => &["approval"],
        Group::Address => &["address", "spender", "target", "recipient", "token_address"],
        Group::Payment => &["payment"],
        Group::Text => &["text"],
    };
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    policy.rules().iter().any(|rule| {
        let mut words = rule.condition().split(|c| !is_word(c));
        words.any(|word| {
            let mut parts = word.split('.');
            parts.next().is_some_and(|owner| owners.contains(&owner)) && parts.next() == Some(kind.member)
        })
    })
}

fn stranger(n: u8) -> AccountId {
    AccountId::new(ChainId::evm(1), [n; 20].into())
}

fn not_read(kind: &str, entity: EntityRef, param: Option<serde_json::Value>) -> Finding {
    Finding {
        kind: kind.to_owned(),
        entity,
        param,
        outcome: Outcome::NotRead(Reason::Timeout),
        at: None,
        evidence: Vec::new(),
        note: None,
    }
}

/// Every entity of a report.
fn entities(report: &Report) -> Vec<EntityRef> {
    let listed = &report.entities;
    let tokens = listed.tokens.iter().cloned().map(EntityRef::Token);
    let approvals = (0..listed.approvals.len()).map(EntityRef::Approval);
    let addresses = listed.addresses.iter().cloned().map(EntityRef::Address);
    let texts = listed.texts.iter().map(|text| EntityRef::Text(text.index));
    let payment = listed.payment.then_some(EntityRef::Payment);
    tokens
        .chain(approvals)
        .chain(addresses)
        .chain(texts)
        .chain(payment)
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_not_read_finding_more_never_makes_a_verdict_milder(
        preset in 0..PRESETS.len(), case in any::<prop::sample::Index>(),
        kind in any::<prop::sample::Index>(), entity in any::<prop::sample::Index>(), with_param in any::<bool>(),
    ) {
        let policy = Policy::load(PRESETS[preset].text).unwrap();
        let inputs: Vec<_> = policy.case_inputs().collect();
        let (request, decoded, report) = inputs[case.index(inputs.len())];
        let entities = entities(report);
        prop_assume!(!entities.is_empty());
        let kinds: Vec<_> = known_kinds().collect();
        let kind = kinds[kind.index(kinds.len())].name;
        let entity = entities[entity.index(entities.len())].clone();
        let param = with_param.then(|| serde_json::json!({ "uri": "x" }));
        // Two findings of one kind, entity and param make no report.
        prop_assume!(!report.findings.iter().any(|f| f.kind == kind && f.entity == entity && f.param == param));
        let before = policy.evaluate(&Input::own(report, request, decoded));
        let mut more = report.clone();
        more.findings.push(not_read(kind, entity, param));
        let after = policy.evaluate(&Input::own(&more, request, decoded));
        prop_assert!(level(&policy, &after) >= level(&policy, &before), "{}: {} to {}", policy.name(), before.word(), after.word());
    }

    /// However much becomes not read, of the simulation too: a reason whose own findings are still read is still told.
    #[test]
    fn findings_that_were_not_read_never_hide_what_the_others_say(
        preset in 0..PRESETS.len(), case in any::<prop::sample::Index>(), lost in proptest::collection::vec(any::<bool>(), 64),
    ) {
        let policy = Policy::load(PRESETS[preset].text).unwrap();
        let inputs: Vec<_> = policy.case_inputs().collect();
        let (request, decoded, report) = inputs[case.index(inputs.len())];
        let before = policy.evaluate(&Input::own(report, request, decoded));
        let mut less = report.clone();
        let mut read: BTreeSet<usize> = (0..less.findings.len()).collect();
        for (position, (finding, lost)) in less.findings.iter_mut().zip(&lost).enumerate() {
            if *lost {
                finding.outcome = Outcome::NotRead(Reason::Timeout);
                finding.at = None;
                read.remove(&position);
            }
        }
        let after = policy.evaluate(&Input::own(&less, request, decoded));
        for reason in before.reasons() {
            let untouched = reason.findings.iter().all(|position| read.contains(position));
            if untouched && !reason.findings.is_empty() {
                let told = after
                    .reasons()
                    .iter()
                    .any(|other| other.code == reason.code && other.about == reason.about);
                prop_assert!(told, "{}: {} is lost", policy.name(), reason.code);
            }
        }
    }

    #[test]
    fn unrelated_entities_never_make_a_verdict_milder(
        preset in 0..PRESETS.len(), case in any::<prop::sample::Index>(),
        added in proptest::collection::vec((1_u8..=8, 0_usize..7), 1..20), unlisted in any::<bool>(), tokens in any::<bool>(),
    ) {
        let policy = Policy::load(PRESETS[preset].text).unwrap();
        let inputs: Vec<_> = policy.case_inputs().collect();
        let (request, decoded, report) = inputs[case.index(inputs.len())];
        let before = policy.evaluate(&Input::own(report, request, decoded));
        let mut more = Entities::default();
        for (n, role) in added {
            let address = AddressEntity { address: stranger(n), role: Role::ALL[role] };
            if !report.entities.addresses.contains(&address) && !more.addresses.contains(&address) {
                more.addresses.push(address);
            }
            let token = stranger(n + 100);
            if tokens && !more.tokens.contains(&token) {
                more.tokens.push(token);
            }
        }
        let after = if unlisted {
            policy.evaluate(&Input::verified(report, &more, request, decoded))
        } else {
            let mut larger = report.clone();
            larger.entities.addresses.extend(more.addresses);
            larger.entities.tokens.extend(more.tokens);
            policy.evaluate(&Input::own(&larger, request, decoded))
        };
        prop_assert!(level(&policy, &after) >= level(&policy, &before), "{}: {} to {}", policy.name(), before.word(), after.word());
    }
}

#[test]
fn an_entity_that_the_report_leaves_out_is_not_read() {
    for policy in policies() {
        let (request, decoded, report) = policy.case_inputs().next().expect("a case");
        let clean = policy.evaluate(&Input::own(report, request, decoded));
        let mut unlisted = Entities::default();
        unlisted.addresses.push(AddressEntity {
            address: stranger(9),
            role: Role::Recipient,
        });
        let verdict = policy.evaluate(&Input::verified(report, &unlisted, request, decoded));
        assert!(level(&policy, &verdict) > 0, "{}", policy.name());
        assert!(level(&policy, &verdict) >= level(&policy, &clean));
        assert!(
            verdict
                .not_read()
                .iter()
                .any(|fact| fact.reason == "unlisted" && fact.kind == "*")
        );
    }
}

#[test]
fn the_same_report_and_policy_give_the_same_bytes() {
    for (one, other) in policies().zip(policies()) {
        for (request, decoded, report) in one.case_inputs() {
            let bytes = |policy: &Policy| {
                let verdict = policy.evaluate(&Input::own(report, request, decoded));
                presight_wire::jcs::canonical(&verdict.to_value(report.hash()))
            };
            assert_eq!(bytes(&one), bytes(&other));
        }
    }
}

#[test]
fn every_kind_of_this_source_can_be_named() {
    let known: Vec<_> = known_kinds().map(|kind| (kind.name, kind.group)).collect();
    for kind in presight_source::registry::KINDS {
        let name = kind.name();
        assert!(
            known.contains(&(name, kind.group())),
            "{name} is not in the vocabulary of policies"
        );
    }
}
