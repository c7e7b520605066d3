//! What the metadata says of tokens, compared with their contracts (§5.6).

use super::code::{ConsumerCode, Note};
use super::not_checked::NotChecked;
use crate::steps::{settle, why};
use crate::verify::Pending;
use alloy_primitives::Address;
use presight_exec::reads;
use presight_view::View;
use presight_wire::envelope::{Standard, Token, TokenMovement};
use presight_wire::{ChainId, NotRead, Read};
use std::collections::{BTreeMap, BTreeSet};

/// Tokens that are looked up, at most.
pub const MAX_TOKENS: usize = 1_000;

/// What was read of a contract.
struct OnChain {
    symbol: Result<String, NotRead>,
    decimals: Result<u8, NotRead>,
    is_erc721: Result<bool, NotRead>,
}

/// Compares each movement with its token.
///
/// # Errors
/// [`Pending`] while reads are awaited.
pub(crate) fn compare(
    movements: &[TokenMovement],
    chain: &ChainId,
    view: &View<'_>,
    notes: &mut Vec<Note>,
    not_checked: &mut Vec<NotChecked>,
) -> Result<(), Pending> {
    let tokens: BTreeSet<Address> = movements.iter().filter_map(contract).take(MAX_TOKENS).collect();
    // All are asked for before any is waited for.
    let reads: Vec<_> = tokens
        .iter()
        .map(|token| (*token, read(view, chain, *token)))
        .collect();
    let reads = reads
        .into_iter()
        .map(|(token, read)| read.map(|read| (token, read)));
    let reads: BTreeMap<_, _> = reads.collect::<Result<_, _>>()?;
    for (index, movement) in movements.iter().enumerate() {
        let path = |member: &str| format!("/content/metadata/tokenMovements/{index}/{member}");
        let Some(address) = contract(movement) else {
            continue;
        };
        let Some(token) = reads.get(&address) else {
            not_checked.push(NotChecked::new(path("token"), "more tokens than MAX_TOKENS"));
            continue;
        };
        match &token.symbol {
            Ok(symbol) if *symbol != movement.symbol => {
                let message = format!("the contract says `{}`", shown(symbol));
                notes.push(Note::new(ConsumerCode::SymbolMismatch, path("symbol"), message));
            }
            Ok(_) => {}
            Err(reason) => not_checked.push(NotChecked::new(path("symbol"), why(reason))),
        }
        let fungible = movement.standard == Standard::Erc20;
        match &token.decimals {
            Ok(decimals) if fungible && *decimals != movement.decimals => {
                let message = format!("the contract says {decimals}");
                notes.push(Note::new(
                    ConsumerCode::DecimalsMismatch,
                    path("decimals"),
                    message,
                ));
            }
            Err(reason) if fungible => not_checked.push(NotChecked::new(path("decimals"), why(reason))),
            _ => {}
        }
        match &token.is_erc721 {
            Ok(is_erc721) if *is_erc721 != (movement.standard == Standard::Erc721) => {
                let message = if *is_erc721 {
                    "the contract is an ERC-721"
                } else {
                    "the contract is no ERC-721"
                };
                notes.push(Note::new(
                    ConsumerCode::StandardMismatch,
                    path("standard"),
                    message,
                ));
            }
            Ok(_) => {}
            Err(reason) => not_checked.push(NotChecked::new(path("standard"), why(reason))),
        }
    }
    Ok(())
}

/// The start of a text that may be of any length.
fn shown(text: &str) -> String {
    text.chars().take(64).collect()
}

fn contract(movement: &TokenMovement) -> Option<Address> {
    match movement.token {
        Token::Native => None,
        Token::Contract(address) => Some(address),
    }
}

fn read(view: &View<'_>, chain: &ChainId, token: Address) -> Result<OnChain, Pending> {
    let symbol = settle(reads::symbol(view, chain, token));
    let decimals = settle(reads::decimals(view, chain, token));
    let is_erc721 = settle(reads::is_erc721(view, chain, token));
    Ok(OnChain {
        symbol: symbol?.map(Read::into_value),
        decimals: decimals?.map(Read::into_value),
        is_erc721: is_erc721?.map(Read::into_value),
    })
}
