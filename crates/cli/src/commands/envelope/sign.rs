//! `presight envelope sign`

use super::judged::{self, Read};
use crate::exit::{Exit, Failure, print};
use crate::input;
use anyhow::Context as _;
use presight_wire::envelope::{Coverage, ProducerKey, Scheme};
use presight_wire::jcs;
use std::path::Path;
use zeroize::Zeroizing;

/// A key file is one line of hex.
const MAX_KEY_FILE_BYTES: usize = 1024;

/// Prints the signed envelope, in its canonical form.
pub(super) fn run(
    file: &Path,
    key_file: &Path,
    scheme: Scheme,
    coverage: Coverage,
    as_json: bool,
) -> Result<Exit, Failure> {
    let envelope = match judged::read_as_given(file, as_json)? {
        Read::Envelope(envelope) => envelope,
        Read::Told(exit) => return Ok(exit),
    };
    let key = Zeroizing::new(input::read(key_file, MAX_KEY_FILE_BYTES)?);
    let key = ProducerKey::from_hex(scheme, &key)?;
    let signed = envelope.sign(&key, coverage)?;
    let text = String::from_utf8(jcs::canonical(signed.value())).context("canonical JSON is UTF-8")?;
    print(&text);
    Ok(Exit::Clean)
}
