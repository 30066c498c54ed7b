//! A moment on a clock's axis.

use std::ops::Add;
use std::time::Duration;

/// A moment: whole nanoseconds since the origin of the clock that read it.
///
/// Moments of one clock compare and subtract; moments of different clocks have nothing to do with
/// each other. The engine looks at the first [`Timestamp::HORIZON`] of an axis (36.5 years); a
/// later reading counts as the horizon, at which nothing refills any more and nothing is minted.
///
/// ```
/// use catraca::Timestamp;
/// use std::time::Duration;
///
/// let start = Timestamp::ZERO + Duration::from_secs(1);
/// assert_eq!(start.as_nanos(), 1_000_000_000);
/// assert_eq!(start.since(Timestamp::ZERO), Duration::from_secs(1));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(u64);

impl Timestamp {
    /// The origin of the axis. Every bucket is full here.
    pub const ZERO: Timestamp = Timestamp(0);

    /// The last moment that the engine tells from later ones: 2^60 - 1 nanoseconds, 36.5 years.
    pub const HORIZON: Timestamp = Timestamp((1 << 60) - 1);

    /// The moment `nanos` nanoseconds after the origin.
    #[must_use]
    pub const fn from_nanos(nanos: u64) -> Timestamp {
        Timestamp(nanos)
    }

    /// Nanoseconds since the origin.
    #[must_use]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// The time from `earlier` to this moment; zero if `earlier` is the later one.
    #[must_use]
    pub const fn since(self, earlier: Timestamp) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Duration> for Timestamp {
    type Output = Timestamp;

    /// Saturates at the end of the axis (2^64 - 1 nanoseconds).
    fn add(self, wait: Duration) -> Timestamp {
        let nanos = u64::try_from(wait.as_nanos()).unwrap_or(u64::MAX);
        Timestamp(self.0.saturating_add(nanos))
    }
}
