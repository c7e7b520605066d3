//! Who may take what from whom: allowances, operators, approvals of items.

use super::claims::{Claim, What};
use super::slots::{ChangedSlot, is_address, to_address, to_word};
use super::{Hearing, Standing};
use crate::answer::word;
use crate::simulate::{Change, Frame, FrameKind, Outcome, standing};
use alloy_primitives::{Address, U256};
use std::collections::BTreeMap;

/// An ERC-20 allowance that was written. One that was written as it was has equal values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowance {
    /// The token.
    pub token: Address,
    /// Whose tokens.
    pub owner: Address,
    /// Who may take them.
    pub spender: Address,
    /// How many, by the token's own answers; `None` when it could not be asked.
    pub amount: Option<Change<U256>>,
    /// How many by the last event.
    pub told: Option<U256>,
    /// How it is known.
    pub standing: Standing,
}

impl Allowance {
    /// Whether more may be taken than before, or than is known to have been before.
    pub fn is_raised(&self) -> bool {
        self.amount
            .as_ref()
            .is_none_or(|amount| amount.after > amount.before)
    }
}

/// An allowance that a Permit2 contract holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permit2Allowance {
    /// The Permit2 contract.
    pub contract: Address,
    /// The token.
    pub token: Address,
    /// Whose tokens.
    pub owner: Address,
    /// Who may take them.
    pub spender: Address,
    /// How many; `None` when the contract could not be asked.
    pub amount: Option<Change<U256>>,
    /// Until when, in Unix seconds.
    pub expiration: Option<Change<U256>>,
    /// How it is known.
    pub standing: Standing,
}

/// An approval for all (ERC-721, ERC-1155).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operator {
    /// The token.
    pub token: Address,
    /// Whose items.
    pub owner: Address,
    /// Who may take them.
    pub operator: Address,
    /// Whether it may, by the token's own answers; `None` when it could not be asked.
    pub approved: Option<Change<bool>>,
    /// Whether it may by the last event.
    pub told: Option<bool>,
    /// How it is known.
    pub standing: Standing,
}

/// An approval of one item (ERC-721).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemApproval {
    /// The token.
    pub token: Address,
    /// The item.
    pub id: U256,
    /// Who may take it, by the token's own answers; the zero address is nobody, `None` an answer that is not to be
    /// had.
    pub approved: Option<Change<Address>>,
    /// Who may take it by the last event.
    pub told: Option<Address>,
    /// How it is known.
    pub standing: Standing,
}

/// What is asked about: the parties, and what the last event says.
#[derive(Default)]
struct Questions {
    allowances: BTreeMap<(Address, Address, Address), Option<U256>>,
    operators: BTreeMap<(Address, Address, Address), Option<bool>>,
    items: BTreeMap<(Address, U256), Option<Address>>,
    permit2: BTreeMap<(Address, Address, Address, Address), Option<U256>>,
}

/// Grants that events tell of, or that were called for by name.
pub(super) fn told(claims: &[Claim], outcome: &Outcome, hearing: &mut Hearing<'_, '_>) {
    let mut questions = Questions::default();
    let stands = standing(&outcome.frames);
    for (frame, _) in outcome.frames.iter().zip(stands).filter(|(_, stands)| *stands) {
        questions.called(frame);
    }
    for claim in claims {
        questions.claimed(claim);
    }
    questions.put(hearing);
}

/// Grants that only the slots tell of.
pub(super) fn untold(hearing: &mut Hearing<'_, '_>) {
    let mut questions = Questions::default();
    for open in hearing.slots.open() {
        let contract = open.contract;
        match open.keys.as_slice() {
            [one, other] if is_address(*one) && is_address(*other) => {
                let (one, other) = (to_address(*one), to_address(*other));
                for (owner, spender) in [(one, other), (other, one)] {
                    questions.allowances.insert((contract, owner, spender), None);
                    if is_flag(&open.change) {
                        questions.operators.insert((contract, owner, spender), None);
                    }
                }
            }
            [owner, token, spender] if [owner, token, spender].iter().all(|key| is_address(**key)) => {
                let [owner, token, spender] = [*owner, *token, *spender].map(to_address);
                questions.permit2.insert((contract, owner, token, spender), None);
            }
            [id] if is_holder(&open.change) => {
                questions.items.insert((contract, *id), None);
            }
            _ => {}
        }
    }
    questions.put(hearing);
}

/// A slot that is set or cleared.
fn is_flag(change: &Change<U256>) -> bool {
    change.before.is_zero() || change.after.is_zero()
}

/// A slot that holds an address, or did.
fn is_holder(change: &Change<U256>) -> bool {
    [change.before, change.after]
        .iter()
        .all(|value| value.is_zero() || is_address(*value))
}

impl Questions {
    /// What a call with a known selector asks its receiver for.
    fn called(&mut self, frame: &Frame) {
        let Some((selector, arguments)) = frame.input.split_first_chunk::<4>() else {
            return;
        };
        if frame.kind != FrameKind::Call {
            return;
        }
        let token = frame.account;
        let number = |index| word(arguments, index).ok();
        let account = |index| number(index).filter(|word| word.bit_len() <= 160).map(to_address);
        let allowance = |owner, spender| Some((token, owner?, spender?));
        let asked = match *selector {
            // approve(address,uint256), of an amount or an item
            [0x09, 0x5e, 0xa7, 0xb3] => {
                if let Some(id) = number(1) {
                    self.items.entry((token, id)).or_insert(None);
                }
                allowance(Some(frame.caller), account(0))
            }
            // increaseAllowance(address,uint256), decreaseAllowance(address,uint256)
            [0x39, 0x50, 0x93, 0x51] | [0xa4, 0x57, 0xc2, 0xd7] => allowance(Some(frame.caller), account(0)),
            // permit(address,address,uint256,uint256,uint8,bytes32,bytes32), and DAI's
            [0xd5, 0x05, 0xac, 0xcf] | [0x8f, 0xcb, 0xaf, 0x04] => allowance(account(0), account(1)),
            // transferFrom(address,address,uint256)
            [0x23, 0xb8, 0x72, 0xdd] => allowance(account(0), Some(frame.caller)),
            // setApprovalForAll(address,bool)
            [0xa2, 0x2c, 0xb4, 0x65] => {
                if let Some(operator) = account(0) {
                    self.operators
                        .entry((token, frame.caller, operator))
                        .or_insert(None);
                }
                None
            }
            // Permit2's approve(address,address,uint160,uint48)
            [0x87, 0x51, 0x7c, 0x45] => {
                if let (Some(of), Some(spender)) = (account(0), account(1)) {
                    self.permit2
                        .entry((token, frame.caller, of, spender))
                        .or_insert(None);
                }
                None
            }
            _ => None,
        };
        if let Some(parties) = asked {
            self.allowances.entry(parties).or_insert(None);
        }
    }

    fn claimed(&mut self, claim: &Claim) {
        let contract = claim.contract;
        match claim.what {
            What::Allowance {
                owner,
                spender,
                amount,
            } => {
                self.allowances.insert((contract, owner, spender), Some(amount));
            }
            What::Operator {
                owner,
                operator,
                approved,
            } => {
                self.operators.insert((contract, owner, operator), Some(approved));
            }
            What::ItemApproval { id, approved } => {
                self.items.insert((contract, id), Some(approved));
            }
            What::Permit2 {
                owner,
                token,
                spender,
                amount,
            } => {
                self.permit2
                    .insert((contract, owner, token, spender), Some(amount));
            }
            // A transfer clears the approval of its item.
            What::ItemTransfer { id, .. } => {
                self.items.entry((contract, id)).or_insert(None);
            }
            _ => {}
        }
    }

    fn put(self, hearing: &mut Hearing<'_, '_>) {
        for ((token, owner, spender), told) in self.allowances {
            allowance(token, owner, spender, told, hearing);
        }
        for ((token, owner, operator), told) in self.operators {
            operator_of(token, owner, operator, told, hearing);
        }
        for ((token, id), told) in self.items {
            item(token, id, told, hearing);
        }
        for ((contract, owner, token, spender), told) in self.permit2 {
            permit2(contract, owner, token, spender, told, hearing);
        }
    }
}

/// What is to be said of a grant: `None` when nothing speaks for it.
fn weigh<T: PartialEq>(answers: Option<&Change<T>>, told: Option<&T>) -> Option<Standing> {
    match (answers, told) {
        (None, None) => None,
        (None, Some(_)) => Some(Standing::Unconfirmed),
        (Some(change), None) => (change.before != change.after).then_some(Standing::Observed),
        (Some(change), Some(told)) if change.after == *told => Some(Standing::Observed),
        (Some(change), Some(_)) if change.before == change.after => Some(Standing::Claimed),
        (Some(_), Some(_)) => Some(Standing::Differs),
    }
}

fn allowance(
    token: Address,
    owner: Address,
    spender: Address,
    told: Option<U256>,
    hearing: &mut Hearing<'_, '_>,
) {
    let parties = [to_word(owner), to_word(spender)];
    let answers = hearing.asker.ask(token, "allowance(address,address)", &parties);
    let in_its_slot = || hearing.slots.under(token, &parties, told?);
    let amount = answers.words(0).or_else(in_its_slot);
    let Some(standing) = weigh(amount.as_ref(), told.as_ref()) else {
        return;
    };
    if let Some(amount) = amount.as_ref().filter(|a| a.before != a.after) {
        hearing.slots.settle_under(token, &parties, amount.after);
    }
    hearing.effects.allowances.push(Allowance {
        token,
        owner,
        spender,
        amount,
        told,
        standing,
    });
}

fn operator_of(
    token: Address,
    owner: Address,
    operator: Address,
    told: Option<bool>,
    hearing: &mut Hearing<'_, '_>,
) {
    let parties = [to_word(owner), to_word(operator)];
    let answers = hearing
        .asker
        .ask(token, "isApprovedForAll(address,address)", &parties);
    let approved = answers.words(0).map(|answer| Change {
        before: !answer.before.is_zero(),
        after: !answer.after.is_zero(),
    });
    let Some(standing) = weigh(approved.as_ref(), told.as_ref()) else {
        return;
    };
    if let Some(approved) = approved.as_ref().filter(|a| a.before != a.after) {
        hearing
            .slots
            .settle_under(token, &parties, U256::from(approved.after));
    }
    hearing.effects.operators.push(Operator {
        token,
        owner,
        operator,
        approved,
        told,
        standing,
    });
}

fn item(token: Address, id: U256, told: Option<Address>, hearing: &mut Hearing<'_, '_>) {
    // A call of `approve` may be about an item, or an amount that is none.
    let may_have_changed = |open: &ChangedSlot| open.contract == token || open.keys.contains(&id);
    if told.is_none() && !hearing.slots.open().iter().any(may_have_changed) {
        return;
    }
    let answers = hearing.asker.ask(token, "getApproved(uint256)", &[id]);
    let approved = answers.words(0).map(|answer| Change {
        before: to_address(answer.before),
        after: to_address(answer.after),
    });
    let Some(standing) = weigh(approved.as_ref(), told.as_ref()) else {
        return;
    };
    if let Some(approved) = approved.as_ref().filter(|a| a.before != a.after) {
        hearing.slots.settle_under(token, &[id], to_word(approved.after));
    }
    hearing.effects.items.push(ItemApproval {
        token,
        id,
        approved,
        told,
        standing,
    });
}

#[allow(
    clippy::too_many_arguments,
    reason = "the four parties of a Permit2 allowance"
)]
fn permit2(
    contract: Address,
    owner: Address,
    token: Address,
    spender: Address,
    told: Option<U256>,
    hearing: &mut Hearing<'_, '_>,
) {
    let parties = [to_word(owner), to_word(token), to_word(spender)];
    let answers = hearing
        .asker
        .ask(contract, "allowance(address,address,address)", &parties);
    let (amount, expiration) = (answers.words(0), answers.words(1));
    let changed = |change: &Option<Change<U256>>| change.as_ref().is_some_and(|c| c.before != c.after);
    let (amount_changed, expiration_changed) = (changed(&amount), changed(&expiration));
    let standing = match weigh(amount.as_ref(), told.as_ref()) {
        Some(standing) => standing,
        None if expiration_changed => Standing::Observed,
        None => return,
    };
    if amount_changed || expiration_changed {
        hearing.slots.settle_under(contract, &parties, U256::MAX);
    }
    hearing.effects.permit2.push(Permit2Allowance {
        contract,
        token,
        owner,
        spender,
        amount,
        expiration,
        standing,
    });
}
