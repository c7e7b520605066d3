//! Text to syntax tree with the `cel` crate's parser, behind bounds that keep it from taking long or deep.

use crate::error::Fault;
use crate::limits::{MAX_EXPRESSION_BYTES, MAX_EXPRESSION_NESTING, MAX_EXPRESSION_TOKENS};
use cel::Env;
use cel::common::ast::{IdedExpr, SourceInfo};

/// Where an expression stands in the policy file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) text: &'a str,
    /// The place of its first byte.
    pub(crate) offset: usize,
    /// Whether each byte of `text` stands at its own place after `offset`: not so in a string with escapes.
    pub(crate) verbatim: bool,
}

impl Source<'_> {
    /// The place in the file of a byte of the expression.
    pub(crate) fn place(&self, offset: usize) -> usize {
        if self.verbatim {
            self.offset + offset
        } else {
            self.offset
        }
    }
}

/// A parsed expression.
pub(crate) struct Parsed {
    pub(crate) root: IdedExpr,
    pub(crate) places: SourceInfo,
    pub(crate) tokens: usize,
}

/// How far the parser may recurse; it counts several levels for one of an expression.
const PARSER_RECURSION: u16 = 96;

pub(crate) fn parse(source: Source<'_>) -> Result<Parsed, Fault> {
    let tokens = within_bounds(source)?;
    // Without macros: `exists` and the like stay the calls they are written as.
    let parser = Env::default()
        .with_optional_support(false)
        .parser()
        .max_recursion_depth(PARSER_RECURSION)
        .error_recovery_limit(1);
    match parser.parse_with_source_info(source.text) {
        Ok((root, places)) => Ok(Parsed { root, places, tokens }),
        Err(errors) => {
            let first = errors.errors.first();
            let place = first.map_or(0, |error| byte_of(source.text, error.pos));
            let message = first.map_or("", |error| error.msg.as_str());
            if message.contains("Recursion limit") {
                return Err(Fault::new(
                    "too-deep",
                    source.place(0),
                    "the expression nests too deep",
                ));
            }
            let message = message.lines().next().map_or("", |line| line);
            let message: String = message.chars().take(200).collect();
            Err(Fault::new("bad-expression", source.place(place), message))
        }
    }
}

/// The byte at a line and column, both from 1.
fn byte_of(text: &str, (line, column): (isize, isize)) -> usize {
    let (Ok(line), Ok(column)) = (usize::try_from(line), usize::try_from(column)) else {
        return 0;
    };
    let before: usize = text
        .split_inclusive('\n')
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum();
    (before + column.saturating_sub(1)).min(text.len())
}

/// Counts tokens and open brackets without parsing.
fn within_bounds(source: Source<'_>) -> Result<usize, Fault> {
    let text = source.text;
    if text.len() > MAX_EXPRESSION_BYTES {
        let message = format!(
            "{} bytes of expression; MAX_EXPRESSION_BYTES is {MAX_EXPRESSION_BYTES}",
            text.len()
        );
        return Err(Fault::new("too-large", source.place(0), message));
    }
    if let Some(position) = text
        .bytes()
        .position(|b| !matches!(b, b'\n' | b'\r' | b'\t' | b' '..=b'~'))
    {
        let message = "an expression is written in printable ASCII";
        return Err(Fault::new("bad-expression", source.place(position), message));
    }
    let (mut tokens, mut open, mut at) = (0, 0_usize, 0);
    let bytes = text.as_bytes();
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        at += 1;
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => continue,
            b'"' | b'\'' => {
                while let Some(&inside) = bytes.get(at) {
                    at += if inside == b'\\' { 2 } else { 1 };
                    if inside == byte {
                        break;
                    }
                }
            }
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ if is_word(byte) => {
                at += bytes[at..].iter().take_while(|b| is_word(**b)).count();
            }
            _ => {}
        }
        tokens += 1;
        if open > MAX_EXPRESSION_NESTING {
            let message = format!("nested deeper than MAX_EXPRESSION_NESTING, {MAX_EXPRESSION_NESTING}");
            return Err(Fault::new("too-deep", source.place(start), message));
        }
        if tokens > MAX_EXPRESSION_TOKENS {
            let message = format!("more tokens than MAX_EXPRESSION_TOKENS, {MAX_EXPRESSION_TOKENS}");
            return Err(Fault::new("too-large", source.place(start), message));
        }
    }
    Ok(tokens)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
