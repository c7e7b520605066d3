//! Whose signature a quote carries.

use super::{Pair, Sides, pair};
use crate::payment::quote::Quote;
use crate::payment::requirements::unreadable;
use alloy_primitives::Address;
use presight_exec::reads;
use presight_view::Lookup;
use presight_wire::report::sign;
use presight_wire::{NotRead, Read, Reason};
use serde_json::Value;

/// `quote.signature`: by recovery for an issuer without code, by ERC-1271 alone for one with code, a delegated account
/// included (ERC-8409). `left` is the issuer, `right` the account that signed or validated, `null` where none did.
pub(super) fn quote(sides: &Sides<'_>) -> Pair {
    let quote = sides.quote?;
    let issuer = match quote.issuer()? {
        Ok(issuer) => issuer,
        Err(not_read) => return Some(Err(not_read.into())),
    };
    Some(signed(sides, &quote, issuer.value).map(|read| {
        let fault = quote.fault();
        let read = read.map(|by| {
            let right = by.map_or(Value::Null, |by| format!("{by:#x}").into());
            // A quote that ERC-8409 does not allow is worth nothing, whoever signed it.
            pair(issuer.text, right, by == Some(issuer.value) && fault.is_none())
        });
        match fault {
            Some(fault) => read.with_note(format!("the quote is malformed: {fault}")),
            None => read,
        }
    }))
}

/// The account that signed, or that validates.
fn signed(sides: &Sides<'_>, quote: &Quote<'_>, issuer: Address) -> Lookup<Read<Option<Address>>> {
    let chain = &quote.envelope.chain;
    let Some(chain_id) = chain.evm_id() else {
        let note = format!("quotes of {chain} are not read by this source");
        return Err(NotRead::new(Reason::Unsupported).with_note(note).into());
    };
    let hash = quote
        .signing_hash(&sides.context.config.payment.quote, chain_id)
        .map_err(|why| unreadable(&format!("the quote: {why}")))?;
    let view = sides.context.view;
    let code = reads::code(view, chain, issuer)?;
    let signature = &quote.envelope.signature;
    if code.value().is_empty() {
        let recovered = sign::recover(hash, &quote.recoverable());
        let why = recovered.as_ref().err().map(|refusal| refusal.message.clone());
        let read = code.map(|_| recovered.ok());
        return Ok(match why {
            Some(why) => read.with_note(format!("no account is recovered: {why}")),
            None => read,
        });
    }
    let accepted = reads::is_valid_signature(view, chain, issuer, hash, signature)?;
    Ok(code.zip(accepted).map(|(_, accepted)| accepted.then_some(issuer)))
}
