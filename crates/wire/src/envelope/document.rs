//! A valid envelope: the document as received, and what it says.

use super::code::Code;
use super::fields::{Fields, Risk};
use super::key::PublicKey;
use super::preimage::{digest, preimage};
use super::problem::{Problem, Validation};
use super::signature::ProducerKey;
use super::validate::{read, refused, unreadable, validate_tree};
use super::verify::{Resolver, Verification, verify_value};
use super::words::{Coverage, Kind};
use super::{typed, write};
use crate::error::Refusal;
use crate::limits::MAX_DEPTH;
use crate::report::ReceivedReport;
use crate::tree::Tree;
use alloy_primitives::B256;
use serde_json::{Value, json};

/// An envelope that the validator found no error in. The document is kept as received, unknown members included:
/// digests and signatures are taken over it, never over the typed form.
#[derive(Debug, Clone, PartialEq)]
pub struct Envelope {
    value: Value,
    fields: Fields,
    validation: Validation,
}

/// Why there is no [`Envelope`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAnEnvelope {
    /// The text was not judged.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The document is not valid.
    #[error("not a valid envelope: {}", first(.0))]
    Invalid(Validation),
}

/// The first error, and how many more there are.
fn first(validation: &Validation) -> String {
    match validation.errors.split_first() {
        None => "no error".to_owned(),
        Some((problem, [])) => format!("{} at `{}`", problem.code, problem.path),
        Some((problem, others)) => {
            format!(
                "{} at `{}`, and {} more",
                problem.code,
                problem.path,
                others.len()
            )
        }
    }
}

impl Envelope {
    /// Reads and judges a text.
    ///
    /// # Errors
    /// All that is wrong with it; `too-large` beyond [`super::MAX_ENVELOPE_BYTES`].
    pub fn parse(bytes: &[u8]) -> Result<Self, NotAnEnvelope> {
        let tree = read(bytes)?.map_err(|fault| NotAnEnvelope::Invalid(unreadable(fault)))?;
        let (fields, validation) = judge(&tree)?;
        let value = tree.to_value();
        Ok(Self {
            value,
            fields,
            validation,
        })
    }

    /// Judges a document that was read elsewhere, strictly.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn from_value(value: Value) -> Result<Self, NotAnEnvelope> {
        let tree = Tree::of(&value, MAX_DEPTH).map_err(|fault| NotAnEnvelope::Invalid(unreadable(fault)))?;
        let (fields, validation) = judge(&tree)?;
        Ok(Self {
            value,
            fields,
            validation,
        })
    }

    /// The document as received.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// What it says.
    pub fn fields(&self) -> &Fields {
        &self.fields
    }

    /// Its kind.
    pub fn kind(&self) -> Kind {
        self.fields.kind()
    }

    /// What the validator warns of.
    pub fn warnings(&self) -> &[Problem] {
        &self.validation.warnings
    }

    /// Whether the validator left out warnings beyond its bounds ([`Validation::cut`]).
    pub fn is_cut(&self) -> bool {
        self.validation.cut
    }

    /// The bytes a producer signs (§3.2).
    pub fn preimage(&self, coverage: Coverage) -> Vec<u8> {
        preimage(&self.value, coverage).expect("a valid envelope is an object with a content")
    }

    /// `keccak256` of the pre-image; with coverage `envelope` the `subjectDigest` of ERC-8481.
    pub fn digest(&self, coverage: Coverage) -> B256 {
        digest(&self.value, coverage).expect("a valid envelope is an object with a content")
    }

    /// Whether the producer signed it.
    pub fn verify(&self, resolver: Resolver<'_>) -> Verification {
        verify_value(&self.value, resolver)
    }

    /// The envelope with the producer's signature, in place of any before it.
    ///
    /// # Errors
    /// `no-producer` without a producer; `origin-with-content-coverage`; `wrong-signer` when the producer's id names
    /// another key: nobody could verify such a signature.
    pub fn sign(&self, key: &ProducerKey, coverage: Coverage) -> Result<Self, Refusal> {
        let producer = self.fields.producer.as_ref().ok_or_else(|| {
            refused(
                Code::NoProducer,
                "/producer",
                "the envelope names no producer that could sign",
            )
        })?;
        if coverage == Coverage::Content && self.fields.origin.is_some() {
            let message = "with coverage `content` there must be no origin (§3.2)";
            return Err(refused(Code::OriginWithContentCoverage, "/origin", message));
        }
        let public = key.public_key();
        if !may_sign(&producer.id, &public) {
            let message = format!("the key {public} is not the one that the producer's id names");
            return Err(refused(Code::WrongSigner, "/producer/id", message));
        }
        let signature = json!({
            "scheme": public.scheme().as_str(),
            "publicKey": public.to_string(),
            "signature": key.sign(&self.preimage(coverage))?,
            "coverage": coverage.as_str(),
        });
        self.with("/producer", "signature", signature)
            .map_err(|error| refused(Code::NotSigned, "/producer/signature", error.to_string()))
    }

    /// The envelope with a consumer's verdict and reports, in place of any before (ERC-8481 §Envelope). No digest and
    /// no signature changes.
    ///
    /// # Errors
    /// What is wrong with the verdict.
    pub fn with_risk(&self, risk: &Risk) -> Result<Self, NotAnEnvelope> {
        self.with("", "risk", write::risk(risk))
    }

    /// The reports in `risk.reports`; empty without one. They are as whoever wrote them left them: each has to be
    /// verified.
    ///
    /// # Errors
    /// `wrong-type` when the member is no array; what is wrong with the first report that cannot be read.
    pub fn reports(&self) -> Result<Vec<ReceivedReport>, Refusal> {
        let place = "/risk/reports";
        let Some(reports) = self.value.pointer(place) else {
            return Ok(Vec::new());
        };
        let Some(reports) = reports.as_array() else {
            return Err(Refusal::new("wrong-type", place, "an array of reports expected"));
        };
        let read = |(index, report): (usize, &Value)| {
            ReceivedReport::from_value(report.clone()).map_err(|refusal| Refusal {
                pointer: format!("{place}/{index}{}", refusal.pointer),
                ..refusal
            })
        };
        reports.iter().enumerate().map(read).collect()
    }

    /// A copy with one member set, judged anew.
    fn with(&self, place: &str, name: &str, member: Value) -> Result<Self, NotAnEnvelope> {
        let mut value = self.value.clone();
        if let Some(object) = value.pointer_mut(place).and_then(Value::as_object_mut) {
            object.insert(name.to_owned(), member);
        }
        Self::from_value(value)
    }
}

/// The typed form of a valid document, and what the validator warns of.
fn judge(tree: &Tree<'_>) -> Result<(Fields, Validation), NotAnEnvelope> {
    let validation = validate_tree(tree);
    if !validation.is_valid() {
        return Err(NotAnEnvelope::Invalid(validation));
    }
    // A test reads every valid vector: the validator lets nothing through that the typed form cannot hold.
    let fields =
        typed::fields(tree).ok_or_else(|| refused(Code::Unreadable, "", "the document has no typed form"))?;
    Ok((fields, validation))
}

/// Whether a producer of this id may sign with this key, as far as the id says.
fn may_sign(id: &str, key: &PublicKey) -> bool {
    match PublicKey::named_by(id) {
        None => true,
        Some(None) => false,
        // An account says nothing of keys of other schemes.
        Some(Some(PublicKey::Account(address))) => key.address().is_none_or(|own| own == address),
        Some(Some(named)) => named.is_same(key),
    }
}

impl Fields {
    /// The document of these members.
    pub fn to_value(&self) -> Value {
        write::fields(self)
    }

    /// The envelope of these members: a valid one, or all that is wrong with them.
    ///
    /// # Errors
    /// [`NotAnEnvelope::Invalid`].
    pub fn build(&self) -> Result<Envelope, NotAnEnvelope> {
        Envelope::from_value(self.to_value())
    }
}
