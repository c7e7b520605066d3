//! Code that behaves in a simulation and not on chain.

use crate::common::chain;
use crate::stage::*;
use alloy_primitives::U256;
use alloy_sol_types::{SolCall, SolConstructor};
use presight_exec::effects::{self, Difference, Variation};
use presight_exec::simulate::{self, Simulation, Surroundings};
use presight_view::View;
use presight_wire::request::Call;

#[test]
fn a_contract_that_behaves_only_in_a_node_s_call_does_not_behave_here() {
    let mut world = world();
    let token = loose(&mut world, false);
    let args = Chameleon::constructorCall {
        token,
        spender: SPENDER,
        since: U256::from(world.block.timestamp),
    };
    let chameleon = world.deploy("Chameleon", &args.abi_encode(), 0);
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

#[test]
fn code_that_looks_around_before_it_acts_is_told_of() {
    let mut world = world();
    let token = loose(&mut world, true);
    let args = Chameleon::constructorCall {
        token,
        spender: SPENDER,
        since: U256::from(world.block.timestamp),
    };
    let chameleon = world.deploy("Chameleon", &args.abi_encode(), 0);
    let dependences = |data: Vec<u8>| {
        let calls = [Call {
            to: chameleon,
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
        let found = effects::depends_on(&view, &simulation, &simulated.outcome, &effects).unwrap();
        let found: Vec<_> = found
            .into_iter()
            .filter(|d| d.what != Difference::Nothing)
            .collect();
        assert!(found.iter().all(|d| d.what == Difference::Kind), "{found:?}");
        found.iter().map(|d| d.on).collect::<Vec<_>>()
    };
    assert_eq!(
        dependences(Chameleon::whenGasIsPaidCall {}.abi_encode()),
        [Variation::FreeGas]
    );
    assert_eq!(
        dependences(Chameleon::whenThereIsACoinbaseCall {}.abi_encode()),
        [Variation::NoCoinbase]
    );
    assert_eq!(
        dependences(Chameleon::whenGasIsScarceCall {}.abi_encode()),
        [Variation::ScarceGas]
    );
    assert_eq!(
        dependences(Chameleon::whenTimeHasPassedCall {}.abi_encode()),
        [Variation::MuchLater]
    );
    assert_eq!(
        dependences(Chameleon::whenRandomCall {}.abi_encode()),
        [Variation::OtherRandomness]
    );
    assert_eq!(
        dependences(Chameleon::whenTheSenderIsRichCall {}.abi_encode()),
        [Variation::RichSender]
    );
    assert_eq!(dependences(Chameleon::alwaysCall {}.abi_encode()), []);
}
