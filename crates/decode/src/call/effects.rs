//! What each understood function does when `to` is called with it by `caller`.

use super::abi::PermitDetails;
use super::function::{Function, HelperCall, OtherGrant, Permit2Call, SafeCall, TokenCall};
use crate::effect::Effect;
use crate::model::Grant;
use alloy_primitives::{Address, U256, address};
use presight_wire::report::Form;

/// Permit2, at the same address on every chain it is deployed on by its authors.
pub(crate) const PERMIT2: Address = address!("0x000000000022D473030F116dDEE9F6B43aC78BA3");

/// Who is called by whom, and in which call of the request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Site {
    pub(crate) to: Address,
    /// Who calls `to`, or in whose name it is called.
    pub(crate) caller: Address,
    /// Who signs the request.
    pub(crate) signer: Address,
    pub(crate) call_index: Option<usize>,
}

impl Site {
    fn touches(self) -> Effect {
        Effect::Touches { token: self.to }
    }

    fn approves(self, spender: Address, grant: Grant) -> Effect {
        Effect::Approves {
            token: self.to,
            spender,
            grant,
        }
    }

    fn transfers(self, from: Address, to: Address, amount: U256, token_id: Option<U256>) -> Effect {
        Effect::Transfers {
            token: Some(self.to),
            from,
            to,
            amount,
            token_id,
        }
    }

    /// A permit is an approval of the request only when the owner is its signer, or the account that makes the
    /// call (I-38).
    fn permits(self, token: Address, spender: Address, grant: Grant) -> Effect {
        let owner = grant.owner;
        if owner == self.signer || owner == self.caller {
            Effect::Approves {
                token,
                spender,
                grant,
            }
        } else {
            Effect::SubmitsPermit {
                owner,
                token,
                spender,
                grant,
                call_index: self.call_index,
            }
        }
    }
}

/// The effects of a function, in the order of its arguments.
pub(crate) fn of(function: &Function, site: Site) -> Vec<Effect> {
    match function {
        Function::TokenCall(call) => of_token(call, site),
        Function::Permit2Call(call) => of_permit2(call, site),
        // Permit2's own address is a target, not a token (I-19).
        Function::TokenOnly if site.to == PERMIT2 => Vec::new(),
        Function::TokenOnly => vec![site.touches()],
        Function::HelperCall(call) => vec![of_helper(call, site)],
        Function::OtherGrant(grant) => of_other_grant(grant),
        Function::SafeCall(SafeCall::Transaction(c)) if !c.gasPrice.is_zero() => {
            vec![refund(site.to, c.gasToken, c.refundReceiver)]
        }
        // What the calls inside do is theirs, and a router's commands are read with it.
        Function::SafeCall(_)
        | Function::MulticallCall(_)
        | Function::BatchCall(_)
        | Function::AccountCall(_)
        | Function::EntryPointCall(_)
        | Function::ForwarderCall(_)
        | Function::RouterCall(_)
        | Function::WrappedCall(_) => Vec::new(),
    }
}

/// A Safe pays whoever it is told to for gas, at a price it is told. The zero address is the transaction's sender,
/// and the zero token the native asset.
pub(crate) fn refund(safe: Address, token: Address, receiver: Address) -> Effect {
    let named = |address: Address| Some(address).filter(|address| !address.is_zero());
    Effect::Refunds {
        token: named(token),
        from: safe,
        to: named(receiver),
    }
}

fn of_helper(call: &HelperCall, site: Site) -> Effect {
    // The contract submits its caller's permit for itself.
    let permit = |token: Address, value: U256| Effect::Approves {
        token,
        spender: site.to,
        grant: Grant::by_token(Form::Erc2612Permit, site.caller, token, value),
    };
    match call {
        HelperCall::ApproveAndCall(c) => site.approves(
            c.spender,
            Grant::by_token(Form::Erc20Approve, site.caller, site.to, c.amount),
        ),
        HelperCall::SelfPermit(c) => permit(c.token, c.value),
        HelperCall::SelfPermitIfNecessary(c) => permit(c.token, c.value),
        HelperCall::SelfPermitAllowed(c) => permit(c.token, U256::MAX),
        HelperCall::SelfPermitAllowedIfNecessary(c) => permit(c.token, U256::MAX),
        HelperCall::BundlerPermit(c) => permit(c.asset, c.amount),
        HelperCall::BundlerPermit2(c) => {
            built_in_permit2(site, &c.permitSingle.details, c.permitSingle.spender)
        }
    }
}

/// The account that may act for the caller is a spender, without an approval. The contract is no token of I-19.
fn of_other_grant(grant: &OtherGrant) -> Vec<Effect> {
    let spender = match grant {
        OtherGrant::SetOperator(c) if c.approved => c.spender,
        OtherGrant::ApproveItem(c) => c.spender,
        OtherGrant::AuthorizeOperator(c) => c.operator,
        OtherGrant::ApproveDelegation(c) => c.delegatee,
        OtherGrant::IncreaseApproval(c) => c.spender,
        OtherGrant::SetOperator(_) | OtherGrant::RevokeOperator(_) | OtherGrant::DecreaseApproval(_) => {
            return Vec::new();
        }
    };
    vec![Effect::Empowers { spender }]
}

fn of_token(call: &TokenCall, site: Site) -> Vec<Effect> {
    match call {
        TokenCall::Transfer(c) => vec![site.transfers(site.caller, c.to, c.amount, None)],
        TokenCall::TransferFrom(c) => vec![site.transfers(c.from, c.to, c.amount, None)],
        TokenCall::Approve(c) => {
            vec![site.approves(
                c.spender,
                Grant::by_token(Form::Erc20Approve, site.caller, site.to, c.amount),
            )]
        }
        TokenCall::IncreaseAllowance(c) => {
            vec![site.approves(
                c.spender,
                Grant::by_token(Form::Erc20Increase, site.caller, site.to, c.addedValue),
            )]
        }
        TokenCall::SetApprovalForAll(c) if c.approved => {
            vec![site.approves(c.operator, Grant::for_all(site.caller, site.to))]
        }
        TokenCall::SafeTransferFrom(c) => vec![site.transfers(c.from, c.to, U256::ONE, Some(c.tokenId))],
        TokenCall::SafeTransferFromData(c) => vec![site.transfers(c.from, c.to, U256::ONE, Some(c.tokenId))],
        TokenCall::Erc1155Transfer(c) => vec![site.transfers(c.from, c.to, c.amount, Some(c.id))],
        // The contract refuses arrays of different lengths; what both name is still shown.
        TokenCall::Erc1155BatchTransfer(c) if c.ids.is_empty() || c.amounts.is_empty() => {
            vec![site.touches()]
        }
        TokenCall::Erc1155BatchTransfer(c) => {
            let items = c.ids.iter().zip(&c.amounts);
            items
                .map(|(id, amount)| site.transfers(c.from, c.to, *amount, Some(*id)))
                .collect()
        }
        TokenCall::Permit(c) => {
            vec![site.permits(
                site.to,
                c.spender,
                Grant::by_token(Form::Erc2612Permit, c.owner, site.to, c.value),
            )]
        }
        TokenCall::PermitPacked(c) => {
            vec![site.permits(
                site.to,
                c.spender,
                Grant::by_token(Form::Erc2612Permit, c.owner, site.to, c.value),
            )]
        }
        TokenCall::DaiPermit(c) => {
            let value = if c.allowed { U256::MAX } else { U256::ZERO };
            vec![site.permits(
                site.to,
                c.spender,
                Grant::by_token(Form::Erc2612Permit, c.holder, site.to, value),
            )]
        }
        TokenCall::TransferWithAuthorization(c) => vec![site.transfers(c.from, c.to, c.value, None)],
        TokenCall::ReceiveWithAuthorization(c) => vec![site.transfers(c.from, c.to, c.value, None)],
        TokenCall::TransferWithAuthorizationPacked(c) => vec![site.transfers(c.from, c.to, c.value, None)],
        TokenCall::ReceiveWithAuthorizationPacked(c) => vec![site.transfers(c.from, c.to, c.value, None)],
        TokenCall::SetApprovalForAll(_) => vec![site.touches()],
    }
}

/// A Permit2 permit of the caller, submitted by a contract that has its Permit2 built in.
pub(super) fn built_in_permit2(site: Site, details: &PermitDetails, spender: Address) -> Effect {
    let (amount, expiration) = (U256::from(details.amount), details.expiration.to());
    let grant = Grant::by_permit2(Form::Permit2Permit, site.caller, PERMIT2, amount, expiration);
    Effect::Approves {
        token: details.token,
        spender,
        grant: Grant {
            keeper_named: false,
            ..grant
        },
    }
}

fn of_permit2(call: &Permit2Call, site: Site) -> Vec<Effect> {
    let touches = |token: Address| Effect::Touches { token };
    let moves = |token: Address, from: Address, to: Address, amount: U256| Effect::Transfers {
        token: Some(token),
        from,
        to,
        amount,
        token_id: None,
    };
    match call {
        Permit2Call::Approve(c) => {
            let amount = U256::from(c.amount);
            let grant = Grant::by_permit2(
                Form::Permit2Approve,
                site.caller,
                site.to,
                amount,
                c.expiration.to(),
            );
            vec![Effect::Approves {
                token: c.token,
                spender: c.spender,
                grant,
            }]
        }
        Permit2Call::Permit(c) => {
            let d = &c.permitSingle.details;
            let amount = U256::from(d.amount);
            let grant = Grant::by_permit2(Form::Permit2Permit, c.owner, site.to, amount, d.expiration.to());
            vec![site.permits(d.token, c.permitSingle.spender, grant)]
        }
        Permit2Call::PermitBatch(c) => c
            .permitBatch
            .details
            .iter()
            .map(|d| {
                let amount = U256::from(d.amount);
                let grant =
                    Grant::by_permit2(Form::Permit2Permit, c.owner, site.to, amount, d.expiration.to());
                site.permits(d.token, c.permitBatch.spender, grant)
            })
            .collect(),
        Permit2Call::Transfer(c) => vec![moves(c.token, c.from, c.to, U256::from(c.amount))],
        Permit2Call::BatchTransfer(c) => c
            .transferDetails
            .iter()
            .map(|d| moves(d.token, d.from, d.to, U256::from(d.amount)))
            .collect(),
        Permit2Call::SignatureTransfer(c) => {
            let details = &c.transferDetails;
            vec![moves(
                c.permit.permitted.token,
                c.owner,
                details.to,
                details.requestedAmount,
            )]
        }
        Permit2Call::WitnessTransfer(c) => {
            let details = &c.transferDetails;
            vec![moves(
                c.permit.permitted.token,
                c.owner,
                details.to,
                details.requestedAmount,
            )]
        }
        Permit2Call::SignatureBatchTransfer(c) => {
            let items = c.permit.permitted.iter().zip(&c.transferDetails);
            items
                .map(|(p, d)| moves(p.token, c.owner, d.to, d.requestedAmount))
                .collect()
        }
        Permit2Call::WitnessBatchTransfer(c) => {
            let items = c.permit.permitted.iter().zip(&c.transferDetails);
            items
                .map(|(p, d)| moves(p.token, c.owner, d.to, d.requestedAmount))
                .collect()
        }
        Permit2Call::Lockdown(c) => c.approvals.iter().map(|pair| touches(pair.token)).collect(),
        Permit2Call::InvalidateNonces(c) => vec![touches(c.token)],
        Permit2Call::InvalidateUnorderedNonces(_) => Vec::new(),
    }
}
