//! The ERC-8004 registration file that `tokenURI(agentId)` names, and the signers it lists.

use crate::identity::Fetch;
use crate::steps::{settle, why};
use crate::verify::Pending;
use base64::Engine;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::percent_decode_str;
use presight_view::View;
use presight_wire::AccountId;
use presight_wire::json::{self, Numbers};
use serde_json::Value;

/// Bytes of one registration file.
pub const MAX_REGISTRATION_BYTES: usize = 256 * 1024;

/// The service a source lists its endpoint and signers under.
const SERVICE: &str = "presign-risk-report";

/// RFC 4648 §4, with or without padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The bytes at a `data:`, `https:` or `ipfs:` URI, or in words why they were not read.
pub(crate) fn read(uri: &str, view: &View<'_>, fetch: Fetch) -> Result<Result<Vec<u8>, String>, Pending> {
    let scheme = uri.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    let bytes = match scheme.as_deref() {
        Some("data") => data_uri(uri),
        Some("http") if !is_loopback(uri) => Err("a file over plain `http:` is not read".into()),
        Some("https" | "http" | "ipfs") if fetch == Fetch::Forbidden => {
            Err("it is not fetched for a source that is not trusted".into())
        }
        Some("https" | "http") if fetch == Fetch::ContentAddressed => Err(
            "a file at a mutable URI does not show whom it listed at a past block, so that nothing can be \
             attributed by it"
                .into(),
        ),
        Some("https" | "http" | "ipfs") => settle(view.document(uri))?
            .map(|document| document.bytes.to_vec())
            .map_err(|not_read| why(&not_read)),
        _ => Err("tokenURI is no `data:`, `https:` or `ipfs:` URI".into()),
    };
    Ok(bytes.and_then(bounded))
}

/// A development server on this machine, which the rim fetches from only when it is told to.
fn is_loopback(uri: &str) -> bool {
    ["http://127.0.0.1:", "http://localhost:", "http://[::1]:"]
        .iter()
        .any(|host| uri.starts_with(host))
}

fn bounded(bytes: Vec<u8>) -> Result<Vec<u8>, String> {
    if bytes.len() > MAX_REGISTRATION_BYTES {
        return Err(format!(
            "{} bytes; MAX_REGISTRATION_BYTES is {MAX_REGISTRATION_BYTES}",
            bytes.len()
        ));
    }
    Ok(bytes)
}

/// The bytes of a `data:` URI (RFC 2397) of media type `application/json`.
fn data_uri(uri: &str) -> Result<Vec<u8>, String> {
    // Percent-encoding, the longer of the two encodings, takes three characters a byte.
    if uri.len() > 3 * MAX_REGISTRATION_BYTES + 1024 {
        return Err(format!(
            "a `data:` URI of {} bytes; MAX_REGISTRATION_BYTES is {MAX_REGISTRATION_BYTES}",
            uri.len()
        ));
    }
    // A bare `#` is data: the `type` of every registration file holds one. Where a reader of URLs would end the
    // data there, no more than one of the two readings is JSON.
    let (header, data) = uri.split_once(',').ok_or("a `data:` URI without a comma")?;
    let header = header.split_once(':').map_or(header, |(_, header)| header);
    let mut parameters = header.split(';').map(str::trim);
    if !parameters
        .next()
        .is_some_and(|media| media.eq_ignore_ascii_case("application/json"))
    {
        return Err("a `data:` URI that is not `application/json`".into());
    }
    let decoded: Vec<u8> = percent_decode_str(data).collect();
    if !parameters
        .next_back()
        .is_some_and(|last| last.eq_ignore_ascii_case("base64"))
    {
        return Ok(decoded);
    }
    BASE64
        .decode(decoded)
        .map_err(|error| format!("its base64 is malformed: {error}"))
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

    #[test]
    fn data_uris_are_decoded_both_ways() {
        let base64 = BASE64.encode(FILE);
        for uri in [
            format!("data:application/json;base64,{base64}"),
            format!(
                "DATA:Application/JSON;charset=utf-8;BASE64,{}",
                base64.trim_end_matches('=')
            ),
            format!("data:application/json,{}", FILE.replace('"', "%22")),
            format!("data:application/json;charset=utf-8,{FILE}"),
        ] {
            assert_eq!(data_uri(&uri), Ok(FILE.as_bytes().to_vec()), "{uri}");
        }
        let typed = r#"{"type":"https://eips.ethereum.org/EIPS/eip-8004#registration-v1","name":"100 % #1"}"#;
        assert_eq!(
            data_uri(&format!("data:application/json,{typed}")),
            Ok(typed.as_bytes().to_vec())
        );
    }

    #[test]
    fn other_data_uris_are_not_read() {
        for uri in [
            "data:application/json".to_owned(),
            "data:,{}".to_owned(),
            "data:text/html,{}".to_owned(),
            "data:application/json;base64,%%%".to_owned(),
            "data:application/json;base64,e30=#".to_owned(),
            format!(
                "data:application/json,{}",
                "%20".repeat(MAX_REGISTRATION_BYTES + 400)
            ),
        ] {
            assert!(data_uri(&uri).is_err(), "{}", &uri[..40.min(uri.len())]);
        }
        assert!(bounded(vec![b' '; MAX_REGISTRATION_BYTES]).is_ok());
        assert!(bounded(vec![b' '; MAX_REGISTRATION_BYTES + 1]).is_err());
    }
}
