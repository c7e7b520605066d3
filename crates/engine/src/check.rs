//! Whether to sign: a policy's verdict over the report.

use crate::door::Door;
use crate::identity::Identity;
use crate::report::{Reported, report};
use presight_decode::Decoded;
use presight_policy::{Input, Policy, Verdict};
use presight_wire::Request;
use serde_json::Value;

/// A verdict, and the report it rests on.
#[derive(Debug)]
pub struct Checked {
    /// The verdict.
    pub verdict: Verdict,
    /// The report.
    pub reported: Reported,
}

impl Checked {
    /// `{ verdict, policy, reasons, notRead, reportHash }`.
    pub fn to_value(&self) -> Value {
        self.verdict.to_value(self.reported.told.report.hash())
    }
}

/// Makes the report and evaluates the policy over it. A policy judges by everything that can be read, whatever kinds the
/// request asks for.
///
/// # Errors
/// As [`report()`].
pub fn check<D: Door>(
    door: &D,
    request: &Request,
    decoded: &Decoded,
    identity: &Identity,
    policy: &Policy,
) -> Result<Checked, D::Error> {
    let mut whole = request.clone();
    whole.kinds = None;
    let reported = report(door, &whole, decoded, identity)?;
    let verdict = policy.evaluate(&Input::own(&reported.told.report, &whole, decoded));
    Ok(Checked { verdict, reported })
}
