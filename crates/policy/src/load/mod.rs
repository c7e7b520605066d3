//! Reading a policy file.

mod case;
pub(crate) mod parameter;

use crate::document::{self, Node, Table, bounded};
use crate::error::{Fault, shown};
use crate::language::check::{self, Scope};
use crate::language::message;
use crate::language::parse::Source;
use crate::language::subject::Subject;
use crate::language::vocabulary::{Vocabulary, meant};
use crate::limits::{MAX_CASES, MAX_EXTENSIONS, MAX_POLICY_TOKENS, MAX_RULES};
use crate::not_read::{Missing, Needs, NotRead, OfKinds, is_known};
use crate::policy::{Parameter, Policy, Rule};
use crate::verdict::{Effect, Exit};
use alloy_primitives::B256;

/// Verdicts and severities of a policy.
const MAX_WORDS: usize = 16;
/// Bytes of a name, a code or a word.
const MAX_NAME_BYTES: usize = 80;
/// Bytes of a description or an explanation.
const MAX_WORDS_BYTES: usize = 1_000;

const MEMBERS: [&str; 11] = [
    "name",
    "description",
    "verdicts",
    "unavailable",
    "severities",
    "extensions",
    "needs",
    "not-read",
    "params",
    "rules",
    "cases",
];

pub(crate) fn policy(text: &str, hash: B256) -> Result<Policy, Fault> {
    let root = document::parse(text)?;
    let root = root.table(&MEMBERS)?;
    let verdicts = verdicts(&root)?;
    let unavailable = unavailable(&root, &verdicts)?;
    let severities = severities(&root, &verdicts)?;
    let extensions = extensions(&root)?;
    let not_read = not_read(&root, &severities, &extensions)?;
    let parameters = parameter::parameters(&root)?;
    let rules = rules(&root, text, &severities, &parameters, &extensions)?;
    let mut policy = Policy {
        name: name(root.required("name")?)?,
        description: root.get("description").map_or(Ok(String::new()), sentence)?,
        hash,
        verdicts,
        unavailable,
        severities,
        not_read,
        parameters,
        extensions,
        changed: Vec::new(),
        rules: rules.rules,
        cases: Vec::new(),
    };
    for (index, words) in rules.words {
        policy.parameters[index].words.push(words);
    }
    for node in root.items("cases", MAX_CASES, "MAX_CASES")? {
        let case = case::case(node, &policy)?;
        policy.cases.push(case);
    }
    Ok(policy)
}

/// A word of letters, digits, `-`, `_`, `.`, `:` and `=`.
fn name(node: &Node) -> Result<String, Fault> {
    let text = node.text()?;
    let fits = |b: u8| b.is_ascii_alphanumeric() || b"-_.:=".contains(&b);
    if text.is_empty() || text.len() > MAX_NAME_BYTES || !text.bytes().all(fits) {
        let message = format!(
            "{} is no name: at most 80 letters, digits and - _ . : =",
            shown(text)
        );
        return Err(Fault::new("bad-name", node.offset, message));
    }
    Ok(text.to_owned())
}

fn sentence(node: &Node) -> Result<String, Fault> {
    let text = node.text()?;
    bounded(text.len(), MAX_WORDS_BYTES, "MAX_WORDS_BYTES", node.offset)?;
    Ok(text.to_owned())
}

fn verdicts(root: &Table<'_>) -> Result<Vec<(String, Exit)>, Fault> {
    let node = root.required("verdicts")?;
    let mut verdicts: Vec<(String, Exit)> = Vec::new();
    for item in root.items("verdicts", MAX_WORDS, "MAX_WORDS")? {
        let table = item.table(&["name", "exit"])?;
        let word = name(table.required("name")?)?;
        let exit = table.required("exit")?;
        let exit = Exit::parse(exit.text()?).ok_or_else(|| {
            let message = "`clean`, `warn`, `block` or `not-evaluated` expected";
            Fault::new("bad-exit", exit.offset, message)
        })?;
        if verdicts.iter().any(|(other, _)| *other == word) {
            return Err(Fault::new(
                "duplicate",
                item.offset,
                format!("verdict {} twice", shown(&word)),
            ));
        }
        verdicts.push((word, exit));
    }
    match verdicts.first() {
        Some((_, Exit::Clean)) if verdicts.len() > 1 => Ok(verdicts),
        _ => {
            let message = "at least two verdicts, mildest first; the mildest has exit `clean`";
            Err(Fault::new("bad-verdicts", node.offset, message))
        }
    }
}

fn unavailable(root: &Table<'_>, verdicts: &[(String, Exit)]) -> Result<usize, Fault> {
    let node = root.required("unavailable")?;
    let index = position(verdicts, node, "verdict")?;
    if verdicts[index].1 == Exit::Clean {
        let message = "what could not be evaluated is never clean";
        return Err(Fault::new("bad-verdicts", node.offset, message));
    }
    Ok(index)
}

fn severities(root: &Table<'_>, verdicts: &[(String, Exit)]) -> Result<Vec<(String, usize)>, Fault> {
    let node = root.required("severities")?;
    let table = node.open_table()?;
    bounded(table.members.len(), MAX_WORDS, "MAX_WORDS", node.offset)?;
    let reserved = |word: &str| word == "accept" || word == "unavailable";
    let mut severities = Vec::new();
    for (word, verdict) in table.members {
        if reserved(word) {
            let message = format!("{} is no severity: it has a meaning of its own", shown(word));
            return Err(Fault::new("bad-name", verdict.offset, message));
        }
        severities.push((word.clone(), position(verdicts, verdict, "verdict")?));
    }
    Ok(severities)
}

/// The position of the word a node holds.
fn position<T>(words: &[(String, T)], node: &Node, what: &str) -> Result<usize, Fault> {
    let text = node.text()?;
    words.iter().position(|(word, _)| word == text).ok_or_else(|| {
        let known: Vec<&str> = words.iter().map(|(word, _)| word.as_str()).collect();
        let meant = meant(text, &known);
        let message = format!(
            "unknown {what} {}{meant}; known: {}",
            shown(text),
            known.join(", ")
        );
        Fault::new("unknown-name", node.offset, message)
    })
}

/// The finding kinds of other sources that the policy deals with.
fn extensions(root: &Table<'_>) -> Result<Vec<String>, Fault> {
    let mut extensions = Vec::new();
    for node in root.items("extensions", MAX_EXTENSIONS, "MAX_EXTENSIONS")? {
        let kind = name(node)?;
        if kind.starts_with("erc.presign.") || kind.starts_with("presight.") {
            let message = format!("{} is no kind of another source", shown(&kind));
            return Err(Fault::new("bad-name", node.offset, message));
        }
        extensions.push(kind);
    }
    Ok(extensions)
}

fn not_read(
    root: &Table<'_>,
    severities: &[(String, usize)],
    extensions: &[String],
) -> Result<NotRead, Fault> {
    let needs = match root.get("needs") {
        None => Needs::Kinds(Vec::new()),
        Some(node) => match &node.data {
            document::Data::Text(text) if text == "*" => Needs::Every,
            _ => {
                let kinds = node.list()?.iter().map(|node| pattern(node, extensions));
                Needs::Kinds(kinds.collect::<Result<_, _>>()?)
            }
        },
    };
    let mut not_read = NotRead {
        needs,
        default: Effect::Unavailable,
        kinds: Vec::new(),
    };
    let Some(node) = root.get("not-read") else {
        return Ok(not_read);
    };
    for (name, node) in node.open_table()?.members {
        if name == "default" {
            not_read.default = effect(node, severities)?;
            continue;
        }
        known_pattern(name, extensions, node.offset)?;
        let mut of = OfKinds {
            pattern: name.clone(),
            default: None,
            reasons: Vec::new(),
        };
        if let document::Data::Table(reasons) = &node.data {
            for (word, node) in reasons {
                let missing = Missing::parse(word).ok_or_else(|| {
                    let message = format!("{} is no reason of a fact that was not read", shown(word));
                    Fault::new("unknown-name", node.offset, message)
                })?;
                of.reasons.push((missing, effect(node, severities)?));
            }
        } else {
            of.default = Some(effect(node, severities)?);
        }
        not_read.kinds.push(of);
    }
    Ok(not_read)
}

fn pattern(node: &Node, extensions: &[String]) -> Result<String, Fault> {
    let text = node.text()?;
    known_pattern(text, extensions, node.offset)?;
    Ok(text.to_owned())
}

fn known_pattern(pattern: &str, extensions: &[String], offset: usize) -> Result<(), Fault> {
    if is_known(pattern, extensions) {
        return Ok(());
    }
    let mut message = format!("{} is no finding kind", shown(pattern));
    if let Some(fault) = Vocabulary::FindingKind.fault(pattern, extensions) {
        message = fault;
    }
    Err(Fault::new("unknown-name", offset, message))
}

fn effect(node: &Node, severities: &[(String, usize)]) -> Result<Effect, Fault> {
    match node.text()? {
        "accept" => Ok(Effect::Accept),
        "unavailable" => Ok(Effect::Unavailable),
        _ => Ok(Effect::Severity(position(
            severities,
            node,
            "severity, or `accept` or `unavailable`",
        )?)),
    }
}

/// The rules, and the words that their parameters have to be.
struct Rules {
    rules: Vec<Rule>,
    words: Vec<(usize, Vocabulary)>,
}

fn rules(
    root: &Table<'_>,
    file: &str,
    severities: &[(String, usize)],
    parameters: &[Parameter],
    extensions: &[String],
) -> Result<Rules, Fault> {
    let mut rules = Rules {
        rules: Vec::new(),
        words: Vec::new(),
    };
    let mut tokens = 0;
    for node in root.items("rules", MAX_RULES, "MAX_RULES")? {
        let scope = Scope {
            subject: subject(node)?,
            parameters,
            extensions,
        };
        rules.rules.push(rule(
            node,
            file,
            severities,
            scope,
            &mut tokens,
            &mut rules.words,
        )?);
    }
    if rules.rules.is_empty() {
        let message = "a policy without rules lets everything pass; it needs `[[rules]]`";
        return Err(Fault::new("no-rules", root.offset, message));
    }
    Ok(rules)
}

fn subject(rule: &Node) -> Result<Subject, Fault> {
    let node = rule.open_table()?.required("subject")?;
    let word = node.text()?;
    let named = Subject::ALL
        .iter()
        .copied()
        .find(|subject| subject.as_str() == word);
    named.ok_or_else(|| {
        let known: Vec<&str> = Subject::ALL.iter().map(|subject| subject.as_str()).collect();
        let meant = meant(word, &known);
        let message = format!(
            "unknown subject {}{meant}; known: {}",
            shown(word),
            known.join(", ")
        );
        Fault::new("unknown-name", node.offset, message)
    })
}

fn rule(
    node: &Node,
    file: &str,
    severities: &[(String, usize)],
    scope: Scope<'_>,
    tokens: &mut usize,
    words: &mut Vec<(usize, Vocabulary)>,
) -> Result<Rule, Fault> {
    let table = node.table(&["code", "severity", "subject", "when", "message", "why"])?;
    let severity = position(severities, table.required("severity")?, "severity")?;
    let when = source(table.required("when")?, file)?;
    let condition = check::condition(when, scope)?;
    spend(tokens, condition.tokens, when.offset)?;
    words.extend(condition.words);
    let template = source(table.required("message")?, file)?;
    let (message, count) = message::parse(template, scope)?;
    spend(tokens, count, template.offset)?;
    Ok(Rule {
        code: name(table.required("code")?)?,
        severity,
        severity_name: severities[severity].0.clone(),
        subject: scope.subject,
        condition: condition.expression,
        condition_text: when.text.trim().to_owned(),
        message,
        why: table.get("why").map_or(Ok(String::new()), sentence)?,
    })
}

fn spend(tokens: &mut usize, count: usize, offset: usize) -> Result<(), Fault> {
    *tokens += count;
    if *tokens > MAX_POLICY_TOKENS {
        let message =
            format!("the expressions together have more tokens than MAX_POLICY_TOKENS, {MAX_POLICY_TOKENS}");
        return Err(Fault::new("too-large", offset, message));
    }
    Ok(())
}

/// An expression or a template with the place of its first byte, or, where the file writes it with escapes, of the string.
fn source<'a>(node: &'a Node, file: &str) -> Result<Source<'a>, Fault> {
    let text = node.text()?;
    let written = file.get(node.offset..node.end).map_or("", |written| written);
    let start = written.find(text).filter(|_| !text.is_empty());
    Ok(Source {
        text,
        offset: node.offset + start.map_or(0, |start| start),
        verbatim: start.is_some(),
    })
}
