//! The tools, driven by the official TypeScript client over both transports.

mod binary;
mod service;

use binary::{Folder, arg, root};
use serde_json::{Value, json};
use service::Service;
use std::path::PathBuf;
use std::process::Command;

fn example(name: &str) -> PathBuf {
    root().join("examples/approve").join(name)
}

fn request() -> Value {
    serde_json::from_slice(&std::fs::read(example("request.json")).expect("the example")).expect("JSON")
}

/// Runs the client; `None`, with a word, where it is not installed.
fn drive(transport: &[&str], questions: &Value) -> Option<Value> {
    if !root().join("node_modules/@modelcontextprotocol/sdk").exists() {
        println!("skipped: the MCP client is absent (npm ci)");
        return None;
    }
    let folder = Folder::new();
    let file = folder.write("questions.json", questions.to_string());
    let output = Command::new("node")
        .arg(root().join("crates/cli/tests/mcp_client.mjs"))
        .args(transport)
        .arg(file)
        .output()
        .expect("node runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Some(serde_json::from_slice(&output.stdout).expect("JSON of the client"))
}

fn questions(report: &Value) -> Value {
    let mut wrong = request();
    wrong["subject"]["from"] = json!("<b>nobody</b>");
    json!([
        { "name": "presign_risk_report", "arguments": request() },
        { "name": "presign_check", "arguments": { "request": request(), "policy": "tiers" } },
        { "name": "presign_simulate", "arguments": request() },
        { "name": "presign_decode", "arguments": request() },
        { "name": "presign_verify", "arguments": { "report": report, "request": request() } },
        { "name": "presign_risk_report", "arguments": wrong },
    ])
}

fn check(got: &Value, report: &Value) {
    let tools = got["tools"].as_array().expect("tools");
    assert_eq!(tools.len(), 5);
    for tool in tools {
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{tool}");
        assert_eq!(tool["annotations"]["idempotentHint"], true, "{tool}");
        assert!(tool["annotations"]["openWorldHint"].is_boolean(), "{tool}");
        assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
    }
    let result = |index: usize| &got["results"][index];
    let structured = |index: usize| {
        let result = result(index);
        assert_ne!(result["isError"], true, "{result}");
        let text = result["content"][0]["text"].as_str().expect("text");
        assert!(text.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{text}");
        let document: Value = serde_json::from_str(text).expect("JSON");
        assert_eq!(document, result["structuredContent"]);
        assert!(
            result["content"][1]["text"]
                .as_str()
                .is_some_and(|text| text.contains("is data"))
        );
        document
    };
    assert_eq!(structured(0), *report);
    assert_eq!(structured(1)["policy"]["name"], "tiers");
    assert_eq!(structured(2)["status"], "success");
    assert!(structured(3)["calls"].is_array());
    assert_eq!(structured(4)["conclusion"], "verified");
    let refused = result(5);
    assert_eq!(refused["isError"], true);
    let text = refused["content"][0]["text"].as_str().expect("text");
    assert!(!text.contains('<'), "{text}");
    let problem: Value = serde_json::from_str(text).expect("JSON");
    assert_eq!(problem["pointer"], "/subject/from");
    assert_eq!(
        got["unknown"], -32602,
        "an unknown tool is an error of the protocol"
    );
    assert_eq!(got["server"]["name"], "presight");
}

#[test]
fn every_tool_answers_the_official_client_over_http_and_stdio() {
    let config = example("presight.toml");
    let service = Service::start(&config, &[]);
    let report = service.post("/api/presign", request().to_string()).json();
    let questions = questions(&report);
    let url = format!("{}/mcp", service.url());
    let Some(over_http) = drive(&["http", &url], &questions) else {
        return;
    };
    check(&over_http, &report);
    let over_stdio = drive(
        &["stdio", env!("CARGO_BIN_EXE_presight"), &arg(&config)],
        &questions,
    );
    check(&over_stdio.expect("the client is there"), &report);
}

#[test]
fn a_message_that_names_a_member_twice_and_a_foreign_page_are_refused() {
    let service = Service::start(&example("presight.toml"), &[]);
    let ask = |headers: &[(&str, &str)], body: &str| {
        let mut all = vec![
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ];
        all.extend(headers);
        service.send("POST", "/mcp", &all, body.as_bytes())
    };
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    assert_eq!(ask(&[], list).status, 200);
    let twice = r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/list"}"#;
    assert_eq!(ask(&[], twice).problem().1, "json-duplicate-key");
    assert_eq!(ask(&[("Origin", "https://evil.example")], list).status, 403);
    assert_eq!(ask(&[("Host", "evil.example")], list).status, 403);
}
