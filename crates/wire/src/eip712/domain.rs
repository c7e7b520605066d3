//! The domain: its members, and whether a declared domain type is theirs.

use super::DOMAIN;
use super::types::Types;
use crate::envelope::{Code, Problems, Rule, judge_value};
use crate::limits::MAX_SAFE_INTEGER;
use crate::tree::{At, Members, Tree};

/// The members EIP-712 knows, their types, and what their JSON values have to be.
const STANDARD: [(&str, &str, Rule); 5] = [
    ("name", "string", Rule::Text),
    ("version", "string", Rule::Text),
    (
        "chainId",
        "uint256",
        Rule::Integer(1, MAX_SAFE_INTEGER.cast_signed()),
    ),
    ("verifyingContract", "address", Rule::Address),
    ("salt", "bytes32", Rule::Word),
];

/// Judges the domain; its members, when it is an object.
pub(super) fn judge<'t>(
    domain: &'t Tree<'_>,
    at: &At<'_>,
    problems: &mut Problems,
) -> Option<&'t Members<'t>> {
    judge_value(Rule::Record, domain, at, problems);
    let members = domain.as_object()?;
    if members.is_empty() {
        problems.add(Code::Eip712Domain, at, "a domain has at least one member");
    }
    for (name, value) in members.iter() {
        match STANDARD.iter().find(|(standard, ..)| *standard == name) {
            Some((.., rule)) => judge_value(*rule, value, &at.member(name), problems),
            None => {
                let message = "not one of the five members of an EIP-712 domain";
                problems.add(Code::Eip712Domain, &at.member(name), message);
            }
        }
    }
    Some(members)
}

/// A declared domain type lists the members of the domain with their standard types, in any order.
pub(super) fn compare(domain: &Members<'_>, types: &Types<'_>, at: &At<'_>, problems: &mut Problems) {
    let Some(declared) = types
        .position(DOMAIN)
        .map(|position| &types.structs[position].members)
    else {
        return;
    };
    let standard = |name: &str, ty: &str| STANDARD.iter().any(|(n, t, _)| *n == name && *t == ty);
    // Names are unique on both sides: equal numbers and inclusion make equal sets.
    let same = declared.len() == domain.len()
        && declared
            .iter()
            .all(|member| standard(member.name, member.written) && domain.get(member.name).is_some());
    if !same {
        let message = "does not list exactly the members of the domain with their standard types";
        problems.add(Code::Eip712Domain, at, message);
    }
}
