//! Bodies: their type, their size, and the time they may take.

use crate::service::Problem;
use axum::body::Body;
use axum::http::{HeaderMap, header};
use futures::StreamExt as _;
use std::time::Duration;
use tokio::time::timeout;

/// What a body may take to arrive: a client that drips is cut off.
pub(super) const BODY_TIMEOUT: Duration = Duration::from_secs(15);

/// Bytes of a body that is taken in without being looked at.
const MAX_DRAINED: usize = 64 * 1024;
/// What that may take.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(1);

/// The bytes of a JSON body of at most `max` bytes.
///
/// # Errors
/// 415 for another type or an encoded body, 413 for one that is too large, 408 for one that comes too slowly, 400 for one
/// that breaks off.
pub(super) async fn json(headers: &HeaderMap, body: Body, max: usize) -> Result<Vec<u8>, Problem> {
    if !is_json(headers) {
        let detail = "the body is JSON, with the header `Content-Type: application/json`";
        return Err(Problem::new(415, "not-json", detail));
    }
    if headers
        .get(header::CONTENT_ENCODING)
        .is_some_and(|encoding| encoding != "identity")
    {
        let detail = "the body is taken as it is, without a Content-Encoding";
        return Err(Problem::new(415, "encoded-body", detail));
    }
    let too_large = || {
        Problem::new(
            413,
            "too-large",
            format!("a body of at most {max} bytes is taken here"),
        )
    };
    let length = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok());
    if length
        .and_then(|length| length.parse::<usize>().ok())
        .is_some_and(|length| length > max)
    {
        return Err(too_large());
    }
    let read = async {
        let mut bytes = Vec::new();
        let mut chunks = body.into_data_stream();
        while let Some(chunk) = chunks.next().await {
            let chunk = chunk.map_err(|_| Problem::new(400, "body-broken", "the body broke off"))?;
            if bytes.len() + chunk.len() > max {
                return Err(too_large());
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes)
    };
    let slow = || {
        let detail = format!("the body did not arrive within {} s", BODY_TIMEOUT.as_secs());
        Problem::new(408, "body-too-slow", detail)
    };
    timeout(BODY_TIMEOUT, read).await.map_err(|_| slow())?
}

/// Takes in the rest of a small body that is not looked at, so that the connection can be used again. Whether it was.
pub(super) async fn drain(body: Body) -> bool {
    let read = async {
        let mut left = MAX_DRAINED;
        let mut chunks = body.into_data_stream();
        while let Some(chunk) = chunks.next().await {
            let taken = chunk.ok().and_then(|chunk| left.checked_sub(chunk.len()));
            let Some(rest) = taken else { return false };
            left = rest;
        }
        true
    };
    timeout(DRAIN_TIMEOUT, read).await.unwrap_or(false)
}

fn is_json(headers: &HeaderMap) -> bool {
    let given = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let Some(given) = given else { return false };
    let mut parts = given.split(';').map(str::trim);
    let is_json = parts
        .next()
        .is_some_and(|essence| essence.eq_ignore_ascii_case("application/json"));
    let utf8 = |parameter: &str| match parameter.split_once('=') {
        Some((name, value)) if name.eq_ignore_ascii_case("charset") => {
            value.trim_matches('"').eq_ignore_ascii_case("utf-8")
        }
        _ => true,
    };
    is_json && parts.all(utf8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_json_in_utf_8_is_json() {
        let is = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::CONTENT_TYPE, value.parse().unwrap());
            is_json(&headers)
        };
        for good in [
            "application/json",
            "Application/JSON; charset=UTF-8",
            "application/json;charset=\"utf-8\"",
        ] {
            assert!(is(good), "{good}");
        }
        for bad in [
            "text/plain",
            "application/jsonp",
            "application/json; charset=latin1",
            "",
            "application/ld+json",
        ] {
            assert!(!is(bad), "{bad}");
        }
        assert!(!is_json(&HeaderMap::new()));
    }
}
