//! `presight envelope canonicalize` and `digest`: over the document as received, valid or not.

use super::document;
use crate::exit::{Exit, Failure, print};
use alloy_primitives::keccak256;
use anyhow::Context as _;
use presight_wire::Refusal;
use presight_wire::envelope::{self, Code, Coverage, Scheme, scheme_digest};
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::Path;

/// Prints the bytes a producer signs.
pub(super) fn canonicalize(file: &Path, coverage: Option<Coverage>) -> Result<Exit, Failure> {
    let (preimage, _) = preimage(file, coverage)?;
    let mut out = std::io::stdout().lock();
    out.write_all(&preimage)
        .and_then(|()| out.flush())
        .context("stdout cannot be written")?;
    Ok(Exit::Clean)
}

/// Prints their digests: keccak256 of the bytes, which with coverage `envelope` is the subject digest of a report, and
/// what each scheme signs.
pub(super) fn digest(file: &Path, coverage: Option<Coverage>, as_json: bool) -> Result<Exit, Failure> {
    let (preimage, coverage) = preimage(file, coverage)?;
    let digest = keccak256(&preimage);
    let signed = |scheme| scheme_digest(scheme, &preimage);
    print(&if as_json {
        let mut document = json!({
            "digest": digest,
            "coverage": coverage.as_str(),
            "signed": { "secp256k1": signed(Scheme::Secp256k1), "p256": signed(Scheme::P256) },
        });
        if coverage == Coverage::Envelope {
            document["subjectDigest"] = json!(digest);
        }
        document.to_string()
    } else {
        let mut lines = vec![format!(
            "digest             {digest}  (coverage {})",
            coverage.as_str()
        )];
        for scheme in [Scheme::Secp256k1, Scheme::P256] {
            let signed =
                signed(scheme).map(|digest| format!("{:<18} {digest}", format!("{} signs", scheme.as_str())));
            lines.extend(signed);
        }
        lines.join("\n")
    });
    Ok(Exit::Clean)
}

fn preimage(file: &Path, coverage: Option<Coverage>) -> Result<(Vec<u8>, Coverage), Failure> {
    let document = envelope::read_document(&document(file)?)?;
    let coverage = coverage
        .or_else(|| declared(&document))
        .unwrap_or(Coverage::Envelope);
    let preimage = envelope::preimage(&document, coverage).ok_or_else(|| {
        let (code, place, message) = if document.is_object() {
            (Code::MissingField, "/content", "the member is missing")
        } else {
            (Code::WrongType, "", "an object expected")
        };
        Refusal::new(code.as_str(), place, message)
    })?;
    Ok((preimage, coverage))
}

/// What the document's own signature covers.
fn declared(document: &Value) -> Option<Coverage> {
    Coverage::parse(document.pointer("/producer/signature/coverage")?.as_str()?)
}
