//! `erc.presign.approval.share-of-supply`

use super::amount;
use crate::context::Context;
use crate::kind::{Approved, Entity, Fact, Kind};
use alloy_primitives::{U256, U512};
use presight_decode::Amount;
use presight_exec::reads;
use presight_view::Lookup;
use presight_wire::Read;
use presight_wire::kinds::Group;
use serde_json::Value;

/// The amount in basis points of the token's `totalSupply()`, rounded down and capped at 10000 (I-24). Does not
/// apply to an approval for all.
#[derive(Debug)]
pub struct ShareOfSupply;

const WHOLE: u16 = 10_000;

impl Kind for ShareOfSupply {
    fn name(&self) -> &'static str {
        "erc.presign.approval.share-of-supply"
    }

    fn group(&self) -> Group {
        Group::Approval
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        let Entity::Approval(approved) = entity else {
            return Vec::new();
        };
        match approved.grant.amount {
            Amount::All => Vec::new(),
            Amount::Units { value, .. } => Fact::only(share(context, approved, value)),
        }
    }
}

fn share(context: &Context<'_>, approved: &Approved<'_>, value: U256) -> Lookup<Read<Value>> {
    // Both are asked for before either may fail, so that one wave fetches what both need.
    let amount = amount(context, approved);
    let token = &approved.approval.token;
    let supply = reads::total_supply(context.view, &token.chain, token.address);
    let (_, supply) = (amount?, supply?);
    Ok(supply.map(|supply| Value::from(basis_points(value, supply))))
}

fn basis_points(amount: U256, supply: U256) -> u16 {
    if amount.is_zero() {
        return 0;
    }
    if amount >= supply {
        return WHOLE;
    }
    let share = U512::from(amount) * U512::from(WHOLE) / U512::from(supply);
    u16::try_from(share).expect("amount < supply, so the share is below 10000")
}

#[cfg(test)]
mod tests {
    use super::basis_points;
    use alloy_primitives::U256;

    #[test]
    fn rounds_down_and_caps() {
        let n = U256::from;
        assert_eq!(basis_points(n(0), n(0)), 0);
        assert_eq!(basis_points(n(1), n(0)), 10_000);
        assert_eq!(basis_points(n(0), n(7)), 0);
        assert_eq!(basis_points(n(1), n(10_001)), 0);
        assert_eq!(basis_points(n(1), n(3)), 3_333);
        assert_eq!(basis_points(n(9_999), n(10_000)), 9_999);
        assert_eq!(basis_points(n(3), n(3)), 10_000);
        assert_eq!(basis_points(U256::MAX, n(3)), 10_000);
        assert_eq!(basis_points(U256::MAX - n(1), U256::MAX), 9_999);
    }
}
