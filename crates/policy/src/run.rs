//! Evaluating a policy over a report.

use crate::evaluate::facts::{Facts, Input, Listing};
use crate::evaluate::machine::Machine;
use crate::evaluate::value::{About, Stop, Unread, Value};
use crate::language::message::{Message, Piece};
use crate::language::subject::Subject;
use crate::limits::{MAX_REASONS, MAX_SHOWN_CHARS};
use crate::not_read::Missing;
use crate::policy::{Policy, Rule};
use crate::verdict::{Effect, NeededFact, Reason, Verdict, policy_value};
use presight_wire::kinds::{Applies, CORE, Group};
use presight_wire::report::Outcome;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// How one rule came out for one subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RuleOutcome {
    /// Its condition holds.
    Fired,
    /// Its condition does not hold.
    Quiet,
    /// Whether it holds depends on facts that were not read.
    Unread,
    /// It has no value on this report.
    Failed,
}

impl Policy {
    /// The verdict over a report.
    pub fn evaluate(&self, input: &Input<'_>) -> Verdict {
        self.evaluate_and_tell(input, |_, _| {})
    }

    /// The verdict, and how each rule came out for each of its subjects.
    pub(crate) fn evaluate_and_tell(
        &self,
        input: &Input<'_>,
        mut tell: impl FnMut(usize, RuleOutcome),
    ) -> Verdict {
        let facts = Facts::new(*input);
        let parameters = self.values();
        let mut machine = Machine::new(&facts, &parameters);
        let mut reasons = Vec::new();
        let mut needed: BTreeSet<Unread> = BTreeSet::new();
        for (index, rule) in self.rules.iter().enumerate() {
            for (it, about) in subjects(rule.subject, &facts) {
                machine.begin(it);
                let outcome = match machine.boolean(&rule.condition) {
                    Ok(false) => RuleOutcome::Quiet,
                    Ok(true) => {
                        reasons.push(self.reason(rule, about, &mut machine));
                        RuleOutcome::Fired
                    }
                    Err(Stop::Unread(unread)) => {
                        needed.extend(unread);
                        RuleOutcome::Unread
                    }
                    Err(Stop::Error(message)) => {
                        let message = format!("rule `{}` could not be evaluated: {message}", rule.code);
                        reasons.push(self.unavailable("rule-error".to_owned(), about, message));
                        RuleOutcome::Failed
                    }
                };
                tell(index, outcome);
            }
        }
        needed.extend(self.always_needed(&facts));
        let not_read = self.not_read_facts(&facts, &needed);
        reasons.extend(self.not_read_reasons(&not_read, input));
        self.verdict(reasons, not_read)
    }

    fn verdict(&self, mut reasons: Vec<Reason>, not_read: Vec<NeededFact>) -> Verdict {
        let level = reasons
            .iter()
            .map(|reason| reason.level)
            .max()
            .map_or(0, |level| level);
        reasons.sort_by_key(|reason| std::cmp::Reverse(reason.level));
        let omitted = reasons.len().saturating_sub(MAX_REASONS);
        reasons.truncate(MAX_REASONS);
        let (word, exit) = &self.verdicts[level];
        Verdict {
            word: word.clone(),
            exit: *exit,
            policy: policy_value(self),
            severities: self.severities.iter().map(|(word, _)| word.clone()).collect(),
            reasons,
            omitted,
            not_read,
        }
    }

    fn reason<'a>(&'a self, rule: &'a Rule, about: About, machine: &mut Machine<'a>) -> Reason {
        let findings = &machine.facts.input.report.findings;
        let was_read = |at: &usize| matches!(findings[*at].outcome, Outcome::Read(_));
        let findings = machine.used().into_iter().filter(was_read).collect();
        Reason {
            code: rule.code.clone(),
            severity: rule.severity_name.clone(),
            about,
            message: words(&rule.message, machine),
            findings,
            level: self.severities[rule.severity].1,
        }
    }

    fn unavailable(&self, code: String, about: About, message: String) -> Reason {
        Reason {
            code,
            severity: self.unavailable_word().to_owned(),
            about,
            message,
            findings: Vec::new(),
            level: self.unavailable,
        }
    }

    /// The severity of what could not be evaluated: where that leads to a verdict of severities, the last of those.
    fn unavailable_word(&self) -> &str {
        let leads_there = self
            .severities
            .iter()
            .rfind(|(_, verdict)| *verdict == self.unavailable);
        leads_there.map_or("unavailable", |(word, _)| word)
    }

    /// The facts that have to be read whatever the rules came to, and were not.
    fn always_needed(&self, facts: &Facts<'_>) -> Vec<Unread> {
        let mut needed = Vec::new();
        for (position, finding) in facts.input.report.findings.iter().enumerate() {
            if finding.outcome.is_unread()
                && self.not_read.always_needs(&finding.kind)
                && let Some(entity) = facts.id(&finding.entity)
            {
                needed.push(Unread {
                    entity,
                    kind: finding.kind.clone(),
                    finding: Some(position),
                });
            }
        }
        let core = CORE
            .iter()
            .filter(|kind| kind.applies == Applies::Always && self.not_read.always_needs(kind.name));
        for kind in core {
            for entity in facts.of_group(kind.group) {
                if facts.entities[entity].listing == Listing::Report && !facts.has_finding(entity, kind.name)
                {
                    needed.push(Unread {
                        entity,
                        kind: kind.name.to_owned(),
                        finding: None,
                    });
                }
            }
        }
        needed
    }

    /// Everything that was not read: the report's own findings in their order, then what it has no finding of, then the
    /// entities it leaves out.
    fn not_read_facts(&self, facts: &Facts<'_>, needed: &BTreeSet<Unread>) -> Vec<NeededFact> {
        let by_finding: BTreeSet<usize> = needed.iter().filter_map(|unread| unread.finding).collect();
        let mut all = Vec::new();
        for (position, finding) in facts.input.report.findings.iter().enumerate() {
            if let Outcome::NotRead(reason) = finding.outcome {
                let effect = self.not_read.effect(&finding.kind, Missing::NotRead(reason));
                all.push(NeededFact {
                    kind: finding.kind.clone(),
                    entity: finding.entity.clone(),
                    reason: reason.as_str(),
                    effect: by_finding.contains(&position).then_some(effect),
                });
            }
        }
        for unread in needed.iter().filter(|unread| unread.finding.is_none()) {
            let entity = &facts.entities[unread.entity];
            if entity.listing != Listing::OwnDecoding {
                all.push(NeededFact {
                    kind: unread.kind.clone(),
                    entity: entity.reference.clone(),
                    reason: Missing::Absent.as_str(),
                    effect: Some(self.not_read.effect(&unread.kind, Missing::Absent)),
                });
            }
        }
        for entity in facts
            .entities
            .iter()
            .filter(|entity| entity.listing == Listing::OwnDecoding)
        {
            all.push(NeededFact {
                kind: "*".to_owned(),
                entity: entity.reference.clone(),
                reason: "unlisted",
                effect: Some(Effect::Unavailable),
            });
        }
        all
    }

    /// One reason for each kind and effect of the needed facts that were not read.
    fn not_read_reasons(&self, not_read: &[NeededFact], input: &Input<'_>) -> Vec<Reason> {
        let mut groups: BTreeMap<(&str, usize, bool), Vec<&NeededFact>> = BTreeMap::new();
        for fact in not_read {
            match fact.effect {
                None | Some(Effect::Accept) => {}
                Some(Effect::Unavailable) => groups.entry((&fact.kind, 0, true)).or_default().push(fact),
                Some(Effect::Severity(s)) => groups.entry((&fact.kind, s, false)).or_default().push(fact),
            }
        }
        groups
            .into_iter()
            .map(|((kind, severity, unavailable), facts)| {
                let reasons: BTreeSet<&str> = facts.iter().map(|fact| fact.reason).collect();
                let reasons: Vec<&str> = reasons.into_iter().collect();
                let message = match facts.len() {
                    1 => format!("not read: {kind} ({})", reasons.join(", ")),
                    count => format!("not read: {kind} of {count} entities ({})", reasons.join(", ")),
                };
                let about = match facts.as_slice() {
                    [one] => About::Entity(one.entity.clone()),
                    _ => About::Request,
                };
                let mut reason = self.unavailable(kind.to_owned(), about, message);
                let entities: BTreeSet<String> =
                    facts.iter().map(|f| f.entity.to_value().to_string()).collect();
                let unread = input.report.findings.iter().enumerate().filter(|(_, finding)| {
                    finding.outcome.is_unread()
                        && finding.kind == kind
                        && entities.contains(&finding.entity.to_value().to_string())
                });
                reason.findings = unread.map(|(position, _)| position).collect();
                if !unavailable {
                    reason.severity = self.severities[severity].0.clone();
                    reason.level = self.severities[severity].1;
                }
                reason
            })
            .collect()
    }
}

/// What a rule is evaluated for.
fn subjects<'a>(subject: Subject, facts: &Facts<'a>) -> Vec<(Value<'a>, About)> {
    let entities = |group: Group| -> Vec<(Value<'a>, About)> {
        facts
            .of_group(group)
            .map(|id| {
                (
                    Value::Entity(id),
                    About::Entity(facts.entities[id].reference.clone()),
                )
            })
            .collect()
    };
    match subject {
        Subject::Request => vec![(Value::Request, About::Request)],
        Subject::Approval => entities(Group::Approval),
        Subject::Address => entities(Group::Address),
        Subject::Token => entities(Group::Token),
        Subject::Payment => entities(Group::Payment),
        Subject::Text => entities(Group::Text),
        Subject::Call => {
            let calls = facts.calls.iter();
            calls
                .map(|call| (Value::Call(*call), About::Call(call.outer)))
                .collect()
        }
        Subject::Transfer => {
            let transfers = facts.input.decoded.transfers.iter().enumerate();
            transfers
                .map(|(index, transfer)| (Value::Transfer(transfer), About::Transfer(index)))
                .collect()
        }
    }
}

/// A message in words. Text from outside is escaped and cut; what was not read is said to be so.
fn words<'a>(message: &'a Message, machine: &mut Machine<'a>) -> String {
    let mut out = String::new();
    for piece in &message.0 {
        match piece {
            Piece::Words(words) => out.push_str(words),
            Piece::Value(expression) => match machine.evaluate(expression) {
                Ok(value) => out.push_str(&shown(&value)),
                Err(Stop::Unread(_)) => out.push_str("(not read)"),
                Err(Stop::Error(_)) => out.push_str("(no value)"),
            },
        }
    }
    out
}

fn shown(value: &Value<'_>) -> String {
    let text = match value {
        Value::Bool(value) => value.to_string(),
        Value::Integer(value) => value.to_string(),
        Value::Text(text) => text.to_string(),
        Value::Json(serde_json::Value::String(text)) => text.clone(),
        Value::Json(json) => json.to_string(),
        _ => String::new(),
    };
    let mut out = String::new();
    let mut chars = text.chars();
    for c in chars.by_ref().take(MAX_SHOWN_CHARS) {
        if c.is_ascii_graphic() || c == ' ' || (c.is_alphanumeric() && !c.is_control()) {
            out.push(c);
        } else {
            write!(out, "\\u{{{:x}}}", u32::from(c)).expect("writing to a String does not fail");
        }
    }
    if chars.next().is_some() {
        out.push('…');
    }
    out
}

impl Facts<'_> {
    /// Whether the report has a finding of a kind about an entity.
    fn has_finding(&self, entity: usize, name: &str) -> bool {
        let findings = self.entities[entity].findings.iter();
        let mut kinds = findings.map(|(index, _)| crate::language::kind::kind(*index).name);
        kinds.any(|kind| kind == name)
    }
}
