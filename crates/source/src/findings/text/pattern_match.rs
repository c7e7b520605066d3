//! `erc.presign.text.pattern-match`

use crate::config::PatternSet;
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use crate::patterns::{BUILT_IN_URI, Set};
use alloy_primitives::{B256, keccak256};
use presight_view::Lookup;
use presight_wire::kinds::Group;
use presight_wire::{Evidence, NotRead, Read, Reason};
use serde_json::{Value, json};

/// The patterns of the built-in set, and of each further configured one, that match the text. A set with another hash than
/// the configured one, and one that is no `presight-patterns/1`, are not read.
#[derive(Debug)]
pub struct PatternMatch;

impl Kind for PatternMatch {
    fn name(&self) -> &'static str {
        "erc.presign.text.pattern-match"
    }

    fn group(&self) -> Group {
        Group::Text
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        let Entity::Text { text, .. } = entity else {
            return Vec::new();
        };
        let built_in = Set::built_in();
        let own = Fact {
            param: Some(json!({ "uri": BUILT_IN_URI, "hash": built_in.hash })),
            reading: (*text).clone().map(|text| matching(built_in, BUILT_IN_URI, text)),
        };
        let others = context.config.patterns.iter().zip(context.pattern_sets());
        let others = others.map(|(configured, set)| Fact {
            param: Some(json!({ "uri": configured.uri, "hash": configured.hash })),
            reading: matching_other(text, configured, set),
        });
        std::iter::once(own).chain(others).collect()
    }
}

fn matching_other(
    text: &Lookup<Read<String>>,
    configured: &PatternSet,
    set: &Lookup<Set>,
) -> Lookup<Read<Value>> {
    let set = set.as_ref().map_err(Clone::clone)?;
    Ok(matching(set, &configured.uri, text.clone()?))
}

fn matching(set: &Set, uri: &str, text: Read<String>) -> Read<Value> {
    let published = Read::from_document((), uri.to_owned(), set.hash);
    let matching = text.zip(published).map(|(text, ())| set.matching(&text).into());
    matching.with_note(format!("{}, version {}", set.name, set.version))
}

/// A configured set.
pub(crate) fn published(context: &Context<'_>, configured: &PatternSet) -> Lookup<Set> {
    let document = context.view.document(&configured.uri)?;
    let hash = keccak256(&document.bytes);
    if hash != configured.hash {
        return Err(unread(configured, hash, "the document has another hash than the set").into());
    }
    Set::parse(&document.bytes)
        .map_err(|refusal| unread(configured, hash, &format!("no set of patterns: {}", refusal.code)).into())
}

fn unread(configured: &PatternSet, hash: B256, why: &str) -> NotRead {
    let uri = configured.uri.clone();
    NotRead {
        evidence: vec![Evidence::Document { uri, hash }],
        ..NotRead::new(Reason::Unavailable).with_note(why)
    }
}
