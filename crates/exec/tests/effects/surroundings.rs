//! Code that behaves in a simulation and not on chain.

use crate::common::{World, chain};
use crate::stage::*;
use alloy_primitives::{Address, U256};
use alloy_sol_types::{SolCall, SolConstructor};
use presight_exec::effects::{self, Dependences, Difference, Variation};
use presight_exec::simulate::{self, Simulation, Surrounding, Surroundings};
use presight_view::{Unread, View};
use presight_wire::Reason;
use presight_wire::request::Call;
use std::cell::Cell;

#[test]
fn a_contract_that_behaves_only_in_a_node_s_call_does_not_behave_here() {
    let mut world = world();
    let token = loose(&mut world, false);
    let chameleon = chameleon(&mut world, token);
    for data in [
        Chameleon::whenGasIsPaidCall {}.abi_encode(),
        Chameleon::whenThereIsACoinbaseCall {}.abi_encode(),
    ] {
        let call = Call {
            to: chameleon,
            value: U256::ZERO,
            data: data.into(),
        };
        assert_drained(token, &simulate(&world, &[call]).1);
    }
}

/// What the calls depend on.
fn dependences(world: &World, to: Address, data: Vec<u8>) -> Dependences {
    let calls = [Call {
        to,
        value: U256::ZERO,
        data: data.into(),
    }];
    let snapshot = world.complete();
    let chain = chain();
    let view = View::new(&snapshot);
    let simulation = Simulation {
        chain: &chain,
        sender: SIGNER,
        calls: &calls,
        authorization_list: &[],
        authorities: &[],
        surroundings: Surroundings::default(),
    };
    let mut simulated = simulate::run(&view, &simulation).unwrap();
    let effects = effects::of(&mut simulated).unwrap();
    effects::depends_on(&view, &simulation, &simulated.outcome, &effects).unwrap()
}

/// The surroundings in which something else happens.
fn differing(found: &Dependences) -> Vec<Variation> {
    let others = found.found.iter().filter(|d| d.what != Difference::Nothing);
    others
        .inspect(|d| assert_eq!(d.what, Difference::Kind, "{found:?}"))
        .map(|d| d.on)
        .collect()
}

#[test]
fn code_that_looks_around_before_it_acts_is_told_of() {
    let mut world = world();
    let token = loose(&mut world, true);
    let chameleon = chameleon(&mut world, token);
    let on = |data: Vec<u8>| differing(&dependences(&world, chameleon, data));
    assert_eq!(
        on(Chameleon::whenGasIsPaidCall {}.abi_encode()),
        [Variation::FreeGas]
    );
    assert_eq!(
        on(Chameleon::whenThereIsACoinbaseCall {}.abi_encode()),
        [Variation::NoCoinbase]
    );
    assert!(on(Chameleon::whenGasIsScarceCall {}.abi_encode()).contains(&Variation::ScarceGas));
    assert_eq!(
        on(Chameleon::whenTimeHasPassedCall {}.abi_encode()),
        [Variation::MuchLater]
    );
    assert!(on(Chameleon::whenRandomCall {}.abi_encode()).contains(&Variation::OtherRandomness));
    assert_eq!(
        on(Chameleon::whenTheSenderIsRichCall {}.abi_encode()),
        [Variation::RichSender]
    );
    assert_eq!(on(Chameleon::alwaysCall {}.abi_encode()), []);
}

#[test]
fn code_that_waits_for_the_next_block_or_for_less_is_told_of() {
    let mut world = world();
    let heavy = world.deploy("Heavy", &[], 0);
    let token = loose(&mut world, true);
    let gates = gates(&mut world, token, heavy);
    let (number, time) = (U256::from(world.block.number), U256::from(world.block.timestamp));
    let fee = U256::from(world.block.base_fee_per_gas.unwrap());
    let limit = U256::from(world.block.gas_limit.unwrap());
    let cases = [
        (
            Gates::whenAnInnerCallFailsCall {}.abi_encode(),
            Variation::LeastGas,
        ),
        (
            Gates::whenAnInnerCallFailsUnseenCall {}.abi_encode(),
            Variation::LeastGas,
        ),
        (
            Gates::inALaterBlockCall { number, time }.abi_encode(),
            Variation::NextBlock,
        ),
        (
            Gates::twoBlocksOnCall { number }.abi_encode(),
            Variation::TwoBlocksOn,
        ),
        (
            Gates::withinTenMinutesCall { time }.abi_encode(),
            Variation::NextBlock,
        ),
        (
            Gates::whenGasIsCheaperCall { fee }.abi_encode(),
            Variation::CheaperGas,
        ),
        (
            Gates::inASmallerBlockCall { limit }.abi_encode(),
            Variation::SmallerBlock,
        ),
        (Gates::withATipCall {}.abi_encode(), Variation::Tipped),
    ];
    for (data, on) in cases {
        assert_drained_never(&world, gates, &data);
        let found = differing(&dependences(&world, gates, data));
        assert!(found.contains(&on), "{on:?}: {found:?}");
    }
}

/// What blobs cost on a chain whose schedule is not known is known for the least excess alone.
#[test]
fn blobs_whose_price_is_not_known_are_not_read() {
    let mut world = world();
    let token = loose(&mut world, true);
    let gates = gates(&mut world, token, SPENDER);
    let fee = U256::ONE;
    let found = dependences(&world, gates, Gates::whenBlobsAreDearerCall { fee }.abi_encode());
    let dearer = found.found.iter().find(|d| d.on == Variation::DearerBlobs);
    assert!(
        matches!(dearer.unwrap().what, Difference::NotRead(_)),
        "{found:?}"
    );
}

/// A contract that sets an allowance only where it believes to be on chain.
fn chameleon(world: &mut World, token: Address) -> Address {
    let args = Chameleon::constructorCall {
        token,
        spender: SPENDER,
        since: U256::from(world.block.timestamp),
    };
    world.deploy("Chameleon", &args.abi_encode(), 0)
}

/// Gates that set an allowance for `SPENDER` only in their own surroundings; one calls `heavy`.
fn gates(world: &mut World, token: Address, heavy: Address) -> Address {
    let args = Gates::constructorCall {
        token,
        spender: SPENDER,
        heavy,
    };
    world.deploy("Gates", &args.abi_encode(), 0)
}

/// In the usual surroundings nothing is taken.
fn assert_drained_never(world: &World, to: Address, data: &[u8]) {
    let call = Call {
        to,
        value: U256::ZERO,
        data: data.to_vec().into(),
    };
    let (outcome, effects) = simulate(world, &[call]);
    assert_eq!(outcome.status, simulate::Status::Success);
    assert!(effects.allowances.is_empty(), "{effects:?}");
}

/// What is looked at in other surroundings alone is looked at, and is tried too.
#[test]
fn what_is_first_looked_at_elsewhere_is_tried_too() {
    let mut world = world();
    let token = loose(&mut world, true);
    let gates = gates(&mut world, token, SPENDER);
    let (number, time) = (U256::from(world.block.number), U256::from(world.block.timestamp));
    let found = dependences(
        &world,
        gates,
        Gates::inALaterBlockThenLaterCall { number, time }.abi_encode(),
    );
    assert!(found.looked_at.contains(&Surrounding::Timestamp));
    assert!(found.found.iter().any(|d| d.on == Variation::MuchLater));
}

/// Looking at something that makes no difference where it was tried is no proof that it never does.
#[test]
fn what_waits_for_the_untried_is_looked_at_without_a_difference() {
    let mut world = world();
    let token = loose(&mut world, true);
    let gates = gates(&mut world, token, SPENDER);
    let time = U256::from(world.block.timestamp);
    let found = dependences(&world, gates, Gates::whenItIsLateCall { time }.abi_encode());
    assert_eq!(found.looked_at, [Surrounding::Timestamp].into());
    assert!(differing(&found).is_empty() && found.found.len() > 4);
    assert!(
        found
            .found
            .iter()
            .all(|d| d.what.as_str() == "no-difference-seen")
    );
    // A plain approval looks at nothing.
    let approve = LooseToken::approveCall {
        spender: SPENDER,
        value: U256::ONE,
    };
    assert_eq!(
        dependences(&world, token, approve.abi_encode()),
        Dependences::default()
    );
}

/// Contracts that burn what they are asked with use up one budget for all surroundings; the rest is not read.
#[test]
fn surroundings_beyond_the_budget_are_not_read() {
    let mut world = world();
    let slows = world.deploy("Slows", &[], 0);
    let go = Slows::goCall {
        contracts: U256::from(12),
        slots: U256::from(9),
    };
    let found = dependences(&world, slows, go.abi_encode());
    let reasons: Vec<_> = found
        .found
        .iter()
        .filter_map(|d| match &d.what {
            Difference::NotRead(why) => Some(why.reason),
            _ => None,
        })
        .collect();
    assert!(reasons.contains(&Reason::Incomplete), "{found:?}");
    assert!(
        !found.found.iter().any(|d| d.what == Difference::Nothing),
        "{found:?}"
    );
}

/// Nothing is executed once the time is over.
#[test]
fn what_the_time_does_not_suffice_for_is_not_read() {
    let mut world = world();
    let token = loose(&mut world, true);
    let approve = LooseToken::approveCall {
        spender: SPENDER,
        value: U256::ONE,
    };
    let calls = [call(token, &approve)];
    let snapshot = world.complete();
    let asked = Cell::new(0);
    let is_over = || {
        asked.set(asked.get() + 1);
        asked.get() > 1
    };
    let view = View::until(&snapshot, &is_over);
    let chain = chain();
    let simulation = Simulation {
        chain: &chain,
        sender: SIGNER,
        calls: &calls,
        authorization_list: &[],
        authorities: &[],
        surroundings: Surroundings::default(),
    };
    // The call runs, and the token is not asked what it left.
    let (outcome, effects) = effects::run(&view, &simulation).unwrap();
    assert_eq!(outcome.status, simulate::Status::Success);
    assert_eq!(effects.unread[&token].reason, Reason::Timeout);
    assert!(matches!(
        effects::run(&view, &simulation),
        Err(Unread::NotRead(why)) if why.reason == Reason::Timeout
    ));
}
