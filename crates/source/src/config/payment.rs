//! Payments: the formats that drafts have not fixed, and further collectors.

use super::is_default;
use crate::payment::FlatType;
use serde::{Deserialize, Serialize};

/// What is known of payments beside the request. The default is what the drafts say today.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Payment {
    /// Signed quotes (ERC-8409).
    #[serde(skip_serializing_if = "is_default")]
    pub quote: QuoteFormat,
    /// Delegations of a payee to another address (x402 Payee Verification).
    #[serde(skip_serializing_if = "is_default")]
    pub payee_delegation: DelegationFormat,
}

/// How a quote is signed: an EIP-712 struct without nested types, under a domain of name, version and the quote's chain.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct QuoteFormat {
    /// The struct's type, as `encodeType` writes it.
    #[serde(rename = "type")]
    pub message: FlatType,
    /// The domain's name.
    pub domain_name: String,
    /// The domain's version.
    pub domain_version: String,
}

impl Default for QuoteFormat {
    fn default() -> Self {
        let message = "ServicePaymentQuote(address issuer,address payer,address recipient,address asset,uint256 amount,\
                       string requestScheme,bytes32 requestHash,bytes32 quoteId,uint64 validAfter,uint64 validUntil)";
        Self {
            message: FlatType::parse(message).expect("the type of ERC-8409 is flat"),
            domain_name: "Signed Service Payment Quotes".into(),
            domain_version: "1".into(),
        }
    }
}

/// How a payee delegates payments to another address, and where that is found.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct DelegationFormat {
    /// The struct's type, as `encodeType` writes it.
    #[serde(rename = "type")]
    pub message: FlatType,
    /// The domain's name.
    pub domain_name: String,
    /// The domain's version.
    pub domain_version: String,
    /// The member of the requirements' `extra`, or of the matching service, that holds the delegation: the struct's members and
    /// `signature`.
    pub member: String,
}

impl Default for DelegationFormat {
    fn default() -> Self {
        let message =
            "PayeeDelegation(address agentRegistry,uint256 agentId,address delegate,uint64 validUntil)";
        Self {
            message: FlatType::parse(message).expect("the assumed type is flat"),
            domain_name: "x402 Payee Verification".into(),
            domain_version: "1".into(),
            member: "payeeDelegation".into(),
        }
    }
}
