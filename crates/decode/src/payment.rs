//! The payment context: x402 requirements and a quote's issuer (ERC-8481 §Entities).

use crate::collector::Collector;
use crate::model::Flag;
use alloy_primitives::Address;
use presight_wire::hex;
use presight_wire::report::Role;
use presight_wire::request::Payment;
use presight_wire::{AccountId, ChainId, Refusal};
use serde_json::Value;

const REQUIREMENTS: &str = "/context/payment/requirements";
const QUOTE: &str = "/context/payment/quote";

/// x402 v1 network names and their EIP-155 chain ids.
const V1_NETWORKS: &[(&str, u64)] = &[
    ("abstract", 2741),
    ("abstract-testnet", 11124),
    ("arbitrum", 42161),
    ("avalanche", 43114),
    ("avalanche-fuji", 43113),
    ("base", 8453),
    ("base-sepolia", 84532),
    ("bsc", 56),
    ("celo", 42220),
    ("educhain", 41923),
    ("ethereum", 1),
    ("flare", 14),
    ("iotex", 4689),
    ("megaeth", 4326),
    ("monad", 143),
    ("optimism", 10),
    ("peaq", 3338),
    ("polygon", 137),
    ("polygon-amoy", 80002),
    ("sei", 1329),
    ("sei-testnet", 1328),
    ("sepolia", 11155111),
    ("skale-base-sepolia", 324705682),
    ("stable", 988),
    ("stable-testnet", 2201),
    ("story", 1514),
];

/// Lists `payTo`, the quote's issuer and `asset`. A part that is not understood is no error of the request: it
/// gives no entity and a flag.
pub(crate) fn decode(payment: &Payment, collector: &mut Collector) -> Result<(), Refusal> {
    collector.entities.payment = true;
    let chain = network(payment, collector)?;
    if let Some(chain) = &chain {
        if let Some(pay_to) = account(
            payment.requirements.get("payTo"),
            "payTo",
            REQUIREMENTS,
            collector,
        )? {
            collector.address(Role::PayTo, AccountId::new(chain.clone(), pay_to));
        }
    }
    if let Some(quote) = &payment.quote {
        let issuer = account(quote.quote.get("issuer"), "quote/issuer", QUOTE, collector)?;
        match (issuer, quote.chain.evm_id()) {
            (Some(issuer), Some(_)) => {
                collector.address(Role::QuoteIssuer, AccountId::new(quote.chain.clone(), issuer));
            }
            (Some(_), None) => collector.flag(Flag::new(
                "unsupported-chain",
                format!("{QUOTE}/chainId"),
                format!(
                    "`{}` is not an eip155 chain; the issuer gives no entity",
                    quote.chain
                ),
            ))?,
            (None, _) => {}
        }
    }
    if let Some(chain) = chain {
        if let Some(asset) = account(
            payment.requirements.get("asset"),
            "asset",
            REQUIREMENTS,
            collector,
        )? {
            // The zero address stands for the native asset (ERC-8409), which is no contract.
            if !asset.is_zero() {
                collector.token(AccountId::new(chain, asset));
            }
        }
    }
    Ok(())
}

/// The chain the payment is on: a CAIP-2 identifier (x402 v2) or a known name (v1). Never guessed.
fn network(payment: &Payment, collector: &mut Collector) -> Result<Option<ChainId>, Refusal> {
    let pointer = format!("{REQUIREMENTS}/network");
    let Some(text) = payment.requirements.get("network").and_then(Value::as_str) else {
        let message = "no network is named; asset and payTo give no entities";
        collector.flag(Flag::new("payment-network-unknown", REQUIREMENTS, message))?;
        return Ok(None);
    };
    if let Some((_, id)) = V1_NETWORKS.iter().find(|(name, _)| *name == text) {
        return Ok(Some(ChainId::evm(*id)));
    }
    match ChainId::parse(text, &pointer) {
        Ok(chain) if chain.evm_id().is_some() => Ok(Some(chain)),
        _ => {
            let message = "not a known EVM network; asset and payTo give no entities";
            collector.flag(Flag::new("payment-network-unknown", pointer, message))?;
            Ok(None)
        }
    }
}

/// An address member of an opaque object. The word `native` is no address and no oddity.
fn account(
    member: Option<&Value>,
    path: &str,
    base: &str,
    collector: &mut Collector,
) -> Result<Option<Address>, Refusal> {
    let pointer = format!("{base}/{path}");
    let text = match member {
        Some(Value::String(text)) if text == "native" => return Ok(None),
        Some(Value::String(text)) => text,
        _ => {
            collector.flag(Flag::new(
                "missing-member",
                base,
                format!("`{path}` is not given as a string"),
            ))?;
            return Ok(None);
        }
    };
    match hex::address_any_case(text, &pointer) {
        Ok(address) => {
            if hex::has_wrong_checksum(text, address) {
                collector.flag(Flag::new(
                    "bad-checksum",
                    pointer,
                    "the letter case is not the EIP-55 checksum",
                ))?;
            }
            Ok(Some(address))
        }
        Err(refusal) => {
            collector.flag(Flag::new(refusal.code, refusal.pointer, refusal.message))?;
            Ok(None)
        }
    }
}
