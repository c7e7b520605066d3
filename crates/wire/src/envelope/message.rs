//! The members of a signature's content that depend on its `scheme` (§6.2).

use super::code::Code;
use super::problem::Problems;
use super::shape::Rule;
use super::{siwe, walk};
use crate::eip712;
use crate::tree::{At, Members, Tree};

/// The members of typed data.
const TYPED_DATA: [&str; 4] = ["domain", "types", "primaryType", "message"];
const TEXT: &str = "messageText";

/// Judges what the scheme requires and forbids; nothing where there is no scheme to go by.
pub(crate) fn judge(content: &Members<'_>, at: &At<'_>, problems: &mut Problems) {
    match content.get("scheme").and_then(Tree::as_str) {
        Some("eip-712") => {
            forbid(&[TEXT], content, at, problems);
            require(&TYPED_DATA, content, at, problems);
            eip712::judge(content, at, problems);
        }
        Some("personal-sign") => {
            forbid(&TYPED_DATA, content, at, problems);
            text(content, at, problems);
        }
        Some("siwe") => {
            forbid(&TYPED_DATA, content, at, problems);
            if let Some(text) = text(content, at, problems)
                && siwe::parse(text).is_none()
            {
                let message = "the text does not match the grammar of ERC-4361";
                problems.add(Code::SiweGrammar, &at.member(TEXT), message);
            }
        }
        _ => {}
    }
}

fn text<'t>(content: &'t Members<'_>, at: &At<'_>, problems: &mut Problems) -> Option<&'t str> {
    require(&[TEXT], content, at, problems);
    let value = content.get(TEXT)?;
    walk::value(Rule::Text, value, &at.member(TEXT), problems);
    value.as_str()
}

fn require(names: &[&str], content: &Members<'_>, at: &At<'_>, problems: &mut Problems) {
    for name in names.iter().filter(|name| content.get(name).is_none()) {
        problems.add(
            Code::MissingField,
            &at.member(name),
            "the scheme needs this member",
        );
    }
}

fn forbid(names: &[&str], content: &Members<'_>, at: &At<'_>, problems: &mut Problems) {
    for name in names.iter().filter(|name| content.get(name).is_some()) {
        problems.add(
            Code::ForbiddenField,
            &at.member(name),
            "a member of another scheme",
        );
    }
}
