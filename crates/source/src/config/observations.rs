//! Registries of Launch Observations.
//!
//! The text of that proposal fixes no signatures here, so a registry is configured with those of its two functions; the
//! names of arguments and results say what they are. The defaults are the ones this source assumes.

use alloy_json_abi::{Function, Param};
use alloy_primitives::{Address, B256};
use presight_wire::{AccountId, hex};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The default of [`Registry::latest_finding`].
const LATEST_FINDING: &str = "function latestFinding(uint256 chainId, address token, address detector, bytes32 kind, \
    uint256 param) view returns (uint256 value, int8 lean, uint256 observationId, uint256 observedBlock, uint256 recordedAt)";
/// The default of [`Registry::latest_finding_from`].
const LATEST_FINDING_FROM: &str = "function latestFindingFrom(uint256 chainId, address token, address[] detectors, \
    bytes32 kind, uint256 param) view returns (address detector, uint256 value, int8 lean, uint256 observationId, \
    uint256 observedBlock, uint256 recordedAt)";
/// Arguments of both functions.
const ARGUMENTS: [&str; 4] = ["chainId", "token", "kind", "param"];
/// Results of both functions, of which a finding is made.
const RESULTS: [&str; 4] = ["value", "observationId", "observedBlock", "recordedAt"];

/// The registries that `token.observation` reads. None twice.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "Vec<Registry>")]
pub struct Observations(Vec<Registry>);

/// A registry, and what is read from it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Registry {
    /// Where it is.
    pub registry: AccountId,
    /// Whose observations count. One is asked for by `latestFinding`, several by `latestFindingFrom`.
    pub detectors: BTreeSet<Address>,
    /// The finding kinds that are read, one finding of the report for each.
    pub kinds: BTreeSet<ObservationKind>,
    latest_finding: Signature,
    latest_finding_from: Signature,
}

/// A finding kind of Launch Observations with its parameter.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ObservationKind {
    /// The kind.
    pub kind: B256,
    /// Its parameter, a decimal string.
    pub param: String,
}

/// A function's signature as it was written, a line of Solidity or, where a result is a struct, JSON; and what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Signature {
    written: String,
    function: Function,
}

/// A registry as a file has it.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Written {
    registry: String,
    detectors: BTreeSet<Address>,
    kinds: BTreeSet<ObservationKind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    latest_finding: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    latest_finding_from: Option<String>,
}

impl Observations {
    /// The registries.
    pub fn iter(&self) -> impl Iterator<Item = &Registry> {
        self.0.iter()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Registry {
    /// The function that answers for all detectors.
    pub fn function(&self) -> &Function {
        if self.detectors.len() == 1 {
            &self.latest_finding.function
        } else {
            &self.latest_finding_from.function
        }
    }
}

impl TryFrom<Vec<Registry>> for Observations {
    type Error = String;

    fn try_from(registries: Vec<Registry>) -> Result<Self, String> {
        let seen: BTreeSet<_> = registries.iter().map(|one| &one.registry).collect();
        if seen.len() < registries.len() {
            return Err("a registry is given twice".to_owned());
        }
        Ok(Self(registries))
    }
}

impl TryFrom<Written> for Registry {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        if written.detectors.is_empty() || written.kinds.is_empty() {
            return Err("a registry has detectors and kinds".to_owned());
        }
        for one in &written.kinds {
            hex::decimal(&one.param, "").map_err(|refusal| refusal.message)?;
        }
        Ok(Self {
            registry: AccountId::parse(&written.registry, "").map_err(|refusal| refusal.message)?,
            detectors: written.detectors,
            kinds: written.kinds,
            latest_finding: signature(written.latest_finding, LATEST_FINDING, "detector")?,
            latest_finding_from: signature(written.latest_finding_from, LATEST_FINDING_FROM, "detectors")?,
        })
    }
}

impl From<Registry> for Written {
    fn from(registry: Registry) -> Self {
        let set = |signature: Signature, default: &str| {
            Some(signature.written).filter(|written| written.as_str() != default)
        };
        Self {
            registry: registry.registry.to_string(),
            detectors: registry.detectors,
            kinds: registry.kinds,
            latest_finding: set(registry.latest_finding, LATEST_FINDING),
            latest_finding_from: set(registry.latest_finding_from, LATEST_FINDING_FROM),
        }
    }
}

/// A signature that has every argument and result by its name, and no argument beside them.
fn signature(written: Option<String>, default: &str, detectors: &str) -> Result<Signature, String> {
    let written = written.unwrap_or_else(|| default.to_owned());
    let function = if written.starts_with('{') {
        serde_json::from_str(&written).map_err(|error| error.to_string())?
    } else {
        Function::parse(&written).map_err(|error| error.to_string())?
    };
    for argument in ARGUMENTS.into_iter().chain([detectors]) {
        if !function.inputs.iter().any(|input| input.name == argument) {
            return Err(format!("`{}` has no argument `{argument}`", function.name));
        }
    }
    if function.inputs.len() != ARGUMENTS.len() + 1 {
        return Err(format!("`{}` has an argument that is not known", function.name));
    }
    let finder = (detectors == "detectors").then_some("detector");
    for result in RESULTS.into_iter().chain(finder) {
        if named(&function.outputs, result) != 1 {
            return Err(format!("`{}` has not one result `{result}`", function.name));
        }
    }
    Ok(Signature { written, function })
}

/// How many results have the name; those of a struct are its members.
fn named(outputs: &[Param], name: &str) -> usize {
    let of = |output: &Param| match output.components.as_slice() {
        [] => usize::from(output.name == name),
        components => named(components, name),
    };
    outputs.iter().map(of).sum()
}

#[cfg(test)]
mod tests {
    use crate::config::Config;

    fn registry(more: &str) -> String {
        format!(
            "[[observations]]\nregistry = \"eip155:4663:0x{}\"\ndetectors = [\"0x{}\"]\nkinds = [{{ kind = \"0x{}\", param = \"0\" }}]\n{more}",
            "11".repeat(20),
            "22".repeat(20),
            "33".repeat(32)
        )
    }

    #[test]
    fn signatures_name_what_they_take_and_give() {
        let config = Config::parse(&registry("")).unwrap();
        let one = config.observations.iter().next().unwrap();
        assert_eq!(one.function().name, "latestFinding");
        assert_eq!(
            Config::parse(&serde_json::to_string(&config).unwrap()).as_ref(),
            Ok(&config),
            "what is written reads the same"
        );
        let results = ["value", "observationId", "observedBlock", "recordedAt"]
            .map(|name| format!(r#"{{ "name": "{name}", "type": "uint256" }}"#))
            .join(", ");
        let arguments = ["kind", "param", "token", "detector", "chainId"]
            .map(|name| format!(r#"{{ "name": "{name}", "type": "bytes32" }}"#))
            .join(", ");
        let own = format!(
            "latest-finding = '{{ \"type\": \"function\", \"name\": \"newest\", \"stateMutability\": \"view\", \"inputs\": [{arguments}], \
             \"outputs\": [{{ \"name\": \"found\", \"type\": \"tuple\", \"components\": [{results}] }}] }}'\n"
        );
        let config = Config::parse(&registry(&own)).unwrap();
        assert_eq!(
            config.observations.iter().next().unwrap().function().name,
            "newest"
        );
        for wrong in [
            "latest-finding = \"f(uint256 a) returns (uint256 value)\"\n",
            "latest-finding = \"not a function\"\n",
            "latest-finding = \"f(uint256 chainId, address token, address detector, bytes32 kind, uint256 param) returns (uint256 value)\"\n",
            "latest-finding = \"f(uint256 chainId, address token, address detector, bytes32 kind, uint256 param, bool more) returns (uint256 value, uint256 observationId, uint256 observedBlock, uint256 recordedAt)\"\n",
            "lean = 1\n",
        ] {
            Config::parse(&registry(wrong)).unwrap_err();
        }
        Config::parse(&(registry("") + &registry(""))).unwrap_err();
    }
}
