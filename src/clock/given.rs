//! Clocks that show what they were given.

use std::time::Duration;

use super::Clock;
use crate::sync::Ordering::Relaxed;
use crate::sync::plain::AtomicU64;
use crate::timestamp::Timestamp;

/// A clock that shows the last reading somebody took of another one.
///
/// For loops that handle many requests per turn: [`refresh`](CoarseClock::refresh) once a turn, and
/// every decision in between reads a number from memory. A reading is stale by at most the time between two
/// refreshes; a limiter then refills late by as much, and never early.
///
/// ```
/// use catraca::{Clock, CoarseClock, ManualClock};
/// use std::time::Duration;
///
/// let clock = CoarseClock::new(ManualClock::new());
/// clock.inner().advance(Duration::from_millis(5));
/// assert_eq!(clock.now().as_nanos(), 0);
/// clock.refresh();
/// assert_eq!(clock.now().as_nanos(), 5_000_000);
/// ```
#[derive(Debug, Default)]
pub struct CoarseClock<C> {
    inner: C,
    shown: AtomicU64,
}

impl<C: Clock> CoarseClock<C> {
    /// A coarse view of `inner`, read once now.
    pub fn new(inner: C) -> CoarseClock<C> {
        let shown = AtomicU64::new(inner.now().as_nanos());
        CoarseClock { inner, shown }
    }

    /// Reads the inner clock and shows the result from now on, unless a later one is shown already.
    pub fn refresh(&self) -> Timestamp {
        let now = self.inner.now().as_nanos();
        // Relaxed: a lone number; a reader that misses it is stale, which is what a coarse clock is.
        Timestamp::from_nanos(self.shown.fetch_max(now, Relaxed).max(now))
    }

    /// The clock behind.
    pub fn inner(&self) -> &C {
        &self.inner
    }
}

impl<C> Clock for CoarseClock<C> {
    #[inline]
    fn now(&self) -> Timestamp {
        // Relaxed: a lone number that publishes nothing else.
        Timestamp::from_nanos(self.shown.load(Relaxed))
    }
}

/// A clock that stands still until it is told to move, in either direction. For tests.
///
/// ```
/// use catraca::{Bucket, ManualClock, Rate};
/// use std::time::Duration;
///
/// let clock = ManualClock::new();
/// let bucket = Bucket::with_clock(Rate::per_second(1).burst(1)?, &clock);
/// assert!(bucket.check().is_allowed());
/// assert!(!bucket.check().is_allowed());
/// clock.advance(Duration::from_secs(1));
/// assert!(bucket.check().is_allowed());
/// # Ok::<(), catraca::QuotaError>(())
/// ```
#[derive(Debug, Default)]
pub struct ManualClock {
    nanos: AtomicU64,
}

impl ManualClock {
    /// A clock at [`Timestamp::ZERO`].
    #[must_use]
    pub const fn new() -> ManualClock {
        ManualClock { nanos: AtomicU64::new(0) }
    }

    /// Moves on by `step`; stops at the end of the axis.
    pub fn advance(&self, step: Duration) {
        // Relaxed: a lone number. Two threads that advance at once may advance as one.
        self.set(Timestamp::from_nanos(self.nanos.load(Relaxed)) + step);
    }

    /// Moves to `now`, forward or back.
    pub fn set(&self, now: Timestamp) {
        // Relaxed: a lone number that publishes nothing else.
        self.nanos.store(now.as_nanos(), Relaxed);
    }
}

impl Clock for ManualClock {
    #[inline]
    fn now(&self) -> Timestamp {
        // Relaxed: a lone number that publishes nothing else.
        Timestamp::from_nanos(self.nanos.load(Relaxed))
    }
}

/// A clock that stands still while the one behind it runs back.
///
/// It shows the highest reading so far, over all threads. That costs a write to one shared line at
/// each reading, so put it over clocks that need it: one set by hand or by the network, or one that differs between
/// threads. The mirror hazard stays: after a jump forward that is undone, it stands still until time catches up.
///
/// ```
/// use catraca::{Clock, ManualClock, Monotone, Timestamp};
///
/// let clock = Monotone::new(ManualClock::new());
/// clock.inner().set(Timestamp::from_nanos(100));
/// assert_eq!(clock.now().as_nanos(), 100);
/// clock.inner().set(Timestamp::from_nanos(89));
/// assert_eq!(clock.now().as_nanos(), 100);
/// ```
#[derive(Debug, Default)]
pub struct Monotone<C> {
    inner: C,
    highest: AtomicU64,
}

impl<C: Clock> Monotone<C> {
    /// A view of `inner` that never runs back.
    pub fn new(inner: C) -> Monotone<C> {
        Monotone { inner, highest: AtomicU64::new(0) }
    }

    /// The clock behind.
    pub fn inner(&self) -> &C {
        &self.inner
    }
}

impl<C: Clock> Clock for Monotone<C> {
    fn now(&self) -> Timestamp {
        let now = self.inner.now().as_nanos();
        // Relaxed: the order of changes to this one word is all that "highest so far" needs.
        Timestamp::from_nanos(self.highest.fetch_max(now, Relaxed).max(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coarse_never_shows_an_earlier_reading() {
        let clock = CoarseClock::new(ManualClock::new());
        clock.inner().set(Timestamp::from_nanos(10));
        assert_eq!(clock.refresh().as_nanos(), 10);
        clock.inner().set(Timestamp::from_nanos(4));
        assert_eq!(clock.refresh().as_nanos(), 10);
        assert_eq!(clock.now().as_nanos(), 10);
    }

    #[test]
    fn manual_stops_at_the_end_of_the_axis() {
        let clock = ManualClock::new();
        clock.advance(Duration::MAX);
        clock.advance(Duration::from_secs(1));
        assert_eq!(clock.now().as_nanos(), u64::MAX);
    }
}
