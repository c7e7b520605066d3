//! The proxy does what it is told.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use presight_testnode::{Node, Proxy, Reply};
use std::io::{Read, Write};
use std::net::TcpStream;

fn post(url: &str, body: &str) -> String {
    let address = url.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn forwards_refuses_answers_and_closes() {
    let Some(node) = Node::start(&[]) else { return };
    let chain_id = r#"{"jsonrpc":"2.0","id":5,"method":"eth_chainId","params":[]}"#;
    let proxy = Proxy::start(node.address(), move |nth, _| match nth {
        0 => Reply::Forward,
        1 => Reply::Status(429, Some(7)),
        2 => Reply::Body("{}".into()),
        3 => Reply::Close,
        _ => Reply::ForwardInstead(chain_id.into()),
    });
    assert!(post(&proxy.url(), chain_id).contains("0x7a69"));
    let refused = post(&proxy.url(), "{}");
    assert!(
        refused.starts_with("HTTP/1.1 429 ") && refused.contains("Retry-After: 7\r\n"),
        "{refused}"
    );
    assert!(post(&proxy.url(), "{}").ends_with("\r\n\r\n{}"));
    assert_eq!(post(&proxy.url(), "{}"), "");
    assert!(post(&proxy.url(), "{}").contains("0x7a69"));
    assert_eq!(proxy.requests(), 5);
}
