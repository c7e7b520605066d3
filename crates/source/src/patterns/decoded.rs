//! The forms in which a text is read: as it stands, with its escapes decoded, with its runs of base64 decoded, and with what a
//! right-to-left override turns round turned back. Each is made in one pass, and nothing is decoded twice.

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::percent_decode_str;
use std::borrow::Cow;

/// The shortest run of base64 that is decoded, in characters.
const MIN_BASE64: usize = 16;
/// The longest HTML character reference, in characters after `&`.
const MAX_REFERENCE: usize = 10;
const OVERRIDE: char = '\u{202e}';

const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The forms of a text, each at most as long as the text.
pub(super) fn forms(text: &str) -> Vec<Cow<'_, str>> {
    let mut forms = vec![Cow::Borrowed(text)];
    let escaped = text.contains(['%', '&']).then(|| unescaped(text));
    forms.extend(escaped.map(Cow::Owned));
    forms.extend(from_base64(text).map(Cow::Owned));
    forms.extend(text.contains(OVERRIDE).then(|| Cow::Owned(turned_back(text))));
    forms
}

/// HTML character references first, then percent-encoding; what is no UTF-8 then is left out.
fn unescaped(text: &str) -> String {
    let mut unreferenced = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        unreferenced.push_str(before);
        let end = after.bytes().take(MAX_REFERENCE + 1).position(|b| b == b';');
        let referenced = end.and_then(|end| Some((reference(after.get(..end)?)?, after.get(end + 1..)?)));
        match referenced {
            Some((c, after)) => {
                unreferenced.push(c);
                rest = after;
            }
            None => {
                unreferenced.push('&');
                rest = after;
            }
        }
    }
    unreferenced.push_str(rest);
    percent_decode_str(&unreferenced).decode_utf8_lossy().into_owned()
}

fn reference(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "nbsp" => Some('\u{a0}'),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)
        }
    }
}

/// The decoded runs that are UTF-8, one a line; `None` when there is none.
fn from_base64(text: &str) -> Option<String> {
    let is_base64 = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '-' | '_' | '=');
    let runs = text
        .split(|c| !is_base64(c))
        .filter(|run| run.len() >= MIN_BASE64);
    let decoded: Vec<String> = runs
        .filter_map(|run| {
            let standard = run.replace('-', "+").replace('_', "/");
            String::from_utf8(BASE64.decode(standard).ok()?).ok()
        })
        .collect();
    (!decoded.is_empty()).then(|| decoded.join("\n"))
}

/// Runs after a right-to-left override, up to the next formatting character of direction or the end of the line, turned round.
fn turned_back(text: &str) -> String {
    let ends = |c: char| matches!(c, '\n' | '\r' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let mut turned = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(OVERRIDE) {
        turned.push_str(before);
        let (run, after) = after.split_at(after.find(ends).unwrap_or(after.len()));
        turned.extend(run.chars().rev());
        rest = after;
    }
    turned.push_str(rest);
    turned
}
