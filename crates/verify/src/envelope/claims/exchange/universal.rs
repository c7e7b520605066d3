//! The commands of a Universal Router, as far as the decoder does not give them as transfers or grants.

use super::path::{ends, packed_ends};
use super::{Flow, Party, currency, v4};
use crate::envelope::claims::functions::Function;
use crate::envelope::claims::moved::{Units, address};
use alloy_primitives::{Address, Bytes, U256, address as constant};
use presight_decode::Command;
use presight_wire::envelope::Token;
use serde_json::Value;

/// Stands for the router's caller, as a recipient.
const MSG_SENDER: Address = constant!("0x0000000000000000000000000000000000000001");
/// Stands for the router.
const ADDRESS_THIS: Address = constant!("0x0000000000000000000000000000000000000002");
/// Stands for the router's whole balance, as an amount: 2^255.
pub(super) const CONTRACT_BALANCE: U256 = U256::from_limbs([0, 0, 0, 1 << 63]);

/// Whether all that the command pays is read.
pub(super) fn is_read(command: &Command) -> bool {
    match command.name {
        Some("V4_SWAP") => v4::is_read(command),
        _ => !command.opaque || (!command.inner.is_empty() && command.inner.iter().all(is_read)),
    }
}

/// What the commands pay, in their order.
pub(super) fn flows(commands: &[Command]) -> Vec<Flow> {
    let mut flows = Vec::new();
    for command in commands {
        match command.name {
            Some("V4_SWAP") => flows.extend(v4::flows(command)),
            Some(name) => flows.extend(of(name, command).into_iter().flatten()),
            None => {}
        }
        flows.extend(self::flows(&command.inner));
    }
    flows
}

/// Who a recipient stands for.
pub(super) fn payee(recipient: Address) -> Party {
    match recipient {
        MSG_SENDER => Party::Caller,
        ADDRESS_THIS => Party::Router,
        account => Party::Account(account),
    }
}

fn of(name: &str, command: &Command) -> Option<Vec<Flow>> {
    let argument = |name: &str| argument(command, name);
    let number = |name: &str| number(argument(name)?);
    let to = || address(argument("recipient")).map(payee);
    let token = || address(argument("token"));
    let from_router =
        |token: Option<Token>, units: Units| Some(vec![Flow::paid(token, Party::Router, to()?, units)]);
    match name {
        "V3_SWAP_EXACT_IN" | "V3_SWAP_EXACT_OUT" | "V2_SWAP_EXACT_IN" | "V2_SWAP_EXACT_OUT" => {
            let (first, last) = match argument("path")? {
                Value::Array(tokens) => {
                    let tokens: Option<Vec<_>> = tokens.iter().map(|token| address(Some(token))).collect();
                    ends(&tokens?)?
                }
                path => packed_ends(&path.as_str()?.parse::<Bytes>().ok()?)?,
            };
            let (amount, limit) = (number("amount")?, number("limit")?);
            let is_v3 = name.starts_with("V3");
            let is_exact_in = name.ends_with("IN");
            // The path of an exact output of V3 is from its end to its start.
            let (paid, bought) = if is_v3 && !is_exact_in {
                (last, first)
            } else {
                (first, last)
            };
            let (taken, given) = match is_exact_in {
                // The router's balance decides.
                true if is_v3 && amount == CONTRACT_BALANCE => (Units::Unsaid, Units::AtLeast(limit)),
                true => (exactly(amount), Units::AtLeast(limit)),
                false => (Units::AtMost(limit), exactly(amount)),
            };
            let by_user = argument("payerIsUser")?.as_bool()?;
            let pulled = by_user.then(|| Flow::pulled(Some(Token::Contract(paid)), Party::Caller, taken));
            let given = Flow::paid(Some(Token::Contract(bought)), Party::Pools, to()?, given);
            Some(pulled.into_iter().chain([given]).collect())
        }
        "SWEEP" => from_router(Some(currency(token()?)), Units::AtLeast(number("amount")?)),
        "PAY_PORTION" => from_router(Some(currency(token()?)), Units::Unsaid),
        "TRANSFER" if number("amount")? == CONTRACT_BALANCE => {
            from_router(Some(currency(token()?)), Units::Unsaid)
        }
        // Its own wrapped asset, which the bytes do not name.
        "WRAP_ETH" => {
            let amount = number("amount")?;
            let whole = amount == CONTRACT_BALANCE;
            from_router(None, if whole { Units::Unsaid } else { exactly(amount) })
        }
        "UNWRAP_WETH" => from_router(Some(Token::Native), Units::AtLeast(number("amount")?)),
        "SWEEP_ERC1155" => {
            let flow = Flow::paid(
                Some(Token::Contract(token()?)),
                Party::Router,
                to()?,
                Units::AtLeast(number("amount")?),
            );
            Some(vec![Flow {
                function: Function::Items,
                item: Some(number("id")?),
                ..flow
            }])
        }
        _ => None,
    }
}

pub(super) fn argument<'c>(command: &'c Command, name: &str) -> Option<&'c Value> {
    let mut args = command.args.iter();
    args.find(|(n, _)| *n == name).map(|(_, value)| value)
}

fn number(value: &Value) -> Option<U256> {
    U256::from_str_radix(value.as_str()?, 10).ok()
}

pub(super) fn exactly(value: U256) -> Units {
    Units::Exactly { value, max: None }
}
