//! Text to syntax tree with the `cel` crate's parser, behind bounds that keep it from taking long or deep.
//!
//! Its integers have 64 bits. Larger ones are kept aside, and the parser is given a name of the same length for each.

use crate::error::Fault;
use crate::limits::{MAX_EXPRESSION_BYTES, MAX_EXPRESSION_NESTING, MAX_EXPRESSION_TOKENS};
use alloy_primitives::U256;
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
    /// The integers beyond 64 bits, in order; names that begin with [`LARGE`] stand for them.
    pub(crate) large: Vec<U256>,
}

/// The start of the names that stand for integers beyond 64 bits; the rest is their position.
pub(crate) const LARGE: &str = "__";

/// How far the parser may recurse; it counts several levels for one of an expression.
const PARSER_RECURSION: u16 = 96;

pub(crate) fn parse(source: Source<'_>) -> Result<Parsed, Fault> {
    let scanned = scan(source)?;
    // Without macros: `exists` and the like stay the calls they are written as.
    let parser = Env::default()
        .with_optional_support(false)
        .parser()
        .max_recursion_depth(PARSER_RECURSION)
        .error_recovery_limit(1);
    match parser.parse_with_source_info(&scanned.text) {
        Ok((root, places)) => Ok(Parsed {
            root,
            places,
            tokens: scanned.tokens,
            large: scanned.large,
        }),
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

/// What a look at the tokens finds, without parsing.
struct Scanned {
    /// The text with names in the place of integers beyond 64 bits.
    text: String,
    tokens: usize,
    large: Vec<U256>,
}

/// Counts tokens and open brackets, and keeps large integers aside.
fn scan(source: Source<'_>) -> Result<Scanned, Fault> {
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
    let mut scanned = Scanned {
        text: text.to_owned(),
        tokens: 0,
        large: Vec::new(),
    };
    let (mut open, mut at) = (0_usize, 0);
    let bytes = text.as_bytes();
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        at += 1;
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => continue,
            b'/' if bytes.get(at) == Some(&b'/') => {
                at += bytes[at..].iter().take_while(|b| **b != b'\n').count();
                continue;
            }
            b'"' | b'\'' => at = end_of_string(source, start)?,
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ if is_word(byte) => {
                at += bytes[at..].iter().take_while(|b| is_word(**b)).count();
                if matches!(bytes.get(at), Some(b'"' | b'\'')) {
                    let message = "a string has no prefix in the policy language";
                    return Err(Fault::new("bad-expression", source.place(start), message));
                }
                if let Some(integer) = large_integer(source, start, &text[start..at])? {
                    let width = at - start - LARGE.len();
                    let name = format!("{LARGE}{:0width$}", scanned.large.len());
                    scanned.text.replace_range(start..at, &name);
                    scanned.large.push(integer);
                }
            }
            _ => {}
        }
        scanned.tokens += 1;
        if open > MAX_EXPRESSION_NESTING {
            let message = format!("nested deeper than MAX_EXPRESSION_NESTING, {MAX_EXPRESSION_NESTING}");
            return Err(Fault::new("too-deep", source.place(start), message));
        }
        if scanned.tokens > MAX_EXPRESSION_TOKENS {
            let message = format!("more tokens than MAX_EXPRESSION_TOKENS, {MAX_EXPRESSION_TOKENS}");
            return Err(Fault::new("too-large", source.place(start), message));
        }
    }
    Ok(scanned)
}

/// The byte after a string that begins at `start`.
fn end_of_string(source: Source<'_>, start: usize) -> Result<usize, Fault> {
    let bytes = source.text.as_bytes();
    let quote = bytes[start];
    if bytes[start..].starts_with(&[quote, quote, quote]) {
        let message = "a string stands in single quotes of either kind, not in three";
        return Err(Fault::new("bad-expression", source.place(start), message));
    }
    let mut at = start + 1;
    while let Some(&inside) = bytes.get(at) {
        at += if inside == b'\\' { 2 } else { 1 };
        if inside == quote {
            break;
        }
    }
    Ok(at)
}

/// The integer that a word is, when it is beyond what the parser reads.
fn large_integer(source: Source<'_>, start: usize, word: &str) -> Result<Option<U256>, Fault> {
    let (digits, radix) = match word.strip_prefix("0x") {
        Some(digits) => (digits, 16_u8),
        None => (word, 10),
    };
    let is_integer = !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix.into()));
    if !is_integer || i64::from_str_radix(digits, radix.into()).is_ok() {
        return Ok(None);
    }
    let integer = U256::from_str_radix(digits, radix.into()).map_err(|_| {
        let message = "an integer is at most 2^256 - 1";
        Fault::new("bad-integer", source.place(start), message)
    })?;
    Ok(Some(integer))
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
