//! The contracts that x402's schemes pay through, and what binds a payment through them to its receiver.

use super::requirements::Requirements;
use alloy_primitives::{Address, B256, U256, address, keccak256};
use presight_wire::hex;
use serde_json::{Map, Value};

/// `exact` by Permit2: may take what is signed only for the witness' receiver.
pub const EXACT_PROXY: Address = address!("402085c248EeA27D92E8b30b2C58ed07f9E20001");
/// `upto` by Permit2: may take up to what is signed, only for the witness' receiver.
pub const UPTO_PROXY: Address = address!("4020A4f3b7b90ccA423B9fabCc0CE57C6C240002");
/// `batch-settlement`: the channels.
pub const BATCH_SETTLEMENT: Address = address!("4020074e9dF2ce1deE5A9C1b5c3f541D02a10003");
/// `batch-settlement`: takes deposits by ERC-3009.
pub const BATCH_ERC3009: Address = address!("4020806089470a89826cB9fB1f4059150b550004");
/// `batch-settlement`: takes deposits by Permit2.
pub const BATCH_PERMIT2: Address = address!("4020425FAf3B746C082C2f942b4E5159887B0005");
/// `auth-capture`: the escrow.
pub const ESCROW: Address = address!("f96815976523E00e65Be8f34cA5e64b4f41EB19c");
/// `auth-capture`: takes payments by ERC-3009.
pub const ESCROW_ERC3009: Address = address!("8612dfdc421f80336cd14E8EF9cb1E765dB5ab88");

const CHANNEL: &str = "ChannelConfig(address payer,address payerAuthorizer,address receiver,\
                       address receiverAuthorizer,address token,uint40 withdrawDelay,bytes32 salt)";
const PAYMENT_INFO: &str = "PaymentInfo(address operator,address payer,address receiver,address token,\
                            uint120 maxAmount,uint48 preApprovalExpiry,uint48 authorizationExpiry,\
                            uint48 refundExpiry,uint16 minFeeBps,uint16 maxFeeBps,address feeReceiver,uint256 salt)";

/// Whether the contract pays only whom a witness names.
pub fn is_proxy(spender: Address) -> bool {
    [EXACT_PROXY, UPTO_PROXY].contains(&spender)
}

/// Whether the contract takes payments that reach their receiver later.
pub fn is_collector(account: Address) -> bool {
    [BATCH_ERC3009, BATCH_PERMIT2, ESCROW_ERC3009].contains(&account)
}

/// The x402 scheme a contract belongs to.
pub fn scheme(account: Address) -> Option<&'static str> {
    match account {
        EXACT_PROXY => Some("exact"),
        UPTO_PROXY => Some("upto"),
        BATCH_SETTLEMENT | BATCH_ERC3009 | BATCH_PERMIT2 => Some("batch-settlement"),
        ESCROW | ESCROW_ERC3009 => Some("auth-capture"),
        _ => None,
    }
}

/// What a payment through a collector is bound to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bound {
    /// Who is paid in the end, by the channel's configuration or the payment's terms.
    pub receiver: Address,
    /// Whether the nonce or the channel that is signed is that of those terms; `None` where the requirements do not say all that
    /// it is made of.
    pub bound: Option<bool>,
}

/// A channel of `batch-settlement`: `extra.channelConfig`, or what the client makes of the requirements.
#[derive(Debug, Clone, Copy)]
struct Channel {
    /// The whole configuration was given.
    given: bool,
    receiver: Address,
    words: [B256; 7],
}

/// Where a voucher of this channel leads.
pub fn voucher(
    requirements: &Requirements<'_>,
    payer: Address,
    chain_id: u64,
    channel: B256,
) -> Option<Bound> {
    let config = Channel::of(requirements, payer)?;
    let equal = config.id(chain_id) == channel;
    Some(Bound {
        receiver: config.receiver,
        bound: (config.given || equal).then_some(equal),
    })
}

/// Where a deposit with this ERC-3009 nonce leads: the nonce is that of the channel and of a salt (`extra.salt`).
pub fn deposit(requirements: &Requirements<'_>, payer: Address, chain_id: u64, nonce: U256) -> Option<Bound> {
    let config = Channel::of(requirements, payer)?;
    let equal = word(requirements.extra("salt"))
        .map(|salt| U256::from_be_bytes(keccak256([config.id(chain_id), salt].concat()).0) == nonce);
    Some(Bound {
        receiver: config.receiver,
        bound: equal.filter(|equal| config.given || *equal),
    })
}

/// Where a payment into the escrow with this nonce leads: the nonce is that of the payment's terms, a salt (`extra.salt`)
/// included.
pub fn capture(
    requirements: &Requirements<'_>,
    chain_id: u64,
    amount: U256,
    valid_before: U256,
    nonce: U256,
) -> Option<Bound> {
    let receiver = requirements.pay_to()?.ok()?.value;
    let terms = || {
        let extra = |name| requirements.extra(name);
        Some([
            address_word(extra("captureAuthorizer")?)?,
            B256::ZERO,
            receiver.into_word(),
            address_word(requirements.members.get("asset")?)?,
            amount.into(),
            valid_before.into(),
            number(extra("captureDeadline")?)?,
            number(extra("refundDeadline")?)?,
            number(extra("minFeeBps")?)?,
            number(extra("maxFeeBps")?)?,
            address_word(extra("feeRecipient")?)?,
            word(extra("salt"))?,
        ])
    };
    let bound = terms().map(|terms| {
        let hash = keccak256([keccak256(PAYMENT_INFO).as_slice(), terms.concat().as_slice()].concat());
        let words = [U256::from(chain_id).into(), ESCROW.into_word(), hash];
        U256::from_be_bytes(keccak256(words.concat()).0) == nonce
    });
    Some(Bound { receiver, bound })
}

impl Channel {
    fn of(requirements: &Requirements<'_>, payer: Address) -> Option<Self> {
        if let Some(config) = requirements.extra("channelConfig").and_then(Value::as_object) {
            let account = |name: &str| address_word(config.get(name)?);
            let receiver = address_of(config.get("receiver")?)?;
            return Some(Self {
                given: true,
                receiver,
                words: [
                    account("payer")?,
                    account("payerAuthorizer")?,
                    receiver.into_word(),
                    account("receiverAuthorizer")?,
                    account("token")?,
                    number(config.get("withdrawDelay")?)?,
                    word(config.get("salt"))?,
                ],
            });
        }
        let receiver = requirements.pay_to()?.ok()?.value;
        Some(Self {
            given: false,
            receiver,
            words: [
                payer.into_word(),
                payer.into_word(),
                receiver.into_word(),
                address_word(requirements.extra("receiverAuthorizer")?)?,
                address_word(requirements.members.get("asset")?)?,
                number(requirements.extra("withdrawDelay")?)?,
                B256::ZERO,
            ],
        })
    }

    /// The EIP-712 hash of the configuration under the channels' domain.
    fn id(&self, chain_id: u64) -> B256 {
        let separator = keccak256(
            [
                keccak256(
                    "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)",
                ),
                keccak256("x402 Batch Settlement"),
                keccak256("1"),
                U256::from(chain_id).into(),
                BATCH_SETTLEMENT.into_word(),
            ]
            .concat(),
        );
        let hash = keccak256([keccak256(CHANNEL).as_slice(), self.words.concat().as_slice()].concat());
        keccak256([b"\x19\x01".as_slice(), separator.as_slice(), hash.as_slice()].concat())
    }
}

fn address_of(value: &Value) -> Option<Address> {
    hex::address_any_case(value.as_str()?, "").ok()
}

fn address_word(value: &Value) -> Option<B256> {
    address_of(value).map(|address| address.into_word())
}

fn word(value: Option<&Value>) -> Option<B256> {
    hex::b256(value?.as_str()?, "").ok()
}

/// A whole number, as JSON or as decimal digits.
fn number(value: &Value) -> Option<B256> {
    let number = match value {
        Value::String(text) => hex::decimal(text, "").ok()?,
        _ => U256::from(value.as_u64()?),
    };
    Some(number.into())
}

/// The channel that an `x402 Batch Settlement` voucher names.
pub fn voucher_channel(message: &Map<String, Value>) -> Option<B256> {
    word(message.get("channelId"))
}
