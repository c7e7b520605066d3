//! ERC-8004 registration files: the bytes at the URI that `tokenURI(agentId)` gives.

use base64::Engine;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::percent_decode_str;
use presight_view::{Lookup, View};
use presight_wire::{NotRead, Reason};

/// Bytes of one registration file.
pub const MAX_REGISTRATION_BYTES: usize = 256 * 1024;

/// RFC 4648 §4, with or without padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Where a URI points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The file is in the URI.
    Inside,
    /// Through the view's documents, at an address whose content may change.
    Mutable,
    /// Through the view's documents, at an identifier of the content.
    ContentAddressed,
    /// Nowhere a registration file is read from.
    Nowhere,
}

impl Place {
    /// By the URI's scheme: `data:`, `https:` and `ipfs:`, and `http:` on this machine alone, from where the rim fetches only when
    /// it is told to.
    pub fn of(uri: &str) -> Self {
        let scheme = uri.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
        let loopback = ["http://127.0.0.1:", "http://localhost:", "http://[::1]:"];
        match scheme.as_deref() {
            Some("data") => Self::Inside,
            Some("https") => Self::Mutable,
            Some("http") if loopback.iter().any(|host| uri.starts_with(host)) => Self::Mutable,
            Some("ipfs") => Self::ContentAddressed,
            _ => Self::Nowhere,
        }
    }
}

/// The bytes of a registration file.
///
/// # Errors
/// `unsupported` at a URI of another kind, `unavailable` for a `data:` URI that is malformed or for a file that is too large,
/// and why a document was not fetched.
pub fn bytes(view: &View<'_>, uri: &str) -> Lookup<Vec<u8>> {
    let bytes = match Place::of(uri) {
        Place::Inside => data_uri(uri).map_err(unavailable)?,
        Place::Mutable | Place::ContentAddressed => view.document(uri)?.bytes.to_vec(),
        Place::Nowhere => {
            let note = "tokenURI is no `data:`, `https:` or `ipfs:` URI";
            return Err(NotRead::new(Reason::Unsupported).with_note(note).into());
        }
    };
    Ok(bounded(bytes).map_err(unavailable)?)
}

fn unavailable(why: String) -> NotRead {
    NotRead::new(Reason::Unavailable).with_note(why)
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

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"{"services":[{"name":"web"}]}"#;

    #[test]
    fn a_uri_says_where_its_file_is() {
        for (uri, place) in [
            ("data:application/json,{}", Place::Inside),
            ("https://agent.example/a.json", Place::Mutable),
            ("http://127.0.0.1:8080/a.json", Place::Mutable),
            ("ipfs://bafy/a.json", Place::ContentAddressed),
            ("http://agent.example/a.json", Place::Nowhere),
            ("http://127.0.0.1.agent.example/a.json", Place::Nowhere),
            ("ftp://agent.example/a.json", Place::Nowhere),
            ("", Place::Nowhere),
        ] {
            assert_eq!(Place::of(uri), place, "{uri}");
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
