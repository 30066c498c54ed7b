//! The least that a decision could cost: what the ratios are ratios to.

use std::hash::Hash;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Acquire, Release};

use catraca::{Clock, MonotonicClock};
use prefetch_index::prefetch_index;

/// A word that has a cache line to itself.
#[repr(align(64))]
#[derive(Default)]
struct Line(AtomicU64);

/// An array of cache lines, one of which a key's hash picks.
pub struct Floor {
    lines: Box<[Line]>,
    hasher: ahash::RandomState,
}

impl Floor {
    /// As many lines as a table of this many bytes has.
    pub fn new(bytes: usize) -> Floor {
        let lines = (0..(bytes / size_of::<Line>()).max(1)).map(|_| Line::default()).collect();
        Floor { lines, hasher: ahash::RandomState::new() }
    }

    /// Hash, prefetch, clock, load, compare-and-swap: what an admission cannot do without.
    #[inline]
    pub fn admit<K: Hash>(&self, key: &K) -> bool {
        let line = self.line(key);
        let now = MonotonicClock.now().as_nanos();
        self.change(line, now)
    }

    /// The same without the clock.
    #[inline]
    pub fn admit_at<K: Hash>(&self, key: &K, now: u64) -> bool {
        self.change(self.line(key), now)
    }

    /// Hash, prefetch, clock, load: what a denial cannot do without.
    #[inline]
    pub fn deny<K: Hash>(&self, key: &K) -> bool {
        let line = self.line(key);
        let now = MonotonicClock.now().as_nanos();
        // Acquire, as the engine's.
        self.lines[line].0.load(Acquire) <= now
    }

    /// The line that a key's hash picks, asked for before the clock is read, as the engine does.
    #[inline]
    fn line<K: Hash>(&self, key: &K) -> usize {
        // Down: the hash as a fraction of 2^64.
        let line = ((u128::from(self.hasher.hash_one(key)) * self.lines.len() as u128) >> 64) as usize;
        prefetch_index(&self.lines, line);
        line
    }

    #[inline]
    fn change(&self, line: usize, now: u64) -> bool {
        let word = &self.lines[line].0;
        // Acquire and Release, as the engine's.
        let seen = word.load(Acquire);
        // One more than the greater, so that every call has something to write.
        word.compare_exchange(seen, seen.max(now) + 1, Release, Acquire).is_ok()
    }
}
