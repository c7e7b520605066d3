//! Which name an address is shown under, and whom it resembles (§5.6.1).

use super::code::Note;
use super::content::DecodedContent;
use super::context::ContactBook;
use alloy_primitives::{Address, hex};
use presight_wire::envelope::{Code, Content, Counterparty, LabelSource, Token};
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
    /// The name in this entry, where another one is of higher trust.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotation: Option<String>,
    /// Whether a resemblance, claimed or found, has to be shown before the name.
    #[serde(rename = "resemblanceFirst")]
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
    let names = Names::of(parties, book);
    let mut labels = Vec::new();
    for (index, party) in parties.iter().enumerate() {
        let path = format!("/content/metadata/counterparties/{index}");
        if party.label_source == Some(LabelSource::ContactBook) && !names.may_be_known(party.address) {
            let message = "the address is not in your address book: the name is not yours";
            notes.push(Note::new(
                Code::ContactBookUnverified,
                format!("{path}/labelSource"),
                message,
            ));
        }
        labels.push(names.label(path, party));
    }
    labels
}

/// All names of the counterparties: the one of the highest trust is shown, wherever it stands.
struct Names<'a> {
    book: Option<&'a ContactBook>,
    best: BTreeMap<Address, (LabelSource, &'a str)>,
    resembled: BTreeSet<Address>,
}

impl<'a> Names<'a> {
    fn of(parties: &'a [Counterparty], book: Option<&'a ContactBook>) -> Self {
        let mut names = Self {
            book,
            best: BTreeMap::new(),
            resembled: BTreeSet::new(),
        };
        for party in parties {
            let warned = party.similarity_warning.as_ref();
            names.resembled.extend(
                warned
                    .into_iter()
                    .flat_map(|warning| [party.address, warning.similar_to]),
            );
            if let Some(label) = &party.label {
                let found = (names.source(party), label.as_str());
                let best = names.best.entry(party.address).or_insert(found);
                if found.0 < best.0 {
                    *best = found;
                }
            }
        }
        names
    }

    fn is_known(&self, address: Address) -> bool {
        self.book.is_some_and(|book| book.contains(address))
    }

    /// Without a book nothing is said against a claim on it.
    fn may_be_known(&self, address: Address) -> bool {
        self.book.is_none_or(|book| book.contains(address))
    }

    /// What the producer's source is worth here.
    fn source(&self, party: &Counterparty) -> LabelSource {
        match party.label_source {
            Some(LabelSource::ContactBook) if !self.is_known(party.address) => LabelSource::Untrusted,
            Some(source) => source,
            None => LabelSource::Untrusted,
        }
    }

    fn label(&self, path: String, party: &Counterparty) -> Label {
        let own = self.book.and_then(|book| book.label(party.address));
        let best = self.best.get(&party.address).copied();
        let shown = own.map(|own| (LabelSource::ContactBook, own)).or(best);
        let label = shown.map(|(_, label)| label);
        let claimed = party.label.as_deref();
        Label {
            path,
            address: party.address,
            label: label.map(str::to_owned),
            source: shown
                .map_or(LabelSource::Untrusted, |(source, _)| source)
                .as_str(),
            annotation: claimed
                .filter(|claimed| label != Some(claimed))
                .map(str::to_owned),
            resemblance_first: self.resembled.contains(&party.address) && !self.is_known(party.address),
        }
    }
}

/// Hex digits at each end by which people recognise an address (I-28b).
const ENDS: usize = 4;

/// Notes addresses of the envelope that are not in the address book and look like one that is, or like the signer. It
/// comes before their names.
pub(crate) fn resemblances(
    content: &Content,
    decoded: Option<&DecodedContent>,
    book: Option<&ContactBook>,
    labels: &mut [Label],
    notes: &mut Vec<Note>,
) {
    let known: BTreeSet<Address> = content
        .from()
        .into_iter()
        .chain(book.into_iter().flat_map(ContactBook::addresses))
        .collect();
    let by_ends: BTreeMap<String, Address> = known.iter().map(|known| (ends(*known), *known)).collect();
    let mut found = BTreeSet::new();
    for (address, path) in touched(content, decoded) {
        if let Some(known) = by_ends.get(&ends(address)).filter(|_| !known.contains(&address)) {
            let message = format!("{address:#x} looks like {known:#x}, which you know, and is another one");
            notes.push(Note::new(Code::SimilarityWarning, path, message));
            found.insert(address);
        }
    }
    for label in labels {
        label.resemblance_first |= found.contains(&label.address);
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
            let path = |member: &str| format!("/content/metadata/tokenMovements/{index}/{member}");
            if let Token::Contract(token) = movement.token {
                add(token, path("token"));
            }
            add(movement.from, path("from"));
            add(movement.to, path("to"));
        }
    }
    let place = match content {
        Content::Calls(_) => "/content/calls",
        Content::Signature(_) => "/content/message",
    };
    let Some(DecodedContent { decoded, signer }) = decoded else {
        return touched;
    };
    for entity in &decoded.entities.addresses {
        add(entity.address.address, place.to_owned());
    }
    if let Some(typed) = &decoded.typed_data {
        if let Some(contract) = typed.verifying_contract {
            add(contract, "/content/domain/verifyingContract".to_owned());
        }
        for address in &typed.addresses {
            add(*address, place.to_owned());
        }
    }
    touched.retain(|address, _| !signer.is_unnamed(*address));
    touched
}
