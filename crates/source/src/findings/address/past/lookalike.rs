//! `erc.presign.address.lookalike`

use super::{first_named, named, of_signer};
use crate::config::Digits;
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use alloy_primitives::{Address, B256};
use presight_view::Lookup;
use presight_view::history::Transfer;
use presight_wire::kinds::Group;
use presight_wire::{AccountId, Read};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Those that the signer dealt with in blocks before the report's and that begin and end as this address does,
/// ascending. Every counterparty counts, in either direction, spoofed ones included: that is how such an address comes into a
/// history (I-28b).
#[derive(Debug)]
pub struct Lookalike;

impl Kind for Lookalike {
    fn name(&self) -> &'static str {
        "erc.presign.address.lookalike"
    }

    fn group(&self) -> Group {
        Group::Address
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        let Entity::Address(entity) = entity else {
            return Vec::new();
        };
        let digits = context.config.history.lookalike();
        let facts = digits.into_iter().map(|digits| Fact {
            param: Some(json!({ "prefix": digits.prefix, "suffix": digits.suffix })),
            reading: lookalikes(context, &entity.address, digits),
        });
        facts.collect()
    }
}

fn lookalikes(context: &Context<'_>, account: &AccountId, digits: Digits) -> Lookup<Read<Value>> {
    let at = context.at(&account.chain)?;
    let records = of_signer(context, account, &at)?;
    let signer = context.signer();
    // Of each, the first record.
    let mut alike: BTreeMap<Address, &Transfer> = BTreeMap::new();
    for record in records.iter().take_while(|record| record.block < at.block) {
        for other in counterparties(record, signer) {
            if other != account.address && are_alike(other, account.address, digits) {
                alike.entry(other).or_insert(record);
            }
        }
    }
    let evidence = alike.values().map(|record| named(&account.chain, record));
    let evidence = first_named(evidence);
    let found: Value = alike.keys().map(|address| format!("{address:#x}")).collect();
    Ok(Read::from_history(found, at, evidence))
}

/// Who else gave or received.
fn counterparties(record: &Transfer, signer: Address) -> impl Iterator<Item = Address> {
    let gives = (record.from == signer).then_some(record.to).flatten();
    let receives = (record.to == Some(signer)).then_some(record.from);
    gives.into_iter().chain(receives)
}

/// Whether two addresses share that many of their first and of their last hex digits.
fn are_alike(a: Address, b: Address, digits: Digits) -> bool {
    let word = |address: Address| B256::left_padding_from(address.as_slice());
    let differing = alloy_primitives::U256::from_be_bytes((word(a) ^ word(b)).0);
    let first_differing_bit = 160 - differing.bit_len();
    first_differing_bit >= 4 * usize::from(digits.prefix)
        && differing.trailing_zeros() >= 4 * usize::from(digits.suffix)
}

#[cfg(test)]
mod tests {
    use super::{Digits, are_alike};
    use alloy_primitives::{Address, hex};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn alike_is_what_the_hex_digits_say(
            a in any::<[u8; 20]>(), same in any::<(u8, u8)>(), other in any::<[u8; 20]>(),
            prefix in 0..20u8, suffix in 0..20u8,
        ) {
            // `b` is `a` in the middle of which something else stands.
            let (start, end) = (usize::from(same.0 % 11), 20 - usize::from(same.1 % 10));
            let mut b = a;
            if start < end { b[start..end].copy_from_slice(&other[start..end]); }
            let text = |bytes: [u8; 20]| hex::encode(bytes);
            let (first, last) = (usize::from(prefix), 40 - usize::from(suffix));
            let expected = text(a)[..first] == text(b)[..first] && text(a)[last..] == text(b)[last..];
            let digits = Digits { prefix, suffix };
            prop_assert_eq!(are_alike(Address::from(a), Address::from(b), digits), expected);
        }
    }
}
