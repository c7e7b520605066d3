//! The closed lists of words an envelope uses.

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident { $($variant:ident $word:literal)+ })+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $(#[doc = concat!("`", $word, "`")] $variant,)+
        }

        impl $name {
            /// Every word, in the order of the variants.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// The word in JSON.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// The variant of a word; case matters.
            pub fn parse(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }
    )+};
}

words! {
    /// The kinds whose content is specified (§2).
    Kind { EvmTx "evm-tx" EvmBatch "evm-batch" Signature "signature" }

    /// What a producer's signature covers (§3.2).
    Coverage { Envelope "envelope" Content "content" }

    /// Whether an attestation confirmed the origin (§4).
    VerifyStatus { Verified "VERIFIED" Unverified "UNVERIFIED" Mismatch "MISMATCH" }

    /// How a call runs (§5.3).
    Operation { Call "call" DelegateCall "delegatecall" }

    /// The on-chain nonce scheme (§5.4).
    NonceKind { Sequential "sequential" Durable "durable" Bitmap "bitmap" }

    /// What the envelope says it does; presentational (§5.5).
    Action {
        Transfer "transfer"
        Approve "approve"
        Permit "permit"
        RevokeApproval "revoke-approval"
        Swap "swap"
        Stake "stake"
        Unstake "unstake"
        Claim "claim"
        Restake "restake"
        Mint "mint"
        Burn "burn"
        Deposit "deposit"
        Withdraw "withdraw"
        Delegate "delegate"
        Bridge "bridge"
        AdminOp "admin-op"
        Other "other"
    }

    /// The token standard of a movement (§5.6).
    Standard { Erc20 "erc20" Erc721 "erc721" Erc1155 "erc1155" Native "native" }

    /// What a movement does (§5.6).
    MovementKind {
        Transfer "transfer"
        Approve "approve"
        Permit "permit"
        Mint "mint"
        Burn "burn"
        Revoke "revoke"
    }

    /// What a counterparty is (§5.6).
    PartyRole {
        Recipient "recipient"
        Spender "spender"
        SwapVenue "swap-venue"
        Pool "pool"
        Bridge "bridge"
        Admin "admin"
        Unknown "unknown"
    }

    /// Where a label comes from, from the most to the least trusted (§5.6.1).
    LabelSource {
        ContactBook "contact_book"
        ProtocolDirectory "protocol_directory"
        RecentInteraction "recent_interaction"
        Untrusted "untrusted"
    }

    /// How a message is signed (§6.2).
    MessageScheme { Eip712 "eip-712" PersonalSign "personal-sign" Siwe "siwe" }

    /// A verdict of a consumer or a scanner (§7).
    RiskAction { Allow "ALLOW" Warn "WARN" Block "BLOCK" }

    /// How grave a warning is (§7).
    RiskSeverity { Low "low" Medium "medium" High "high" Critical "critical" }

    /// The account type an envelope is for (§8.1).
    AccountType { Eoa "eoa" DelegatedEoa "delegated-eoa" Erc4337 "erc-4337" }
}

impl Kind {
    /// Whether the content is calls.
    pub fn has_calls(self) -> bool {
        self != Self::Signature
    }
}
