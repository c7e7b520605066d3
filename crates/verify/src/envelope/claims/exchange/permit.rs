//! Permits of one item (ERC-4494, and the position managers of Uniswap): the item's owner signed them, whom the bytes
//! do not name.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::too_many_arguments,
    reason = "generated from the interfaces below"
)]

use super::universal::exactly;
use super::{Flow, Party};
use crate::envelope::claims::functions::Function;
use crate::envelope::claims::moved::Class;
use alloy_primitives::{Address, U256};
use alloy_sol_types::{SolCall, sol};
use presight_decode::CallNode;
use presight_wire::envelope::Token;

sol! {
    interface V3Positions {
        function permit(address spender, uint256 tokenId, uint256 deadline, uint8 v, bytes32 r, bytes32 s);
    }

    interface V4Positions {
        function permit(address spender, uint256 tokenId, uint256 deadline, uint256 nonce, bytes signature);
    }

    interface Erc4494 {
        function permit(address spender, uint256 tokenId, uint256 deadline, bytes sig);
    }
}

/// The grant of such a call.
pub(super) fn flows(node: &CallNode) -> Option<Vec<Flow>> {
    let data = &node.data;
    let (spender, item) = match node.selector? {
        V3Positions::permitCall::SELECTOR => {
            let call = V3Positions::permitCall::abi_decode(data).ok()?;
            (call.spender, call.tokenId)
        }
        V4Positions::permitCall::SELECTOR => {
            let call = V4Positions::permitCall::abi_decode(data).ok()?;
            (call.spender, call.tokenId)
        }
        Erc4494::permitCall::SELECTOR => {
            let call = Erc4494::permitCall::abi_decode(data).ok()?;
            (call.spender, call.tokenId)
        }
        _ => return None,
    };
    Some(vec![grant(node.to, spender, item)])
}

fn grant(token: Address, spender: Address, item: U256) -> Flow {
    Flow {
        class: Class::Grant,
        function: Function::Item,
        token: Some(Token::Contract(token)),
        from: Party::Owner,
        to: Party::Account(spender),
        units: exactly(U256::ONE),
        item: Some(item),
    }
}
