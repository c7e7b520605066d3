//! `presight digest`

use crate::exit::{Exit, Failure, print};
use crate::input;
use presight_wire::Request;
use serde_json::json;
use std::path::Path;

/// Prints the two digests that bind a report to the request.
pub(crate) fn run(request: &Path, as_json: bool) -> Result<Exit, Failure> {
    let request = Request::parse(&input::document(request)?)?;
    let (subject, context) = (request.subject_digest(), request.context_digest());
    print(&if as_json {
        json!({ "subjectDigest": subject, "contextDigest": context }).to_string()
    } else {
        format!("subjectDigest  {subject}\ncontextDigest  {context}")
    });
    Ok(Exit::Clean)
}
