//! Evaluating the presets over a report of 200 findings, and loading them.

use presight_decode::Decoded;
use presight_policy::presets::PRESETS;
use presight_policy::{Input, Policy};
use presight_wire::report::{AddressEntity, EntityRef, Report, Role};
use presight_wire::{AccountId, ChainId, Request};

const FINDINGS: usize = 200;

fn main() {
    divan::main();
}

/// The clean case of a preset with as many more addresses, everything about them read, as make 200 findings.
fn large(policy: &Policy) -> (Request, Decoded, Report) {
    let (request, decoded, report) = policy.case_inputs().next().expect("a case");
    let mut report = report.clone();
    let like = |f: &&presight_wire::report::Finding| matches!(&f.entity, EntityRef::Address(a) if a.role == Role::Spender);
    let pattern: Vec<_> = report.findings.iter().filter(like).cloned().collect();
    let mut number = 0_u64;
    while report.findings.len() < FINDINGS {
        number += 1;
        let mut address = [0x77; 20];
        address[12..].copy_from_slice(&number.to_be_bytes());
        let entity = AddressEntity {
            address: AccountId::new(ChainId::evm(1), address.into()),
            role: Role::Recipient,
        };
        report.entities.addresses.push(entity.clone());
        let room = FINDINGS - report.findings.len();
        report
            .findings
            .extend(pattern.iter().take(room).cloned().map(|mut finding| {
                finding.entity = EntityRef::Address(entity.clone());
                finding
            }));
    }
    (request.clone(), decoded.clone(), report)
}

#[divan::bench(args = ["traffic-light", "tiers", "erc8265", "strict"])]
fn evaluate_200_findings(bencher: divan::Bencher<'_, '_>, name: &str) {
    let preset = PRESETS
        .iter()
        .find(|preset| preset.name == name)
        .expect("a preset");
    let policy = Policy::load(preset.text).expect("it loads");
    let (request, decoded, report) = large(&policy);
    bencher.bench_local(|| policy.evaluate(&Input::own(&report, &request, &decoded)));
}

#[divan::bench(args = ["traffic-light", "tiers", "erc8265", "strict"])]
fn load(bencher: divan::Bencher<'_, '_>, name: &str) {
    let preset = PRESETS
        .iter()
        .find(|preset| preset.name == name)
        .expect("a preset");
    bencher.bench_local(|| Policy::load(preset.text).expect("it loads"));
}
