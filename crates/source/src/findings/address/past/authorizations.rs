//! `erc.presign.address.delegate-authorizations`

use super::super::delegate::{Caller, only_caller};
use super::{first_named, reaching};
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use alloy_primitives::Address;
use presight_exec::delegation::AccountCode;
use presight_view::history::Authorization;
use presight_view::{Lookup, Unread};
use presight_wire::kinds::Group;
use presight_wire::{AccountId, Evidence, Read};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// For a delegated address: how many EIP-7702 authorizations for the same delegate the `blocks` blocks before the report's
/// carried, from how many signers, and how many came with the most frequent sender. `senderIsOnlyCaller` says whether that
/// sender is the only outsider whom the delegate obeys; `null` where that was not read, and where there is no sender (I-41).
#[derive(Debug)]
pub struct DelegateAuthorizations;

impl Kind for DelegateAuthorizations {
    fn name(&self) -> &'static str {
        "erc.presign.address.delegate-authorizations"
    }

    fn group(&self) -> Group {
        Group::Address
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        let Entity::Address(entity) = entity else {
            return Vec::new();
        };
        let account = &entity.address;
        let blocks = context.config.history.authorization_blocks();
        let reading = match context.code_after(account) {
            Ok(code) => match *code.value() {
                AccountCode::Delegated(to) => counted(context, account, to, blocks),
                _ => return Vec::new(),
            },
            // Whether it applies was not read: neither was it (I-13).
            Err(unread) => Err(unread),
        };
        vec![Fact {
            param: Some(json!({ "blocks": blocks })),
            reading,
        }]
    }
}

fn counted(
    context: &Context<'_>,
    account: &AccountId,
    delegate: Address,
    blocks: u64,
) -> Lookup<Read<Value>> {
    let at = context.at(&account.chain)?;
    let since = at.block.saturating_sub(blocks);
    // The analysis is asked for what it misses in the same wave.
    let caller = only_caller(context, account);
    let records = context.view.authorizations(&account.chain, delegate)?;
    let records = reaching(records, since, &at)?;
    let window: Vec<&Authorization> = records
        .iter()
        .filter(|record| (since..at.block).contains(&record.block))
        .collect();

    let mut senders: BTreeMap<Address, u64> = BTreeMap::new();
    for record in &window {
        *senders.entry(record.sender).or_default() += 1;
    }
    let most = senders.values().copied().max().unwrap_or_default();
    let authorities: BTreeSet<Address> = window.iter().map(|record| record.authority).collect();
    let mut frequent = senders.iter().filter(|(_, count)| **count == most);
    let is_only_caller = match caller {
        _ if window.is_empty() => Value::Null,
        Ok(Caller::Only(caller)) => frequent.any(|(sender, _)| *sender == caller).into(),
        Ok(Caller::NotOne) => false.into(),
        Err(Unread::NotRead(_)) => Value::Null,
        Err(Unread::Pending) => return Err(Unread::Pending),
    };
    let value = json!({
        "count": window.len(),
        "sameSender": most,
        "distinctAuthorities": authorities.len(),
        "senderIsOnlyCaller": is_only_caller,
    });
    let evidence = window.iter().map(|record| Evidence::Tx {
        chain: account.chain.clone(),
        hash: record.tx,
    });
    Ok(Read::from_history(value, at, first_named(evidence)))
}
