//! Words that can never be met, and integers of 256 bits: found, or read exactly, when a policy is loaded.

use presight_policy::{Policy, PolicyError};

/// A policy with one rule and parameters to compare with; `head` stands at the top.
fn with(head: &str, subject: &str, when: &str) -> String {
    format!(
        "name = \"p\"\n\
         verdicts = [{{ name = \"a\", exit = \"clean\" }}, {{ name = \"b\", exit = \"block\" }}]\n\
         unavailable = \"b\"\n\
         severities = {{ high = \"b\" }}\n\
         {head}\n\
         [params.forms]\ntype = \"texts\"\ndefault = [\"erc20-approve\"]\n\
         [params.misspelt]\ntype = \"texts\"\ndefault = [\"erc20_approve\"]\n\
         [[rules]]\ncode = \"r\"\nseverity = \"high\"\nsubject = \"{subject}\"\nmessage = \"m\"\n\
         when = '''{when}'''\n"
    )
}

#[track_caller]
fn fault(head: &str, subject: &str, when: &str) -> PolicyError {
    Policy::load(&with(head, subject, when)).expect_err(when)
}

#[track_caller]
fn loads(head: &str, subject: &str, when: &str) {
    if let Err(error) = Policy::load(&with(head, subject, when)) {
        panic!("{when}: {error}");
    }
}

/// The column of `what` in the line of the condition.
fn column(when: &str, what: &str) -> usize {
    "when = '''".len() + when.find(what).expect("it is there") + 1
}

#[test]
fn a_misspelt_word_is_found_at_its_place_with_the_nearest_one() {
    for (subject, when, wrong, says) in [
        (
            "approval",
            "approval.form == \"erc20-aprove\"",
            "\"erc20-aprove\"",
            "`erc20-approve`?",
        ),
        (
            "approval",
            "\"erc20-aprove\" == approval.form",
            "\"erc20-aprove\"",
            "`erc20-approve`?",
        ),
        (
            "approval",
            "approval.form in [\"erc20-approve\", \"erc20_approve\"]",
            "\"erc20_approve\"",
            "`erc20-approve`?",
        ),
        (
            "approval",
            "!(approval.form != \"for-all\")",
            "\"for-all\"",
            "known: erc20-approve",
        ),
        (
            "approval",
            "approval.form in params.misspelt",
            ".misspelt",
            "parameter `misspelt`",
        ),
        (
            "approval",
            "approval.form.startsWith(\"permit3-\")",
            "\"permit3-\"",
            "no form of an approval",
        ),
        (
            "address",
            "address.role == \"recipent\"",
            "\"recipent\"",
            "`recipient`?",
        ),
        (
            "address",
            "address.code == \"contrat\"",
            "\"contrat\"",
            "`contract`?",
        ),
        (
            "request",
            "addresses.exists(a, a.role == \"authorty\")",
            "\"authorty\"",
            "`authority`?",
        ),
        (
            "request",
            "\"deletecall\" in request.flags",
            "\"deletecall\"",
            "`delegatecall`?",
        ),
        (
            "request",
            "request.flags.exists(f, f == \"deletecall\")",
            "\"deletecall\"",
            "`delegatecall`?",
        ),
        (
            "request",
            "request.flags.filter(f, f != \"x\").exists(f, f in [\"delegate-call\"])",
            "\"x\"",
            "no flag",
        ),
        (
            "request",
            "request.form == \"erc3009-transfr\"",
            "\"erc3009-transfr\"",
            "`erc3009-transfer`?",
        ),
        (
            "request",
            "request.chain == \"eip155:01\"",
            "\"eip155:01\"",
            "leading zeros",
        ),
        (
            "approval",
            "chain(approval.spender) == \"eip155\"",
            "\"eip155\"",
            "CAIP-2",
        ),
        (
            "approval",
            "account(\"eip155:01\", address(approval.spender)) == approval.token",
            "\"eip155:01\"",
            "leading zeros",
        ),
        ("request", "block(\"eip155:x\") > 1", "\"eip155:x\"", "CAIP-2"),
        (
            "call",
            "call.selector == \"0x095EA7B3\"",
            "\"0x095EA7B3\"",
            "no selector",
        ),
        (
            "request",
            "findings.exists(f, f.kind == \"erc.presign.approval.unlimitd\")",
            "\"erc.presign.approval.unlimitd\"",
            "`erc.presign.approval.unlimited`?",
        ),
        (
            "request",
            "findings.exists(f, f.kind == \"com.example.score\")",
            "\"com.example.score\"",
            "`extensions`",
        ),
        (
            "payment",
            "payment.match.exists(p, p.param == \"payTo=agentwallet\" && !p.value.equal)",
            "\"payTo=agentwallet\"",
            "`payTo=agentWallet`?",
        ),
        (
            "payment",
            "payment.payee_binding.exists(p, p.value == \"missmatch\")",
            "\"missmatch\"",
            "`mismatch`?",
        ),
        (
            "address",
            "address.source_verified.exists(s, s.value == \"exacct\")",
            "\"exacct\"",
            "`exact`?",
        ),
        (
            "address",
            "address.effects_batch.exists(b, b.value.status != \"sucess\")",
            "\"sucess\"",
            "`success`?",
        ),
    ] {
        let error = fault("", subject, when);
        assert_eq!(
            (error.code, error.column),
            ("unknown-word", column(when, wrong)),
            "{when}: {error}"
        );
        assert!(error.message.contains(says), "{when}: {error}");
    }
}

#[test]
fn known_and_declared_words_are_loaded() {
    for (subject, when) in [
        ("approval", "approval.form in params.forms"),
        ("approval", "approval.form.startsWith(\"permit2-\")"),
        (
            "request",
            "request.form == \"\" || request.primary_type == \"anything\"",
        ),
        ("call", "call.selector in [\"\", \"0x095ea7b3\"]"),
        (
            "request",
            "block(\"eip155:1\") > block(\"eip155:1:0x52908400098527886E0F7030069857D2E4169EE7\")",
        ),
    ] {
        loads("", subject, when);
    }
    loads(
        "extensions = [\"com.example.score\"]",
        "request",
        "findings.exists(f, f.kind == \"com.example.score\")",
    );
    loads(
        "extensions = [\"com.example.score\"]\nneeds = [\"com.example.score\"]",
        "request",
        "true",
    );
    let undeclared = fault("needs = [\"com.example.score\"]", "request", "true");
    assert_eq!(
        (undeclared.code, undeclared.line),
        ("unknown-name", 5),
        "{undeclared}"
    );
    let near = fault("needs = [\"erc.presign.adress.code\"]", "request", "true");
    assert!(near.message.contains("`erc.presign.address.code`?"), "{near}");
    assert_eq!(
        fault("extensions = [\"presight.moon\"]", "request", "true").code,
        "bad-name"
    );
}

#[test]
fn a_parameter_takes_only_the_words_it_is_compared_with_and_only_once() {
    let text = with("", "approval", "approval.form in params.forms");
    let mut policy = Policy::load(&text).expect("loads");
    let fault = policy
        .set("forms", "erc20-approve,aproval-for-all")
        .expect_err("no form");
    assert!(fault.contains("`approval-for-all`?"), "{fault}");
    policy.set("forms", "approval-for-all").expect("a form");
    let twice = policy.set("forms", "approval-for-all").expect_err("twice");
    assert!(twice.contains("twice"), "{twice}");
    let unknown = policy.set("form", "x").expect_err("no parameter");
    assert!(unknown.contains("`forms`?"), "{unknown}");
}

/// Whether a condition without facts holds.
fn holds(when: &str) -> bool {
    let case = "[[cases]]\nname = \"c\"\nverdict = \"b\"\nreasons = [\"r\"]\n";
    let policy = Policy::load(&(with("", "request", when) + case)).unwrap_or_else(|e| panic!("{when}: {e}"));
    policy.run_cases().passes()
}

#[test]
fn integers_of_256_bits_are_exact() {
    let most = "115792089237316195423570985008687907853269984665640564039457584007913129639935";
    for when in [
        format!("{most} > {most} - 1"),
        format!("{most} == 0x{}", "f".repeat(64)),
        format!("-{most} < 0 && {most} - {most} == 0"),
        "18446744073709551616 == pow2(64) && 0x10000000000000000 == pow2(64)".to_owned(),
        "9223372036854775807 + 1 == 9223372036854775808 && -9223372036854775808 < 0".to_owned(),
        "0x10 == 16 && 0xfFfFfFfFfFfFfFfFfF > 1".to_owned(),
        format!("int(\"{most}\") in [1, {most}] // 99999999999999999999 is less, isn't it"),
        "int(\"99999999999999999999\") == 99999999999999999999".to_owned(),
    ] {
        assert!(holds(&when), "{when}");
    }
    assert!(!holds(&format!("{most} < {most}")));
}

#[test]
fn what_is_no_integer_of_256_bits_is_found_at_its_place() {
    let more = "115792089237316195423570985008687907853269984665640564039457584007913129639936";
    let hex = format!("0x1{}", "0".repeat(64));
    for (when, wrong, code) in [
        (format!("1 < {more}"), more, "bad-integer"),
        (format!("1 < {hex}"), hex.as_str(), "bad-integer"),
        (
            "r\"\\\" == \"99999999999999999999\"".to_owned(),
            "r\"",
            "bad-expression",
        ),
        (
            "1 == 1 && \"\"\"a\"99999999999999999999\"\"\"".to_owned(),
            "\"\"\"",
            "bad-expression",
        ),
    ] {
        let error = fault("", "request", &when);
        assert_eq!(
            (error.code, error.column),
            (code, column(&when, wrong)),
            "{when}: {error}"
        );
    }
    // A name of the form that stands for such an integer inside cannot be made.
    let error = fault("", "request", "approvals.exists(__000000, __000000.amount > 1)");
    assert_eq!(error.code, "bad-expression", "{error}");
    assert_eq!(fault("", "request", "__0 > 1").code, "unknown-name");
}

#[test]
fn parameters_are_integers_in_decimal_or_hex() {
    for (written, is) in [
        ("16", "16"),
        ("0x10", "16"),
        ("\"0xff\"", "255"),
        ("\"18_446_744_073_709_551_616\"", "18446744073709551616"),
        ("18446744073709551616", "18446744073709551616"),
    ] {
        let head = format!("[params.x]\ntype = \"integer\"\ndefault = {written}");
        let policy = Policy::load(&with(&head, "request", "params.x > 0"))
            .unwrap_or_else(|e| panic!("{written}: {e}"));
        let x = policy
            .parameters()
            .iter()
            .find(|p| p.name() == "x")
            .expect("it is there");
        assert_eq!(x.value(), is, "{written}");
    }
    let mut policy = Policy::load(&with(
        "[params.x]\ntype = \"integer\"\ndefault = 1",
        "request",
        "params.x > 0",
    ))
    .expect("loads");
    assert!(
        policy.set("x", "-1").is_err() && policy.set("x", "0x").is_err() && policy.set("x", "1e9").is_err()
    );
    policy
        .set("x", &format!("0x{}", "f".repeat(64)))
        .expect("256 bits");
}

#[test]
fn a_policy_without_rules_is_refused() {
    let text = with("", "request", "true");
    let (without, _) = text.split_once("[[rules]]").expect("rules");
    assert_eq!(Policy::load(without).expect_err("no rules").code, "no-rules");
}
