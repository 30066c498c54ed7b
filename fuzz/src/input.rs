//! What the fuzzer makes up: quotas, costs and moments, biased to the boundaries of each.

use std::time::Duration;

use arbitrary::Arbitrary;
use catraca::{Quota, QuotaError, Rate, RetryAfter, Timestamp};

use crate::oracle::fraction;

const SECOND: u64 = 1_000_000_000;
const YEAR: u64 = 365 * 86_400 * SECOND;

/// Units in which periods are written, in nanoseconds.
const UNITS: [u64; 9] =
    [1, 1_000, 1_000_000, SECOND, 60 * SECOND, 3_600 * SECOND, 86_400 * SECOND, 7 * 86_400 * SECOND, YEAR];

/// Primes on both sides of the divisors that the axis looks for.
const PRIMES: [u64; 8] = [3, 7, 11, 13, 1_009, 999_983, 999_999_937, 18_446_744_073_709_551_557];

/// A whole number near something that matters.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub enum Number {
    /// 0 to 255.
    Small(u8),
    /// A power of two, or a little off.
    Two(u8, i8),
    /// A power of ten, or a little off.
    Ten(u8, i8),
    /// One of a few primes.
    Prime(u8),
    /// Any.
    Any(u64),
}

impl Number {
    /// The number.
    #[must_use]
    pub fn value(self) -> u64 {
        match self {
            Number::Small(number) => number.into(),
            Number::Two(power, off) => (1_u64 << (power % 64)).wrapping_add_signed((off % 3).into()),
            Number::Ten(power, off) => 10_u64.pow(u32::from(power) % 20).wrapping_add_signed((off % 3).into()),
            Number::Prime(index) => PRIMES[usize::from(index) % PRIMES.len()],
            Number::Any(number) => number,
        }
    }
}

/// A period.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub enum Period {
    /// A unit, or a few.
    Units(u8, u8),
    /// Any number of nanoseconds.
    Nanos(Number),
    /// Any duration, beyond 64 bits of nanoseconds too.
    Any(Number, u32),
}

impl Period {
    /// The duration.
    #[must_use]
    pub fn value(self) -> Duration {
        match self {
            Period::Units(unit, count) => {
                Duration::from_nanos(UNITS[usize::from(unit) % UNITS.len()] * (1 + u64::from(count % 16)))
            }
            Period::Nanos(number) => Duration::from_nanos(number.value()),
            Period::Any(seconds, nanos) => Duration::new(seconds.value(), nanos % 1_000_000_000),
        }
    }
}

/// What a quota is asked to be; see [`Spec::nearest`].
#[derive(Arbitrary, Clone, Copy, Debug)]
pub struct Spec {
    /// Tokens of a period.
    pub tokens: Number,
    /// The period.
    pub period: Period,
    /// The capacity.
    pub capacity: Number,
}

impl Spec {
    /// The rate, which may be one that no quota holds.
    #[must_use]
    pub fn rate(self) -> Rate {
        Rate::new(self.tokens.value(), self.period.value())
    }

    /// The quota as it was asked for.
    ///
    /// # Errors
    /// As [`Quota::new`].
    pub fn exact(self) -> Result<Quota, QuotaError> {
        Quota::new(self.rate(), self.capacity.value())
    }

    /// The quota as it was asked for, or one at the limit that was overrun, so that no input is in vain.
    #[must_use]
    pub fn nearest(self) -> Quota {
        let capacity = self.capacity.value();
        let retried = match self.exact() {
            Ok(quota) => Ok(quota),
            Err(QuotaError::CapacityTooLarge { largest, .. }) => Quota::new(self.rate(), largest),
            Err(QuotaError::ZeroCapacity) => Quota::new(self.rate(), 1),
            Err(QuotaError::RateTooFast { .. }) => Quota::new(Rate::per_second(7_000_000_000), capacity),
            Err(_) => Quota::new(Rate::new(1, Duration::from_nanos(YEAR)), capacity),
        };
        // The second attempt can only fail for a capacity of 0 or too many; a small one always works.
        retried.unwrap_or(Quota::must(Rate::per_second(5), 10))
    }
}

/// A cost.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub enum Cost {
    /// One token.
    One,
    /// 0 to 255.
    Small(u8),
    /// The whole bucket.
    All,
    /// More than it ever holds.
    Above(u8),
    /// Half of it.
    Half,
    /// What the last decision left, or one more.
    Left(bool),
    /// Any.
    Any(Number),
}

/// The moment of the next step.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub enum Moment {
    /// Again the last one.
    Same,
    /// So many nanoseconds later.
    Nanos(u16),
    /// The next whole microsecond, and so many more.
    Micros(u16),
    /// The next whole second, and so many more.
    Seconds(u16),
    /// After the time of so many tokens, or a nanosecond off.
    Tokens(u8, i8),
    /// After the wait that the last denial named, or a nanosecond off.
    Retry(i8),
    /// When the bucket is full, or a nanosecond off.
    Reset(i8),
    /// Years later.
    Years(u8),
    /// So much earlier.
    Back(Number),
    /// A glimpse of somewhere else, after which time goes on from where it was.
    Glimpse(Far),
}

/// The ends of the axis.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub enum Far {
    /// The origin.
    Zero,
    /// Around the horizon.
    Horizon(i8),
    /// The end of the axis.
    End,
    /// Anywhere.
    Any(u64),
}

impl Far {
    fn value(self) -> u64 {
        match self {
            Far::Zero => 0,
            Far::Horizon(off) => Timestamp::HORIZON.as_nanos().saturating_add_signed(off.into()),
            Far::End => u64::MAX,
            Far::Any(nanos) => nanos,
        }
    }
}

/// What the next cost and moment are made from.
#[derive(Clone, Copy, Debug)]
pub struct Story {
    quota: Quota,
    now: u64,
    left: u64,
    retry: u64,
    reset: u64,
}

impl Story {
    /// Nothing has happened yet.
    #[must_use]
    pub fn new(quota: Quota) -> Story {
        Story { quota, now: 0, left: quota.capacity(), retry: 1, reset: 1 }
    }

    /// The cost in tokens.
    #[must_use]
    pub fn cost(&self, cost: Cost) -> u64 {
        let capacity = self.quota.capacity();
        match cost {
            Cost::One => 1,
            Cost::Small(cost) => cost.into(),
            Cost::All => capacity,
            Cost::Above(by) => capacity.saturating_add(1 + u64::from(by)),
            Cost::Half => capacity / 2,
            Cost::Left(more) => self.left.saturating_add(more.into()),
            Cost::Any(number) => number.value(),
        }
    }

    /// Moves to the moment, and says which it is.
    pub fn moment(&mut self, moment: Moment) -> Timestamp {
        let now = self.now;
        let round_up = |unit: u64| now.div_ceil(unit).saturating_mul(unit);
        let nearly = |moment: u64, off: i8| moment.saturating_add_signed((off % 2).into());
        self.now = match moment {
            Moment::Same => now,
            Moment::Nanos(count) => now.saturating_add(count.into()),
            Moment::Micros(count) => round_up(1_000).saturating_add(u64::from(count) * 1_000),
            Moment::Seconds(count) => round_up(SECOND).saturating_add(u64::from(count) * SECOND),
            Moment::Tokens(count, off) => {
                let (p, q) = fraction(&self.quota);
                let nanos = (u128::from(count) * u128::from(q)).div_ceil(p.into());
                nearly(now.saturating_add(u64::try_from(nanos).unwrap_or(u64::MAX)), off)
            }
            Moment::Retry(off) => nearly(now.saturating_add(self.retry), off),
            Moment::Reset(off) => nearly(now.saturating_add(self.reset), off),
            Moment::Years(count) => now.saturating_add(u64::from(count % 4) * YEAR),
            Moment::Back(by) => now.saturating_sub(by.value()),
            Moment::Glimpse(far) => return Timestamp::from_nanos(far.value()),
        };
        Timestamp::from_nanos(self.now)
    }

    /// Remembers what was decided.
    pub fn note(&mut self, decision: &catraca::Decision) {
        self.left = decision.remaining();
        if let RetryAfter::After(wait) = decision.retry_after() {
            self.retry = u64::try_from(wait.as_nanos()).unwrap_or(u64::MAX);
        }
        self.reset = u64::try_from(decision.reset_after().as_nanos()).unwrap_or(u64::MAX);
    }
}

/// Steps to the end of the input, at most so many. (A derived `Vec` ends after two on average.)
///
/// # Errors
/// What the steps themselves report.
pub fn steps<'a, T: Arbitrary<'a>>(bytes: &mut arbitrary::Unstructured<'a>, most: usize) -> arbitrary::Result<Vec<T>> {
    let mut steps = Vec::new();
    while !bytes.is_empty() && steps.len() < most {
        steps.push(bytes.arbitrary()?);
    }
    Ok(steps)
}
