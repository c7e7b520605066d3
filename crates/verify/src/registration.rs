//! The ERC-8004 registration file that `tokenURI(agentId)` names, and the signers it lists.

use crate::identity::Fetch;
use crate::steps::{settle, why};
use crate::verify::Pending;
use presight_source::registration::{self, Place};
use presight_view::View;
use presight_wire::AccountId;
use presight_wire::json::{self, Numbers};
use serde_json::Value;

/// The service a source lists its endpoint and signers under.
const SERVICE: &str = "presign-risk-report";

/// The bytes at a `data:`, `https:` or `ipfs:` URI, or in words why they were not read.
pub(crate) fn read(uri: &str, view: &View<'_>, fetch: Fetch) -> Result<Result<Vec<u8>, String>, Pending> {
    match (Place::of(uri), fetch) {
        (Place::Mutable | Place::ContentAddressed, Fetch::Forbidden) => {
            Ok(Err("it is not fetched for a source that is not trusted".into()))
        }
        (Place::Mutable, Fetch::ContentAddressed) => Ok(Err(
            "a file at a mutable URI does not show whom it listed at a past block, so that nothing can be \
             attributed by it"
                .into(),
        )),
        _ => Ok(settle(registration::bytes(view, uri))?.map_err(|not_read| why(&not_read))),
    }
}

/// Whether `signers` of a service named `presign-risk-report` lists the account, letter case aside. Entries that
/// are no such service are passed over; a file that is no registration file is an error.
pub(crate) fn lists_signer(file: &[u8], signer: &AccountId) -> Result<bool, String> {
    let file = json::parse(file, Numbers::Double).map_err(|refusal| refusal.to_string())?;
    let file = file.as_object().ok_or("it is no JSON object")?;
    let services = match file.get("services") {
        None => return Ok(false),
        Some(services) => services.as_array().ok_or("its `services` is no array")?,
    };
    let signer = signer.to_string();
    Ok(services
        .iter()
        .filter(|service| service.get("name").and_then(Value::as_str) == Some(SERVICE))
        .filter_map(|service| service.get("signers")?.as_array())
        .flatten()
        .filter_map(Value::as_str)
        .any(|listed| listed.eq_ignore_ascii_case(&signer)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloy_primitives::Address;
    use presight_wire::ChainId;

    const FILE: &str = r#"{"services":[{"name":"web"},7,{"name":"presign-risk-report","signers":[null,"eip155:1:0xABABABABABABABABABABABABABABABABABABABAB"]}]}"#;

    fn signer(byte: u8) -> AccountId {
        AccountId::new(ChainId::evm(1), Address::repeat_byte(byte))
    }

    #[test]
    fn a_signer_is_found_whatever_its_letter_case() {
        assert_eq!(lists_signer(FILE.as_bytes(), &signer(0xab)), Ok(true));
        assert_eq!(lists_signer(FILE.as_bytes(), &signer(0xac)), Ok(false));
        let other_chain = AccountId::new(ChainId::evm(2), Address::repeat_byte(0xab));
        assert_eq!(lists_signer(FILE.as_bytes(), &other_chain), Ok(false));
    }

    #[test]
    fn signers_count_only_under_the_report_service() {
        for file in [
            r#"{"signers":["eip155:1:0xabababababababababababababababababababab"]}"#,
            r#"{"services":[{"name":"other","signers":["eip155:1:0xabababababababababababababababababababab"]}]}"#,
            r#"{"endpoints":[{"name":"presign-risk-report","signers":["eip155:1:0xabababababababababababababababababababab"]}]}"#,
            r#"{"services":[{"name":"presign-risk-report","signers":"eip155:1:0xabababababababababababababababababababab"}]}"#,
            r#"{"services":[]}"#,
        ] {
            assert_eq!(lists_signer(file.as_bytes(), &signer(0xab)), Ok(false), "{file}");
        }
    }

    #[test]
    fn a_malformed_file_is_not_read_rather_than_empty() {
        for file in [
            "",
            "[]",
            "{",
            r#"{"services":{}}"#,
            r#"{"services":[],"services":[]}"#,
            "null",
        ] {
            assert!(lists_signer(file.as_bytes(), &signer(0xab)).is_err(), "{file}");
        }
    }
}
