//! `presight envelope to-send-calls`

use super::judged::{self, Read};
use crate::exit::{Exit, Failure, print};
use presight_engine::words::printable;
use presight_wire::envelope;
use std::path::Path;

/// Prints the request; what of the envelope it cannot say goes to stderr.
pub(super) fn run(file: &Path, wallet_version: &str, as_json: bool) -> Result<Exit, Failure> {
    let envelope = match judged::read_as_given(file, as_json)? {
        Read::Envelope(envelope) => envelope,
        Read::Told(exit) => return Ok(exit),
    };
    let projected = envelope::send_calls(&envelope, wallet_version)?;
    for place in &projected.dropped {
        eprintln!(
            "warning: {} is not in the request: honour it yourself",
            printable(place)
        );
    }
    print(&projected.request.to_string());
    Ok(Exit::Clean)
}
