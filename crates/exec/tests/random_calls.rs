//! Random contracts that observe all there is: on the whole state they give what plain revm gives, and with parts
//! of it taken away they give the same or nothing.
#![allow(clippy::unwrap_used, reason = "a test")]

mod common;

use alloy_primitives::Bytes;
use common::random::{CONTRACTS, FIELDS, contract, world};
use common::{chain, drop_read, state_wants};
use presight_exec::{CallOutcome, Halt, call};
use presight_view::{Answer, Lookup, Unread, View};
use presight_wire::Reason;
use proptest::prelude::*;
use revm::context::result::{ExecutionResult, HaltReason, OutOfGasError};

fn is_unavailable(outcome: &Lookup<CallOutcome>) -> bool {
    matches!(outcome, Err(Unread::NotRead(n)) if n.reason == Reason::Unavailable)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]
    #[test]
    fn a_call_gives_what_plain_revm_gives_or_nothing(
        codes in [contract(), contract(), contract()],
        balance in 0..4u64,
        taken in any::<prop::sample::Index>(),
    ) {
        let world = world(codes, balance);
        let whole = world.complete();
        let view = View::new(&whole);
        let outcome = call(&view, &chain(), CONTRACTS[0], &Bytes::new()).unwrap();
        let plain = match world.eth_call(CONTRACTS[0], &Bytes::new()) {
            ExecutionResult::Success { output, .. } => CallOutcome::Returned(output.into_data()),
            ExecutionResult::Revert { output, .. } => CallOutcome::Reverted(output),
            ExecutionResult::Halt { reason, .. } => CallOutcome::Halted(Halt {
                word: format!("{reason:?}"),
                by_our_bound: matches!(reason, HaltReason::OpcodeNotFound | HaltReason::NotActivated)
                    || matches!(&reason, HaltReason::OutOfGas(why) if *why != OutOfGasError::InvalidOperand),
            }),
        };
        prop_assert_eq!(&outcome, &plain);

        // Only what was used is held: the same. Without any one of it: nothing.
        let used: Vec<_> = state_wants(view.used()).into_iter().collect();
        let mut part = world.bare(Some(Reason::Unavailable));
        for want in &used {
            common::fill(&mut part, &whole, want);
        }
        prop_assert_eq!(call(&View::new(&part), &chain(), CONTRACTS[0], &Bytes::new()), Ok(outcome.clone()));
        let mut less = part.clone();
        drop_read(&mut less, taken.get(&used));
        prop_assert!(is_unavailable(&call(&View::new(&less), &chain(), CONTRACTS[0], &Bytes::new())));

        // Without a field of the header: the same, or nothing.
        for forget in FIELDS {
            let mut less = part.clone();
            let held = less.chains.get_mut(&chain()).unwrap();
            let mut block = held.block.known().unwrap().clone();
            forget(&mut block);
            held.block = Answer::Known(block);
            let now = call(&View::new(&less), &chain(), CONTRACTS[0], &Bytes::new());
            prop_assert!(now == Ok(outcome.clone()) || is_unavailable(&now), "{now:?} {outcome:?}");
        }
    }
}
