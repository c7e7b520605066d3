//! What every request and every answer have: an id, admission, safe headers, a line in the log, a count.

use super::{Shared, body};
use crate::service::{Problem, Service};
use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Characters of a request id that a client gives.
const MAX_REQUEST_ID: usize = 64;
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Routes that operators ask, which no limit keeps away.
const UNLIMITED: [&str; 2] = ["/health", "/metrics"];

/// The connection's other end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Peer(pub(super) SocketAddr);

pub(super) async fn exchange(State(service): Shared, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let id = request_id(request.headers());
    let client = client(&service, &request);
    let method = request.method().clone();
    let path = request
        .extensions()
        .get::<MatchedPath>()
        .map(|path| path.as_str().to_owned());
    let route = path.unwrap_or_else(|| "unmatched".to_owned());
    let admitted = match UNLIMITED.contains(&route.as_str()) {
        true => Ok(()),
        false => service.limits.admit(client),
    };
    let mut body_left = false;
    let mut response = match admitted {
        Ok(()) => next.run(request).await,
        Err(problem) => {
            body_left = !body::drain(request.into_body()).await;
            problem.into_response()
        }
    };
    if let Some(problem) = response.extensions_mut().remove::<Problem>() {
        if matches!(problem.status, 429 | 503) {
            service.metrics.count_refused(problem.code);
        }
        write_problem(&mut response, &problem, &id);
        if body_left || matches!(problem.status, 408 | 413 | 415) {
            // The rest of the body would be taken for the next request.
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(header::CONNECTION, close);
        }
    }
    add_headers(response.headers_mut(), &id);
    let (status, took) = (response.status().as_u16(), started.elapsed());
    service.metrics.count_request(&route, status, took);
    let millis = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    tracing::info!(request_id = id, %method, route, status, millis, "answered");
    response
}

/// The client's id for the request, when it is short and plain, or one of ours.
fn request_id(headers: &HeaderMap) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let plain = |id: &&str| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        (1..=MAX_REQUEST_ID).contains(&id.len()) && id.bytes().all(plain)
    };
    let given = headers
        .get(REQUEST_ID)
        .and_then(|id| id.to_str().ok())
        .filter(plain);
    given.map(str::to_owned).unwrap_or_else(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        format!("{:x}-{:x}", now.as_micros(), NEXT.fetch_add(1, Ordering::Relaxed))
    })
}

/// Who asks: the connection's peer, or whom the trusted proxy names last.
fn client(service: &Service, request: &Request) -> IpAddr {
    let peer = request.extensions().get::<Peer>();
    let peer = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0.ip());
    let Some(name) = &service.config.http.client_address_header else {
        return peer;
    };
    let named = request.headers().get_all(name).iter().next_back();
    let named = named.and_then(|value| value.to_str().ok()?.rsplit(',').next());
    named
        .and_then(|address| address.trim().parse().ok())
        .unwrap_or(peer)
}

fn write_problem(response: &mut Response, problem: &Problem, id: &str) {
    *response.status_mut() =
        StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    *response.body_mut() = Body::from(problem.to_value(id).to_string());
    let headers = response.headers_mut();
    headers.remove(header::CONTENT_LENGTH);
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/problem+json"),
    );
    if let Some(seconds) = problem.retry_after_seconds() {
        headers.insert(header::RETRY_AFTER, seconds.into());
    }
}

fn add_headers(headers: &mut HeaderMap, id: &str) {
    if let Ok(id) = HeaderValue::from_str(id) {
        headers.insert(REQUEST_ID, id);
    }
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; frame-ancestors 'none'",
        ),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
}
