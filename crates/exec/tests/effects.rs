//! What contracts do and do not say they do: each trap, and what is told of it.

#![allow(clippy::unwrap_used, reason = "a test")]

mod common;

use alloy_primitives::{Address, Bytes, U256, address};
use alloy_sol_types::{SolCall, SolConstructor, sol};
use common::{World, chain, with_code};
use presight_exec::delegation::AccountCode;
use presight_exec::effects::{self, Asset, Controls, Difference, Effects, Standing, Variation};
use presight_exec::simulate::{self, Bound, Caveat, Outcome, Revert, Simulation, Status, Surroundings};
use presight_view::View;
use presight_wire::request::{Authorization, Call};

sol! {
    contract LooseToken {
        constructor(bool quiet, address holder, uint256 supply);
        function approve(address spender, uint256 value) external returns (bool);
        function approveFor(address owner, address spender, uint256 value) external;
        function transfer(address to, uint256 value) external returns (bool);
        function transferFrom(address from, address to, uint256 value) external returns (bool);
        function use(address with) external;
    }
    contract LyingToken {
        function setApprovalForAll(address operator, bool approved) external;
        function flood(uint160 spenders, uint256 logs) external;
    }
    contract Router { function swap(address token, address spender) external; }
    contract Maker { function make(address token, address spender) external; }
    struct Inner { address to; uint256 value; bytes data; }
    contract BatchAccount { function execute(Inner[] calldata calls) external payable; }
    contract Many { function multicall(address[] calldata to, bytes[] calldata data) external; }
    contract UpgradableProxy {
        constructor(address owner);
        function upgradeTo(address implementation) external;
        function transferOwnership(address to) external;
    }
    contract SmallSafe {
        constructor(address owner);
        function run(address code, bytes calldata data) external;
    }
    contract Opener { function open(address module, address owner) external; }
    contract Multi {
        constructor(address holder);
        function safeBatchTransferFrom(address from, address to, uint256[] calldata ids, uint256[] calldata values, bytes calldata data) external;
        function setApprovalForAll(address operator, bool approved) external;
    }
    contract ItemZero {
        constructor(address holder);
        function approve(address to, uint256 tokenId) external;
        function transferFrom(address from, address to, uint256 tokenId) external;
    }
    contract Chameleon {
        constructor(address token, address spender, uint256 since);
        function whenGasIsPaid() external;
        function whenThereIsACoinbase() external;
        function whenGasIsScarce() external;
        function whenTimeHasPassed() external;
        function whenRandom() external;
        function whenTheSenderIsRich() external;
        function always() external;
    }
    contract Noisy {
        function logs(uint256 count) external;
        function calls(uint256 count) external;
        function custom() external;
    }
    contract Wrapper { function deposit() external payable; function withdraw(uint256 wad) external; }
    contract SpeakingPermit2 {
        function approve(address token, address spender, uint160 amount, uint48 expiration) external;
    }
}

const SIGNER: Address = address!("0x00000000000000000000000000000000515ec001");
const SPENDER: Address = address!("0x00000000000000000000000000000000bad00001");
const FRIEND: Address = address!("0x00000000000000000000000000000000f41e4d01");
const ETHER: U256 = U256::from_limbs([1_000_000_000_000_000_000, 0, 0, 0]);

fn call(to: Address, data: &impl SolCall) -> Call {
    Call {
        to,
        value: U256::ZERO,
        data: data.abi_encode().into(),
    }
}

fn world() -> World {
    let mut world = World::new();
    world.fund(SIGNER, ETHER);
    world
}

fn loose(world: &mut World, quiet: bool) -> Address {
    let supply = U256::from(1_000);
    let args = LooseToken::constructorCall {
        quiet,
        holder: SIGNER,
        supply,
    };
    world.deploy("LooseToken", &args.abi_encode(), 0)
}

/// Simulates calls of the signer on the whole state.
fn simulate(world: &World, calls: &[Call]) -> (Outcome, Effects) {
    simulate_with(world, calls, &[], &[])
}

fn simulate_with(
    world: &World,
    calls: &[Call],
    list: &[Authorization],
    authorities: &[Option<Address>],
) -> (Outcome, Effects) {
    let snapshot = world.complete();
    let chain = chain();
    let view = View::new(&snapshot);
    let simulation = Simulation {
        chain: &chain,
        sender: SIGNER,
        calls,
        authorization_list: list,
        authorities,
        surroundings: Surroundings::default(),
    };
    let mut simulated = simulate::run(&view, &simulation).unwrap();
    let effects = effects::of(&mut simulated).unwrap();
    let outcome = simulated.outcome.clone();
    drop(simulated);
    assert!(view.into_wants().iter().all(presight_view::Want::is_hint));
    (outcome, effects)
}

/// The one allowance, which is the signer's to the spender, without limit.
fn assert_drained(token: Address, effects: &Effects) {
    let [allowance] = effects.allowances.as_slice() else {
        panic!("{effects:#?}")
    };
    assert_eq!(
        (allowance.token, allowance.owner, allowance.spender),
        (token, SIGNER, SPENDER)
    );
    let amount = allowance.amount.as_ref().unwrap();
    assert_eq!((amount.before, amount.after), (U256::ZERO, U256::MAX));
    assert_eq!(allowance.standing, Standing::Observed);
    assert!(allowance.is_raised());
    assert!(effects.unattributed.is_empty(), "{:#?}", effects.unattributed);
}

#[test]
fn a_transfer_of_the_full_balance_shows() {
    for quiet in [false, true] {
        let mut world = world();
        let token = loose(&mut world, quiet);
        let all = LooseToken::transferCall {
            to: FRIEND,
            value: U256::from(1_000),
        };
        let (outcome, effects) = simulate(&world, &[call(token, &all)]);
        assert_eq!(outcome.status, Status::Success);
        let balances: Vec<_> = effects
            .balances
            .iter()
            .map(|b| (b.account, b.balance.before, b.balance.after, b.told))
            .collect();
        let (none, thousand) = (U256::ZERO, U256::from(1_000));
        assert_eq!(
            balances,
            [(SIGNER, thousand, none, !quiet), (FRIEND, none, thousand, !quiet)]
        );
        assert_eq!(effects.transfers.len(), usize::from(!quiet));
        assert!(effects.transfers.iter().all(|t| t.standing == Standing::Observed));
        assert!(effects.unattributed.is_empty());
    }
}

#[test]
fn approvals_hidden_from_the_calldata_are_found() {
    for quiet in [false, true] {
        let mut world = world();
        let token = loose(&mut world, quiet);
        let router = world.deploy("Router", &[], 0);
        let maker = world.deploy("Maker", &[], 0);

        let swap = Router::swapCall {
            token,
            spender: SPENDER,
        };
        assert_drained(token, &simulate(&world, &[call(router, &swap)]).1);

        let tail = [token.into_word(), SPENDER.into_word()].concat();
        let fallback = Call {
            to: router,
            value: U256::ZERO,
            data: [&[0xde, 0xad, 0xbe, 0xef], tail.as_slice()].concat().into(),
        };
        assert_drained(token, &simulate(&world, &[fallback]).1);

        let make = Maker::makeCall {
            token,
            spender: SPENDER,
        };
        let (outcome, effects) = simulate(&world, &[call(maker, &make)]);
        assert_drained(token, &effects);
        let created = effects.code.iter().filter(|c| c.code.before == AccountCode::None);
        // The constructor approves and leaves no code behind it but its own.
        assert_eq!(created.count(), 1, "{outcome:#?}");
    }
}

#[test]
fn the_batch_of_a_delegated_account_is_taken_apart() {
    let mut world = world();
    let token = loose(&mut world, false);
    let delegate = world.deploy("BatchAccount", &[], 0);
    let batch = BatchAccount::executeCall {
        calls: vec![
            Inner {
                to: token,
                value: U256::ZERO,
                data: LooseToken::approveCall {
                    spender: SPENDER,
                    value: U256::MAX,
                }
                .abi_encode()
                .into(),
            },
            Inner {
                to: FRIEND,
                value: U256::from(7),
                data: Bytes::new(),
            },
        ],
    };
    let calls = [call(SIGNER, &batch)];

    // Delegated already.
    let mut delegated = world.clone();
    let designator: Bytes = [&[0xef, 0x01, 0x00], delegate.as_slice()].concat().into();
    let mut account = with_code(designator);
    account.balance = ETHER;
    delegated.db.insert_account_info(SIGNER, account);
    let (outcome, effects) = simulate(&delegated, &calls);
    assert_eq!(outcome.status, Status::Success, "{:?}", outcome.reason);
    assert_drained(token, &effects);
    let sent: Vec<_> = effects
        .native
        .iter()
        .map(|n| (n.account, n.balance.before, n.balance.after))
        .collect();
    assert_eq!(
        sent,
        [
            (SIGNER, ETHER, ETHER - U256::from(7)),
            (FRIEND, U256::ZERO, U256::from(7))
        ]
    );

    // Delegated by the request itself: the nonce of the signer is raised before its tuple's turn.
    let tuple = authorization(delegate, 1);
    let (outcome, effects) = simulate_with(&world, &calls, std::slice::from_ref(&tuple), &[Some(SIGNER)]);
    assert_eq!(outcome.status, Status::Success, "{:?}", outcome.reason);
    assert_drained(token, &effects);
    assert_eq!(effects.code.len(), 1);
    assert_eq!(effects.code[0].account, SIGNER);
    assert_eq!(effects.code[0].code.after, AccountCode::Delegated(delegate));
}

fn authorization(delegate: Address, nonce: u64) -> Authorization {
    Authorization {
        chain_id: U256::ZERO,
        address: delegate,
        nonce,
        y_parity: 0,
        r: U256::ONE,
        s: U256::ONE,
    }
}

#[test]
fn an_authorization_stays_when_the_calls_fail() {
    let mut world = world();
    let delegate = world.deploy("BatchAccount", &[], 0);
    let noisy = world.deploy("Noisy", &[], 0);
    let tuple = [authorization(delegate, 1), authorization(delegate, 1)];
    let authorities = [Some(SIGNER), Some(SIGNER)];
    let failing = call(noisy, &Noisy::customCall {});
    for calls in [vec![failing.clone()], vec![], vec![too_much(FRIEND)]] {
        let (outcome, effects) = simulate_with(&world, &calls, &tuple, &authorities);
        assert_eq!(outcome.status == Status::Success, calls.is_empty());
        assert_eq!(effects.code.len(), 1, "{calls:?}");
        assert_eq!(effects.code[0].code.before, AccountCode::None);
        assert_eq!(effects.code[0].code.after, AccountCode::Delegated(delegate));
        // The transaction raises the nonce once and the first tuple once more; the second is passed over.
        let nonce = outcome
            .changes
            .of(SIGNER)
            .and_then(|change| change.nonce.clone())
            .unwrap();
        assert_eq!((nonce.before, nonce.after), (0, 2), "{calls:?}");
    }
}

/// A call that sends more than the signer has.
fn too_much(to: Address) -> Call {
    Call {
        to,
        value: ETHER + U256::ONE,
        data: Bytes::new(),
    }
}

#[test]
fn an_allowance_that_falls_is_no_grant() {
    for quiet in [false, true] {
        let mut world = world();
        let token = loose(&mut world, quiet);
        let grant = LooseToken::approveForCall {
            owner: FRIEND,
            spender: SIGNER,
            value: U256::MAX,
        };
        world.send(token, grant.abi_encode().into());
        let fund = LooseToken::transferCall {
            to: FRIEND,
            value: U256::from(10),
        };
        let take = LooseToken::transferFromCall {
            from: FRIEND,
            to: SPENDER,
            value: U256::from(10),
        };
        let (outcome, effects) = simulate(&world, &[call(token, &fund), call(token, &take)]);
        assert_eq!(outcome.status, Status::Success, "{:?}", outcome.reason);
        let [allowance] = effects.allowances.as_slice() else {
            panic!("{effects:#?}")
        };
        let amount = allowance.amount.as_ref().unwrap();
        assert_eq!(
            (amount.before, amount.after),
            (U256::MAX, U256::MAX - U256::from(10))
        );
        assert!(!allowance.is_raised());
        assert_eq!(allowance.standing, Standing::Observed);
        // Over both calls the friend's balance is as it was.
        assert!(
            effects
                .balances
                .iter()
                .all(|b| b.account != FRIEND || quiet == b.told)
        );
        assert!(effects.unattributed.is_empty(), "{:#?}", effects.unattributed);
    }
}

#[test]
fn what_looks_like_an_allowance_is_none() {
    let mut world = world();
    let token = loose(&mut world, false);
    let (_, effects) = simulate(&world, &[call(token, &LooseToken::useCall { with: SPENDER })]);
    assert!(effects.allowances.is_empty());
    assert!(effects.permit2.is_empty() && effects.operators.is_empty() && effects.items.is_empty());
    let keys: Vec<usize> = effects.unattributed.iter().map(|slot| slot.keys.len()).collect();
    assert_eq!(effects.unattributed.len(), 2, "nothing is dropped");
    assert!(keys.contains(&1) && keys.contains(&2));
}

#[test]
fn events_that_lie_are_claims() {
    let mut world = world();
    let token = world.deploy("LyingToken", &[], 0);
    let calls = [
        call(
            token,
            &LooseToken::transferCall {
                to: FRIEND,
                value: U256::from(5),
            },
        ),
        call(
            token,
            &LooseToken::approveCall {
                spender: SPENDER,
                value: U256::from(5),
            },
        ),
        call(
            token,
            &LyingToken::setApprovalForAllCall {
                operator: SPENDER,
                approved: true,
            },
        ),
    ];
    let (outcome, effects) = simulate(&world, &calls);
    assert_eq!(outcome.status, Status::Success);
    assert_eq!(outcome.logs.len(), 3);
    assert_eq!(effects.transfers[0].standing, Standing::Claimed);
    assert_eq!(effects.allowances[0].standing, Standing::Claimed);
    assert_eq!(effects.operators[0].standing, Standing::Claimed);
    assert!(effects.balances.is_empty());
}

#[test]
fn an_approval_in_a_flood_of_decoys_is_found() {
    let mut world = world();
    let liar = world.deploy("LyingToken", &[], 0);
    let token = loose(&mut world, true);
    let router = world.deploy("Router", &[], 0);
    let flood = LyingToken::floodCall {
        spenders: 600u64.try_into().unwrap(),
        logs: U256::from(2_000),
    };
    let swap = Router::swapCall {
        token,
        spender: SPENDER,
    };
    let (outcome, effects) = simulate(&world, &[call(liar, &flood), call(router, &swap)]);
    assert_eq!(outcome.logs.len(), 2_000);
    assert_eq!(effects.allowances.len(), 601);
    let observed: Vec<_> = effects
        .allowances
        .iter()
        .filter(|a| a.standing == Standing::Observed)
        .collect();
    assert_eq!(observed.len(), 1);
    assert_eq!((observed[0].token, observed[0].spender), (token, SPENDER));
    assert!(observed[0].is_raised());
    assert!(effects.transfers.iter().all(|t| t.standing == Standing::Claimed));
    assert!(outcome.bounds.is_empty());
}

#[test]
fn an_approval_of_nothing_raises_nothing() {
    let mut world = world();
    let token = loose(&mut world, false);
    let approve = LooseToken::approveCall {
        spender: SPENDER,
        value: U256::ZERO,
    };
    let (_, effects) = simulate(&world, &[call(token, &approve)]);
    let [allowance] = effects.allowances.as_slice() else {
        panic!("{effects:#?}")
    };
    assert!(!allowance.is_raised());
    assert_eq!(allowance.standing, Standing::Observed);
}

#[test]
fn an_approval_over_two_calls_is_one_change() {
    let mut world = world();
    let token = loose(&mut world, false);
    let approve = |value: u64| {
        call(
            token,
            &LooseToken::approveCall {
                spender: SPENDER,
                value: U256::from(value),
            },
        )
    };
    let (_, effects) = simulate(&world, &[approve(500), approve(100)]);
    let [allowance] = effects.allowances.as_slice() else {
        panic!("{effects:#?}")
    };
    let amount = allowance.amount.as_ref().unwrap();
    assert_eq!((amount.before, amount.after), (U256::ZERO, U256::from(100)));
}

#[test]
fn items_and_their_approvals() {
    let mut world = world();
    let holder = ItemZero::constructorCall { holder: SIGNER };
    let item = world.deploy("ItemZero", &holder.abi_encode(), 0);
    let approve = ItemZero::approveCall {
        to: SPENDER,
        tokenId: U256::ZERO,
    };
    let (_, effects) = simulate(&world, &[call(item, &approve)]);
    let [approval] = effects.items.as_slice() else {
        panic!("{effects:#?}")
    };
    assert_eq!((approval.token, approval.id), (item, U256::ZERO));
    let approved = approval.approved.as_ref().unwrap();
    assert_eq!((approved.before, approved.after), (Address::ZERO, SPENDER));
    assert_eq!(approval.standing, Standing::Observed);
    assert!(effects.allowances.is_empty() && effects.unattributed.is_empty());

    let transfer = ItemZero::transferFromCall {
        from: SIGNER,
        to: FRIEND,
        tokenId: U256::ZERO,
    };
    let (_, effects) = simulate(&world, &[call(item, &approve), call(item, &transfer)]);
    let [moved] = effects.transfers.as_slice() else {
        panic!("{effects:#?}")
    };
    assert_eq!(moved.asset, Asset::Erc721(U256::ZERO));
    assert_eq!(
        (moved.from, moved.to, moved.standing),
        (SIGNER, FRIEND, Standing::Observed)
    );
    assert!(effects.unattributed.is_empty(), "{:#?}", effects.unattributed);
}

#[test]
fn a_batch_of_amounts_moves() {
    let mut world = world();
    let holder = Multi::constructorCall { holder: SIGNER };
    let multi = world.deploy("Multi", &holder.abi_encode(), 0);
    let batch = Multi::safeBatchTransferFromCall {
        from: SIGNER,
        to: FRIEND,
        ids: vec![U256::ZERO, U256::from(2)],
        values: vec![U256::from(100), U256::from(30)],
        data: Bytes::new(),
    };
    let operator = Multi::setApprovalForAllCall {
        operator: SPENDER,
        approved: true,
    };
    let (_, effects) = simulate(&world, &[call(multi, &batch), call(multi, &operator)]);
    let moved: Vec<_> = effects
        .transfers
        .iter()
        .map(|t| (t.asset, t.amount, t.standing))
        .collect();
    assert_eq!(
        moved,
        [
            (Asset::Erc1155(U256::ZERO), U256::from(100), Standing::Observed),
            (Asset::Erc1155(U256::from(2)), U256::from(30), Standing::Observed),
        ]
    );
    assert_eq!(effects.balances.len(), 4);
    let [operator] = effects.operators.as_slice() else {
        panic!("{effects:#?}")
    };
    assert_eq!((operator.owner, operator.operator), (SIGNER, SPENDER));
    assert_eq!(operator.standing, Standing::Observed);
    assert!(effects.unattributed.is_empty(), "{:#?}", effects.unattributed);
}

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
fn permit2_allowances() {
    let mut world = world();
    let permit2 = world.deploy("SpeakingPermit2", &[], 0);
    let silent = world.deploy("Permit2Allowances", &[], 0);
    let token = loose(&mut world, false);
    for contract in [permit2, silent] {
        let approve = SpeakingPermit2::approveCall {
            token,
            spender: SPENDER,
            amount: 5u64.try_into().unwrap(),
            expiration: 9u64.try_into().unwrap(),
        };
        let (_, effects) = simulate(&world, &[call(contract, &approve)]);
        let [allowance] = effects.permit2.as_slice() else {
            panic!("{effects:#?}")
        };
        assert_eq!(
            (
                allowance.contract,
                allowance.token,
                allowance.owner,
                allowance.spender
            ),
            (contract, token, SIGNER, SPENDER)
        );
        assert_eq!(allowance.amount.as_ref().unwrap().after, U256::from(5));
        assert_eq!(allowance.expiration.as_ref().unwrap().after, U256::from(9));
        assert_eq!(allowance.standing, Standing::Observed);
        assert!(effects.unattributed.is_empty(), "{:#?}", effects.unattributed);
    }
}

#[test]
fn native_value_wrapped() {
    let mut world = world();
    let wrapper = world.deploy("Wrapper", &[], 0);
    let deposit = Call {
        value: U256::from(30),
        ..call(wrapper, &Wrapper::depositCall {})
    };
    let withdraw = call(wrapper, &Wrapper::withdrawCall { wad: U256::from(10) });
    let (outcome, effects) = simulate(&world, &[deposit, withdraw]);
    assert_eq!(outcome.status, Status::Success, "{:?}", outcome.reason);
    assert_eq!(effects.transfers.len(), 2);
    assert!(effects.transfers.iter().all(|t| t.asset == Asset::Wrapped));
    assert_eq!(effects.balances[0].balance.after, U256::from(20));
    assert_eq!(effects.native.len(), 2);
    assert!(effects.unattributed.is_empty());
}

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
fn calls_that_fail_are_undone_alone_and_say_why() {
    let mut world = world();
    let token = loose(&mut world, false);
    let noisy = world.deploy("Noisy", &[], 0);
    let approve = LooseToken::approveCall {
        spender: SPENDER,
        value: U256::MAX,
    };
    let transfer = LooseToken::transferCall {
        to: FRIEND,
        value: U256::from(1_001),
    };
    let calls = [
        call(noisy, &Noisy::customCall {}),
        call(token, &transfer),
        too_much(FRIEND),
        call(token, &approve),
    ];
    let (outcome, effects) = simulate(&world, &calls);
    assert_eq!(outcome.status, Status::Revert);
    let status: Vec<_> = outcome.calls.iter().map(|call| call.status).collect();
    assert_eq!(
        status,
        [Status::Revert, Status::Revert, Status::Halt, Status::Success]
    );
    assert!(
        matches!(&outcome.calls[0].revert, Some(Revert::Custom { arguments, .. }) if arguments.len() == 32)
    );
    assert_eq!(outcome.calls[1].revert, Some(Revert::Panic(U256::from(0x11))));
    let reason = outcome.calls[2].reason.as_ref().unwrap();
    assert!(reason.contains("less than the 1000000000000000001"), "{reason}");
    assert_drained(token, &effects);
    assert!(outcome.logs.iter().all(|log| log.call == 3));
}

#[test]
fn a_sender_without_gas_money_still_simulates() {
    let mut world = World::new();
    let token = loose(&mut world, false);
    let approve = LooseToken::approveCall {
        spender: SPENDER,
        value: U256::MAX,
    };
    let (outcome, effects) = simulate(&world, &[call(token, &approve)]);
    assert_drained(token, &effects);
    let [caveat @ Caveat::BalanceCheckOff { .. }] = outcome.caveats.as_slice() else {
        panic!("{:?}", outcome.caveats)
    };
    assert!(caveat.to_string().starts_with("balance_check: off, because"));
}

#[test]
fn bounds_are_named_when_hit() {
    let mut world = world();
    let noisy = world.deploy("Noisy", &[], 0);
    let count = U256::from(12_000);
    let (outcome, _) = simulate(&world, &[call(noisy, &Noisy::logsCall { count })]);
    assert_eq!(outcome.status, Status::Success);
    assert_eq!(outcome.bounds.iter().collect::<Vec<_>>(), [&Bound::Logs]);
    assert_eq!(outcome.logs.len(), simulate::MAX_LOGS);

    let (outcome, _) = simulate(&world, &[call(noisy, &Noisy::callsCall { count })]);
    assert_eq!(outcome.status, Status::Success);
    assert_eq!(outcome.bounds.iter().collect::<Vec<_>>(), [&Bound::Frames]);
    assert_eq!(outcome.frames.len(), simulate::MAX_FRAMES);

    let endless = Noisy::logsCall { count: U256::MAX };
    let (outcome, _) = simulate(&world, &[call(noisy, &endless)]);
    assert_eq!(outcome.status, Status::Halt);
    assert!(outcome.reason.unwrap().contains("MAX_CALL_GAS"));
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
