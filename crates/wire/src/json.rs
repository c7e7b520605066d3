//! Strict I-JSON (RFC 7493) reading.
//!
//! Written by hand because every refusal must name its place by JSON pointer, and because a general reader
//! keeps the last of two equal members and rounds large integers without a word.

use crate::error::{Refusal, pointer_push};
use crate::limits::{MAX_DEPTH, MAX_DOCUMENT_BYTES, MAX_SAFE_INTEGER};
use serde_json::{Map, Number, Value};

/// How numbers outside ±(2^53 - 1) are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbers {
    /// Refused with `json-inexact-number` (I-2): requests, reports, typed data.
    Exact,
    /// Taken as the nearest IEEE double, as RFC 8785 does: `presight jcs`.
    Double,
}

/// Reads one JSON document within the limits of a request: [`MAX_DOCUMENT_BYTES`] and [`MAX_DEPTH`].
///
/// # Errors
/// As [`parse_bounded`].
pub fn parse(bytes: &[u8], numbers: Numbers) -> Result<Value, Refusal> {
    if bytes.len() > MAX_DOCUMENT_BYTES {
        let message = format!(
            "{} bytes of JSON; MAX_DOCUMENT_BYTES is {MAX_DOCUMENT_BYTES}",
            bytes.len()
        );
        return Err(Refusal::new("too-large", "", message));
    }
    parse_bounded(bytes, numbers, MAX_DOCUMENT_BYTES, MAX_DEPTH)
}

/// Reads one JSON document of at most `max_bytes` bytes, whose arrays and objects are nested at most `max_depth`
/// deep. Time and memory are linear in the document, and the reader does not recurse; the [`Value`] it returns is
/// dropped by recursion, so `max_depth` stays in the hundreds.
///
/// An integer written as a double (`1.0`, `1e3`, `-0`) becomes that integer: RFC 8785 writes both alike.
///
/// # Errors
/// `too-large`, `too-deep`, `json-syntax` (invalid UTF-8 and a byte order mark included), `json-number-range` (a
/// number no finite double is near), `json-inexact-number` (see [`Numbers`]; also a fraction that would round to an
/// integer), `json-lone-surrogate` and `json-duplicate-key` (compared after unescaping).
pub fn parse_bounded(
    bytes: &[u8],
    numbers: Numbers,
    max_bytes: usize,
    max_depth: usize,
) -> Result<Value, Refusal> {
    if bytes.len() > max_bytes {
        let message = format!("{} bytes of JSON; at most {max_bytes} are read here", bytes.len());
        return Err(Refusal::new("too-large", "", message));
    }
    Reader {
        bytes,
        position: 0,
        numbers,
        max_depth,
        open: Vec::new(),
    }
    .document()
}

/// An array or object whose end was not seen yet.
enum Open {
    Array(Vec<Value>),
    /// The members so far, and the name of the member whose value is being read.
    Object(Map<String, Value>, Option<String>),
}

struct Reader<'a> {
    bytes: &'a [u8],
    position: usize,
    numbers: Numbers,
    max_depth: usize,
    open: Vec<Open>,
}

impl<'a> Reader<'a> {
    fn document(mut self) -> Result<Value, Refusal> {
        loop {
            let mut value = self.begin_value()?;
            while let Some(done) = value.take() {
                if self.open.is_empty() {
                    return self.end_document(done);
                }
                value = self.end_element(done)?;
            }
        }
    }

    fn end_document(&mut self, value: Value) -> Result<Value, Refusal> {
        self.skip_space();
        match self.peek() {
            None => Ok(value),
            Some(_) => Err(self.syntax("something follows the end of the document")),
        }
    }

    /// Reads a scalar or an empty container whole; `None` when a container was opened and its first element is next.
    fn begin_value(&mut self) -> Result<Option<Value>, Refusal> {
        self.skip_space();
        match self.peek() {
            Some(b'{') => self.begin_object(),
            Some(b'[') => self.begin_array(),
            Some(b'"') => Ok(Some(Value::String(self.string()?))),
            Some(b'-' | b'0'..=b'9') => Ok(Some(Value::Number(self.number()?))),
            Some(b't') => self.word("true", Value::Bool(true)),
            Some(b'f') => self.word("false", Value::Bool(false)),
            Some(b'n') => self.word("null", Value::Null),
            _ => Err(self.syntax("a value expected")),
        }
    }

    fn begin_array(&mut self) -> Result<Option<Value>, Refusal> {
        self.enter()?;
        if self.take(b']') {
            return Ok(Some(Value::Array(Vec::new())));
        }
        self.open.push(Open::Array(Vec::new()));
        Ok(None)
    }

    fn begin_object(&mut self) -> Result<Option<Value>, Refusal> {
        self.enter()?;
        if self.take(b'}') {
            return Ok(Some(Value::Object(Map::new())));
        }
        self.open.push(Open::Object(Map::new(), None));
        self.member_name()?;
        Ok(None)
    }

    /// Steps over the opening bracket and the space after it.
    fn enter(&mut self) -> Result<(), Refusal> {
        if self.open.len() >= self.max_depth {
            let message = format!(
                "arrays and objects are nested deeper than {}, the MAX_DEPTH here",
                self.max_depth
            );
            return Err(Refusal::new("too-deep", self.pointer(), message));
        }
        self.position += 1;
        self.skip_space();
        Ok(())
    }

    /// Puts a finished value into its container. Returns the container when it ends here, `None` when another
    /// element is next.
    fn end_element(&mut self, value: Value) -> Result<Option<Value>, Refusal> {
        self.skip_space();
        let next = self.peek();
        match self.open.last_mut() {
            Some(Open::Array(items)) => {
                items.push(value);
                match next {
                    Some(b',') => self.position += 1,
                    Some(b']') => return Ok(self.leave()),
                    _ => return Err(self.syntax_in_container("`,` or `]` expected after an element")),
                }
            }
            Some(Open::Object(members, name)) => {
                if let Some(name) = name.take() {
                    members.insert(name, value);
                }
                match next {
                    Some(b',') => {
                        self.position += 1;
                        self.skip_space();
                        self.member_name()?;
                    }
                    Some(b'}') => return Ok(self.leave()),
                    _ => return Err(self.syntax("`,` or `}` expected after a member")),
                }
            }
            None => {}
        }
        Ok(None)
    }

    fn leave(&mut self) -> Option<Value> {
        self.position += 1;
        self.open.pop().map(|container| match container {
            Open::Array(items) => Value::Array(items),
            Open::Object(members, _) => Value::Object(members),
        })
    }

    fn member_name(&mut self) -> Result<(), Refusal> {
        if self.peek() != Some(b'"') {
            return Err(self.syntax("a member name expected"));
        }
        let name = self.string()?;
        if let Some(Open::Object(members, _)) = self.open.last()
            && members.contains_key(&name)
        {
            let message = "a member of this name came before in the same object";
            return Err(Refusal::new(
                "json-duplicate-key",
                pointer_push(&self.pointer(), &name),
                message,
            ));
        }
        self.skip_space();
        let colon = self.take(b':');
        if let Some(Open::Object(_, current)) = self.open.last_mut() {
            *current = Some(name);
        }
        if colon {
            Ok(())
        } else {
            Err(self.syntax("`:` expected after a member name"))
        }
    }

    fn word(&mut self, word: &str, value: Value) -> Result<Option<Value>, Refusal> {
        if !self.rest().starts_with(word.as_bytes()) {
            return Err(self.syntax("a value expected"));
        }
        self.position += word.len();
        Ok(Some(value))
    }

    fn string(&mut self) -> Result<String, Refusal> {
        self.position += 1;
        let mut text = String::new();
        loop {
            let run = self
                .rest()
                .iter()
                .position(|b| matches!(b, b'"' | b'\\' | 0..=0x1f));
            let Some(length) = run else {
                self.position = self.bytes.len();
                return Err(self.syntax("the string has no end"));
            };
            let plain = std::str::from_utf8(&self.rest()[..length]).map_err(|e| {
                self.position += e.valid_up_to();
                self.syntax("the string is not UTF-8")
            })?;
            text.push_str(plain);
            self.position += length;
            match self.peek() {
                Some(b'"') => {
                    self.position += 1;
                    return Ok(text);
                }
                Some(b'\\') => text.push(self.escape()?),
                _ => return Err(self.syntax("a control character in a string must be escaped")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, Refusal> {
        self.position += 1;
        let plain = match self.peek() {
            Some(c @ (b'"' | b'\\' | b'/')) => char::from(c),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(),
            _ => return Err(self.syntax("unknown escape")),
        };
        self.position += 1;
        Ok(plain)
    }

    /// `uXXXX` with the backslash already read, or a surrogate pair of two such escapes.
    fn unicode_escape(&mut self) -> Result<char, Refusal> {
        let first = self.code_unit()?;
        if let Some(c) = char::from_u32(first) {
            return Ok(c);
        }
        let high = (0xd800..0xdc00).contains(&first);
        if high && self.rest().starts_with(b"\\u") {
            self.position += 1;
            let second = self.code_unit()?;
            if (0xdc00..0xe000).contains(&second) {
                let c = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                return Ok(
                    char::from_u32(c).expect("a surrogate pair is a scalar value from U+10000 to U+10FFFF")
                );
            }
        }
        let message = format!("\\u{first:04x} is half of a surrogate pair");
        Err(Refusal::new("json-lone-surrogate", self.pointer(), message))
    }

    /// `u` and four hex digits.
    fn code_unit(&mut self) -> Result<u32, Refusal> {
        let digits = self
            .rest()
            .get(1..5)
            .filter(|d| d.iter().all(u8::is_ascii_hexdigit));
        let unit = digits.and_then(|d| u32::from_str_radix(std::str::from_utf8(d).ok()?, 16).ok());
        let Some(unit) = unit else {
            return Err(self.syntax("four hex digits expected after \\u"));
        };
        self.position += 5;
        Ok(unit)
    }

    fn number(&mut self) -> Result<Number, Refusal> {
        let start = self.position;
        self.take(b'-');
        let whole = self.digits();
        if whole.is_empty() || (whole.len() > 1 && whole[0] == b'0') {
            return Err(self.syntax("a number starts with one zero, or with a digit from 1 to 9"));
        }
        let mut fraction: &[u8] = &[];
        let mut exponent = 0;
        if self.take(b'.') {
            fraction = self.digits();
            if fraction.is_empty() {
                return Err(self.syntax("a digit expected after the decimal point"));
            }
        }
        if self.take(b'e') || self.take(b'E') {
            exponent = self.exponent()?;
        }
        let literal = std::str::from_utf8(&self.bytes[start..self.position]).expect("a number is ASCII");
        let value: f64 = literal
            .parse()
            .expect("the grammar of JSON numbers is part of Rust's");
        if value.is_infinite() {
            let message = "the number is beyond the largest IEEE double";
            return Err(Refusal::new("json-number-range", self.pointer(), message));
        }
        let integer = is_integer(whole, fraction, exponent);
        let safe = value.abs() <= SAFE_DOUBLE;
        if self.numbers == Numbers::Exact && (!safe || (!integer && value.fract() == 0.0)) {
            let message =
                "the number is not exactly an IEEE double; integers beyond 2^53 - 1 are written as strings";
            return Err(Refusal::new("json-inexact-number", self.pointer(), message));
        }
        if safe && value.fract() == 0.0 {
            return Ok(Number::from(integer_of(value)));
        }
        Ok(Number::from_f64(value).expect("the double is finite"))
    }

    /// The exponent with its sign, saturated: no literal is long enough to bring a larger one back into range.
    fn exponent(&mut self) -> Result<i64, Refusal> {
        let negative = self.take(b'-');
        if !negative {
            self.take(b'+');
        }
        let digits = self.digits();
        if digits.is_empty() {
            return Err(self.syntax("a digit expected in the exponent"));
        }
        let size = digits.iter().fold(0_i64, |n, d| {
            n.saturating_mul(10).saturating_add(i64::from(d - b'0'))
        });
        Ok(if negative { -size } else { size })
    }

    fn digits(&mut self) -> &'a [u8] {
        let rest = self.rest();
        let length = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        self.position += length;
        &rest[..length]
    }

    fn rest(&self) -> &'a [u8] {
        &self.bytes[self.position..]
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.position).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.position += 1;
        }
        found
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.position += 1;
        }
    }

    fn syntax(&self, message: &str) -> Refusal {
        let place = if self.position < self.bytes.len() {
            "at byte"
        } else {
            "at the end, byte"
        };
        Refusal::new(
            "json-syntax",
            self.pointer(),
            format!("{message}, {place} {}", self.position),
        )
    }

    fn syntax_in_container(&mut self, message: &str) -> Refusal {
        self.open.pop();
        self.syntax(message)
    }

    /// The pointer of the value being read; while a member name is read, of its object.
    fn pointer(&self) -> String {
        self.open
            .iter()
            .fold(String::new(), |pointer, container| match container {
                Open::Array(items) => format!("{pointer}/{}", items.len()),
                Open::Object(_, Some(name)) => pointer_push(&pointer, name),
                Open::Object(_, None) => pointer,
            })
    }
}

/// The largest integer that every double-based reader agrees on, as a double.
const SAFE_DOUBLE: f64 = 9_007_199_254_740_991.0;
const _: () = assert!(MAX_SAFE_INTEGER == 9_007_199_254_740_991);

/// Whether the literal `whole.fraction` times ten to the `exponent` is an integer.
fn is_integer(whole: &[u8], fraction: &[u8], exponent: i64) -> bool {
    let digits = || whole.iter().chain(fraction);
    if digits().all(|d| *d == b'0') {
        return true;
    }
    let trailing_zeros = digits().rev().take_while(|d| **d == b'0').count();
    let places = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    exponent.saturating_add(places(trailing_zeros)) >= places(fraction.len())
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the caller has seen an integral double within 2^53 - 1"
)]
fn integer_of(value: f64) -> i64 {
    value as i64
}

#[cfg(test)]
mod tests;
