//! Which name an address is shown under, and whom it resembles (§5.6.1).

use super::code::Note;
use super::content::DecodedContent;
use super::context::ContactBook;
use alloy_primitives::{Address, hex};
use presight_wire::envelope::{Code, Content, Counterparty, LabelSource};
use serde::{Serialize, Serializer};
use std::collections::{BTreeMap, BTreeSet};

/// How a counterparty is to be shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Label {
    /// Pointer to the counterparty.
    pub path: String,
    /// Its address.
    #[serde(serialize_with = "lower_case")]
    pub address: Address,
    /// Its name of the highest trust.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// What that name is worth. `protocol_directory` and `recent_interaction` are the producer's words.
    pub source: &'static str,
    /// The producer's name, where the user has one of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotation: Option<String>,
    /// Whether a resemblance has to be shown before the name.
    pub resemblance_first: bool,
}

fn lower_case<S: Serializer>(address: &Address, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&format!("{address:#x}"))
}

/// Resolves each counterparty's name, and notes claims on the user's address book that it does not bear out.
pub(crate) fn resolve(content: &Content, book: Option<&ContactBook>, notes: &mut Vec<Note>) -> Vec<Label> {
    let parties = content
        .metadata()
        .map_or(&[][..], |metadata| &metadata.counterparties);
    let labels = parties.iter().enumerate().map(|(index, party)| {
        let path = format!("/content/metadata/counterparties/{index}");
        let claims_book = party.label_source == Some(LabelSource::ContactBook);
        if claims_book && book.is_some_and(|book| !book.contains(party.address)) {
            let message = "the address is not in your address book: the name is not yours";
            notes.push(Note::new(
                Code::ContactBookUnverified,
                format!("{path}/labelSource"),
                message,
            ));
        }
        label(path, party, book)
    });
    labels.collect()
}

fn label(path: String, party: &Counterparty, book: Option<&ContactBook>) -> Label {
    let known = book.is_some_and(|book| book.contains(party.address));
    let own = book.and_then(|book| book.label(party.address));
    let claimed = party.label.clone();
    let source = match party.label_source {
        _ if own.is_some() => LabelSource::ContactBook,
        Some(LabelSource::ContactBook) if known => LabelSource::ContactBook,
        None | Some(LabelSource::ContactBook) => LabelSource::Untrusted,
        Some(source) => source,
    };
    let (label, annotation) = match own {
        Some(own) => (Some(own.to_owned()), claimed.filter(|claimed| claimed != own)),
        None => (claimed, None),
    };
    Label {
        path,
        address: party.address,
        label,
        source: source.as_str(),
        annotation,
        resemblance_first: party.similarity_warning.is_some() && !known,
    }
}

/// Hex digits at each end by which people recognise an address (I-28b).
const ENDS: usize = 4;

/// Notes addresses of the envelope that are not in the address book and look like one that is, or like the signer.
pub(crate) fn resemblances(
    content: &Content,
    decoded: Option<&DecodedContent>,
    book: Option<&ContactBook>,
    notes: &mut Vec<Note>,
) {
    let known: BTreeSet<Address> = content
        .from()
        .into_iter()
        .chain(book.into_iter().flat_map(ContactBook::addresses))
        .collect();
    let by_ends: BTreeMap<String, Address> = known.iter().map(|known| (ends(*known), *known)).collect();
    for (address, path) in touched(content, decoded) {
        if let Some(known) = by_ends.get(&ends(address)).filter(|_| !known.contains(&address)) {
            let message = format!("{address:#x} looks like {known:#x}, which you know, and is another one");
            notes.push(Note::new(Code::SimilarityWarning, path, message));
        }
    }
}

fn ends(address: Address) -> String {
    let digits = hex::encode(address);
    let (start, end) = (digits.get(..ENDS), digits.get(digits.len() - ENDS..));
    [start, end].into_iter().flatten().collect()
}

/// The addresses that are named or decoded, each with the first place that names it.
fn touched(content: &Content, decoded: Option<&DecodedContent>) -> BTreeMap<Address, String> {
    let mut touched = BTreeMap::new();
    let mut add = |address: Address, path: String| {
        touched.entry(address).or_insert(path);
    };
    if let Some(metadata) = content.metadata() {
        for (index, party) in metadata.counterparties.iter().enumerate() {
            add(
                party.address,
                format!("/content/metadata/counterparties/{index}/address"),
            );
        }
        for (index, movement) in metadata.token_movements.iter().enumerate() {
            add(
                movement.to,
                format!("/content/metadata/tokenMovements/{index}/to"),
            );
        }
    }
    let place = match content {
        Content::Calls(_) => "/content/calls",
        Content::Signature(_) => "/content/message",
    };
    for entity in decoded
        .into_iter()
        .flat_map(|content| &content.decoded.entities.addresses)
    {
        add(entity.address.address, place.to_owned());
    }
    touched
}
