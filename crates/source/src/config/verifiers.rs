//! Verifiers of source code.

use serde::{Deserialize, Serialize};

/// The verifiers that `address.source-verified` asks, one finding for each. No name twice.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "Vec<Verifier>")]
pub struct Verifiers(Vec<Verifier>);

/// A verifier of source code with the API of Sourcify, version 2.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Verifier {
    /// Its name in reports, such as `sourcify`.
    pub name: String,
    /// Where its API is, without `/v2`, such as `https://sourcify.dev/server`.
    pub url: String,
}

impl Verifiers {
    /// The verifiers.
    pub fn iter(&self) -> impl Iterator<Item = &Verifier> {
        self.0.iter()
    }
}

impl Verifier {
    /// The URL before what names a contract.
    pub fn contracts(&self) -> String {
        format!("{}/v2/contract/", self.url.trim_end_matches('/'))
    }
}

impl TryFrom<Vec<Verifier>> for Verifiers {
    type Error = String;

    fn try_from(verifiers: Vec<Verifier>) -> Result<Self, String> {
        let twice = verifiers
            .iter()
            .enumerate()
            .find(|(at, one)| verifiers[..*at].iter().any(|before| before.name == one.name));
        match twice {
            Some((_, one)) => Err(format!("the verifier `{}` is given twice", one.name)),
            None => Ok(Self(verifiers)),
        }
    }
}
