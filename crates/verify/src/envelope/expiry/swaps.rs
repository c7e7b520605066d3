//! Deadlines of exchange functions that the decoder does not read.
//!
//! A call inside another one is a run of bytes inside the outer calldata, whatever format carries it. So its selector is
//! searched there, and every place where it occurs is read: a place too many can only make the earliest deadline
//! earlier.

use alloy_primitives::{U256, keccak256};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Where the deadline is.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// This word of the arguments.
    Word(usize),
    /// This word of the struct that the first word points to.
    Struct(usize),
}

use Place::{Struct, Word};

const FUNCTIONS: &[(&str, Place)] = &[
    // Uniswap V2 router
    (
        "addLiquidity(address,address,uint256,uint256,uint256,uint256,address,uint256)",
        Word(7),
    ),
    (
        "addLiquidityETH(address,uint256,uint256,uint256,address,uint256)",
        Word(5),
    ),
    (
        "removeLiquidity(address,address,uint256,uint256,uint256,address,uint256)",
        Word(6),
    ),
    (
        "removeLiquidityETH(address,uint256,uint256,uint256,address,uint256)",
        Word(5),
    ),
    (
        "removeLiquidityWithPermit(address,address,uint256,uint256,uint256,address,uint256,bool,uint8,bytes32,bytes32)",
        Word(6),
    ),
    (
        "removeLiquidityETHWithPermit(address,uint256,uint256,uint256,address,uint256,bool,uint8,bytes32,bytes32)",
        Word(5),
    ),
    (
        "removeLiquidityETHSupportingFeeOnTransferTokens(address,uint256,uint256,uint256,address,uint256)",
        Word(5),
    ),
    (
        "removeLiquidityETHWithPermitSupportingFeeOnTransferTokens(address,uint256,uint256,uint256,address,uint256,bool,uint8,bytes32,bytes32)",
        Word(5),
    ),
    (
        "swapExactTokensForTokens(uint256,uint256,address[],address,uint256)",
        Word(4),
    ),
    (
        "swapTokensForExactTokens(uint256,uint256,address[],address,uint256)",
        Word(4),
    ),
    (
        "swapExactETHForTokens(uint256,address[],address,uint256)",
        Word(3),
    ),
    (
        "swapTokensForExactETH(uint256,uint256,address[],address,uint256)",
        Word(4),
    ),
    (
        "swapExactTokensForETH(uint256,uint256,address[],address,uint256)",
        Word(4),
    ),
    (
        "swapETHForExactTokens(uint256,address[],address,uint256)",
        Word(3),
    ),
    (
        "swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256,uint256,address[],address,uint256)",
        Word(4),
    ),
    (
        "swapExactETHForTokensSupportingFeeOnTransferTokens(uint256,address[],address,uint256)",
        Word(3),
    ),
    (
        "swapExactTokensForETHSupportingFeeOnTransferTokens(uint256,uint256,address[],address,uint256)",
        Word(4),
    ),
    // its descendants with routes of structs
    (
        "swapExactTokensForTokens(uint256,uint256,(address,address,bool)[],address,uint256)",
        Word(4),
    ),
    (
        "swapExactTokensForTokens(uint256,uint256,(address,address,bool,address)[],address,uint256)",
        Word(4),
    ),
    (
        "swapExactETHForTokens(uint256,(address,address,bool,address)[],address,uint256)",
        Word(3),
    ),
    (
        "swapExactTokensForETH(uint256,uint256,(address,address,bool,address)[],address,uint256)",
        Word(4),
    ),
    // Uniswap V3 router and position manager
    (
        "exactInputSingle((address,address,uint24,address,uint256,uint256,uint256,uint160))",
        Word(4),
    ),
    (
        "exactOutputSingle((address,address,uint24,address,uint256,uint256,uint256,uint160))",
        Word(4),
    ),
    ("exactInput((bytes,address,uint256,uint256,uint256))", Struct(2)),
    ("exactOutput((bytes,address,uint256,uint256,uint256))", Struct(2)),
    (
        "mint((address,address,uint24,int24,int24,uint256,uint256,uint256,uint256,address,uint256))",
        Word(10),
    ),
    (
        "increaseLiquidity((uint256,uint256,uint256,uint256,uint256,uint256))",
        Word(5),
    ),
    (
        "decreaseLiquidity((uint256,uint128,uint256,uint256,uint256))",
        Word(4),
    ),
    ("permit(address,uint256,uint256,uint8,bytes32,bytes32)", Word(2)),
    // Uniswap V4 position manager
    ("modifyLiquidities(bytes,uint256)", Word(1)),
    ("permit(address,uint256,uint256,uint256,bytes)", Word(2)),
];

static BY_SELECTOR: LazyLock<BTreeMap<[u8; 4], Place>> = LazyLock::new(|| {
    let selector = |signature: &str| *keccak256(signature).first_chunk().expect("a hash has 32 bytes");
    FUNCTIONS
        .iter()
        .map(|(signature, place)| (selector(signature), *place))
        .collect()
});

/// Whether the deadline of a function is at a known place.
pub(super) fn is_known(selector: [u8; 4]) -> bool {
    BY_SELECTOR.contains_key(&selector)
}

/// The deadlines of a function's calls in `data`.
pub(super) fn deadlines(selector: [u8; 4], data: &[u8]) -> impl Iterator<Item = U256> + '_ {
    let place = BY_SELECTOR.get(&selector).copied();
    let calls = data
        .windows(4)
        .enumerate()
        .filter(move |(_, window)| *window == selector.as_slice());
    calls.filter_map(move |(start, _)| read(place?, data.get(start + 4..)?))
}

fn read(place: Place, arguments: &[u8]) -> Option<U256> {
    match place {
        Word(index) => word(arguments, index),
        Struct(index) => {
            let start = usize::try_from(word(arguments, 0)?).ok()?;
            word(arguments.get(start..)?, index)
        }
    }
}

fn word(bytes: &[u8], index: usize) -> Option<U256> {
    bytes.get(index * 32..index * 32 + 32).map(U256::from_be_slice)
}
