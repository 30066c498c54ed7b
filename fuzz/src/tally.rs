//! What a run went through, so that no property is kept for want of occasions to break it.

use std::ops::AddAssign;

/// Occasions counted by the properties.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Inputs that said something.
    pub inputs: u64,
    /// Texts or numbers that made a quota.
    pub accepted: u64,
    /// Texts or numbers that did not.
    pub refused: u64,
    /// Decisions that were held equal to the oracle's.
    pub exact: u64,
    /// Decisions that were held between two bounds.
    pub bounded: u64,
    /// Of the denied, those that the oracle would have let pass, by less than a tick.
    pub late: u64,
    /// Decisions that let pass.
    pub allowed: u64,
    /// Decisions that did not.
    pub denied: u64,
    /// Decisions at a reading before the last admission.
    pub stale: u64,
    /// Waits that were found exact to the nanosecond.
    pub waits: u64,
    /// Buckets that took the slot of a full one.
    pub recycled: u64,
    /// Buckets that started with another's debt.
    pub inherited: u64,
    /// Keys that found no slot and were denied.
    pub turned_away: u64,
    /// Keys that found no slot and passed.
    pub unlimited: u64,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        let sums = [
            (&mut self.inputs, other.inputs),
            (&mut self.accepted, other.accepted),
            (&mut self.refused, other.refused),
            (&mut self.exact, other.exact),
            (&mut self.bounded, other.bounded),
            (&mut self.late, other.late),
            (&mut self.allowed, other.allowed),
            (&mut self.denied, other.denied),
            (&mut self.stale, other.stale),
            (&mut self.waits, other.waits),
            (&mut self.recycled, other.recycled),
            (&mut self.inherited, other.inherited),
            (&mut self.turned_away, other.turned_away),
            (&mut self.unlimited, other.unlimited),
        ];
        for (sum, count) in sums {
            *sum += count;
        }
    }
}
