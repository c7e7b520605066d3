//! What a report says of what its request does: entities that no byte shows, and the findings of the simulation.
#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "../../exec/tests/common/mod.rs"]
mod common;

use alloy_primitives::{Address, U256, address, hex};
use alloy_sol_types::{SolCall, SolConstructor, sol};
use common::World;
use presight_view::{Snapshot, View};
use presight_wire::report::{EntityRef, Finding, Form, Outcome, Report, Role, Source};
use presight_wire::{AccountId, ChainId, Reason, Request};
use serde_json::{Value, json};

sol! {
    contract LooseToken {
        constructor(bool quiet, address holder, uint256 supply);
        function approve(address spender, uint256 value) external returns (bool);
        function transfer(address to, uint256 value) external returns (bool);
    }
    contract LyingToken { function flood(uint160 spenders, uint256 logs) external; }
    contract Router { function swap(address token, address spender) external; }
    contract SmallSafe {
        constructor(address owner);
        function run(address code, bytes calldata data) external;
    }
    contract Opener { function open(address module, address owner) external; }
    contract Chameleon {
        constructor(address token, address spender, uint256 since);
        function whenGasIsPaid() external;
    }
    contract Noisy { function custom() external; }
}

const SIGNER: Address = address!("0x00000000000000000000000000000000515ec001");
const SPENDER: Address = address!("0x00000000000000000000000000000000bad00001");
const FRIEND: Address = address!("0x00000000000000000000000000000000f41e4d01");

fn world() -> World {
    let mut world = World::new();
    world.fund(SIGNER, U256::from(10).pow(U256::from(18)));
    world
}

fn token(world: &mut World, quiet: bool) -> Address {
    let args = LooseToken::constructorCall {
        quiet,
        holder: SIGNER,
        supply: U256::from(1_000),
    };
    world.deploy("LooseToken", &args.abi_encode(), 0)
}

fn call(to: Address, data: &impl SolCall) -> Value {
    json!({ "to": format!("{to:#x}"), "value": "0", "data": hex::encode_prefixed(data.abi_encode()) })
}

fn request(calls: &[Value]) -> Request {
    Request::from_value(json!({
        "version": "erc-presign/1",
        "subject": {
            "type": "calls", "chainId": "eip155:31337", "from": account(SIGNER).to_string(), "calls": calls,
        },
    }))
    .unwrap()
}

fn account(address: Address) -> AccountId {
    AccountId::new(ChainId::evm(common::CHAIN), address)
}

fn report_on(snapshot: &Snapshot, request: &Request) -> Report {
    let decoded = presight_decode::decode(request).unwrap();
    let view = View::new(snapshot);
    let source = Source {
        registry: account(Address::ZERO),
        agent_id: U256::ZERO,
        signer: account(Address::ZERO),
    };
    let report = presight_source::assemble(
        &view,
        request,
        &decoded,
        &source,
        &presight_source::Config::default(),
    )
    .unwrap();
    presight_source::sign::check_structure(&report, request).unwrap();
    report
}

fn report(world: &World, calls: &[Value]) -> Report {
    report_on(&world.complete(), &request(calls))
}

fn findings<'r>(report: &'r Report, kind: &str) -> Vec<&'r Finding> {
    let kind = format!("presight.effects.{kind}");
    report.findings.iter().filter(|f| f.kind == kind).collect()
}

/// The value of the one finding of a kind.
fn value<'r>(report: &'r Report, kind: &str) -> &'r Value {
    let found = findings(report, kind);
    let [finding] = found.as_slice() else {
        panic!("{kind}: {found:#?}")
    };
    read(finding)
}

fn read(finding: &Finding) -> &Value {
    assert!(
        finding.at.is_some() && !finding.evidence.is_empty(),
        "{finding:?}"
    );
    match &finding.outcome {
        Outcome::Read(value) => value,
        Outcome::NotRead(_) => panic!("{finding:#?}"),
    }
}

fn has_role(report: &Report, address: Address, role: Role) -> bool {
    let addresses = report.entities.addresses.iter();
    addresses
        .filter(|entity| entity.address == account(address))
        .any(|entity| entity.role == role)
}

#[test]
fn an_approval_hidden_in_a_router_is_an_approval() {
    for quiet in [false, true] {
        let mut world = world();
        let token = token(&mut world, quiet);
        let router = world.deploy("Router", &[], 0);
        let swap = Router::swapCall {
            token,
            spender: SPENDER,
        };
        let report = report(&world, &[call(router, &swap)]);
        let [approval] = report.entities.approvals.as_slice() else {
            panic!("{:#?}", report.entities)
        };
        assert_eq!(
            (
                &approval.token,
                &approval.spender,
                approval.form,
                approval.call_index
            ),
            (&account(token), &account(SPENDER), Form::Erc20Approve, Some(0))
        );
        assert_eq!(report.entities.tokens, [account(token)]);
        assert!(has_role(&report, SPENDER, Role::Spender) && has_role(&report, token, Role::Token));
        let of_approval = |kind: &str| {
            let found = report
                .findings
                .iter()
                .find(|f| f.kind == kind && f.entity == EntityRef::Approval(0));
            read(found.unwrap()).clone()
        };
        assert_eq!(of_approval("erc.presign.approval.amount"), U256::MAX.to_string());
        assert_eq!(of_approval("erc.presign.approval.unlimited"), true);
        assert_eq!(of_approval("erc.presign.approval.current-allowance"), "0");
        assert_eq!(
            *value(&report, "hidden-approvals"),
            json!([{
                "approval": 0, "owner": format!("{SIGNER:#x}"), "spender": format!("{SPENDER:#x}"),
                "form": "erc20-approve", "callIndex": 0,
            }])
        );
        assert_eq!(
            *value(&report, "allowance-after"),
            json!({ "before": "0", "after": U256::MAX.to_string() })
        );
        assert_eq!(*value(&report, "coverage"), "all");
    }
}

#[test]
fn what_the_bytes_show_is_listed_once() {
    let mut world = world();
    let token = token(&mut world, false);
    let approve = LooseToken::approveCall {
        spender: SPENDER,
        value: U256::from(5),
    };
    let transfer = LooseToken::transferCall {
        to: FRIEND,
        value: U256::from(1_000),
    };
    let request = request(&[call(token, &approve), call(token, &transfer)]);
    let decoded = presight_decode::decode(&request).unwrap();
    let report = report_on(&world.complete(), &request);
    assert_eq!(report.entities.tokens, decoded.entities.tokens);
    assert_eq!(report.entities.approvals, decoded.entities.approvals);
    assert_eq!(report.entities.addresses, decoded.entities.addresses);
    assert_eq!(*value(&report, "hidden-approvals"), json!([]));
    assert_eq!(*value(&report, "claimed"), json!([]));
    let (signer, friend) = (format!("{SIGNER:#x}"), format!("{FRIEND:#x}"));
    assert_eq!(
        *value(&report, "balance-changes"),
        json!([{ "account": signer, "before": "1000", "after": "0", "told": true }])
    );
    assert_eq!(
        *value(&report, "recipients"),
        json!([{ "from": signer, "to": friend, "amount": "1000", "standing": "observed" }])
    );
    let outcomes = findings(&report, "outcome");
    let params: Vec<_> = outcomes.iter().map(|f| f.param.clone().unwrap()).collect();
    assert_eq!(params, [json!({ "callIndex": 0 }), json!({ "callIndex": 1 })]);
    assert!(outcomes.iter().all(|f| read(f)["status"] == "success"));
}

#[test]
fn a_flood_of_decoys_hides_no_approval() {
    let mut world = world();
    let token = token(&mut world, true);
    let liar = world.deploy("LyingToken", &[], 0);
    let router = world.deploy("Router", &[], 0);
    let flood = LyingToken::floodCall {
        spenders: alloy_primitives::Uint::from(600),
        logs: U256::from(2_000),
    };
    let swap = Router::swapCall {
        token,
        spender: SPENDER,
    };
    let report = report(&world, &[call(liar, &flood), call(router, &swap)]);
    let [approval] = report.entities.approvals.as_slice() else {
        panic!("{:#?}", report.entities.approvals)
    };
    assert_eq!((&approval.token, approval.call_index), (&account(token), Some(1)));
    assert!(report.entities.tokens.contains(&account(liar)));
    assert!(
        report.entities.addresses.len() < 20,
        "{:#?}",
        report.entities.addresses
    );
    // What the liar says is cut, and that it is cut is said.
    let claimed = findings(&report, "claimed");
    let beyond: Vec<_> = claimed.iter().filter(|f| f.param.is_some()).collect();
    assert_eq!(beyond.len(), 1);
    assert_eq!(beyond[0].outcome, Outcome::NotRead(Reason::Incomplete));
}

#[test]
fn a_flood_of_events_pushes_out_nothing_that_the_state_shows() {
    let mut world = world();
    let token = token(&mut world, true);
    let safe = world.deploy(
        "SmallSafe",
        &SmallSafe::constructorCall { owner: SIGNER }.abi_encode(),
        0,
    );
    let opener = world.deploy("Opener", &[], 0);
    let router = world.deploy("Router", &[], 0);
    // One that is asked before the token, and one that is asked after it.
    let liars: Vec<Address> = (0..64).map(|_| world.deploy("LyingToken", &[], 0)).collect();
    let before = liars.iter().find(|liar| **liar < token.min(safe)).unwrap();
    let after = liars.iter().find(|liar| **liar > token.max(safe)).unwrap();
    let swap = Router::swapCall {
        token,
        spender: SPENDER,
    };
    let member = address!("0x00000000000000000000000000000000bad00002");
    let open = Opener::openCall {
        module: member,
        owner: FRIEND,
    };
    let run = SmallSafe::runCall {
        code: opener,
        data: open.abi_encode().into(),
    };
    for (liar, spenders) in [(before, 5_500u64), (before, 0), (after, 5_500), (after, 0)] {
        let flood = LyingToken::floodCall {
            spenders: alloy_primitives::Uint::from(spenders),
            logs: U256::from(5_500),
        };
        let report = report(
            &world,
            &[call(*liar, &flood), call(router, &swap), call(safe, &run)],
        );
        assert!(
            report
                .entities
                .approvals
                .iter()
                .any(|approval| approval.token == account(token) && approval.spender == account(SPENDER))
        );
        for spender in [SPENDER, member, FRIEND] {
            assert!(has_role(&report, spender, Role::Spender), "{spender} of {liar}");
        }
        let controlled = findings(&report, "control-changes").into_iter().find(|f| {
            let EntityRef::Address(entity) = &f.entity else {
                return false;
            };
            entity.address == account(safe)
        });
        let changes = read(controlled.unwrap()).to_string();
        assert!(
            changes.contains("module") && changes.contains("safe-owner"),
            "{changes}"
        );
        // What of the liar was not asked is said not to be known.
        let coverage = findings(&report, "coverage");
        let of_the_liar = coverage
            .iter()
            .find(|f| f.param == Some(json!({ "contract": format!("{liar:#x}") })));
        assert_eq!(of_the_liar.unwrap().outcome, Outcome::NotRead(Reason::Incomplete));
    }
}

#[test]
fn who_gets_control_is_listed() {
    let mut world = world();
    let safe = world.deploy(
        "SmallSafe",
        &SmallSafe::constructorCall { owner: SIGNER }.abi_encode(),
        0,
    );
    let opener = world.deploy("Opener", &[], 0);
    let open = Opener::openCall {
        module: SPENDER,
        owner: FRIEND,
    };
    let run = SmallSafe::runCall {
        code: opener,
        data: open.abi_encode().into(),
    };
    let report = report(&world, &[call(safe, &run)]);
    assert!(has_role(&report, SPENDER, Role::Spender) && has_role(&report, FRIEND, Role::Spender));
    let changes = value(&report, "control-changes").as_array().unwrap();
    let is = |what: &str, subject: Address| {
        changes
            .iter()
            .any(|change| change["what"] == what && change["subject"] == format!("{subject:#x}"))
    };
    assert!(is("module", SPENDER) && is("safe-owner", FRIEND), "{changes:#?}");
}

#[test]
fn code_that_tells_a_simulation_from_a_block_is_told_of() {
    let mut world = world();
    let token = token(&mut world, true);
    let args = Chameleon::constructorCall {
        token,
        spender: SPENDER,
        since: U256::from(world.block.timestamp),
    };
    let chameleon = world.deploy("Chameleon", &args.abi_encode(), 0);
    let report = report(&world, &[call(chameleon, &Chameleon::whenGasIsPaidCall {})]);
    let told: Vec<(Option<Value>, Value)> = findings(&report, "depends-on")
        .into_iter()
        .map(|f| (f.param.clone(), read(f).clone()))
        .collect();
    let looked_at = told.iter().find(|(param, _)| param.is_none()).unwrap();
    assert!(
        looked_at.1.as_array().unwrap().contains(&json!("gas-price")),
        "{told:?}"
    );
    assert!(
        told.contains(&(Some(json!({ "on": "free-gas" })), json!("other"))),
        "{told:?}"
    );
    assert!(
        told.contains(&(Some(json!({ "on": "dearer-gas" })), json!("no-difference-seen"))),
        "{told:?}"
    );
}

#[test]
fn a_call_that_reverts_says_why() {
    let mut world = world();
    let noisy = world.deploy("Noisy", &[], 0);
    let report = report(&world, &[call(noisy, &Noisy::customCall {})]);
    let outcome = value(&report, "outcome");
    assert_eq!(outcome["status"], "revert");
    assert_eq!(outcome["revert"]["selector"].as_str().unwrap().len(), 10);
    assert_eq!(value(&report, "batch")["failed"], 1);
}

#[test]
fn a_simulation_that_was_not_read_says_so_and_changes_nothing_else() {
    let mut world = world();
    let token = token(&mut world, false);
    let approve = LooseToken::approveCall {
        spender: SPENDER,
        value: U256::from(5),
    };
    let request = request(&[call(token, &approve)]);
    let decoded = presight_decode::decode(&request).unwrap();
    let report = report_on(&world.bare(Some(Reason::Unavailable)), &request);
    assert_eq!(report.entities.approvals, decoded.entities.approvals);
    assert_eq!(report.entities.addresses, decoded.entities.addresses);
    let effects: Vec<_> = report
        .findings
        .iter()
        .filter(|f| f.kind.starts_with("presight.effects."))
        .collect();
    assert!(effects.len() > 10);
    assert!(
        effects
            .iter()
            .all(|f| f.outcome == Outcome::NotRead(Reason::Unavailable))
    );
}

#[test]
fn a_request_that_only_signs_has_no_effects() {
    let world = world();
    let mut document = json!({
        "version": "erc-presign/1",
        "subject": { "type": "calls", "chainId": "eip155:31337", "from": account(SIGNER).to_string(), "calls": [] },
    });
    document["subject"]["typedData"] = json!({
        "types": { "EIP712Domain": [{ "name": "chainId", "type": "uint256" }], "Note": [{ "name": "text", "type": "string" }] },
        "primaryType": "Note", "domain": { "chainId": 31337 }, "message": { "text": "hello" },
    });
    let report = report_on(&world.complete(), &Request::from_value(document).unwrap());
    assert!(
        !report
            .findings
            .iter()
            .any(|f| f.kind.starts_with("presight.effects."))
    );
}
