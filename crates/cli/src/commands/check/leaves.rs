//! What leaves, and to whom: what the calls do when they are run, and what the request's bytes say, so that neither
//! hides the other.

use super::effects::{Effects, OfToken, address, amount, gained, lost};
use alloy_primitives::{Address, U256};
use presight_decode::{Decoded, Transfer};
use presight_engine::words::{Tokens, entity, token_name, units};
use presight_wire::report::Report;
use presight_wire::{AccountId, ChainId, Request};
use serde_json::Value;
use std::collections::BTreeSet;

/// Lines of each part that are shown; the report has everything.
const MAX_LINES: usize = 40;

/// The standing of what an event says and the state does not.
const NOT_OBSERVED: &str = "claimed, not observed";

/// What movements are told by.
pub(super) struct Movements<'a> {
    effects: Effects<'a>,
    tokens: &'a Tokens,
    chain: &'a ChainId,
    signer: Address,
    decoded: &'a Decoded,
}

impl<'a> Movements<'a> {
    pub(super) fn new(
        report: &'a Report,
        tokens: &'a Tokens,
        request: &'a Request,
        decoded: &'a Decoded,
    ) -> Self {
        Self {
            effects: Effects { report },
            tokens,
            chain: request.chain(),
            signer: request.signer().address,
            decoded,
        }
    }

    /// A line each; nothing when nothing leaves and nothing says so.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if !self.decoded.calls.is_empty() {
            match self.effects.status() {
                Ok(status) => {
                    lines.push(format!("when the calls are run ({status}):"));
                    let seen = self.when_run();
                    if seen.is_empty() {
                        lines.push("  nothing leaves".to_owned());
                    }
                    lines.extend(cut(seen));
                }
                Err(reason) => lines.push(format!(
                    "what the calls do was not read ({reason}): what the bytes do not say is not known"
                )),
            }
        }
        let said = self.by_the_bytes();
        if !said.is_empty() {
            lines.push("by the request's bytes:".to_owned());
            lines.extend(cut(said));
        }
        lines
    }

    fn when_run(&self) -> Vec<String> {
        let own = |item: &Value| address(item, "from").is_none_or(|from| from == self.signer);
        let arrives = |item: &Value| address(item, "to") == Some(self.signer);
        let (own_transfers, others): (Vec<_>, Vec<_>) = self
            .effects
            .transfers()
            .filter(|transfer| own(transfer.item) || !arrives(transfer.item))
            .partition(|transfer| own(transfer.item));
        let mut lines: Vec<String> = self
            .effects
            .native()
            .filter_map(|item| self.native(item))
            .collect();
        lines.extend(own_transfers.iter().map(|transfer| self.transfer(transfer)));
        lines.extend(
            self.effects
                .balances()
                .filter_map(|balance| self.untold(&balance)),
        );
        lines.extend(others.iter().map(|transfer| self.transfer(transfer)));
        let claims = self.effects.claims();
        let of_transfers =
            claims.filter(|claim| claim.item.get("event").is_none_or(|event| event == "transfer"));
        // Of another standing, they are among the transfers.
        let denied = of_transfers.filter(|claim| claim.item["standing"] == NOT_OBSERVED);
        lines.extend(denied.map(|claim| self.transfer(&claim)));
        let unread: BTreeSet<String> = self
            .effects
            .unread_movements()
            .map(|(of, reason)| {
                let of = entity(of, self.effects.report, self.tokens);
                format!("not read ({reason}): all that moves of {of}")
            })
            .collect();
        lines.extend(unread);
        lines
    }

    fn native(&self, item: &Value) -> Option<String> {
        let Some(account) = address(item, "account") else {
            return Some(not_understood(item));
        };
        let whose = account.to_checksum(None);
        match (lost(item), gained(item)) {
            (Some(wei), _) => Some(format!("{wei} wei from {whose}")),
            (_, Some(wei)) if account != self.signer => Some(format!("{wei} wei to {whose}")),
            (_, Some(_)) => None,
            (None, None) => Some(not_understood(item)),
        }
    }

    fn transfer(&self, OfToken { token, item }: &OfToken<'_>) -> String {
        let (Some(from), Some(to), Some(moved)) = (
            address(item, "from"),
            address(item, "to"),
            item.get("amount").and_then(Value::as_str),
        ) else {
            return format!("{} of {}", not_understood(item), token_name(token, self.tokens));
        };
        let what = match (item.get("id").and_then(Value::as_str), amount(item, "amount")) {
            (Some(id), _) => format!("{moved} of id {id} of {}", token_name(token, self.tokens)),
            (None, Some(moved)) => units(moved, token, self.tokens),
            (None, None) => format!("{moved} base units of {}", token_name(token, self.tokens)),
        };
        let standing = match item.get("standing").and_then(Value::as_str) {
            Some("observed") => String::new(),
            Some(standing) => format!(" [{standing}]"),
            None => " [standing not told]".to_owned(),
        };
        format!("{what}{} to {}{standing}", self.from(from), to.to_checksum(None))
    }

    /// A balance that shrinks although no event tells of it.
    fn untold(&self, OfToken { token, item }: &OfToken<'_>) -> Option<String> {
        if item.get("told") == Some(&Value::Bool(true)) {
            return None;
        }
        let Some(account) = address(item, "account").filter(|_| lost(item).or(gained(item)).is_some()) else {
            return Some(format!(
                "{} of {}",
                not_understood(item),
                token_name(token, self.tokens)
            ));
        };
        let lost = lost(item)?;
        let what = match item.get("id").and_then(Value::as_str) {
            Some(id) => format!("{lost} of id {id} of {}", token_name(token, self.tokens)),
            None => units(lost, token, self.tokens),
        };
        Some(format!(
            "{what}{}, and the events do not tell to whom",
            self.from(account)
        ))
    }

    fn by_the_bytes(&self) -> Vec<String> {
        let transfers = self.decoded.transfers.iter().map(|transfer| {
            let what = match transfer.token {
                None => format!("{} wei", transfer.amount),
                Some(token) => units(transfer.amount, &self.account(token), self.tokens),
            };
            format!(
                "{what}{} to {}{}",
                self.from(transfer.from),
                transfer.to.to_checksum(None),
                self.denied(transfer)
            )
        });
        let permits = self.decoded.transfer_permits.iter().map(|permit| {
            let token = AccountId::new(permit.chain.clone(), permit.token);
            let spender = permit.spender.to_checksum(None);
            format!(
                "up to {}, once, by {spender}",
                units(permit.amount, &token, self.tokens)
            )
        });
        transfers.chain(permits).collect()
    }

    /// What the simulation says against a transfer of the bytes.
    fn denied(&self, said: &Transfer) -> &'static str {
        const NOT_SEEN: &str = " [does not happen when the calls are run]";
        let Some(call) = said.call_index.filter(|_| self.effects.status().is_ok()) else {
            return "";
        };
        if self.effects.failed(call) {
            return NOT_SEEN;
        }
        match said.token {
            None => {
                let to_it = |item: &&Value| address(item, "account") == Some(said.to);
                let grows = self.effects.native().find(to_it).and_then(gained);
                if said.amount.is_zero() || said.to == said.from || grows >= Some(said.amount) {
                    ""
                } else {
                    " [the receiver's balance does not grow by it when the calls are run]"
                }
            }
            Some(token) => {
                let token = self.account(token);
                if !self.effects.tells_of(&token) {
                    return " [what moves of the token was not read]";
                }
                match self.compared(said, &token) {
                    None => "",
                    Some(true) => " [otherwise when the calls are run]",
                    Some(false) if self.is_denied(said, &token) => NOT_SEEN,
                    Some(false) => " [no event tells of it when the calls are run]",
                }
            }
        }
    }

    /// `None` when the simulation shows what the bytes say of this pair; otherwise whether it shows anything.
    fn compared(&self, said: &Transfer, token: &AccountId) -> Option<bool> {
        let seen: Vec<_> = self
            .effects
            .transfers()
            .filter(|transfer| transfer.token == token && is_between(transfer.item, said))
            .collect();
        let is_item = |id: U256| {
            seen.iter()
                .any(|transfer| amount(transfer.item, "id") == Some(id))
        };
        if is_item(said.token_id.unwrap_or(said.amount)) {
            return None;
        }
        let told = sum(seen.iter().filter_map(|transfer| amount(transfer.item, "amount")));
        let alike = self.decoded.transfers.iter().filter(|other| {
            (other.token, other.from, other.to) == (said.token, said.from, said.to)
                && other.call_index.is_some()
        });
        let all_said = sum(alike.map(|other| other.amount));
        (told != all_said || told.is_none()).then_some(!seen.is_empty())
    }

    /// Whether a transfer that no event tells of is known not to happen: its token says it and does not do it, or the
    /// signer's balance does not shrink.
    fn is_denied(&self, said: &Transfer, token: &AccountId) -> bool {
        let claimed = self.effects.claims().any(|claim| {
            claim.token == token
                && is_between(claim.item, said)
                && claim
                    .item
                    .get("standing")
                    .is_some_and(|standing| standing == NOT_OBSERVED)
        });
        let changes = |account: Address| {
            let mut balances = self.effects.balances();
            balances.any(|balance| {
                balance.token == token && address(balance.item, "account").is_none_or(|of| of == account)
            })
        };
        claimed || (said.from == self.signer && self.effects.tells_balances_of(token) && !changes(said.from))
    }

    fn from(&self, account: Address) -> String {
        if account == self.signer {
            String::new()
        } else {
            format!(" from {}", account.to_checksum(None))
        }
    }

    fn account(&self, token: Address) -> AccountId {
        AccountId::new(self.chain.clone(), token)
    }
}

/// Whether an item is about the two accounts of a transfer.
fn is_between(item: &Value, said: &Transfer) -> bool {
    (address(item, "from"), address(item, "to")) == (Some(said.from), Some(said.to))
}

/// `None` beyond 256 bits.
fn sum(mut amounts: impl Iterator<Item = U256>) -> Option<U256> {
    amounts.try_fold(U256::ZERO, U256::checked_add)
}

/// An item of another form than ours.
pub(super) fn not_understood(item: &Value) -> String {
    format!("something that is not understood ({item})")
}

fn cut(lines: Vec<String>) -> Vec<String> {
    let more = lines.len().saturating_sub(MAX_LINES);
    let mut shown: Vec<String> = lines
        .into_iter()
        .take(MAX_LINES)
        .map(|line| format!("  {line}"))
        .collect();
    if more > 0 {
        shown.push(format!("  … and {more} more"));
    }
    shown
}
