//! The floor and the peers, each with all its keys in place.

use std::hash::{BuildHasher, Hash};
use std::num::NonZeroU32;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{AcqRel, Acquire};

use catraca::{Clock, Limiter, MonotonicClock, Quota, Rate};
use governor::clock::DefaultClock;
use governor::state::keyed::DashMapStateStore;

/// A quota under which next to nothing is denied.
pub fn generous() -> Quota {
    Quota::must(Rate::per_second(1_000_000_000), 1_000_000_000)
}

/// A quota under which, after the first request, everything is denied.
pub fn mean() -> Quota {
    Quota::must(Rate::per_day(1), 1)
}

/// A cache line pair, as a set of the table is.
#[repr(align(128))]
#[derive(Default)]
struct Line(AtomicU64);

/// What no keyed limiter on one atomic word can do without: hash the key, ask for its line, read the clock, and
/// change one word of the line by a compare-and-swap. There are as many lines as the table has sets.
pub struct Floor {
    lines: Vec<Line>,
    hasher: ahash::RandomState,
}

impl Floor {
    /// As many lines as a limiter for `keys` keys has sets.
    pub fn new(keys: usize) -> Floor {
        let lines = (0..keys.div_ceil(5)).map(|_| Line::default()).collect();
        Floor { lines, hasher: ahash::RandomState::new() }
    }

    #[inline(always)]
    fn line<K: Hash + ?Sized>(&self, key: &K) -> &AtomicU64 {
        let hash = u128::from(self.hasher.hash_one(key));
        let line = &self.lines[((hash * self.lines.len() as u128) >> 64) as usize];
        prefetch(line);
        &line.0
    }

    /// With a clock read.
    #[inline(always)]
    pub fn touch<K: Hash + ?Sized>(&self, key: &K) -> bool {
        let word = self.line(key);
        let now = MonotonicClock.now().as_nanos();
        let seen = word.load(Acquire);
        word.compare_exchange(seen, seen.max(now) + 1, AcqRel, Acquire).is_ok()
    }
}

#[allow(unsafe_code)]
#[inline(always)]
fn prefetch(line: &Line) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch changes nothing and cannot fault.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(line).cast());
    }
}

/// The engine, with room for `room` keys.
pub fn catraca<K>(quota: Quota, room: usize) -> Limiter<K> {
    Limiter::new(quota, room)
}

/// Governor, keyed, with a hasher of choice.
pub type Governor<K, S> = governor::RateLimiter<K, DashMapStateStore<K, S>, DefaultClock>;

/// Governor on a quota like ours: `capacity` at once, and as many per second (or one a day for a capacity of 1).
pub fn governor<K: Hash + Eq + Clone, S: BuildHasher + Clone + Default>(quota: Quota) -> Governor<K, S> {
    let burst = NonZeroU32::new(quota.capacity() as u32).expect("a capacity of at least 1");
    let quota = if quota.capacity() == 1 {
        governor::Quota::with_period(std::time::Duration::from_secs(86_400)).expect("a day is not zero")
    } else {
        governor::Quota::per_second(burst)
    };
    governor::RateLimiter::dashmap_with_hasher(quota, S::default())
}
