//! Texts that are one of a few words. A rule that compares such a text with another word can never fire, so a
//! misspelt one is found when the policy is loaded.

use super::expression::Operation;
use super::field::Field;
use super::function::Function;
use super::kind::{KINDS, kind};
use super::types::{Record, Type};
use super::{expression::Expression, expression::Quantifier, subject::Variable};
use crate::error::shown;
use presight_decode::{FLAGS, TYPED_FORMS};
use presight_wire::ChainId;
use presight_wire::kinds::words;
use presight_wire::report::{Form, Role};

/// What a text can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Vocabulary {
    ApprovalForm,
    Role,
    Flag,
    /// A recognised form of typed data, or nothing.
    TypedForm,
    FindingKind,
    /// A CAIP-2 chain id.
    Chain,
    /// The first four bytes of calldata in lower-case hex, or nothing.
    Selector,
    Code,
    IssuerListing,
    SourceMatch,
    PaymentPair,
    PayeeBinding,
    /// How a call ended.
    Status,
    /// How effects differ in another block.
    Difference,
}

impl Vocabulary {
    fn name(self) -> &'static str {
        match self {
            Self::ApprovalForm => "form of an approval",
            Self::Role => "role of an address",
            Self::Flag => "flag",
            Self::TypedForm => "form of typed data",
            Self::FindingKind => "finding kind",
            Self::Chain => "CAIP-2 chain id",
            Self::Selector => "selector",
            Self::Code => "code of an address",
            Self::IssuerListing => "listing",
            Self::SourceMatch => "match of a source",
            Self::PaymentPair => "pair of a payment",
            Self::PayeeBinding => "binding of a payee",
            Self::Status => "status of a call",
            Self::Difference => "difference of effects",
        }
    }

    /// Its words; none where it is a syntax.
    fn words(self) -> Vec<&'static str> {
        match self {
            Self::ApprovalForm => Form::ALL.iter().map(|form| form.as_str()).collect(),
            Self::Role => Role::ALL.iter().map(|role| role.as_str()).collect(),
            Self::Flag => FLAGS.to_vec(),
            Self::TypedForm => TYPED_FORMS.iter().copied().chain([""]).collect(),
            Self::FindingKind => KINDS.iter().map(|kind| kind.name).collect(),
            Self::Chain | Self::Selector => Vec::new(),
            Self::Code => words::CODES.to_vec(),
            Self::IssuerListing => words::ISSUER_LISTINGS.to_vec(),
            Self::SourceMatch => words::SOURCE_MATCHES.to_vec(),
            Self::PaymentPair => words::PAYMENT_PAIRS.to_vec(),
            Self::PayeeBinding => words::PAYEE_BINDINGS.to_vec(),
            Self::Status => vec!["success", "revert", "halt"],
            Self::Difference => vec!["same", "amounts", "other"],
        }
    }

    /// What is wrong with a text as one of its words; `extensions` are the kinds of other sources that the policy
    /// declares.
    pub(crate) fn fault(self, text: &str, extensions: &[String]) -> Option<String> {
        let known = match self {
            Self::Chain => match ChainId::parse(text, "") {
                Ok(_) => return None,
                Err(refusal) => return Some(refusal.message),
            },
            Self::Selector => {
                let digits = text.strip_prefix("0x").filter(|digits| digits.len() == 8);
                let fits = digits.is_some_and(|d| d.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')));
                return (!fits && !text.is_empty())
                    .then(|| format!("{} is no selector: 0x and 8 lower-case hex digits", shown(text)));
            }
            _ => self.words(),
        };
        if known.contains(&text) {
            return None;
        }
        let mut known = known;
        if self == Self::FindingKind {
            if extensions.iter().any(|kind| kind == text) {
                return None;
            }
            known.extend(extensions.iter().map(String::as_str));
        }
        let what = self.name();
        Some(match (nearest(text, &known), self) {
            (Some(word), _) => format!("{} is no {what}; did you mean `{word}`?", shown(text)),
            (None, Self::FindingKind) => format!(
                "{} is no {what} known here; kinds of other sources are declared in `extensions`",
                shown(text)
            ),
            (None, _) => {
                known.retain(|word| !word.is_empty());
                format!("{} is no {what}; known: {}", shown(text), known.join(", "))
            }
        })
    }

    /// What is wrong with a text as a part of its words.
    pub(crate) fn part_fault(self, text: &str, is_part: impl Fn(&str, &str) -> bool) -> Option<String> {
        let words = self.words();
        let ours =
            self != Self::FindingKind || text.starts_with("erc.presign.") || text.starts_with("presight.");
        let possible = words.is_empty() || !ours || words.iter().any(|word| is_part(word, text));
        (!possible).then(|| format!("no {} is like that: {}", self.name(), shown(text)))
    }
}

/// The words that the text of an expression can be, where they are known; `items` are those of the variables of the
/// comprehensions around.
pub(crate) fn of(expression: &Expression, items: &[Option<Vocabulary>]) -> Option<Vocabulary> {
    match &expression.operation {
        Operation::Field(operand, field) => of_field(&operand.of, *field),
        Operation::Fact(_, index) => of_kind(kind(*index).name),
        Operation::Inside(operand, name) => match (&operand.operation, &name.operation) {
            (Operation::Field(entry, Field::Value), Operation::Text(name)) => of_inside(&entry.of, name),
            _ => None,
        },
        Operation::Variable(Variable::Item(level)) => items.get(*level).copied().flatten(),
        Operation::Item(list, _) => of_items(list, items),
        Operation::If(_, yes, no) => of(yes, items).filter(|words| of(no, items) == Some(*words)),
        Operation::Call(Function::Chain, _) => Some(Vocabulary::Chain),
        Operation::Call(Function::Text, arguments) => arguments.first().and_then(|a| of(a, items)),
        _ => None,
    }
}

/// The words that the items of a list can be.
pub(crate) fn of_items(list: &Expression, items: &[Option<Vocabulary>]) -> Option<Vocabulary> {
    match &list.operation {
        Operation::Field(operand, Field::Flags) => of_field(&operand.of, Field::Flags),
        Operation::Each(Quantifier::Filter, range, _) => of_items(range, items),
        Operation::Each(Quantifier::Map, range, body) => {
            let mut inner = items.to_vec();
            inner.push(of_items(range, items));
            of(body, &inner)
        }
        _ => None,
    }
}

fn of_field(record: &Type, field: Field) -> Option<Vocabulary> {
    let Type::Record(record) = record else {
        return None;
    };
    match (record, field) {
        (Record::Request, Field::Chain) => Some(Vocabulary::Chain),
        (Record::Request | Record::Call, Field::Flags) => Some(Vocabulary::Flag),
        (Record::Request, Field::Form) => Some(Vocabulary::TypedForm),
        (Record::Call, Field::Selector) => Some(Vocabulary::Selector),
        (Record::Approval, Field::Form) => Some(Vocabulary::ApprovalForm),
        (Record::Address, Field::Role) => Some(Vocabulary::Role),
        (Record::Finding, Field::Kind) => Some(Vocabulary::FindingKind),
        (Record::Entry(index), Field::Param) if kind(*index).name == "erc.presign.payment.match" => {
            Some(Vocabulary::PaymentPair)
        }
        (Record::Entry(index), Field::Value) => of_kind(kind(*index).name),
        _ => None,
    }
}

/// The words of a kind's value.
fn of_kind(name: &str) -> Option<Vocabulary> {
    match name {
        "erc.presign.address.code" => Some(Vocabulary::Code),
        "erc.presign.token.issuer-listing" => Some(Vocabulary::IssuerListing),
        "erc.presign.address.source-verified" => Some(Vocabulary::SourceMatch),
        "erc.presign.payment.payee-binding" => Some(Vocabulary::PayeeBinding),
        "presight.effects.depends-on" => Some(Vocabulary::Difference),
        _ => None,
    }
}

/// The words of a member of a kind's value.
fn of_inside(record: &Type, member: &str) -> Option<Vocabulary> {
    match (record, member) {
        (Type::Record(Record::Entry(index)), "status") => {
            let of_a_run = ["presight.effects.batch", "presight.effects.outcome"];
            of_a_run
                .contains(&kind(*index).name)
                .then_some(Vocabulary::Status)
        }
        _ => None,
    }
}

/// The name that is likely meant, as a part of a message.
pub(crate) fn meant(name: &str, known: &[&str]) -> String {
    nearest(name, known).map_or(String::new(), |word| format!("; did you mean `{word}`?"))
}

/// The one of `known` that a text is most likely meant for: at most a third of its characters differ.
fn nearest<'a>(text: &str, known: &[&'a str]) -> Option<&'a str> {
    let text: String = text.chars().take(100).collect();
    let near = known.iter().map(|word| (distance(&text, word), *word));
    let (distance, word) = near.min_by_key(|(distance, _)| *distance)?;
    (distance * 3 <= word.chars().count()).then_some(word)
}

/// How many characters have to be put in, left out or replaced to get from one text to the other.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (above, a) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = above + 1;
        for (at, b) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(a != *b);
            diagonal = row[at + 1];
            row[at + 1] = replaced.min(row[at] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::{Vocabulary, distance, nearest};

    #[test]
    fn the_nearest_word_is_told_and_a_far_one_is_not() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(
            nearest("erc20_approve", &["erc20-approve", "erc20-increase"]),
            Some("erc20-approve")
        );
        assert_eq!(nearest("moon", &["erc20-approve"]), None);
        assert_eq!(nearest("", &[""]), Some(""));
        assert_eq!(nearest("x", &[]), None);
    }

    #[test]
    fn a_part_of_a_word_is_told_from_what_is_in_none() {
        let starts = |word: &str, part: &str| word.starts_with(part);
        assert_eq!(Vocabulary::ApprovalForm.part_fault("permit2-", starts), None);
        assert!(Vocabulary::ApprovalForm.part_fault("permit3-", starts).is_some());
        assert_eq!(Vocabulary::FindingKind.part_fault("com.example.", starts), None);
        assert!(
            Vocabulary::FindingKind
                .part_fault("presight.moon", starts)
                .is_some()
        );
    }
}
