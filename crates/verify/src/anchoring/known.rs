//! Whether an anchor contract is one that is known to tell the times it recorded.

use crate::steps::{Outcome, settle, why};
use crate::verify::Pending;
use presight_exec::reads;
use presight_view::View;
use presight_wire::AccountId;
use serde_json::Value;

/// This project's own anchors, compiled.
const ARTIFACTS: &str = include_str!("../../../../contracts/anchor/artifacts.json");

/// The conclusion does not wait for it: the consumer chose the contract, and may know another one.
pub(super) fn is_known(contract: &AccountId, view: &View<'_>) -> Result<Outcome, Pending> {
    let code = match settle(reads::code(view, &contract.chain, contract.address))? {
        Ok(code) => code.into_value(),
        Err(not_read) => {
            let why = format!("the code of {contract} is not read: {}", why(&not_read));
            return Ok(Outcome::not_read(why).optional_if(true));
        }
    };
    Ok(match name_of(&code.to_string()) {
        Some(name) => Outcome::pass(name),
        None => {
            let why = format!("the code of {contract} is no anchor known here: its times are its own word");
            Outcome::not_read(why).optional_if(true)
        }
    })
}

/// The name of the anchor with this runtime code, in hex.
fn name_of(code: &str) -> Option<String> {
    let artifacts: Value = serde_json::from_str(ARTIFACTS).ok()?;
    let contracts = artifacts.get("contracts")?.as_object()?;
    let mut named = contracts.iter();
    let (name, _) =
        named.find(|(_, artifact)| artifact.get("runtime").and_then(Value::as_str) == Some(code))?;
    Some(name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_anchors_are_known_by_their_code() {
        let artifacts: Value = serde_json::from_str(ARTIFACTS).unwrap();
        for name in ["PresignReportAnchor", "PresignReportAnchorArbitrum"] {
            let code = artifacts["contracts"][name]["runtime"].as_str().unwrap();
            assert_eq!(name_of(code).as_deref(), Some(name));
            assert_eq!(name_of(&format!("{code}00")), None);
        }
        assert_eq!(name_of("0x"), None);
    }
}
