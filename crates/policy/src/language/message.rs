//! Message templates: text with expressions in braces.

use super::check::{self, Scope};
use super::expression::Expression;
use super::parse::Source;
use crate::error::Fault;
use crate::limits::MAX_MESSAGE_BYTES;

/// A template.
#[derive(Debug, Clone)]
pub(crate) struct Message(pub(crate) Vec<Piece>);

/// A part of a template.
#[derive(Debug, Clone)]
pub(crate) enum Piece {
    Words(String),
    Value(Expression),
}

/// Reads a template: `{expression}` is a value, `{{` and `}}` are braces. Also how many tokens its expressions have.
pub(crate) fn parse(source: Source<'_>, scope: Scope<'_>) -> Result<(Message, usize), Fault> {
    let text = source.text;
    if text.len() > MAX_MESSAGE_BYTES {
        let message = format!(
            "{} bytes of message; MAX_MESSAGE_BYTES is {MAX_MESSAGE_BYTES}",
            text.len()
        );
        return Err(Fault::new("too-large", source.place(0), message));
    }
    let (mut pieces, mut words, mut tokens, mut at) = (Vec::new(), String::new(), 0, 0);
    while let Some(next) = text[at..].chars().next() {
        let rest = &text[at..];
        if rest.starts_with("{{") || rest.starts_with("}}") {
            words.push(next);
            at += 2;
        } else if next == '}' {
            return Err(Fault::new(
                "bad-message",
                source.place(at),
                "a `}` alone; write `}}`",
            ));
        } else if next == '{' {
            let Some(length) = rest.find('}') else {
                return Err(Fault::new("bad-message", source.place(at), "`{` is not closed"));
            };
            let inner = Source {
                text: &rest[1..length],
                offset: source.place(at + 1),
                verbatim: source.verbatim,
            };
            let checked = check::check(inner, scope)?;
            let expression = checked.expression;
            if !expression.of.is_printable() {
                let message = format!("{} has no words", expression.of);
                return Err(Fault::new("bad-type", inner.offset, message));
            }
            tokens += checked.tokens;
            pieces.push(Piece::Words(std::mem::take(&mut words)));
            pieces.push(Piece::Value(expression));
            at += length + 1;
        } else {
            words.push(next);
            at += next.len_utf8();
        }
    }
    pieces.push(Piece::Words(words));
    Ok((Message(pieces), tokens))
}
