//! What is printed from the code and checked in is current.

use std::path::Path;

#[test]
fn the_interface_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/openapi.json");
    let text = serde_json::to_string_pretty(&presight_server::openapi()).expect("JSON") + "\n";
    if std::env::var_os("UPDATE_PAGES").is_some() {
        std::fs::write(&path, &text).expect("the file is written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == text,
        "schemas/openapi.json is not current: run the test with UPDATE_PAGES=1"
    );
}
