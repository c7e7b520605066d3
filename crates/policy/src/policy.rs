//! A policy, loaded.

use crate::cases::Case;
use crate::error::{PolicyError, shown};
use crate::evaluate::value::Value;
use crate::language::check::words::words_fault;
use crate::language::expression::Expression;
use crate::language::message::Message;
use crate::language::subject::Subject;
use crate::language::types::Type;
use crate::language::vocabulary::{Vocabulary, meant};
use crate::load;
use crate::not_read::NotRead;
use crate::verdict::Exit;
use alloy_primitives::{B256, U256, keccak256};
use std::borrow::Cow;

/// A policy: what its file says, checked.
#[derive(Debug, Clone)]
pub struct Policy {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) hash: B256,
    /// Mildest first.
    pub(crate) verdicts: Vec<(String, Exit)>,
    /// The verdict when something needed was not read or a rule could not be evaluated.
    pub(crate) unavailable: usize,
    pub(crate) severities: Vec<(String, usize)>,
    pub(crate) not_read: NotRead,
    pub(crate) parameters: Vec<Parameter>,
    /// Finding kinds of other sources that the policy declares.
    pub(crate) extensions: Vec<String>,
    /// Parameters that were given other values than the file's, by position.
    pub(crate) changed: Vec<usize>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) cases: Vec<Case>,
}

/// A parameter of a policy.
#[derive(Debug, Clone)]
pub struct Parameter {
    pub(crate) name: String,
    pub(crate) of: Type,
    pub(crate) value: Setting,
    /// What its texts can be, where rules compare them with one of a few words.
    pub(crate) words: Vec<Vocabulary>,
    pub(crate) about: String,
}

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Setting {
    Bool(bool),
    Integer(U256),
    Text(String),
    List(Vec<Setting>),
}

/// A rule of a policy.
#[derive(Debug, Clone)]
pub struct Rule {
    pub(crate) code: String,
    /// Position in the policy's severities.
    pub(crate) severity: usize,
    pub(crate) severity_name: String,
    pub(crate) subject: Subject,
    pub(crate) condition: Expression,
    pub(crate) condition_text: String,
    pub(crate) message: Message,
    pub(crate) why: String,
}

impl Policy {
    /// Reads a policy file: JSON when it starts with `{`, TOML otherwise. Every name and type in it is checked.
    ///
    /// # Errors
    /// The first fault, with its line and column.
    pub fn load(text: &str) -> Result<Self, PolicyError> {
        load::policy(text, keccak256(text)).map_err(|fault| fault.placed(text))
    }

    /// Gives a parameter another value than the file's, once; lists are separated by commas.
    ///
    /// # Errors
    /// What is wrong with the name or the value, or that the parameter was given a value before.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), String> {
        let index = self
            .parameters
            .iter()
            .position(|parameter| parameter.name == name)
            .ok_or_else(|| {
                let known: Vec<&str> = self.parameters.iter().map(Parameter::name).collect();
                let meant = meant(name, &known);
                format!("policy `{}` has no parameter {}{meant}", self.name, shown(name))
            })?;
        if self.changed.contains(&index) {
            return Err(format!("parameter `{name}` is given twice"));
        }
        let parameter = &mut self.parameters[index];
        let value = load::parameter::setting_from_text(&parameter.of, text)?;
        if let Some(fault) = parameter.words_fault(&value, &self.extensions) {
            return Err(fault);
        }
        parameter.value = value;
        self.changed.push(index);
        self.changed.sort_unstable();
        Ok(())
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is for, in a sentence.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// `keccak256` of the file's bytes.
    pub fn hash(&self) -> B256 {
        self.hash
    }

    /// The verdicts it can give, mildest first, with the exit code each stands for.
    pub fn verdicts(&self) -> impl Iterator<Item = (&str, Exit)> {
        self.verdicts.iter().map(|(name, exit)| (name.as_str(), *exit))
    }

    /// Its parameters.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Its rules, in the order of the file.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    pub(crate) fn values(&self) -> Vec<Value<'_>> {
        self.parameters
            .iter()
            .map(|parameter| parameter.value.value())
            .collect()
    }
}

impl Parameter {
    /// What is wrong with a value where rules compare it with one of a few words.
    pub(crate) fn words_fault(&self, value: &Setting, extensions: &[String]) -> Option<String> {
        self.words
            .iter()
            .find_map(|words| words_fault(value, *words, extensions))
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is for.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// The word of its type in a policy file.
    pub fn type_name(&self) -> &'static str {
        load::parameter::type_name(&self.of)
    }

    /// Its value as text; items of lists separated by commas.
    pub fn value(&self) -> String {
        self.value.to_string()
    }
}

impl Setting {
    fn value(&self) -> Value<'_> {
        match self {
            Self::Bool(value) => Value::Bool(*value),
            Self::Integer(value) => Value::Integer((*value).into()),
            Self::Text(text) => Value::Text(Cow::Borrowed(text)),
            Self::List(items) => Value::List(items.iter().map(Self::value).collect()),
        }
    }
}

impl std::fmt::Display for Setting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bool(value) => value.fmt(f),
            Self::Integer(value) => value.fmt(f),
            Self::Text(text) => f.write_str(text),
            Self::List(items) => {
                let items: Vec<String> = items.iter().map(ToString::to_string).collect();
                f.write_str(&items.join(","))
            }
        }
    }
}

impl Rule {
    /// Its code, stable for machines.
    pub fn code(&self) -> &str {
        &self.code
    }

    /// Its severity, a word of the policy.
    pub fn severity(&self) -> &str {
        &self.severity_name
    }

    /// What it is evaluated for.
    pub fn subject(&self) -> Subject {
        self.subject
    }

    /// Its condition, as written.
    pub fn condition(&self) -> &str {
        &self.condition_text
    }

    /// Why it matters.
    pub fn why(&self) -> &str {
        &self.why
    }
}
