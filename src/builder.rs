//! How a limiter is made when the defaults do not fit.

use std::fmt;
use std::marker::PhantomData;

use crate::clock::MonotonicClock;
use crate::limiter::{Limiter, OnFull};
use crate::quota::Quota;
use crate::table::Table;

/// Makes a [`Limiter`].
///
/// ```
/// use catraca::{Limiter, ManualClock, OnFull, Rate};
///
/// let quota = Rate::per_minute(100).burst(20)?;
/// let limiter = Limiter::<u64>::builder(quota, 1_000_000)
///     .on_full(OnFull::Deny)
///     .clock(ManualClock::new())
///     .build()?;
/// assert!(limiter.check(&42).is_allowed());
/// assert!(limiter.memory() < 26_000_000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub struct LimiterBuilder<K: ?Sized, C = MonotonicClock, S = ahash::RandomState> {
    quota: Quota,
    keys: usize,
    on_full: OnFull,
    clock: C,
    hasher: S,
    types: PhantomData<fn(&K)>,
}

impl<K: ?Sized> LimiterBuilder<K> {
    pub(crate) fn new(quota: Quota, keys: usize) -> LimiterBuilder<K> {
        let hasher = ahash::RandomState::new();
        LimiterBuilder { quota, keys, on_full: OnFull::default(), clock: MonotonicClock, hasher, types: PhantomData }
    }
}

impl<K: ?Sized, C, S> LimiterBuilder<K, C, S> {
    /// What becomes of a new key in a full set; [`OnFull::Inherit`] unless said.
    pub fn on_full(self, on_full: OnFull) -> LimiterBuilder<K, C, S> {
        LimiterBuilder { on_full, ..self }
    }

    /// The clock that decisions without a moment of their own read; [`MonotonicClock`] unless said.
    pub fn clock<D>(self, clock: D) -> LimiterBuilder<K, D, S> {
        let LimiterBuilder { quota, keys, on_full, hasher, types, .. } = self;
        LimiterBuilder { quota, keys, on_full, clock, hasher, types }
    }

    /// The hasher of keys; aHash with random keys unless said. All 64 bits of the hash are used. With a
    /// hasher whose output callers can guess, they can choose to share a bucket.
    pub fn hasher<T>(self, hasher: T) -> LimiterBuilder<K, C, T> {
        let LimiterBuilder { quota, keys, on_full, clock, types, .. } = self;
        LimiterBuilder { quota, keys, on_full, clock, hasher, types }
    }

    /// Makes the limiter, and takes all the memory it will ever use: 128 bytes for every five keys.
    ///
    /// # Errors
    /// More keys than a hash can tell apart, or more memory than there is.
    pub fn build(self) -> Result<Limiter<K, C, S>, TableError> {
        let LimiterBuilder { quota, keys, on_full, clock, hasher, .. } = self;
        if keys > MOST_KEYS {
            return Err(TableError::TooManyKeys { keys });
        }
        let table = Table::new(keys).map_err(|_| TableError::NoMemory { keys })?;
        Ok(Limiter::with(table, quota, on_full, clock, hasher))
    }
}

/// 2^32 sets are picked by 32 bits of a hash.
const MOST_KEYS: usize = (1 << 32) * crate::table::KEYS_PER_SET;

/// Why a table could not be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TableError {
    /// More keys than a hash can tell apart.
    TooManyKeys {
        /// The keys that were asked for.
        keys: usize,
    },
    /// More memory than the allocator gives.
    NoMemory {
        /// The keys that were asked for.
        keys: usize,
    },
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManyKeys { keys } => write!(f, "a table for {keys} keys is too large; the most is {MOST_KEYS}"),
            Self::NoMemory { keys } => {
                write!(f, "there is no memory for a table of {keys} keys, at 128 bytes for every 5")
            }
        }
    }
}

impl std::error::Error for TableError {}
