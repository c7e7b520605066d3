//! The codes of the run-time check: the validator's, and what only a consumer can see.

use presight_wire::envelope::{Code, Problem, Severity};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

macro_rules! codes {
    ($($variant:ident $severity:ident $text:literal $meaning:literal)*) => {
        /// What only a consumer can find, with a clock, a chain, an address book or a decoder. The set is closed.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum ConsumerCode {
            $(#[doc = $meaning] $variant,)*
        }

        impl ConsumerCode {
            /// Every code.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The code as it is printed.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// What it means, in Markdown.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)* }
            }

            /// Whether the envelope has to be rejected.
            pub fn severity(self) -> Severity {
                match self { $(Self::$variant => Severity::$severity,)* }
            }
        }
    };
}

codes! {
    OnChainExpiry Error "on-chain-expiry"
        "`validity.notAfter` is later than the earliest expiry in the calls, or in the typed data, minus the buffer (§5.4)."
    DelegatecallRefused Error "delegatecall-refused"
        "A delegatecall that the consumer's policy does not let through: denied, not on its allow-list, or not simulated."
    CloseToExpiry Warning "close-to-expiry"
        "Less than the given time is left until `notAfter`: prepare it anew (§5.4)."
    MovementContradicted Warning "movement-contradicted"
        "The calls or the typed data do otherwise than this movement says. Path: the movement."
    MovementOmitted Warning "movement-omitted"
        "The calls or the typed data move or grant something that no movement says. Path: the call or the message."
    ActionContradicted Warning "action-contradicted"
        "`description.action` names another action than the calls or the typed data."
    SymbolMismatch Warning "symbol-mismatch"
        "The token contract gives another symbol. Path: the movement's symbol."
    DecimalsMismatch Warning "decimals-mismatch"
        "The token contract gives other decimals. Path: the movement's decimals."
    StandardMismatch Warning "standard-mismatch"
        "The token contract is of another standard. Path: the movement's standard."
    DescriptorMismatch Warning "descriptor-mismatch"
        "The ERC-7730 descriptor is not for the chain, target and selector of any call: it must not be rendered (§5.7)."
    SignerMismatch Warning "signer-mismatch"
        "The sign-in message names another account than `from`."
    SignInChainMismatch Warning "sign-in-chain-mismatch"
        "The sign-in message names another chain than `chain`."
    SetCodeClaimed Warning "set-code-claimed"
        "A text speaks of an EIP-7702 authorization, which no specified kind can carry (§Security Considerations)."
    OddBytes Warning "odd-bytes"
        "The bytes of a call or of the typed data are odd, in the way that the message names; see `oddities`."
    OpaqueCall Warning "opaque-call"
        "A call or a message that is not understood in full: it may move or grant anything, and no claim was compared with it."
    NotDecoded Warning "not-decoded"
        "The content is beyond what the decoder takes: nothing in it was compared, and its expiries were not looked for."
}

/// A code of the check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CheckCode {
    /// The validator's, run-time ones included.
    Validator(Code),
    /// A consumer's own.
    Consumer(ConsumerCode),
}

impl CheckCode {
    /// The code as it is printed.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Validator(code) => code.as_str(),
            Self::Consumer(code) => code.as_str(),
        }
    }

    /// Whether the envelope has to be rejected.
    pub fn severity(self) -> Severity {
        match self {
            Self::Validator(code) => code.severity(),
            Self::Consumer(code) => code.severity(),
        }
    }
}

impl From<Code> for CheckCode {
    fn from(code: Code) -> Self {
        Self::Validator(code)
    }
}

impl From<ConsumerCode> for CheckCode {
    fn from(code: ConsumerCode) -> Self {
        Self::Consumer(code)
    }
}

impl fmt::Display for CheckCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for CheckCode {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(self.as_str())
    }
}

/// One thing that is wrong, or that a consumer should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Note {
    /// What.
    pub code: CheckCode,
    /// Where: an RFC 6901 pointer into the envelope, empty for the whole document.
    pub path: String,
    /// For people. It may hold text of the envelope or of a contract.
    pub message: Cow<'static, str>,
}

impl Note {
    pub(crate) fn new(
        code: impl Into<CheckCode>,
        path: impl Into<String>,
        message: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            code: code.into(),
            path: path.into(),
            message: message.into(),
        }
    }
}

impl From<&Problem> for Note {
    fn from(problem: &Problem) -> Self {
        Self::new(problem.code, problem.path.clone(), problem.message.clone())
    }
}
