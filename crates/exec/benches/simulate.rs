//! Simulations on a warm view: the time one takes when nothing is fetched.

#[path = "../tests/common/mod.rs"]
mod common;

use alloy_primitives::Bytes;
use alloy_primitives::{Address, U256, address};
use alloy_sol_types::{SolCall, sol};
use common::{DEPLOYER, World, calldata, chain, token_args, word};
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

sol! {
    interface Router {
        function addLiquidity(address a, address b, uint256 wantA, uint256 wantB, uint256 minA, uint256 minB, address to, uint256 deadline) external;
        function swapExactTokensForTokens(uint256 amount, uint256 min, address[] path, address to, uint256 deadline) external;
    }
    struct Position {
        address a; address b; uint24 fee; int24 lower; int24 upper; uint256 wantA; uint256 wantB; uint256 minA; uint256 minB;
        address to; uint256 deadline;
    }
    struct Single {
        address from; address into; uint24 fee; address to; uint256 deadline; uint256 amount; uint256 min; uint160 limit;
    }
    interface RouterV3 {
        function createAndInitializePoolIfNecessary(address a, address b, uint24 fee, uint160 root) external;
        function mint(Position position) external;
        function exactInputSingle(Single swap) external;
    }
    interface Safe {
        function setup(address[] owners, uint256 threshold, address to, bytes data, address handler, address token, uint256 payment, address receiver) external;
        function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refund, bytes signatures) external;
    }
    interface MultiSend { function multiSend(bytes transactions) external; }
}

/// Creation code from an npm package; without it, prints `skipped: …`.
fn installed(path: &str) -> Option<Bytes> {
    let file = format!("{}/../../node_modules/{path}", env!("CARGO_MANIFEST_DIR"));
    let Ok(bytes) = std::fs::read(file) else {
        println!("skipped: {path} absent (npm ci)");
        return None;
    };
    let artifact: serde_json::Value = serde_json::from_slice(&bytes).expect("an artifact");
    let code = artifact["bytecode"].as_str().expect("bytecode");
    Some(
        format!("0x{}", code.trim_start_matches("0x"))
            .parse()
            .expect("hex"),
    )
}

fn words(words: &[U256]) -> Vec<u8> {
    words.iter().flat_map(U256::to_be_bytes::<32>).collect()
}

fn call(to: Address, data: &impl SolCall) -> Call {
    let value = U256::ZERO;
    let data = data.abi_encode().into();
    Call { to, value, data }
}

/// A swap on Uniswap V2, with the approval that it needs.
fn approve_and_swap() -> Option<(Snapshot, Vec<Call>)> {
    let factory = installed("@uniswap/v2-core/build/UniswapV2Factory.json")?;
    let router = installed("@uniswap/v2-periphery/build/UniswapV2Router02.json")?;
    let mut world = World::new();
    let supply = U256::from(1_000_000);
    let [a, b] = ["A", "B"].map(|name| world.deploy("Token", &token_args(name, name, 18, supply), 0));
    let factory = world.create(&factory, &words(&[U256::ZERO]));
    let router = world.create(&router, &words(&[word(factory), word(DEPLOYER)]));
    for token in [a, b] {
        world.send(
            token,
            calldata("approve(address,uint256)", &[word(router), U256::MAX]),
        );
        world.send(
            token,
            calldata("transfer(address,uint256)", &[word(SIGNER), U256::from(1_000)]),
        );
    }
    let liquidity = U256::from(100_000);
    let add = Router::addLiquidityCall {
        a,
        b,
        wantA: liquidity,
        wantB: liquidity,
        minA: U256::ZERO,
        minB: U256::ZERO,
        to: DEPLOYER,
        deadline: U256::MAX,
    };
    world.send(router, add.abi_encode().into());
    let swap = Router::swapExactTokensForTokensCall {
        amount: U256::from(1_000),
        min: U256::ZERO,
        path: vec![a, b],
        to: SIGNER,
        deadline: U256::MAX,
    };
    let approve = calldata("approve(address,uint256)", &[word(router), U256::from(1_000)]);
    let value = U256::ZERO;
    let approve = Call {
        to: a,
        value,
        data: approve,
    };
    Some((world.complete(), vec![approve, call(router, &swap)]))
}

/// A swap on Uniswap V3, with the approval that it needs.
fn approve_and_swap_v3() -> Option<(Snapshot, Vec<Call>)> {
    let artifact = |package: &str, name: &str| {
        installed(&format!(
            "@uniswap/{package}/artifacts/contracts/{name}.sol/{name}.json"
        ))
    };
    let factory = artifact("v3-core", "UniswapV3Factory")?;
    let router = artifact("v3-periphery", "SwapRouter")?;
    let positions = artifact("v3-periphery", "NonfungiblePositionManager")?;
    let mut world = World::new();
    let supply = U256::from(1_000_000);
    let mut tokens = ["A", "B"].map(|name| world.deploy("Token", &token_args(name, name, 18, supply), 0));
    tokens.sort();
    let [a, b] = tokens;
    let factory = world.create(&factory, &[]);
    let both = words(&[word(factory), U256::ZERO]);
    let router = world.create(&router, &both);
    let positions = world.create(&positions, &[both, words(&[U256::ZERO])].concat());
    for token in tokens {
        let approve = [word(positions), U256::MAX];
        world.send(token, calldata("approve(address,uint256)", &approve));
        let transfer = [word(SIGNER), U256::from(1_000)];
        world.send(token, calldata("transfer(address,uint256)", &transfer));
    }
    let fee = "3000".parse().expect("a fee");
    let pool = RouterV3::createAndInitializePoolIfNecessaryCall {
        a,
        b,
        fee,
        root: "79228162514264337593543950336"
            .parse()
            .expect("1 in the pool's unit"),
    };
    world.send(positions, pool.abi_encode().into());
    let liquidity = U256::from(100_000);
    let position = Position {
        a,
        b,
        fee,
        lower: "-600".parse().expect("a tick"),
        upper: "600".parse().expect("a tick"),
        wantA: liquidity,
        wantB: liquidity,
        minA: U256::ZERO,
        minB: U256::ZERO,
        to: DEPLOYER,
        deadline: U256::MAX,
    };
    world.send(positions, RouterV3::mintCall { position }.abi_encode().into());
    let amount = U256::from(1_000);
    let swap = Single {
        from: a,
        into: b,
        fee,
        to: SIGNER,
        deadline: U256::MAX,
        amount,
        min: U256::ZERO,
        limit: "0".parse().expect("no limit"),
    };
    let data = calldata("approve(address,uint256)", &[word(router), amount]);
    let value = U256::ZERO;
    let approve = Call { to: a, value, data };
    Some((
        world.complete(),
        vec![approve, call(router, &RouterV3::exactInputSingleCall { swap })],
    ))
}

/// A Safe that approves and transfers in one MultiSend.
fn safe_multisend() -> Option<(Snapshot, Vec<Call>)> {
    let artifact = |path| {
        installed(&format!(
            "@safe-global/safe-contracts/build/artifacts/contracts/{path}.json"
        ))
    };
    let singleton = artifact("SafeL2.sol/SafeL2")?;
    let proxy = artifact("proxies/SafeProxy.sol/SafeProxy")?;
    let multisend = artifact("libraries/MultiSend.sol/MultiSend")?;
    let mut world = World::new();
    let singleton = world.create(&singleton, &[]);
    let multisend = world.create(&multisend, &[]);
    let safe = world.create(&proxy, &words(&[word(singleton)]));
    let setup = Safe::setupCall {
        owners: vec![SIGNER],
        threshold: U256::ONE,
        to: Address::ZERO,
        data: Bytes::new(),
        handler: Address::ZERO,
        token: Address::ZERO,
        payment: U256::ZERO,
        receiver: Address::ZERO,
    };
    world.send(safe, setup.abi_encode().into());
    let token = world.deploy("Token", &token_args("Token", "TKN", 18, U256::from(1_000_000)), 0);
    world.send(
        token,
        calldata("transfer(address,uint256)", &[word(safe), U256::from(1_000)]),
    );
    let parts = [
        calldata("approve(address,uint256)", &[word(SPENDER), U256::MAX]),
        calldata("transfer(address,uint256)", &[word(SPENDER), U256::from(5)]),
    ];
    let transactions = parts.iter().flat_map(|data| {
        let head = [
            &[0][..],
            token.as_slice(),
            &words(&[U256::ZERO, U256::from(data.len())]),
        ]
        .concat();
        [head, data.to_vec()].concat()
    });
    let send = MultiSend::multiSendCall {
        transactions: transactions.collect::<Vec<u8>>().into(),
    };
    let execute = Safe::execTransactionCall {
        to: multisend,
        value: U256::ZERO,
        data: send.abi_encode().into(),
        operation: 1,
        safeTxGas: U256::ZERO,
        baseGas: U256::ZERO,
        gasPrice: U256::ZERO,
        gasToken: Address::ZERO,
        refund: Address::ZERO,
        // By the owner that sends it.
        signatures: [words(&[word(SIGNER), U256::ZERO]), vec![1]].concat().into(),
    };
    Some((world.complete(), vec![call(safe, &execute)]))
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
    assert_eq!(simulated.outcome.status, simulate::Status::Success);
    effects.allowances.len()
}

#[divan::bench(args = [false, true])]
fn uniswap_v2_approve_and_swap(bencher: Bencher<'_, '_>, with_effects: bool) {
    let Some((snapshot, calls)) = approve_and_swap() else {
        return;
    };
    bencher.bench_local(|| run(black_box(&snapshot), &calls, with_effects));
}

#[divan::bench(args = [false, true])]
fn uniswap_v3_approve_and_swap(bencher: Bencher<'_, '_>, with_effects: bool) {
    let Some((snapshot, calls)) = approve_and_swap_v3() else {
        return;
    };
    bencher.bench_local(|| run(black_box(&snapshot), &calls, with_effects));
}

#[divan::bench(args = [false, true])]
fn safe_multisend_of_two(bencher: Bencher<'_, '_>, with_effects: bool) {
    let Some((snapshot, calls)) = safe_multisend() else {
        return;
    };
    bencher.bench_local(|| run(black_box(&snapshot), &calls, with_effects));
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
