//! A simulation in words.

use alloy_primitives::{Address, U256};
use presight_engine::Simulated;
use presight_engine::simulate::calls;
use presight_engine::words::{TokenWords, decimal_amount, printable};
use presight_exec::delegation::{AccountCode, TupleOutcome};
use presight_exec::effects::{Dependences, Difference, Part, Standing, Transfer, Variation};
use presight_exec::simulate::{Change, Frame};
use presight_wire::{AccountId, ChainId};

/// Lines of one kind that are printed; `--json` has them all.
const MAX_LINES: usize = 200;

/// What the simulation did, a line each.
pub(super) fn of(told: &Simulated, chain: &ChainId) -> String {
    let outcome = &told.outcome;
    let mut lines = vec![format!(
        "{} at block {}, {} gas",
        outcome.status.as_str(),
        outcome.at.block,
        outcome.gas_used
    )];
    lines.extend(
        outcome
            .reason
            .iter()
            .map(|reason| format!("  {}", printable(reason))),
    );
    section(
        &mut lines,
        "authorizations",
        told.tuples.iter().enumerate().map(tuple).collect(),
    );
    section(&mut lines, "calls", outcome.frames.iter().map(frame).collect());
    section(&mut lines, "effects", Teller { told, chain }.effects());
    let open = told.effects.unattributed.iter().map(|slot| {
        format!(
            "{} slot {:#x}: {:#x} to {:#x}",
            account(slot.contract),
            slot.slot,
            slot.change.before,
            slot.change.after
        )
    });
    section(&mut lines, "storage whose meaning is not known", open.collect());
    if let Some(tried) = &told.dependences {
        section(&mut lines, "in other surroundings", dependences(tried));
    }
    let bounds = outcome
        .bounds
        .iter()
        .map(|bound| format!("{bound} was hit: what lies beyond is missing"));
    let caveats = outcome.caveats.iter().map(ToString::to_string);
    let not_read = told
        .effects
        .not_read
        .iter()
        .map(|part| format!("not read, for the node does not tell: {}", part_in_words(*part)));
    section(
        &mut lines,
        "to know",
        caveats.chain(bounds).chain(not_read).collect(),
    );
    lines.join("\n")
}

/// What the code looked at, what was tried, and what came of it; nothing when it looked at nothing.
fn dependences(tried: &Dependences) -> Vec<String> {
    if tried.looked_at.is_empty() {
        return Vec::new();
    }
    let looked_at: Vec<_> = tried.looked_at.iter().map(|seen| seen.as_str()).collect();
    let mut lines = vec![format!("the code looks at: {}", looked_at.join(", "))];
    let (same, differing): (Vec<_>, Vec<_>) = tried
        .found
        .iter()
        .partition(|dependence| dependence.what == Difference::Nothing);
    lines.extend(
        differing
            .iter()
            .map(|d| format!("{}: {}", on_in_words(d.on), difference_in_words(&d.what))),
    );
    if !same.is_empty() {
        let tried: Vec<_> = same.iter().map(|d| on_in_words(d.on)).collect();
        lines.push(format!("no difference was seen {}", tried.join(", ")));
    }
    lines
}

fn on_in_words(on: Variation) -> &'static str {
    match on {
        Variation::NextBlock => "in the next block",
        Variation::TwoBlocksOn => "two blocks on",
        Variation::FiveBlocksOn => "five blocks on",
        Variation::HourOn => "an hour on",
        Variation::DayOn => "a day on",
        Variation::Later => "a quarter of an hour later",
        Variation::MuchLater => "thirty days later",
        Variation::OtherCoinbase => "with another block producer",
        Variation::NoCoinbase => "without a block producer",
        Variation::OtherRandomness => "with other randomness",
        Variation::LargerBlock => "in a block with twice the gas",
        Variation::SmallerBlock => "in a block with less gas",
        Variation::DearerGas => "with gas at twice the price",
        Variation::CheaperGas => "with gas at half the price",
        Variation::FreeGas => "with gas for nothing",
        Variation::Tipped => "with a tip for the block producer",
        Variation::DearerBlobs => "with dearer blobs",
        Variation::CheapestBlobs => "with the cheapest blobs",
        Variation::ScarceGas => "with not much more gas than is used",
        Variation::LeastGas => "with less gas",
        Variation::PoorSender => "with a sender who holds only what the calls send",
        Variation::RichSender => "with a sender who holds more than anyone",
    }
}

fn difference_in_words(what: &Difference) -> String {
    match what {
        Difference::Nothing => "no difference was seen".to_owned(),
        Difference::Amounts => "the same happens, with other amounts".to_owned(),
        Difference::Kind => "something else happens".to_owned(),
        Difference::NotRead(why) => format!("not read ({})", why.reason.as_str()),
    }
}

/// What became of a tuple of the authorization list.
fn tuple((index, outcome): (usize, &TupleOutcome)) -> String {
    match outcome {
        TupleOutcome::Applied => format!("tuple {index} applied"),
        TupleOutcome::Skipped(why) => format!("tuple {index} skipped: {why}"),
        TupleOutcome::Unknown(_) => format!("tuple {index} not read"),
    }
}

fn section(lines: &mut Vec<String>, title: &str, items: Vec<String>) {
    if items.is_empty() {
        return;
    }
    lines.push(title.to_owned());
    let count = items.len();
    lines.extend(items.into_iter().take(MAX_LINES).map(|item| format!("  {item}")));
    if count > MAX_LINES {
        lines.push(format!("  … and {} more", count - MAX_LINES));
    }
}

fn frame(frame: &Frame) -> String {
    let indent = "  ".repeat(frame.depth);
    let what = calls::function(frame).map_or_else(String::new, |what| format!(" {what}"));
    let value = if frame.value.is_zero() {
        String::new()
    } else {
        format!(", {} wei", frame.value)
    };
    let failed = if frame.success { "" } else { ", failed" };
    format!(
        "{indent}{} {}{what}{value}{failed}",
        frame.kind.as_str(),
        account(frame.code)
    )
}

fn account(address: Address) -> String {
    address.to_checksum(None)
}

struct Teller<'t> {
    told: &'t Simulated,
    chain: &'t ChainId,
}

impl Teller<'_> {
    fn effects(&self) -> Vec<String> {
        let effects = &self.told.effects;
        let mut lines = Vec::new();
        lines.extend(effects.native.iter().map(|native| {
            format!(
                "{} {}",
                account(native.account),
                moved(&native.balance, |amount| format!("{amount} wei"))
            )
        }));
        lines.extend(effects.transfers.iter().map(|transfer| self.transfer(transfer)));
        lines.extend(
            effects
                .balances
                .iter()
                .filter(|balance| !balance.told)
                .map(|balance| {
                    let moved = moved(&balance.balance, |amount| self.units(amount, balance.token));
                    format!("{} {moved}, and no event tells of it", account(balance.account))
                }),
        );
        lines.extend(effects.allowances.iter().map(|allowance| {
            format!(
                "{} may take {} of {}: {}{}",
                account(allowance.spender),
                self.name(allowance.token),
                account(allowance.owner),
                self.amounts(allowance.amount.as_ref(), allowance.told, allowance.token),
                standing(allowance.standing)
            )
        }));
        lines.extend(effects.permit2.iter().map(|allowance| {
            let until = allowance
                .expiration
                .as_ref()
                .map_or_else(String::new, |until| format!(", until {}", until.after));
            format!(
                "{} may take {} of {} through {}: {}{until}{}",
                account(allowance.spender),
                self.name(allowance.token),
                account(allowance.owner),
                account(allowance.contract),
                self.amounts(allowance.amount.as_ref(), None, allowance.token),
                standing(allowance.standing)
            )
        }));
        lines.extend(effects.operators.iter().map(|operator| {
            let approved = operator
                .approved
                .as_ref()
                .map(|approved| approved.after)
                .or(operator.told);
            format!(
                "{} {} take every item of {} of {}{}",
                account(operator.operator),
                if approved == Some(true) { "may" } else { "may not" },
                self.name(operator.token),
                account(operator.owner),
                standing(operator.standing)
            )
        }));
        lines.extend(effects.items.iter().map(|item| {
            let approved = item
                .approved
                .as_ref()
                .map(|approved| approved.after)
                .or(item.told);
            let who = approved
                .filter(|approved| !approved.is_zero())
                .map_or_else(|| "nobody".to_owned(), account);
            format!(
                "{who} may take item {} of {}{}",
                item.id,
                self.name(item.token),
                standing(item.standing)
            )
        }));
        lines.extend(effects.nonces.iter().map(|nonce| {
            format!(
                "nonce of {} in {} for {} moves from {} to {}",
                account(nonce.owner),
                account(nonce.contract),
                nonce.spends.as_str(),
                nonce.value.before,
                nonce.value.after
            )
        }));
        lines.extend(effects.control.iter().map(|control| {
            let of = control.of.map_or_else(String::new, |of| format!(" {of}"));
            let subject = control
                .subject
                .map_or_else(String::new, |subject| format!(" {}", account(subject)));
            let value = control.value.as_ref().map_or_else(String::new, |value| {
                format!(": {:#x} to {:#x}", value.before, value.after)
            });
            format!(
                "{}{of} of {}{subject} changes{value}{}",
                control.what.as_str(),
                account(control.contract),
                standing(control.standing)
            )
        }));
        lines.extend(effects.code.iter().map(|code| {
            let gone = if code.destroyed {
                ", and it destroyed itself"
            } else {
                ""
            };
            format!(
                "code of {}: {} to {}{gone}",
                account(code.account),
                code_in_words(code.code.before),
                code_in_words(code.code.after)
            )
        }));
        lines
    }

    fn transfer(&self, transfer: &Transfer) -> String {
        let what = match transfer.asset.id() {
            Some(id) => format!("{} of id {id} of {}", transfer.amount, self.name(transfer.token)),
            None => self.units(transfer.amount, transfer.token),
        };
        format!(
            "{what} from {} to {}{}",
            account(transfer.from),
            account(transfer.to),
            standing(transfer.standing)
        )
    }

    /// Amounts of an allowance before and after, or what an event says.
    fn amounts(&self, amount: Option<&Change<U256>>, told: Option<U256>, token: Address) -> String {
        let words = |amount: U256| {
            if amount == U256::MAX {
                "without limit".to_owned()
            } else {
                self.units(amount, token)
            }
        };
        match (amount, told) {
            (Some(amount), _) => format!("{}, before {}", words(amount.after), words(amount.before)),
            (None, Some(told)) => words(told),
            (None, None) => "not read".to_owned(),
        }
    }

    fn token(&self, token: Address) -> Option<&TokenWords> {
        self.told.tokens.get(&AccountId::new(self.chain.clone(), token))
    }

    fn name(&self, token: Address) -> String {
        match self.token(token).and_then(TokenWords::shown_symbol) {
            Some(symbol) => format!("{symbol} ({})", account(token)),
            None => account(token),
        }
    }

    fn units(&self, amount: U256, token: Address) -> String {
        match self.token(token).and_then(TokenWords::shown_decimals) {
            Some(decimals) => format!("{} {}", decimal_amount(amount, decimals), self.name(token)),
            None => format!("{amount} units of {}", self.name(token)),
        }
    }
}

/// What a balance gains or loses.
fn moved(balance: &Change<U256>, words: impl Fn(U256) -> String) -> String {
    if balance.after > balance.before {
        format!("gains {}", words(balance.after - balance.before))
    } else {
        format!("loses {}", words(balance.before - balance.after))
    }
}

fn standing(standing: Standing) -> String {
    match standing {
        Standing::Observed => String::new(),
        Standing::Differs => " [the state changed, but not as the event says]".to_owned(),
        Standing::Claimed => " [an event says so; the state does not]".to_owned(),
        Standing::Unconfirmed => " [an event says so; the state was not read]".to_owned(),
    }
}

fn part_in_words(part: Part) -> &'static str {
    match part {
        Part::Native => "native balances",
        Part::Untold => "balances, grants and changes of control without an event",
        Part::Code => "code that was created, delegated or destroyed",
        Part::Unattributed => "storage whose meaning is not known",
    }
}

fn code_in_words(code: AccountCode) -> String {
    match code {
        AccountCode::None => "none".to_owned(),
        AccountCode::Contract => "a contract".to_owned(),
        AccountCode::Delegated(delegate) => format!("a delegation to {}", account(delegate)),
    }
}
