//! Many buckets of one quota, told apart by key.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::marker::PhantomData;

use crate::axis::Now;
use crate::builder::LimiterBuilder;
use crate::clock::{Clock, MonotonicClock};
use crate::counters::{Counters, Striped};
use crate::decision::{Decision, Denial};
use crate::quota::Quota;
use crate::table::{Answer, Ask, Place, Table};
use crate::timestamp::Timestamp;
use crate::word::Word;

/// A bucket for every key, in memory that is fixed when the limiter is made.
///
/// Keys of type `K` are hashed and never stored. A lookup takes anything that `K` borrows as: a
/// `Limiter<String>` is asked with a `&str`. A new key's bucket is full. Share the limiter by
/// reference or in an `Arc`; every method takes `&self`, and none locks, allocates or waits.
///
/// ```
/// use catraca::{Limiter, Rate};
///
/// let limiter = Limiter::<str>::new(Rate::per_second(5).burst(10)?, 100_000);
/// if !limiter.check("203.0.113.7").is_allowed() {
///     // answer 429
/// }
/// # Ok::<(), catraca::QuotaError>(())
/// ```
///
/// # Identity
/// A key is known by its set and a 40-bit tag, both from one 64-bit hash with keys that are drawn for each
/// process. Two given keys of a table of `n` sets share a bucket with probability 2^-40 / n: with a million
/// keys, some pair does with a chance of about 2 in a million. Keys that share a bucket are limited more, never less.
///
/// # A crowded table
/// Memory never grows. A bucket that has become full again makes room for a newcomer, and nobody can tell. Where
/// every slot of a newcomer's set still owes, [`OnFull`] decides.
pub struct Limiter<K: ?Sized, C = MonotonicClock, S = ahash::RandomState> {
    table: Table,
    quota: Quota,
    on_full: OnFull,
    hasher: S,
    clock: C,
    counters: Striped,
    keys: PhantomData<fn(&K)>,
}

/// What becomes of a new key when every slot of its set is taken by others that owe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnFull {
    /// It takes the slot of the one that owes least, and that debt with it. No flood of keys ever buys a
    /// token; the newcomer starts with less than a full bucket.
    #[default]
    Inherit,
    /// It is denied, until a slot is free.
    Deny,
    /// It passes, unlimited. The only rule under which more passes than the quota admits.
    Allow,
}

/// The hash of a key, for callers that use it more than once.
///
/// It belongs to the limiter that made it, or to one with the same hasher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyHash(u64);

impl<K: ?Sized> Limiter<K> {
    /// A limiter with room for `keys` keys that owe at the same time, on the default clock.
    ///
    /// Takes 25.6 bytes a key, at once.
    ///
    /// # Panics
    /// If the memory cannot be had. [`LimiterBuilder::build`] returns an error instead.
    #[must_use]
    pub fn new(quota: Quota, keys: usize) -> Limiter<K> {
        match Limiter::builder(quota, keys).build() {
            Ok(limiter) => limiter,
            Err(error) => panic!("{error}"),
        }
    }

    /// A limiter with choices: clock, hasher, what to do when a set is full.
    pub fn builder(quota: Quota, keys: usize) -> LimiterBuilder<K> {
        LimiterBuilder::new(quota, keys)
    }
}

impl<K: ?Sized, C, S> Limiter<K, C, S> {
    pub(crate) fn with(table: Table, quota: Quota, on_full: OnFull, clock: C, hasher: S) -> Limiter<K, C, S> {
        Limiter { table, quota, on_full, hasher, clock, counters: Striped::default(), keys: PhantomData }
    }

    /// What every key is limited to.
    #[must_use]
    pub fn quota(&self) -> &Quota {
        &self.quota
    }

    /// The bytes this limiter takes, now and for ever.
    #[must_use]
    pub fn memory(&self) -> usize {
        size_of::<Self>() + self.table.bytes()
    }

    /// Slots in the table: the most keys that it can hold. The keys it was made for are five sevenths of them.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.table.slots()
    }

    /// How the table has been used so far.
    #[must_use]
    pub fn counters(&self) -> Counters {
        self.counters.sum()
    }

    /// Keys that owe at `now`: whose bucket is less than full. Reads the whole table, so call it
    /// off the path of decisions.
    #[must_use]
    pub fn owing_at(&self, now: Timestamp) -> usize {
        let now = self.quota.axis().read(now);
        self.table.sets().map(|set| set.owing(now)).sum()
    }

    /// [`check_n_at`](Limiter::check_n_at) for a key that was hashed before.
    #[inline(always)]
    pub fn check_hashed_n_at(&self, key: KeyHash, cost: u64, now: Timestamp) -> Decision {
        self.debit(self.table.place(key.0), key, cost, now)
    }

    /// [`peek_n_at`](Limiter::peek_n_at) for a key that was hashed before.
    pub fn peek_hashed_n_at(&self, key: KeyHash, cost: u64, now: Timestamp) -> Decision {
        self.preview(key, cost, now)
    }

    #[inline(always)]
    fn debit(&self, place: Place<'_>, key: KeyHash, cost: u64, now: Timestamp) -> Decision {
        match self.quota.ticks(cost) {
            Some(ticks) if cost > 0 => self.pay(place, ticks, cost, now),
            _ => self.preview(key, cost, now),
        }
    }

    /// One token of a bucket, which holds at least that many.
    #[inline(always)]
    fn debit_one(&self, place: Place<'_>, now: Timestamp) -> Decision {
        self.pay(place, self.quota.axis().scale().token(), 1, now)
    }

    /// Takes `cost` tokens, which are `ticks`: more than none, and no more than a bucket holds.
    #[inline(always)]
    fn pay(&self, place: Place<'_>, ticks: u64, cost: u64, now: Timestamp) -> Decision {
        let now = self.quota.axis().now(now);
        let ask = Ask { now: now.reading, cost: ticks, full: self.quota.full() };
        self.decision(place.debit(ask, self.on_full, &self.counters), now, cost)
    }

    // Finds the place anew, so that a hit need not keep it in memory for this.
    #[cold]
    #[inline(never)]
    fn preview(&self, key: KeyHash, cost: u64, now: Timestamp) -> Decision {
        let place = self.table.place(key.0);
        let now = self.quota.axis().now(now);
        // A cost of nothing, or of more than there can be, is not the bucket's to judge: ask for
        // its word, and see.
        let ticks = self.quota.ticks(cost).unwrap_or(0);
        let answer = place.preview(&Ask { now: now.reading, cost: ticks, full: self.quota.full() }, self.on_full);
        match answer {
            Answer::Allowed(word) | Answer::Denied(word) => Decision::preview(&self.quota, word, now, cost),
            Answer::NoRoom(_) | Answer::Unlimited if ticks == 0 => {
                Decision::preview(&self.quota, Word::ZERO, now, cost)
            }
            Answer::NoRoom(_) | Answer::Unlimited => self.decision(answer, now, cost),
        }
    }

    #[inline(always)]
    fn decision(&self, answer: Answer, now: Now, cost: u64) -> Decision {
        let (denial, word) = match answer {
            Answer::Allowed(word) => (None, word),
            Answer::Denied(word) => (Some(Denial::Insufficient), word),
            Answer::NoRoom(word) => (Some(Denial::TableFull), word),
            Answer::Unlimited => (None, Word::ZERO),
        };
        Decision::new(&self.quota, denial, word, now, cost)
    }
}

impl<K: ?Sized, C, S: BuildHasher> Limiter<K, C, S> {
    /// The hash of a key.
    #[inline]
    pub fn prehash<Q>(&self, key: &Q) -> KeyHash
    where
        K: Borrow<Q>,
        Q: Hash + ?Sized,
    {
        KeyHash(self.hasher.hash_one(key))
    }

    /// Takes one token of `key`'s at a moment of your own, read from the limiter's clock or one like it.
    #[inline(always)]
    pub fn check_at<Q>(&self, key: &Q, now: Timestamp) -> Decision
    where
        K: Borrow<Q>,
        Q: Hash + ?Sized,
    {
        self.debit_one(self.table.place(self.prehash(key).0), now)
    }

    /// Takes `cost` tokens of `key`'s, all or none, at a moment of your own.
    #[inline(always)]
    pub fn check_n_at<Q>(&self, key: &Q, cost: u64, now: Timestamp) -> Decision
    where
        K: Borrow<Q>,
        Q: Hash + ?Sized,
    {
        self.check_hashed_n_at(self.prehash(key), cost, now)
    }

    /// What [`check_at`](Limiter::check_at) would decide, taking nothing.
    pub fn peek_at<Q>(&self, key: &Q, now: Timestamp) -> Decision
    where
        K: Borrow<Q>,
        Q: Hash + ?Sized,
    {
        self.peek_hashed_n_at(self.prehash(key), 1, now)
    }

    /// What [`check_n_at`](Limiter::check_n_at) would decide, taking nothing.
    pub fn peek_n_at<Q>(&self, key: &Q, cost: u64, now: Timestamp) -> Decision
    where
        K: Borrow<Q>,
        Q: Hash + ?Sized,
    {
        self.peek_hashed_n_at(self.prehash(key), cost, now)
    }
}

impl<K: ?Sized, C: Clock, S: BuildHasher> Limiter<K, C, S> {
    /// Takes one token of `key`'s.
    #[inline(always)]
    pub fn check<Q>(&self, key: &Q) -> Decision
    where
        K: Borrow<Q>,
        Q: Hash + ?Sized,
    {
        // The bucket's lines are asked for before the clock is read: see `prefetch`.
        let place = self.table.place(self.prehash(key).0);
        self.debit_one(place, self.clock.now())
    }

    /// Takes `cost` tokens of `key`'s, all or none. A cost of 0 passes and takes nothing.
    #[inline(always)]
    pub fn check_n<Q>(&self, key: &Q, cost: u64) -> Decision
    where
        K: Borrow<Q>,
        Q: Hash + ?Sized,
    {
        self.check_hashed_n(self.prehash(key), cost)
    }

    /// [`check_n`](Limiter::check_n) for a key that was hashed before.
    #[inline(always)]
    pub fn check_hashed_n(&self, key: KeyHash, cost: u64) -> Decision {
        // The bucket's lines are asked for before the clock is read: see `prefetch`.
        let place = self.table.place(key.0);
        self.debit(place, key, cost, self.clock.now())
    }

    /// What [`check`](Limiter::check) would decide, taking nothing. `remaining` is what is there.
    pub fn peek<Q>(&self, key: &Q) -> Decision
    where
        K: Borrow<Q>,
        Q: Hash + ?Sized,
    {
        self.peek_at(key, self.clock.now())
    }

    /// What [`check_n`](Limiter::check_n) would decide, taking nothing.
    pub fn peek_n<Q>(&self, key: &Q, cost: u64) -> Decision
    where
        K: Borrow<Q>,
        Q: Hash + ?Sized,
    {
        self.peek_n_at(key, cost, self.clock.now())
    }
}

impl<K: ?Sized, C, S> fmt::Debug for Limiter<K, C, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Limiter")
            .field("quota", &self.quota)
            .field("slots", &self.slots())
            .field("on_full", &self.on_full)
            .field("counters", &self.counters())
            .finish_non_exhaustive()
    }
}
