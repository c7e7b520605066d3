//! `presight jcs`

use crate::exit::{Exit, Failure};
use crate::input;
use anyhow::Context as _;
use presight_wire::{jcs, json};
use std::io::Write as _;
use std::path::Path;

/// Prints the canonical bytes of a JSON document, without a newline.
pub(crate) fn run(file: Option<&Path>) -> Result<Exit, Failure> {
    let bytes = input::document(file.map_or(Path::new("-"), |file| file))?;
    let value = json::parse(&bytes, json::Numbers::Double)?;
    let mut out = std::io::stdout().lock();
    out.write_all(&jcs::canonical(&value))
        .and_then(|()| out.flush())
        .context("stdout cannot be written")?;
    Ok(Exit::Clean)
}
