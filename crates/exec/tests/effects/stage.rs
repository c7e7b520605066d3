//! A signer, tokens that do more than they say, and simulations of what the signer sends them.

use crate::common::{World, chain};
use alloy_primitives::{Address, Bytes, U256, address};
use alloy_sol_types::{SolCall, SolConstructor, sol};
use presight_exec::effects::{self, Effects, Standing};
use presight_exec::simulate::{self, Outcome, Simulation, Surroundings};
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
    contract Gates {
        constructor(address token, address spender, address heavy);
        function whenAnInnerCallFails() external;
        function whenAnInnerCallFailsUnseen() external;
        function inALaterBlock(uint256 number, uint256 time) external;
        function inALaterBlockThenLater(uint256 number, uint256 time) external;
        function twoBlocksOn(uint256 number) external;
        function withinTenMinutes(uint256 time) external;
        function whenGasIsCheaper(uint256 fee) external;
        function inASmallerBlock(uint256 limit) external;
        function withATip() external;
        function whenBlobsAreDearer(uint256 fee) external;
        function whenItIsLate(uint256 time) external;
    }
    contract Slows { function go(uint256 contracts, uint256 slots) external; }
    contract Noisy {
        function logs(uint256 count) external;
        function calls(uint256 count) external;
        function custom() external;
    }
    contract TwoFacedToken { constructor(address holder); }
    contract DecoyToken { function flood(uint160 decoys, address spender) external; }
    contract SilentVault { function delegate(address user, uint256 to) external; }
    contract Mimic {
        function set(address account, uint256 first, uint256 second) external;
        function watch(address vault) external;
        function go(address[] calldata accounts) external;
    }
    contract LedgerToken {
        constructor(address ledger_, address holder, uint256 supply);
        function transfer(address to, uint256 value) external returns (bool);
    }
    contract Taker { function take(address token, uint256 value) external; }
    struct Cut { address facet; uint8 action; bytes4[] selectors; }
    contract Diamond {
        constructor(address owner);
        function diamondCut(Cut[] calldata cuts, address init, bytes calldata data) external;
        function quietCut(Cut[] calldata cuts) external;
    }
    contract Doomed { constructor(address heir); function destroy(address heir) external; }
    contract DoomMaker { function make(address heir) external payable; }
    contract Wrapper { function deposit() external payable; function withdraw(uint256 wad) external; }
    contract SpeakingPermit2 {
        function approve(address token, address spender, uint160 amount, uint48 expiration) external;
        function invalidateNonces(address token, address spender, uint48 newNonce) external;
        function invalidateUnorderedNonces(uint256 word, uint256 mask) external;
    }
}

pub(crate) const SIGNER: Address = address!("0x00000000000000000000000000000000515ec001");
pub(crate) const SPENDER: Address = address!("0x00000000000000000000000000000000bad00001");
pub(crate) const FRIEND: Address = address!("0x00000000000000000000000000000000f41e4d01");
pub(crate) const ETHER: U256 = U256::from_limbs([1_000_000_000_000_000_000, 0, 0, 0]);

pub(crate) fn call(to: Address, data: &impl SolCall) -> Call {
    Call {
        to,
        value: U256::ZERO,
        data: data.abi_encode().into(),
    }
}

pub(crate) fn world() -> World {
    let mut world = World::new();
    world.fund(SIGNER, ETHER);
    world
}

pub(crate) fn loose(world: &mut World, quiet: bool) -> Address {
    let supply = U256::from(1_000);
    let args = LooseToken::constructorCall {
        quiet,
        holder: SIGNER,
        supply,
    };
    world.deploy("LooseToken", &args.abi_encode(), 0)
}

/// Simulates calls of the signer on the whole state.
pub(crate) fn simulate(world: &World, calls: &[Call]) -> (Outcome, Effects) {
    simulate_with(world, calls, &[], &[])
}

pub(crate) fn simulate_with(
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
pub(crate) fn assert_drained(token: Address, effects: &Effects) {
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

pub(crate) fn authorization(delegate: Address, nonce: u64) -> Authorization {
    Authorization {
        chain_id: U256::ZERO,
        address: delegate,
        nonce,
        y_parity: 0,
        r: U256::ONE,
        s: U256::ONE,
    }
}

/// A call that sends more than the signer has.
pub(crate) fn too_much(to: Address) -> Call {
    Call {
        to,
        value: ETHER + U256::ONE,
        data: Bytes::new(),
    }
}
