//! The routes, and serving them.

mod body;
mod exchange;
pub(crate) mod openapi;
mod registration;
mod routes;
mod serve;

pub use serve::{ServeError, serve};

use crate::mcp;
use crate::service::{Problem, Service, Topic};
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, Method, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Router, middleware};
use std::sync::Arc;
use tower_http::compression::CompressionLayer;
use tower_http::cors::{AllowOrigin, CorsLayer};

/// What the handlers share.
pub(crate) type Shared = State<Arc<Service>>;

/// The whole service as one router.
pub(crate) fn router(service: &Arc<Service>) -> Router {
    let ask =
        |topic: Topic| post(move |State(service): Shared, request| routes::ask(service, topic, request));
    Router::new()
        .route("/api/presign", ask(Topic::Report))
        .route("/v1/check", ask(Topic::Check))
        .route("/v1/simulate", ask(Topic::Simulate))
        .route("/v1/decode", ask(Topic::Decode))
        .route("/v1/verify", ask(Topic::Verify))
        .route("/v1/policies", get(routes::policies))
        .route("/health", get(routes::health))
        .route("/metrics", get(routes::metrics))
        .route("/openapi.json", get(routes::openapi))
        .route(
            "/.well-known/agent-registration.json",
            get(registration::fragment),
        )
        .nest_service("/mcp", mcp::over_http(service))
        .method_not_allowed_fallback(|| async {
            Problem::new(405, "method-not-allowed", "not with this method")
        })
        .fallback(|| async { Problem::new(404, "not-found", "there is nothing at this path") })
        .layer(CompressionLayer::new().gzip(true))
        .layer(cors(&service.config.http.cors_origins))
        .layer(middleware::from_fn_with_state(
            service.clone(),
            exchange::exchange,
        ))
        .with_state(service.clone())
}

fn cors(origins: &[String]) -> CorsLayer {
    let allowed = match origins {
        origins if origins.iter().any(|origin| origin == "*") => AllowOrigin::any(),
        origins => {
            let origins = origins
                .iter()
                .filter_map(|origin| HeaderValue::from_str(origin).ok());
            AllowOrigin::list(origins)
        }
    };
    CorsLayer::new()
        .allow_origin(allowed)
        .allow_methods([Method::GET, Method::POST])
        .allow_headers([
            header::CONTENT_TYPE,
            HeaderName::from_static("prefer"),
            HeaderName::from_static("x-request-id"),
            HeaderName::from_static("mcp-protocol-version"),
            HeaderName::from_static("mcp-session-id"),
        ])
        .expose_headers([
            header::AGE,
            header::RETRY_AFTER,
            HeaderName::from_static("preference-applied"),
            HeaderName::from_static("x-request-id"),
        ])
}

/// A problem on its way out: the exchange, which knows the request's id, writes its document.
impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = Response::default();
        response.extensions_mut().insert(self);
        response
    }
}
