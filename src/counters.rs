//! What happened to the slots of a table. Counted where a key comes or is turned away, never on a hit.

use crossbeam_utils::CachePadded;

use crate::axis::Reading;
use crate::sync::Ordering::Relaxed;
use crate::sync::plain::AtomicU64;
use crate::word::Word;

/// Sets of a table share this many stripes, so that floods from several threads rarely meet on a line.
const STRIPES: usize = 16;

/// How a limiter's table has been used since it was made. A snapshot: numbers that change while
/// they are read may be apart by what happened meanwhile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Buckets made for keys that had none.
    pub inserted: u64,
    /// Of those, the ones that took the slot of a bucket that had become full again, which nobody can tell.
    pub recycled: u64,
    /// Of those, the ones that found every slot of their set owing and inherited the least debt.
    pub inherited: u64,
    /// Decisions that denied a key without a bucket, on the least debt of a set in which every slot owes.
    pub denied_on_debt: u64,
    /// Decisions for keys that found no slot, under [`OnFull::Deny`](crate::OnFull::Deny) or
    /// [`OnFull::Allow`](crate::OnFull::Allow).
    pub no_room: u64,
}

impl Counters {
    /// Slots that hold a bucket, full ones included.
    #[must_use]
    pub fn occupied(&self) -> u64 {
        self.inserted.saturating_sub(self.recycled).saturating_sub(self.inherited)
    }
}

#[derive(Default)]
pub(crate) struct Striped {
    stripes: [CachePadded<Stripe>; STRIPES],
}

#[derive(Default)]
pub(crate) struct Stripe {
    inserted: AtomicU64,
    recycled: AtomicU64,
    inherited: AtomicU64,
    denied_on_debt: AtomicU64,
    no_room: AtomicU64,
}

impl Striped {
    #[inline]
    pub(crate) fn stripe(&self, set: usize) -> &Stripe {
        &self.stripes[set % STRIPES]
    }

    pub(crate) fn sum(&self) -> Counters {
        // Relaxed: statistics; they order nothing.
        let sum = |of: fn(&Stripe) -> &AtomicU64| self.stripes.iter().map(|stripe| of(stripe).load(Relaxed)).sum();
        Counters {
            inserted: sum(|stripe| &stripe.inserted),
            recycled: sum(|stripe| &stripe.recycled),
            inherited: sum(|stripe| &stripe.inherited),
            denied_on_debt: sum(|stripe| &stripe.denied_on_debt),
            no_room: sum(|stripe| &stripe.no_room),
        }
    }
}

impl Stripe {
    /// A bucket was made in a slot that held `word`.
    pub(crate) fn inserted(&self, word: Word, now: Reading) {
        add(&self.inserted);
        // Not only a live word: a slot may have been vacated by an insert that then lost its race.
        if word != Word::ZERO {
            add(if word.is_expired(now) { &self.recycled } else { &self.inherited });
        }
    }

    /// A key was denied on the debt that it would have inherited.
    pub(crate) fn denied_on_debt(&self) {
        add(&self.denied_on_debt);
    }

    /// A key found no slot.
    pub(crate) fn no_room(&self) {
        add(&self.no_room);
    }
}

fn add(counter: &AtomicU64) {
    // Relaxed: a statistic; it orders nothing.
    counter.fetch_add(1, Relaxed);
}
