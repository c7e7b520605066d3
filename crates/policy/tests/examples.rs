//! The worked examples of the authors' guide: each loads, its cases come out, and every rule fires and stays quiet in some.

use presight_policy::Policy;
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
fn the_guide_lists_every_kind_and_its_policy_loads() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/policies.md");
    let guide = std::fs::read_to_string(guide).expect("the guide");
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
    let (_, policy) = guide.split_once("```toml\n").expect("a policy");
    let (policy, _) = policy.split_once("```").expect("its end");
    let address = |digit: &str| format!("0x{}", digit.repeat(40));
    let policy = policy
        .replacen("0x…", &address("a"), 1)
        .replacen("0x…", &address("b"), 1);
    let report = Policy::load(&policy).expect("it loads").run_cases();
    assert!(report.passes(), "{report:?}");
}
