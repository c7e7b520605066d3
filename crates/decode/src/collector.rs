//! Entities in the order of their first appearance, each once (I-9).

use crate::call::Budget;
use crate::effect::Effect;
use crate::model::{Flag, ForeignPermit, Grant, Refund, Transfer, TransferPermit};
use alloy_primitives::Address;
use presight_wire::report::{AddressEntity, Approval, Entities, Role};
use presight_wire::{AccountId, ChainId, Refusal};
use std::collections::HashSet;

/// Flags of one request: a few for each of the most calls there can be, inner ones included. Real requests have a handful; more than
/// this is refused.
pub const MAX_FLAGS: usize = 20_000;

/// Gathers what the parts of a request touch, in their order.
#[derive(Debug, Default)]
pub(crate) struct Collector {
    pub(crate) entities: Entities,
    pub(crate) grants: Vec<Grant>,
    pub(crate) transfers: Vec<Transfer>,
    pub(crate) transfer_permits: Vec<TransferPermit>,
    pub(crate) foreign_permits: Vec<ForeignPermit>,
    pub(crate) refunds: Vec<Refund>,
    pub(crate) flags: Vec<Flag>,
    /// What may still be decoded inside calls.
    pub(crate) budget: Budget,
    listed_tokens: HashSet<AccountId>,
    listed_addresses: HashSet<AddressEntity>,
}

impl Collector {
    /// Lists an address in a role.
    pub(crate) fn address(&mut self, role: Role, address: AccountId) {
        let entity = AddressEntity { address, role };
        if self.listed_addresses.insert(entity.clone()) {
            self.entities.addresses.push(entity);
        }
    }

    /// Lists a token, as a token and as an address.
    pub(crate) fn token(&mut self, token: AccountId) {
        if self.listed_tokens.insert(token.clone()) {
            self.entities.tokens.push(token.clone());
        }
        self.address(Role::Token, token);
    }

    /// Lists the spender, recipient and token of one effect, and what it does.
    pub(crate) fn effect(&mut self, effect: Effect, chain: &ChainId, call_index: Option<usize>) {
        let on_chain = |address: Address| AccountId::new(chain.clone(), address);
        match effect {
            Effect::Touches { token } => self.token(on_chain(token)),
            Effect::Empowers { spender } => self.address(Role::Spender, on_chain(spender)),
            Effect::Approves {
                token,
                spender,
                grant,
            } => {
                self.address(Role::Spender, on_chain(spender));
                self.token(on_chain(token));
                self.entities.approvals.push(Approval {
                    token: on_chain(token),
                    spender: on_chain(spender),
                    form: grant.form,
                    call_index,
                });
                self.grants.push(grant);
            }
            Effect::SubmitsPermit {
                owner,
                token,
                spender,
                grant,
                call_index,
            } => {
                self.address(Role::Spender, on_chain(spender));
                self.token(on_chain(token));
                self.foreign_permits.push(ForeignPermit {
                    owner,
                    token,
                    spender,
                    grant,
                    call_index,
                });
            }
            Effect::Transfers {
                token,
                from,
                to,
                amount,
                token_id,
            } => {
                self.address(Role::Recipient, on_chain(to));
                if let Some(token) = token {
                    self.token(on_chain(token));
                }
                self.transfers.push(Transfer {
                    token,
                    from,
                    to,
                    amount,
                    token_id,
                    call_index,
                });
            }
            Effect::Pays { token, to } => self.pays(token, to, chain),
            Effect::Refunds { token, from, to } => {
                if let Some(to) = to {
                    self.pays(token, to, chain);
                }
                self.refunds.push(Refund {
                    token,
                    from,
                    to,
                    call_index,
                });
            }
            Effect::AllowsTransfer {
                keeper,
                token,
                spender,
                amount,
                deadline,
                witness_to,
            } => {
                self.address(Role::Spender, on_chain(spender));
                self.token(on_chain(token));
                self.transfer_permits.push(TransferPermit {
                    chain: chain.clone(),
                    keeper,
                    token,
                    amount,
                    spender,
                    deadline,
                    witness_to,
                });
            }
        }
    }

    fn pays(&mut self, token: Option<Address>, to: Address, chain: &ChainId) {
        let on_chain = |address: Address| AccountId::new(chain.clone(), address);
        self.address(Role::Recipient, on_chain(to));
        if let Some(token) = token {
            self.token(on_chain(token));
        }
    }

    /// Records an oddity; refuses the request when there are more than [`MAX_FLAGS`].
    pub(crate) fn flag(&mut self, flag: Flag) -> Result<(), Refusal> {
        if self.flags.len() == MAX_FLAGS {
            return Err(Refusal::new(
                "too-many",
                flag.pointer,
                format!("more than {MAX_FLAGS} oddities; MAX_FLAGS is {MAX_FLAGS}"),
            ));
        }
        self.flags.push(flag);
        Ok(())
    }
}
