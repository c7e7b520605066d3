//! What is said to be the meaning of a slot, when other contracts answer as it changes.

use crate::common::World;
use crate::stage::*;
use alloy_primitives::{Address, U256};
use alloy_sol_types::{SolCall, SolConstructor};
use presight_exec::effects::{Controls, Effects, Standing};

/// The first and last element of a Safe's lists.
const SENTINEL: Address = Address::with_last_byte(1);

fn number(address: Address) -> U256 {
    U256::from_be_bytes(address.into_word().0)
}

/// A contract that answers of these accounts as some slots change.
fn mimic(world: &mut World, answers: &[(Address, U256, U256)]) -> Address {
    let mimic = world.deploy("Mimic", &[], 0);
    for (account, first, second) in answers.iter().copied() {
        let set = Mimic::setCall {
            account,
            first,
            second,
        };
        world.send(mimic, set.abi_encode().into());
    }
    mimic
}

fn go(accounts: &[Address]) -> Mimic::goCall {
    Mimic::goCall {
        accounts: accounts.to_vec(),
    }
}

fn unattributed(effects: &Effects, contract: Address) -> usize {
    let open = effects.unattributed.iter();
    open.filter(|open| open.contract == contract).count()
}

/// A delegation, and a contract that answers as its slot changes.
fn delegated(watches: bool) -> (Effects, Address) {
    let mut world = world();
    let vault = world.deploy("SilentVault", &[], 0);
    let mimic = mimic(&mut world, &[(SIGNER, U256::ZERO, number(SPENDER))]);
    if watches {
        world.send(mimic, Mimic::watchCall { vault }.abi_encode().into());
    }
    let delegate = SilentVault::delegateCall {
        user: SIGNER,
        to: number(SPENDER),
    };
    let (_, effects) = simulate(&world, &[call(vault, &delegate), call(mimic, &go(&[SIGNER]))]);
    assert!(effects.balances.iter().any(|b| b.token == mimic));
    (effects, vault)
}

#[test]
fn answers_of_one_contract_say_nothing_of_the_slots_of_another() {
    let (effects, vault) = delegated(false);
    assert_eq!(unattributed(&effects, vault), 1);
}

#[test]
fn nor_do_answers_that_are_read_from_a_slot_which_the_contract_does_not_keep() {
    let (effects, vault) = delegated(true);
    assert_eq!(unattributed(&effects, vault), 1);
}

#[test]
fn balances_that_another_contract_keeps_are_told_and_its_slots_listed() {
    let mut world = world();
    let ledger = world.deploy("Ledger", &[], 0);
    let args = LedgerToken::constructorCall {
        ledger_: ledger,
        holder: SIGNER,
        supply: U256::from(1_000),
    };
    let token = world.deploy("LedgerToken", &args.abi_encode(), 0);
    let transfer = LedgerToken::transferCall {
        to: FRIEND,
        value: U256::from(30),
    };
    let (_, effects) = simulate(&world, &[call(token, &transfer)]);
    assert_eq!(effects.balances.len(), 2, "{:#?}", effects.balances);
    assert!(effects.balances.iter().all(|b| b.token == token && b.told));
    assert_eq!(unattributed(&effects, ledger), 2, "{:#?}", effects.unattributed);
}

fn safe(world: &mut World) -> (Address, SmallSafe::runCall) {
    let owner = SmallSafe::constructorCall { owner: SIGNER };
    let safe = world.deploy("SmallSafe", &owner.abi_encode(), 0);
    let open = Opener::openCall {
        module: SPENDER,
        owner: FRIEND,
    };
    let run = SmallSafe::runCall {
        code: world.deploy("Opener", &[], 0),
        data: open.abi_encode().into(),
    };
    (safe, run)
}

fn assert_opened(safe: Address, effects: &Effects) {
    let control = effects.control.iter().filter(|c| c.contract == safe);
    let observed = control.filter(|c| c.standing == Standing::Observed);
    let found: Vec<_> = observed.map(|c| (c.what, c.subject)).collect();
    assert_eq!(
        found,
        [
            (Controls::Module, Some(SPENDER)),
            (Controls::SafeOwner, Some(FRIEND)),
            (Controls::Guard, None),
        ]
    );
    assert!(!effects.unread.contains_key(&safe));
}

#[test]
fn a_module_is_seen_whoever_answers_like_it() {
    let mut world = world();
    let (safe, run) = safe(&mut world);
    let one = U256::ONE;
    let mimic = mimic(
        &mut world,
        &[(SPENDER, U256::ZERO, one), (SENTINEL, one, number(SPENDER))],
    );
    let (_, effects) = simulate(
        &world,
        &[call(safe, &run), call(mimic, &go(&[SPENDER, SENTINEL]))],
    );
    assert_opened(safe, &effects);
}
