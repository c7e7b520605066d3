//! `https:` URLs that a stranger chose.
//!
//! Every address a host resolves to is checked, and the connection goes to those very addresses: what a second
//! resolution would give is never asked. Redirects are followed by hand, each hop checked like the first.

use super::Unfetched;
use super::address::is_public;
use crate::rpc::{HttpError, install_tls_provider};
use crate::snapshot::Document;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, LOCATION};
use reqwest::{Client, Response, StatusCode, Url};
use std::error::Error;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

/// Bytes of one document.
pub const MAX_DOCUMENT_BYTES: usize = 16 * 1024 * 1024;
/// What one document may take, all hops and the last byte included: a server that drips is cut off.
pub const DOCUMENT_TIMEOUT: Duration = Duration::from_secs(10);
/// Redirects followed for one document.
pub const MAX_REDIRECTS: usize = 5;

/// What HTTP status 404 is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotFound {
    /// There is no document.
    IsNoDocument,
    /// Its body is the document.
    IsAnswer,
}

/// Fetches from the public internet only.
#[derive(Debug, Clone)]
pub(super) struct Fetcher {
    client: Client,
    allow_loopback: bool,
}

impl Fetcher {
    pub(super) fn new(allow_loopback: bool) -> Result<Self, HttpError> {
        install_tls_provider();
        let client = Client::builder()
            .dns_resolver(Arc::new(Checked { allow_loopback }))
            .redirect(reqwest::redirect::Policy::none())
            // A proxy would resolve the host itself; a kept connection would outlive its check.
            .no_proxy()
            .pool_max_idle_per_host(0)
            .referer(false)
            .build()
            .map_err(|e| HttpError::Client(e.without_url().to_string()))?;
        Ok(Self {
            client,
            allow_loopback,
        })
    }

    /// The document at a URL.
    pub(super) async fn get(&self, url: &str, not_found: NotFound) -> Result<Document, Unfetched> {
        let mut url: Url = url.parse().map_err(|_| Unfetched::refused("it is no URL"))?;
        for _ in 0..=MAX_REDIRECTS {
            self.check(&url)?;
            let request = self.client.get(url.clone()).header(ACCEPT_ENCODING, "identity");
            let response = request.send().await.map_err(|e| failure(&e))?;
            if not_found == NotFound::IsAnswer && response.status() == StatusCode::NOT_FOUND {
                return content(response, MAX_DOCUMENT_BYTES).await;
            }
            if !is_redirect(response.status()) {
                return body(response, MAX_DOCUMENT_BYTES).await;
            }
            url = next(&url, response.headers())?;
        }
        Err(Unfetched::refused(format!(
            "more than MAX_REDIRECTS = {MAX_REDIRECTS} redirects"
        )))
    }

    /// Whether a URL may be asked. Hosts that are names are checked once they are resolved.
    fn check(&self, url: &Url) -> Result<(), Unfetched> {
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Unfetched::refused("a URL with credentials"));
        }
        let host = url.host_str().unwrap_or_default();
        let address: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
        let is_loopback = address.map_or(host == "localhost", |address| address.is_loopback());
        match url.scheme() {
            "https" => {}
            "http" if self.allow_loopback && is_loopback => {}
            _ => return Err(Unfetched::refused("only `https:` is fetched")),
        }
        match address {
            Some(address) if !is_allowed(address, self.allow_loopback) => {
                Err(Unfetched::refused(NotPublic(address).to_string()))
            }
            _ => Ok(()),
        }
    }
}

fn is_allowed(address: IpAddr, allow_loopback: bool) -> bool {
    is_public(address) || (allow_loopback && address.is_loopback())
}

/// Resolves names, and gives their addresses only when every one of them is allowed.
struct Checked {
    allow_loopback: bool,
}

impl Resolve for Checked {
    fn resolve(&self, name: Name) -> Resolving {
        let allow_loopback = self.allow_loopback;
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            Ok(checked(found, allow_loopback)?)
        })
    }
}

fn checked(found: Vec<SocketAddr>, allow_loopback: bool) -> Result<Addrs, NotPublic> {
    match found.iter().find(|a| !is_allowed(a.ip(), allow_loopback)) {
        Some(address) => Err(NotPublic(address.ip())),
        None => Ok(Box::new(found.into_iter())),
    }
}

#[derive(Debug, thiserror::Error)]
#[error("{0} is no address of the public internet")]
struct NotPublic(IpAddr);

fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

fn next(from: &Url, headers: &HeaderMap) -> Result<Url, Unfetched> {
    let location = headers.get(LOCATION).and_then(|value| value.to_str().ok());
    let to = location
        .and_then(|location| from.join(location).ok())
        .ok_or_else(|| Unfetched::refused("a redirect to no URL"))?;
    if to.scheme() != from.scheme() {
        return Err(Unfetched::refused("a redirect to another scheme"));
    }
    Ok(to)
}

/// A successful answer's body as it was sent.
pub(super) async fn body(response: Response, limit: usize) -> Result<Document, Unfetched> {
    if response.status() != StatusCode::OK {
        let why = format!(
            "the server answered with HTTP status {}",
            response.status().as_u16()
        );
        return Err(Unfetched::unavailable("document-unavailable", why));
    }
    content(response, limit).await
}

/// An answer's body, whatever its status.
async fn content(mut response: Response, limit: usize) -> Result<Document, Unfetched> {
    // None was accepted; an encoded body is unbounded until it is decoded.
    if text(&response, CONTENT_ENCODING).is_some_and(|encoding| !encoding.eq_ignore_ascii_case("identity")) {
        return Err(Unfetched::refused("a body with a content encoding"));
    }
    let content_type = text(&response, CONTENT_TYPE);
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|e| failure(&e))? {
        if bytes.len() + chunk.len() > limit {
            return Err(Unfetched::refused(format!("more than {limit} bytes")));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(Document {
        content_type,
        bytes: bytes.into(),
    })
}

fn text(response: &Response, name: HeaderName) -> Option<String> {
    response.headers().get(name)?.to_str().ok().map(str::to_owned)
}

/// Why a request failed, without its URL: the deepest cause says most.
pub(super) fn failure(error: &reqwest::Error) -> Unfetched {
    let mut cause: &dyn Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
        if let Some(not_public) = cause.downcast_ref::<NotPublic>() {
            return Unfetched::refused(not_public.to_string());
        }
    }
    let why = if cause.is::<reqwest::Error>() {
        "the request failed".to_owned()
    } else {
        cause.to_string()
    };
    Unfetched::unavailable("document-unavailable", why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::HeaderValue;

    fn check(url: &str, allow_loopback: bool) -> Result<(), String> {
        let url = url.parse().map_err(|_| "no URL".to_owned())?;
        let fetcher = Fetcher::new(allow_loopback).unwrap();
        fetcher.check(&url).map_err(|fault| fault.why)
    }

    #[test]
    fn only_https_to_public_hosts_is_asked() {
        for url in [
            "https://example.com/agent.json",
            "https://example.com:8443/",
            "https://8.8.8.8/",
            "https://[2606:4700:4700::1111]/",
        ] {
            assert_eq!(check(url, false), Ok(()), "{url}");
        }
        for url in [
            "http://example.com/",
            "ftp://example.com/",
            "file:///etc/passwd",
            "gopher://example.com/",
            "https://user@example.com/",
            "https://user:secret@example.com/",
            "https://:secret@example.com/",
            "https://127.0.0.1/",
            "https://2130706433/",
            "https://0x7f000001/",
            "https://017700000001/",
            "https://127.1/",
            "https://0/",
            "https://10.0.0.1:443/",
            "https://169.254.169.254/latest/meta-data/",
            "https://[::1]/",
            "https://[::ffff:127.0.0.1]/",
            "https://[::ffff:7f00:1]/",
            "https://[64:ff9b::7f00:1]/",
            "https://[2002:7f00:1::]/",
            "https://[fd00:ec2::254]/",
            "https://１２７.0.0.1/",
            "https://127.0.0.1\\@example.com/",
        ] {
            assert!(check(url, false).is_err(), "{url}");
        }
    }

    #[test]
    fn loopback_is_asked_only_when_allowed() {
        for url in ["http://127.0.0.1:1/", "http://localhost:1/", "https://[::1]/"] {
            assert!(check(url, false).is_err(), "{url}");
            assert_eq!(check(url, true), Ok(()), "{url}");
        }
        for url in ["http://example.com/", "http://10.0.0.1/", "https://192.168.0.1/"] {
            assert!(check(url, true).is_err(), "{url}");
        }
    }

    #[test]
    fn one_address_of_ours_spoils_a_name() {
        let resolved = |addresses: &[&str]| {
            let found = addresses
                .iter()
                .map(|a| SocketAddr::new(a.parse().unwrap(), 0))
                .collect();
            checked(found, false).map(Iterator::count).ok()
        };
        assert_eq!(resolved(&["8.8.8.8", "2606:4700:4700::1111"]), Some(2));
        assert_eq!(resolved(&["8.8.8.8", "10.0.0.1"]), None);
        assert_eq!(resolved(&["169.254.169.254"]), None);
        assert_eq!(resolved(&["2606:4700:4700::1111", "::1"]), None);
    }

    #[test]
    fn redirects_stay_within_their_scheme() {
        let from: Url = "https://example.com/a/b".parse().unwrap();
        let to = |location: &'static str| {
            let headers = HeaderMap::from_iter([(LOCATION, HeaderValue::from_static(location))]);
            next(&from, &headers).map(String::from).ok()
        };
        assert_eq!(to("c").as_deref(), Some("https://example.com/a/c"));
        assert_eq!(
            to("//other.example/c").as_deref(),
            Some("https://other.example/c")
        );
        assert_eq!(to("http://example.com/"), None);
        assert_eq!(to("file:///etc/passwd"), None);
        assert!(next(&from, &HeaderMap::new()).is_err());
    }
}
