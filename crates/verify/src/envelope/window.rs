//! `validity` against the clock (§5.4).

use super::code::{ConsumerCode, Note};
use super::context::CheckContext;
use super::moment::Moment;
use presight_wire::envelope::{Code, Validity};

const NOT_AFTER: &str = "/content/validity/notAfter";
const NOT_BEFORE: &str = "/content/validity/notBefore";

/// Judges the window at a moment. Its bounds belong to it.
pub(crate) fn judge(validity: &Validity, now: Moment, context: &CheckContext, notes: &mut Vec<Note>) {
    let Validity {
        not_before,
        not_after,
        ..
    } = *validity;
    if now.is_after(not_after) {
        let message = "it must not be submitted any more";
        notes.push(Note::new(Code::Expired, NOT_AFTER, message));
    }
    if not_before.is_some_and(|not_before| now.is_before(not_before)) {
        let message = "it must not be submitted yet";
        notes.push(Note::new(Code::NotYetValid, NOT_BEFORE, message));
    }
    let left = u64::try_from(now.seconds_to(not_after)).ok();
    if let (Some(left), Some(most)) = (left, context.long_validity)
        && now.is_before(not_after.saturating_sub_unsigned(most))
    {
        let message = format!("it holds for {left} seconds more; {most} are usual here");
        notes.push(Note::new(Code::LongValidity, NOT_AFTER, message));
    }
    if let (Some(left), Some(least)) = (left, context.least_time_left)
        && left < least
    {
        let message = format!("it holds for {left} seconds more, less than {least}: have it prepared anew");
        notes.push(Note::new(ConsumerCode::CloseToExpiry, NOT_AFTER, message));
    }
}
