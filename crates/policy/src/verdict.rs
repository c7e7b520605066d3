//! What a policy says of a report.

use crate::evaluate::value::About;
use crate::policy::Policy;
use alloy_primitives::B256;
use presight_wire::report::EntityRef;
use serde_json::{Map, Value, json};

/// What a verdict stands for, whatever the policy calls it; the exit codes of the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Nothing stands against signing.
    Clean,
    /// A person should look.
    Warn,
    /// It should not be signed.
    Block,
    /// Something needed was not to be had.
    NotEvaluated,
}

impl Exit {
    /// Every one.
    pub const ALL: &'static [Self] = &[Self::Clean, Self::Warn, Self::Block, Self::NotEvaluated];

    /// Its word in a policy file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Warn => "warn",
            Self::Block => "block",
            Self::NotEvaluated => "not-evaluated",
        }
    }

    pub(crate) fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|exit| exit.as_str() == word)
    }
}

/// What follows from a fact that was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// The policy accepts the gap.
    Accept,
    /// There is no verdict without it.
    Unavailable,
    /// A reason of this severity, by position in the policy's severities.
    Severity(usize),
}

/// One reason of a verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// The rule's code; for facts that were not read, their kind.
    pub code: String,
    /// A word of the policy, or `unavailable`.
    pub severity: String,
    /// What it is about.
    pub about: About,
    /// One line for people. Text from outside in it is escaped.
    pub message: String,
    /// The findings it rests on, by position in the report.
    pub findings: Vec<usize>,
    /// Position of the verdict it leads to.
    pub(crate) level: usize,
}

/// A fact that was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NeededFact {
    /// The kind; `*` for every kind about an entity that the report leaves out.
    pub kind: String,
    /// The entity.
    pub entity: EntityRef,
    /// The report's reason; `missing` when it has no finding, `unlisted` when it leaves the entity out.
    pub reason: &'static str,
    /// What followed; nothing when the policy did not need it.
    pub effect: Option<Effect>,
}

/// The verdict of a policy over a report.
#[derive(Debug, Clone)]
pub struct Verdict {
    pub(crate) word: String,
    pub(crate) exit: Exit,
    pub(crate) policy: Value,
    pub(crate) severities: Vec<String>,
    /// Harshest first.
    pub(crate) reasons: Vec<Reason>,
    /// Reasons beyond the bound on how many are listed.
    pub(crate) omitted: usize,
    pub(crate) not_read: Vec<NeededFact>,
}

impl Verdict {
    /// The policy's word.
    pub fn word(&self) -> &str {
        &self.word
    }

    /// What it stands for.
    pub fn exit(&self) -> Exit {
        self.exit
    }

    /// The reasons, harshest first, then in the order of the policy's rules and of the report.
    pub fn reasons(&self) -> &[Reason] {
        &self.reasons
    }

    /// What was not read, needed or not.
    pub fn not_read(&self) -> &[NeededFact] {
        &self.not_read
    }

    /// The verdict as JSON. Equal reports and policies give equal values, member for member.
    pub fn to_value(&self, report_hash: B256) -> Value {
        let mut out = json!({
            "verdict": self.word,
            "policy": self.policy,
            "reasons": self.reasons.iter().map(reason).collect::<Value>(),
            "notRead": self.not_read.iter().map(|fact| self.fact(fact)).collect::<Value>(),
            "reportHash": report_hash,
        });
        if self.omitted > 0 {
            out["reasonsOmitted"] = json!(self.omitted);
        }
        out
    }

    fn fact(&self, fact: &NeededFact) -> Value {
        let mut out = json!({
            "kind": fact.kind,
            "entity": fact.entity.to_value(),
            "reason": fact.reason,
        });
        if let Some(word) = self.effect_word(fact) {
            out["effect"] = json!(word);
        }
        out
    }

    /// What followed from a fact that was not read, as the policy calls it.
    pub fn effect_word(&self, fact: &NeededFact) -> Option<&str> {
        fact.effect.map(|effect| match effect {
            Effect::Accept => "accept",
            Effect::Unavailable => "unavailable",
            Effect::Severity(index) => &self.severities[index],
        })
    }
}

fn reason(reason: &Reason) -> Value {
    let mut out = Map::new();
    out.insert("code".to_owned(), json!(reason.code));
    out.insert("severity".to_owned(), json!(reason.severity));
    let subject = match &reason.about {
        About::Request => None,
        About::Entity(entity) => Some(entity.to_value()),
        About::Call(index) => Some(json!({ "call": index })),
        About::Transfer(index) => Some(json!({ "transfer": index })),
    };
    if let Some(subject) = subject {
        out.insert("subject".to_owned(), subject);
    }
    out.insert("message".to_owned(), json!(reason.message));
    out.insert("findings".to_owned(), json!(reason.findings));
    Value::Object(out)
}

/// The policy as a verdict names it: with the parameters that were given other values than the file's.
pub(crate) fn policy_value(policy: &Policy) -> Value {
    let mut out = json!({ "name": policy.name, "hash": policy.hash });
    if !policy.changed.is_empty() {
        let changed = policy.changed.iter().map(|index| &policy.parameters[*index]);
        let changed: Map<String, Value> = changed.map(|p| (p.name.clone(), json!(p.value()))).collect();
        out["parameters"] = Value::Object(changed);
    }
    out
}
