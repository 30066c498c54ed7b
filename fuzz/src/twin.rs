//! A bucket of the engine held against its oracle, decision by decision.
//!
//! Where every admission fell on a tick, or found the bucket less than full, the two are equal in
//! everything that a decision tells. Elsewhere the engine has rounded one admission up to the next tick, and
//! from then on it is late by less than a tick: never early, and never by more.

use catraca::{Decision, Denial, Quota, RetryAfter, Timestamp};

use crate::lattice::Lattice;
use crate::oracle::Oracle;
use crate::tally::Tally;

/// An oracle that was fed a bucket's admissions, and knows whether the bucket has rounded any.
#[derive(Clone, Copy, Debug)]
pub struct Twin {
    oracle: Oracle,
    lattice: Lattice,
    capacity: u64,
    /// Whether the bucket is the oracle's to the last part, not only to the last tick.
    is_exact: bool,
}

impl Twin {
    /// The twin of a new bucket.
    #[must_use]
    pub fn new(quota: &Quota) -> Twin {
        Twin::of(Oracle::new(quota), quota)
    }

    /// The twin of a bucket that equals this oracle.
    #[must_use]
    pub fn of(oracle: Oracle, quota: &Quota) -> Twin {
        Twin { oracle, lattice: Lattice::of(quota), capacity: quota.capacity(), is_exact: true }
    }

    /// The oracle as it stands.
    #[must_use]
    pub fn oracle(&self) -> &Oracle {
        &self.oracle
    }

    /// Feeds an admission to the oracle, which must have let it pass too: whatever the clock did before.
    pub fn admit(&mut self, cost: u64, now: Timestamp) {
        let parts = self.oracle.parts_of(cost);
        let there = self.oracle.parts_at(now);
        assert!(there >= parts, "{cost} passed at {now:?} with {there} of {parts} parts there: {self:?}");
        let past_full = self.oracle.unbounded_at(now) - self.oracle.full();
        let tick = self.lattice.ticks(1);
        if !self.lattice.is_on_tick(now) {
            // A bucket less than full by a tick and more does not look at the rounded reading.
            self.is_exact &= past_full <= -tick;
        } else if past_full >= tick {
            self.is_exact = true; // full on either count, at a reading that both count alike
        }
        self.oracle.take(parts, now);
    }

    /// Holds a decision against the oracle, and feeds it what was paid.
    pub fn judge(&mut self, decision: &Decision, cost: u64, now: Timestamp, tally: &mut Tally) {
        match decision.denial() {
            None => {
                tally.allowed += 1;
                if cost > 0 {
                    self.admit(cost, now);
                }
            }
            Some(Denial::Insufficient) => {
                tally.denied += 1;
                assert!(cost <= self.capacity, "{cost} can never pass, yet: {decision}");
                let surplus = self.oracle.documented_at(now) - self.oracle.parts_of(cost);
                let allowance = if self.is_exact { 0 } else { self.lattice.ticks(1) };
                assert!(surplus < allowance, "late by {surplus} parts at {now:?}: {decision}; {self:?}");
                tally.late += u64::from(surplus >= 0);
            }
            Some(Denial::ExceedsCapacity) => {
                tally.denied += 1;
                assert!(cost > self.capacity, "{cost} could pass one day, yet: {decision}");
            }
            Some(other) => panic!("{other:?} of a bucket: {decision}"),
        }
        self.told(decision, cost, now);
        *if self.is_exact { &mut tally.exact } else { &mut tally.bounded } += 1;
    }

    /// Holds what a decision tells against the state that it left behind.
    fn told(&self, decision: &Decision, cost: u64, now: Timestamp) {
        assert_eq!((decision.limit(), decision.cost()), (self.capacity, cost), "{decision}");
        let parts = self.oracle.documented_at(now);
        let slack = match (self.is_exact, self.lattice.is_on_tick(now)) {
            (true, true) => 0,
            (true, false) => self.lattice.ticks(1), // the reading is rounded down
            (false, _) => self.lattice.ticks(2),    // and an admission was rounded up
        };
        let (least, most) = (self.oracle.whole(parts - slack), self.oracle.whole(parts));
        let remaining = decision.remaining();
        assert!((least..=most).contains(&remaining), "{remaining} left, not {least} to {most}: {decision}; {self:?}");

        let (least, most) = self.wait(self.oracle.full(), now);
        let reset = decision.reset_after().as_nanos();
        assert!((least..=most).contains(&reset), "full after {reset} ns, not {least} to {most}: {decision}; {self:?}");

        match (decision.denial(), decision.retry_after()) {
            (None, RetryAfter::Now) | (Some(Denial::ExceedsCapacity), RetryAfter::Never) => {}
            (Some(Denial::Insufficient), RetryAfter::After(wait)) => {
                let (least, most) = self.wait(self.oracle.parts_of(cost), now);
                let wait = wait.as_nanos();
                assert!((least..=most).contains(&wait), "{wait} ns, not {least} to {most}: {decision}; {self:?}");
            }
            (Some(Denial::Insufficient), RetryAfter::Never) => {
                let (_, most) = self.wait(self.oracle.parts_of(cost), Timestamp::ZERO);
                assert!(most > u128::from(Timestamp::HORIZON.as_nanos()), "one day, yet: {decision}; {self:?}");
            }
            (denial, retry) => panic!("{denial:?} with {retry:?}: {decision}"),
        }
        let shown = decision.to_string();
        assert!(shown.starts_with(if decision.is_allowed() { "allowed: " } else { "denied: " }), "{shown}");
    }

    /// The shortest and the longest wait from `now`, in nanoseconds, that may be told for so many parts. What lies
    /// behind, or beyond the end of a timestamp, is told as that.
    fn wait(&self, parts: i128, now: Timestamp) -> (u128, u128) {
        let from = self.oracle.holds_from(parts);
        let late = if self.is_exact { 0 } else { self.lattice.nanos() };
        let wait = |moment: u64| u128::from(moment.saturating_sub(now.as_nanos()));
        (wait(from), wait(from.saturating_add(late)))
    }
}

/// Holds a denial to its word: the wait that it names lets the same request pass, and a nanosecond less
/// does not. `peek` asks again at another moment.
pub fn keeps_its_word(decision: &Decision, now: Timestamp, tally: &mut Tally, peek: impl Fn(Timestamp) -> Decision) {
    let RetryAfter::After(wait) = decision.retry_after() else { return };
    let then = now + wait;
    if then > Timestamp::HORIZON {
        return; // beyond, nothing refills
    }
    assert!(!wait.is_zero(), "denied with no wait at {now:?}: {decision}");
    assert!(peek(then).is_allowed(), "still not at {then:?}: {}", peek(then));
    let before = Timestamp::from_nanos(then.as_nanos() - 1);
    assert!(!peek(before).is_allowed(), "already at {before:?}: {}", peek(before));
    tally.waits += 1;
}
