//! Every code that the validator, a consumer's checks and the commands on envelopes answer with, in one table.

use std::fmt;

/// Whether a code makes an envelope invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The envelope is invalid.
    Error,
    /// The envelope is valid, and its consumer should know.
    Warning,
    /// A command did not do what it was asked: nothing was judged, signed or projected.
    Refusal,
}

macro_rules! codes {
    ($($variant:ident $severity:ident $text:literal $meaning:literal)*) => {
        /// A stable code. The set is closed.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = $meaning] $variant,)*
        }

        impl Code {
            /// Every code: the errors, then the warnings, then the refusals.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The code as it is printed.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// What it means, in Markdown.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)* }
            }

            /// Whether it makes an envelope invalid.
            pub fn severity(self) -> Severity {
                match self { $(Self::$variant => Severity::$severity,)* }
            }
        }
    };
}

codes! {
    JsonSyntax Error "json-syntax"
        "Not RFC 8259 JSON text (comments, trailing commas, NaN, BOM, trailing data, raw control characters, empty input, ...)."
    JsonInvalidUtf8 Error "json-invalid-utf8"
        "The bytes are not UTF-8."
    JsonDuplicateKey Error "json-duplicate-key"
        "A member name occurs twice in one object, compared after unescaping, at any depth. Path: the repeated member."
    JsonLoneSurrogate Error "json-lone-surrogate"
        "A `\\u` escape leaves half a surrogate pair. Path: the string value, or the object when it is in a name."
    JsonNumberRange Error "json-number-range"
        "A number overflows an IEEE double. Path: the number."
    JsonTooDeep Error "json-too-deep"
        "More than 64 nested arrays and objects (the root is level 1)."
    WrongType Error "wrong-type"
        "Another JSON type than the field needs. `null` is never the same as absent. The root not being an object has path \"\"."
    MissingField Error "missing-field"
        "A required member is absent. Path: where it should be."
    MissingOperation Error "missing-operation"
        "As missing-field, for `calls[i].operation` only."
    MissingTokenId Error "missing-token-id"
        "An erc721 movement without tokenId."
    EmptyString Error "empty-string"
        "Empty text where something must be named: producer.id, signature.scheme, signature.signature, description.short, metadata.protocol, risk.warnings[].code, risk.scanners[].provider, paymasterService.url, permissions.type."
    InvalidEnum Error "invalid-enum"
        "Text outside a closed list. Lists are case-sensitive."
    IdTooLong Error "id-too-long"
        "`id` above 4096 characters (Unicode code points)."
    InvalidUrl Error "invalid-url"
        "`$schema` or `origin.url` is not an absolute URL."
    InvalidTimestamp Error "invalid-timestamp"
        "Not an RFC 3339 date-time, or an impossible date."
    TimestampNotUtc Error "timestamp-not-utc"
        "A good RFC 3339 date-time with an offset other than zero."
    InvalidAddress Error "invalid-address"
        "Not `0x` plus 40 hex digits (for movement.token: nor `native`)."
    InvalidHex Error "invalid-hex"
        "Not 0x hex, or not whole bytes where bytes are meant (data, permissions.context), or not 32 bytes (domain.salt)."
    InvalidQuantity Error "invalid-quantity"
        "`calls[i].value` is not `0x` plus at least one hex digit."
    InvalidDecimal Error "invalid-decimal"
        "amount, tokenId or estimatedGas is not an unsigned decimal integer without leading zeros."
    InvalidChain Error "invalid-chain"
        "Not `eip155:` plus 1 to 32 decimal digits without a leading zero."
    NotInteger Error "not-integer"
        "A number with a fractional value where an integer is meant."
    OutOfRange Error "out-of-range"
        "A number outside the allowed range (see \"Ranges\")."
    UnknownKind Error "unknown-kind"
        "kind is neither implemented nor reserved, x- kinds included."
    ReservedKind Error "reserved-kind"
        "kind is one of the nine reserved values."
    VersionFieldPresent Error "version-field-present"
        "A top-level `version` member, whatever its value."
    CallsLength Error "calls-length"
        "evm-tx with other than one call, evm-batch with fewer than two."
    ExpiresMismatch Error "expires-mismatch"
        "On a tx kind, expiresAt is not the same instant as validity.notAfter."
    OriginWithContentCoverage Error "origin-with-content-coverage"
        "coverage is `content` and an `origin` member is present, whatever its value."
    PermitOnTx Error "permit-on-tx"
        "evm-tx with description.action `permit`."
    ForbiddenField Error "forbidden-field"
        "A field of another signature scheme is present, whatever its value: domain, types, primaryType, message on personal-sign and siwe; messageText on eip-712."
    CapabilityPrefix Error "capability-prefix"
        "A capability key (envelope or call level) that is neither one of the four known keys nor `x-` plus at least one character."
    Eip712PrimaryType Error "eip712-primary-type"
        "primaryType is not an own key of types."
    Eip712UnknownType Error "eip712-unknown-type"
        "A member type that is no EIP-712 atomic or dynamic type, no declared struct, nor an array of those. `uint`, `int`, `uint7`, `bytes33`, `T[0]` are unknown."
    Eip712TypeName Error "eip712-type-name"
        "A struct name that is not an identifier, or is the name of a built-in type."
    Eip712FieldName Error "eip712-field-name"
        "A struct member name that is not an identifier."
    Eip712DuplicateField Error "eip712-duplicate-field"
        "Two members of one struct share a name. Path: the second name."
    Eip712Domain Error "eip712-domain"
        "The domain is empty, has a member outside the five, or `types.EIP712Domain` does not list exactly the domain members with their standard types (any order)."
    Eip712MissingValue Error "eip712-missing-value"
        "The message lacks a declared member. Path: where it should be."
    Eip712ExtraValue Error "eip712-extra-value"
        "The message has a member the type does not declare."
    Eip712Value Error "eip712-value"
        "A message value does not fit its type."
    SiweGrammar Error "siwe-grammar"
        "messageText does not match the ERC-4361 grammar (dates included)."
    NumberPrecision Warning "number-precision"
        "A number written as a plain integer that a double cannot hold exactly. Path: the number. JCS, and so any signature, covers the rounded value."
    UnsignedProducer Warning "unsigned-producer"
        "No producer (path /producer) or no producer.signature (path /producer/signature)."
    OriginUnverified Warning "origin-unverified"
        "No origin (path /origin) or verifyStatus UNVERIFIED (path /origin/verifyStatus)."
    OriginMismatch Warning "origin-mismatch"
        "verifyStatus MISMATCH."
    UnknownSignatureScheme Warning "unknown-signature-scheme"
        "scheme is not secp256k1, ed25519 or p256 (exact match)."
    PublicKeyMissing Warning "public-key-missing"
        "A signature without publicKey while producer.id is no DID."
    ProducerIdForm Warning "producer-id-form"
        "producer.id is not of the form `<scheme>:<non-empty, no white space>` that all four allowed forms share."
    UnrecognizedSchema Warning "unrecognized-schema"
        "`$schema` is a URL other than the v0.1 one; compared exactly."
    UnknownField Warning "unknown-field"
        "A member outside the closed list of its object (top level, producer, signature, origin, content, call, validity, blockhashRecency, description, metadata, movement, counterparty, similarityWarning, risk and its entries, paymasterService, permissions, EIP-712 type member). It is ignored, never removed from the document."
    ChainIdDeprecated Warning "chain-id-deprecated"
        "content.chainId is present on a tx kind."
    ChainIdMismatch Warning "chain-id-mismatch"
        "content.chainId differs from content.chain."
    Delegatecall Warning "delegatecall"
        "A call with operation delegatecall."
    UnlimitedApproval Warning "unlimited-approval"
        "An approve or permit movement with isUnlimited true. Path: the movement."
    UnlimitedNotFlagged Warning "unlimited-not-flagged"
        "An approve or permit movement of exactly 2^256-1 without isUnlimited true. Path: its isUnlimited."
    TokenIdRecommended Warning "token-id-recommended"
        "An erc1155 movement without tokenId."
    LabelSourceMissing Warning "label-source-missing"
        "A label without labelSource."
    SimilarityWarning Warning "similarity-warning"
        "The entry carries a similarityWarning."
    ActionOther Warning "action-other"
        "description.action is `other`."
    OtherWithoutLong Warning "other-without-long"
        "action `other` and no `long` member. Path: /content/description/long."
    PermitOnBatch Warning "permit-on-batch"
        "evm-batch with action `permit` (the prohibition names evm-tx only)."
    PermitWithoutExpiry Warning "permit-without-expiry"
        "A signature envelope with action permit or approve and no validity. Path: /content/validity."
    EmptyValidityWindow Warning "empty-validity-window"
        "notBefore is later than notAfter. Path: /content/validity."
    DomainChainMissing Warning "domain-chain-missing"
        "eip-712 domain without chainId."
    DomainChainMismatch Warning "domain-chain-mismatch"
        "domain.chainId differs from content.chain."
    SiweAddressChecksum Warning "siwe-address-checksum"
        "The SIWE address is not in EIP-55 form."
    RiskNotAuthoritative Warning "risk-not-authoritative"
        "A risk member is present: it is no statement of the producer and not authoritative."
    AtomicRequiredNotBatch Warning "atomic-required-not-batch"
        "atomicRequired true on a kind other than evm-batch."
    Expired Warning "expired"
        "With context.now: now > notAfter."
    NotYetValid Warning "not-yet-valid"
        "With context.now: now < notBefore."
    LongValidity Warning "long-validity"
        "With context.now and context.longValiditySeconds: notAfter - now is larger."
    ContactBookUnverified Warning "contact-book-unverified"
        "With context.contactBook: a labelSource contact_book entry whose address (compared without case) is not in it. Path: its labelSource."
    TooLarge Refusal "too-large"
        "The document is larger than 4 MiB, or a key file than 1 KiB: it is not looked at."
    Unreadable Refusal "unreadable"
        "The document has no typed form."
    NumberRewritten Refusal "number-rewritten"
        "sign, to-send-calls: canonical JSON (RFC 8785) would hold another number than the one given, such as 9007199254740992 for 9007199254740993 or 0 for 1e-400. Path: the number; write it as a string."
    NoProducer Refusal "no-producer"
        "sign: the envelope names no producer that could sign."
    WrongSigner Refusal "wrong-signer"
        "sign: producer.id names another key than the one given."
    BadKey Refusal "bad-key"
        "sign: the file holds no key of the scheme. verify: `--producer-key` is no key."
    NotSigned Refusal "not-signed"
        "sign: the key gives no signature of these bytes, or with it the envelope would not be valid."
    NotABatch Refusal "not-a-batch"
        "to-send-calls: only an evm-batch becomes a wallet_sendCalls request (§8.4)."
    DelegatecallNotProjectable Refusal "delegatecall-not-projectable"
        "to-send-calls: wallet_sendCalls has no delegatecall. Path: the call's operation."
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl serde::Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(self.as_str())
    }
}

/// The table as the page `docs/envelope-codes.md`.
pub fn page() -> String {
    let mut page = String::from(
        "# Codes of `presight envelope`\n\nErrors and warnings are the validator's; `canonicalize`, `digest`, `sign`, \
         `verify` and `to-send-calls` refuse a document with an error's code too. `check` has codes besides: they are in \
         the README.\n\nPrinted from the code; `cargo test -p presight-wire --test envelope_pages` \
         checks it, and with `UPDATE_PAGES=1` writes it.\n\nPaths are JSON Pointers (RFC 6901).\n",
    );
    for (severity, title) in [
        (Severity::Error, "Errors"),
        (Severity::Warning, "Warnings"),
        (Severity::Refusal, "Refusals"),
    ] {
        page.push_str(&format!("\n## {title}\n\n| Code | Meaning |\n|---|---|\n"));
        for code in Code::ALL.iter().filter(|code| code.severity() == severity) {
            page.push_str(&format!("| `{code}` | {} |\n", code.meaning()));
        }
    }
    page
}
