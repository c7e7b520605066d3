//! Simulations on a warm view: the time one takes when nothing is fetched.

#[path = "../tests/common/mod.rs"]
mod common;

use alloy_primitives::{Address, U256, address};
use common::{World, calldata, chain, token_args, word};
use divan::{Bencher, black_box};
use presight_exec::effects;
use presight_exec::simulate::{self, Simulation, Surroundings};
use presight_view::{Snapshot, View};
use presight_wire::request::Call;

const SIGNER: Address = address!("0x00000000000000000000000000000000515ec001");
const SPENDER: Address = address!("0x00000000000000000000000000000000bad00001");

fn main() {
    divan::main();
}

/// A world with a token, and an approval of it; `behind` a proxy.
fn approve(behind: bool) -> (Snapshot, Vec<Call>) {
    let mut world = World::new();
    let supply = U256::from(1_000_000);
    let token = world.deploy("Token", &token_args("Token", "TKN", 18, supply), 0);
    let to = if behind {
        world.deploy("Eip1967Proxy", token.into_word().as_slice(), 0)
    } else {
        token
    };
    let data = calldata("approve(address,uint256)", &[word(SPENDER), U256::MAX]);
    let value = U256::ZERO;
    (world.complete(), vec![Call { to, value, data }])
}

fn run(snapshot: &Snapshot, calls: &[Call], with_effects: bool) -> usize {
    let chain = chain();
    let view = View::new(snapshot);
    let simulation = Simulation {
        chain: &chain,
        sender: SIGNER,
        calls,
        authorization_list: &[],
        authorities: &[],
        surroundings: Surroundings::default(),
    };
    let mut simulated = simulate::run(&view, &simulation).expect("the state is whole");
    if !with_effects {
        return simulated.outcome.logs.len();
    }
    let effects = effects::of(&mut simulated).expect("the state is whole");
    effects.allowances.len()
}

#[divan::bench(args = [false, true])]
fn approve_outcome(bencher: Bencher<'_, '_>, behind_a_proxy: bool) {
    let (snapshot, calls) = approve(behind_a_proxy);
    bencher.bench_local(|| run(black_box(&snapshot), &calls, false));
}

#[divan::bench(args = [false, true])]
fn approve_outcome_and_effects(bencher: Bencher<'_, '_>, behind_a_proxy: bool) {
    let (snapshot, calls) = approve(behind_a_proxy);
    bencher.bench_local(|| run(black_box(&snapshot), &calls, true));
}
