//! The table: a fixed array of cache-padded sets of slots, and nothing else.
//!
//! The hash of a key picks the set and gives a tag; set and tag together are the key's identity.
//! There is no chaining, no growth, no background thread, and no allocation after construction.
//! How a set works, and what is synchronised by what, is in [`set`] and, at length, in
//! [`internals`](crate::internals).

mod set;
mod words;

use std::collections::TryReserveError;

use crossbeam_utils::CachePadded;

pub(crate) use set::{Answer, Ask, Set};
#[cfg(catraca_loom)]
pub(crate) use words::{Header, Key, Tag};

use crate::counters::Striped;
use crate::limiter::OnFull;
use crate::prefetch::prefetch;
#[cfg(not(catraca_loom))]
use crate::table::words::Tag;

/// Slots in a set: with the header they fill two cache lines.
pub(crate) const SLOTS: usize = 7;

/// Keys a set is meant for: 128 bytes for five are 25.6 bytes a key, at 71 % load.
pub(crate) const KEYS_PER_SET: usize = 5;

type Line = CachePadded<Set<SLOTS>>;

#[cfg(not(catraca_loom))]
const _: () = assert!(size_of::<Line>() == 128, "a set fills two cache lines");

pub(crate) struct Table {
    sets: Box<[Line]>,
}

/// Where a key lives.
pub(crate) struct Place<'t> {
    set: &'t Set<SLOTS>,
    tag: Tag,
    index: usize,
}

impl Table {
    /// A table with room for `keys`; all its memory is taken here.
    pub(crate) fn new(keys: usize) -> Result<Table, TryReserveError> {
        // Up, and never empty, so that every hash has a set.
        let count = keys.div_ceil(KEYS_PER_SET).max(1);
        let mut sets: Vec<Line> = Vec::new();
        sets.try_reserve_exact(count)?;
        sets.resize_with(count, Line::default);
        Ok(Table { sets: sets.into_boxed_slice() })
    }

    pub(crate) fn slots(&self) -> usize {
        self.sets.len() * SLOTS
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.sets)
    }

    /// The place of a key with this hash, asked for ahead of its use.
    #[inline]
    pub(crate) fn place(&self, hash: u64) -> Place<'_> {
        // Down: the hash, as a fraction of 2^64, of the number of sets. The 24 bits that the tag has
        // not come first, so up to 2^24 sets the index says nothing that the tag says.
        let index = ((u128::from(hash.rotate_left(40)) * self.sets.len() as u128) >> 64) as usize;
        let set = &self.sets[index];
        prefetch(set);
        Place { set, tag: Tag::of(hash), index }
    }

    /// Every set, for readers that take their time.
    pub(crate) fn sets(&self) -> impl Iterator<Item = &Set<SLOTS>> {
        self.sets.iter().map(|line| &**line)
    }
}

impl Place<'_> {
    /// Debits the key's bucket, and makes it one if it has none.
    #[inline(always)]
    pub(crate) fn debit(self, ask: Ask, on_full: OnFull, counters: &Striped) -> Answer {
        match self.set.debit_preferred(self.tag, &ask) {
            Some(answer) => answer,
            None => {
                let Ask { now, cost, full } = ask;
                self.set.debit_elsewhere(self.tag, now, cost, full, on_full, counters.stripe(self.index))
            }
        }
    }

    /// What a debit would answer; writes nothing.
    pub(crate) fn preview(&self, ask: &Ask, on_full: OnFull) -> Answer {
        self.set.preview(self.tag, ask, on_full)
    }
}
