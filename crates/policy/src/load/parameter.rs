//! Parameters: types, defaults, and values given from outside.

use super::{MAX_NAME_BYTES, sentence};
use crate::document::{NO_INTEGER, Node, Table, bounded, unsigned};
use crate::error::{Fault, shown};
use crate::language::types::Type;
use crate::language::vocabulary::meant;
use crate::limits::{MAX_LIST_ITEMS, MAX_PARAMETERS};
use crate::policy::{Parameter, Setting};
use presight_wire::{AccountId, hex};

/// The types of parameters that are no lists, with their words; a list's word has an `s` more.
const SINGLE: [(&str, Type); 5] = [
    ("boolean", Type::Bool),
    ("integer", Type::Integer),
    ("text", Type::Text),
    ("account", Type::Account),
    ("address", Type::Address),
];

const LISTS: [(&str, Type); 4] = [
    ("integers", Type::Integer),
    ("texts", Type::Text),
    ("accounts", Type::Account),
    ("addresses", Type::Address),
];

pub(super) fn parameters(root: &Table<'_>) -> Result<Vec<Parameter>, Fault> {
    let Some(node) = root.get("params") else {
        return Ok(Vec::new());
    };
    let table = node.open_table()?;
    bounded(table.members.len(), MAX_PARAMETERS, "MAX_PARAMETERS", node.offset)?;
    table
        .members
        .iter()
        .map(|(name, node)| parameter(name, node))
        .collect()
}

fn parameter(name: &str, node: &Node) -> Result<Parameter, Fault> {
    let fits = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    if name.is_empty() || name.len() > MAX_NAME_BYTES || !name.bytes().all(fits) {
        let message = format!("{} is no parameter name: letters, digits and _", shown(name));
        return Err(Fault::new("bad-name", node.offset, message));
    }
    let table = node.table(&["type", "default", "about"])?;
    let word = table.required("type")?;
    let of = parse_type(word.text()?).ok_or_else(|| {
        let known: Vec<&str> = SINGLE.iter().chain(&LISTS).map(|(word, _)| *word).collect();
        let meant = word.text().map_or(String::new(), |text| meant(text, &known));
        let message = format!("a type expected{meant}: {}", known.join(", "));
        Fault::new("unknown-name", word.offset, message)
    })?;
    let default = table.required("default")?;
    Ok(Parameter {
        name: name.to_owned(),
        value: setting(&of, default)?,
        of,
        words: Vec::new(),
        about: table.get("about").map_or(Ok(String::new()), sentence)?,
    })
}

fn parse_type(word: &str) -> Option<Type> {
    let single = SINGLE.iter().find(|(w, _)| *w == word).map(|(_, of)| of.clone());
    single.or_else(|| {
        let (_, item) = LISTS.iter().find(|(w, _)| *w == word)?;
        Some(Type::list(item.clone()))
    })
}

pub(crate) fn type_name(of: &Type) -> &'static str {
    let word = match of {
        Type::List(item) => LISTS.iter().find(|(_, of)| of == &**item),
        single => SINGLE.iter().find(|(_, of)| of == single),
    };
    word.map_or("", |(word, _)| *word)
}

pub(super) fn setting(of: &Type, node: &Node) -> Result<Setting, Fault> {
    match of {
        Type::Bool => Ok(Setting::Bool(node.boolean()?)),
        Type::Integer => Ok(Setting::Integer(node.unsigned()?)),
        Type::List(item) => {
            let items = node.list()?;
            bounded(items.len(), MAX_LIST_ITEMS, "MAX_LIST_ITEMS", node.offset)?;
            let items = items.iter().map(|node| setting(item, node));
            Ok(Setting::List(items.collect::<Result<_, _>>()?))
        }
        single => word(single, node.text()?).map_err(|message| Fault::new("bad-value", node.offset, message)),
    }
}

/// A text, an account or an address, as expressions compare them.
fn word(of: &Type, text: &str) -> Result<Setting, String> {
    let text = match of {
        Type::Account => AccountId::parse(text, "")
            .map_err(|refusal| refusal.message)?
            .to_string(),
        Type::Address => {
            let address = hex::address(text, "").map_err(|refusal| refusal.message)?;
            format!("{address:#x}")
        }
        _ => text.to_owned(),
    };
    Ok(Setting::Text(text))
}

/// A value from outside the file.
pub(crate) fn setting_from_text(of: &Type, text: &str) -> Result<Setting, String> {
    match of {
        Type::Bool => match text {
            "true" => Ok(Setting::Bool(true)),
            "false" => Ok(Setting::Bool(false)),
            _ => Err("`true` or `false` expected".to_owned()),
        },
        Type::Integer => unsigned(text)
            .map(Setting::Integer)
            .ok_or_else(|| format!("{NO_INTEGER}, found {}", shown(text))),
        Type::List(item) => {
            let items: Vec<&str> = text.split(',').filter(|item| !item.is_empty()).collect();
            if items.len() > MAX_LIST_ITEMS {
                return Err(format!(
                    "{} items; MAX_LIST_ITEMS is {MAX_LIST_ITEMS}",
                    items.len()
                ));
            }
            let items = items.into_iter().map(|text| setting_from_text(item, text));
            Ok(Setting::List(items.collect::<Result<_, _>>()?))
        }
        single => word(single, text),
    }
}
