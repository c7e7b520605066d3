//! `erc.presign.address.on-list`

use crate::config::PublishedList;
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use crate::list::List;
use alloy_primitives::{B256, keccak256};
use presight_view::Lookup;
use presight_wire::kinds::Group;
use presight_wire::{AccountId, Evidence, NotRead, Read, Reason};
use serde_json::{Value, json};
use std::rc::Rc;

/// Whether the address is on each configured list, on its chain, at the report's time. A list with another hash than the
/// configured one, one that is stale, and one that is no `presight-list/1` are not read.
#[derive(Debug)]
pub struct OnList;

impl Kind for OnList {
    fn name(&self) -> &'static str {
        "erc.presign.address.on-list"
    }

    fn group(&self) -> Group {
        Group::Address
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        let Entity::Address(entity) = entity else {
            return Vec::new();
        };
        if context.config.lists.is_empty() {
            return Fact::only(Err(Reason::Unsupported.into()));
        }
        let facts = context.config.lists.iter().zip(context.published_lists());
        facts
            .map(|(configured, list)| Fact {
                param: Some(json!({ "uri": configured.uri, "hash": configured.hash })),
                reading: membership(&entity.address, configured, list),
            })
            .collect()
    }
}

fn membership(
    account: &AccountId,
    configured: &PublishedList,
    list: &Lookup<Rc<List>>,
) -> Lookup<Read<Value>> {
    let list = list.as_ref().map_err(Clone::clone)?;
    let read = Read::from_document(
        list.contains(account).into(),
        configured.uri.clone(),
        configured.hash,
    );
    Ok(read.with_note(format!(
        "version {} of {}, {} entries",
        list.version,
        list.published,
        list.entries.len()
    )))
}

/// A configured list, as it holds at the report's time.
pub(crate) fn published(context: &Context<'_>, configured: &PublishedList) -> Lookup<Rc<List>> {
    let document = context.view.document(&configured.uri)?;
    let hash = keccak256(&document.bytes);
    if hash != configured.hash {
        return Err(unread(configured, hash, "the document has another hash than the list").into());
    }
    let list = List::parse(&document.bytes)
        .map_err(|refusal| unread(configured, hash, &format!("no list: {}", refusal.code)))?;
    match list.stale(context.view.clock(), configured.max_age_days) {
        Some(why) => Err(unread(configured, hash, why).into()),
        None => Ok(Rc::new(list)),
    }
}

fn unread(configured: &PublishedList, hash: B256, why: &str) -> NotRead {
    let uri = configured.uri.clone();
    NotRead {
        evidence: vec![Evidence::Document { uri, hash }],
        ..NotRead::new(Reason::Unavailable).with_note(why)
    }
}
