//! The services of an ERC-8004 registration file, and which of them a resource belongs to (x402 Payee Verification).

use presight_wire::json::{self, Numbers};
use serde_json::{Map, Value};

/// Services of one file that are looked at.
pub const MAX_SERVICES: usize = 1_000;

/// Reads the services of a registration file: `services`, or `endpoints` as older files say. Entries that are no objects are passed
/// over.
///
/// # Errors
/// In words, why it is no registration file.
pub fn services(file: &[u8]) -> Result<Vec<Map<String, Value>>, String> {
    let Value::Object(mut file) =
        json::parse(file, Numbers::Double).map_err(|refusal| refusal.to_string())?
    else {
        return Err("it is no JSON object".into());
    };
    let listed = file.remove("services").or_else(|| file.remove("endpoints"));
    let services = match listed {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(services)) => services,
        Some(_) => return Err("its `services` is no array".into()),
    };
    if services.len() > MAX_SERVICES {
        return Err(format!(
            "{} services; MAX_SERVICES is {MAX_SERVICES}",
            services.len()
        ));
    }
    Ok(services
        .into_iter()
        .filter_map(|service| match service {
            Value::Object(service) => Some(service),
            _ => None,
        })
        .collect())
}

/// Whether the service's endpoint covers a resource: the same scheme, host and port, and the same path or one above it; query and
/// fragment aside. `mcp://tool/…` belongs to a service named MCP.
pub fn covers(service: &Map<String, Value>, resource: &str) -> bool {
    let text = |name: &str| service.get(name).and_then(Value::as_str);
    if resource.starts_with("mcp://tool/") {
        return text("name").is_some_and(|name| name.eq_ignore_ascii_case("mcp"));
    }
    match (text("endpoint").and_then(Url::parse), Url::parse(resource)) {
        (Some(endpoint), Some(resource)) => endpoint.is_above(&resource),
        _ => false,
    }
}

/// The parts of an `http:` or `https:` URL that are compared.
#[derive(Debug, PartialEq, Eq)]
struct Url<'a> {
    scheme: String,
    host: String,
    port: u16,
    path: &'a str,
}

impl<'a> Url<'a> {
    /// `None` for what two readers of URLs could read differently: credentials, escapes or dots in the path, a backslash,
    /// a host beyond ASCII.
    fn parse(text: &'a str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        let scheme = scheme.to_ascii_lowercase();
        let usual = match scheme.as_str() {
            "https" => 443,
            "http" => 80,
            _ => return None,
        };
        let rest = rest.split(['?', '#']).next()?;
        let (authority, path) = match rest.find('/') {
            Some(slash) => rest.split_at(slash),
            None => (rest, "/"),
        };
        let odd = |c: char| !c.is_ascii_graphic() || matches!(c, '\\' | '@' | '%');
        if text.chars().any(odd) || path.split('/').any(|segment| matches!(segment, "." | "..")) {
            return None;
        }
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.contains(']') => (host, port.parse().ok()?),
            _ => (authority, usual),
        };
        (!host.is_empty()).then(|| Self {
            scheme,
            host: host.to_ascii_lowercase(),
            port,
            path,
        })
    }

    fn is_above(&self, other: &Self) -> bool {
        let same = (&self.scheme, &self.host, self.port) == (&other.scheme, &other.host, other.port);
        let path = self.path.strip_suffix('/').unwrap_or(self.path);
        let below = other.path.strip_prefix(path);
        same && below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

#[cfg(test)]
mod tests {
    use super::{covers, services};
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn an_endpoint_covers_what_lies_below_it() {
        let covered = |endpoint: &str, resource: &str| {
            covers(json!({ "endpoint": endpoint }).as_object().unwrap(), resource)
        };
        for (endpoint, resource) in [
            ("https://a.example/api", "https://a.example/api"),
            ("https://a.example/api", "https://A.example:443/api/x?y=1#z"),
            ("https://a.example/api/", "https://a.example/api"),
            ("https://a.example", "https://a.example/api"),
            ("http://a.example:8080/", "http://a.example:8080/x"),
            ("https://[::1]:8443/a", "https://[::1]:8443/a/b"),
        ] {
            assert!(covered(endpoint, resource), "{endpoint} {resource}");
        }
        for (endpoint, resource) in [
            ("https://a.example/api", "https://a.example/apis"),
            ("https://a.example/api", "http://a.example/api"),
            ("https://a.example/api", "https://a.example:444/api"),
            ("https://a.example/api", "https://b.example/api"),
            ("https://a.example/api", "https://a.example/API"),
            ("https://a.example/api", "https://a.example/api/../admin"),
            ("https://a.example/api", "https://a.example/api/%2e%2e/admin"),
            ("https://a.example", "https://a.example@evil.example/"),
            ("https://a.example", "https://evil.example\\@a.example/"),
            ("https://a.example", "mcp://tool/x"),
            ("", ""),
        ] {
            assert!(!covered(endpoint, resource), "{endpoint} {resource}");
        }
        let mcp = json!({ "name": "MCP", "endpoint": "https://a.example/mcp" });
        assert!(covers(mcp.as_object().unwrap(), "mcp://tool/check"));
    }

    #[test]
    fn older_files_say_endpoints() {
        let names = |file: &str| {
            services(file.as_bytes()).map(|all| all.iter().map(|s| s["name"].to_string()).collect::<Vec<_>>())
        };
        assert_eq!(
            names(r#"{"endpoints":[{"name":"a"},7]}"#),
            Ok(vec!["\"a\"".to_owned()])
        );
        assert_eq!(names("{}"), Ok(vec![]));
        for bad in ["", "[]", r#"{"services":{}}"#] {
            assert!(names(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(endpoint in "\\PC{0,40}", resource in "\\PC{0,40}") {
            covers(json!({ "endpoint": endpoint }).as_object().unwrap(), &resource);
        }
    }
}
