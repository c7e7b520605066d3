//! Memory as a log of writes. What a read can not tell is unknown.

use crate::code::Code;
use crate::expr::{Id, Node, Piece, SIZE_BITS, Store, low_mask};
use crate::facts::Facts;
use alloy_primitives::U256;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The longest region that is taken apart word by word, in bytes.
const MAX_REGION_BYTES: u64 = 4096;

/// Where copied bytes come from.
#[derive(Debug, Clone)]
pub(crate) enum Source {
    /// The call's data, with zero bytes beyond its end.
    CallData,
    Code(Rc<Code>),
    /// Another memory as it was, with the place in it where the source starts, and its length.
    Memory(Rc<Memory>, Id, Id),
    /// The answer of a call out.
    Answer(u32),
    /// Zero bytes.
    Nothing,
    /// Anything.
    Unknown,
}

impl PartialEq for Source {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::CallData, Self::CallData) | (Self::Nothing, Self::Nothing) => true,
            (Self::Answer(a), Self::Answer(b)) => a == b,
            (Self::Code(a), Self::Code(b)) => Rc::ptr_eq(a, b),
            (Self::Memory(a, start, length), Self::Memory(b, other_start, other_length)) => {
                Rc::ptr_eq(a, b) && start == other_start && length == other_length
            }
            _ => false,
        }
    }
}

/// A write.
#[derive(Debug, Clone, PartialEq)]
struct Write {
    at: Id,
    /// No part of the write is below.
    low: u64,
    what: What,
}

#[derive(Debug, Clone, PartialEq)]
enum What {
    Word(Id),
    Byte(Id),
    /// Length, source, and the place in the source.
    Copy(Id, Source, Id),
}

/// The memory of a frame.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Memory {
    /// Words at fixed places, below the unknown part, before the writes.
    words: BTreeMap<u64, Id>,
    /// From here on, everything is unknown before the writes.
    unknown_from: Option<u64>,
    writes: Rc<Vec<Write>>,
}

impl Memory {
    fn push(&mut self, store: &mut Store, facts: &mut Facts, at: Id, what: What) {
        let low = lower_bound(store, facts, at);
        Rc::make_mut(&mut self.writes).push(Write { at, low, what });
    }

    pub(crate) fn write_word(&mut self, store: &mut Store, facts: &mut Facts, at: Id, value: Id) {
        // The last write of a word at the same place needs no second entry.
        if let Some(last) = Rc::make_mut(&mut self.writes).last_mut()
            && last.at == at
            && let What::Word(old) = &mut last.what
        {
            *old = value;
            return;
        }
        self.push(store, facts, at, What::Word(value));
    }

    pub(crate) fn write_byte(&mut self, store: &mut Store, facts: &mut Facts, at: Id, value: Id) {
        self.push(store, facts, at, What::Byte(value));
    }

    pub(crate) fn copy(
        &mut self,
        store: &mut Store,
        facts: &mut Facts,
        (at, length): (Id, Id),
        source: Source,
        from: Id,
    ) {
        if !store.is(length, 0) {
            self.push(store, facts, at, What::Copy(length, source, from));
        }
    }

    /// The word at a place.
    pub(crate) fn word(&self, store: &mut Store, facts: &Facts, at: Id) -> Id {
        self.read(store, facts, at, 32)
    }

    /// The `count` bytes at a place, as a number; at most 32.
    pub(crate) fn read(&self, store: &mut Store, facts: &Facts, at: Id, count: u64) -> Id {
        let mut parts = Parts::new(count);
        for write in self.writes.iter().rev() {
            store.spend(1);
            let (start, length) = match &write.what {
                What::Word(_) => (write.at, Some(32)),
                What::Byte(_) => (write.at, Some(1)),
                What::Copy(length, ..) => {
                    let most = facts.range(store, *length).1;
                    (write.at, u64::try_from(most).ok())
                }
            };
            let Some(distance) = distance(store, start, at) else {
                if self.apart(store, facts, write, length, at, count) {
                    continue;
                }
                return store.unknown();
            };
            // The write covers [-distance, -distance + length) of what is read.
            let end = length.map(|length| i128::from(length) - distance);
            if distance <= -i128::from(count) || end.is_some_and(|end| end <= 0) {
                continue;
            }
            match &write.what {
                What::Word(value) => parts.fill(store, -distance, 32, |store, from, bytes| {
                    slice_of_word(store, *value, from, bytes)
                }),
                What::Byte(value) => {
                    let mask = store.small(0xff);
                    let byte = store.and(*value, mask);
                    parts.fill(store, -distance, 1, |_, _, _| byte);
                }
                What::Copy(length, source, from) => {
                    let least = u64::try_from(facts.range(store, *length).0).unwrap_or(u64::MAX);
                    // What the copy may or may not reach can not be told.
                    let sure = parts.missing_within(-distance, i128::from(least));
                    let possible =
                        parts.missing_within(-distance, end.map_or(i128::MAX, |end| end + distance));
                    if sure != possible {
                        return store.unknown();
                    }
                    parts.fill(store, -distance, i128::from(least), |store, at, bytes| {
                        read_source(store, facts, source, *from, at, bytes).unwrap_or_else(|| store.unknown())
                    });
                }
            }
            if parts.complete() {
                return parts.value(store);
            }
        }
        self.read_before(store, at, count, parts)
    }

    /// The bytes that no write gives: the words before, zeros, or unknown.
    fn read_before(&self, store: &mut Store, at: Id, count: u64, mut parts: Parts) -> Id {
        let Some(at) = store.value(at).and_then(|at| u64::try_from(at).ok()) else {
            // Memory that nobody wrote is zero, wherever it is.
            if self.words.is_empty() && self.unknown_from.is_none() {
                parts.fill(store, 0, i128::from(count), |store, _, _| store.small(0));
                return parts.value(store);
            }
            return store.unknown();
        };
        let end = at.saturating_add(count);
        for (&place, &word) in self.words.range(at.saturating_sub(31)..end) {
            parts.fill(
                store,
                i128::from(place) - i128::from(at),
                32,
                |store, from, bytes| slice_of_word(store, word, from, bytes),
            );
        }
        if parts.complete() {
            return parts.value(store);
        }
        if self.unknown_from.is_some_and(|from| end > from) {
            return store.unknown();
        }
        parts.fill(store, 0, i128::from(count), |store, _, _| store.small(0));
        parts.value(store)
    }

    /// Whether a write and what is read are proven apart.
    fn apart(
        &self,
        store: &Store,
        facts: &Facts,
        write: &Write,
        length: Option<u64>,
        at: Id,
        count: u64,
    ) -> bool {
        let (low, high) = facts.range(store, at);
        let end_of_read = high.checked_add(U256::from(count));
        if end_of_read.is_some_and(|end| end <= U256::from(write.low)) {
            return true;
        }
        let (_, write_high) = facts.range(store, write.at);
        let end_of_write = length.and_then(|length| write_high.checked_add(U256::from(length)));
        end_of_write.is_some_and(|end| end <= low)
    }

    /// The bytes of a region as a term, when every one of them is told by writes that fit together.
    pub(crate) fn region(&self, store: &mut Store, facts: &Facts, at: Id, length: Id) -> Option<Id> {
        if let Some(length) = facts.value(store, length) {
            let length = u64::try_from(length).ok().filter(|n| *n <= MAX_REGION_BYTES)?;
            return Some(self.fixed_region(store, facts, at, length));
        }
        let pieces = self.tiles(store, facts, at, length)?;
        Some(store.intern(Node::Bytes(pieces.into())))
    }

    fn fixed_region(&self, store: &mut Store, facts: &Facts, at: Id, length: u64) -> Id {
        let mut pieces = Vec::new();
        let mut done = 0;
        while done < length {
            // A word that does not start at a multiple of 32 from the start is read as it was written.
            let mut bytes = 32.min(length - done);
            let offset = store.small(done);
            let place = store.add(at, offset);
            if let Some(next) = self.next_start(store, place, bytes) {
                bytes = next;
            }
            let value = self.read(store, facts, place, bytes);
            pieces.push(Piece {
                value,
                bytes: u8::try_from(bytes).unwrap_or(32),
            });
            done += bytes;
        }
        store.intern(Node::Bytes(pieces.into()))
    }

    /// The distance to the first write that starts within these bytes, and after what was written at their start.
    fn next_start(&self, store: &mut Store, place: Id, bytes: u64) -> Option<u64> {
        let start = self
            .writes
            .iter()
            .rposition(|write| write.at == place)
            .unwrap_or(0);
        self.writes[start..]
            .iter()
            .filter_map(|write| distance(store, place, write.at))
            .filter(|d| *d > 0 && *d < i128::from(bytes))
            .min()
            .and_then(|d| u64::try_from(d).ok())
    }

    /// Words and whole copies that lie end to end and fill the region.
    fn tiles(&self, store: &mut Store, facts: &Facts, at: Id, length: Id) -> Option<Vec<Piece>> {
        let end = store.add(at, length);
        let mut place = at;
        let mut used = Vec::new();
        let mut pieces = Vec::new();
        while place != end {
            let (index, write) = self
                .writes
                .iter()
                .enumerate()
                .rev()
                .find(|(_, w)| w.at == place)?;
            used.push(index);
            if pieces.len() > 64 {
                return None;
            }
            match &write.what {
                What::Word(value) => {
                    pieces.push(Piece {
                        value: *value,
                        bytes: 32,
                    });
                    let word = store.small(32);
                    place = store.add(place, word);
                }
                What::Copy(length, Source::CallData, from) => {
                    let value = store.intern(Node::Slice(*from, *length));
                    pieces.push(Piece { value, bytes: 0 });
                    place = store.add(place, *length);
                }
                _ => return None,
            }
        }
        // A write after the first of these that is none of them could lie over them.
        let first = *used.iter().min()?;
        let count = u64::try_from(facts.range(store, length).1).ok()?;
        let over = (first..self.writes.len())
            .filter(|index| !used.contains(index))
            .any(|index| {
                let write = &self.writes[index];
                let length = match &write.what {
                    What::Word(_) => Some(32),
                    What::Byte(_) => Some(1),
                    What::Copy(length, ..) => u64::try_from(facts.range(store, *length).1).ok(),
                };
                let before = match (distance(store, write.at, at), length) {
                    (Some(distance), Some(length)) => i128::from(length) <= distance,
                    _ => false,
                };
                let after = distance_from_end(store, write.at, end);
                !before && !after && !self.apart(store, facts, write, length, at, count)
            });
        // What was written later has to lie later, as the copies may reach further than told.
        let ordered = used.windows(2).all(|pair| pair[0] < pair[1]);
        (!over && ordered).then_some(pieces)
    }

    /// Whether all of it is the call's data from its start to its end.
    pub(crate) fn is_all_call_data(&self, store: &Store, at: Id, length: Id) -> bool {
        matches!(store.node(length), Node::CallDataSize)
            && self.writes.last().is_some_and(|write| {
                write.at == at
                    && matches!(&write.what, What::Copy(n, Source::CallData, from) if *n == length && store.is(*from, 0))
            })
    }

    /// A memory that covers two, and the same each time it covers the same. `joined` names what differs at a
    /// place.
    pub(crate) fn join(
        &self,
        other: &Self,
        store: &mut Store,
        facts: (&Facts, &Facts),
        joined: &mut impl FnMut(&mut Store, u64, Id, Id) -> Id,
    ) -> Self {
        if self == other {
            return self.clone();
        }
        let floor = |memory: &Self| memory.writes.iter().filter_map(|w| w.unknown_from(store)).min();
        let mut from = [self.unknown_from, other.unknown_from, floor(self), floor(other)]
            .into_iter()
            .flatten()
            .min();
        let mut places: Vec<u64> = [self, other]
            .iter()
            .flat_map(|memory| memory.fixed_places(store))
            .collect();
        places.sort_unstable();
        places.dedup();
        if places.len() > 256 {
            from = Some(from.unwrap_or(u64::MAX).min(places[256]));
        }
        let mut words = BTreeMap::new();
        for place in places {
            if from.is_some_and(|from| place.saturating_add(32) > from) {
                continue;
            }
            let at = store.small(place);
            let (mine, theirs) = (self.word(store, facts.0, at), other.word(store, facts.1, at));
            let word = if mine == theirs {
                mine
            } else {
                joined(store, place, mine, theirs)
            };
            words.insert(place, word);
        }
        Self {
            words,
            unknown_from: from,
            writes: Rc::default(),
        }
    }

    fn fixed_places(&self, store: &Store) -> Vec<u64> {
        let writes = self.writes.iter().filter(|w| w.unknown_from(store).is_none());
        let written = writes.flat_map(|w| {
            let start = store
                .value(w.at)
                .and_then(|at| u64::try_from(at).ok())
                .unwrap_or(0);
            let length = match &w.what {
                What::Word(_) | What::Byte(_) => 1,
                What::Copy(length, ..) => store
                    .value(*length)
                    .and_then(|n| u64::try_from(n).ok())
                    .unwrap_or(0),
            };
            (0..length.div_ceil(32)).map(move |word| start.saturating_add(32 * word))
        });
        self.words.keys().copied().chain(written).collect()
    }
}

impl Write {
    /// Where a write that is not at a fixed place, or not of a fixed small length, starts at the lowest.
    fn unknown_from(&self, store: &Store) -> Option<u64> {
        let fixed = store
            .value(self.at)
            .is_some_and(|at| at >> SIZE_BITS == U256::ZERO)
            && match &self.what {
                What::Copy(length, ..) => store
                    .value(*length)
                    .is_some_and(|n| n <= U256::from(MAX_REGION_BYTES)),
                // A byte is not kept as a word.
                What::Byte(_) => false,
                What::Word(_) => true,
            };
        (!fixed).then_some(self.low)
    }
}

/// Whether a place is at or beyond an end by a fixed distance.
fn distance_from_end(store: &mut Store, at: Id, end: Id) -> bool {
    distance(store, end, at).is_some_and(|d| d >= 0)
}

/// `to - from`, when it is fixed and small.
fn distance(store: &mut Store, from: Id, to: Id) -> Option<i128> {
    let (from_base, from_offset) = store.split(from);
    let (to_base, to_offset) = store.split(to);
    if from_base != to_base {
        return None;
    }
    let (forward, back) = (
        to_offset.wrapping_sub(from_offset),
        from_offset.wrapping_sub(to_offset),
    );
    if let Ok(distance) = u64::try_from(forward) {
        return Some(i128::from(distance));
    }
    u64::try_from(back).ok().map(|distance| -i128::from(distance))
}

/// The lowest place that a term can stand for.
fn lower_bound(store: &Store, facts: &mut Facts, at: Id) -> u64 {
    let most = low_mask(SIZE_BITS);
    if !facts.narrow(store, at, U256::ZERO, most) {
        // A place that can not be paid for: the path ends with an error, and nothing it writes counts.
        return u64::MAX;
    }
    u64::try_from(facts.range(store, at).0).unwrap_or(u64::MAX)
}

/// `bytes` bytes of a word from the `from`-th, as a number.
fn slice_of_word(store: &mut Store, word: Id, from: u64, bytes: u64) -> Id {
    let down = store.small(8 * (32 - from - bytes));
    let shifted = store.shr(down, word);
    let mask = store.word(low_mask(8 * usize::try_from(bytes).unwrap_or(32)));
    store.and(shifted, mask)
}

/// `bytes` bytes of a source at `at` from the place it is copied from.
fn read_source(
    store: &mut Store,
    facts: &Facts,
    source: &Source,
    from: Id,
    at: u64,
    bytes: u64,
) -> Option<Id> {
    let offset = store.small(at);
    let place = store.add(from, offset);
    let word = match source {
        Source::CallData => store.intern(Node::CallData(place)),
        Source::Answer(call) => store.intern(Node::Answer(*call, place)),
        Source::Nothing => store.small(0),
        Source::Unknown => return None,
        Source::Code(code) => {
            let place = usize::try_from(store.value(place)?).unwrap_or(usize::MAX);
            let mut word = [0; 32];
            for (index, byte) in word.iter_mut().enumerate() {
                *byte = code.byte(place.saturating_add(index));
            }
            store.word(U256::from_be_bytes(word))
        }
        Source::Memory(memory, start, length) => {
            return read_inner(store, facts, memory, (*start, *length), place, bytes);
        }
    };
    Some(slice_of_word(store, word, 0, bytes))
}

/// Bytes of a memory that is a source: those beyond its end are zero.
pub(crate) fn read_inner(
    store: &mut Store,
    facts: &Facts,
    memory: &Memory,
    (start, length): (Id, Id),
    place: Id,
    bytes: u64,
) -> Option<Id> {
    let at = store.add(start, place);
    if let (Some(length), Some(place)) = (facts.value(store, length), store.value(place)) {
        if place >= length {
            return Some(store.small(0));
        }
        let left = u64::try_from(length - place).unwrap_or(u64::MAX);
        if left < bytes {
            let value = memory.read(store, facts, at, left);
            let by = store.small(8 * (bytes - left));
            return Some(store.shl(by, value));
        }
        return Some(memory.read(store, facts, at, bytes));
    }
    let width = store.small(bytes);
    let end = store.add(place, width);
    let inside = facts.range(store, end).1 <= facts.range(store, length).0;
    inside.then(|| memory.read(store, facts, at, bytes))
}

/// The bytes of a read, as they are found.
struct Parts {
    count: u64,
    /// Start, length and value of the parts that are known.
    parts: Vec<(u64, u64, Id)>,
}

impl Parts {
    fn new(count: u64) -> Self {
        Self {
            count,
            parts: Vec::new(),
        }
    }

    /// The bytes of [start, start + length) that are not known yet, as runs.
    fn missing_within(&self, start: i128, length: i128) -> Vec<(u64, u64)> {
        let low = u64::try_from(start.max(0)).unwrap_or(self.count).min(self.count);
        let high = u64::try_from(start.saturating_add(length).max(0))
            .unwrap_or(self.count)
            .min(self.count);
        let mut runs: Vec<(u64, u64)> = Vec::new();
        for at in low..high {
            if self
                .parts
                .iter()
                .any(|(from, n, _)| (*from..from + n).contains(&at))
            {
                continue;
            }
            match runs.last_mut() {
                Some((from, n)) if *from + *n == at => *n += 1,
                _ => runs.push((at, 1)),
            }
        }
        runs
    }

    /// Fills what is missing of [start, start + length) from bytes that start there.
    fn fill(
        &mut self,
        store: &mut Store,
        start: i128,
        length: i128,
        mut read: impl FnMut(&mut Store, u64, u64) -> Id,
    ) {
        for (from, bytes) in self.missing_within(start, length) {
            let inside = u64::try_from(i128::from(from) - start).unwrap_or(0);
            let value = read(store, inside, bytes);
            self.parts.push((from, bytes, value));
        }
    }

    fn complete(&self) -> bool {
        self.parts.iter().map(|(_, bytes, _)| bytes).sum::<u64>() == self.count
    }

    fn value(&self, store: &mut Store) -> Id {
        let mut all = store.small(0);
        for &(from, bytes, value) in &self.parts {
            let by = store.small(8 * (self.count - from - bytes));
            let placed = store.shl(by, value);
            all = store.or(all, placed);
        }
        all
    }
}
