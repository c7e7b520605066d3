//! What a decoded function call or signed message does, before it becomes entities.

use crate::model::{Amount, Expiry, Grant};
use alloy_primitives::{Address, U256};
use presight_wire::report::Form;

/// The largest amount of a Permit2 allowance: 2^160 - 1.
pub(crate) const MAX_UINT160: U256 = U256::from_limbs([u64::MAX, u64::MAX, u32::MAX as u64, 0]);

/// One thing a call or message does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Calls a token without granting or moving anything the ERC lists.
    Touches { token: Address },
    /// Grants an allowance.
    Approves {
        token: Address,
        spender: Address,
        grant: Grant,
    },
    /// Lets an account act for the caller, in a form that the ERC has no approval for.
    Empowers { spender: Address },
    /// Submits the signed permit of another owner (I-38).
    SubmitsPermit {
        owner: Address,
        token: Address,
        spender: Address,
        grant: Grant,
        call_index: Option<usize>,
    },
    /// Moves a token, or the native asset where `token` is `None`.
    Transfers {
        token: Option<Address>,
        from: Address,
        to: Address,
        amount: U256,
        token_id: Option<U256>,
    },
    /// Pays someone an amount that the bytes do not say; `token` is `None` where it is the native asset or not
    /// named.
    Pays { token: Option<Address>, to: Address },
    /// A Safe pays for gas (`to` is `None` for whoever sends the transaction).
    Refunds {
        token: Option<Address>,
        from: Address,
        to: Option<Address>,
    },
    /// Allows one Permit2 transfer by signature (I-21).
    AllowsTransfer {
        keeper: Address,
        token: Address,
        spender: Address,
        amount: U256,
        deadline: U256,
        witness_to: Option<Address>,
    },
}

impl Grant {
    /// An allowance of up to 2^256 - 1 kept by the token, without an end.
    pub(crate) fn by_token(form: Form, owner: Address, token: Address, value: U256) -> Self {
        Self {
            amount: Amount::Units {
                value,
                max: U256::MAX,
            },
            expiry: Expiry::Never,
            form,
            owner,
            keeper: token,
            keeper_named: true,
        }
    }

    /// An allowance of up to 2^160 - 1 kept by Permit2 until `expiration` (0: the block it is set in, I-26).
    pub(crate) fn by_permit2(
        form: Form,
        owner: Address,
        permit2: Address,
        value: U256,
        expiration: u64,
    ) -> Self {
        let expiry = if expiration == 0 {
            Expiry::SameBlock
        } else {
            Expiry::At(expiration)
        };
        Self {
            amount: Amount::Units {
                value,
                max: MAX_UINT160,
            },
            expiry,
            form,
            owner,
            keeper: permit2,
            keeper_named: true,
        }
    }

    /// An approval for all.
    pub(crate) fn for_all(owner: Address, token: Address) -> Self {
        Self {
            amount: Amount::All,
            expiry: Expiry::Never,
            form: Form::ApprovalForAll,
            owner,
            keeper: token,
            keeper_named: true,
        }
    }
}
