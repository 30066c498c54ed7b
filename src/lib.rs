//! **catraca** decides whether one more request may pass: exactly, in bounded memory, in nanoseconds.
//!
//! ```
//! use catraca::{Limiter, Rate};
//!
//! let limiter = Limiter::<str>::new(Rate::per_second(5).burst(10)?, 100_000);
//! let decision = limiter.check("203.0.113.7");
//! if !decision.is_allowed() {
//!     println!("{decision}"); // denied: 1 asked, 0 of 10 left; retry in 200ms
//! }
//! # Ok::<(), catraca::QuotaError>(())
//! ```
//!
//! - A [`Quota`] is a [`Rate`] and a capacity: a token bucket. It is exact, and checked once.
//! - A [`Bucket`] is one limit for everybody; a [`Limiter`] has a bucket for each key.
//! - A [`Decision`] says whether, why not, what is left, and how long to wait.
//! - A [`Clock`] says what time it is; `_at` twins of every method take a [`Timestamp`] instead.
//!
//! # What is promised
//! 1. **Exact.** Whatever threads, clocks and keys do, never more passes than the token bucket admits. Never less,
//!    but for a bucket that a crowded table made start with another's debt, which is counted. The wait that a denial
//!    names is exact to the nanosecond. Rates whose fixed point is finer than the word can hold are late by up to
//!    two ticks, each a part of a token that the word can just tell apart; whole tokens per second, minute, hour or day
//!    at whole-microsecond readings are not late at all, up to some hundred a second, and far beyond where the numbers divide well.
//! 2. **Bounded.** Memory is taken when a limiter is made. Deciding neither allocates, locks, nor calls the system.
//! 3. **Fast.** A decision is a clock read, a hash, one pair of cache lines and at most one compare-and-swap.
//!    A denial writes nothing.
//!
//! How it works, and why that can be believed, is in [`internals`].

mod axis;
mod bucket;
mod builder;
mod clock;
mod counters;
mod decision;
pub mod internals;
mod limiter;
#[cfg(catraca_loom)]
pub mod model;
mod prefetch;
mod quota;
mod rate;
mod sync;
mod table;
mod timestamp;
mod word;

pub use bucket::Bucket;
pub use builder::{LimiterBuilder, TableError};
pub use clock::{Clock, ClockSource, CoarseClock, ManualClock, Monotone, MonotonicClock, SystemClock};
pub use counters::Counters;
pub use decision::{Decision, Denial, RetryAfter};
pub use limiter::{KeyHash, Limiter, OnFull};
pub use quota::{Quota, QuotaError, QuotaParseError};
pub use rate::{Rate, RateParseError};
pub use timestamp::Timestamp;

/// The README's examples run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
