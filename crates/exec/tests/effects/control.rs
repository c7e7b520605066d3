//! Who controls contracts, and contracts that go away.

use crate::common::word;
use crate::stage::*;
use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::{SolCall, SolConstructor};
use presight_exec::effects::{Controls, Standing};
use presight_exec::simulate::Status;
use presight_wire::request::Call;

#[test]
fn an_upgrade_inside_a_multicall() {
    let mut world = world();
    let owner = UpgradableProxy::constructorCall { owner: SIGNER };
    let proxy = world.deploy("UpgradableProxy", &owner.abi_encode(), 0);
    let many = world.deploy("Many", &[], 0);
    let multicall = Many::multicallCall {
        to: vec![proxy, proxy],
        data: vec![
            UpgradableProxy::upgradeToCall {
                implementation: SPENDER,
            }
            .abi_encode()
            .into(),
            UpgradableProxy::transferOwnershipCall { to: SPENDER }
                .abi_encode()
                .into(),
        ],
    };
    let (_, effects) = simulate(&world, &[call(many, &multicall)]);
    let found: Vec<_> = effects
        .control
        .iter()
        .map(|c| (c.contract, c.what, c.value.as_ref().unwrap().after, c.standing))
        .collect();
    let spender: U256 = SPENDER.into_word().into();
    assert_eq!(
        found,
        [
            (proxy, Controls::Implementation, spender, Standing::Observed),
            (proxy, Controls::Owner, spender, Standing::Observed),
        ]
    );
    assert!(effects.unattributed.is_empty(), "{:#?}", effects.unattributed);
}

#[test]
fn a_safe_opened_by_code_run_in_it() {
    let mut world = world();
    let owner = SmallSafe::constructorCall { owner: SIGNER };
    let safe = world.deploy("SmallSafe", &owner.abi_encode(), 0);
    let opener = world.deploy("Opener", &[], 0);
    let open = Opener::openCall {
        module: SPENDER,
        owner: FRIEND,
    };
    let run = SmallSafe::runCall {
        code: opener,
        data: open.abi_encode().into(),
    };
    let (outcome, effects) = simulate(&world, &[call(safe, &run)]);
    assert_eq!(outcome.status, Status::Success);
    assert!(outcome.logs.is_empty());
    let found: Vec<_> = effects
        .control
        .iter()
        .map(|c| (c.contract, c.what, c.subject))
        .collect();
    assert_eq!(
        found,
        [
            (safe, Controls::Module, Some(SPENDER)),
            (safe, Controls::SafeOwner, Some(FRIEND)),
            (safe, Controls::Guard, None),
        ]
    );
    assert!(effects.control.iter().all(|c| c.standing == Standing::Observed));
    assert!(effects.unattributed.is_empty(), "{:#?}", effects.unattributed);
}

#[test]
fn the_facets_of_a_diamond() {
    let mut world = world();
    let owner = Diamond::constructorCall { owner: SIGNER };
    let diamond = world.deploy("Diamond", &owner.abi_encode(), 0);
    let cuts = vec![Cut {
        facet: SPENDER,
        action: 1,
        selectors: vec![[0x11, 0x22, 0x33, 0x44].into()],
    }];
    let loud = Diamond::diamondCutCall {
        cuts: cuts.clone(),
        init: Address::ZERO,
        data: Bytes::new(),
    };
    for cut in [
        call(diamond, &loud),
        call(diamond, &Diamond::quietCutCall { cuts }),
    ] {
        let (_, effects) = simulate(&world, &[cut]);
        let [facet] = effects.control.as_slice() else {
            panic!("{effects:#?}")
        };
        assert_eq!((facet.contract, facet.what), (diamond, Controls::Facets));
        assert_eq!(facet.of.unwrap()[..4], [0x11, 0x22, 0x33, 0x44]);
        assert_eq!(facet.value.as_ref().unwrap().after, word(SPENDER));
        assert_eq!(facet.standing, Standing::Observed);
        assert!(effects.unattributed.is_empty(), "{:#?}", effects.unattributed);
    }
}

#[test]
fn contracts_that_destroy_themselves() {
    let mut world = world();
    let maker = world.deploy("DoomMaker", &[], 0);
    let make = Call {
        value: U256::from(7),
        ..call(maker, &DoomMaker::makeCall { heir: FRIEND })
    };
    let (_, effects) = simulate(&world, &[make]);
    let [gone] = effects.code.as_slice() else {
        panic!("{effects:#?}")
    };
    assert!(gone.destroyed);
    assert_eq!(effects.native.len(), 2);

    // Since Cancun one that was there before only gives away what it holds (EIP-6780).
    let heir = Doomed::constructorCall { heir: Address::ZERO };
    let doomed = world.deploy("Doomed", &heir.abi_encode(), 9);
    let destroy = call(doomed, &Doomed::destroyCall { heir: FRIEND });
    let (_, effects) = simulate(&world, &[destroy]);
    assert!(effects.code.is_empty());
    assert_eq!(effects.native.len(), 2);
}
