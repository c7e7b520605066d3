//! `presight jcs`

use crate::exit::{Exit, Failure, print_bytes};
use crate::input;
use presight_wire::{jcs, json};
use std::path::Path;

/// Prints the canonical bytes of a JSON document, without a newline.
pub(crate) fn run(file: Option<&Path>) -> Result<Exit, Failure> {
    let bytes = input::document(file.map_or(Path::new("-"), |file| file))?;
    let value = json::parse(&bytes, json::Numbers::Double)?;
    print_bytes(&jcs::canonical(&value));
    Ok(Exit::Clean)
}
