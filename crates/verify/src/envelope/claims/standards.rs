//! Whether a token is an ERC-721, where the function that moves or grants it is of ERC-20 too (I-36).

use super::functions::Function;
use super::moved::Moved;
use crate::envelope::not_checked::NotChecked;
use crate::envelope::tokens::MAX_TOKENS;
use crate::steps::{settle, why};
use crate::verify::Pending;
use alloy_primitives::Address;
use presight_exec::reads;
use presight_view::View;
use presight_wire::envelope::Token;
use presight_wire::{ChainId, Read};
use std::collections::{BTreeMap, BTreeSet};

/// Reads it of each such token, and says where it was needed and not read.
///
/// # Errors
/// [`Pending`] while reads are awaited.
pub(super) fn read(
    moved: Vec<Moved>,
    chain: Option<&ChainId>,
    view: Option<&View<'_>>,
    not_checked: &mut Vec<NotChecked>,
) -> Result<Vec<Moved>, Pending> {
    let tokens: BTreeSet<Address> = moved.iter().filter_map(undecided).take(MAX_TOKENS).collect();
    let known = match (chain, view) {
        (Some(chain), Some(view)) => {
            // All are asked for before any is waited for.
            let reads: Vec<_> = tokens
                .iter()
                .map(|token| (*token, settle(reads::is_erc721(view, chain, *token))))
                .collect();
            let reads = reads
                .into_iter()
                .map(|(token, read)| read.map(|read| (token, read)));
            reads.collect::<Result<BTreeMap<_, _>, _>>()?
        }
        _ => BTreeMap::new(),
    };
    let mut resolved = Vec::with_capacity(moved.len());
    for moved in moved {
        let answer = undecided(&moved).and_then(|token| known.get(&token));
        if moved.may_be_item_zero() {
            let unread = match answer {
                Some(Ok(_)) => None,
                Some(Err(not_read)) => Some(why(not_read)),
                None => Some("no chain state is given".to_owned()),
            };
            let unread = unread.map(|why| format!("whether a zero is item 0 of an ERC-721: {why}"));
            not_checked.extend(unread.map(|reason| NotChecked::new(moved.path.clone(), reason)));
        }
        resolved.push(match answer {
            Some(Ok(is_erc721)) => moved.of_standard(*Read::value(is_erc721)),
            _ => moved,
        });
    }
    Ok(resolved)
}

fn undecided(moved: &Moved) -> Option<Address> {
    match moved.token {
        Token::Contract(token) if moved.function == Function::AmountOrItem => Some(token),
        _ => None,
    }
}
