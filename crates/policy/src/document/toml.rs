//! TOML to a tree with places.

use super::{Data, Node};
use crate::error::Fault;
use crate::limits::MAX_POLICY_DEPTH;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

pub(super) fn parse(text: &str) -> Result<Node, Fault> {
    let table = DeTable::parse(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        Fault::new("toml-syntax", offset, error.message().replace('\n', " "))
    })?;
    let span = table.span();
    Ok(Node {
        offset: span.start,
        end: span.end,
        data: members(table.get_ref(), 0)?,
    })
}

fn node(value: &Spanned<DeValue<'_>>, depth: usize) -> Result<Node, Fault> {
    let span = value.span();
    let data = match value.get_ref() {
        DeValue::String(text) => Data::Text(text.to_string()),
        DeValue::Boolean(value) => Data::Bool(*value),
        DeValue::Integer(integer) if integer.radix() == 10 => Data::Integer(integer.as_str().to_owned()),
        DeValue::Integer(integer) if integer.radix() == 16 => {
            Data::Integer(format!("0x{}", integer.as_str()))
        }
        DeValue::Array(items) => {
            deeper(depth, span.start)?;
            let items = items.iter().map(|item| node(item, depth + 1));
            Data::List(items.collect::<Result<_, _>>()?)
        }
        DeValue::Table(table) => {
            deeper(depth, span.start)?;
            members(table, depth + 1)?
        }
        DeValue::Integer(_) | DeValue::Float(_) | DeValue::Datetime(_) => {
            let message = format!("a policy holds no {} here", value.get_ref().type_str());
            return Err(Fault::new("bad-type", span.start, message));
        }
    };
    Ok(Node {
        offset: span.start,
        end: span.end,
        data,
    })
}

fn members(table: &DeTable<'_>, depth: usize) -> Result<Data, Fault> {
    let members = table
        .iter()
        .map(|(name, value)| Ok((name.get_ref().to_string(), node(value, depth)?)));
    Ok(Data::Table(members.collect::<Result<_, Fault>>()?))
}

fn deeper(depth: usize, offset: usize) -> Result<(), Fault> {
    if depth >= MAX_POLICY_DEPTH {
        let message = format!("nested too deep; MAX_POLICY_DEPTH is {MAX_POLICY_DEPTH}");
        return Err(Fault::new("too-deep", offset, message));
    }
    Ok(())
}
