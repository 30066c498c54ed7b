//! What a limit is: a rate and a capacity, checked once.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::axis::{Axis, fastest_per_second, largest_capacity};
use crate::rate::{self, Rate, RateParseError};
use crate::timestamp::Timestamp;

/// A limit: a bucket of `capacity` tokens that refills at a [`Rate`], both exact.
///
/// Everything is checked here, once: whatever a quota accepts, a limiter can hold for 36 years
/// without overflow. That is every rational rate from one token in 36 years up to 7.9 * 10^9 tokens per
/// second, and every capacity from 1 to 2^32 - 1 and, at ordinary rates, far beyond.
///
/// As text a quota is a rate with an optional burst: `5/s burst 10`, or in words `5 per second,
/// burst 10`. Without a burst, the bucket holds what one period brings: `6/min` lets 6 pass at once.
///
/// ```
/// use catraca::{Quota, Rate};
///
/// let quota = Rate::per_second(5).burst(10)?;
/// assert_eq!(quota, "5 per second, burst 10".parse()?);
/// assert_eq!(quota.to_string(), "5/s burst 10");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct Quota {
    rate: Rate,
    capacity: u64,
    axis: Axis,
    /// The whole bucket in ticks: at most 2^63, as `Axis::new` checked.
    full: u64,
}

impl Quota {
    /// A bucket of `capacity` tokens that refills at `rate`.
    ///
    /// # Errors
    /// A capacity or rate of zero, and what the fixed-point word cannot hold until the
    /// [horizon](Timestamp::HORIZON): each its own error, which names the nearest thing that works.
    pub const fn new(rate: Rate, capacity: u64) -> Result<Quota, QuotaError> {
        let Some((p, q)) = rate.reduced() else {
            return Err(QuotaError::PeriodTooLong { period: rate.period() });
        };
        if capacity == 0 {
            return Err(QuotaError::ZeroCapacity);
        }
        if rate.period().is_zero() {
            return Err(QuotaError::ZeroPeriod);
        }
        if p == 0 {
            return Err(QuotaError::ZeroRate);
        }
        if q >= 1 << 63 {
            return Err(QuotaError::PeriodTooLong { period: rate.period() });
        }
        if (p as u128) * (Timestamp::HORIZON.as_nanos() as u128) < q as u128 {
            return Err(QuotaError::RateTooSlow { rate });
        }
        match (Axis::new(p, q, capacity), largest_capacity(p, q)) {
            (Some(axis), _) => Ok(Quota { rate, capacity, axis, full: capacity * axis.scale().token() }),
            (None, 0) => Err(QuotaError::RateTooFast { rate }),
            (None, largest) => Err(QuotaError::CapacityTooLarge { capacity, largest }),
        }
    }

    /// The same, for constants.
    ///
    /// # Panics
    /// Where [`Quota::new`] errs; in a constant or a static, that is an error of compilation.
    ///
    /// ```
    /// use catraca::{Quota, Rate};
    ///
    /// const LOGIN: Quota = Quota::must(Rate::per_minute(5), 5);
    /// assert_eq!(LOGIN.capacity(), 5);
    /// ```
    #[must_use]
    pub const fn must(rate: Rate, capacity: u64) -> Quota {
        match Quota::new(rate, capacity) {
            Ok(quota) => quota,
            Err(QuotaError::ZeroCapacity) => panic!("a quota needs a capacity of at least 1"),
            Err(QuotaError::ZeroRate) => panic!("a quota needs a rate above zero"),
            Err(_) => panic!("no quota holds this rate and capacity; `Quota::new` says why"),
        }
    }

    /// The most tokens that the bucket holds: the largest burst, and the largest cost that can ever pass.
    #[must_use]
    pub const fn capacity(&self) -> u64 {
        self.capacity
    }

    /// How fast tokens come back.
    #[must_use]
    pub const fn rate(&self) -> Rate {
        self.rate
    }

    /// The time in which an empty bucket fills, rounded up to a whole nanosecond.
    ///
    /// ```
    /// # use catraca::Rate;
    /// # use std::time::Duration;
    /// assert_eq!(Rate::per_second(5).burst(10)?.time_to_fill(), Duration::from_secs(2));
    /// # Ok::<(), catraca::QuotaError>(())
    /// ```
    #[must_use]
    pub fn time_to_fill(&self) -> Duration {
        // Up: a nanosecond less and it is not full. 2^64 tokens at one in 36 years fit a duration.
        let nanos =
            (u128::from(self.capacity) * self.rate.period().as_nanos()).div_ceil(u128::from(self.rate.tokens()));
        let seconds = u64::try_from(nanos / 1_000_000_000).unwrap_or(u64::MAX);
        Duration::new(seconds, (nanos % 1_000_000_000) as u32)
    }

    pub(crate) const fn axis(&self) -> &Axis {
        &self.axis
    }

    /// The whole bucket in ticks.
    #[inline]
    pub(crate) const fn full(&self) -> u64 {
        self.full
    }

    /// `cost` tokens in ticks; `None` if the bucket never holds as many.
    #[inline]
    pub(crate) const fn ticks(&self, cost: u64) -> Option<u64> {
        if cost > self.capacity { None } else { Some(cost * self.axis.scale().token()) }
    }
}

impl Rate {
    /// The quota of a bucket of `capacity` tokens that refills at this rate; the same as [`Quota::new`].
    ///
    /// # Errors
    /// As [`Quota::new`].
    pub const fn burst(self, capacity: u64) -> Result<Quota, QuotaError> {
        Quota::new(self, capacity)
    }
}

impl PartialEq for Quota {
    fn eq(&self, other: &Quota) -> bool {
        (self.rate, self.capacity) == (other.rate, other.capacity)
    }
}

impl Eq for Quota {}

impl fmt::Debug for Quota {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Quota({self})")
    }
}

impl fmt::Display for Quota {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} burst {}", self.rate, self.capacity)
    }
}

/// Why no limiter can hold a quota.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum QuotaError {
    /// The capacity is 0: nothing could ever pass.
    ZeroCapacity,
    /// The rate is 0: what is spent would never come back.
    ZeroRate,
    /// The period is 0: the rate would be infinite.
    ZeroPeriod,
    /// The period, in lowest terms, is 2^63 nanoseconds or more.
    PeriodTooLong {
        /// The period that was asked for.
        period: Duration,
    },
    /// Not one token comes back before the [horizon](Timestamp::HORIZON).
    RateTooSlow {
        /// The rate that was asked for.
        rate: Rate,
    },
    /// The rate overruns the word before the [horizon](Timestamp::HORIZON), whatever the capacity.
    RateTooFast {
        /// The rate that was asked for.
        rate: Rate,
    },
    /// The bucket overruns the word before the [horizon](Timestamp::HORIZON).
    CapacityTooLarge {
        /// The capacity that was asked for.
        capacity: u64,
        /// The largest capacity that works at this rate.
        largest: u64,
    },
}

impl fmt::Display for QuotaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ZeroCapacity => f.write_str("a capacity of 0 lets nothing pass, ever; the smallest that works is 1"),
            Self::ZeroRate => f.write_str("a rate of 0 never gives a token back; the slowest that works is 1/36year"),
            Self::ZeroPeriod => f.write_str("a period of 0 makes the rate infinite; the shortest that works is 1 ns"),
            Self::PeriodTooLong { period } => write!(
                f,
                "a period of {} s in lowest terms is too long; the longest that works is {} s (292 years)",
                period.as_secs(),
                (1_u64 << 63) / 1_000_000_000
            ),
            Self::RateTooSlow { rate } => {
                write!(f, "at {rate} not one token comes back within 36 years; the slowest rate that works is 1/36year")
            }
            Self::RateTooFast { rate } => {
                write!(f, "a rate of {rate} is too fast; the fastest that works is {}/s", fastest_per_second())
            }
            Self::CapacityTooLarge { capacity, largest } => {
                write!(f, "a capacity of {capacity} is too large at this rate; the largest that works is {largest}")
            }
        }
    }
}

impl std::error::Error for QuotaError {}

/// Why a text is not a quota.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum QuotaParseError {
    /// The part before `burst` is not a rate.
    Rate(RateParseError),
    /// The part after `burst` is not a whole number of tokens below 2^64.
    Burst(Box<str>),
    /// The text reads well, but no limiter can hold what it says.
    Quota(QuotaError),
}

impl fmt::Display for QuotaParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rate(error) => error.fmt(f),
            Self::Burst(text) => write!(f, "`{text}` is not a burst: expected a whole number of tokens, such as `10`"),
            Self::Quota(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for QuotaParseError {}

impl FromStr for Quota {
    type Err = QuotaParseError;

    fn from_str(text: &str) -> Result<Quota, QuotaParseError> {
        let (rate, burst) = match text.split_once("burst") {
            Some((rate, burst)) => (rate.trim().trim_end_matches(','), Some(burst.trim())),
            None => (text, None),
        };
        let (rate, period_brings) = rate::parse(rate).map_err(QuotaParseError::Rate)?;
        let capacity = match burst {
            Some(digits) if digits.starts_with(|c: char| c.is_ascii_digit()) => {
                digits.parse().map_err(|_| QuotaParseError::Burst(digits.into()))?
            }
            Some(other) => return Err(QuotaParseError::Burst(other.into())),
            None => period_brings.max(1), // a rate of 0 is the error to report, not a capacity of 0
        };
        Quota::new(rate, capacity).map_err(QuotaParseError::Quota)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const YEAR: Duration = Duration::from_secs(365 * 86_400);

    #[test]
    fn shown_and_read_back() {
        for (text, capacity) in
            [("5/s burst 10", 10), ("6/min", 6), ("0.5/s", 1), ("2.5/s", 3), ("5 per 10 s", 5), ("1/day, burst 3", 3)]
        {
            let quota: Quota = text.parse().unwrap();
            assert_eq!(quota.capacity(), capacity, "{text}");
            assert_eq!(quota.to_string().parse(), Ok(quota), "{text}");
        }
    }

    #[test]
    fn every_fault_has_its_own_error_with_a_way_out() {
        assert_eq!(Rate::per_second(5).burst(0), Err(QuotaError::ZeroCapacity));
        assert_eq!(Rate::per_second(0).burst(5), Err(QuotaError::ZeroRate));
        assert_eq!(Rate::new(5, Duration::ZERO).burst(5), Err(QuotaError::ZeroPeriod));
        let forever = Duration::MAX;
        assert_eq!(Rate::new(1, forever).burst(1), Err(QuotaError::PeriodTooLong { period: forever }));
        let century = Rate::new(1, YEAR * 100);
        assert_eq!(century.burst(1), Err(QuotaError::RateTooSlow { rate: century }));
        assert!(Rate::new(1, YEAR * 36).burst(1).is_ok());
        let flood = Rate::per_second(8_000_000_000);
        let error = flood.burst(1).unwrap_err();
        assert_eq!(error, QuotaError::RateTooFast { rate: flood });
        assert!(error.to_string().ends_with(&format!("{}/s", fastest_per_second())), "{error}");
        assert!(Rate::per_second(fastest_per_second()).burst(1).is_ok());
        let Err(QuotaError::CapacityTooLarge { largest, .. }) = Rate::per_second(1).burst(u64::MAX) else { panic!() };
        assert!(Rate::per_second(1).burst(largest).is_ok());
        assert!(Rate::per_second(1).burst(largest + 1).is_err());
    }

    #[test]
    fn texts_that_are_no_quota() {
        assert_eq!("5/s burst ten".parse::<Quota>(), Err(QuotaParseError::Burst("ten".into())));
        assert_eq!("5/s burst +1".parse::<Quota>(), Err(QuotaParseError::Burst("+1".into())));
        assert_eq!("0/s".parse::<Quota>(), Err(QuotaParseError::Quota(QuotaError::ZeroRate)));
        assert!(matches!("burst 5".parse::<Quota>(), Err(QuotaParseError::Rate(_))));
    }

    #[test]
    fn the_promised_range_is_held() {
        for capacity in [1, u64::from(u32::MAX)] {
            for rate in [Rate::new(1, YEAR), Rate::per_second(1_000_000_000), Rate::per_second(999_999_937)] {
                assert!(rate.burst(capacity).is_ok(), "{rate} burst {capacity}");
            }
        }
        // 2 * 10^9 per second, which intervals of whole nanoseconds cannot say (boinkor-net/governor#203).
        assert!(Rate::per_second(2_000_000_000).burst(2_000_000_000).is_ok());
    }

    #[test]
    fn time_to_fill_is_rounded_up() {
        assert_eq!(Rate::per_second(3).burst(1).unwrap().time_to_fill(), Duration::from_nanos(333_333_334));
        let slow = Rate::new(1, YEAR).burst(u64::from(u32::MAX)).unwrap();
        assert_eq!(slow.time_to_fill(), YEAR * u32::MAX);
    }
}
