//! Random calls by outsiders, executed: none does what the analysis ruled out.
//!
//! `PRESIGHT_CAMPAIGN_CALLS` is the number of calls for each delegate; the seeds are fixed.

#![allow(clippy::unwrap_used, reason = "a fault of the data fails the test")]

mod accounts;
mod worlds;

use alloy_primitives::{Address, Bytes, U256, address};
use presight_delegate::{Analysis, Call, FreshAccount, RECIPIENTS, TOKEN, World, analyse, execute};
use std::collections::BTreeSet;

/// Calls for each delegate when nothing else is asked for.
const CALLS: u64 = 40;

/// A small generator of the same numbers everywhere.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap()
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }
}

/// Addresses and selectors that the code names.
fn named(code: &Bytes) -> (Vec<Address>, Vec<[u8; 4]>) {
    let (mut addresses, mut selectors) = (BTreeSet::new(), BTreeSet::new());
    let mut at = 0;
    while at < code.len() {
        let pushed = match code[at] {
            opcode @ 0x60..=0x7f => usize::from(opcode - 0x5f),
            _ => 0,
        };
        let data = code.get(at + 1..at + 1 + pushed).unwrap_or(&[]);
        match data.len() {
            20 => drop(addresses.insert(Address::from_slice(data))),
            32 => drop(addresses.insert(Address::from_slice(&data[12..]))),
            4 => drop(selectors.insert(<[u8; 4]>::try_from(data).unwrap())),
            3 => drop(selectors.insert([0, data[0], data[1], data[2]])),
            _ => {}
        }
        at += 1 + pushed;
    }
    (addresses.into_iter().collect(), selectors.into_iter().collect())
}

fn word(address: Address) -> U256 {
    U256::from_be_slice(address.as_slice())
}

fn call(numbers: &mut Numbers, account: Address, code: &Bytes) -> Call {
    let (mut addresses, mut selectors) = named(code);
    selectors.push([0; 4]);
    addresses.extend(RECIPIENTS);
    addresses.push(address!("0x2f7d3e11c5a94806b3c1f09ad6e57248be903f61"));
    let caller = loop {
        let caller = numbers.pick(&addresses);
        if caller != account && !caller.is_zero() {
            break caller;
        }
    };
    let ether = U256::from(10).pow(U256::from(18));
    let mut pool = vec![
        U256::ZERO,
        U256::ONE,
        ether,
        ether * U256::from(100),
        U256::from(10).pow(U256::from(24)),
        U256::MAX,
        word(TOKEN),
        word(account),
        U256::from(0x40),
        U256::from(0xa0),
    ];
    pool.extend(RECIPIENTS.map(word));
    pool.extend(addresses.iter().map(|address| word(*address)));
    let mut data = numbers.pick(&selectors).to_vec();
    for place in 0..numbers.below(8) {
        // First a recipient, an amount and a token, as most functions have them.
        let value = match (place, numbers.below(3)) {
            (0, 0) => word(numbers.pick(&RECIPIENTS)),
            (1, 0) => numbers.pick(&pool[1..5]),
            (2, 0) => word(TOKEN),
            (4, 0) => U256::from(0xa0),
            _ => numbers.pick(&pool),
        };
        data.extend_from_slice(&value.to_be_bytes::<32>());
    }
    if numbers.below(3) == 0 {
        data.resize(data.len() + 32 * (1 + numbers.below(4)), 0);
    }
    Call {
        caller,
        value: U256::from(numbers.pick(&[0, 0, 0, 1_u64])),
        data: data.into(),
    }
}

/// What a call did against what the analysis says.
fn contradiction(
    analysis: &Analysis,
    call: &Call,
    done: presight_delegate::Executed,
) -> Option<&'static str> {
    let known = analysis.callers.first().map(|witness| witness.call.caller);
    if done.moved && analysis.single_caller.value() == Some(true) && known != Some(call.caller) {
        return Some("another caller moved something");
    }
    let nobody = analysis.callers.is_empty() && analysis.functions.is_empty();
    if done.moved && analysis.single_caller.value() == Some(false) && nobody {
        return Some("a caller moved something where nobody can");
    }
    (done.emptied && analysis.unbounded_outflow.value() == Some(false)).then_some("a call sent everything")
}

fn campaign(
    name: &str,
    world: &dyn World,
    delegate: Address,
    code: &Bytes,
    seed: u64,
    counts: &mut [u64; 3],
) {
    let calls = std::env::var("PRESIGHT_CAMPAIGN_CALLS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(CALLS);
    let analysis = analyse(world, delegate, code, Default::default()).unwrap();
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15 ^ seed);
    for _ in 0..calls {
        let call = call(&mut numbers, world.account(), code);
        counts[0] += 1;
        let Some(done) = execute(world, delegate, code, &call) else {
            continue;
        };
        counts[1] += 1;
        counts[2] += u64::from(done.moved);
        let contradiction = contradiction(&analysis, &call, done);
        assert_eq!(contradiction, None, "{name}: {call:?} {analysis:?}");
    }
}

#[test]
fn no_executed_call_contradicts_the_analysis() {
    let mut counts = [0; 3];
    let mut seed = 1;
    for variant in accounts::variants() {
        seed += 1;
        let account = &variant.account;
        campaign(
            &variant.id,
            account,
            FreshAccount::DELEGATE,
            &account.code,
            seed,
            &mut counts,
        );
    }
    let set = worlds::vectors();
    for vector in &set.vectors {
        for variant in &vector.variants {
            seed += 1;
            let world = worlds::VectorWorld::new(&set, vector, &variant.runtime);
            let name = format!("{}/{}", vector.id, variant.name);
            campaign(&name, &world, set.delegate, &variant.runtime, seed, &mut counts);
        }
    }
    let [calls, succeeded, moved] = counts;
    println!("{calls} calls, {succeeded} succeeded, {moved} moved something, none contradicts");
    assert!(moved > 100, "the calls reach nothing: {moved}");
}
