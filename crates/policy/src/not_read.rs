//! What facts that were not read mean to a policy.

use crate::language::kind;
use crate::verdict::Effect;
use presight_wire::reading::Reason;

/// The `needs` and `not-read` of a policy.
#[derive(Debug, Clone)]
pub(crate) struct NotRead {
    pub(crate) needs: Needs,
    pub(crate) default: Effect,
    pub(crate) kinds: Vec<OfKinds>,
}

/// The kinds that have to be read whatever the rules come to.
#[derive(Debug, Clone)]
pub(crate) enum Needs {
    Every,
    Kinds(Vec<String>),
}

/// What not read means for the kinds of a pattern.
#[derive(Debug, Clone)]
pub(crate) struct OfKinds {
    /// A kind, or the start of kinds before a `*`.
    pub(crate) pattern: String,
    pub(crate) default: Option<Effect>,
    pub(crate) reasons: Vec<(Missing, Effect)>,
}

/// Why a fact is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    /// The report says that it was not read.
    NotRead(Reason),
    /// The report has no finding.
    Absent,
}

impl Missing {
    pub(crate) fn parse(word: &str) -> Option<Self> {
        if word == Self::Absent.as_str() {
            return Some(Self::Absent);
        }
        Reason::parse(word).map(Self::NotRead)
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::NotRead(reason) => reason.as_str(),
            Self::Absent => "missing",
        }
    }
}

/// Whether a pattern takes in a kind.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => pattern == name,
    }
}

/// Whether a pattern takes in any kind that rules can name, or one of another source that the policy declares.
pub(crate) fn is_known(pattern: &str, extensions: &[String]) -> bool {
    let ours = kind::KINDS.iter().map(|kind| kind.name);
    let mut known = ours.chain(extensions.iter().map(String::as_str));
    known.any(|kind| matches(pattern, kind))
}

impl NotRead {
    /// Whether a kind has to be read whatever the rules come to.
    pub(crate) fn always_needs(&self, name: &str) -> bool {
        match &self.needs {
            Needs::Every => true,
            Needs::Kinds(patterns) => patterns.iter().any(|pattern| matches(pattern, name)),
        }
    }

    /// What a needed fact of a kind means when it is not there: the longest pattern that takes the kind in decides.
    pub(crate) fn effect(&self, name: &str, missing: Missing) -> Effect {
        let fitting = self.kinds.iter().filter(|of| matches(&of.pattern, name));
        let Some(of) = fitting.max_by_key(|of| of.pattern.len()) else {
            return self.default;
        };
        let by_reason = of.reasons.iter().find(|(reason, _)| *reason == missing);
        by_reason
            .map(|(_, effect)| *effect)
            .or(of.default)
            .map_or(self.default, |effect| effect)
    }
}
