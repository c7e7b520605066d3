//! What others say of tokens: Launch Observations, from a registry that is deployed and written for real.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../../exec/tests/common/mod.rs"]
mod common;
#[path = "../recorded/mod.rs"]
mod recorded;

use alloy_primitives::{Address, B256, Bytes, U256, hex};
use alloy_sol_types::{SolCall, sol};
use common::{CHAIN, DEPLOYER, World};
use presight_source::Config;
use presight_view::Snapshot;
use presight_wire::report::{Finding, Outcome};
use presight_wire::{AccountId, ChainId, Evidence, Reason};
use serde_json::{Value, json};

sol! {
    function record(uint256 chainId, address token, bytes32 kind, uint256 param, uint256 value, int8 lean,
        uint256 observedBlock) external returns (uint256 id);
}

const TOKEN: Address = Address::repeat_byte(0x70);
const KIND: B256 = B256::repeat_byte(0x6b);
const OBSERVATION: &str = "erc.presign.token.observation";

fn account(address: Address) -> AccountId {
    AccountId::new(ChainId::evm(CHAIN), address)
}

/// A world with a registry.
fn world() -> (World, Address) {
    let artifact: Value =
        serde_json::from_str(include_str!("contracts/TestLaunchObservations.json")).unwrap();
    let creation = hex::decode(artifact["bytecode"].as_str().unwrap()).unwrap();
    let mut world = World::new();
    let registry = world.create(&creation, &[]);
    (world, registry)
}

fn observe(world: &mut World, registry: Address, param: u64, value: U256) {
    let call = recordCall {
        chainId: U256::from(CHAIN),
        token: TOKEN,
        kind: KIND,
        param: U256::from(param),
        value,
        lean: -1,
        observedBlock: U256::from(900),
    };
    world.send(registry, Bytes::from(call.abi_encode()));
}

fn sources(registry: Address, more: &str) -> String {
    format!(
        "[[observations]]\nregistry = \"{}\"\ndetectors = [\"{DEPLOYER:#x}\"]\nkinds = [{{ kind = \"{KIND}\", param = \"7\" }}]\n{more}",
        account(registry)
    )
}

/// The findings about the token; the same from the witness.
fn findings(snapshot: &Snapshot, sources: &str) -> Vec<Finding> {
    let request = json!({
        "version": "erc-presign/1",
        "subject": { "type": "calls", "chainId": account(TOKEN).chain.to_string(), "from": account(Address::repeat_byte(1)).to_string(),
                     "calls": [] , "typedData": { "types": { "EIP712Domain": [], "A": [] }, "primaryType": "A", "domain": {}, "message": {} } },
        "context": { "tokens": [account(TOKEN).to_string()] },
        "kinds": [OBSERVATION],
    });
    recorded::report(snapshot, request, &Config::parse(sources).unwrap())
        .findings
        .into_iter()
        .filter(|f| f.kind == OBSERVATION)
        .collect()
}

fn only(world: &World, sources: &str) -> Finding {
    let [finding] = <[Finding; 1]>::try_from(findings(&world.complete(), sources)).unwrap();
    finding
}

#[test]
fn an_observation_is_copied_with_its_identifier() {
    let (mut world, registry) = world();
    observe(&mut world, registry, 7, U256::from(42));
    for more in [
        "",
        "latest-finding = \"latestFinding(uint256 chainId, address token, address detector, bytes32 kind, uint256 param) returns (uint256 value, int8 unused, uint64 observationId, uint256 observedBlock, uint256 recordedAt)\"\n",
    ] {
        let finding = only(&world, &sources(registry, more));
        let Outcome::Read(value) = &finding.outcome else {
            panic!("{finding:?}")
        };
        assert_eq!(
            (
                &value["value"],
                &value["detector"],
                &value["observationId"],
                &value["observedBlock"]
            ),
            (
                &json!("42"),
                &json!(account(DEPLOYER).to_string()),
                &json!("1"),
                &json!("900")
            )
        );
        assert!(value["recordedAt"].is_string() && value.get("lean").is_none());
        assert_eq!(
            finding.param,
            Some(json!({ "registry": account(registry).to_string(), "kind": KIND, "param": "7" }))
        );
        assert!(matches!(
            finding.evidence.as_slice(),
            [Evidence::Call { .. }, Evidence::Observation { observation_id, .. }] if *observation_id == U256::ONE
        ));
        assert_eq!(finding.at.unwrap().block, 1_000);
    }
}

#[test]
fn several_detectors_are_asked_at_once() {
    let (mut world, registry) = world();
    observe(&mut world, registry, 7, U256::from(42));
    let other = format!("{:#x}", Address::repeat_byte(0xde));
    let two = sources(registry, "").replace("detectors = [", &format!("detectors = [\"{other}\", "));
    let finding = only(&world, &two);
    let Outcome::Read(value) = &finding.outcome else {
        panic!("{finding:?}")
    };
    assert_eq!(value["detector"], json!(account(DEPLOYER).to_string()));
}

#[test]
fn what_is_not_observed_is_unavailable() {
    let unavailable = Outcome::NotRead(Reason::Unavailable);
    let (mut world, registry) = world();
    assert_eq!(
        only(&world, &sources(registry, "")).outcome,
        unavailable,
        "no observation"
    );
    observe(&mut world, registry, 8, U256::from(42));
    assert_eq!(
        only(&world, &sources(registry, "")).outcome,
        unavailable,
        "of another param"
    );
    observe(&mut world, registry, 7, U256::MAX);
    let not_read = only(&world, &sources(registry, ""));
    assert_eq!(not_read.outcome, unavailable, "the registry's own not read value");
    assert!(!not_read.evidence.is_empty());
    let nowhere = Address::repeat_byte(0x0f);
    assert_eq!(
        only(&world, &sources(nowhere, "")).outcome,
        unavailable,
        "no contract"
    );
    let reverting = "latest-finding = \"gone(uint256 chainId, address token, address detector, bytes32 kind, uint256 param) returns (uint256 value, uint256 observationId, uint256 observedBlock, uint256 recordedAt)\"\n";
    assert_eq!(
        only(&world, &sources(registry, reverting)).outcome,
        unavailable,
        "it reverts"
    );
}

#[test]
fn what_the_function_cannot_take_is_unsupported() {
    let (world, registry) = world();
    let narrow = "latest-finding = \"latestFinding(uint8 chainId, address token, address detector, bytes32 kind, uint256 param) returns (uint256 value, uint256 observationId, uint256 observedBlock, uint256 recordedAt)\"\n";
    let finding = only(&world, &sources(registry, narrow));
    assert_eq!(finding.outcome, Outcome::NotRead(Reason::Unsupported));
}

#[test]
fn without_a_registry_it_is_listed_once_without_param() {
    let (world, _) = world();
    let finding = only(&world, "");
    assert_eq!(
        (finding.outcome, finding.param),
        (Outcome::NotRead(Reason::Unsupported), None)
    );
}

#[test]
fn state_that_is_missing_keeps_its_reason() {
    let (mut world, registry) = world();
    observe(&mut world, registry, 7, U256::from(42));
    for reason in [Reason::Unavailable, Reason::Timeout] {
        let found = findings(&world.bare(Some(reason)), &sources(registry, ""));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].outcome, Outcome::NotRead(reason));
    }
}
