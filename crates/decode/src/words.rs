//! The closed words of a decoding, for whoever writes rules about them.

/// Every code of [`Flag`](crate::Flag) and of `CallNode::flags`.
pub const FLAGS: &[&str] = &[
    "bad-address",
    "bad-checksum",
    "delegatecall",
    "dirty-padding",
    "domain-chain-mismatch",
    "domain-type-missing",
    "duplicate-member",
    "extra-member",
    "grant-of-another-kind",
    "message-not-decoded",
    "missing-member",
    "nested-not-understood",
    "nesting-limit",
    "non-canonical-encoding",
    "non-canonical-permit2",
    "non-standard-domain",
    "odd-member-name",
    "owner-not-signer",
    "padded-integer",
    "payment-network-unknown",
    "short-arguments",
    "short-input",
    "short-transactions",
    "trailing-bytes",
    "type-alias",
    "unchecked-offsets",
    "undeclared-domain-field",
    "undecodable-arguments",
    "unrecognised-permit",
    "unsupported-chain",
    "zero-address-target",
];

/// Every name of `TypedData::recognised`.
pub const TYPED_FORMS: &[&str] = &[
    "erc2612-permit",
    "dai-permit",
    "permit2-permit-single",
    "permit2-permit-batch",
    "permit2-permit-transfer-from",
    "permit2-permit-batch-transfer-from",
    "permit2-permit-witness-transfer-from",
    "permit2-permit-batch-witness-transfer-from",
    "erc3009-transfer",
    "erc3009-receive",
    "erc3009-cancel",
    "safe-transaction",
    "safe-user-operation",
    "user-operation",
    "meta-transaction",
    "forward-request",
];

#[cfg(test)]
mod tests {
    use super::{FLAGS, TYPED_FORMS};
    use std::path::Path;

    /// The texts after each of `marks` in the crate's sources, tests aside.
    fn written(folder: &Path, marks: &[&str], found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            if name.starts_with("tests") || name == "words.rs" {
                continue;
            }
            if path.is_dir() {
                written(&path, marks, found);
                continue;
            }
            let source = std::fs::read_to_string(&path).expect("text");
            for mark in marks {
                let texts = source.split(mark).skip(1).filter_map(|rest| {
                    let (text, _) = rest.trim_start().strip_prefix('"')?.split_once('"')?;
                    Some(text.to_owned())
                });
                found.extend(texts);
            }
        }
    }

    #[test]
    fn every_code_that_the_decoder_raises_is_a_word() {
        let mut raised = Vec::new();
        let marks = ["Flag::new(", "of_data(", " flag(", "Oddity {\n    code:"];
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        written(&sources, &marks, &mut raised);
        assert!(raised.len() >= FLAGS.len(), "{raised:?}");
        for code in raised {
            assert!(FLAGS.contains(&code.as_str()), "{code}");
        }
    }

    #[test]
    fn every_recognised_form_is_a_word() {
        let source = include_str!("typed/form.rs");
        let (_, names) = source.split_once("pub(crate) fn name(self)").expect("the names");
        let (names, _) = names.split_once("\n    }\n").expect("their end");
        let names: Vec<&str> = names.split('"').skip(1).step_by(2).collect();
        assert_eq!(names, TYPED_FORMS);
    }
}
