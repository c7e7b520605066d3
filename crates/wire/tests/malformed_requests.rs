//! Malformed requests: each is refused with exactly its code and pointer.

use presight_wire::Request;
use serde_json::Value;

#[test]
fn every_malformed_request_is_refused_at_its_place() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("vectors/malformed.json")).unwrap();
    assert!(cases.len() >= 60, "{} cases", cases.len());
    let mut wrong = Vec::new();
    for case in &cases {
        let text = match (case.get("input"), case.get("request")) {
            (Some(input), None) => input.as_str().unwrap().to_owned(),
            (None, Some(request)) => request.to_string(),
            _ => panic!("a case has either `input` or `request`: {case}"),
        };
        let found = match Request::parse(text.as_bytes()) {
            Ok(_) => "accepted".to_owned(),
            Err(refusal) => format!("{} at {}", refusal.code, refusal.pointer),
        };
        let word = |name: &str| case[name].as_str().unwrap();
        let expected = format!("{} at {}", word("code"), word("pointer"));
        if found != expected {
            wrong.push(format!("{}: {found}; expected {expected}", word("name")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
