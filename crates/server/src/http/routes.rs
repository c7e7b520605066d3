//! The handlers.

use super::{Shared, body};
use crate::metrics::CONTENT_TYPE;
use crate::service::{Problem, Service, Topic};
use axum::Json;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use presight_engine::policies::listed;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Answers a question that comes as a JSON body.
pub(super) async fn ask(service: Arc<Service>, topic: Topic, request: Request) -> Result<Response, Problem> {
    let (head, body) = request.into_parts();
    let document = body::json(&head.headers, body, topic.max_bytes()).await?;
    let wait = preferred_wait(&head.headers);
    let answer = service.ask(topic, document, wait).await?;
    let mut response = Response::new(Body::from(answer.body.clone()));
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        header::HeaderValue::from_static("application/json"),
    );
    headers.insert(header::AGE, answer.made.elapsed().as_secs().into());
    if let Some(wait) = wait {
        let applied = wait.min(service.config.limits.deadline).as_secs();
        if let Ok(applied) = format!("wait={applied}").parse() {
            headers.insert(HeaderName::from_static("preference-applied"), applied);
        }
    }
    Ok(response)
}

/// `Prefer: wait=N` (RFC 7240): the seconds a client waits. A preference that is not understood is none.
fn preferred_wait(headers: &HeaderMap) -> Option<Duration> {
    let preferences = headers
        .get_all("prefer")
        .iter()
        .filter_map(|value| value.to_str().ok());
    let mut waits = preferences
        .flat_map(|value| value.split(','))
        .filter_map(|preference| {
            let (name, value) = preference.split(';').next()?.split_once('=')?;
            let value = value.trim().trim_matches('"');
            let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
            (name.trim().eq_ignore_ascii_case("wait") && digits).then(|| value.parse().ok())?
        });
    waits.next().map(Duration::from_secs)
}

pub(super) async fn policies(State(service): Shared) -> Json<Value> {
    Json(json!({
        "default": service.policies.default().name(),
        "policies": service.policies.all().map(listed).collect::<Vec<_>>(),
    }))
}

pub(super) async fn health(State(service): Shared) -> Response {
    let (ok, document) = crate::health::health(&service);
    let status = match ok {
        true => StatusCode::OK,
        false => StatusCode::SERVICE_UNAVAILABLE,
    };
    (status, Json(document)).into_response()
}

pub(super) async fn metrics(State(service): Shared) -> Response {
    (
        [(header::CONTENT_TYPE, CONTENT_TYPE)],
        service.metrics.text(&service),
    )
        .into_response()
}

pub(super) async fn openapi() -> Json<Value> {
    Json(super::openapi::document())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_read_among_other_preferences() {
        let wait = |values: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append("prefer", value.parse().unwrap());
            }
            preferred_wait(&headers).map(|wait| wait.as_secs())
        };
        assert_eq!(wait(&["wait=10"]), Some(10));
        assert_eq!(wait(&["respond-async, Wait=\"5\"; x=1"]), Some(5));
        assert_eq!(wait(&["respond-async", "wait=0"]), Some(0));
        for none in [
            "wait",
            "wait=",
            "wait=-1",
            "wait=+1",
            "wait=1.5",
            "await=1",
            "wait=99999999999999999999999",
        ] {
            assert_eq!(wait(&[none]), None, "{none}");
        }
    }
}
