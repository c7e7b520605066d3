//! `presight envelope validate`

use super::{document, judged};
use crate::exit::{Exit, Failure};
use presight_wire::envelope;
use std::path::Path;

/// Prints everything that is wrong with an envelope, and what its consumer should know.
pub(super) fn run(file: &Path, as_json: bool) -> Result<Exit, Failure> {
    let validation = envelope::validate(&document(file)?)?;
    Ok(judged::tell(&validation, as_json))
}
