//! The node starts, does what the helpers say, and stops.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use presight_testnode::{FUNDED, Node};
use serde_json::json;

/// Creation code of a contract that returns 32 bytes of slot 0.
const RETURNS_SLOT_0: &str = "0x600a600c600039600a6000f360005460005260206000f3";

#[test]
fn deploys_sends_sets_mines_and_reorganises() {
    let Some(node) = Node::start(&[]) else { return };
    let contract = node.deploy(RETURNS_SLOT_0).unwrap();
    assert!(node.code(&contract).unwrap().len() > 2);
    node.set_storage(&contract, &format!("0x{:064x}", 0), &format!("0x{:064x}", 7))
        .unwrap();
    let value = node
        .request("eth_getStorageAt", &json!([contract, "0x0", "latest"]))
        .unwrap();
    assert_eq!(value, format!("0x{:064x}", 7));
    node.set_code(&contract, "0x00").unwrap();
    assert_eq!(node.code(&contract).unwrap(), "0x00");
    let receipt = node
        .send(&json!({ "from": FUNDED[1], "to": FUNDED[2], "value": "0x1" }))
        .unwrap();
    assert_eq!(receipt["status"], "0x1");
    node.mine(3).unwrap();
    let before = node.head().unwrap();
    node.reorg(2).unwrap();
    let after = node.head().unwrap();
    assert_eq!(before["number"], after["number"]);
    assert_ne!(before["hash"], after["hash"]);
    assert!(node.request("eth_noSuchMethod", &json!([])).is_err());
}

#[test]
fn stops_when_dropped() {
    let Some(node) = Node::start(&[]) else { return };
    let address = node.address();
    drop(node);
    assert!(std::net::TcpStream::connect(address).is_err());
}
