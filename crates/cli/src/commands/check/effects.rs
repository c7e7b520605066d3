//! What the report's simulation findings say that the calls do, read for the words of a verdict.
//!
//! They are findings of an extension: a report of another method may have values of another form. What is not understood
//! is shown as it stands, never left out.

use alloy_primitives::{Address, U256};
use presight_wire::AccountId;
use presight_wire::report::{EntityRef, Finding, Outcome, Report};
use serde_json::Value;

const BATCH: &str = "presight.effects.batch";
const OUTCOME: &str = "presight.effects.outcome";
const NATIVE: &str = "presight.effects.native-changes";
const RECIPIENTS: &str = "presight.effects.recipients";
const BALANCES: &str = "presight.effects.balance-changes";
const CLAIMED: &str = "presight.effects.claimed";
const HIDDEN: &str = "presight.effects.hidden-approvals";
const AFTER: &str = "presight.effects.allowance-after";

/// The simulation of a report.
#[derive(Clone, Copy)]
pub(super) struct Effects<'a> {
    pub(super) report: &'a Report,
}

/// An item of a list about a token.
pub(super) struct OfToken<'a> {
    pub(super) token: &'a AccountId,
    pub(super) item: &'a Value,
}

impl<'a> Effects<'a> {
    /// How the calls ended, or why that was not read.
    pub(super) fn status(self) -> Result<&'a str, &'a str> {
        let read = self
            .of(BATCH)
            .find_map(|(_, value)| value.get("status")?.as_str());
        read.ok_or_else(|| {
            self.unread(BATCH)
                .next()
                .map_or("no finding tells", |(_, reason)| reason)
        })
    }

    /// Whether this call is known not to succeed.
    pub(super) fn failed(self, call: usize) -> bool {
        self.findings(OUTCOME).any(|finding| {
            let index = finding
                .param
                .as_ref()
                .and_then(|param| param.get("callIndex")?.as_u64());
            let status = read(finding).and_then(|value| value.get("status")?.as_str());
            index.and_then(|index| usize::try_from(index).ok()) == Some(call)
                && status.is_some_and(|status| status != "success")
        })
    }

    /// Native balances that change.
    pub(super) fn native(self) -> impl Iterator<Item = &'a Value> {
        self.of(NATIVE).flat_map(|(_, value)| items(value))
    }

    /// Who receives tokens from whom.
    pub(super) fn transfers(self) -> impl Iterator<Item = OfToken<'a>> {
        self.lists(RECIPIENTS)
    }

    /// Token balances of the signer, and of accounts that make calls in its name, that change.
    pub(super) fn balances(self) -> impl Iterator<Item = OfToken<'a>> {
        self.lists(BALANCES)
    }

    /// What events say and the state does not bear out.
    pub(super) fn claims(self) -> impl Iterator<Item = OfToken<'a>> {
        self.lists(CLAIMED)
    }

    /// Approvals that no byte of the request shows.
    pub(super) fn hidden_approvals(self) -> impl Iterator<Item = OfToken<'a>> {
        self.lists(HIDDEN)
    }

    /// What the calls leave of an approval.
    pub(super) fn allowance_after(self, approval: usize) -> Option<&'a Value> {
        let mut of = self.of(AFTER);
        of.find_map(|(entity, value)| (*entity == EntityRef::Approval(approval)).then_some(value))
    }

    /// Movements that were not read: of which entity, and why.
    pub(super) fn unread_movements(self) -> impl Iterator<Item = (&'a EntityRef, &'a str)> {
        [NATIVE, RECIPIENTS, BALANCES, CLAIMED]
            .into_iter()
            .flat_map(move |kind| self.unread(kind))
    }

    /// Tokens whose hidden approvals were not read, and why.
    pub(super) fn unread_approvals(self) -> impl Iterator<Item = (&'a EntityRef, &'a str)> {
        self.unread(HIDDEN)
    }

    /// Whether it was read who receives this token.
    pub(super) fn tells_of(self, token: &AccountId) -> bool {
        self.tells(RECIPIENTS, token)
    }

    /// Whether it was read what becomes of the signer's balance of this token.
    pub(super) fn tells_balances_of(self, token: &AccountId) -> bool {
        self.tells(BALANCES, token)
    }

    fn tells(self, kind: &'static str, token: &AccountId) -> bool {
        let about = |entity: &EntityRef| matches!(entity, EntityRef::Token(of) if of == token);
        self.of(kind).any(|(entity, _)| about(entity)) && !self.unread(kind).any(|(entity, _)| about(entity))
    }

    fn findings(self, kind: &'static str) -> impl Iterator<Item = &'a Finding> {
        self.report
            .findings
            .iter()
            .filter(move |finding| finding.kind == kind)
    }

    fn of(self, kind: &'static str) -> impl Iterator<Item = (&'a EntityRef, &'a Value)> {
        self.findings(kind)
            .filter_map(|finding| Some((&finding.entity, read(finding)?)))
    }

    fn unread(self, kind: &'static str) -> impl Iterator<Item = (&'a EntityRef, &'a str)> {
        self.findings(kind).filter_map(|finding| match &finding.outcome {
            Outcome::NotRead(reason) => Some((&finding.entity, reason.as_str())),
            Outcome::Read(_) => None,
        })
    }

    fn lists(self, kind: &'static str) -> impl Iterator<Item = OfToken<'a>> {
        self.of(kind).flat_map(|(entity, value)| {
            let token = match entity {
                EntityRef::Token(token) => Some(token),
                _ => None,
            };
            token
                .into_iter()
                .flat_map(move |token| items(value).map(move |item| OfToken { token, item }))
        })
    }
}

fn read(finding: &Finding) -> Option<&Value> {
    match &finding.outcome {
        Outcome::Read(value) => Some(value),
        Outcome::NotRead(_) => None,
    }
}

/// The items of a list; what is no list is one item, not understood.
fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value
        .as_array()
        .map_or(std::slice::from_ref(value), Vec::as_slice)
        .iter()
}

/// An address member of an item.
pub(super) fn address(item: &Value, member: &str) -> Option<Address> {
    item.get(member)?.as_str()?.parse().ok()
}

/// An amount member of an item.
pub(super) fn amount(item: &Value, member: &str) -> Option<U256> {
    U256::from_str_radix(item.get(member)?.as_str()?, 10).ok()
}

/// What a balance loses; `None` when it does not, or is not understood.
pub(super) fn lost(item: &Value) -> Option<U256> {
    let lost = amount(item, "before")?.checked_sub(amount(item, "after")?)?;
    (!lost.is_zero()).then_some(lost)
}

/// What a balance gains; `None` when it does not, or is not understood.
pub(super) fn gained(item: &Value) -> Option<U256> {
    let gained = amount(item, "after")?.checked_sub(amount(item, "before")?)?;
    (!gained.is_zero()).then_some(gained)
}
