//! The worked examples of the authors' guide: each loads, its cases come out, and every rule fires and stays quiet in some.

use presight_policy::{Policy, limits};
use std::path::Path;

#[test]
fn the_cases_of_every_example_come_out() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/policies");
    let guide = std::fs::read_to_string(folder.join("../../docs/policies.md")).expect("the guide");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("examples")
        .map(|entry| entry.expect("a file").path())
        .collect();
    files.sort();
    assert_eq!(files.len(), 5);
    for path in files {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        assert!(
            guide.contains(&format!("../examples/policies/{name}")),
            "the guide does not name {name}"
        );
        let policy = match Policy::load(&std::fs::read_to_string(&path).expect("text")) {
            Ok(policy) => policy,
            Err(error) => panic!("{name}: {error}"),
        };
        let report = policy.run_cases();
        for case in &report.cases {
            assert!(
                case.differences.is_empty(),
                "{name}, {}: {:?}",
                case.name,
                case.differences
            );
        }
        for (rule, [fired, quiet, _]) in policy.rules().iter().zip(&report.rules) {
            assert!(
                *fired > 0 && *quiet > 0,
                "{name}: {} fires {fired} times and is quiet {quiet}",
                rule.code()
            );
        }
    }
}

#[test]
fn the_guide_lists_every_kind() {
    let guide = guide();
    let (_, table) = guide
        .split_once("<!-- kinds: checked by a test -->")
        .expect("the kinds");
    let (table, _) = table.split_once("<!-- end of kinds -->").expect("their end");
    let rows: Vec<&str> = table.lines().filter(|line| line.starts_with("| `")).collect();
    let known: Vec<_> = presight_policy::known_kinds().collect();
    assert_eq!(rows.len(), known.len());
    for (row, kind) in rows.iter().zip(known) {
        assert!(
            row.contains(&format!("`{}`", kind.member)) && row.ends_with(&format!("`{}` |", kind.name)),
            "{row}"
        );
    }
}

fn guide() -> String {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/policies.md");
    std::fs::read_to_string(guide).expect("the guide")
}

/// The blocks of a document in a language.
fn blocks<'a>(document: &'a str, language: &str) -> Vec<&'a str> {
    let start = format!("```{language}\n");
    let blocks = document.split(start.as_str()).skip(1);
    blocks
        .map(|rest| rest.split_once("```").expect("its end").0)
        .collect()
}

#[test]
fn the_policies_of_the_guide_are_run_as_they_stand() {
    let guide = guide();
    let policies = blocks(&guide, "toml");
    assert!(!policies.is_empty());
    for text in policies {
        let report = Policy::load(text).expect("it loads").run_cases();
        assert!(!report.cases.is_empty() && report.passes(), "{report:?}");
    }
}

#[test]
fn the_expressions_of_the_guide_are_conditions() {
    let guide = guide();
    let expressions: Vec<&str> = blocks(&guide, "cel").into_iter().flat_map(str::lines).collect();
    assert!(!expressions.is_empty());
    for expression in expressions {
        let (subject, _) = expression.split_once('.').expect("a subject");
        let text = format!(
            "name = \"p\"\nverdicts = [{{ name = \"a\", exit = \"clean\" }}, {{ name = \"b\", exit = \"block\" }}]\n\
             unavailable = \"b\"\nseverities = {{ high = \"b\" }}\n\
             [[rules]]\ncode = \"r\"\nseverity = \"high\"\nsubject = \"{subject}\"\nmessage = \"m\"\nwhen = '{expression}'\n"
        );
        if let Err(error) = Policy::load(&text) {
            panic!("{expression}: {error}");
        }
    }
}

#[test]
fn the_guide_tells_the_bounds() {
    let guide = guide();
    let (_, bounds) = guide
        .split_once("<!-- bounds: checked by a test -->")
        .expect("the bounds");
    let (bounds, _) = bounds.split_once("<!-- end of bounds -->").expect("their end");
    let told: Vec<u64> = bounds
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|digits| digits.parse().ok())
        .collect();
    let bounds = [
        limits::MAX_EXPRESSION_BYTES,
        limits::MAX_EXPRESSION_TOKENS,
        limits::MAX_EXPRESSION_NESTING,
        limits::MAX_EXPRESSION_DEPTH,
        limits::MAX_COMPREHENSION_NESTING,
        limits::MAX_POLICY_TOKENS,
        limits::MAX_RULES,
    ];
    let mut expected: Vec<u64> = bounds.iter().map(|bound| *bound as u64).collect();
    expected.push(limits::MAX_STEPS);
    assert_eq!(told, expected);
}
