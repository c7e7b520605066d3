//! Delegates put together by `variants/generate.mjs`: none is said something wrong of.

#![allow(clippy::unwrap_used, reason = "a fault of the data fails the test")]

mod accounts;

use presight_delegate::{FreshAccount, analyse};

/// Answers that may be missing: what is neither proven nor shown is not read.
const MOST_NOT_READ: usize = 8;

#[test]
fn no_variant_is_said_something_wrong_of() {
    let variants = accounts::variants();
    let (mut wrong, mut missing) = (Vec::new(), Vec::new());
    for variant in &variants {
        let account = &variant.account;
        let found = analyse(account, FreshAccount::DELEGATE, &account.code, Default::default()).unwrap();
        for (fact, right) in [&found.single_caller, &found.unbounded_outflow]
            .into_iter()
            .zip(&variant.right)
        {
            let line = format!("{}: {fact:?}, right: {right:?}", variant.id);
            if right.contains(&fact.value()) {
                continue;
            }
            if fact.value().is_none() {
                missing.push(line);
            } else {
                wrong.push(line);
            }
        }
    }
    let all = 2 * variants.len();
    println!(
        "{all} answers, {} wrong, {} not read where a value was due",
        wrong.len(),
        missing.len()
    );
    println!("{}", missing.join("\n"));
    assert!(variants.len() >= 200 && wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(missing.len() <= MOST_NOT_READ, "{}", missing.len());
}
