//! The routers of Uniswap V2 and V3, and those made like them.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::too_many_arguments,
    reason = "generated from the interfaces below"
)]

use super::path::{ends, packed_ends};
use super::universal::exactly;
use super::{Flow, Party};
use crate::envelope::claims::moved::Units;
use alloy_primitives::{Address, U256, address};
use alloy_sol_types::{SolCall, sol};
use presight_decode::CallNode;
use presight_wire::envelope::Token;

/// Stands for the caller, in the second router of V3.
const MSG_SENDER: Address = address!("0x0000000000000000000000000000000000000001");
/// Stands for the router there. In the first one it is the zero address that does.
const ADDRESS_THIS: Address = address!("0x0000000000000000000000000000000000000002");

sol! {
    interface V2 {
        function swapExactTokensForTokens(uint256 give, uint256 least, address[] path, address to, uint256 deadline);
        function swapTokensForExactTokens(uint256 take, uint256 most, address[] path, address to, uint256 deadline);
        function swapExactETHForTokens(uint256 least, address[] path, address to, uint256 deadline);
        function swapTokensForExactETH(uint256 take, uint256 most, address[] path, address to, uint256 deadline);
        function swapExactTokensForETH(uint256 give, uint256 least, address[] path, address to, uint256 deadline);
        function swapETHForExactTokens(uint256 take, address[] path, address to, uint256 deadline);
        function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 give, uint256 least, address[] path,
            address to, uint256 deadline);
        function swapExactETHForTokensSupportingFeeOnTransferTokens(uint256 least, address[] path, address to,
            uint256 deadline);
        function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 give, uint256 least, address[] path,
            address to, uint256 deadline);
        function addLiquidity(address tokenA, address tokenB, uint256 mostA, uint256 mostB, uint256 leastA,
            uint256 leastB, address to, uint256 deadline);
        function addLiquidityETH(address token, uint256 most, uint256 least, uint256 leastETH, address to,
            uint256 deadline);
        function removeLiquidity(address tokenA, address tokenB, uint256 liquidity, uint256 leastA, uint256 leastB,
            address to, uint256 deadline);
        function removeLiquidityETH(address token, uint256 liquidity, uint256 least, uint256 leastETH, address to,
            uint256 deadline);
    }

    // The second router of V3 has no deadlines; an amount of zero is what it holds.
    interface Undated {
        function swapExactTokensForTokens(uint256 give, uint256 least, address[] path, address to);
        function swapTokensForExactTokens(uint256 take, uint256 most, address[] path, address to);
    }

    struct Single {
        address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 deadline; uint256 amount;
        uint256 limit; uint160 sqrtPriceLimitX96;
    }
    struct Path { bytes path; address recipient; uint256 deadline; uint256 amount; uint256 limit; }
    struct UndatedSingle {
        address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amount; uint256 limit;
        uint160 sqrtPriceLimitX96;
    }
    struct UndatedPath { bytes path; address recipient; uint256 amount; uint256 limit; }

    interface V3 {
        function exactInputSingle(Single params);
        function exactOutputSingle(Single params);
        function exactInput(Path params);
        function exactOutput(Path params);
        function unwrapWETH9(uint256 least, address recipient);
        function sweepToken(address token, uint256 least, address recipient);
    }

    interface UndatedV3 {
        function exactInputSingle(UndatedSingle params);
        function exactOutputSingle(UndatedSingle params);
        function exactInput(UndatedPath params);
        function exactOutput(UndatedPath params);
        function unwrapWETH9(uint256 least);
        function sweepToken(address token, uint256 least);
        function refundETH();
    }
}

/// What a call of a router takes and pays; `None` where it is no such call.
pub(super) fn flows(node: &CallNode) -> Option<Vec<Flow>> {
    of_v2(node).or_else(|| of_v3(node))
}

fn call<C: SolCall>(node: &CallNode) -> Option<C> {
    C::abi_decode(&node.data).ok()
}

fn contract(token: Address) -> Option<Token> {
    Some(Token::Contract(token))
}

/// Takes the first token of a path from the caller and pays the last one.
fn trade(path: &[Address], to: Address, taken: Units, given: Units) -> Option<Vec<Flow>> {
    let (first, last) = ends(path)?;
    Some(vec![
        take(contract(first), taken),
        give(contract(last), to, given),
    ])
}

fn take(token: Option<Token>, units: Units) -> Flow {
    Flow::pulled(token, Party::Caller, units)
}

fn give(token: Option<Token>, to: Address, units: Units) -> Flow {
    Flow::paid(token, Party::Pools, Party::Account(to), units)
}

fn of_v2(node: &CallNode) -> Option<Vec<Flow>> {
    let native = Some(Token::Native);
    match node.selector? {
        V2::swapExactTokensForTokensCall::SELECTOR => {
            let c: V2::swapExactTokensForTokensCall = call(node)?;
            trade(&c.path, c.to, exactly(c.give), Units::AtLeast(c.least))
        }
        V2::swapExactTokensForTokensSupportingFeeOnTransferTokensCall::SELECTOR => {
            let c: V2::swapExactTokensForTokensSupportingFeeOnTransferTokensCall = call(node)?;
            trade(&c.path, c.to, exactly(c.give), Units::AtLeast(c.least))
        }
        Undated::swapExactTokensForTokensCall::SELECTOR => {
            let c: Undated::swapExactTokensForTokensCall = call(node)?;
            let ends = ends(&c.path)?;
            Some(exact(
                ends,
                stand_in(c.to),
                exactly(c.give),
                Units::AtLeast(c.least),
            ))
        }
        V2::swapTokensForExactTokensCall::SELECTOR => {
            let c: V2::swapTokensForExactTokensCall = call(node)?;
            trade(&c.path, c.to, Units::AtMost(c.most), exactly(c.take))
        }
        Undated::swapTokensForExactTokensCall::SELECTOR => {
            let c: Undated::swapTokensForExactTokensCall = call(node)?;
            let ends = ends(&c.path)?;
            Some(exact(
                ends,
                stand_in(c.to),
                Units::AtMost(c.most),
                exactly(c.take),
            ))
        }
        V2::swapExactETHForTokensCall::SELECTOR => {
            let c: V2::swapExactETHForTokensCall = call(node)?;
            Some(vec![give(
                contract(ends(&c.path)?.1),
                c.to,
                Units::AtLeast(c.least),
            )])
        }
        V2::swapExactETHForTokensSupportingFeeOnTransferTokensCall::SELECTOR => {
            let c: V2::swapExactETHForTokensSupportingFeeOnTransferTokensCall = call(node)?;
            Some(vec![give(
                contract(ends(&c.path)?.1),
                c.to,
                Units::AtLeast(c.least),
            )])
        }
        V2::swapETHForExactTokensCall::SELECTOR => {
            let c: V2::swapETHForExactTokensCall = call(node)?;
            Some(vec![give(contract(ends(&c.path)?.1), c.to, exactly(c.take))])
        }
        V2::swapTokensForExactETHCall::SELECTOR => {
            let c: V2::swapTokensForExactETHCall = call(node)?;
            let taken = take(contract(ends(&c.path)?.0), Units::AtMost(c.most));
            Some(vec![taken, give(native, c.to, exactly(c.take))])
        }
        V2::swapExactTokensForETHCall::SELECTOR => {
            let c: V2::swapExactTokensForETHCall = call(node)?;
            let taken = take(contract(ends(&c.path)?.0), exactly(c.give));
            Some(vec![taken, give(native, c.to, Units::AtLeast(c.least))])
        }
        V2::swapExactTokensForETHSupportingFeeOnTransferTokensCall::SELECTOR => {
            let c: V2::swapExactTokensForETHSupportingFeeOnTransferTokensCall = call(node)?;
            let taken = take(contract(ends(&c.path)?.0), exactly(c.give));
            Some(vec![taken, give(native, c.to, Units::AtLeast(c.least))])
        }
        // The shares of a pool are a token that the bytes do not name.
        V2::addLiquidityCall::SELECTOR => {
            let c: V2::addLiquidityCall = call(node)?;
            Some(vec![
                take(contract(c.tokenA), Units::AtMost(c.mostA)),
                take(contract(c.tokenB), Units::AtMost(c.mostB)),
                give(None, c.to, Units::Unsaid),
            ])
        }
        V2::addLiquidityETHCall::SELECTOR => {
            let c: V2::addLiquidityETHCall = call(node)?;
            Some(vec![
                take(contract(c.token), Units::AtMost(c.most)),
                give(None, c.to, Units::Unsaid),
            ])
        }
        V2::removeLiquidityCall::SELECTOR => {
            let c: V2::removeLiquidityCall = call(node)?;
            Some(vec![
                take(None, exactly(c.liquidity)),
                give(contract(c.tokenA), c.to, Units::AtLeast(c.leastA)),
                give(contract(c.tokenB), c.to, Units::AtLeast(c.leastB)),
            ])
        }
        V2::removeLiquidityETHCall::SELECTOR => {
            let c: V2::removeLiquidityETHCall = call(node)?;
            Some(vec![
                take(None, exactly(c.liquidity)),
                give(contract(c.token), c.to, Units::AtLeast(c.least)),
                give(native, c.to, Units::AtLeast(c.leastETH)),
            ])
        }
        _ => None,
    }
}

/// A recipient of the second router of V3.
fn stand_in(recipient: Address) -> Party {
    match recipient {
        MSG_SENDER => Party::Caller,
        ADDRESS_THIS => Party::Router,
        account => Party::Account(account),
    }
}

/// A recipient of the first one.
fn own(recipient: Address) -> Party {
    if recipient.is_zero() {
        Party::Router
    } else {
        Party::Account(recipient)
    }
}

/// A trade of the first token for the second.
fn exact(ends: (Address, Address), to: Party, taken: Units, given: Units) -> Vec<Flow> {
    let (paid, bought) = ends;
    vec![
        take(contract(paid), taken),
        Flow::paid(contract(bought), Party::Pools, to, given),
    ]
}

fn of_v3(node: &CallNode) -> Option<Vec<Flow>> {
    let input =
        |ends, to, give: U256, least: U256| Some(exact(ends, to, exactly(give), Units::AtLeast(least)));
    let output = |ends, to, take: U256, most: U256| Some(exact(ends, to, Units::AtMost(most), exactly(take)));
    // The path of an exact output is from its end to its start.
    let reversed = |(first, last): (Address, Address)| (last, first);
    let from_router = |token: Option<Token>, to: Party, least: U256| {
        Some(vec![Flow::paid(token, Party::Router, to, Units::AtLeast(least))])
    };
    match node.selector? {
        V3::exactInputSingleCall::SELECTOR => {
            let p = call::<V3::exactInputSingleCall>(node)?.params;
            input((p.tokenIn, p.tokenOut), own(p.recipient), p.amount, p.limit)
        }
        UndatedV3::exactInputSingleCall::SELECTOR => {
            let p = call::<UndatedV3::exactInputSingleCall>(node)?.params;
            input((p.tokenIn, p.tokenOut), stand_in(p.recipient), p.amount, p.limit)
        }
        V3::exactInputCall::SELECTOR => {
            let p = call::<V3::exactInputCall>(node)?.params;
            input(packed_ends(&p.path)?, own(p.recipient), p.amount, p.limit)
        }
        UndatedV3::exactInputCall::SELECTOR => {
            let p = call::<UndatedV3::exactInputCall>(node)?.params;
            input(packed_ends(&p.path)?, stand_in(p.recipient), p.amount, p.limit)
        }
        V3::exactOutputSingleCall::SELECTOR => {
            let p = call::<V3::exactOutputSingleCall>(node)?.params;
            output((p.tokenIn, p.tokenOut), own(p.recipient), p.amount, p.limit)
        }
        UndatedV3::exactOutputSingleCall::SELECTOR => {
            let p = call::<UndatedV3::exactOutputSingleCall>(node)?.params;
            output((p.tokenIn, p.tokenOut), stand_in(p.recipient), p.amount, p.limit)
        }
        V3::exactOutputCall::SELECTOR => {
            let p = call::<V3::exactOutputCall>(node)?.params;
            output(
                reversed(packed_ends(&p.path)?),
                own(p.recipient),
                p.amount,
                p.limit,
            )
        }
        UndatedV3::exactOutputCall::SELECTOR => {
            let p = call::<UndatedV3::exactOutputCall>(node)?.params;
            output(
                reversed(packed_ends(&p.path)?),
                stand_in(p.recipient),
                p.amount,
                p.limit,
            )
        }
        V3::unwrapWETH9Call::SELECTOR => {
            let c: V3::unwrapWETH9Call = call(node)?;
            from_router(Some(Token::Native), Party::Account(c.recipient), c.least)
        }
        V3::sweepTokenCall::SELECTOR => {
            let c: V3::sweepTokenCall = call(node)?;
            from_router(contract(c.token), Party::Account(c.recipient), c.least)
        }
        UndatedV3::unwrapWETH9Call::SELECTOR => {
            let c: UndatedV3::unwrapWETH9Call = call(node)?;
            from_router(Some(Token::Native), Party::Caller, c.least)
        }
        UndatedV3::sweepTokenCall::SELECTOR => {
            let c: UndatedV3::sweepTokenCall = call(node)?;
            from_router(contract(c.token), Party::Caller, c.least)
        }
        UndatedV3::refundETHCall::SELECTOR => from_router(Some(Token::Native), Party::Caller, U256::ZERO),
        _ => None,
    }
}
