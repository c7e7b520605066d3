//! Simulations on part of the state: what is not held is asked for, or nothing is read; never a default.
#![allow(clippy::unwrap_used, reason = "a test")]

mod common;

use alloy_primitives::{Address, Bytes, U256, address};
use common::{World, calldata, chain, drop_read, fill, state_wants, token_args, with_code, word};
use presight_exec::effects::{self, Effects, Standing};
use presight_exec::simulate::{self, Outcome, Simulation, Surroundings};
use presight_view::{Lookup, Snapshot, Unread, View, Want};
use presight_wire::Reason;
use presight_wire::request::{Authorization, Call};
use std::collections::BTreeSet;

const SIGNER: Address = address!("0x00000000000000000000000000000000515ec001");
const OTHER: Address = address!("0x00000000000000000000000000000000bad00001");

/// Something to simulate.
struct Case {
    world: World,
    calls: Vec<Call>,
    list: Vec<Authorization>,
    authorities: Vec<Option<Address>>,
}

impl Case {
    fn run(&self, snapshot: &Snapshot) -> (Lookup<(Outcome, Effects)>, BTreeSet<Want>, BTreeSet<Want>) {
        let chain = chain();
        let view = View::new(snapshot);
        let simulation = Simulation {
            chain: &chain,
            sender: SIGNER,
            calls: &self.calls,
            authorization_list: &self.list,
            authorities: &self.authorities,
            surroundings: Surroundings::default(),
        };
        let told = simulate::run(&view, &simulation).and_then(|mut simulated| {
            let effects = effects::of(&mut simulated)?;
            Ok((simulated.outcome, effects))
        });
        let used = state_wants(view.used());
        (told, used, state_wants(view.into_wants()))
    }
}

fn cases() -> Vec<Case> {
    let mut world = World::new();
    world.fund(SIGNER, U256::from(1_000_000));
    let token = world.deploy("Token", &token_args("Token", "TKN", 18, U256::from(1_000)), 0);
    let proxy = world.deploy("Eip1967Proxy", token.into_word().as_slice(), 0);
    let maker = world.deploy("Maker", &[], 0);
    let delegate = world.deploy("BatchAccount", &[], 0);
    let item = world.deploy("Nft", &[], 0);
    world.send(
        token,
        calldata("transfer(address,uint256)", &[word(SIGNER), U256::from(500)]),
    );
    let call = |to, data, value: u64| Call {
        to,
        value: U256::from(value),
        data,
    };
    let approve = calldata("approve(address,uint256)", &[word(OTHER), U256::MAX]);
    let transfer = calldata("transfer(address,uint256)", &[word(OTHER), U256::from(500)]);
    let make = calldata("make(address,address)", &[word(proxy), word(OTHER)]);
    let all = calldata("setApprovalForAll(address,bool)", &[word(OTHER), U256::ONE]);
    let plain = |calls: Vec<Call>| Case {
        world: world.clone(),
        calls,
        list: Vec::new(),
        authorities: Vec::new(),
    };
    let mut delegated = plain(vec![call(SIGNER, Bytes::new(), 0), call(SIGNER, Bytes::new(), 9)]);
    let designator: Bytes = [&[0xef, 0x01, 0x00], delegate.as_slice()].concat().into();
    delegated
        .world
        .db
        .insert_account_info(SIGNER, with_code(designator));
    delegated.world.fund(OTHER, U256::ONE);
    let tuple = Authorization {
        chain_id: U256::ZERO,
        address: delegate,
        nonce: 0,
        y_parity: 0,
        r: U256::ONE,
        s: U256::ONE,
    };
    vec![
        plain(vec![call(token, approve.clone(), 0), call(token, transfer, 0)]),
        plain(vec![call(proxy, approve, 0), call(OTHER, Bytes::new(), 5)]),
        plain(vec![call(maker, make, 0), call(item, all, 0)]),
        delegated,
        Case {
            list: vec![tuple],
            authorities: vec![Some(OTHER)],
            ..plain(vec![call(OTHER, Bytes::new(), 3)])
        },
    ]
}

#[test]
fn wants_are_filled_until_the_simulation_is_whole() {
    for (index, case) in cases().iter().enumerate() {
        let whole = case.world.complete();
        let truth = case.run(&whole).0.unwrap();
        let mut snapshot = case.world.bare(None);
        let mut waves = 0;
        loop {
            let (told, _, wants) = case.run(&snapshot);
            if wants.is_empty() {
                assert_eq!(told.unwrap(), truth, "case {index}");
                break;
            }
            waves += 1;
            assert!(waves < 100, "case {index}");
            wants.iter().for_each(|want| fill(&mut snapshot, &whole, want));
        }
        println!("case {index}: {waves} waves without any hint");
    }
}

#[test]
fn without_any_one_value_the_same_or_not_read() {
    let (mut same, mut weaker, mut not_read) = (0, 0, 0);
    for (index, case) in cases().iter().enumerate() {
        let whole = case.world.complete();
        let (truth, used, _) = case.run(&whole);
        let truth = truth.unwrap();
        let mut held = case.world.bare(Some(Reason::Unavailable));
        used.iter().for_each(|want| fill(&mut held, &whole, want));
        assert_eq!(case.run(&held).0.unwrap(), truth, "case {index}");
        for want in &used {
            let mut less = held.clone();
            drop_read(&mut less, want);
            match case.run(&less).0 {
                Ok((outcome, effects)) => {
                    assert_same(&outcome, &truth.0);
                    if effects == truth.1 {
                        same += 1;
                    } else {
                        assert_weaker(&effects, &truth.1);
                        weaker += 1;
                    }
                }
                Err(Unread::NotRead(why)) => {
                    assert_eq!(why.reason, Reason::Unavailable, "{why:?}");
                    assert!(why.note.is_some(), "{want:?}");
                    not_read += 1;
                }
                Err(Unread::Pending) => panic!("a closed view has nothing to ask for"),
            }
        }
    }
    println!("without one value: {same} the same, {weaker} told with less, {not_read} not read");
    assert!(not_read > 20 && same > 0, "{not_read} {same}");
}

/// The same, but for what is said of the sender's balance and code.
fn assert_same(outcome: &Outcome, truth: &Outcome) {
    let mut outcome = outcome.clone();
    outcome.caveats.clone_from(&truth.caveats);
    assert_eq!(outcome, *truth);
}

/// What is observed is true.
fn assert_weaker(effects: &Effects, truth: &Effects) {
    assert_eq!(effects.native, truth.native);
    assert_eq!(effects.code, truth.code);
    let observed = effects
        .allowances
        .iter()
        .filter(|a| a.standing != Standing::Unconfirmed);
    assert!(
        observed.clone().all(|a| truth.allowances.contains(a)),
        "{effects:#?}"
    );
    let observed = effects
        .transfers
        .iter()
        .filter(|t| t.standing != Standing::Unconfirmed);
    assert!(
        observed.clone().all(|t| truth.transfers.contains(t)),
        "{effects:#?}"
    );
    assert!(effects.balances.iter().all(|b| truth.balances.contains(b)));
    assert!(effects.transfers.len() == truth.transfers.len());
    assert!(effects.allowances.len() == truth.allowances.len());
}

#[test]
fn what_is_missing_is_named() {
    let [first, second, ..] = &cases()[..] else {
        panic!("there are cases")
    };
    // Without the sender's balance: no value can be sent, and the rest can.
    let whole = second.world.complete();
    let mut held = second.world.bare(Some(Reason::Unavailable));
    let used = second.run(&whole).1;
    used.iter().for_each(|want| fill(&mut held, &whole, want));
    drop_read(&mut held, &Want::Balance(chain(), SIGNER));
    match second.run(&held).0 {
        Err(Unread::NotRead(why)) => {
            assert_eq!(why.note, Some(format!("balance of {SIGNER:#x} was not read")));
        }
        other => panic!("{other:?}"),
    }
    let whole = first.world.complete();
    let mut held = first.world.bare(Some(Reason::Unavailable));
    let used = first.run(&whole).1;
    used.iter().for_each(|want| fill(&mut held, &whole, want));
    drop_read(&mut held, &Want::Balance(chain(), SIGNER));
    let (outcome, _) = first.run(&held).0.unwrap();
    let caveats: Vec<String> = outcome.caveats.iter().map(ToString::to_string).collect();
    assert_eq!(
        caveats,
        ["balance_check: off, because the sender's balance was not read"]
    );
}
