//! The service over HTTP on recorded views.

mod binary;
mod service;

use binary::{Folder, arg, presight, root};
use serde_json::{Value, json};
use service::Service;
use std::io::{Read as _, Write as _};
use std::path::PathBuf;

fn example(name: &str) -> PathBuf {
    root().join("examples/approve").join(name)
}

fn request() -> Vec<u8> {
    std::fs::read(example("request.json")).expect("the example's request")
}

fn request_value() -> Value {
    serde_json::from_slice(&request()).expect("JSON")
}

fn start() -> Service {
    Service::start(&example("presight.toml"), &[])
}

/// The report as the command line makes it on the same view with the same key.
fn report_of_the_command_line() -> Value {
    let [request, view, key] = ["request.json", "view.json", "key"].map(|name| arg(&example(name)));
    let registry = "eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3";
    presight([
        "report",
        &request,
        "--view",
        &view,
        "--key-file",
        &key,
        "--registry",
        registry,
    ])
    .json()
}

#[test]
fn a_presign_request_is_answered_with_the_same_report_as_on_the_command_line() {
    let service = start();
    let answer = service.post("/api/presign", request());
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.json(), report_of_the_command_line());
    assert!(answer.header("x-request-id").is_some_and(|id| !id.is_empty()));
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
}

#[test]
fn what_is_wrong_with_a_request_is_told_by_status_code_and_pointer() {
    let service = start();
    let post = |body: &str| service.post("/api/presign", body).problem();
    assert_eq!(post("{"), (400, "json-syntax".into(), None));
    assert_eq!(post("{\"a\":1,\"a\":2}").0, 400);
    assert_eq!(
        post("{\"a\":9007199254740993}"),
        (400, "json-inexact-number".into(), Some("/a".into()))
    );
    let mut wrong = request_value();
    wrong["subject"]["from"] = json!("nobody");
    let (status, _, pointer) = post(&wrong.to_string());
    assert_eq!((status, pointer.as_deref()), (422, Some("/subject/from")));
    let mut unknown = request_value();
    unknown["subject"]["calls"][0]["operation"] = json!("delegatecall");
    let (status, code, pointer) = post(&unknown.to_string());
    assert_eq!((status, code.as_str()), (422, "unknown-member"));
    assert_eq!(pointer.as_deref(), Some("/subject/calls/0/operation"));
    let kinds = json!({ "version": "erc-presign/1", "subject": request_value()["subject"], "kinds": ["x"] });
    assert_eq!(
        post(&kinds.to_string()),
        (422, "unknown-kind".into(), Some("/kinds/0".into()))
    );
    let large = vec![b' '; 1024 * 1024 + 1];
    assert_eq!(
        service.post("/api/presign", &large).problem(),
        (413, "too-large".into(), None)
    );

    let send = |headers: &[(&str, &str)]| {
        service
            .send("POST", "/api/presign", headers, &request())
            .problem()
    };
    assert_eq!(send(&[]), (415, "not-json".into(), None));
    assert_eq!(
        send(&[("Content-Type", "text/plain")]),
        (415, "not-json".into(), None)
    );
    let zipped = [("Content-Type", "application/json"), ("Content-Encoding", "gzip")];
    assert_eq!(send(&zipped), (415, "encoded-body".into(), None));
    assert_eq!(service.get("/nothing").problem(), (404, "not-found".into(), None));
    let wrong_method = service.get("/api/presign");
    assert_eq!(wrong_method.problem(), (405, "method-not-allowed".into(), None));
    assert_eq!(wrong_method.header("allow"), Some("POST"));
}

#[test]
fn a_clients_request_id_comes_back_when_it_is_plain() {
    let service = start();
    let id = |given: &str| {
        let answer = service.send("GET", "/v1/policies", &[("X-Request-Id", given)], b"");
        answer.header("x-request-id").expect("an id").to_owned()
    };
    assert_eq!(id("abc-1.2_3"), "abc-1.2_3");
    for hostile in ["a b", "<script>", &"x".repeat(65)] {
        assert_ne!(id(hostile), hostile);
    }
    let problem = service.send("GET", "/nothing", &[("X-Request-Id", "mine")], b"");
    assert_eq!(problem.json()["requestId"], "mine");
}

#[test]
fn check_gives_a_verdict_under_a_named_policy_with_parameters() {
    let service = start();
    let check = |question: Value| service.post("/v1/check", question.to_string());
    let light = check(json!({ "request": request_value() }));
    assert_eq!(light.status, 200, "{}", light.text());
    let light = light.json();
    assert_eq!(light["policy"]["name"], "traffic-light");
    assert_eq!(light["report"]["version"], "erc-presign/1");
    let [request, view] = ["request.json", "view.json"].map(|name| arg(&example(name)));
    let told = presight(["check", &request, "--view", &view, "--json", "--policy", "tiers"]).json();
    let tiers = check(json!({ "request": request_value(), "policy": "tiers" })).json();
    assert_eq!(tiers["verdict"], told["verdict"]);
    assert_eq!(tiers["reasons"], told["reasons"]);
    let problem = |question: Value| check(question).problem();
    let unknown = json!({ "request": request_value(), "policy": "mine" });
    assert_eq!(
        problem(unknown),
        (422, "unknown-policy".into(), Some("/policy".into()))
    );
    let parameter = json!({ "request": request_value(), "parameters": { "no_such": 1 } });
    assert_eq!(
        problem(parameter),
        (422, "bad-parameter".into(), Some("/parameters/no_such".into()))
    );
    let mut inner = json!({ "request": request_value() });
    inner["request"]["subject"]["from"] = json!("nobody");
    assert_eq!(problem(inner).2.as_deref(), Some("/request/subject/from"));
    let extra = json!({ "request": request_value(), "policies": [] });
    assert_eq!(
        problem(extra),
        (422, "unknown-member".into(), Some("/policies".into()))
    );
    assert_eq!(problem(json!({})).0, 422);
}

#[test]
fn simulate_decode_and_verify_answer_as_on_the_command_line() {
    let service = start();
    let [request_file, view] = ["request.json", "view.json"].map(|name| arg(&example(name)));
    let simulated = service.post("/v1/simulate", request()).json();
    assert_eq!(
        simulated,
        presight(["simulate", &request_file, "--view", &view, "--json"]).json()
    );
    let decoded = service.post("/v1/decode", request()).json();
    assert_eq!(decoded, presight(["decode", &request_file, "--json"]).json());

    let report = service.post("/api/presign", request()).json();
    let question = |report: &Value| json!({ "report": report, "request": request_value() }).to_string();
    let verified = service.post("/v1/verify", question(&report)).json();
    assert_eq!(verified["conclusion"], "verified", "{verified}");
    let mut tampered = report.clone();
    tampered["issuedAt"] = json!("2026-01-01T00:00:00Z");
    let rejected = service.post("/v1/verify", question(&tampered)).json();
    assert_eq!(rejected["conclusion"], "rejected", "{rejected}");
    let trusted = json!({
        "report": report, "request": request_value(),
        "trusted": ["eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3/7"],
    });
    let untrusted = service.post("/v1/verify", trusted.to_string()).json();
    assert_eq!(untrusted["conclusion"], "rejected", "{untrusted}");
}

#[test]
fn a_chain_that_is_not_served_is_not_read_and_the_report_still_comes() {
    let service = start();
    let text = String::from_utf8(request())
        .expect("UTF-8")
        .replace("eip155:31337", "eip155:10");
    let report = service.post("/api/presign", text).json();
    let findings = report["findings"].as_array().expect("findings");
    let from_chain: Vec<&Value> = findings
        .iter()
        .filter(|finding| finding["kind"] == "erc.presign.address.code")
        .collect();
    assert!(!from_chain.is_empty());
    assert!(
        from_chain
            .iter()
            .all(|finding| finding["reason"] == "unsupported"),
        "{from_chain:?}"
    );
}

#[test]
fn equal_questions_are_answered_once_with_their_age() {
    let service = start();
    let first = service.post("/api/presign", request());
    // The same document, written otherwise.
    let again = service.post("/api/presign", request_value().to_string());
    assert_eq!(first.body, again.body);
    assert!(again.header("age").is_some_and(|age| age.parse::<u64>().is_ok()));
    let metrics = service.get("/metrics");
    let counted = |line: &str| metrics.text().lines().any(|found| found == line);
    assert!(
        counted("presight_questions_total{topic=\"report\",how=\"worked\"} 1"),
        "{}",
        metrics.text()
    );
    assert!(
        counted("presight_questions_total{topic=\"report\",how=\"kept\"} 1"),
        "{}",
        metrics.text()
    );
}

#[test]
fn metrics_count_what_was_read_and_what_was_not() {
    let service = start();
    let report = service.post("/api/presign", request()).json();
    let metrics = service.get("/metrics");
    assert_eq!(
        metrics.header("content-type"),
        Some("text/plain; version=0.0.4; charset=utf-8")
    );
    let findings = report["findings"].as_array().expect("findings");
    for finding in findings {
        let outcome = finding["reason"].as_str().unwrap_or("read");
        let kind = finding["kind"].as_str().expect("a kind");
        let alike = findings
            .iter()
            .filter(|other| other["kind"] == kind && other["reason"].as_str().unwrap_or("read") == outcome);
        let line = format!(
            "presight_findings_total{{kind=\"{kind}\",outcome=\"{outcome}\"}} {}",
            alike.count()
        );
        assert!(
            metrics.text().lines().any(|found| found == line),
            "{line}\n{}",
            metrics.text()
        );
    }
    assert!(
        metrics
            .text()
            .contains("presight_http_requests_total{route=\"/api/presign\",status=\"200\"} 1")
    );
}

#[test]
fn health_names_the_chains_and_what_is_blind() {
    let service = start();
    let health = service.get("/health");
    assert_eq!(health.status, 200);
    let health = health.json();
    assert_eq!(health["status"], "ok");
    assert_eq!(health["chains"][0]["chainId"], "eip155:31337");
    let blind = health["blind"].to_string();
    assert!(blind.contains("erc.presign.address.on-list"), "{blind}");

    let folder = Folder::new();
    let nothing = folder.write("presight.toml", "unsigned = true\n");
    let service = Service::start(&nothing, &[]);
    let health = service.get("/health");
    assert_eq!(
        (health.status, health.json()["status"].as_str()),
        (503, Some("blind"))
    );
}

#[test]
fn policies_registration_and_the_interface_are_published() {
    let service = start();
    let policies = service.get("/v1/policies").json();
    assert_eq!(policies["default"], "traffic-light");
    assert!(
        policies["policies"]
            .as_array()
            .is_some_and(|policies| policies.len() >= 4)
    );
    let file = service.get("/.well-known/agent-registration.json").json();
    let signer = "eip155:31337:0x14dc79964da2c08b23698b3d3cc7ca32193d9955";
    assert_eq!(file["services"][0]["name"], "presign-risk-report");
    assert_eq!(file["services"][0]["signers"], json!([signer]));
    assert_eq!(service.get("/openapi.json").json()["openapi"], "3.1.0");
}

#[test]
fn one_client_is_limited_and_told_when_to_come_again() {
    let limits = [
        ("PRESIGHT_LIMITS_CLIENT_PER_SECOND", "1"),
        ("PRESIGHT_LIMITS_CLIENT_BURST", "2"),
    ];
    let service = Service::start(&example("presight.toml"), &limits);
    let answers: Vec<_> = (0..4).map(|_| service.post("/v1/decode", request())).collect();
    let limited = answers
        .iter()
        .find(|answer| answer.status == 429)
        .expect("a limit");
    assert_eq!(limited.problem().1, "client-limit");
    assert!(
        limited
            .header("retry-after")
            .is_some_and(|wait| wait.parse::<u64>().is_ok_and(|wait| wait > 0))
    );
    assert_eq!(service.get("/health").status, 200, "operators are not limited");
    assert!(
        service
            .get("/metrics")
            .text()
            .contains("presight_refused_total{code=\"client-limit\"}")
    );
}

#[test]
fn a_connection_goes_on_after_a_refusal_whose_body_came_later() {
    let limits = [
        ("PRESIGHT_LIMITS_CLIENT_PER_SECOND", "1"),
        ("PRESIGHT_LIMITS_CLIENT_BURST", "1"),
    ];
    let service = Service::start(&example("presight.toml"), &limits);
    let body = request();
    let head = |connection: &str| {
        format!(
            "POST /v1/decode HTTP/1.1\r\nHost: localhost\r\nConnection: {connection}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        )
    };
    let mut stream = service.connect();
    for connection in ["keep-alive", "keep-alive", "close"] {
        stream.write_all(head(connection).as_bytes()).expect("a head");
        std::thread::sleep(std::time::Duration::from_millis(20));
        stream.write_all(&body).expect("a body");
    }
    let mut answers = Vec::new();
    stream.read_to_end(&mut answers).expect("three answers");
    let answers = String::from_utf8_lossy(&answers);
    assert_eq!(answers.matches("HTTP/1.1 200 ").count(), 1, "{answers}");
    assert_eq!(answers.matches("HTTP/1.1 429 ").count(), 2, "{answers}");
}

#[test]
fn behind_a_trusted_proxy_each_of_its_clients_has_its_own_limit() {
    let limits = [
        ("PRESIGHT_LIMITS_CLIENT_PER_SECOND", "1"),
        ("PRESIGHT_LIMITS_CLIENT_BURST", "1"),
        ("PRESIGHT_HTTP_CLIENT_ADDRESS_HEADER", "X-Forwarded-For"),
    ];
    let service = Service::start(&example("presight.toml"), &limits);
    let status = |client: &str| {
        service
            .send("GET", "/v1/policies", &[("X-Forwarded-For", client)], b"")
            .status
    };
    assert_eq!(status("192.0.2.1"), 200);
    // What a client writes in front does not count.
    assert_eq!(status("198.51.100.9, 192.0.2.1"), 429);
    assert_eq!(status("192.0.2.2"), 200);
}

#[test]
fn pages_of_other_origins_may_ask_only_when_they_are_listed() {
    let preflight = |service: &Service| {
        let headers = [
            ("Origin", "https://app.example"),
            ("Access-Control-Request-Method", "POST"),
            ("Access-Control-Request-Headers", "content-type"),
        ];
        let answer = service.send("OPTIONS", "/api/presign", &headers, b"");
        answer.header("access-control-allow-origin").map(str::to_owned)
    };
    assert_eq!(preflight(&start()), None);
    let listed = [(
        "PRESIGHT_HTTP_CORS_ORIGINS",
        "https://app.example,https://b.example",
    )];
    let service = Service::start(&example("presight.toml"), &listed);
    assert_eq!(preflight(&service).as_deref(), Some("https://app.example"));
}

#[test]
fn answers_are_compressed_on_request() {
    let service = start();
    let headers = [("Content-Type", "application/json"), ("Accept-Encoding", "gzip")];
    let answer = service.send("POST", "/api/presign", &headers, &request());
    assert_eq!(answer.header("content-encoding"), Some("gzip"));
    assert_eq!(answer.body[..2], [0x1f, 0x8b]);
}

#[test]
fn a_service_that_is_told_to_stop_ends_with_success() {
    let mut service = start();
    assert_eq!(service.post("/v1/decode", request()).status, 200);
    service.terminate();
    assert_eq!(service.wait(), Some(0));
}

#[test]
fn a_configuration_that_cannot_be_used_is_refused_with_its_place() {
    let folder = Folder::new();
    let run = |text: &str| {
        let file = folder.write("presight.toml", text);
        let run = presight(["serve", "--config", &arg(&file), "--json"]);
        (
            run.code,
            run.json()["error"]["code"].as_str().expect("a code").to_owned(),
            run.stderr,
        )
    };
    assert_eq!(run("listen = 1").1, "bad-type");
    assert_eq!(run("").1, "no-key");
    assert_eq!(run("unsigned = true\npolicy = \"mine\"").1, "unknown-policy");
    assert_eq!(run("unsigned = true\nviews = [\"none.json\"]").1, "bad-view");
    let (code, name, _) = run("unsigned = true\nlissten = \"x\"");
    assert_eq!((code, name.as_str()), (2, "unknown-key"));
}

#[test]
fn config_check_says_what_works_and_what_is_blind() {
    let config = arg(&example("presight.toml"));
    let run = presight(["config", "check", "--config", &config, "--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let checked = run.json();
    assert_eq!(checked["canRead"], true);
    let item = |what: &str| {
        let items = checked["items"].as_array().expect("items");
        items
            .iter()
            .find(|item| item["what"] == what)
            .unwrap_or_else(|| panic!("no {what}: {checked}"))["status"]
            .clone()
    };
    assert_eq!(item("key"), "ok");
    assert_eq!(item("eip155:31337"), "ok");
    assert_eq!(item("ipfs: documents"), "blind");

    let folder = Folder::new();
    let dead = "unsigned = true\n[chain.\"eip155:1\"]\nnodes = [\"http://127.0.0.1:9/secret\"]\n";
    let dead = folder.write("presight.toml", dead);
    let run = presight(["config", "check", "--config", &arg(&dead)]);
    assert_eq!(run.code, 30, "{}", run.text());
    assert!(run.text().contains("fails"), "{}", run.text());
    assert!(!run.text().contains("secret") && !run.stderr.contains("secret"));
}

/// The commands of docs/http.md, as they stand there but for the port.
#[test]
fn the_commands_of_the_documentation_work() {
    if std::process::Command::new("curl")
        .arg("--version")
        .output()
        .is_err()
    {
        println!("skipped: curl is absent");
        return;
    }
    let page = std::fs::read_to_string(root().join("docs/http.md")).expect("the page");
    let commands: Vec<&str> = page
        .split("```sh\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect();
    let service = start();
    for command in &commands {
        let here = command.replace("http://127.0.0.1:8481", &service.url());
        let output = std::process::Command::new("bash")
            .args([
                "-euo",
                "pipefail",
                "-c",
                &here.replace("curl -sS", "curl -sS --fail-with-body"),
            ])
            .current_dir(root())
            .output()
            .expect("bash runs");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{command}\n{said}");
        assert!(!output.stdout.is_empty(), "{command}");
    }
    for route in [
        "/api/presign",
        "/v1/check",
        "/v1/simulate",
        "/v1/decode",
        "/v1/verify",
        "/v1/policies",
        "/health",
    ] {
        assert!(
            commands.iter().any(|command| command.contains(route)),
            "{route} has no command"
        );
    }
}
