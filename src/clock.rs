//! Where moments come from. Nothing else in the engine reads a clock.
//!
//! | clock | reads | cost | use it |
//! |---|---|---|---|
//! | [`MonotonicClock`] | the TSC where it can be trusted, else the system | 6 to 10 ns, or 20 to 30 | by default |
//! | [`SystemClock`] | the system's monotonic clock | 20 to 30 ns | where the TSC must not be used |
//! | [`CoarseClock`] | a number that you refresh | under 1 ns | in event loops |
//! | [`ManualClock`] | what you set | under 1 ns | in tests |
//! | [`Monotone`] | another clock, held at the highest reading so far | one shared write | over a clock that runs back |
//!
//! # Caveats
//! - A clock that runs back never mints a token: a stale reading sees what the bucket held when it
//!   was last spent from, less what refilled since that reading, and a denial may come early by as much as the
//!   clock ran back. Wrap such a clock in [`Monotone`] to have it stand still instead.
//! - The TSC is scaled to nanoseconds once, at first use, against the system's clock; the two drift apart by
//!   a few parts in a million from then on, and the TSC is not slewed by NTP.
//! - Neither clock is required to run while the machine is suspended; on Linux they do not. A limit
//!   of 10 an hour is then an hour of the machine's waking time.

mod given;
mod machine;

use std::sync::Arc;

pub use given::{CoarseClock, ManualClock, Monotone};
pub use machine::{ClockSource, MonotonicClock, SystemClock};

use crate::timestamp::Timestamp;

/// A source of moments.
///
/// An implementation should be cheap, must not panic, and had better not run back; if it does, no limiter
/// admits more for it.
///
/// ```
/// use catraca::{Clock, Timestamp};
///
/// /// A clock that ticks with the frames of a simulation.
/// struct Frames(std::cell::Cell<u64>);
///
/// impl Clock for Frames {
///     fn now(&self) -> Timestamp {
///         Timestamp::from_nanos(self.0.get() * 16_666_667)
///     }
/// }
/// ```
pub trait Clock {
    /// The present moment.
    fn now(&self) -> Timestamp;
}

impl<C: Clock + ?Sized> Clock for &C {
    #[inline]
    fn now(&self) -> Timestamp {
        (**self).now()
    }
}

impl<C: Clock + ?Sized> Clock for Arc<C> {
    #[inline]
    fn now(&self) -> Timestamp {
        (**self).now()
    }
}
