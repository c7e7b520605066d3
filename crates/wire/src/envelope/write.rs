//! The typed form as JSON.

use super::fields::{
    Call, CallsContent, Capabilities, Content, Counterparty, Description, Fields, Message, Metadata, Origin,
    Producer, Risk, SignatureContent, Token, TokenMovement, Validity,
};
use super::scalars::Decimal;
use super::words::{AccountType, LabelSource, NonceKind};
use alloy_primitives::Address;
use serde_json::{Map, Value, json};

/// An object in the making.
#[derive(Default)]
struct Object(Map<String, Value>);

impl Object {
    fn set(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.insert(name.to_owned(), value.into());
        self
    }

    fn set_some(self, name: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.set(name, value),
            None => self,
        }
    }

    fn end(self) -> Value {
        Value::Object(self.0)
    }
}

/// Writes the whole.
pub(super) fn fields(fields: &Fields) -> Value {
    Object::default()
        .set("$schema", fields.schema.as_str())
        .set("kind", fields.kind().as_str())
        .set_some("id", fields.id.as_deref())
        .set("issuedAt", fields.issued_at.to_string())
        .set_some("expiresAt", fields.expires_at.map(|time| time.to_string()))
        .set_some("nonce", fields.nonce.as_deref())
        .set_some("producer", fields.producer.as_ref().map(producer))
        .set_some("origin", fields.origin.as_ref().map(origin))
        .set(
            "content",
            match &fields.content {
                Content::Calls(content) => calls_content(content),
                Content::Signature(content) => signature_content(content),
            },
        )
        .set_some("risk", fields.risk.as_ref().map(risk))
        .set_some("capabilities", fields.capabilities.as_ref().map(capabilities))
        .set_some("meta", fields.meta.clone())
        .end()
}

fn producer(producer: &Producer) -> Value {
    let signature = producer.signature.as_ref().map(|signature| {
        Object::default()
            .set("scheme", signature.scheme.as_str())
            .set_some("publicKey", signature.public_key.as_deref())
            .set("signature", signature.signature.as_str())
            .set("coverage", signature.coverage.as_str())
            .end()
    });
    Object::default()
        .set("id", producer.id.as_str())
        .set_some("name", producer.name.as_deref())
        .set_some("signature", signature)
        .end()
}

fn origin(origin: &Origin) -> Value {
    Object::default()
        .set("url", origin.url.as_str())
        .set("verifyStatus", origin.verify_status.as_str())
        .set_some("attestation", origin.attestation.as_deref())
        .end()
}

fn calls_content(content: &CallsContent) -> Value {
    Object::default()
        .set("chain", content.chain.to_string())
        .set_some("chainId", content.chain_id)
        .set_some("from", content.from.map(address))
        .set("calls", list(&content.calls, call))
        .set("validity", validity(&content.validity))
        .set("description", description(&content.description))
        .set("metadata", metadata(&content.metadata))
        .set_some("decoderRef", content.decoder_ref.as_deref())
        .set_some("clearSigning", content.clear_signing.clone())
        .end()
}

fn call(call: &Call) -> Value {
    Object::default()
        .set("to", address(call.to))
        .set_some("value", call.value.map(|value| format!("{value:#x}")))
        .set_some("data", call.data.as_ref().map(ToString::to_string))
        .set("operation", call.operation.as_str())
        .set_some("capabilities", call.capabilities.clone())
        .end()
}

fn validity(validity: &Validity) -> Value {
    Object::default()
        .set_some("notBefore", validity.not_before)
        .set("notAfter", validity.not_after)
        .set_some("nonceKind", validity.nonce_kind.map(NonceKind::as_str))
        .set_some(
            "blockhashRecency",
            validity.blockhash_max_age.map(|age| json!({ "maxAge": age })),
        )
        .end()
}

fn description(description: &Description) -> Value {
    Object::default()
        .set("short", description.short.as_str())
        .set_some("long", description.long.as_deref())
        .set("action", description.action.as_str())
        .end()
}

fn metadata(metadata: &Metadata) -> Value {
    Object::default()
        .set("protocol", metadata.protocol.as_str())
        .set("tokenMovements", list(&metadata.token_movements, movement))
        .set("counterparties", list(&metadata.counterparties, counterparty))
        .set_some(
            "estimatedGas",
            metadata.estimated_gas.as_ref().map(Decimal::as_str),
        )
        .end()
}

fn movement(movement: &TokenMovement) -> Value {
    let token = match movement.token {
        Token::Native => "native".to_owned(),
        Token::Contract(contract) => address(contract),
    };
    Object::default()
        .set("token", token)
        .set("standard", movement.standard.as_str())
        .set("symbol", movement.symbol.as_str())
        .set("decimals", movement.decimals)
        .set("amount", movement.amount.as_str())
        .set_some("tokenId", movement.token_id.as_ref().map(Decimal::as_str))
        .set("kind", movement.kind.as_str())
        .set_some("isUnlimited", movement.is_unlimited)
        .set("from", address(movement.from))
        .set("to", address(movement.to))
        .set_some("usdValue", movement.usd_value.clone().map(Value::Number))
        .end()
}

fn counterparty(party: &Counterparty) -> Value {
    let similarity = party.similarity_warning.as_ref().map(|similarity| {
        Object::default()
            .set("similarTo", address(similarity.similar_to))
            .set("distance", Value::Number(similarity.distance.clone()))
            .end()
    });
    Object::default()
        .set("address", address(party.address))
        .set("role", party.role.as_str())
        .set_some("label", party.label.as_deref())
        .set_some("labelSource", party.label_source.map(LabelSource::as_str))
        .set_some("similarityWarning", similarity)
        .end()
}

fn signature_content(content: &SignatureContent) -> Value {
    let object = Object::default()
        .set("chain", content.chain.to_string())
        .set_some("from", content.from.map(address))
        .set("scheme", content.message.scheme().as_str());
    let object = match &content.message {
        Message::TypedData(data) => object
            .set("domain", data.domain.clone())
            .set("types", data.types.clone())
            .set("primaryType", data.primary_type.as_str())
            .set("message", data.message.clone()),
        Message::Personal(text) | Message::SignIn(text) => object.set("messageText", text.as_str()),
    };
    object
        .set("description", description(&content.description))
        .set_some("metadata", content.metadata.as_ref().map(metadata))
        .set_some("validity", content.validity.as_ref().map(validity))
        .set_some("erc6492", content.erc6492)
        .end()
}

/// Writes a verdict.
pub(super) fn risk(risk: &Risk) -> Value {
    let warnings = list(&risk.warnings, |warning| {
        json!({
            "code": warning.code,
            "severity": warning.severity.as_str(),
            "message": warning.message,
        })
    });
    let scanners = risk.scanners.as_ref().map(|scanners| {
        list(scanners, |scanner| {
            Object::default()
                .set("provider", scanner.provider.as_str())
                .set("verdict", scanner.verdict.as_str())
                .set_some("url", scanner.url.as_deref())
                .end()
        })
    });
    Object::default()
        .set("action", risk.action.as_str())
        .set_some("score", risk.score.clone().map(Value::Number))
        .set("warnings", warnings)
        .set_some("scanners", scanners)
        .set_some("reports", risk.reports.clone())
        .end()
}

fn capabilities(capabilities: &Capabilities) -> Value {
    let paymaster = capabilities.paymaster_service.as_ref().map(|paymaster| {
        Object::default()
            .set("url", paymaster.url.as_str())
            .set_some("sponsor", paymaster.sponsor.map(address))
            .end()
    });
    let permissions = capabilities
        .permissions
        .as_ref()
        .map(|permissions| json!({ "context": permissions.context, "type": permissions.kind }));
    let account_type = capabilities.requires_account_type.map(AccountType::as_str);
    Object(capabilities.vendor.clone())
        .set_some("atomicRequired", capabilities.atomic_required)
        .set_some("paymasterService", paymaster)
        .set_some("permissions", permissions)
        .set_some("requiresAccountType", account_type)
        .end()
}

fn address(address: Address) -> String {
    address.to_checksum(None)
}

fn list<T>(items: &[T], write: impl Fn(&T) -> Value) -> Vec<Value> {
    items.iter().map(write).collect()
}
