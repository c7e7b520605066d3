//! Facts in words a person understands. Text from chain or web is data: printed with control characters escaped.

use alloy_primitives::U256;
use presight_decode::{Amount, Decoded};
use presight_wire::AccountId;
use presight_wire::report::{EntityRef, Finding, Outcome, Report};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What a person calls a token, where it was read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TokenWords {
    /// `symbol()`.
    pub symbol: Option<String>,
    /// `decimals()`.
    pub decimals: Option<u8>,
}

/// Characters of a token's own name for itself that are shown.
const MAX_SYMBOL_SHOWN: usize = 32;
/// Decimals beyond which no amount of 256 bits has a whole unit: the raw value is told alone.
const MAX_DECIMALS_SHOWN: u8 = 77;

impl TokenWords {
    /// The symbol in quotes, cut short, so that no token passes it off as words of ours.
    pub fn shown_symbol(&self) -> Option<String> {
        let symbol = self.symbol.as_deref()?;
        let mut shown = symbol.chars();
        let start: String = shown.by_ref().take(MAX_SYMBOL_SHOWN).collect();
        let cut = if shown.next().is_some() { "…" } else { "" };
        Some(format!("\"{}{cut}\"", printable(&start).replace('"', "\\u{22}")))
    }

    /// The decimals, where they put an amount into whole units.
    pub fn shown_decimals(&self) -> Option<u8> {
        self.decimals.filter(|decimals| *decimals <= MAX_DECIMALS_SHOWN)
    }
}

/// The tokens of a report by account.
pub type Tokens = BTreeMap<AccountId, TokenWords>;

/// Letters and symbols that show nothing: Hangul fillers, the empty Braille pattern.
const BLANKS: [char; 5] = ['\u{115f}', '\u{1160}', '\u{2800}', '\u{3164}', '\u{ffa0}'];

/// Text that may be hostile, fit for a terminal: control, format and other invisible characters as `\u{..}`.
pub fn printable(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        let seen = c.escape_debug().len() == 1 && !BLANKS.contains(&c);
        if seen || matches!(c, ' ' | '"' | '\'' | '\\') {
            out.push(c);
        } else {
            write!(out, "\\u{{{:x}}}", u32::from(c)).expect("writing to a String does not fail");
        }
    }
    out
}

/// An amount in base units as a decimal amount: `1500000` with 6 decimals is `1.5`. Exact.
pub fn decimal_amount(units: U256, decimals: u8) -> String {
    let digits = units.to_string();
    let places = usize::from(decimals);
    let padded = format!("{digits:0>width$}", width = places + 1);
    let (whole, fraction) = padded.split_at(padded.len() - places);
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() {
        whole.to_owned()
    } else {
        format!("{whole}.{fraction}")
    }
}

/// What the request does by its bytes: the calls, the approvals they grant and the transfers they make.
pub fn request(decoded: &Decoded, tokens: &Tokens) -> String {
    let mut out = String::new();
    let mut say = |line: String| writeln!(out, "  {line}").expect("writing to a String does not fail");
    for (index, call) in decoded.calls.iter().enumerate() {
        let function = call
            .signature
            .map_or_else(|| "calldata that was not understood".to_owned(), str::to_owned);
        let function = if call.selector.is_none() && !call.opaque {
            "no calldata".to_owned()
        } else {
            function
        };
        say(format!(
            "call {index} to {}: {function}, {} wei",
            call.to.to_checksum(None),
            call.value
        ));
    }
    for (approval, grant) in decoded.entities.approvals.iter().zip(&decoded.grants) {
        let amount = match grant.amount {
            Amount::All => "everything, now and later".to_owned(),
            Amount::Units { value, max } if value == max => "without limit".to_owned(),
            Amount::Units { value, .. } => units(value, &approval.token, tokens),
        };
        let spender = approval.spender.address.to_checksum(None);
        say(format!(
            "lets {spender} spend {}: {amount}",
            token_name(&approval.token, tokens)
        ));
    }
    for transfer in &decoded.transfers {
        let chain = decoded
            .entities
            .tokens
            .iter()
            .find(|t| Some(t.address) == transfer.token);
        let what = match (transfer.token, chain) {
            (None, _) => format!("{} wei", transfer.amount),
            (Some(_), Some(token)) => units(transfer.amount, token, tokens),
            (Some(token), None) => format!("{} units of {}", transfer.amount, token.to_checksum(None)),
        };
        let (from, to) = (transfer.from.to_checksum(None), transfer.to.to_checksum(None));
        say(format!("moves {what} from {from} to {to}"));
    }
    for flag in &decoded.flags {
        say(format!(
            "{}: {} ({})",
            flag.code,
            printable(&flag.message),
            printable(&flag.pointer)
        ));
    }
    out
}

/// An amount in words with the raw value beside it; the raw value alone where decimals were not read.
pub fn units(value: U256, token: &AccountId, tokens: &Tokens) -> String {
    match tokens.get(token).and_then(TokenWords::shown_decimals) {
        Some(decimals) => {
            format!(
                "{} {} ({value} base units)",
                decimal_amount(value, decimals),
                token_name(token, tokens)
            )
        }
        None => format!("{value} base units of {}", token_name(token, tokens)),
    }
}

/// The report's facts under the entity they are about: a line for each that was read or has something to say, and
/// one for those that were not read for the same reason.
pub fn findings(report: &Report, tokens: &Tokens) -> String {
    let mut out = String::new();
    for group in report.findings.chunk_by(|a, b| a.entity == b.entity) {
        let mut lines = vec![entity(&group[0].entity, report, tokens)];
        let mut silent: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for finding in group {
            match &finding.outcome {
                Outcome::NotRead(reason) if finding.note.is_none() => {
                    silent
                        .entry(reason.as_str())
                        .or_default()
                        .push(short_kind(finding));
                }
                _ => lines.push(format!("  {}", line(finding, report, tokens))),
            }
        }
        lines.extend(
            silent
                .iter()
                .map(|(reason, kinds)| format!("  not read ({reason}): {}", kinds.join(", "))),
        );
        out.push_str(&lines.join("\n"));
        out.push('\n');
    }
    out
}

/// The kind without the prefix of the specification.
fn short_kind(finding: &Finding) -> &str {
    finding
        .kind
        .strip_prefix("erc.presign.")
        .map_or(finding.kind.as_str(), |name| name)
}

/// What an entity is, in words.
pub fn entity(entity: &EntityRef, report: &Report, tokens: &Tokens) -> String {
    match entity {
        EntityRef::Token(token) => format!("Token {}", token_name(token, tokens)),
        EntityRef::Approval(index) => match report.entities.approvals.get(*index) {
            Some(a) => format!(
                "Approval {index} ({}) of {} to {}",
                a.form.as_str(),
                token_name(&a.token, tokens),
                a.spender.address.to_checksum(None)
            ),
            None => format!("Approval {index}"),
        },
        EntityRef::Address(a) => format!(
            "Address {} as {}",
            a.address.address.to_checksum(None),
            a.role.as_str()
        ),
        EntityRef::Payment => "Payment".to_owned(),
        EntityRef::Text(index) => match report.entities.texts.iter().find(|t| t.index == *index) {
            Some(text) => match &text.reference {
                Some(reference) => format!(
                    "Text {index}: {} of {}",
                    printable(&text.field),
                    printable(reference)
                ),
                None => format!("Text {index}: {}", printable(&text.field)),
            },
            None => format!("Text {index}"),
        },
    }
}

/// A token's address, with its symbol where it was read.
pub fn token_name(token: &AccountId, tokens: &Tokens) -> String {
    let address = token.address.to_checksum(None);
    match tokens.get(token).and_then(TokenWords::shown_symbol) {
        Some(symbol) => format!("{address} ({symbol})"),
        None => address,
    }
}

/// The short name of a kind, with what tells apart several facts of a simulation about one entity.
fn named(finding: &Finding) -> String {
    let param = finding.param.as_ref().and_then(Value::as_object);
    let param = param.filter(|_| finding.kind.starts_with("presight.effects."));
    let members = param.into_iter().flatten().map(|(name, value)| match value {
        Value::String(text) => format!(" {name} {}", printable(text)),
        other => format!(" {name} {other}"),
    });
    members.fold(short_kind(finding).to_owned(), |name, member| name + &member)
}

/// One finding: its short name, its value in words, its block.
pub fn line(finding: &Finding, report: &Report, tokens: &Tokens) -> String {
    let name = named(finding);
    let value = match &finding.outcome {
        Outcome::Read(value) => value_in_words(finding, value, report, tokens),
        Outcome::NotRead(reason) => format!("not read ({})", reason.as_str()),
    };
    let at = finding
        .at
        .as_ref()
        .map_or(String::new(), |at| format!("  [{} block {}]", at.chain, at.block));
    let note = finding
        .note
        .as_deref()
        .map_or(String::new(), |note| format!("  ({})", printable(note)));
    format!("{name:<28} {value}{at}{note}")
}

fn value_in_words(finding: &Finding, value: &Value, report: &Report, tokens: &Tokens) -> String {
    let raw = match value {
        Value::String(text) => printable(text),
        Value::Array(items) if items.is_empty() => "none".to_owned(),
        other => printable(&other.to_string()),
    };
    match finding.kind.as_str() {
        "erc.presign.approval.amount" | "erc.presign.approval.current-allowance" => {
            amount_in_words(finding, value, report, tokens)
                .map_or(raw.clone(), |words| format!("{words} ({raw})"))
        }
        "erc.presign.approval.share-of-supply" => match value.as_u64() {
            Some(points) => format!(
                "{}% of the supply ({raw} basis points)",
                decimal_amount(U256::from(points), 2)
            ),
            None => raw,
        },
        _ => raw,
    }
}

fn amount_in_words(finding: &Finding, value: &Value, report: &Report, tokens: &Tokens) -> Option<String> {
    let EntityRef::Approval(index) = finding.entity else {
        return None;
    };
    let token = tokens.get(&report.entities.approvals.get(index)?.token)?;
    let units = U256::from_str_radix(value.as_str()?, 10).ok()?;
    if units == U256::MAX {
        return Some("without limit".to_owned());
    }
    let symbol = token
        .shown_symbol()
        .map_or(String::new(), |symbol| format!(" {symbol}"));
    Some(format!(
        "{}{symbol}",
        decimal_amount(units, token.shown_decimals()?)
    ))
}

#[cfg(test)]
mod tests {
    use super::{TokenWords, decimal_amount, printable};
    use alloy_primitives::U256;

    #[test]
    fn symbols_are_quoted_and_cut() {
        let shown = |symbol: &str| {
            TokenWords {
                symbol: Some(symbol.to_owned()),
                decimals: None,
            }
            .shown_symbol()
            .expect("a symbol")
        };
        assert_eq!(shown("EXD"), "\"EXD\"");
        assert_eq!(shown(""), "\"\"");
        assert_eq!(shown("without limit, before"), "\"without limit, before\"");
        assert_eq!(shown("a\" b"), "\"a\\u{22} b\"");
        assert_eq!(shown(&"x".repeat(32)), format!("\"{}\"", "x".repeat(32)));
        assert_eq!(shown(&"x".repeat(5_000)), format!("\"{}…\"", "x".repeat(32)));
    }

    #[test]
    fn decimals_that_no_amount_has_are_not_shown() {
        let shown = |decimals| {
            TokenWords {
                symbol: None,
                decimals: Some(decimals),
            }
            .shown_decimals()
        };
        assert_eq!(
            (shown(0), shown(77), shown(78), shown(255)),
            (Some(0), Some(77), None, None)
        );
    }

    #[test]
    fn decimal_amounts_are_exact() {
        let words = |units: u64, decimals| decimal_amount(U256::from(units), decimals);
        assert_eq!(words(0, 18), "0");
        assert_eq!(words(1_500_000, 6), "1.5");
        assert_eq!(words(1, 6), "0.000001");
        assert_eq!(words(100, 0), "100");
        assert_eq!(words(120, 1), "12");
        assert_eq!(
            decimal_amount(U256::MAX, 77),
            "1.15792089237316195423570985008687907853269984665640564039457584007913129639935"
        );
        assert_eq!(decimal_amount(U256::from(5), 255).len(), 257);
    }

    #[test]
    fn hostile_text_is_escaped() {
        assert_eq!(printable("USD Coin"), "USD Coin");
        assert_eq!(
            printable("a\u{1b}[31m\u{202e}b\n"),
            "a\\u{1b}[31m\\u{202e}b\\u{a}"
        );
        assert_eq!(printable("ü 東 \u{200b}"), "ü 東 \\u{200b}");
    }
}
