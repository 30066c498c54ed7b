//! The ticks a quota is counted in, worked out again from what `src/axis.rs` documents ("Which ticks").
//!
//! The properties need them to know where the engine promises equality with the oracle and where it may be
//! late. Should the engine choose other ticks, the equalities say so.

use catraca::{Quota, Timestamp};

use crate::oracle::{fraction, gcd};

/// The largest tick that a word holds.
const LAST_TICK: u128 = (1 << 63) - 16;

/// The ticks of one quota. A tick is `den / num` nanoseconds, in lowest terms.
#[derive(Clone, Copy, Debug)]
pub struct Lattice {
    num: u128,
    den: u128,
    /// Ticks of a token.
    token: u128,
    /// Parts of a token: see [`Oracle`](crate::oracle::Oracle).
    parts: u128,
}

impl Lattice {
    /// The finest ticks that last until the horizon, in the documented order of preference.
    #[must_use]
    pub fn of(quota: &Quota) -> Lattice {
        let (p, q) = fraction(quota);
        let (p, q) = (u128::from(p), u128::from(q));
        let thinned = [1, 1_000, 1_000_000, 1_000_000_000]
            .into_iter()
            .flat_map(divisors)
            .filter(|d| q.is_multiple_of(*d))
            .map(|d| Lattice { num: p, den: d, token: q / d, parts: q });
        let binary = (0..63).rev().map(|bits| {
            let token = 1 << bits;
            let divisor = gcd(token, q);
            Lattice { num: p * (token / divisor), den: q / divisor, token, parts: q }
        });
        thinned
            .chain(binary)
            .find(|lattice| lattice.fits(quota.capacity().into()))
            .unwrap_or_else(|| panic!("no ticks hold {quota}, yet it is a quota"))
    }

    fn fits(&self, capacity: u128) -> bool {
        let horizon = u128::from(Timestamp::HORIZON.as_nanos());
        if self.num >= 1 << 64 {
            return false; // the axis keeps it in 64 bits
        }
        let span = (horizon * self.num).div_ceil(self.den);
        capacity * self.token + span <= LAST_TICK
    }

    /// Whether a reading falls on a tick, so that nothing is rounded.
    #[must_use]
    pub fn is_on_tick(&self, now: Timestamp) -> bool {
        u128::from(now.min(Timestamp::HORIZON).as_nanos()).is_multiple_of(self.den)
    }

    /// Whether every reading does.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.den == 1
    }

    /// Parts of a tick, if they are a whole number.
    #[must_use]
    pub fn tick(&self) -> Option<i128> {
        self.parts.is_multiple_of(self.token).then_some((self.parts / self.token) as i128)
    }

    /// Parts of so many ticks, rounded up: a whole number is below the one where it is below the other.
    #[must_use]
    pub fn ticks(&self, count: u128) -> i128 {
        (count * self.parts).div_ceil(self.token) as i128
    }

    /// Nanoseconds of a tick, rounded up.
    #[must_use]
    pub fn nanos(&self) -> u64 {
        u64::try_from(self.den.div_ceil(self.num)).unwrap_or(u64::MAX)
    }
}

/// The divisors of a power of ten, smallest first.
fn divisors(unit: u128) -> Vec<u128> {
    let twos = std::iter::successors(Some(1), |two| Some(two * 2)).take_while(|two| unit.is_multiple_of(*two));
    let mut all: Vec<u128> = twos
        .flat_map(|two| std::iter::successors(Some(two), |d| Some(d * 5)).take_while(|d| unit.is_multiple_of(*d)))
        .collect();
    all.sort_unstable();
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use catraca::Rate;

    #[test]
    fn divisors_of_a_thousand() {
        let expected: Vec<u128> = (1..=1_000).filter(|d| 1_000 % d == 0).collect();
        assert_eq!(divisors(1_000), expected);
    }

    #[test]
    fn where_nothing_is_rounded() -> Result<(), catraca::QuotaError> {
        for tokens in [1, 2, 7, 10, 100, 1_000, 1_000_000, 1_000_000_000] {
            assert!(Lattice::of(&Rate::per_second(tokens).burst(100)?).is_exact(), "{tokens}/s");
        }
        let odd = Lattice::of(&Rate::per_second(1_001).burst(100)?);
        assert!(!odd.is_exact());
        assert!(odd.is_on_tick(Timestamp::from_nanos(1_000)) && !odd.is_on_tick(Timestamp::from_nanos(1)));
        Ok(())
    }
}
