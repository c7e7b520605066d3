//! Uniswap V2 and V3.

use super::chain::{
    Case, Chain, FOREVER, FRIEND, MAX, SIGNER, call, calldata, installed, list, paying, tuple,
};
use std::fmt::Display;

/// Liquidity and swaps; none without the packages.
pub fn cases(chain: &mut Chain) -> Vec<Case> {
    let Some(weth) = installed("@uniswap/v2-periphery", "build/WETH9.json") else {
        return Vec::new();
    };
    let weth = chain.create("weth", &weth, "", &[]);
    chain.send(&paying(
        &weth,
        "1000 ether".parse::<Wei>().expect("an amount").0.as_str(),
        "deposit()",
        &[],
    ));
    let mut tokens = [
        chain.deploy("token a", "Oz5Token", "", &[]),
        chain.deploy("token b", "Oz4Token", "", &[]),
    ];
    tokens.sort();
    let mut cases = v2(chain, &weth, &tokens);
    cases.extend(v3(chain, &weth, &tokens));
    cases
}

/// Ether in wei.
struct Wei(String);

impl std::str::FromStr for Wei {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let whole = text.strip_suffix(" ether").ok_or(())?;
        Ok(Self(format!("{whole}{}", "0".repeat(18))))
    }
}

fn v2(chain: &mut Chain, weth: &str, [a, b]: &[String; 2]) -> Vec<Case> {
    let Some(factory) = installed("@uniswap/v2-core", "build/UniswapV2Factory.json") else {
        return Vec::new();
    };
    let Some(router) = installed("@uniswap/v2-periphery", "build/UniswapV2Router02.json") else {
        return Vec::new();
    };
    let factory = chain.create("v2 factory", &factory, "address", &[&SIGNER]);
    let router = chain.create("v2 router", &router, "address,address", &[&factory, &weth]);
    for token in [a, b] {
        chain.send(&call(token, "approve(address,uint256)", &[&router, &MAX]));
    }
    let ether = "1000000000000000000";
    let add = "addLiquidity(address,address,uint256,uint256,uint256,uint256,address,uint256)";
    let add = |a: &str, b: &str| {
        let amounts: [&dyn Display; 8] = [&a, &b, &"100 ether", &"200 ether", &0, &0, &SIGNER, &FOREVER];
        call(&router, add, &amounts)
    };
    let add_ether = "addLiquidityETH(address,uint256,uint256,uint256,address,uint256)";
    let add_ether = paying(
        &router,
        ether,
        add_ether,
        &[a, &"50 ether", &0, &0, &SIGNER, &FOREVER],
    );
    let create = call(&factory, "createPair(address,address)", &[b, &weth]);
    let mut cases = vec![
        Case::new("v2: a new pair", std::slice::from_ref(&create)),
        Case::new("v2: a new pair and its first liquidity", &[create, add(b, weth)]),
    ];
    chain.send(&call(weth, "approve(address,uint256)", &[&router, &MAX]));
    chain.send(&add(a, b));
    chain.send(&add_ether);
    let pair = chain.read_address(&factory, "getPair(address,address)", &[a, b]);
    chain.name(&pair, "v2 pair");
    let with_ether = chain.read_address(&factory, "getPair(address,address)", &[a, &weth]);
    chain.name(&with_ether, "v2 weth pair");
    chain.send(&call(&pair, "approve(address,uint256)", &[&router, &MAX]));
    let swap = |form: &str, arguments: &[&dyn Display]| call(&router, form, arguments);
    let exact = "swapExactTokensForTokens(uint256,uint256,address[],address,uint256)";
    let path = list(&[a, b]);
    let to_ether = "swapExactTokensForETH(uint256,uint256,address[],address,uint256)";
    let from_ether = "swapExactETHForTokens(uint256,address[],address,uint256)";
    let remove = "removeLiquidity(address,address,uint256,uint256,uint256,address,uint256)";
    cases.extend([
        Case::new("v2: more liquidity", &[add(a, b)]),
        Case::new(
            "v2: swap",
            &[swap(exact, &[&"1 ether", &0, &path, &SIGNER, &FOREVER])],
        ),
        Case::new(
            "v2: swap for someone",
            &[swap(exact, &[&"1 ether", &0, &path, &FRIEND, &FOREVER])],
        ),
        Case::new(
            "v2: swap for too much",
            &[swap(exact, &[&"1 ether", &"5 ether", &path, &SIGNER, &FOREVER])],
        ),
        Case::new(
            "v2: swap too late",
            &[swap(exact, &[&"1 ether", &0, &path, &SIGNER, &1])],
        ),
        Case::new(
            "v2: swap over two pairs",
            &[swap(
                exact,
                &[&"1 ether", &0, &list(&[weth, a, b]), &SIGNER, &FOREVER],
            )],
        ),
        Case::new(
            "v2: approve and swap",
            &[
                call(weth, "approve(address,uint256)", &[&router, &"1 ether"]),
                swap(exact, &[&"1 ether", &0, &list(&[weth, a, b]), &SIGNER, &FOREVER]),
            ],
        ),
        Case::new(
            "v2: swap for ether",
            &[swap(
                to_ether,
                &[&"1 ether", &0, &list(&[a, weth]), &SIGNER, &FOREVER],
            )],
        ),
        Case::new(
            "v2: swap ether",
            &[paying(
                &router,
                ether,
                from_ether,
                &[&0, &list(&[weth, a]), &SIGNER, &FOREVER],
            )],
        ),
        Case::new(
            "v2: liquidity out",
            &[call(
                &router,
                remove,
                &[a, b, &"1 ether", &0, &0, &SIGNER, &FOREVER],
            )],
        ),
    ]);
    cases
}

fn v3(chain: &mut Chain, weth: &str, [a, b]: &[String; 2]) -> Vec<Case> {
    let artifact = |package: &str, name: &str| {
        installed(package, &format!("artifacts/contracts/{name}.sol/{name}.json"))
    };
    let Some(factory) = artifact("@uniswap/v3-core", "UniswapV3Factory") else {
        return Vec::new();
    };
    let periphery = "@uniswap/v3-periphery";
    let Some(router) = artifact(periphery, "SwapRouter") else {
        return Vec::new();
    };
    let Some(positions) = artifact(periphery, "NonfungiblePositionManager") else {
        return Vec::new();
    };
    let factory = chain.create("v3 factory", &factory, "", &[]);
    let router = chain.create("v3 router", &router, "address,address", &[&factory, &weth]);
    let positions = chain.create(
        "v3 positions",
        &positions,
        "address,address,address",
        &[&factory, &weth, &factory],
    );
    for (token, spender) in [(a, &router), (a, &positions), (b, &router), (b, &positions)] {
        chain.send(&call(token, "approve(address,uint256)", &[spender, &MAX]));
    }
    let even = "79228162514264337593543950336"; // the square root of 1, times 2^96
    let create = "createAndInitializePoolIfNecessary(address,address,uint24,uint160)";
    let create = |fee: u32| call(&positions, create, &[a, b, &fee, &even]);
    let mut cases = vec![Case::new("v3: a new pool", &[create(500)])];
    chain.send(&create(3_000));
    chain.send(&create(10_000));
    let pool = chain.read_address(&factory, "getPool(address,address,uint24)", &[a, b, &3_000]);
    chain.name(&pool, "v3 pool");
    let mint = "mint((address,address,uint24,int24,int24,uint256,uint256,uint256,uint256,address,uint256))";
    let mint = |fee: u32| {
        let amounts: [&dyn Display; 6] = [&"100 ether", &"100 ether", &0, &0, &SIGNER, &FOREVER];
        let range: [&dyn Display; 5] = [a, b, &fee, &-600, &600];
        call(&positions, mint, &[&tuple(&[&range[..], &amounts[..]].concat())])
    };
    cases.push(Case::new("v3: the first position", &[mint(10_000)]));
    chain.send(&mint(3_000));
    let single = "exactInputSingle((address,address,uint24,address,uint256,uint256,uint256,uint160))";
    let swap = call(
        &router,
        single,
        &[&tuple(&[a, b, &3_000, &SIGNER, &FOREVER, &"1 ether", &0, &0])],
    );
    let output = "exactOutputSingle((address,address,uint24,address,uint256,uint256,uint256,uint160))";
    let exact = call(
        &router,
        output,
        &[&tuple(&[
            b, a, &3_000, &FRIEND, &FOREVER, &"1 ether", &"2 ether", &0,
        ])],
    );
    let decrease = "decreaseLiquidity((uint256,uint128,uint256,uint256,uint256))";
    let decrease = calldata(
        decrease,
        &[&tuple(&[&1, &"1000000000000000000", &0, &0, &FOREVER])],
    );
    let most = u128::MAX;
    let collect = calldata(
        "collect((uint256,address,uint128,uint128))",
        &[&tuple(&[&1, &SIGNER, &most, &most])],
    );
    cases.extend([
        Case::new("v3: swap", std::slice::from_ref(&swap)),
        Case::new("v3: swap, then an exact output for someone", &[swap, exact]),
        Case::new("v3: another position", &[mint(3_000)]),
        Case::new(
            "v3: liquidity out",
            &[call(
                &positions,
                "multicall(bytes[])",
                &[&list(&[decrease, collect])],
            )],
        ),
        Case::new(
            "v3: approve the position",
            &[call(&positions, "approve(address,uint256)", &[&FRIEND, &1])],
        ),
    ]);
    cases
}
