//! The packed word of a bucket and its pure transitions: no atomics, no clock.
//!
//! A bucket is two numbers, tokens and the moment of the last refill. On the [`axis`](crate::axis)
//! they collapse into one, the tick at which the bucket will be full again:
//!
//! ```text
//! word        = full_at << 1 | LIVE
//! tokens(now) = full - max(0, full_at - now)
//! admit cost  iff  max(full_at, now) + cost <= now + full
//! then             full_at' = max(full_at, now) + cost
//! ```
//!
//! That is the generic cell rate algorithm's "theoretical arrival time" (ITU-T I.371), and the same
//! set of admissions as the token bucket's two-number form.
//!
//! **A word only grows.** A debit adds at least a tick, a slot that is vacated adds one, a bucket
//! that goes live starts at or above what its slot held. So no value ever recurs, a compare-and-swap
//! succeeds only on the very word that was examined, zeroed memory is a full bucket, and a clock
//! that runs back refills nothing and mints nothing.
//!
//! **Rounding.** The right side of the comparison takes the reading rounded down, the new word the
//! reading rounded up: never a token early.

use crate::axis::Reading;

const LIVE: u64 = 1;

/// A snapshot of a bucket's word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Word(u64);

/// What a word answers to a debit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub(crate) enum Debit {
    /// Admitted, if the word becomes this one.
    Allowed(Word),
    /// Too few tokens. Nothing is to be written.
    Denied,
}

impl Word {
    /// The zeroed word: no bucket here yet, the next one starts full.
    pub(crate) const ZERO: Word = Word(0);

    /// A live bucket, full at the origin of the axis.
    pub(crate) const FULL: Word = Word(LIVE);

    #[inline]
    pub(crate) const fn from_bits(bits: u64) -> Word {
        Word(bits)
    }

    #[inline]
    pub(crate) const fn bits(self) -> u64 {
        self.0
    }

    /// A live word of a bucket that is full at this tick.
    #[inline]
    pub(crate) const fn live(full_at: u64) -> Word {
        Word(full_at << 1 | LIVE)
    }

    /// The tick at which the bucket is full again.
    #[inline]
    pub(crate) const fn full_at(self) -> u64 {
        self.0 >> 1
    }

    #[inline]
    pub(crate) const fn is_live(self) -> bool {
        self.0 & LIVE != 0
    }

    /// The live word vacated: one more, so that whatever goes live here next is greater than all before.
    #[inline]
    pub(crate) const fn vacated(self) -> Word {
        debug_assert!(self.is_live());
        Word(self.0 + 1)
    }

    /// The vacant word brought to life as it is, debt and all.
    #[inline]
    pub(crate) const fn revived(self) -> Word {
        debug_assert!(!self.is_live());
        Word(self.0 | LIVE)
    }

    /// Whether a bucket in this slot is full and stays so when the slot is vacated, so that it
    /// can make room and no one can tell. Strict, since vacating adds a tick.
    #[inline]
    pub(crate) const fn is_expired(self, now: Reading) -> bool {
        self.full_at() < now.floor
    }

    /// Takes `cost` ticks, more than 0 and at most `full`, out of this bucket.
    ///
    /// The result is live; from a vacant word it is the newcomer's, who starts with what its slot still owes.
    #[inline]
    pub(crate) fn debit(self, now: Reading, cost: u64, full: u64) -> Debit {
        let full_at = self.full_at();
        // No sum overflows: `Axis` keeps the horizon plus a full bucket below 2^63.
        if full_at.max(now.floor) + cost <= now.floor + full {
            Debit::Allowed(Word::live(full_at.max(now.ceil) + cost))
        } else {
            Debit::Denied
        }
    }

    /// Ticks in the bucket. A stale reading sees fewer than there are, and never less than 0.
    #[inline]
    pub(crate) fn ticks(self, now: Reading, full: u64) -> u64 {
        full.saturating_sub(self.full_at().saturating_sub(now.floor))
    }

    /// The first tick at which `cost` passes, if nobody spends in between.
    #[inline]
    pub(crate) fn admits_at(self, cost: u64, full: u64) -> u64 {
        (self.full_at() + cost).saturating_sub(full)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(floor: u64) -> Reading {
        Reading { floor, ceil: floor }
    }

    #[test]
    fn a_word_is_eight_bytes() {
        assert_eq!(size_of::<Word>(), 8);
    }

    #[test]
    fn zeroed_memory_is_a_full_bucket() {
        assert_eq!(Word::ZERO.ticks(at(0), 10), 10);
        assert_eq!(Word::ZERO.debit(at(0), 10, 10), Debit::Allowed(Word::live(10)));
        assert_eq!(Word::ZERO.revived(), Word::FULL);
    }

    #[test]
    fn a_reading_between_two_ticks_buys_nothing() {
        let between = Reading { floor: 100, ceil: 101 };
        let Debit::Allowed(drained) = Word::FULL.debit(between, 10, 10) else { panic!("a full bucket refused") };
        assert_eq!(drained.full_at(), 111);
        assert_eq!(drained.debit(at(101), 1, 10), Debit::Denied);
        assert!(matches!(drained.debit(at(102), 1, 10), Debit::Allowed(_)));
    }

    #[test]
    fn a_vacated_slot_never_goes_back() {
        let live = Word::live(7);
        assert!(live.vacated().bits() > live.bits() && !live.vacated().is_live());
        assert!(live.vacated().revived().bits() > live.bits());
        assert!(!live.is_expired(at(7)) && live.is_expired(at(8)));
        assert!(live.vacated().full_at() <= 8);
    }

    proptest! {
        /// The one number decides as the two numbers of the definition do, whatever the readings.
        #[test]
        fn decides_as_the_two_number_bucket(
            full in 1..1_000_u64,
            steps in prop::collection::vec((0..2_000_u64, 1..1_000_u64), 1..50),
        ) {
            let (mut word, mut tokens, mut last) = (Word::ZERO, full, 0);
            for (now, cost) in steps {
                let cost = cost.min(full);
                let seen = word;
                if now < last {
                    // Stale: the definition refills nothing; the word may only be stricter.
                    if let Debit::Allowed(next) = word.debit(at(now), cost, full) {
                        prop_assert!(tokens >= cost);
                        (word, tokens) = (next, tokens - cost);
                    }
                } else {
                    tokens = full.min(tokens + (now - last));
                    last = now;
                    prop_assert_eq!(word.ticks(at(now), full), tokens);
                    match word.debit(at(now), cost, full) {
                        Debit::Allowed(next) => {
                            prop_assert!(tokens >= cost);
                            (word, tokens) = (next, tokens - cost);
                        }
                        Debit::Denied => {
                            prop_assert!(tokens < cost);
                            let first = word.admits_at(cost, full);
                            prop_assert!(first > now && word.debit(at(first), cost, full) != Debit::Denied);
                            prop_assert_eq!(word.debit(at(first - 1), cost, full), Debit::Denied);
                        }
                    }
                }
                prop_assert!(word == seen || word.bits() > seen.bits());
            }
        }
    }
}
