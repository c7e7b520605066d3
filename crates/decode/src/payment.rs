//! The payment context: x402 requirements and a quote's issuer (ERC-8481 §Entities).

use crate::collector::Collector;
use crate::model::Flag;
use alloy_primitives::Address;
use presight_wire::hex;
use presight_wire::report::Role;
use presight_wire::request::Payment;
use presight_wire::{AccountId, ChainId, Refusal};
use serde_json::{Map, Value};

const REQUIREMENTS: &str = "/context/payment/requirements";

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

/// The chain that an x402 v1 network name stands for; `None` for a name that is not known.
pub fn v1_network(name: &str) -> Option<ChainId> {
    let (_, id) = V1_NETWORKS.iter().find(|(known, _)| *known == name)?;
    Some(ChainId::evm(*id))
}

/// Lists `payTo`, the quote's issuer and `asset`. A part that is not understood is no error of the request: it
/// gives no entity and a flag.
pub(crate) fn decode(payment: &Payment, collector: &mut Collector) -> Result<(), Refusal> {
    collector.entities.payment = true;
    let chain = network(payment, collector)?;
    let requirements = Members {
        object: &payment.requirements,
        pointer: REQUIREMENTS,
    };
    if let Some(chain) = &chain
        && let Some(pay_to) = requirements.address("payTo", collector)?
    {
        collector.address(Role::PayTo, AccountId::new(chain.clone(), pay_to));
    }
    if let Some(quote) = &payment.quote {
        let members = Members {
            object: &quote.quote,
            pointer: "/context/payment/quote/quote",
        };
        let issuer = members.address("issuer", collector)?;
        match (issuer, quote.chain.evm_id()) {
            (Some(issuer), Some(_)) => {
                collector.address(Role::QuoteIssuer, AccountId::new(quote.chain.clone(), issuer));
            }
            (Some(_), None) => collector.flag(Flag::new(
                "unsupported-chain",
                "/context/payment/quote/chainId",
                format!(
                    "`{}` is not an eip155 chain; the issuer gives no entity",
                    quote.chain
                ),
            ))?,
            (None, _) => {}
        }
    }
    // The zero address stands for the native asset (ERC-8409), which is no contract.
    if let Some(chain) = chain
        && let Some(asset) = requirements.address("asset", collector)?
        && !asset.is_zero()
    {
        collector.token(AccountId::new(chain, asset));
    }
    Ok(())
}

/// The chain that x402 requirements name: a CAIP-2 identifier (v2) or a known name (v1), of an EVM chain. Never guessed.
pub fn payment_chain(payment: &Payment) -> Option<ChainId> {
    let text = payment.requirements.get("network").and_then(Value::as_str)?;
    if let Some(chain) = v1_network(text) {
        return Some(chain);
    }
    ChainId::parse(text, "")
        .ok()
        .filter(|chain| chain.evm_id().is_some())
}

/// The same, and a flag where it is not known.
fn network(payment: &Payment, collector: &mut Collector) -> Result<Option<ChainId>, Refusal> {
    let chain = payment_chain(payment);
    if chain.is_none() {
        let (pointer, message) = match payment.requirements.get("network") {
            Some(Value::String(_)) => (
                format!("{REQUIREMENTS}/network"),
                "not a known EVM network; asset and payTo give no entities",
            ),
            _ => (
                REQUIREMENTS.to_owned(),
                "no network is named; asset and payTo give no entities",
            ),
        };
        collector.flag(Flag::new("payment-network-unknown", pointer, message))?;
    }
    Ok(chain)
}

/// An opaque object of the payment context and where it stands.
struct Members<'a> {
    object: &'a Map<String, Value>,
    pointer: &'static str,
}

impl Members<'_> {
    /// The address member `name`. The word `native` is no address and no oddity.
    fn address(&self, name: &str, collector: &mut Collector) -> Result<Option<Address>, Refusal> {
        let pointer = format!("{}/{name}", self.pointer);
        let text = match self.object.get(name) {
            Some(Value::String(text)) if text == "native" => return Ok(None),
            Some(Value::String(text)) => text,
            _ => {
                let message = format!("`{name}` is not given as a string; it gives no entity");
                collector.flag(Flag::new("missing-member", self.pointer, message))?;
                return Ok(None);
            }
        };
        match hex::address_any_case(text, &pointer) {
            Ok(address) => {
                if hex::has_wrong_checksum(text, address) {
                    let message = "the letter case is not the EIP-55 checksum";
                    collector.flag(Flag::new("bad-checksum", pointer, message))?;
                }
                Ok(Some(address))
            }
            Err(refusal) => {
                collector.flag(Flag::new(refusal.code, refusal.pointer, refusal.message))?;
                Ok(None)
            }
        }
    }
}
