//! `presight envelope`

pub(crate) mod args;
mod check;
mod judged;
mod preimage;
mod send_calls;
mod sign;
mod validate;
mod verify;

use crate::exit::{Exit, Failure};
use crate::input;
use args::Envelope;
use presight_wire::envelope::MAX_ENVELOPE_BYTES;
use std::path::Path;

/// Runs the subcommand.
pub(crate) fn run(command: &Envelope, as_json: bool) -> Result<Exit, Failure> {
    match command {
        Envelope::Validate { file } => validate::run(file, as_json),
        Envelope::Check(args) => check::run(args, as_json),
        Envelope::Canonicalize { file, coverage } => preimage::canonicalize(file, *coverage),
        Envelope::Digest { file, coverage } => preimage::digest(file, *coverage, as_json),
        Envelope::Sign {
            file,
            key_file,
            scheme,
            coverage,
        } => sign::run(file, key_file, *scheme, *coverage, as_json),
        Envelope::Verify { file, producer_key } => verify::run(file, producer_key, as_json),
        Envelope::ToSendCalls { file, wallet_version } => send_calls::run(file, wallet_version, as_json),
    }
}

/// An envelope's text.
fn document(file: &Path) -> Result<Vec<u8>, Failure> {
    input::read(file, MAX_ENVELOPE_BYTES)
}
