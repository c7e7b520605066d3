//! Who may take what from whom: allowances, operators, approvals of items.

use super::claims::{Claim, What};
use super::slots::{ChangedSlot, Slots, is_address, to_address, to_word};
use super::{Hearing, Nonce, Spends, Standing};
use crate::answer::word;
use crate::simulate::{Change, Frame, FrameKind, Outcome};
use alloy_primitives::{Address, U256};
use std::collections::{BTreeMap, BTreeSet};

/// How a grant was made, as far as it was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Origin {
    /// The index of the last call of the request that made it; `None` when only storage tells of it.
    pub call: Option<usize>,
    /// The selector of the function that was called for it by name.
    pub selector: Option<[u8; 4]>,
}

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
    /// How it was made.
    pub origin: Origin,
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
    /// How it was made.
    pub origin: Origin,
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
    /// How it was made.
    pub origin: Origin,
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
    /// How it was made.
    pub origin: Origin,
}

/// What is asked about: the parties, what the last event says, and how it came about.
#[derive(Default)]
pub(super) struct Questions {
    allowances: BTreeMap<(Address, Address, Address), Hint<U256>>,
    operators: BTreeMap<(Address, Address, Address), Hint<bool>>,
    items: BTreeMap<(Address, U256), Hint<Address>>,
    permit2: BTreeMap<(Address, Address, Address, Address), Hint<U256>>,
}

/// `transferFrom(address,address,uint256)`
const TRANSFER_FROM: [u8; 4] = [0x23, 0xb8, 0x72, 0xdd];

/// What speaks for a grant before its contract is asked.
#[derive(Debug, Clone, Copy)]
struct Hint<T> {
    told: Option<T>,
    origin: Origin,
}

impl<T> Default for Hint<T> {
    fn default() -> Self {
        Self {
            told: None,
            origin: Origin::default(),
        }
    }
}

impl<T> Hint<T> {
    /// An event of a call says so.
    fn tell(&mut self, told: T, call: usize) {
        self.told = Some(told);
        self.origin.call = Some(call);
    }

    /// A function was called for it. One that uses it makes nothing.
    fn call(&mut self, frame: &Frame) {
        if frame.selector() == Some(TRANSFER_FROM) {
            return;
        }
        self.origin = Origin {
            call: Some(frame.call),
            selector: frame.selector(),
        };
    }
}

/// Grants that events tell of, or that were called for by name.
pub(super) fn named(claims: &[Claim], outcome: &Outcome) -> Questions {
    let mut questions = Questions::default();
    for frame in outcome.standing_frames() {
        questions.called(frame);
    }
    for claim in claims {
        questions.claimed(claim);
    }
    questions
}

/// Allowances and operators that only the slots tell of.
pub(super) fn untold(hearing: &mut Hearing<'_, '_>) {
    let effects = &hearing.effects;
    let known = effects.allowances.iter().map(|a| (a.token, a.owner, a.spender));
    let known: BTreeSet<_> = known
        .chain(effects.operators.iter().map(|o| (o.token, o.owner, o.operator)))
        .collect();
    let mut questions = Questions::default();
    for open in hearing.slots.open() {
        let contract = open.contract;
        match open.keys.as_slice() {
            [one, other] if is_address(*one) && is_address(*other) => {
                let (one, other) = (to_address(*one), to_address(*other));
                for (owner, spender) in [(one, other), (other, one)] {
                    let parties = (contract, owner, spender);
                    if known.contains(&parties) {
                        continue;
                    }
                    questions.allowances.entry(parties).or_default();
                    if is_flag(&open.change) {
                        questions.operators.entry(parties).or_default();
                    }
                }
            }
            [owner, token, spender] if [owner, token, spender].iter().all(|key| is_address(**key)) => {
                let [owner, token, spender] = [*owner, *token, *spender].map(to_address);
                questions
                    .permit2
                    .entry((contract, owner, token, spender))
                    .or_default();
            }
            _ => {}
        }
    }
    questions.put(hearing);
}

/// Approvals of items that only the slots tell of.
pub(super) fn untold_items(hearing: &mut Hearing<'_, '_>) {
    let known = hearing.effects.items.iter().map(|item| (item.token, item.id));
    let known: BTreeSet<_> = known.collect();
    let mut questions = Questions::default();
    for open in hearing.slots.open() {
        if let [id] = *open.keys.as_slice()
            && is_holder(&open.change)
            && !known.contains(&(open.contract, id))
        {
            questions.items.entry((open.contract, id)).or_default();
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
                    self.items.entry((token, id)).or_default().call(frame);
                }
                allowance(Some(frame.caller), account(0))
            }
            // increaseAllowance(address,uint256), decreaseAllowance(address,uint256)
            [0x39, 0x50, 0x93, 0x51] | [0xa4, 0x57, 0xc2, 0xd7] => allowance(Some(frame.caller), account(0)),
            // permit(address,address,uint256,uint256,uint8,bytes32,bytes32), and DAI's
            [0xd5, 0x05, 0xac, 0xcf] | [0x8f, 0xcb, 0xaf, 0x04] => allowance(account(0), account(1)),
            TRANSFER_FROM => allowance(account(0), Some(frame.caller)),
            // setApprovalForAll(address,bool)
            [0xa2, 0x2c, 0xb4, 0x65] => {
                if let Some(operator) = account(0) {
                    self.operators
                        .entry((token, frame.caller, operator))
                        .or_default()
                        .call(frame);
                }
                None
            }
            // Permit2's approve(address,address,uint160,uint48)
            [0x87, 0x51, 0x7c, 0x45] => {
                if let (Some(of), Some(spender)) = (account(0), account(1)) {
                    self.permit2
                        .entry((token, frame.caller, of, spender))
                        .or_default()
                        .call(frame);
                }
                None
            }
            _ => None,
        };
        if let Some(parties) = asked {
            self.allowances.entry(parties).or_default().call(frame);
        }
    }

    fn claimed(&mut self, claim: &Claim) {
        let (contract, call) = (claim.contract, claim.call);
        match claim.what {
            What::Allowance {
                owner,
                spender,
                amount,
            } => {
                self.allowances
                    .entry((contract, owner, spender))
                    .or_default()
                    .tell(amount, call);
            }
            What::Operator {
                owner,
                operator,
                approved,
            } => {
                self.operators
                    .entry((contract, owner, operator))
                    .or_default()
                    .tell(approved, call);
            }
            What::ItemApproval { id, approved } => {
                self.items.entry((contract, id)).or_default().tell(approved, call);
            }
            What::Permit2 {
                owner,
                token,
                spender,
                amount,
            } => {
                self.permit2
                    .entry((contract, owner, token, spender))
                    .or_default()
                    .tell(amount, call);
            }
            // A transfer clears the approval of its item.
            What::ItemTransfer { id, .. } => {
                self.items.entry((contract, id)).or_default();
            }
            _ => {}
        }
    }

    /// Those under whose keys a slot changed. They come before everything else: events that nothing bears out may use
    /// up all that is asked.
    pub(super) fn take_changed(&mut self, slots: &Slots<'_>) -> Self {
        let mut changed = Self::default();
        for open in slots.open() {
            let contract = open.contract;
            match *open.keys.as_slice() {
                [one, other] => {
                    for (owner, spender) in [(one, other), (other, one)] {
                        let parties = (contract, to_address(owner), to_address(spender));
                        changed.allowances.extend(self.allowances.remove_entry(&parties));
                        changed.operators.extend(self.operators.remove_entry(&parties));
                    }
                }
                [owner, token, spender] => {
                    let [owner, token, spender] = [owner, token, spender].map(to_address);
                    let parties = (contract, owner, token, spender);
                    changed.permit2.extend(self.permit2.remove_entry(&parties));
                }
                [id] => changed.items.extend(self.items.remove_entry(&(contract, id))),
                _ => {}
            }
        }
        changed
    }

    /// Asks, and tells what is answered.
    pub(super) fn put(self, hearing: &mut Hearing<'_, '_>) {
        for ((token, owner, spender), hint) in self.allowances {
            allowance(token, owner, spender, hint, hearing);
        }
        for ((token, owner, operator), hint) in self.operators {
            operator_of(token, owner, operator, hint, hearing);
        }
        for ((token, id), hint) in self.items {
            item(token, id, hint, hearing);
        }
        for ((contract, owner, token, spender), hint) in self.permit2 {
            permit2(contract, owner, token, spender, hint, hearing);
        }
    }
}

/// What is to be said of a grant: `None` when nothing speaks for it. `was_used` tells whether what the event says
/// stood at some time, and less of it is left; `None` where that is not known.
fn weigh<T: PartialEq>(
    answers: Option<&Change<T>>,
    told: Option<&T>,
    was_used: impl FnOnce(&T) -> Option<bool>,
) -> Option<Standing> {
    match (answers, told) {
        (None, None) => None,
        (None, Some(_)) => Some(Standing::Unconfirmed),
        (Some(change), None) => (change.before != change.after).then_some(Standing::Observed),
        (Some(change), Some(told)) if change.after == *told => Some(Standing::Observed),
        (Some(change), Some(told)) => Some(match was_used(told) {
            Some(true) => Standing::Observed,
            None => Standing::Unconfirmed,
            Some(false) if change.before == change.after => Standing::Claimed,
            Some(false) => Standing::Differs,
        }),
    }
}

fn allowance(
    token: Address,
    owner: Address,
    spender: Address,
    Hint { told, origin }: Hint<U256>,
    hearing: &mut Hearing<'_, '_>,
) {
    let parties = [to_word(owner), to_word(spender)];
    let answers = hearing.asker.ask(token, "allowance(address,address)", &parties);
    let in_its_slot = || hearing.slots.under(token, &parties, told?);
    let amount = answers.words(0).or_else(in_its_slot);
    let left = amount.as_ref().map(|amount| amount.after);
    let was_used = |told: &U256| match left {
        Some(left) if left < *told => hearing.slots.was_written(token, &parties, *told, 256),
        _ => Some(false),
    };
    let Some(standing) = weigh(amount.as_ref(), told.as_ref(), was_used) else {
        return;
    };
    if let Some(amount) = amount.as_ref().filter(|a| a.before != a.after) {
        hearing.slots.settle_value(token, &parties, amount);
    }
    hearing.effects.allowances.push(Allowance {
        token,
        owner,
        spender,
        amount,
        told,
        standing,
        origin,
    });
}

fn operator_of(
    token: Address,
    owner: Address,
    operator: Address,
    Hint { told, origin }: Hint<bool>,
    hearing: &mut Hearing<'_, '_>,
) {
    let parties = [to_word(owner), to_word(operator)];
    let answer = hearing
        .asker
        .ask(token, "isApprovedForAll(address,address)", &parties)
        .words(0);
    let approved = answer.as_ref().map(|answer| Change {
        before: !answer.before.is_zero(),
        after: !answer.after.is_zero(),
    });
    let was_used = |told: &bool| match told {
        true => hearing.slots.was_written(token, &parties, U256::ONE, 8),
        false => Some(false),
    };
    let Some(standing) = weigh(approved.as_ref(), told.as_ref(), was_used) else {
        return;
    };
    if let Some(answer) = answer.filter(|a| a.before != a.after) {
        hearing.slots.settle_value(token, &parties, &answer);
    }
    hearing.effects.operators.push(Operator {
        token,
        owner,
        operator,
        approved,
        told,
        standing,
        origin,
    });
}

fn item(token: Address, id: U256, Hint { told, origin }: Hint<Address>, hearing: &mut Hearing<'_, '_>) {
    // A call of `approve` may be about an item, or an amount that is none.
    let may_have_changed = |open: &ChangedSlot| open.contract == token || open.keys.contains(&id);
    if told.is_none() && !hearing.slots.open().iter().any(may_have_changed) {
        return;
    }
    let answer = hearing.asker.ask(token, "getApproved(uint256)", &[id]).words(0);
    let approved = answer.as_ref().map(|answer| Change {
        before: to_address(answer.before),
        after: to_address(answer.after),
    });
    let is_cleared = approved.as_ref().is_some_and(|approved| approved.after.is_zero());
    let was_used = |told: &Address| match is_cleared {
        true => hearing.slots.was_written(token, &[id], to_word(*told), 160),
        false => Some(false),
    };
    let Some(standing) = weigh(approved.as_ref(), told.as_ref(), was_used) else {
        return;
    };
    if let Some(answer) = answer.filter(|a| a.before != a.after) {
        hearing.slots.settle_value(token, &[id], &answer);
    }
    hearing.effects.items.push(ItemApproval {
        token,
        id,
        approved,
        told,
        standing,
        origin,
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
    Hint { told, origin }: Hint<U256>,
    hearing: &mut Hearing<'_, '_>,
) {
    let parties = [to_word(owner), to_word(token), to_word(spender)];
    let answers = hearing
        .asker
        .ask(contract, "allowance(address,address,address)", &parties);
    let [amount, expiration, nonce] = [0, 1, 2].map(|index| answers.words(index));
    let changed = |change: &Option<Change<U256>>| change.clone().filter(|c| c.before != c.after);
    if let Some(value) = changed(&nonce) {
        hearing.effects.nonces.push(Nonce {
            contract,
            owner,
            spends: Spends::Allowance { token, spender },
            value,
        });
    }
    // One slot holds all three.
    if let Some(change) = [&amount, &expiration, &nonce].into_iter().find_map(changed) {
        hearing.slots.settle_value(contract, &parties, &change);
    }
    let left = amount.as_ref().map(|amount| amount.after);
    let was_used = |told: &U256| match left {
        Some(left) if left < *told => hearing.slots.was_written(contract, &parties, *told, 160),
        _ => Some(false),
    };
    let standing = match weigh(amount.as_ref(), told.as_ref(), was_used) {
        Some(standing) => standing,
        None if changed(&expiration).is_some() => Standing::Observed,
        None => return,
    };
    hearing.effects.permit2.push(Permit2Allowance {
        contract,
        token,
        owner,
        spender,
        amount,
        expiration,
        standing,
        origin,
    });
}
