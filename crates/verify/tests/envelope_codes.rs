//! The README's table of the check's codes is the code's.
#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

use presight_verify::envelope::ConsumerCode;
use presight_wire::envelope::{Code, Severity};
use std::path::Path;

#[test]
fn every_code_is_in_the_readme() {
    let readme =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md")).unwrap();
    let mut rows = String::from("| Code | | Meaning |\n|---|---|---|\n");
    for code in ConsumerCode::ALL {
        let severity = match code.severity() {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Refusal => "refusal",
        };
        rows.push_str(&format!(
            "| `{}` | {severity} | {} |\n",
            code.as_str(),
            code.meaning()
        ));
    }
    assert!(
        readme.contains(&format!("{rows}\n")),
        "the README should have:\n{rows}"
    );
}

/// The two sets are one namespace.
#[test]
fn no_code_is_one_of_the_validators() {
    for code in ConsumerCode::ALL {
        assert!(
            Code::ALL
                .iter()
                .all(|validators| validators.as_str() != code.as_str()),
            "{}",
            code.as_str()
        );
    }
}
