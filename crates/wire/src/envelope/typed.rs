//! A judged document in its typed form. Each reader gives `None` for what the validator refuses.

use super::fields::{
    Call, CallsContent, Capabilities, Content, Counterparty, Description, Fields, Message, Metadata, Origin,
    Paymaster, Permissions, Producer, ProducerSignature, Risk, RiskWarning, Scanner, SignatureContent,
    Similarity, Token, TokenMovement, TypedData, Validity,
};
use super::instant::Instant;
use super::scalars::{Chain, Decimal};
use super::walk::{hex_digits, is_address, is_vendor_key};
use super::words::{
    AccountType, Action, Coverage, LabelSource, MovementKind, NonceKind, Operation, PartyRole, RiskAction,
    RiskSeverity, Standard, VerifyStatus,
};
use crate::time::Timestamp;
use crate::tree::Tree;
use alloy_primitives::{Address, Bytes, U256, hex};
use serde_json::{Map, Number, Value};

/// A member that has to be there.
fn need<'t, 'a, T>(
    object: &'t Tree<'a>,
    name: &str,
    read: impl FnOnce(&'t Tree<'a>) -> Option<T>,
) -> Option<T> {
    read(object.get(name)?)
}

/// A member that may be left out.
#[expect(
    clippy::option_option,
    reason = "unreadable, absent and present are three things"
)]
fn may<'t, 'a, T>(
    object: &'t Tree<'a>,
    name: &str,
    read: impl FnOnce(&'t Tree<'a>) -> Option<T>,
) -> Option<Option<T>> {
    match object.get(name) {
        None => Some(None),
        Some(value) => read(value).map(Some),
    }
}

/// A word of a list.
macro_rules! word {
    ($type:ident) => {
        |value| $type::parse(value.as_str()?)
    };
}

/// Reads the whole.
pub(super) fn fields(document: &Tree<'_>) -> Option<Fields> {
    let signature = document.get("kind").and_then(Tree::as_str) == Some("signature");
    Some(Fields {
        schema: need(document, "$schema", text)?,
        id: may(document, "id", text)?,
        issued_at: need(document, "issuedAt", time)?,
        expires_at: may(document, "expiresAt", time)?,
        nonce: may(document, "nonce", text)?,
        producer: may(document, "producer", producer)?,
        origin: may(document, "origin", origin)?,
        content: if signature {
            Content::Signature(need(document, "content", signature_content)?)
        } else {
            Content::Calls(need(document, "content", calls_content)?)
        },
        risk: may(document, "risk", risk)?,
        capabilities: may(document, "capabilities", capabilities)?,
        meta: may(document, "meta", record)?,
    })
}

fn producer(value: &Tree<'_>) -> Option<Producer> {
    Some(Producer {
        id: need(value, "id", text)?,
        name: may(value, "name", text)?,
        signature: may(value, "signature", |value| {
            Some(ProducerSignature {
                scheme: need(value, "scheme", text)?,
                public_key: may(value, "publicKey", text)?,
                signature: need(value, "signature", text)?,
                coverage: need(value, "coverage", word!(Coverage))?,
            })
        })?,
    })
}

fn origin(value: &Tree<'_>) -> Option<Origin> {
    Some(Origin {
        url: need(value, "url", text)?,
        verify_status: need(value, "verifyStatus", word!(VerifyStatus))?,
        attestation: may(value, "attestation", text)?,
    })
}

fn calls_content(value: &Tree<'_>) -> Option<CallsContent> {
    Some(CallsContent {
        chain: need(value, "chain", word!(Chain))?,
        chain_id: may(value, "chainId", unsigned)?,
        from: may(value, "from", address)?,
        calls: need(value, "calls", |value| list(value, call))?,
        validity: need(value, "validity", validity)?,
        description: need(value, "description", description)?,
        metadata: need(value, "metadata", metadata)?,
        decoder_ref: may(value, "decoderRef", text)?,
        clear_signing: may(value, "clearSigning", record)?,
    })
}

fn call(value: &Tree<'_>) -> Option<Call> {
    Some(Call {
        to: need(value, "to", address)?,
        value: may(value, "value", quantity)?,
        data: may(value, "data", bytes)?,
        operation: need(value, "operation", word!(Operation))?,
        capabilities: may(value, "capabilities", record)?,
    })
}

fn validity(value: &Tree<'_>) -> Option<Validity> {
    Some(Validity {
        not_before: may(value, "notBefore", integer)?,
        not_after: need(value, "notAfter", integer)?,
        nonce_kind: may(value, "nonceKind", word!(NonceKind))?,
        blockhash_max_age: may(value, "blockhashRecency", |value| need(value, "maxAge", unsigned))?,
    })
}

fn description(value: &Tree<'_>) -> Option<Description> {
    Some(Description {
        short: need(value, "short", text)?,
        long: may(value, "long", text)?,
        action: need(value, "action", word!(Action))?,
    })
}

fn metadata(value: &Tree<'_>) -> Option<Metadata> {
    Some(Metadata {
        protocol: need(value, "protocol", text)?,
        token_movements: need(value, "tokenMovements", |value| list(value, movement))?,
        counterparties: need(value, "counterparties", |value| list(value, counterparty))?,
        estimated_gas: may(value, "estimatedGas", word!(Decimal))?,
    })
}

fn movement(value: &Tree<'_>) -> Option<TokenMovement> {
    let token = |value: &Tree<'_>| match value.as_str()? {
        "native" => Some(Token::Native),
        _ => address(value).map(Token::Contract),
    };
    Some(TokenMovement {
        token: need(value, "token", token)?,
        standard: need(value, "standard", word!(Standard))?,
        symbol: need(value, "symbol", text)?,
        decimals: need(value, "decimals", |value| u8::try_from(integer(value)?).ok())?,
        amount: need(value, "amount", word!(Decimal))?,
        token_id: may(value, "tokenId", word!(Decimal))?,
        kind: need(value, "kind", word!(MovementKind))?,
        is_unlimited: may(value, "isUnlimited", Tree::as_bool)?,
        from: need(value, "from", address)?,
        to: need(value, "to", address)?,
        usd_value: may(value, "usdValue", number)?,
    })
}

fn counterparty(value: &Tree<'_>) -> Option<Counterparty> {
    Some(Counterparty {
        address: need(value, "address", address)?,
        role: need(value, "role", word!(PartyRole))?,
        label: may(value, "label", text)?,
        label_source: may(value, "labelSource", word!(LabelSource))?,
        similarity_warning: may(value, "similarityWarning", |value| {
            Some(Similarity {
                similar_to: need(value, "similarTo", address)?,
                distance: need(value, "distance", number)?,
            })
        })?,
    })
}

fn signature_content(value: &Tree<'_>) -> Option<SignatureContent> {
    Some(SignatureContent {
        chain: need(value, "chain", word!(Chain))?,
        from: may(value, "from", address)?,
        message: match value.get("scheme")?.as_str()? {
            "eip-712" => Message::TypedData(TypedData {
                domain: need(value, "domain", record)?,
                types: need(value, "types", record)?,
                primary_type: need(value, "primaryType", text)?,
                message: need(value, "message", record)?,
            }),
            "siwe" => Message::SignIn(need(value, "messageText", text)?),
            _ => Message::Personal(need(value, "messageText", text)?),
        },
        description: need(value, "description", description)?,
        metadata: may(value, "metadata", metadata)?,
        validity: may(value, "validity", validity)?,
        erc6492: may(value, "erc6492", Tree::as_bool)?,
    })
}

fn risk(value: &Tree<'_>) -> Option<Risk> {
    let warning = |value: &Tree<'_>| {
        Some(RiskWarning {
            code: need(value, "code", text)?,
            severity: need(value, "severity", word!(RiskSeverity))?,
            message: need(value, "message", text)?,
        })
    };
    let scanner = |value: &Tree<'_>| {
        Some(Scanner {
            provider: need(value, "provider", text)?,
            verdict: need(value, "verdict", word!(RiskAction))?,
            url: may(value, "url", text)?,
        })
    };
    Some(Risk {
        action: need(value, "action", word!(RiskAction))?,
        score: may(value, "score", number)?,
        warnings: need(value, "warnings", |value| list(value, warning))?,
        scanners: may(value, "scanners", |value| list(value, scanner))?,
        reports: may(value, "reports", |value| Some(value.to_value()))?,
    })
}

fn capabilities(value: &Tree<'_>) -> Option<Capabilities> {
    let vendor = value.as_object()?.iter().filter(|(name, _)| is_vendor_key(name));
    Some(Capabilities {
        atomic_required: may(value, "atomicRequired", Tree::as_bool)?,
        paymaster_service: may(value, "paymasterService", |value| {
            Some(Paymaster {
                url: need(value, "url", text)?,
                sponsor: may(value, "sponsor", address)?,
            })
        })?,
        permissions: may(value, "permissions", |value| {
            Some(Permissions {
                context: need(value, "context", bytes)?,
                kind: need(value, "type", text)?,
            })
        })?,
        requires_account_type: may(value, "requiresAccountType", word!(AccountType))?,
        vendor: vendor
            .map(|(name, value)| (name.to_owned(), value.to_value()))
            .collect(),
    })
}

fn list<T>(value: &Tree<'_>, read: impl Fn(&Tree<'_>) -> Option<T>) -> Option<Vec<T>> {
    value.as_array()?.iter().map(read).collect()
}

fn text(value: &Tree<'_>) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn record(value: &Tree<'_>) -> Option<Map<String, Value>> {
    value.as_object().map(crate::tree::Members::to_map)
}

fn time(value: &Tree<'_>) -> Option<Timestamp> {
    Instant::parse(value.as_str()?).map(|instant| Timestamp(instant.seconds))
}

fn integer(value: &Tree<'_>) -> Option<i64> {
    value.as_number()?.integer()
}

fn unsigned(value: &Tree<'_>) -> Option<u64> {
    u64::try_from(integer(value)?).ok()
}

fn number(value: &Tree<'_>) -> Option<Number> {
    match value.to_value() {
        Value::Number(number) => Some(number),
        _ => None,
    }
}

fn address(value: &Tree<'_>) -> Option<Address> {
    value.as_str().filter(|text| is_address(text))?.parse().ok()
}

fn bytes(value: &Tree<'_>) -> Option<Bytes> {
    hex::decode(hex_digits(value.as_str()?)?).ok().map(Bytes::from)
}

fn quantity(value: &Tree<'_>) -> Option<U256> {
    match hex_digits(value.as_str()?)?.trim_start_matches('0') {
        "" => Some(U256::ZERO),
        digits => U256::from_str_radix(digits, 16).ok(),
    }
}
