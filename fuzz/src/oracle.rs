//! The oracle: the token bucket as it is defined, two numbers in exact arithmetic.
//!
//! ```text
//! tokens(now) = min(B, tokens + (now - last) * r)
//! ```
//!
//! A rate of `p` tokens in `q` nanoseconds has every quantity a whole number of *parts*, `q` to the token:
//! in one nanosecond `p` of them drip in. So the arithmetic is that of integers, and it is exact.
//!
//! No sum overflows: a quota holds `B < 2^63`, `q < 2^63`, and readings end at the horizon, 2^60, so
//! `B * q < 2^126` and `now * p < 2^124`.

use catraca::{Quota, Timestamp};

/// One bucket, exactly. It hears of admissions only: what is denied leaves no trace.
#[derive(Clone, Copy, Debug)]
pub struct Oracle {
    /// Parts that drip in each nanosecond.
    rate: i128,
    /// Parts of a token.
    token: i128,
    /// Parts of a full bucket.
    full: i128,
    /// Parts in the bucket at `last`.
    parts: i128,
    /// The latest moment of an admission.
    last: i128,
}

impl Oracle {
    /// A full bucket at the origin.
    #[must_use]
    pub fn new(quota: &Quota) -> Oracle {
        let (p, q) = fraction(quota);
        let full = i128::from(quota.capacity()) * i128::from(q);
        assert!(p > 0 && q > 0 && q < 1 << 63 && full < 1 << 126, "out of the oracle's range: {quota}");
        Oracle { rate: p.into(), token: q.into(), full, parts: full, last: 0 }
    }

    /// Parts of so many tokens, of which the bucket holds as many.
    #[must_use]
    pub fn parts_of(&self, tokens: u64) -> i128 {
        let parts = i128::from(tokens) * self.token;
        assert!(parts <= self.full, "{tokens} tokens never are in {self:?}");
        parts
    }

    /// Parts of a token.
    #[must_use]
    pub fn token(&self) -> i128 {
        self.token
    }

    /// Parts of a full bucket.
    #[must_use]
    pub fn full(&self) -> i128 {
        self.full
    }

    /// Parts in the bucket as the definition has it: a reading before the last admission refills nothing,
    /// and takes nothing back.
    #[must_use]
    pub fn parts_at(&self, now: Timestamp) -> i128 {
        self.full.min(self.seen_at(nanos(now).max(self.last)))
    }

    /// Parts in the bucket as catraca documents it: like the definition, except that a reading before the last
    /// admission sees less by what refilled in between. Negative where that is more than there is.
    #[must_use]
    pub fn documented_at(&self, now: Timestamp) -> i128 {
        self.full.min(self.seen_at(nanos(now)))
    }

    /// The same with no lid on the bucket: how long ago it became full.
    #[must_use]
    pub fn unbounded_at(&self, now: Timestamp) -> i128 {
        self.seen_at(nanos(now))
    }

    /// Whether a reading lies before the last admission.
    #[must_use]
    pub fn is_stale(&self, now: Timestamp) -> bool {
        nanos(now) < self.last
    }

    /// Burdens the bucket with a debt of `parts` more, at no particular moment.
    pub fn burden(&mut self, parts: i128) {
        self.parts -= parts;
    }

    fn seen_at(&self, now: i128) -> i128 {
        self.parts + (now - self.last) * self.rate
    }

    /// Takes `parts` out at `now`, whether they are there or not.
    pub fn take(&mut self, parts: i128, now: Timestamp) {
        self.parts = self.parts_at(now) - parts;
        self.last = self.last.max(nanos(now));
    }

    /// Whole tokens, rounded down, in so many parts; none in a debt.
    #[must_use]
    pub fn whole(&self, parts: i128) -> u64 {
        to_u64(parts.max(0) / self.token)
    }

    /// The first whole nanosecond, counted from the origin, at which the bucket holds `parts` if nobody
    /// spends. Stops at the end of a timestamp.
    #[must_use]
    pub fn holds_from(&self, parts: i128) -> u64 {
        // last + (parts - self.parts) / rate, rounded up.
        let scaled = self.last * self.rate + parts - self.parts;
        to_u64((scaled + self.rate - 1).div_euclid(self.rate).max(0))
    }
}

/// The rate of a quota in lowest terms: (tokens, nanoseconds).
#[must_use]
pub fn fraction(quota: &Quota) -> (u64, u64) {
    let (tokens, nanos) = (u128::from(quota.rate().tokens()), quota.rate().period().as_nanos());
    let divisor = gcd(tokens, nanos);
    (to_u64((tokens / divisor) as i128), to_u64((nanos / divisor) as i128))
}

/// Greatest common divisor.
#[must_use]
pub fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// A reading as the engine promises to count it: past the horizon is the horizon.
fn nanos(now: Timestamp) -> i128 {
    now.min(Timestamp::HORIZON).as_nanos().into()
}

fn to_u64(value: i128) -> u64 {
    u64::try_from(value).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use catraca::Rate;
    use std::time::Duration;

    fn at(millis: u64) -> Timestamp {
        Timestamp::from_nanos(millis * 1_000_000)
    }

    #[test]
    fn by_hand() -> Result<(), catraca::QuotaError> {
        // A third of a token a second, room for two.
        let mut bucket = Oracle::new(&Rate::new(1, Duration::from_secs(3)).burst(2)?);
        let one = bucket.parts_of(1);
        bucket.take(2 * one, at(0));
        assert_eq!(bucket.whole(bucket.parts_at(at(2_999))), 0);
        assert_eq!(bucket.whole(bucket.parts_at(at(3_000))), 1);
        assert_eq!(bucket.holds_from(one), 3_000_000_000);
        bucket.take(one, at(4_000)); // a third is left
        assert_eq!(bucket.holds_from(one), 6_000_000_000);
        assert_eq!(bucket.holds_from(bucket.full()), 9_000_000_000);
        assert_eq!(bucket.parts_at(at(1_000)), one / 3);
        assert_eq!(bucket.documented_at(at(1_000)), one / 3 - one);
        assert_eq!(bucket.parts_at(at(1_000_000)), 2 * one);
        Ok(())
    }

    #[test]
    fn moments_are_rounded_up() -> Result<(), catraca::QuotaError> {
        let mut bucket = Oracle::new(&Rate::per_second(3).burst(1)?);
        bucket.take(bucket.full(), Timestamp::ZERO);
        assert_eq!(bucket.holds_from(bucket.full()), 333_333_334);
        assert!(bucket.parts_at(Timestamp::from_nanos(333_333_333)) < bucket.full());
        Ok(())
    }
}
