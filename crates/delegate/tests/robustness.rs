//! Code that no compiler made: no panic, no bound overrun, and nothing claimed of noise.

#![allow(clippy::unwrap_used, reason = "a fault of the data fails the test")]

mod worlds;

use alloy_primitives::Bytes;
use presight_delegate::{FreshAccount, Limits, analyse};
use worlds::vectors;

/// The same numbers everywhere.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap()
    }

    fn byte(&mut self) -> u8 {
        u8::try_from(self.below(256)).unwrap()
    }
}

/// Inputs of each kind, unless `PRESIGHT_ROBUSTNESS_INPUTS` says otherwise.
const INPUTS: usize = 400;

fn inputs() -> usize {
    let asked = std::env::var("PRESIGHT_ROBUSTNESS_INPUTS")
        .ok()
        .and_then(|n| n.parse().ok());
    asked.unwrap_or(INPUTS)
}

fn limits() -> Limits {
    Limits {
        steps: 60_000,
        work: 600_000,
        ..Limits::default()
    }
}

fn check(code: Vec<u8>) -> presight_delegate::Analysis {
    let code = Bytes::from(code);
    let account = FreshAccount::new(FreshAccount::DELEGATE, code.clone(), None);
    let found = analyse(&account, FreshAccount::DELEGATE, &code, limits()).unwrap();
    assert!(found.steps <= limits().steps + 1, "{code}: {} steps", found.steps);
    found
}

#[test]
fn noise_is_no_delegate_with_one_caller() {
    let mut numbers = Numbers(0x1234_5678_9abc_def1);
    // Opcodes that do something, more often than chance has them.
    let likely = [
        0x01, 0x03, 0x10, 0x14, 0x15, 0x16, 0x1b, 0x1c, 0x20, 0x33, 0x34, 0x35, 0x36, 0x37, 0x51, 0x52, 0x53,
        0x54, 0x55, 0x56, 0x57, 0x5b, 0x5e, 0x5f, 0x60, 0x61, 0x80, 0x81, 0x90, 0x91, 0xf1, 0xf3, 0xf4, 0xfa,
        0xff,
    ];
    for _ in 0..inputs() {
        let length = 1 + numbers.below(400);
        let code = (0..length)
            .map(|_| {
                if numbers.below(3) == 0 {
                    numbers.byte()
                } else {
                    likely[numbers.below(likely.len())]
                }
            })
            .collect();
        let found = check(code);
        assert_ne!(found.single_caller.value(), Some(true));
    }
}

#[test]
fn broken_code_is_taken() {
    let set = vectors();
    let mut numbers = Numbers(0xfeed_beef_1234_5671);
    for _ in 0..inputs() {
        let vector = &set.vectors[numbers.below(set.vectors.len())];
        let variant = &vector.variants[numbers.below(vector.variants.len())];
        let mut code = variant.runtime.to_vec();
        if numbers.below(2) == 0 {
            code.truncate(numbers.below(code.len()));
        }
        for _ in 0..numbers.below(6) {
            let length = code.len().max(1);
            if let Some(byte) = code.get_mut(numbers.below(length)) {
                *byte = numbers.byte();
            }
        }
        check(code);
    }
}

/// The check of the one caller, turned round, with another address, or taken away.
#[test]
fn another_check_is_another_answer() {
    let set = vectors();
    let one = set.vectors.iter().find(|vector| vector.id == "V3").unwrap();
    let key: [u8; 20] = alloy_primitives::hex!("8638bca8fdc08dfaa3cfb9914aad6a43e916933d");
    for variant in &one.variants {
        let code = variant.runtime.to_vec();
        assert_eq!(
            check(code.clone()).single_caller.value(),
            Some(true),
            "{}",
            variant.name
        );
        let places: Vec<usize> = code
            .windows(20)
            .enumerate()
            .filter(|(_, w)| *w == key)
            .map(|(at, _)| at)
            .collect();
        assert!(!places.is_empty());
        // One of two checks names somebody else.
        if let [first, _, ..] = places.as_slice() {
            let mut other = code.clone();
            other[*first] ^= 1;
            assert_ne!(check(other).single_caller.value(), Some(true), "{}", variant.name);
        }
        // CALLER becomes ADDRESS and ORIGIN: the check is of something else.
        for opcode in [0x30, 0x32] {
            let mut other = code.clone();
            let mut at = 0;
            while at < other.len() {
                let pushed = if (0x60..=0x7f).contains(&other[at]) {
                    usize::from(other[at] - 0x5f)
                } else {
                    0
                };
                if other[at] == 0x33 {
                    other[at] = opcode;
                }
                at += 1 + pushed;
            }
            assert_ne!(
                check(other).single_caller.value(),
                Some(true),
                "{} {opcode:#x}",
                variant.name
            );
        }
    }
}
