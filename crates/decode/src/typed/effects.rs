//! What a recognised message does.

use super::form::Form;
use super::item::Item;
use super::run::{self, Run};
use super::types::Types;
use crate::effect::Effect;
use crate::model::{Grant, PaymentLimits};
use alloy_primitives::{Address, U256};
use presight_wire::report;

/// The effects of a message, its deadline and who it says it comes from.
#[derive(Debug, Default)]
pub(crate) struct Meaning {
    pub(crate) effects: Vec<Effect>,
    /// Unix time after which the signature is not accepted.
    pub(crate) deadline: Option<U256>,
    /// What limits the payment that the message authorizes.
    pub(crate) limits: Option<PaymentLimits>,
    /// The member that names the owner, and the owner.
    pub(crate) owner: Option<(&'static str, Address)>,
    /// What the message lets be executed.
    pub(crate) run: Run,
}

/// What `message` of `signer` does at `contract`. `None` where the members are not those of the form.
pub(crate) fn of(
    form: Form,
    message: &Item<'_>,
    contract: Address,
    signer: Address,
    types: &Types,
) -> Option<Meaning> {
    let Item::Struct(_, members) = message else {
        return None;
    };
    match (form, members.as_slice()) {
        (
            Form::Erc2612Permit,
            [
                Item::Address(owner),
                Item::Address(spender),
                Item::Uint(value),
                Item::Uint(_),
                Item::Uint(deadline),
            ],
        ) => Some(permit(
            contract,
            ("owner", *owner),
            *spender,
            *value,
            Some(*deadline),
        )),
        (
            Form::DaiPermit,
            [
                Item::Address(holder),
                Item::Address(spender),
                Item::Uint(_),
                Item::Uint(expiry),
                Item::Bool(allowed),
            ],
        ) => {
            let value = if *allowed { U256::MAX } else { U256::ZERO };
            // Expiry 0 is a signature that is always accepted.
            let deadline = Some(*expiry).filter(|expiry| !expiry.is_zero());
            Some(permit(contract, ("holder", *holder), *spender, value, deadline))
        }
        (Form::PermitSingle, [details, Item::Address(spender), Item::Uint(deadline)]) => {
            let effects = vec![detail(details, signer, *spender, contract)?];
            Some(Meaning {
                effects,
                deadline: Some(*deadline),
                ..Meaning::default()
            })
        }
        (Form::PermitBatch, [Item::Array(details), Item::Address(spender), Item::Uint(deadline)]) => {
            let effects = details
                .iter()
                .map(|d| detail(d, signer, *spender, contract))
                .collect::<Option<_>>()?;
            Some(Meaning {
                effects,
                deadline: Some(*deadline),
                ..Meaning::default()
            })
        }
        (
            Form::TransferFrom { .. },
            [
                permitted,
                Item::Address(spender),
                Item::Uint(nonce),
                Item::Uint(deadline),
                witness @ ..,
            ],
        ) => {
            let one = std::slice::from_ref(permitted);
            let permitted = if let Item::Array(many) = permitted {
                many
            } else {
                one
            };
            let bound = witness.first().and_then(|w| x402_witness(w, types));
            let witness_to = bound.map(|(to, _)| to);
            let allowed = |p: &Item<'_>| match p {
                Item::Struct(_, fields) => match fields.as_slice() {
                    [Item::Address(token), Item::Uint(amount)] => Some(Effect::AllowsTransfer {
                        keeper: contract,
                        token: *token,
                        spender: *spender,
                        amount: *amount,
                        deadline: *deadline,
                        witness_to,
                    }),
                    _ => None,
                },
                _ => None,
            };
            let effects = permitted.iter().map(allowed).collect::<Option<_>>()?;
            Some(Meaning {
                effects,
                deadline: Some(*deadline),
                limits: Some(PaymentLimits {
                    valid_after: bound.map(|(_, after)| after),
                    valid_before: *deadline,
                    nonce: *nonce,
                }),
                ..Meaning::default()
            })
        }
        (
            Form::Erc3009Transfer | Form::Erc3009Receive,
            [
                Item::Address(from),
                Item::Address(to),
                Item::Uint(value),
                Item::Uint(after),
                Item::Uint(before),
                Item::FixedBytes(nonce),
            ],
        ) => {
            let (from, to, amount) = (*from, *to, *value);
            let effects = vec![Effect::Transfers {
                token: Some(contract),
                from,
                to,
                amount,
                token_id: None,
            }];
            Some(Meaning {
                effects,
                deadline: Some(*before),
                limits: Some(PaymentLimits {
                    valid_after: Some(*after),
                    valid_before: *before,
                    nonce: U256::try_from_be_slice(nonce)?,
                }),
                owner: Some(("from", from)),
                ..Meaning::default()
            })
        }
        (Form::Erc3009Cancel, [Item::Address(authorizer), _]) => Some(Meaning {
            effects: vec![Effect::Touches { token: contract }],
            owner: Some(("authorizer", *authorizer)),
            ..Meaning::default()
        }),
        (form, members) => run::of(form, members, contract),
    }
}

fn permit(
    token: Address,
    owner: (&'static str, Address),
    spender: Address,
    value: U256,
    deadline: Option<U256>,
) -> Meaning {
    let grant = Grant::by_token(report::Form::Erc2612Permit, owner.1, token, value);
    Meaning {
        effects: vec![Effect::Approves {
            token,
            spender,
            grant,
        }],
        deadline,
        owner: Some(owner),
        ..Meaning::default()
    }
}

/// One `PermitDetails`.
fn detail(details: &Item<'_>, owner: Address, spender: Address, permit2: Address) -> Option<Effect> {
    let Item::Struct(_, fields) = details else {
        return None;
    };
    let [
        Item::Address(token),
        Item::Uint(amount),
        Item::Uint(expiration),
        Item::Uint(_),
    ] = fields.as_slice()
    else {
        return None;
    };
    let expiration = u64::try_from(*expiration).ok()?;
    let grant = Grant::by_permit2(report::Form::Permit2Permit, owner, permit2, *amount, expiration);
    Some(Effect::Approves {
        token: *token,
        spender,
        grant,
    })
}

/// The receiver that the witness of an x402 payment binds (schemes `exact` and `upto`), and from when on it may be taken.
fn x402_witness(witness: &Item<'_>, types: &Types) -> Option<(Address, U256)> {
    let Item::Struct(name, fields) = witness else {
        return None;
    };
    let known = [
        "Witness(address to,uint256 validAfter)",
        "Witness(address to,address facilitator,uint256 validAfter)",
    ];
    match fields.as_slice() {
        [Item::Address(to), .., Item::Uint(after)] if known.contains(&types.encode_type(name).as_str()) => {
            Some((*to, *after))
        }
        _ => None,
    }
}
