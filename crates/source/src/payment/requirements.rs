//! x402 payment requirements, version 2, and version 1 read as version 2 (I-34).

use alloy_primitives::{Address, U256};
use presight_decode::v1_network;
use presight_wire::{ChainId, NotRead, Reason, Request, hex};
use serde_json::{Map, Value};

/// A member as it was given, with what it means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given<T> {
    /// As given.
    pub text: String,
    /// What it means.
    pub value: T,
}

/// A member: absent, not understood, or given.
pub type Member<T> = Option<Result<Given<T>, NotRead>>;

/// Where the payment is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Network {
    /// A chain with a CAIP-2 identifier, by it or by its version 1 name.
    Chain(ChainId),
    /// A name that is not known, or an identifier beyond CAIP-2.
    Other,
}

/// What is paid with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asset {
    /// The chain's own: the word `native`, or ERC-8409's zero address.
    Native,
    /// A token contract.
    Token(Address),
}

/// The requirements of `context.payment`.
#[derive(Debug, Clone, Copy)]
pub struct Requirements<'a> {
    /// As received.
    pub members: &'a Map<String, Value>,
    resource: Option<&'a str>,
}

impl<'a> Requirements<'a> {
    /// Those of the request, when it has a payment context.
    pub fn of(request: &'a Request) -> Option<Self> {
        let payment = request.context.as_ref()?.payment.as_ref()?;
        Some(Self {
            members: &payment.requirements,
            resource: payment.resource.as_deref(),
        })
    }

    /// `scheme`.
    pub fn scheme(&self) -> Member<()> {
        self.understood("scheme", |_| Ok(()))
    }

    /// `network`.
    pub fn network(&self) -> Member<Network> {
        self.understood("network", |text| Ok(network(text)))
    }

    /// The chain of `network`. `None` when it names none; not read, `unsupported`, when it is not understood.
    pub fn chain(&self) -> Option<Result<ChainId, NotRead>> {
        Some(self.network()?.and_then(|given| match given.value {
            Network::Chain(chain) => Ok(chain),
            Network::Other => Err(not_understood(&given.text)),
        }))
    }

    /// `asset`.
    pub fn asset(&self) -> Member<Asset> {
        self.understood("asset", |text| match text {
            "native" => Ok(Asset::Native),
            _ => self.address(text).map(|address| {
                if address.is_zero() {
                    Asset::Native
                } else {
                    Asset::Token(address)
                }
            }),
        })
    }

    /// `payTo`.
    pub fn pay_to(&self) -> Member<Address> {
        self.understood("payTo", |text| self.address(text))
    }

    /// `amount`, or version 1's `maxAmountRequired`, in the asset's smallest unit. Two that differ are not read.
    pub fn amount(&self) -> Member<U256> {
        let read = |name| self.understood(name, units);
        match (read("amount"), read("maxAmountRequired")) {
            (Some(Ok(v2)), Some(Ok(v1))) if v1.value == v2.value => Some(Ok(v2)),
            (Some(_), Some(_)) => Some(Err(unreadable(
                "`amount` and `maxAmountRequired` are not the same",
            ))),
            (one, other) => one.or(other),
        }
    }

    /// `maxTimeoutSeconds`.
    pub fn max_timeout(&self) -> Option<Result<u64, NotRead>> {
        let value = self.members.get("maxTimeoutSeconds").filter(|v| !v.is_null())?;
        Some(
            value
                .as_u64()
                .ok_or_else(|| unreadable("`maxTimeoutSeconds` is no whole number")),
        )
    }

    /// A member of `extra`.
    pub fn extra(&self, name: &str) -> Option<&'a Value> {
        self.members.get("extra")?.get(name).filter(|v| !v.is_null())
    }

    /// What the payment is for: `context.payment.resource`, or version 1's `resource`.
    pub fn resource(&self) -> Option<&'a str> {
        self.resource
            .or_else(|| self.members.get("resource").and_then(Value::as_str))
    }

    /// A 20-byte address. What another ledger's network has there is not read, `unsupported`.
    fn address(&self, text: &str) -> Result<Address, NotRead> {
        hex::address_any_case(text, "").map_err(|refusal| match self.chain() {
            Some(Ok(chain)) if chain.evm_id().is_none() => NotRead::new(Reason::Unsupported)
                .with_note(format!("accounts of {chain} are not read by this source")),
            Some(Err(not_read)) => not_read,
            _ => unreadable(&refusal.message),
        })
    }

    /// A text member, when it is there, as `read` understands it.
    fn understood<T>(&self, name: &str, read: impl FnOnce(&str) -> Result<T, NotRead>) -> Member<T> {
        let value = self.members.get(name).filter(|v| !v.is_null())?;
        let Some(text) = value.as_str() else {
            return Some(Err(unreadable(&format!("`{name}` is no text"))));
        };
        Some(read(text).map(|value| Given {
            text: text.to_owned(),
            value,
        }))
    }
}

/// An amount as x402 writes it: decimal digits.
fn units(text: &str) -> Result<U256, NotRead> {
    let digits = text.trim_start_matches('0');
    let digits = if digits.is_empty() && !text.is_empty() {
        "0"
    } else {
        digits
    };
    hex::decimal(digits, "").map_err(|refusal| unreadable(&refusal.message))
}

fn network(text: &str) -> Network {
    if let Some(chain) = v1_network(text) {
        return Network::Chain(chain);
    }
    match ChainId::parse(&caip2(text), "") {
        Ok(chain) => Network::Chain(chain),
        Err(_) => Network::Other,
    }
}

/// x402 names Algorand's networks by their whole genesis hash in base64; CAIP-2 by the first 32 characters of its base64url.
fn caip2(text: &str) -> String {
    match text.strip_prefix("algorand:") {
        Some(genesis) if genesis.len() == 44 && genesis.ends_with('=') => {
            let start: String = genesis.chars().take(32).collect();
            format!("algorand:{}", start.replace('+', "-").replace('/', "_"))
        }
        _ => text.to_owned(),
    }
}

fn not_understood(network: &str) -> NotRead {
    let shown: String = network.chars().take(80).collect();
    NotRead::new(Reason::Unsupported)
        .with_note(format!("the network `{}` is not known", shown.escape_debug()))
}

/// A part that is there and says nothing.
pub(crate) fn unreadable(why: &str) -> NotRead {
    NotRead::new(Reason::Unavailable).with_note(why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn with<T>(members: &Value, read: impl FnOnce(Requirements<'_>) -> T) -> T {
        let members = members.as_object().unwrap();
        read(Requirements {
            members,
            resource: None,
        })
    }

    #[test]
    fn version_1_is_read_as_version_2() {
        let v1 = json!({ "network": "base-sepolia", "maxAmountRequired": "10000", "resource": "https://a.example/x" });
        with(&v1, |v1| {
            assert_eq!(v1.chain(), Some(Ok(ChainId::evm(84532))));
            assert_eq!(v1.amount().unwrap().unwrap().value, U256::from(10_000));
            assert_eq!(v1.resource(), Some("https://a.example/x"));
        });
    }

    #[test]
    fn amounts_are_digits() {
        for (amount, value) in [("0", 0), ("10", 10), ("0010", 10), ("000", 0)] {
            let read = with(&json!({ "amount": amount }), |r| r.amount().unwrap().unwrap());
            assert_eq!((read.text.as_str(), read.value), (amount, U256::from(value)));
        }
        for bad in [
            json!("1e6"),
            json!("1.5"),
            json!(""),
            json!("-1"),
            json!("0x10"),
            json!(10),
        ] {
            let read = with(&json!({ "amount": bad }), |r| r.amount().unwrap());
            assert_eq!(read.unwrap_err().reason, Reason::Unavailable, "{bad}");
        }
        with(&json!({}), |r| assert_eq!(r.amount(), None));
        let two = json!({ "amount": "1", "maxAmountRequired": "2" });
        with(&two, |r| assert!(r.amount().unwrap().is_err()));
    }

    #[test]
    fn networks_are_understood_or_kept() {
        let network = |text: &str| {
            with(&json!({ "network": text }), |r| {
                r.network().unwrap().unwrap().value
            })
        };
        assert_eq!(network("eip155:8453"), Network::Chain(ChainId::evm(8453)));
        assert_eq!(network("base"), Network::Chain(ChainId::evm(8453)));
        let algorand = ChainId::parse("algorand:wGHE2Pwdvd7S12BL5FaOP20EGYesN73k", "").unwrap();
        assert_eq!(
            network("algorand:wGHE2Pwdvd7S12BL5FaOP20EGYesN73ktiC1qzkkit8="),
            Network::Chain(algorand)
        );
        for unknown in ["Base", "solana-devnet", "", "eip155:01", "eip155"] {
            assert_eq!(network(unknown), Network::Other, "{unknown}");
        }
    }

    #[test]
    fn what_is_no_address_is_not_read_for_its_own_reason() {
        let reason = |network: &str, pay_to: &str| {
            let members = json!({ "network": network, "payTo": pay_to });
            with(&members, |r| r.pay_to().unwrap().unwrap_err().reason)
        };
        let solana = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp";
        assert_eq!(
            reason(solana, "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin"),
            Reason::Unsupported
        );
        assert_eq!(reason("nowhere", "0x12"), Reason::Unsupported);
        assert_eq!(reason("eip155:1", "0x12"), Reason::Unavailable);
    }

    #[test]
    fn the_native_asset_has_two_names() {
        let asset = |text: &str| with(&json!({ "asset": text }), |r| r.asset().unwrap().unwrap().value);
        assert_eq!(asset("native"), Asset::Native);
        assert_eq!(asset(&format!("{:#x}", Address::ZERO)), Asset::Native);
        assert_eq!(
            asset(&format!("{:#x}", Address::repeat_byte(1))),
            Asset::Token(Address::repeat_byte(1))
        );
    }
}
