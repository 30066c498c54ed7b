//! Fixed point: the axis of ticks on which a quota measures time and tokens alike.
//!
//! A *tick* is the time in which one `token`-th of a token drips in. On that axis refilling is the
//! passage of time, so the two numbers of a bucket are one number (see [`word`](crate::word)), and
//! the only arithmetic with a remainder is the conversion of a clock reading:
//!
//! ```text
//! ticks(nanos) = nanos * num / den          num / den = ticks per nanosecond
//! ```
//!
//! which is computed without division, yet exactly, and kept as both neighbours of the true value
//! ([`Reading`]). Whoever spends looks at the lower one, whoever starts a bucket at the upper one,
//! so rounding never buys a token.
//!
//! # Which ticks
//! A rate of `p` tokens in `q` nanoseconds (lowest terms) has a lattice on which nothing is ever
//! rounded: `p` ticks a nanosecond, `q` ticks a token. Where 63 bits hold it for 36 years it is
//! the one that is used. Otherwise the lattice is thinned by a divisor `d` of `q`: one tick is
//! then `d / p` nanoseconds. A `d` that divides 1000 keeps readings in whole microseconds exact, one
//! that divides 10^6 whole milliseconds, one that divides 10^9 whole seconds, so they are tried in this order.
//! A period without such divisors gets the largest power of two ticks a token that fits.

use crate::rate::gcd;
use crate::timestamp::Timestamp;

/// The largest tick that a word holds, less a margin for the steps of a slot that changes hands.
const LAST_TICK: u128 = (1 << 63) - 16;

/// Nanoseconds that an axis spans.
const HORIZON: u64 = Timestamp::HORIZON.as_nanos();

/// A clock reading in ticks, as the two whole numbers around its true value. They are equal where
/// the reading falls on a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    /// The last tick at or before the reading.
    pub(crate) floor: u64,
    /// The first tick at or after the reading: `floor` or one more.
    pub(crate) ceil: u64,
}

/// A clock reading as the caller gave it and as its quota counts it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Now {
    pub(crate) timestamp: Timestamp,
    pub(crate) reading: Reading,
}

/// The fixed-point scale of one quota, and what it takes to read a clock with it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    /// `num / den * 2^(64 + shift)`, rounded up: the low and the high half.
    multiplier: [u64; 2],
    shift: u32,
    scale: Scale,
}

/// The units of an axis: what it takes to turn ticks back into time and tokens.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    /// Ticks per nanosecond, in lowest terms.
    num: u64,
    den: u64,
    /// Ticks per token.
    token: u64,
}

impl Axis {
    /// The finest axis for `p` tokens in `q` nanoseconds (in lowest terms, both above zero, `q`
    /// below 2^63) that holds a bucket of `capacity` until the horizon.
    pub(crate) const fn new(p: u64, q: u64, capacity: u64) -> Option<Axis> {
        let mut units = [1, 1_000, 1_000_000, 1_000_000_000].as_slice();
        while let [unit, rest @ ..] = units {
            if let Some(axis) = Axis::thinned(p, q, capacity, *unit) {
                return Some(axis);
            }
            units = rest;
        }
        Axis::binary(p, q, capacity)
    }

    /// The exact lattice thinned by the smallest divisor of `unit` and `q` that makes it fit.
    const fn thinned(p: u64, q: u64, capacity: u64, unit: u64) -> Option<Axis> {
        let mut best: Option<Axis> = None;
        let mut two = 1;
        while unit.is_multiple_of(two) {
            let mut d = two;
            while unit.is_multiple_of(d) {
                let finer = match best {
                    Some(axis) => d < axis.scale.den,
                    None => true,
                };
                if finer && q.is_multiple_of(d) && fits(p, d, q / d, capacity) {
                    best = Some(Axis::with(p, d, q / d));
                }
                d *= 5;
            }
            two *= 2;
        }
        best
    }

    /// The largest power of two ticks a token that fits.
    const fn binary(p: u64, q: u64, capacity: u64) -> Option<Axis> {
        let mut bits = 63;
        while bits > 0 {
            bits -= 1;
            let token = 1 << bits;
            let divisor = gcd(token, q);
            if let Some(num) = p.checked_mul(token / divisor) {
                let den = q / divisor;
                if fits(num, den, token, capacity) {
                    return Some(Axis::with(num, den, token));
                }
            }
        }
        None
    }

    const fn with(num: u64, den: u64, token: u64) -> Axis {
        // A multiplier that is too large by less than 2^-s makes the product too large by less
        // than nanos / 2^s, and that must not reach the next multiple of 1 / den: 2^s >= nanos * den.
        let bits = 60 + (u64::BITS - den.leading_zeros());
        let bits = if bits < 64 { 64 } else { bits };
        // Long division, a bit at a time: num * 2^s may not fit 128 bits.
        let mut multiplier = (num / den) as u128;
        let mut remainder = num % den;
        let mut step = 0;
        while step < bits {
            remainder <<= 1; // den < 2^63, so this fits
            multiplier = multiplier << 1 | (remainder >= den) as u128;
            remainder -= if remainder >= den { den } else { 0 };
            step += 1;
        }
        multiplier += (remainder > 0) as u128; // up
        let multiplier = [multiplier as u64, (multiplier >> 64) as u64];
        Axis { multiplier, shift: bits - 64, scale: Scale { num, den, token } }
    }

    pub(crate) const fn scale(&self) -> Scale {
        self.scale
    }

    /// A clock reading, with itself in ticks.
    #[inline]
    pub(crate) fn now(&self, timestamp: Timestamp) -> Now {
        Now { timestamp, reading: self.read(timestamp) }
    }

    /// A clock reading in ticks. A reading past the horizon is the horizon.
    #[inline]
    pub(crate) fn read(&self, now: Timestamp) -> Reading {
        let nanos = now.as_nanos().min(HORIZON);
        let Scale { num, den, .. } = self.scale;
        if den == 1 {
            let tick = nanos * num; // exact, and the short way for ordinary rates
            return Reading { floor: tick, ceil: tick };
        }
        let [low, high] = self.multiplier;
        // Down: the fraction of a tick below 2^-64, then the rest of it.
        let carry = (u128::from(nanos) * u128::from(low)) >> 64;
        let floor = ((u128::from(nanos) * u128::from(high) + carry) >> (self.shift & 63)) as u64;
        // The remainder of the division lies in 0..den, so it survives the wrapping of both products.
        let remainder = nanos.wrapping_mul(num).wrapping_sub(floor.wrapping_mul(den));
        Reading { floor, ceil: floor + u64::from(remainder != 0) }
    }
}

impl Scale {
    /// Ticks per token.
    #[inline]
    pub(crate) const fn token(self) -> u64 {
        self.token
    }

    /// The first nanosecond whose reading is at `tick` or later. Saturates.
    pub(crate) fn nanos_at(self, tick: u64) -> u64 {
        // Up: one nanosecond less would read as an earlier tick.
        let nanos = (u128::from(tick) * u128::from(self.den)).div_ceil(u128::from(self.num));
        u64::try_from(nanos).unwrap_or(u64::MAX)
    }
}

/// Whether the axis reaches the horizon with a full bucket ahead of it.
const fn fits(num: u64, den: u64, token: u64, capacity: u64) -> bool {
    let Some(bucket) = (capacity as u128).checked_mul(token as u128) else { return false };
    let span = (HORIZON as u128 * num as u128).div_ceil(den as u128);
    bucket <= LAST_TICK && span <= LAST_TICK - bucket
}

/// The largest capacity that any axis holds at `p` tokens in `q` nanoseconds; 0 where none does.
pub(crate) const fn largest_capacity(p: u64, q: u64) -> u64 {
    let span = (HORIZON as u128 * p as u128).div_ceil(q as u128);
    // Down to nothing where the rate alone overruns the axis.
    LAST_TICK.saturating_sub(span) as u64
}

/// The largest whole number of tokens per second that an axis holds beside a bucket of one.
pub(crate) const fn fastest_per_second() -> u64 {
    // Down: a faster rate would overrun the axis before the horizon.
    ((LAST_TICK - 1) * 1_000_000_000 / HORIZON as u128) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn axis(p: u64, q: u64, capacity: u64) -> Axis {
        let divisor = gcd(p, q);
        Axis::new(p / divisor, q / divisor, capacity).unwrap()
    }

    #[test]
    fn ordinary_rates_need_no_rounding() {
        for (p, q) in [(5, 1), (1, 1), (100, 60), (1000, 3600), (1, 86_400), (1_000_000, 1), (7, 1), (100_000_000, 1)] {
            let Scale { den, .. } = axis(p, q * 1_000_000_000, 100).scale();
            assert_eq!(den, 1, "{p} per {q} s");
        }
    }

    #[test]
    fn other_rates_keep_round_readings_exact() {
        // 11, 1001 and 999983 per second; a prime near 10^9 per second.
        for (p, unit) in [(11, 1_000), (1_001, 1_000), (999_983, 1_000_000), (999_999_937, 1_000_000_000)] {
            let Scale { den, .. } = axis(p, 1_000_000_000, 100).scale();
            assert_eq!(unit % den, 0, "{p} per second has ticks of {den} nanoseconds over it");
        }
    }

    #[test]
    fn the_widest_quotas_fit() {
        let year = 365 * 86_400 * 1_000_000_000;
        assert!(Axis::new(1, year, u64::from(u32::MAX)).is_some());
        assert!(Axis::new(1, 1, u64::from(u32::MAX)).is_some());
        assert!(Axis::new(999_999_937, 1_000_000_000, u64::from(u32::MAX)).is_some());
        let largest = largest_capacity(1, 1_000_000_000);
        assert!(Axis::new(1, 1_000_000_000, largest).is_some());
        assert!(Axis::new(1, 1_000_000_000, largest + 1).is_none());
        assert!(axis(fastest_per_second(), 1_000_000_000, 1).scale().token() >= 1);
        assert!(Axis::new(fastest_per_second() / 1_000_000_000 + 1, 1, 1).is_none());
    }

    proptest! {
        /// The reading is the exact quotient, and `nanos_at` its exact inverse.
        #[test]
        fn reads_exactly(
            p in 1..=10_000_000_000_u64,
            q in prop_oneof![1..=1_000_000_000_u64, Just(1_000_000_000), Just(60_000_000_000), 1..1_u64 << 60],
            capacity in 1..=1_000_u64,
            nanos in prop_oneof![0..=HORIZON, Just(HORIZON), (0..=HORIZON / 1_000_000_000).prop_map(|s| s * 1_000_000_000)],
        ) {
            let divisor = gcd(p, q);
            let Some(axis) = Axis::new(p / divisor, q / divisor, capacity) else { return Ok(()) };
            let Scale { num, den, token } = axis.scale();
            // The axis runs at the rate itself: ticks per nanosecond / ticks per token = p / q.
            prop_assert_eq!(u128::from(num) * u128::from(q), u128::from(den) * u128::from(token) * u128::from(p));
            let product = u128::from(nanos) * u128::from(num);
            let reading = axis.read(Timestamp::from_nanos(nanos));
            prop_assert_eq!(u128::from(reading.floor), product / u128::from(den));
            prop_assert_eq!(u128::from(reading.ceil), product.div_ceil(u128::from(den)));
            let first = axis.scale().nanos_at(reading.ceil);
            prop_assume!(first <= HORIZON);
            prop_assert!(first >= nanos && axis.read(Timestamp::from_nanos(first)).floor >= reading.ceil);
            if first > 0 {
                prop_assert!(axis.read(Timestamp::from_nanos(first - 1)).floor < reading.ceil);
            }
        }
    }
}
