//! A witness with proofs, taken from a node: it verifies, and with any single bit flipped it does not, and nothing
//! else than before is read from it.

mod binary;
mod stage;

use alloy_primitives::{Address, Bytes, U256};
use binary::{Folder, arg, presight};
use presight_view::View;
use presight_view::file::{self, Proofs};
use presight_wire::ChainId;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestRunner};
use serde_json::Value;
use stage::{Stage, approve, request, request_call};
use std::collections::BTreeMap;

/// Bits that are flipped at random, besides one of every member.
const RANDOM_BITS: u32 = 2_000;
const SPENDER: &str = "0x00000000000000000000000000000000005be4de";

#[test]
fn any_flipped_bit_of_a_proven_witness_is_detected() {
    let Some(stage) = Stage::set() else { return };
    let folder = Folder::new();
    let witness = witness(&stage, &folder);
    let kinds = [
        "balance",
        "nonce",
        "code",
        "storage",
        "block",
        "accountProof",
        "storageProof",
    ];
    let members = members(&witness);
    for kind in kinds {
        assert!(
            members.iter().any(|member| member.contains(&format!("/{kind}"))),
            "{kind}: {members:#?}"
        );
    }
    let true_reads = reads(&witness).expect("the witness verifies");
    assert!(true_reads.len() > 3);
    for (index, member) in members.iter().enumerate() {
        check(&witness, &true_reads, member, index * 31);
    }
    let mut runner = TestRunner::new(Config {
        cases: RANDOM_BITS,
        failure_persistence: None,
        ..Config::default()
    });
    let chosen = (any::<Index>(), any::<usize>());
    let property = runner.run(&chosen, |(member, bit)| {
        check(&witness, &true_reads, member.get::<String>(&members), bit);
        Ok(())
    });
    property.expect("every flipped bit is detected");
    println!(
        "{} members of the witness, one bit of each, and {RANDOM_BITS} random ones: all detected",
        members.len()
    );
}

/// The witness of a report on an approve, with proofs; `replay` finds them valid.
fn witness(stage: &Stage, folder: &Folder) -> Value {
    let token = stage.token("Proven", "PRV", 6, U256::from(1_000_000));
    let request = request(&[request_call(&token, &approve(SPENDER, U256::MAX))]);
    let request = arg(&folder.write("request.json", request.to_string()));
    let path = arg(&folder.path("witness.json"));
    let mut arguments = vec!["report", &request, "--prove", "--witness", &path, "--unsigned"];
    let rpc = stage.rpc();
    arguments.extend(rpc.iter().map(String::as_str));
    let run = presight(&arguments);
    assert_eq!(run.code, 0, "{} {}", run.text(), run.stderr);
    let report = arg(&folder.write("report.json", &run.stdout));
    let replay = presight([
        "replay",
        &report,
        "--request",
        &request,
        "--witness",
        &path,
        "--json",
    ]);
    assert_eq!(replay.json()["proofs"], "valid", "{}", replay.text());
    serde_json::from_slice(&std::fs::read(&path).expect("a witness")).expect("JSON")
}

/// Pointers to everything in hex: the header's fields, the accounts' members, what proofs say and their nodes.
fn members(witness: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for part in ["block", "accounts", "proofs"] {
        let pointer = format!("/chains/0/{part}");
        collect(witness.pointer(&pointer).expect("a member"), &pointer, &mut found);
    }
    found
}

fn collect(value: &Value, pointer: &str, found: &mut Vec<String>) {
    match value {
        Value::String(text) if text.starts_with("0x") && text.len() > 2 => found.push(pointer.to_owned()),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                collect(item, &format!("{pointer}/{index}"), found);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                collect(member, &format!("{pointer}/{name}"), found);
            }
        }
        _ => {}
    }
}

/// What can be read of the state; none when the proofs do not all hold.
fn reads(witness: &Value) -> Option<Reads> {
    let file = file::parse(witness.to_string().as_bytes()).ok()?;
    (file.proofs == Proofs::Valid).then(|| held(&file.snapshot, witness))
}

type Reads = BTreeMap<(Address, Option<U256>), Held>;

#[derive(Debug, PartialEq)]
enum Held {
    Account(Option<U256>, Option<u64>, Option<Bytes>),
    Slot(Option<U256>),
}

impl Held {
    /// Whether each value is missing, or the same.
    fn is_no_other(&self, than: &Self) -> bool {
        fn same<T: PartialEq>(one: Option<&T>, other: Option<&T>) -> bool {
            one.is_none() || one == other
        }
        match (self, than) {
            (Self::Account(b, n, c), Self::Account(balance, nonce, code)) => {
                same(b.as_ref(), balance.as_ref())
                    && same(n.as_ref(), nonce.as_ref())
                    && same(c.as_ref(), code.as_ref())
            }
            (Self::Slot(value), Self::Slot(other)) => same(value.as_ref(), other.as_ref()),
            _ => false,
        }
    }
}

/// What a view on this snapshot reads of the accounts and slots that the witness lists.
fn held(snapshot: &presight_view::Snapshot, witness: &Value) -> Reads {
    let chain = ChainId::evm(31337);
    let view = View::new(snapshot);
    let mut held = Reads::new();
    for (name, account) in witness["chains"][0]["accounts"].as_object().expect("accounts") {
        let address: Address = name.parse().expect("an address");
        let members = Held::Account(
            view.balance(&chain, address).ok(),
            view.nonce(&chain, address).ok(),
            view.code(&chain, address).ok(),
        );
        held.insert((address, None), members);
        for slot in account["storage"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(slot, _)| slot)
        {
            let slot: U256 = slot.parse().expect("a slot");
            let value = view.storage(&chain, address, slot).ok();
            held.insert((address, Some(slot)), Held::Slot(value));
        }
    }
    held
}

/// Flips a bit of a member: the file is refused, or its proofs do not hold and nothing false is read.
fn check(witness: &Value, true_reads: &Reads, member: &str, bit: usize) {
    let mut flipped = witness.clone();
    let place = flipped.pointer_mut(member).expect("a member");
    let mut text = place.as_str().expect("hex").to_owned().into_bytes();
    let bit = bit % (4 * (text.len() - 2));
    let digit = &mut text[2 + bit / 4];
    let value = u8::try_from(char::from(*digit).to_digit(16).expect("a digit")).expect("four bits");
    *digit = b"0123456789abcdef"[usize::from(value ^ (1 << (bit % 4)))];
    *place = Value::String(String::from_utf8(text).expect("ASCII"));
    let Ok(file) = file::parse(flipped.to_string().as_bytes()) else {
        return; // refused
    };
    assert_ne!(file.proofs, Proofs::Valid, "bit {bit} of {member}");
    for (what, value) in held(&file.snapshot, witness) {
        let expected = &true_reads[&what];
        assert!(
            value.is_no_other(expected),
            "bit {bit} of {member}: {what:?}: {value:?} for {expected:?}"
        );
    }
}
