//! One bucket, unkeyed: one atomic word.

use crossbeam_utils::CachePadded;

use crate::clock::{Clock, MonotonicClock};
use crate::decision::{Decision, Denial};
use crate::quota::Quota;
use crate::sync::AtomicU64;
use crate::sync::Ordering::Relaxed;
use crate::timestamp::Timestamp;
use crate::word::{Debit, Word};

/// One limit for everybody: a single bucket, shared by reference or in an `Arc`.
///
/// A decision reads the clock and one word, and writes that word at most once; a denial writes
/// nothing. A new bucket is full.
///
/// ```
/// use catraca::{Bucket, Quota, Rate};
///
/// static UPLOADS: Bucket = Bucket::new(Quota::must(Rate::per_second(5), 10));
///
/// let decision = UPLOADS.check();
/// assert!(decision.is_allowed());
/// ```
#[derive(Debug)]
pub struct Bucket<C = MonotonicClock> {
    word: CachePadded<AtomicU64>,
    quota: Quota,
    clock: C,
}

impl Bucket {
    /// A full bucket on the default clock.
    #[cfg(not(catraca_loom))]
    #[must_use]
    pub const fn new(quota: Quota) -> Bucket {
        Bucket::with_clock(quota, MonotonicClock)
    }
}

impl<C> Bucket<C> {
    /// A full bucket on a clock of your own.
    #[cfg(not(catraca_loom))]
    #[must_use]
    pub const fn with_clock(quota: Quota, clock: C) -> Bucket<C> {
        Bucket { word: CachePadded::new(AtomicU64::new(Word::FULL.bits())), quota, clock }
    }

    /// The same; loom's atomics cannot be made in a constant.
    #[cfg(catraca_loom)]
    pub fn with_clock(quota: Quota, clock: C) -> Bucket<C> {
        Bucket { word: CachePadded::new(AtomicU64::new(Word::FULL.bits())), quota, clock }
    }

    /// What this bucket limits to.
    #[must_use]
    pub const fn quota(&self) -> &Quota {
        &self.quota
    }

    /// Takes one token at a moment of your own, read from the bucket's clock or one like it.
    #[inline]
    pub fn check_at(&self, now: Timestamp) -> Decision {
        self.check_n_at(1, now)
    }

    /// Takes `cost` tokens at a moment of your own, all or none. A cost of 0 passes and takes nothing.
    #[inline]
    pub fn check_n_at(&self, cost: u64, now: Timestamp) -> Decision {
        let quota = &self.quota;
        let now = quota.axis().now(now);
        let mut word = self.load();
        let (Some(ticks), 1..) = (quota.ticks(cost), cost) else {
            return Decision::preview(quota, word, now, cost);
        };
        loop {
            let Debit::Allowed(next) = word.debit(now.reading, ticks, quota.full()) else {
                return Decision::new(quota, Some(Denial::Insufficient), word, now, cost);
            };
            // Relaxed: the word is all there is, and the order of its own changes is enough.
            match self.word.compare_exchange_weak(word.bits(), next.bits(), Relaxed, Relaxed) {
                Ok(_) => return Decision::new(quota, None, next, now, cost),
                Err(seen) => word = Word::from_bits(seen),
            }
        }
    }

    /// What [`check_at`](Bucket::check_at) would decide, taking nothing. `remaining` is what is there.
    #[inline]
    pub fn peek_at(&self, now: Timestamp) -> Decision {
        self.peek_n_at(1, now)
    }

    /// What [`check_n_at`](Bucket::check_n_at) would decide, taking nothing.
    pub fn peek_n_at(&self, cost: u64, now: Timestamp) -> Decision {
        Decision::preview(&self.quota, self.load(), self.quota.axis().now(now), cost)
    }

    #[inline]
    fn load(&self) -> Word {
        // Relaxed: the word is all there is; nothing else is read on its account.
        Word::from_bits(self.word.load(Relaxed))
    }
}

impl<C: Clock> Bucket<C> {
    /// Takes one token.
    #[inline]
    pub fn check(&self) -> Decision {
        self.check_n_at(1, self.clock.now())
    }

    /// Takes `cost` tokens, all or none. A cost of 0 passes and takes nothing.
    ///
    /// ```
    /// # use catraca::{Bucket, Denial, Rate};
    /// let bucket = Bucket::new(Rate::per_hour(1).burst(10)?);
    /// assert!(bucket.check_n(8).is_allowed());
    /// assert_eq!(bucket.check_n(3).denial(), Some(Denial::Insufficient));
    /// assert_eq!(bucket.check_n(11).denial(), Some(Denial::ExceedsCapacity));
    /// # Ok::<(), catraca::QuotaError>(())
    /// ```
    #[inline]
    pub fn check_n(&self, cost: u64) -> Decision {
        self.check_n_at(cost, self.clock.now())
    }

    /// What [`check`](Bucket::check) would decide, taking nothing. `remaining` is what is there.
    pub fn peek(&self) -> Decision {
        self.peek_n(1)
    }

    /// What [`check_n`](Bucket::check_n) would decide, taking nothing.
    pub fn peek_n(&self, cost: u64) -> Decision {
        self.peek_n_at(cost, self.clock.now())
    }
}
