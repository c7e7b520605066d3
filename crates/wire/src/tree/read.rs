//! The reader: one pass over the text, strict in what I-JSON (RFC 7493) and README D-1 of the envelope vectors list.
//! Written by hand because every fault must name its place, and because a general reader keeps the last of two equal
//! members and rounds large integers without a word.

use super::{Fault, FaultCode, Members, Number, Tree};
use crate::json::Numbers;
use std::borrow::Cow;
use std::collections::HashSet;

/// Reads one JSON document as the envelope validator does, numbers as the nearest doubles. Time and memory are linear
/// in the text; the recursion is at most `max_depth` deep.
///
/// # Errors
/// The first [`Fault`] in document order.
pub fn read(bytes: &[u8], max_depth: usize) -> Result<Tree<'_>, Fault> {
    let rules = Rules {
        numbers: Numbers::Double,
        max_depth,
    };
    read_placing(bytes, rules, None).map_err(Fault::of_envelope)
}

/// What a reader takes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules {
    pub(crate) numbers: Numbers,
    /// From the root of the document.
    pub(crate) max_depth: usize,
}

/// A part of a document that is read by rules of its own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part {
    /// The names of the members from the root to it.
    pub(crate) path: &'static [&'static str],
    pub(crate) rules: Rules,
}

/// As [`read`], by any rules; every fault has the pointer of the value it was found in.
pub(crate) fn read_placing(bytes: &[u8], rules: Rules, part: Option<Part>) -> Result<Tree<'_>, Fault> {
    let (text, whole) = match std::str::from_utf8(bytes) {
        Ok(text) => (text, true),
        Err(error) => {
            let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
            (std::str::from_utf8(valid).unwrap_or_default(), false)
        }
    };
    let read = Reader {
        text,
        position: 0,
        rules,
        part,
        entered: 0,
        members: Vec::new(),
        items: Vec::new(),
    }
    .document();
    if whole {
        return read;
    }
    let pointer = match read {
        Err(fault) if fault.offset < text.len() => return Err(fault),
        Err(fault) => fault.pointer,
        Ok(_) => String::new(),
    };
    let message = format!("not UTF-8 at byte {}", text.len());
    Err(Fault {
        pointer,
        ..Fault::here(FaultCode::InvalidUtf8, text.len(), message)
    })
}

struct Reader<'a> {
    text: &'a str,
    position: usize,
    rules: Rules,
    part: Option<Part>,
    /// How many names of the part's path lead to the value that is read.
    entered: usize,
    /// The members of all open objects; each object takes its own from the end, so that it is allocated once and
    /// to size.
    members: Vec<(Cow<'a, str>, Tree<'a>)>,
    /// The elements of all open arrays.
    items: Vec<Tree<'a>>,
}

impl<'a> Reader<'a> {
    fn document(mut self) -> Result<Tree<'a>, Fault> {
        let tree = self.value(0)?;
        self.skip_space();
        if self.position < self.text.len() {
            return Err(self.syntax("something follows the end of the document"));
        }
        Ok(tree)
    }

    fn value(&mut self, depth: usize) -> Result<Tree<'a>, Fault> {
        self.skip_space();
        match self.peek() {
            Some(b'"') => self.string().map(Tree::String),
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'-' | b'0'..=b'9') => self.number().map(Tree::Number),
            Some(b't') => self.word("true", Tree::Bool(true)),
            Some(b'f') => self.word("false", Tree::Bool(false)),
            Some(b'n') => self.word("null", Tree::Null),
            _ => Err(self.syntax("a value expected")),
        }
    }

    fn array(&mut self, depth: usize) -> Result<Tree<'a>, Fault> {
        self.enter(depth)?;
        let start = self.items.len();
        if self.take(b']') {
            return Ok(Tree::Array(Vec::new()));
        }
        loop {
            let index = self.items.len() - start;
            let item = self
                .value(depth + 1)
                .map_err(|fault| fault.inside(&index.to_string()))?;
            self.items.push(item);
            self.skip_space();
            if self.take(b']') {
                return Ok(Tree::Array(self.items.drain(start..).collect()));
            }
            if !self.take(b',') {
                return Err(self.syntax("`,` or `]` expected after an element"));
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Tree<'a>, Fault> {
        self.enter(depth)?;
        let start = self.members.len();
        if self.take(b'}') {
            return Ok(Tree::Object(Members::default()));
        }
        let mut names = HashSet::new();
        loop {
            let name = self.name(start, &mut names)?;
            let value = self.member(&name, depth).map_err(|fault| fault.inside(&name))?;
            self.members.push((name, value));
            self.skip_space();
            if self.take(b'}') {
                return Ok(Tree::Object(Members(self.members.drain(start..).collect())));
            }
            if !self.take(b',') {
                return Err(self.syntax("`,` or `}` expected after a member"));
            }
            self.skip_space();
        }
    }

    /// The value of a member of an object at `depth`; the part is read by its own rules.
    fn member(&mut self, name: &str, depth: usize) -> Result<Tree<'a>, Fault> {
        let Some(part) = self
            .part
            .filter(|part| self.entered == depth && part.path.get(depth) == Some(&name))
        else {
            return self.value(depth + 1);
        };
        let outer = self.rules;
        self.entered += 1;
        if self.entered == part.path.len() {
            self.rules = part.rules;
        }
        let value = self.value(depth + 1)?;
        self.entered -= 1;
        self.rules = outer;
        Ok(value)
    }

    /// A member's name with its colon. `names` is used once the object has more members than are worth comparing.
    fn name(&mut self, start: usize, names: &mut HashSet<Cow<'a, str>>) -> Result<Cow<'a, str>, Fault> {
        const COMPARED: usize = 16;
        let offset = self.position;
        if self.peek() != Some(b'"') {
            return Err(self.syntax("a member name expected"));
        }
        let name = self.string()?;
        let before = &self.members[start..];
        let repeated = if before.len() < COMPARED {
            before.iter().any(|(n, _)| *n == name)
        } else {
            if before.len() == COMPARED {
                names.extend(before.iter().map(|(n, _)| n.clone()));
            }
            !names.insert(name.clone())
        };
        if repeated {
            let message = "a member of this name came before in the same object";
            return Err(Fault::here(FaultCode::DuplicateKey, offset, message).inside(&name));
        }
        self.skip_space();
        if !self.take(b':') {
            return Err(self.syntax("`:` expected after a member name").inside(&name));
        }
        Ok(name)
    }

    /// Steps over the opening bracket and the space after it.
    fn enter(&mut self, depth: usize) -> Result<(), Fault> {
        if depth >= self.rules.max_depth {
            let message = format!(
                "arrays and objects are nested more than {} deep (MAX_DEPTH)",
                self.rules.max_depth
            );
            return Err(Fault::here(FaultCode::TooDeep, self.position, message));
        }
        self.position += 1;
        self.skip_space();
        Ok(())
    }

    fn word(&mut self, word: &str, value: Tree<'a>) -> Result<Tree<'a>, Fault> {
        if !self.rest().starts_with(word.as_bytes()) {
            return Err(self.syntax("a value expected"));
        }
        self.position += word.len();
        Ok(value)
    }

    fn string(&mut self) -> Result<Cow<'a, str>, Fault> {
        self.position += 1;
        let start = self.position;
        self.plain()?;
        if self.peek() == Some(b'"') {
            let text = &self.text[start..self.position];
            self.position += 1;
            return Ok(Cow::Borrowed(text));
        }
        let mut unescaped = self.text[start..self.position].to_owned();
        while !self.take(b'"') {
            unescaped.push(self.escape()?);
            let start = self.position;
            self.plain()?;
            unescaped.push_str(&self.text[start..self.position]);
        }
        Ok(Cow::Owned(unescaped))
    }

    /// Steps to the next quote or backslash.
    fn plain(&mut self) -> Result<(), Fault> {
        self.position += plain_length(self.rest());
        match self.peek() {
            Some(b'"' | b'\\') => Ok(()),
            Some(_) => Err(self.syntax("a control character in a string must be escaped")),
            None => Err(self.syntax("the string has no end")),
        }
    }

    fn escape(&mut self) -> Result<char, Fault> {
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
    fn unicode_escape(&mut self) -> Result<char, Fault> {
        let offset = self.position;
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
        Err(Fault::here(FaultCode::LoneSurrogate, offset, message))
    }

    /// `u` and four hex digits.
    fn code_unit(&mut self) -> Result<u32, Fault> {
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

    fn number(&mut self) -> Result<Number, Fault> {
        let start = self.position;
        self.take(b'-');
        let leading_zero = self.peek() == Some(b'0');
        let whole = self.digits();
        if whole == 0 || (whole > 1 && leading_zero) {
            return Err(self.syntax("a number starts with one zero, or with a digit from 1 to 9"));
        }
        let mut plain = true;
        if self.take(b'.') {
            plain = false;
            if self.digits() == 0 {
                return Err(self.syntax("a digit expected after the decimal point"));
            }
        }
        if self.take(b'e') || self.take(b'E') {
            plain = false;
            if !self.take(b'-') {
                self.take(b'+');
            }
            if self.digits() == 0 {
                return Err(self.syntax("a digit expected in the exponent"));
            }
        }
        let literal = &self.text[start..self.position];
        let number = Number::parse(literal, plain).ok_or_else(|| {
            let message = "the number is beyond the largest IEEE double";
            Fault::here(FaultCode::NumberRange, start, message)
        })?;
        let (taken, message) = match self.rules.numbers {
            Numbers::Double => (true, ""),
            Numbers::Exact => (
                number.is_exactly(literal, plain),
                "the number is not exactly an IEEE double (RFC 7493); integers beyond 2^53 - 1 are written as strings",
            ),
            Numbers::Unrounded => (
                !number.is_rounded(),
                "no IEEE double is this integer (RFC 7493), and canonical bytes would hold another; write it as a string",
            ),
            Numbers::AsWritten => (
                number.is_written_as(literal, plain),
                "canonical bytes (RFC 8785) would hold another number than this; write it as a string",
            ),
        };
        if !taken {
            return Err(Fault::here(FaultCode::InexactNumber, start, message));
        }
        Ok(number)
    }

    /// Steps over digits; how many.
    fn digits(&mut self) -> usize {
        let length = self.rest().iter().take_while(|b| b.is_ascii_digit()).count();
        self.position += length;
        length
    }

    fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.position..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.position).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.position += usize::from(found);
        found
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.position += 1;
        }
    }

    /// A fault where the reader stands; the end of a text that was cut at invalid UTF-8 counts as that.
    fn syntax(&self, message: &str) -> Fault {
        let message = format!("{message}, at byte {}", self.position);
        Fault::here(FaultCode::Syntax, self.position, message)
    }
}

/// How many bytes come before the first quote, backslash or control character; eight are looked at together.
fn plain_length(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let below = |word: u64, n: u64| word.wrapping_sub(ONES * n);
    let mut length = 0;
    while let Some(chunk) = bytes.get(length..).and_then(<[u8]>::first_chunk::<8>) {
        let word = u64::from_le_bytes(*chunk);
        let quote = below(word ^ (ONES * u64::from(b'"')), 1);
        let backslash = below(word ^ (ONES * u64::from(b'\\')), 1);
        // The lowest set bit is right: a borrow only disturbs the bytes above the one it came from.
        let found = (below(word, 0x20) | quote | backslash) & !word & HIGH;
        if found != 0 {
            return length + (found.trailing_zeros() / 8) as usize;
        }
        length += 8;
    }
    let rest = bytes.get(length..).unwrap_or_default();
    length
        + rest
            .iter()
            .take_while(|b| !matches!(b, b'"' | b'\\' | 0..=0x1f))
            .count()
}
