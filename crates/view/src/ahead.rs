//! Looking ahead: what the core is likely to want once it has what it wants now, so that one wave fetches both.
//!
//! A run stops at the first slot it misses, and a contract reads many, one after the other. So the core runs once more
//! on a view that gives something in the place of what is missing. Whatever such a run comes to is made up, so it
//! is dropped here, unseen: only reads come out, which are a hint for fetching, as an access list is. The run that
//! gives the result starts anew, on a view that stands in for nothing.

use crate::snapshot::Snapshot;
use crate::view::View;
use crate::want::Want;
use std::collections::BTreeSet;

/// Misses that are stood in for in one look ahead; the run ends at further ones as any run does. It is also the
/// number of reads and calls that come of it at most.
pub const MAX_STAND_INS: usize = 512;
/// Looks ahead in one run of [`crate::drive::run`]: each may cost as much as running the core.
pub const MAX_LOOKS_AHEAD: usize = 6;

/// Reads of chain state that the core would make next, and calls it would announce, without those in `wants`.
pub(crate) fn wants<T>(
    snapshot: &Snapshot,
    core: &impl Fn(&View<'_>) -> T,
    wants: &BTreeSet<Want>,
    is_over: &dyn Fn() -> bool,
) -> BTreeSet<Want> {
    let view = View::standing_in(snapshot, MAX_STAND_INS, is_over);
    drop(core(&view));
    let ahead = view.into_wants().into_iter();
    ahead
        .filter(|want| is_cheap(want) && !wants.contains(want))
        .take(MAX_STAND_INS)
        .collect()
}

/// A document or an execution by the node is fetched for what is known, not for what is made up.
fn is_cheap(want: &Want) -> bool {
    match want {
        Want::Balance(..) | Want::Nonce(..) | Want::Code(..) | Want::Storage(..) | Want::CallHint(..) => true,
        Want::Block(_)
        | Want::BlockHash(..)
        | Want::Header(..)
        | Want::NodeExecution(..)
        | Want::History(..)
        | Want::Authorizations(..)
        | Want::SourceVerification(..)
        | Want::Document(_)
        | Want::Answer(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Answer, Block, ChainSnapshot, HardFork};
    use alloy_primitives::{Address, U256};
    use presight_wire::{ChainId, Reason, Timestamp};

    fn pinned() -> (ChainId, Snapshot) {
        let chain = ChainId::evm(1);
        let mut snapshot = Snapshot::new(Timestamp::parse("2026-11-30T12:00:00Z", "").expect("a time"));
        let held = ChainSnapshot::new(Answer::Known(Block::default()), HardFork::Prague);
        snapshot.chains.insert(chain.clone(), held);
        (chain, snapshot)
    }

    #[test]
    fn what_follows_is_wanted_up_to_the_bound_and_no_document() {
        let (chain, snapshot) = pinned();
        let slot = |n| Want::Storage(chain.clone(), Address::ZERO, U256::from(n));
        let core = |view: &View<'_>| {
            let mut read = 0_usize;
            while view.storage(&chain, Address::ZERO, U256::from(read)).is_ok() {
                read += 1;
            }
            assert!(view.document("https://example.org").is_err());
            assert!(view.block_hash(&chain, 7).is_err(), "a hash is not made up");
            read
        };
        let now = BTreeSet::from([slot(0)]);
        let found = wants(&snapshot, &core, &now, &|| false);
        let expected: BTreeSet<_> = (1..=MAX_STAND_INS).map(slot).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn nothing_is_made_up_of_a_closed_snapshot_or_in_a_usual_view() {
        let (chain, mut snapshot) = pinned();
        let core = |view: &View<'_>| assert!(view.balance(&chain, Address::ZERO).is_err());
        core(&View::new(&snapshot));
        snapshot.closed = Some(Reason::Unavailable);
        assert!(wants(&snapshot, &core, &BTreeSet::new(), &|| false).is_empty());
    }
}
