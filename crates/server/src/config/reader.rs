//! Keys by their paths, from the file and the environment. What is never taken is not known.

use super::error::ConfigError;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::str::FromStr;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

const PREFIX: &str = "PRESIGHT_";

/// A value and where it stands.
#[derive(Debug, Clone)]
pub(super) struct Given<T> {
    pub(super) value: T,
    pub(super) place: String,
}

impl<T> Given<T> {
    /// What follows from the value, or what is wrong with it.
    pub(super) fn read<U, E: Display>(
        &self,
        code: &'static str,
        read: impl FnOnce(&T) -> Result<U, E>,
    ) -> Result<U, ConfigError> {
        read(&self.value).map_err(|e| ConfigError::new(code, &self.place, e.to_string()))
    }
}

#[derive(Debug, Clone)]
enum Value {
    Text(String),
    Integer(String),
    Bool(bool),
    List(Vec<String>),
    /// An environment variable, of no type yet.
    Variable(String),
}

/// The keys that were given.
#[derive(Debug)]
pub(super) struct Reader {
    keys: BTreeMap<String, Given<Value>>,
    variables: BTreeMap<String, String>,
}

impl Reader {
    pub(super) fn new(
        text: &str,
        name: &str,
        environment: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, ConfigError> {
        let places = Places { text, name };
        let table = DeTable::parse(text).map_err(|error| {
            let offset = error.span().map_or(0, |span| span.start);
            ConfigError::new(
                "config-syntax",
                places.of(offset),
                error.message().replace('\n', " "),
            )
        })?;
        let mut keys = BTreeMap::new();
        flatten(table.get_ref(), "", &places, &mut keys)?;
        let variables = environment
            .into_iter()
            .filter(|(name, _)| name.starts_with(PREFIX));
        Ok(Self {
            keys,
            variables: variables.collect(),
        })
    }

    pub(super) fn text(&mut self, path: &str) -> Result<Option<Given<String>>, ConfigError> {
        self.typed(path, "a string", |value| match value {
            Value::Text(text) | Value::Variable(text) => Some(text),
            _ => None,
        })
    }

    pub(super) fn boolean(&mut self, path: &str) -> Result<Option<bool>, ConfigError> {
        let given = self.typed(path, "true or false", |value| match value {
            Value::Bool(value) => Some(value),
            Value::Variable(text) => text.parse().ok(),
            _ => None,
        })?;
        Ok(given.map(|given| given.value))
    }

    pub(super) fn list(&mut self, path: &str) -> Result<Option<Given<Vec<String>>>, ConfigError> {
        self.typed(path, "a list of strings", |value| match value {
            Value::List(items) => Some(items),
            Value::Variable(text) => {
                let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
                Some(items.map(str::to_owned).collect())
            }
            _ => None,
        })
    }

    /// An integer of at least `least`, or the default.
    pub(super) fn integer<T: Copy + FromStr + PartialOrd + Display>(
        &mut self,
        path: &str,
        least: T,
        default: T,
    ) -> Result<T, ConfigError> {
        let given = self.typed(path, "a whole number", |value| match value {
            Value::Integer(digits) | Value::Variable(digits) => Some(digits),
            _ => None,
        })?;
        let Some(given) = given else { return Ok(default) };
        given.read("bad-value", |digits| match digits.parse() {
            Ok(number) if number >= least => Ok(number),
            _ => Err(format!(
                "a whole number of at least {least} expected, that is not too large"
            )),
        })
    }

    /// The names directly under a path that hold keys: in the file, and in variables whose middle part `read` understands.
    pub(super) fn names_under(&self, path: &str, read: impl Fn(&str) -> Option<String>) -> BTreeSet<String> {
        let prefix = format!("{path}.");
        let in_file = self.keys.keys().filter_map(|key| {
            let rest = key.strip_prefix(&prefix)?;
            Some(rest.rsplit_once('.')?.0.to_owned())
        });
        let variable_prefix = variable(&prefix);
        let in_variables = self
            .variables
            .keys()
            .filter_map(|name| read(name.strip_prefix(&variable_prefix)?));
        in_file.chain(in_variables).collect()
    }

    /// # Errors
    /// `unknown-key` and `unknown-variable`, for the first that was never taken.
    pub(super) fn finish(self) -> Result<(), ConfigError> {
        if let Some((path, given)) = self.keys.into_iter().next() {
            let message = format!("there is no key `{}`", path.escape_debug());
            return Err(ConfigError::new("unknown-key", given.place, message));
        }
        match self.variables.into_keys().next() {
            Some(name) => {
                let message = "no key has this variable";
                Err(ConfigError::new("unknown-variable", name.escape_debug(), message))
            }
            None => Ok(()),
        }
    }

    fn typed<T>(
        &mut self,
        path: &str,
        expected: &str,
        read: impl FnOnce(Value) -> Option<T>,
    ) -> Result<Option<Given<T>>, ConfigError> {
        let Some(given) = self.take(path) else {
            return Ok(None);
        };
        let Given { value, place } = given;
        match read(value) {
            Some(value) => Ok(Some(Given { value, place })),
            None => Err(ConfigError::new(
                "bad-type",
                place,
                format!("{path}: {expected} expected"),
            )),
        }
    }

    fn take(&mut self, path: &str) -> Option<Given<Value>> {
        let in_file = self.keys.remove(path);
        let name = variable(path);
        match self.variables.remove(&name) {
            Some(text) => Some(Given {
                value: Value::Variable(text),
                place: name,
            }),
            None => in_file,
        }
    }
}

/// The environment variable of a key.
fn variable(path: &str) -> String {
    let upper = path.to_uppercase().replace(['.', '-', ':'], "_");
    format!("{PREFIX}{upper}")
}

struct Places<'t> {
    text: &'t str,
    name: &'t str,
}

impl Places<'_> {
    fn of(&self, offset: usize) -> String {
        let before = self.text.get(..offset).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.matches('\n').count() + 1;
        let column = before[line_start..].chars().count() + 1;
        format!("{}:{line}:{column}", self.name)
    }
}

/// Tables nest at most as deep as a chain's keys do.
const MAX_TABLES: usize = 3;

fn flatten(
    table: &DeTable<'_>,
    prefix: &str,
    places: &Places<'_>,
    keys: &mut BTreeMap<String, Given<Value>>,
) -> Result<(), ConfigError> {
    for (name, value) in table {
        let path = format!("{prefix}{}", name.get_ref());
        let place = places.of(name.span().start);
        let value = match value.get_ref() {
            DeValue::Table(inner) if prefix.matches('.').count() < MAX_TABLES => {
                flatten(inner, &format!("{path}."), places, keys)?;
                continue;
            }
            DeValue::String(text) => Value::Text(text.to_string()),
            DeValue::Boolean(value) => Value::Bool(*value),
            DeValue::Integer(integer) if integer.radix() == 10 => Value::Integer(integer.as_str().to_owned()),
            DeValue::Array(items) => match items.iter().map(text).collect() {
                Some(items) => Value::List(items),
                None => return Err(ConfigError::new("bad-type", place, "a list holds strings only")),
            },
            _ => {
                return Err(ConfigError::new(
                    "bad-type",
                    place,
                    format!("no key `{path}` has such a value"),
                ));
            }
        };
        keys.insert(path, Given { value, place });
    }
    Ok(())
}

fn text(item: &Spanned<DeValue<'_>>) -> Option<String> {
    match item.get_ref() {
        DeValue::String(text) => Some(text.to_string()),
        _ => None,
    }
}
