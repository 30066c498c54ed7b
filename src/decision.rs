//! The answer to "may this pass?": a small value that computes nothing until it is asked.

use std::fmt;
use std::time::Duration;

use crate::axis::{Now, Reading, Scale};
use crate::quota::Quota;
use crate::timestamp::Timestamp;
use crate::word::{Debit, Word};

/// What a limiter decided, and why.
///
/// A decision is a plain value: it keeps what was seen and divides only when a question is asked.
///
/// ```
/// use catraca::{Bucket, Denial, Rate, RetryAfter, Timestamp};
/// use std::time::Duration;
///
/// let bucket = Bucket::new(Rate::per_second(2).burst(5)?);
/// let now = Timestamp::ZERO;
/// assert_eq!(bucket.check_n_at(4, now).remaining(), 1);
/// let denied = bucket.check_n_at(2, now);
/// assert_eq!(denied.denial(), Some(Denial::Insufficient));
/// assert_eq!(denied.retry_after(), RetryAfter::After(Duration::from_millis(500)));
/// assert_eq!(denied.to_string(), "denied: 2 asked, 1 of 5 left; retry in 500ms");
/// # Ok::<(), catraca::QuotaError>(())
/// ```
#[derive(Clone, Copy)]
#[must_use = "a decision not looked at limits nothing"]
pub struct Decision {
    denial: Option<Denial>,
    /// The bucket after the decision; with `TableFull`, the slot that will be free first.
    word: Word,
    now: Timestamp,
    /// `now` in ticks, rounded down.
    floor: u64,
    cost: u64,
    capacity: u64,
    scale: Scale,
}

/// Why a request was denied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Denial {
    /// The bucket holds fewer tokens than the cost. Waiting helps.
    Insufficient,
    /// The cost is above the capacity. Waiting never helps.
    ExceedsCapacity,
    /// The key is not in the table, its set is full of others that owe, and
    /// [`OnFull`](crate::OnFull) says to deny. Waiting helps.
    TableFull,
}

/// How long until the same request may pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryAfter {
    /// It passed.
    Now,
    /// After exactly this time it passes if nobody else spends; a nanosecond earlier it does not.
    After(Duration),
    /// Never: the cost is above the capacity, or would be there only past the
    /// [horizon](Timestamp::HORIZON), at which refilling ends.
    Never,
}

impl Decision {
    #[inline]
    pub(crate) fn new(quota: &Quota, denial: Option<Denial>, word: Word, now: Now, cost: u64) -> Decision {
        let Now { timestamp, reading } = now;
        let (capacity, scale) = (quota.capacity(), quota.axis().scale());
        Decision { denial, word, now: timestamp, floor: reading.floor, cost, capacity, scale }
    }

    /// What the bucket says to `cost` without being asked to pay. A cost of 0 always passes.
    pub(crate) fn preview(quota: &Quota, word: Word, now: Now, cost: u64) -> Decision {
        let denial = match quota.ticks(cost) {
            None => Some(Denial::ExceedsCapacity),
            Some(0) => None,
            Some(ticks) => match word.debit(now.reading, ticks, quota.full()) {
                Debit::Allowed(_) => None,
                Debit::Denied => Some(Denial::Insufficient),
            },
        };
        Decision::new(quota, denial, word, now, cost)
    }

    /// Whether the request may pass.
    #[inline]
    pub fn is_allowed(&self) -> bool {
        self.denial.is_none()
    }

    /// Why the request may not pass; `None` if it may.
    #[inline]
    pub fn denial(&self) -> Option<Denial> {
        self.denial
    }

    /// The tokens that the request asked for.
    #[inline]
    pub fn cost(&self) -> u64 {
        self.cost
    }

    /// The capacity of the bucket, in tokens: the largest burst.
    pub fn limit(&self) -> u64 {
        self.capacity
    }

    /// Whole tokens left in the bucket after the decision, rounded down; 0 where there is no bucket
    /// for want of room.
    pub fn remaining(&self) -> u64 {
        if self.denial == Some(Denial::TableFull) {
            return 0;
        }
        let reading = Reading { floor: self.floor, ceil: self.floor };
        self.word.ticks(reading, self.full()) / self.scale.token() // down: a part of a token buys nothing
    }

    /// How long until the same request passes if nobody else spends: exact, in whole nanoseconds
    /// rounded up. The wait counts from the decision's own reading of the clock.
    pub fn retry_after(&self) -> RetryAfter {
        match self.denial {
            None => RetryAfter::Now,
            Some(Denial::ExceedsCapacity) => RetryAfter::Never,
            // No overflow: a cost within the capacity is at most `full` ticks.
            Some(Denial::Insufficient) => {
                self.wait_for(self.word.admits_at(self.cost * self.scale.token(), self.full()))
            }
            // A slot makes room when it is past full by a tick: see `Word::is_expired`.
            Some(Denial::TableFull) => self.wait_for(self.word.full_at() + 1),
        }
    }

    /// How long until the bucket is full if nobody spends, in whole nanoseconds rounded up.
    pub fn reset_after(&self) -> Duration {
        self.until(self.word.full_at())
    }

    /// The whole bucket in ticks.
    fn full(&self) -> u64 {
        self.capacity * self.scale.token() // as `Quota` checked
    }

    /// The wait for a tick, if any reading ever reaches it.
    fn wait_for(&self, tick: u64) -> RetryAfter {
        let nanos = self.scale.nanos_at(tick);
        if nanos > Timestamp::HORIZON.as_nanos() { RetryAfter::Never } else { RetryAfter::After(self.until(tick)) }
    }

    /// The time from the decision to a tick; zero if it has passed.
    fn until(&self, tick: u64) -> Duration {
        Timestamp::from_nanos(self.scale.nanos_at(tick)).since(self.now)
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (cost, remaining, limit) = (self.cost, self.remaining(), self.limit());
        match (self.denial, self.retry_after()) {
            (Some(Denial::ExceedsCapacity), _) => {
                write!(f, "denied: {cost} asked, the bucket never holds more than {limit}")
            }
            (Some(Denial::TableFull), RetryAfter::After(wait)) => {
                write!(f, "denied: no room for another key; retry in {wait:?}")
            }
            (Some(_), RetryAfter::Never) => {
                write!(f, "denied: {cost} asked, {remaining} of {limit} left; nothing refills past the clock's horizon")
            }
            (_, RetryAfter::After(wait)) => {
                write!(f, "denied: {cost} asked, {remaining} of {limit} left; retry in {wait:?}")
            }
            _ => write!(f, "allowed: {cost} taken, {remaining} of {limit} left"),
        }
    }
}

impl fmt::Debug for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Decision({self})")
    }
}
