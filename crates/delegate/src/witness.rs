//! Calls that show what a path does.

use crate::bounds::{RECIPIENTS, native_balances, token_balances};
use crate::class::{Class, slot_of, term_with_slot};
use crate::effect::{Data, Effect, Function, Inner, What, function};
use crate::explore::{Engine, Exploration, Path};
use crate::expr::{Id, Node};
use crate::facts::Facts;
use crate::model::Model;
use crate::replay::{Call, DRAINERS, Replayed, Setting, TOKEN, replay};
use crate::solve::{Goal, solve};
use alloy_primitives::{Address, Bytes, U256, address};
use std::collections::BTreeMap;

/// Callers that have nothing to do with the account.
pub(crate) const STRANGERS: [Address; 2] = [
    address!("0x2f7d3e11c5a94806b3c1f09ad6e57248be903f61"),
    address!("0x84c6b0fe92d1375a6fe84b20c9173d5ae0f2617d"),
];
/// `transfer(address,uint256)`
const TRANSFER: u32 = 0xa905_9cbb;
/// Paths that are tried for one question.
const TRIED: usize = 48;
/// Paths of the account's calls to itself that are tried for one of those.
const TRIED_INSIDE: usize = 12;

/// What the account lets itself do, by the data it is called with.
pub(crate) type Selves = BTreeMap<Inner, Exploration>;

/// One way in which an effect could send.
#[derive(Debug, Clone)]
struct Way {
    goals: Vec<Goal>,
    /// Addresses that are taken for tokens.
    tokens: Vec<Address>,
}

/// What is wanted of a call.
#[derive(Debug, Clone, Copy)]
struct Wish {
    recipient: usize,
    native: U256,
    token: U256,
    /// Wei and tokens that are to be sent.
    amounts: (U256, U256),
}

/// Finds and executes calls, within a bound.
pub(crate) struct Witnesses<'e, 'w> {
    pub(crate) engine: &'e mut Engine<'w>,
    pub(crate) delegate: Address,
    pub(crate) selves: &'e Selves,
    left: usize,
    /// When so much work was done, nothing more is tried.
    work: u64,
}

impl<'e, 'w> Witnesses<'e, 'w> {
    pub(crate) fn new(engine: &'e mut Engine<'w>, delegate: Address, selves: &'e Selves) -> Self {
        let left = engine.limits.replays;
        let work = engine.store.work().saturating_add(engine.limits.work / 4);
        Self {
            engine,
            work,
            delegate,
            selves,
            left,
        }
    }

    /// Four calls that each send a whole balance, two different ones, to each of two recipients.
    pub(crate) fn empties(&mut self, paths: &[(&Path, Class)]) -> Option<(Call, Replayed)> {
        for (path, class) in paths.iter().take(TRIED) {
            for index in 0..path.effects.len() {
                let ways = self.ways(path, index, self.wish(0, 0));
                for (number, way) in ways.iter().enumerate() {
                    if let Some(first) = self.empties_by(path, *class, index, (number, way)) {
                        return Some(first);
                    }
                }
            }
        }
        None
    }

    fn empties_by(
        &mut self,
        path: &Path,
        class: Class,
        index: usize,
        (number, way): (usize, &Way),
    ) -> Option<(Call, Replayed)> {
        let mut first = None;
        for (recipient, balance) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let wish = self.wish(recipient, balance);
            let found = if first.is_none() {
                self.try_way(path, class, None, way, wish)?
            } else {
                let way = self.ways(path, index, wish).into_iter().nth(number)?;
                self.try_way(path, class, None, &way, wish)?
            };
            let (_, done) = &found;
            let whole = done.native[recipient] >= wish.native || done.tokens[recipient] >= wish.token;
            if !whole {
                return None;
            }
            first.get_or_insert(found);
        }
        first
    }

    fn wish(&self, recipient: usize, balance: usize) -> Wish {
        let (native, token) = (native_balances()[balance], token_balances()[balance]);
        Wish {
            recipient,
            native,
            token,
            amounts: (native, token),
        }
    }

    /// Calls by different callers that each moved something; at most `most`.
    pub(crate) fn movers(&mut self, paths: &[(&Path, Class)], most: usize) -> Vec<(Call, Replayed)> {
        let mut found: Vec<(Call, Replayed)> = Vec::new();
        for (path, class) in paths.iter().take(TRIED) {
            for stranger in STRANGERS {
                if *class != Class::Other && stranger != STRANGERS[0] {
                    break;
                }
                let known = |found: &Vec<(Call, Replayed)>, call: &Call| {
                    found.iter().any(|(other, _)| other.caller == call.caller)
                };
                let moved = self.moves_something(path, *class, stranger);
                if let Some((call, done)) = moved
                    && !known(&found, &call)
                {
                    found.push((call, done));
                    if found.len() >= most {
                        return found;
                    }
                }
            }
        }
        found
    }

    /// A call that moves something on this path.
    fn moves_something(&mut self, path: &Path, class: Class, stranger: Address) -> Option<(Call, Replayed)> {
        // Where the caller is the recipient, other callers are other recipients.
        let whole = self.wish(usize::from(stranger == STRANGERS[1]), 0);
        let little = Wish {
            amounts: (U256::ONE, U256::ONE),
            ..whole
        };
        for index in 0..path.effects.len() {
            for wish in [whole, little] {
                for way in self.ways(path, index, wish) {
                    if let Some(found) = self.try_way(path, class, Some(stranger), &way, wish)
                        && found.1.moved
                    {
                        return Some(found);
                    }
                }
            }
        }
        None
    }

    fn try_way(
        &mut self,
        path: &Path,
        class: Class,
        stranger: Option<Address>,
        way: &Way,
        wish: Wish,
    ) -> Option<(Call, Replayed)> {
        if self.left == 0 || self.engine.store.work() > self.work {
            return None;
        }
        let mut model = Model::by(stranger.unwrap_or(STRANGERS[0]), wish.native, TOKEN, wish.token);
        match class {
            Class::Key(key) => {
                model.caller = Address::from_word(key.into());
                model.caller_settled = true;
            }
            Class::Slot(term) => {
                let value = self.engine.store.slot_value(slot_of(&self.engine.store, term)?)?;
                let key = term_with_slot(&mut self.engine.store, term, value);
                model.caller = Address::from_word(self.engine.store.value(key)?.into());
                model.caller_settled = true;
            }
            Class::Signed => return None,
            Class::Other => {}
        }
        model.origin = model.caller;
        let model = solve(self.engine, &path.facts, &way.goals, model);
        // A transaction's sender calls by itself.
        let caller = if model.origin == model.caller {
            model.caller
        } else {
            model.origin
        };
        if caller == self.engine.account || caller == Address::ZERO {
            return None;
        }
        let value = model.value.min(U256::from(1_u128 << 80));
        for data in [model.short(), model.sent()] {
            let data = Bytes::from(data);
            let call = Call { caller, value, data };
            if let Some(done) = self.execute(&call, &way.tokens, wish) {
                return Some((call, done));
            }
        }
        None
    }

    fn execute(&mut self, call: &Call, tokens: &[Address], wish: Wish) -> Option<Replayed> {
        self.left = self.left.checked_sub(1)?;
        let setting = Setting {
            delegate: self.delegate,
            code: self.engine.delegate.bytes().clone(),
            balance: wish.native,
            token_balance: wish.token,
            tokens: tokens.to_vec(),
            recipients: RECIPIENTS,
            not_known: self.engine.not_known.clone(),
        };
        replay(self.engine.world, &setting, call)
    }

    /// Whether a caller that is none of those can do the same.
    pub(crate) fn strangers_fail(&mut self, call: &Call) -> bool {
        let wish = self.wish(0, 0);
        let tokens = Vec::new();
        STRANGERS.iter().chain(&RECIPIENTS).all(|stranger| {
            let other = Call {
                caller: *stranger,
                ..call.clone()
            };
            !self.execute(&other, &tokens, wish).is_some_and(|done| done.moved)
        })
    }

    /// The ways in which an effect of a path could send what is wished.
    fn ways(&mut self, path: &Path, index: usize, wish: Wish) -> Vec<Way> {
        let Some(effect) = path.effects.get(index) else {
            return Vec::new();
        };
        match &effect.what {
            What::EnterSelf(inner, data) => self.ways_inside(path, index, *inner, *data, wish),
            _ => self.ways_of(&path.facts, effect, wish),
        }
    }

    fn ways_of(&mut self, facts: &Facts, effect: &Effect, wish: Wish) -> Vec<Way> {
        let recipient = word(RECIPIENTS[wish.recipient]);
        match &effect.what {
            What::Call { to, value, data } => self.ways_of_call(facts, (*to, *value, data), wish),
            What::Delegate { to, .. } => {
                vec![Way::to(vec![Goal::Equal(*to, word(DRAINERS[wish.recipient]))])]
            }
            What::SelfDestruct { to } => vec![Way::to(vec![Goal::Equal(*to, recipient)])],
            What::Create { .. } | What::EnterSelf(..) | What::Again => Vec::new(),
        }
    }

    fn ways_of_call(&mut self, facts: &Facts, (to, value, data): (Id, Id, &Data), wish: Wish) -> Vec<Way> {
        let named = facts.value(&self.engine.store, to);
        let transfers = named.is_none_or(|named| self.transfers(Address::from_word(named.into())));
        let store = &mut self.engine.store;
        let recipient = word(RECIPIENTS[wish.recipient]);
        let slice = data.whole.and_then(|whole| match store.pieces(whole) {
            [piece] if piece.bytes == 0 => match *store.node(piece.value) {
                Node::Slice(from, length) => Some((from, length)),
                _ => None,
            },
            _ => None,
        });
        let mut ways = Vec::new();
        if !facts.range(store, value).1.is_zero() {
            let mut goals = vec![Goal::Equal(to, recipient), Goal::Equal(value, wish.amounts.0)];
            goals.extend(slice.map(|(from, length)| Goal::Bytes(from, length, Vec::new())));
            ways.push(Way::to(goals));
            // Where the recipient is not chosen, something may move all the same.
            if store.value(to).is_some() {
                ways.push(Way::to(vec![Goal::Equal(value, wish.amounts.0)]));
            }
        }
        let (mut goals, tokens) = match facts.value(store, to) {
            Some(token) => (Vec::new(), vec![Address::from_word(token.into())]),
            None => (vec![Goal::Equal(to, word(TOKEN))], Vec::new()),
        };
        // Nothing moves where there is no contract.
        let nothing = |token: &Address| matches!(self.engine.world.code(*token), Ok(code) if code.is_empty());
        if tokens.iter().any(nothing) {
            return ways;
        }
        let account = word(self.engine.account);
        match data.fixed_selector(store).map(function) {
            Some(Function::Transfer { to, amount }) => {
                let words = (data.words.get(to), data.words.get(amount));
                if let (Some(&to), Some(&amount)) = words {
                    goals.extend([Goal::Equal(to, recipient), Goal::Equal(amount, wish.amounts.1)]);
                }
                if let (1, Some(&from)) = (to, data.words.first()) {
                    goals.push(Goal::Equal(from, account));
                }
                ways.push(Way { goals, tokens });
            }
            Some(Function::Item) => {
                goals.extend(data.words.first().map(|from| Goal::Equal(*from, account)));
                ways.push(Way { goals, tokens });
            }
            Some(Function::Grant) => {
                // Nothing is granted with a zero.
                goals.extend(data.words.get(1).map(|amount| Goal::Equal(*amount, U256::ONE)));
                ways.push(Way { goals, tokens });
            }
            Some(Function::Unwrap) => ways.push(Way { goals, tokens }),
            Some(Function::Other) => {}
            // A contract that is named, and called with any data, is a token only if it has a token's function.
            None if !transfers => {}
            None => {
                if let Some((from, length)) = slice {
                    goals.push(Goal::Bytes(from, length, transfer(recipient, wish.amounts.1)));
                } else if let (Some(selector), [first, second, ..]) = (data.selector, data.words.as_slice()) {
                    goals.extend([
                        Goal::Equal(selector, U256::from(TRANSFER)),
                        Goal::Equal(*first, recipient),
                        Goal::Equal(*second, wish.amounts.1),
                    ]);
                } else {
                    return ways;
                }
                ways.push(Way { goals, tokens });
            }
        }
        ways
    }

    /// Whether code at an address is known to have `transfer(address,uint256)`.
    fn transfers(&self, address: Address) -> bool {
        let code = self.engine.world.code(address).unwrap_or_default();
        code.windows(4).any(|bytes| bytes == TRANSFER.to_be_bytes())
    }

    /// Through the account itself: the call within is found first, and is then the data of the call.
    fn ways_inside(
        &mut self,
        path: &Path,
        index: usize,
        inner: Inner,
        data: Option<Id>,
        wish: Wish,
    ) -> Vec<Way> {
        let slice = data.and_then(|whole| match self.engine.store.pieces(whole) {
            [piece] if piece.bytes == 0 => match *self.engine.store.node(piece.value) {
                Node::Slice(from, length) => Some((from, length)),
                _ => None,
            },
            _ => None,
        });
        let (Some((from, length)), Some(exploration)) = (slice, self.selves.get(&inner)) else {
            return Vec::new();
        };
        let enters = path.effects.get(index + 1).and_then(|next| match &next.what {
            What::Call { to, data: same, .. } if same.whole == data => Some(*to),
            _ => None,
        });
        let mut ways = Vec::new();
        for within in exploration.paths.iter().take(TRIED_INSIDE) {
            for effect in &within.effects {
                for way in self.ways_of(&within.facts, effect, wish) {
                    let model = Model::by(STRANGERS[0], wish.native, TOKEN, wish.token);
                    let model = solve(self.engine, &within.facts, &way.goals, model);
                    let mut goals = vec![Goal::Bytes(from, length, model.short())];
                    goals.extend(enters.map(|to| Goal::Equal(to, word(self.engine.account))));
                    ways.push(Way {
                        goals,
                        tokens: way.tokens,
                    });
                }
            }
        }
        ways
    }
}

impl Way {
    fn to(goals: Vec<Goal>) -> Self {
        Self {
            goals,
            tokens: Vec::new(),
        }
    }
}

fn word(address: Address) -> U256 {
    U256::from_be_slice(address.as_slice())
}

fn transfer(recipient: U256, amount: U256) -> Vec<u8> {
    let mut data = TRANSFER.to_be_bytes().to_vec();
    data.extend_from_slice(&recipient.to_be_bytes::<32>());
    data.extend_from_slice(&amount.to_be_bytes::<32>());
    data
}
