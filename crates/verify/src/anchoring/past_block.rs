//! The block of a chain that a time falls to, found by its neighbours' timestamps.

use crate::steps::{Outcome, settle, why};
use crate::verify::Pending;
use presight_view::{Block, View};
use presight_wire::ChainId;

/// Blocks asked for in one wave; each wave leaves a sixteenth of the chain. A chain of 2^32 blocks takes eight.
pub const PROBES: u64 = 15;

/// The last block whose timestamp is at or before `time`. It is known for the last one by its successor, whose
/// timestamp is later; a chain that has not passed the time yet may still get such a block.
pub(super) fn last_at_or_before(
    view: &View<'_>,
    chain: &ChainId,
    time: u64,
) -> Result<Result<Block, Outcome>, Pending> {
    let head = match settle(view.block(chain))? {
        Ok(head) => head.clone(),
        Err(not_read) => {
            let why = format!("the block of {chain} is not read: {}", why(&not_read));
            return Ok(Err(Outcome::not_read(why)));
        }
    };
    if head.timestamp <= time {
        return Ok(Err(Outcome::not_read(format!(
            "block {} of {chain}, at {}, is not after {time}: a later one may still be at or before it",
            head.number, head.timestamp
        ))));
    }
    let mut range = Range {
        low: None,
        high: head,
    };
    loop {
        if let Some(ended) = range.ended(chain, time) {
            return Ok(ended);
        }
        // Every probe is asked for before any is waited for: one wave.
        let probes: Vec<_> = range
            .probes()
            .map(|number| (number, settle(view.header(chain, number))))
            .collect();
        let mut read = Vec::new();
        let mut unread = None;
        for (number, answer) in probes {
            match answer? {
                Ok(block) => read.push(block),
                Err(not_read) => {
                    let words = || format!("block {number} of {chain} is not read: {}", why(&not_read));
                    unread.get_or_insert_with(words);
                }
            }
        }
        if let Err(why) = range.narrow(read, time) {
            return Ok(Err(Outcome::not_read(unread.unwrap_or(why))));
        }
    }
}

/// Blocks between which the time falls: `low` is at or before it, or unknown yet, and `high` after it.
struct Range {
    low: Option<Block>,
    high: Block,
}

impl Range {
    fn first_between(&self) -> u64 {
        self.low.as_ref().map_or(0, |low| low.number + 1)
    }

    /// How the search ended, when no block lies between.
    fn ended(&self, chain: &ChainId, time: u64) -> Option<Result<Block, Outcome>> {
        if self.first_between() < self.high.number {
            return None;
        }
        let Some(low) = &self.low else {
            return Some(Err(Outcome::fail(format!(
                "the first block of {chain} is after {time}: nothing was bound"
            ))));
        };
        let parent = self.high.parent_hash;
        Some(if parent.is_some_and(|parent| parent != low.hash) {
            Err(Outcome::not_read(format!(
                "block {} of {chain} is not the parent of block {}, which the same node gave",
                low.number, self.high.number
            )))
        } else {
            Ok(low.clone())
        })
    }

    /// At most [`PROBES`] numbers between, evenly spaced.
    fn probes(&self) -> impl Iterator<Item = u64> + use<> {
        let (first, between) = (self.first_between(), self.high.number - self.first_between());
        let count = between.min(PROBES);
        // Without overflow for any number of blocks.
        let place = move |nth: u64| {
            let offset = u128::from(between) * u128::from(nth) / u128::from(count);
            first + u64::try_from(offset).expect("below `between`, since nth is below count")
        };
        (0..count).map(place)
    }

    /// Draws the ends together by blocks in ascending order. An error when they do not, in words.
    fn narrow(&mut self, between: Vec<Block>, time: u64) -> Result<(), String> {
        let mut moved = false;
        let mut last = self.low.as_ref().map_or(0, |low| low.timestamp);
        for block in &between {
            if block.timestamp < last || block.timestamp > self.high.timestamp {
                return Err(format!("the timestamp of block {} is out of order", block.number));
            }
            last = block.timestamp;
        }
        for block in between {
            moved = true;
            if block.timestamp <= time {
                self.low = Some(block);
            } else {
                self.high = block;
                break;
            }
        }
        if moved {
            Ok(())
        } else {
            Err("no block between was read".to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloy_primitives::{B256, U256};
    use presight_view::{Answer, ChainSnapshot, HardFork, Snapshot};
    use presight_wire::{Reason, Timestamp};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn chain() -> ChainId {
        ChainId::evm(1)
    }

    fn block(number: u64, timestamp: u64) -> Block {
        let hash = |number: u64| B256::from(U256::from(number + 1));
        Block {
            number,
            timestamp,
            hash: hash(number),
            parent_hash: number.checked_sub(1).map(hash),
            ..Block::default()
        }
    }

    /// The whole chain with these timestamps.
    fn snapshot(timestamps: &[u64]) -> Snapshot {
        let blocks: Vec<Block> = (0..).zip(timestamps).map(|(n, time)| block(n, *time)).collect();
        let (head, older) = blocks.split_last().unwrap();
        let mut held = ChainSnapshot::new(Answer::Known(head.clone()), HardFork::Prague);
        held.headers = older
            .iter()
            .map(|block| (block.number, Answer::Known(block.clone())))
            .collect();
        let mut snapshot = Snapshot::new(Timestamp(0));
        snapshot.closed = Some(Reason::Unavailable);
        snapshot.chains.insert(chain(), held);
        snapshot
    }

    fn find(snapshot: &Snapshot, time: u64) -> Result<u64, Outcome> {
        let found = last_at_or_before(&View::new(snapshot), &chain(), time).unwrap();
        found.map(|block| block.number)
    }

    #[test]
    fn the_last_of_equal_timestamps_is_taken() {
        let chain = snapshot(&[0, 12, 24, 24, 24, 36]);
        assert_eq!(find(&chain, 23), Ok(1));
        assert_eq!(find(&chain, 24), Ok(4));
        assert_eq!(find(&chain, 35), Ok(4));
    }

    #[test]
    fn a_time_the_chain_has_not_passed_or_not_reached_has_no_block() {
        use crate::verification::Status;
        let chain = snapshot(&[100, 112, 124]);
        assert_eq!(find(&chain, 124).unwrap_err().status, Status::NotRead);
        assert_eq!(find(&chain, 200).unwrap_err().status, Status::NotRead);
        assert_eq!(find(&chain, 123), Ok(1));
        assert_eq!(find(&chain, 99).unwrap_err().status, Status::Fail);
    }

    #[test]
    fn blocks_that_contradict_each_other_are_not_read() {
        let mut falling = snapshot(&[0, 50, 40, 60]);
        assert!(find(&falling, 45).is_err());
        let held = falling.chains.get_mut(&chain()).unwrap();
        held.headers.insert(1, Answer::Known(block(1, 20)));
        assert_eq!(find(&falling, 45), Ok(2));
        let stranger = Block {
            hash: B256::ZERO,
            ..block(2, 40)
        };
        let held = falling.chains.get_mut(&chain()).unwrap();
        held.headers.insert(2, Answer::Known(stranger));
        assert!(find(&falling, 45).is_err());
    }

    #[test]
    fn old_blocks_that_nobody_keeps_do_not_hinder() {
        let times: Vec<u64> = (0..1000).map(|n| n * 12).collect();
        let mut chain_of = snapshot(&times);
        let held = chain_of.chains.get_mut(&chain()).unwrap();
        held.headers.retain(|number, _| *number >= 500);
        assert_eq!(find(&chain_of, 800 * 12 + 5), Ok(800));
        assert!(find(&chain_of, 400 * 12).is_err());
    }

    proptest! {
        #[test]
        fn it_is_the_last_block_at_or_before(gaps in proptest::collection::vec(0_u64..3, 2..200), time in 0_u64..200) {
            let times: Vec<u64> = gaps
                .iter()
                .scan(0, |time, gap| { *time += gap; Some(*time) })
                .collect();
            let expected = times.iter().rposition(|t| *t <= time);
            let head = *times.last().unwrap();
            match find(&snapshot(&times), time) {
                Ok(number) => {
                    prop_assert!(head > time);
                    prop_assert_eq!(expected, usize::try_from(number).ok());
                }
                Err(_) => prop_assert!(head <= time || expected.is_none()),
            }
        }

        #[test]
        fn waves_are_few_on_any_chain(head in 1_u64..=u64::MAX, time in any::<u64>()) {
            // A chain whose block n is at time n, asked for as the rim would.
            let mut snapshot = snapshot(&[0, head]);
            snapshot.closed = None;
            let held = snapshot.chains.get_mut(&chain()).unwrap();
            held.block = Answer::Known(block(head, head));
            let mut waves = 0;
            loop {
                let view = View::new(&snapshot);
                if let Ok(found) = last_at_or_before(&view, &chain(), time) {
                    prop_assert_eq!(found.ok().map(|block| block.number), (time < head).then_some(time));
                    break;
                }
                waves += 1;
                prop_assert!(waves <= 18);
                let wants: BTreeSet<_> = view.into_wants();
                let held = snapshot.chains.get_mut(&chain()).unwrap();
                for want in wants {
                    if let presight_view::Want::Header(_, number) = want {
                        held.headers.insert(number, Answer::Known(block(number, number)));
                    }
                }
            }
        }
    }
}
