//! The consumer's side of a report.

use crate::door::Door;
use crate::fault::Fault;
use presight_verify::{Options, Unverified, Verification};
use presight_wire::Request;

/// Checks a report as its consumer (ERC-8481 §Consuming a report).
///
/// # Errors
/// As [`Door::run`].
pub fn verify<D: Door>(
    door: &D,
    report: &Unverified,
    request: &Request,
    options: &Options,
) -> Result<Verification, D::Error> {
    let driven = door.run(|view| presight_verify::verify(report, request, view, options))?;
    Ok(driven.value.map_err(|_| Fault::OpenReads)?)
}
