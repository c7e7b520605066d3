//! EIP-712 typed data judged strictly: whether `domain`, `types`, `primaryType` and `message` encode, with all that is
//! wrong and where. Hashing and what a message means are not here.
//!
//! Stricter than what some wallets sign: no alias (`uint`), every declared member present, none undeclared.

mod domain;
mod index;
mod message;
mod type_name;
mod types;

#[cfg(test)]
mod tests;

use crate::envelope::{Code, Problems, Validation};
use crate::tree::{At, Members, Tree};
use types::Types;

/// The name of the domain's type.
pub(crate) const DOMAIN: &str = "EIP712Domain";

/// Judges an object with the members of typed data; paths are relative to it. An absent member is not judged here.
pub fn problems(data: &Members<'_>) -> Validation {
    let mut problems = Problems::default();
    judge(data, &At::Root, &mut problems);
    problems.into_validation()
}

/// As [`problems`], at a place of a larger document.
pub(crate) fn judge(data: &Members<'_>, at: &At<'_>, problems: &mut Problems) {
    let types = data
        .get("types")
        .and_then(|types| Types::read(types, &at.member("types"), problems));
    let domain = data
        .get("domain")
        .and_then(|domain| domain::judge(domain, &at.member("domain"), problems));
    if let (Some(types), Some(domain)) = (&types, domain)
        && types.sound
    {
        domain::compare(domain, types, &at.member("types").member(DOMAIN), problems);
    }
    let primary = data
        .get("primaryType")
        .and_then(|primary| primary_type(primary, types.as_ref(), &at.member("primaryType"), problems));
    if let Some(value) = data.get("message") {
        message::judge(value, types.as_ref(), primary, &at.member("message"), problems);
    }
}

/// The struct that `primaryType` names.
fn primary_type(
    value: &Tree<'_>,
    types: Option<&Types<'_>>,
    at: &At<'_>,
    problems: &mut Problems,
) -> Option<usize> {
    let Some(name) = value.as_str() else {
        let message = format!("a string expected, {} found", value.type_name());
        problems.add(Code::WrongType, at, message);
        return None;
    };
    let found = types?.position(name);
    if found.is_none() {
        problems.add(Code::Eip712PrimaryType, at, "`types` does not declare this type");
    }
    found
}
