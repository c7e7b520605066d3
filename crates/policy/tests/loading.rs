//! Loading policies: what is refused, with which code, and where.

use presight_policy::{Policy, PolicyError, limits};
use proptest::prelude::*;
use std::time::Instant;

/// A policy with one rule.
fn with(subject: &str, when: &str) -> String {
    format!(
        "name = \"p\"\n\
         verdicts = [{{ name = \"a\", exit = \"clean\" }}, {{ name = \"b\", exit = \"block\" }}]\n\
         unavailable = \"b\"\n\
         severities = {{ low = \"a\", high = \"b\" }}\n\
         [params.limit]\ntype = \"integer\"\ndefault = \"115792089237316195423570985008687907853269984665640564039457584007913129639935\"\n\
         [params.spenders]\ntype = \"accounts\"\ndefault = [\"eip155:1:0x52908400098527886E0F7030069857D2E4169EE7\"]\n\
         [[rules]]\ncode = \"r\"\nseverity = \"high\"\nsubject = \"{subject}\"\nmessage = \"m\"\n\
         when = '''{when}'''\n"
    )
}

fn fault(text: &str) -> PolicyError {
    Policy::load(text).expect_err("a fault")
}

#[track_caller]
fn refused(subject: &str, when: &str, code: &str, column: usize) {
    let error = fault(&with(subject, when));
    // `when = '''` is ten characters.
    assert_eq!(
        (error.code, error.line, error.column),
        (code, 16, 10 + column),
        "{when}: {error}"
    );
}

#[test]
fn unknown_names_and_wrong_types_are_found_at_their_place() {
    refused("approval", "approval.amuont > 1", "unknown-name", 9);
    refused("approval", "aproval.amount > 1", "unknown-name", 1);
    refused("approval", "approval.amount > params.limits", "unknown-name", 25);
    refused("address", "approval.amount > 1", "unknown-name", 1);
    refused("approval", "approval.unlimited > 1", "bad-type", 9);
    refused("approval", "approval.form", "bad-type", 1);
    refused("approval", "1 + 1 == \"2\"", "bad-type", 7);
    refused("approval", "frobnicate(approval)", "unknown-function", 11);
    refused("approval", "approval.unlimited && size(1) == 1", "bad-type", 28);
    refused("approval", "approval.spender == \"0x1\"", "bad-account-id", 21);
    refused(
        "approval",
        "approval.spender in [\"eip155:1:0x52908400098527886E0F7030069857D2E4169Ee7\"]",
        "bad-checksum",
        21,
    );
    refused(
        "address",
        "address.on_list.exists(e, e.valeu)",
        "unknown-name",
        28,
    );
    refused(
        "address",
        "address.on_list.exists(address, true)",
        "bad-expression",
        24,
    );
    refused("request", "1.5 < 2", "unsupported-expression", 1);
    refused("request", "{\"a\": 1}", "unsupported-expression", 1);
    refused("request", "request.chain ==", "bad-expression", 17);
}

#[test]
fn what_is_well_typed_is_loaded() {
    for (subject, when) in [
        (
            "approval",
            "approval.form != \"approval-for-all\" && approval.amount > params.limit - 1",
        ),
        (
            "approval",
            "!(approval.spender in params.spenders) && chain(approval.spender) == request.chain",
        ),
        (
            "approval",
            "approval.spender == \"eip155:1:0x52908400098527886E0F7030069857D2E4169EE7\"",
        ),
        (
            "approval",
            "address(approval.spender) in [\"0x52908400098527886e0f7030069857d2e4169ee7\"]",
        ),
        (
            "payment",
            "payment.match.all(m, m.param != \"payTo=agentWallet\" || m.value.equal)",
        ),
        (
            "request",
            "sum(request.transfers.filter(t, t.native).map(t, t.amount)) > units(\"1.5\", 18)",
        ),
        (
            "request",
            "findings.exists(f, f.kind.startsWith(\"com.example.\") && has(f.value.x) && f.value[\"x\"] == 1)",
        ),
        (
            "request",
            "request.calls.exists_one(c, c.function == \"\") ? request.has_typed_data : -1 < 0",
        ),
        (
            "address",
            "address.delegation.after == null && address.first_seen_block >= block(address.account)",
        ),
    ] {
        assert!(
            Policy::load(&with(subject, when)).is_ok(),
            "{:?}",
            Policy::load(&with(subject, when))
        );
    }
}

#[test]
fn json_policies_have_places_too() {
    let text = "{ \"name\": \"p\", \"verdicts\": [{\"name\":\"a\",\"exit\":\"clean\"},{\"name\":\"b\",\"exit\":\"block\"}],\n\
                \"unavailable\": \"b\", \"severities\": {\"high\": \"b\"}, \"rules\": [\n\
                {\"code\":\"r\", \"severity\":\"high\", \"subject\":\"text\", \"message\":\"m\", \"when\": \"text.control_chars > nothing\"}] }";
    let error = fault(text);
    assert_eq!((error.code, error.line), ("unknown-name", 3), "{error}");
    assert_eq!(
        text.lines().nth(2).unwrap().find("nothing"),
        Some(error.column - 1)
    );
    assert!(Policy::load(&text.replace("nothing", "1")).is_ok());
    // In a string with escapes the place is the string's.
    let escaped = text.replace("> nothing", "\\u003e nothing");
    assert_eq!(fault(&escaped).code, "unknown-name");
}

#[test]
fn the_file_itself_is_checked() {
    let good = with("request", "true");
    for (from, to, code) in [
        ("name = \"p\"\n", "", "missing-member"),
        ("name = \"p\"\n", "name = \"p\"\nnmae = 1\n", "unknown-member"),
        ("unavailable = \"b\"", "unavailable = \"a\"", "bad-verdicts"),
        ("unavailable = \"b\"", "unavailable = \"c\"", "unknown-name"),
        ("exit = \"clean\"", "exit = \"block\"", "bad-verdicts"),
        ("severity = \"high\"", "severity = \"higher\"", "unknown-name"),
        ("subject = \"request\"", "subject = \"moon\"", "unknown-name"),
        (
            "[params.limit]",
            "needs = [\"erc.presign.moon.phase\"]\n[params.limit]",
            "unknown-name",
        ),
        (
            "[params.limit]",
            "[not-read]\n\"presight.moon.*\" = \"accept\"\n[params.limit]",
            "unknown-name",
        ),
        (
            "[params.limit]",
            "[not-read]\ndefault = \"shrug\"\n[params.limit]",
            "unknown-name",
        ),
        ("message = \"m\"", "message = \"{nobody}\"", "unknown-name"),
        ("message = \"m\"", "message = \"{request.calls}\"", "bad-type"),
        ("message = \"m\"", "message = \"{\"", "bad-message"),
        ("type = \"integer\"", "type = \"float\"", "unknown-name"),
        ("default = \"115", "default = \"915", "bad-integer"),
        ("name = \"p\"", "name = 1.5", "bad-type"),
        ("name = \"p\"", "name = ", "toml-syntax"),
    ] {
        let text = good.replacen(from, to, 1);
        assert_ne!(text, good, "{from}");
        let error = fault(&text);
        assert_eq!(error.code, code, "{to}: {error}");
    }
}

/// Policies made to be slow, deep or large. Each is refused by a named bound before it costs anything; the time is printed
/// and decides nothing.
#[test]
fn hostile_policies_are_refused_by_a_named_bound() {
    let many_rules = |count: usize, when: &str| {
        let rule = format!(
            "[[rules]]\ncode = \"r\"\nseverity = \"high\"\nsubject = \"request\"\nmessage = \"m\"\nwhen = '{when}'\n"
        );
        with("request", "true") + &rule.repeat(count)
    };
    let nest = "findings.exists(a, findings.exists(b, findings.exists(c, findings.exists(d, true))))";
    let cases = [
        (
            "huge file",
            "#".repeat(limits::MAX_POLICY_BYTES + 1),
            "MAX_POLICY_BYTES",
        ),
        ("many rules", many_rules(limits::MAX_RULES, "true"), "MAX_RULES"),
        (
            "long expression",
            with("request", &"a".repeat(limits::MAX_EXPRESSION_BYTES + 1)),
            "MAX_EXPRESSION_BYTES",
        ),
        (
            "long chain",
            with("request", &("1+".repeat(400) + "1 == 1")),
            "MAX_EXPRESSION_TOKENS",
        ),
        (
            "chain as long as may be",
            with("request", &("1+".repeat(97) + "1 == 1")),
            "MAX_EXPRESSION_DEPTH",
        ),
        (
            "many tokens",
            many_rules(100, &("true&&".repeat(60) + "true")),
            "MAX_POLICY_TOKENS",
        ),
        (
            "parentheses",
            with("request", &("(".repeat(200) + "1" + &")".repeat(200))),
            "MAX_EXPRESSION_NESTING",
        ),
        (
            "open brackets",
            with("request", &"[".repeat(500)),
            "MAX_EXPRESSION_NESTING",
        ),
        (
            "calls",
            with("request", &"size(".repeat(100)),
            "MAX_EXPRESSION_NESTING",
        ),
        ("nots", with("request", &("!".repeat(90) + "true")), ""),
        ("minuses", with("request", &("-".repeat(150) + "1 == 1")), ""),
        (
            "members",
            with("request", &("request.a".to_owned() + &".a".repeat(95))),
            "MAX_EXPRESSION_DEPTH",
        ),
        (
            "conditionals",
            with("request", &("true?1:".repeat(30) + "1")),
            "boolean",
        ),
        (
            "nested comprehensions",
            with("request", nest),
            "MAX_COMPREHENSION_NESTING",
        ),
        (
            "unknown function",
            with("request", "sleep(1000000)"),
            "unknown function",
        ),
        (
            "deep tables",
            format!("a = {}{}", "[".repeat(60), "]".repeat(60)),
            "MAX_POLICY_DEPTH",
        ),
        ("very deep tables", "a = ".to_owned() + &"[".repeat(100_000), ""),
        ("deep JSON", "{\"a\":".repeat(10_000), ""),
        (
            "long message",
            with("request", "true").replace("\"m\"", &format!("\"{}\"", "m".repeat(600))),
            "MAX_MESSAGE_BYTES",
        ),
        ("not ASCII", with("request", "\"\u{202e}\" == \"\""), "ASCII"),
    ];
    for (what, text, says) in cases {
        let start = Instant::now();
        let loaded = Policy::load(&text);
        let took = start.elapsed();
        let error = loaded.err();
        println!(
            "{what:<26} {took:>10.2?}  {}",
            error.as_ref().map_or_else(String::new, ToString::to_string)
        );
        if ["nots", "minuses"].contains(&what) {
            continue;
        }
        assert!(error.is_some_and(|error| error.message.contains(says)), "{what}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// No expression makes loading panic.
    #[test]
    fn any_expression_is_loaded_or_refused(
        pieces in proptest::collection::vec(prop_oneof![
            Just("approval"), Just("."), Just("amount"), Just("("), Just(")"), Just("["), Just("]"), Just(" && "),
            Just(" || "), Just("!"), Just("-"), Just(" == "), Just(" < "), Just("1"), Just("\"a\""), Just("'"), Just("\""),
            Just("?"), Just(":"), Just("exists"), Just("has"), Just("x"), Just(", "), Just("{"), Just("}"), Just(" in "),
            Just("null"), Just("\\"), Just("`"), Just("b\"a\""), Just("0x"), Just("1u"), Just("9999999999999999999"),
            Just("params"), Just("limit"), Just("findings"), Just("\n"), Just("//"), Just("1.0"), Just("r'"),
        ], 0..40)
    ) {
        let _ = Policy::load(&with("approval", &pieces.concat().replace("'''", "")));
    }

    /// Nor does any text.
    #[test]
    fn any_text_is_loaded_or_refused(text in "[\\[\\]{}=\"'a-z.,\n #0-9é]{0,200}") {
        let _ = Policy::load(&text);
        let _ = Policy::load(&format!("{{{text}"));
    }

    /// A policy with a piece cut out is loaded or refused.
    #[test]
    fn any_damage_is_loaded_or_refused(start in 0_usize..3_000, length in 1_usize..60) {
        let text = presight_policy::presets::PRESETS[0].text;
        let text: String = text.chars().take(8_000).collect();
        let damaged: String = text.chars().take(start).chain(text.chars().skip(start + length)).collect();
        let _ = Policy::load(&damaged);
    }
}

#[test]
fn a_case_names_approvals_it_has_and_values_their_kinds_can_have() {
    let with = |fact: &str| {
        format!(
            r#"name = "c"
verdicts = [{{ name = "ok", exit = "clean" }}, {{ name = "no", exit = "block" }}]
unavailable = "no"
severities = {{ no = "no" }}
[[rules]]
code = "large"
severity = "no"
subject = "approval"
when = "approval.amount > 5"
message = "much"
[[cases]]
name = "one"
approvals = [{{ token = "eip155:1:0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", spender = "eip155:1:0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", form = "erc20-approve" }}]
facts = [{{ {fact} }}]
reasons = ["large"]
"#
        )
    };
    let good = Policy::load(&with(r#"approval = 0, amount = "6""#)).expect("loads");
    assert!(good.run_cases().passes());
    for (fact, code) in [
        (r#"approval = 1, amount = "6""#, "unknown-name"),
        (r#"approval = 0, amount = "-6""#, "wrong-type"),
        ("approval = 0, amount = -6", "wrong-type"),
        (r#"approval = 0, amount = "6.5""#, "wrong-type"),
        (r#"approval = 0, amount = "6", unlimited = "no""#, "wrong-type"),
        (
            r#"approval = 0, amount = "6", share_of_supply = "much""#,
            "wrong-type",
        ),
    ] {
        let error = Policy::load(&with(fact)).expect_err(fact);
        assert_eq!(error.code, code, "{fact}: {error}");
    }
}
