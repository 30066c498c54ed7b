//! Clocks that read the machine, all on one axis that starts when the first of them is read.

use std::sync::LazyLock;
use std::time::Instant;

use super::Clock;
use crate::sync::Ordering::{Acquire, Relaxed, Release};
use crate::sync::plain::{AtomicBool, AtomicU64};
use crate::timestamp::Timestamp;

/// The default clock: the processor's time stamp counter where it can be trusted, else the system's
/// monotonic clock. Never earlier than a reading it gave before on the same thread.
///
/// All of them in a process share one axis, so their timestamps compare. Which source is used is
/// decided at the first reading, which takes some milliseconds; take it at start-up:
/// [`MonotonicClock::source`] does. The counter is used if the processor declares it invariant, on Linux if the
/// kernel has not struck it from its list of clock sources, and if threads that hand it to one another never
/// see it go back by more than a microsecond. A smaller skew costs the thread that lags that much refill.
///
/// ```
/// use catraca::{Clock, MonotonicClock};
///
/// let clock = MonotonicClock;
/// let before = clock.now();
/// assert!(clock.now() >= before);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct MonotonicClock;

/// What [`MonotonicClock`] reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClockSource {
    /// The processor's counter (the TSC on x86-64, the system counter on AArch64).
    Counter,
    /// The system's monotonic clock.
    System,
}

impl MonotonicClock {
    /// What this clock reads on this machine.
    pub fn source() -> ClockSource {
        match &*MACHINE {
            Machine { counter: Some(_), .. } => ClockSource::Counter,
            Machine { counter: None, .. } => ClockSource::System,
        }
    }
}

impl Clock for MonotonicClock {
    #[inline]
    fn now(&self) -> Timestamp {
        let machine = &*MACHINE;
        match &machine.counter {
            Some(counter) => counter.now(),
            None => machine.system(),
        }
    }
}

/// The system's monotonic clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        MACHINE.system()
    }
}

struct Machine {
    counter: Option<Counter>,
    start: Instant,
}

static MACHINE: LazyLock<Machine> = LazyLock::new(|| {
    let counter = Counter::trusted();
    Machine { counter, start: Instant::now() }
});

impl Machine {
    fn system(&self) -> Timestamp {
        let nanos = self.start.elapsed().as_nanos();
        Timestamp::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}

/// The processor's counter, scaled.
struct Counter {
    clock: quanta::Clock,
    start: u64,
}

impl Counter {
    fn trusted() -> Option<Counter> {
        if !kernel_trusts_counter() {
            return None;
        }
        // Falls back to the system's clock by itself where the processor has no invariant counter.
        let clock = quanta::Clock::new();
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let microsecond = raw_per_microsecond(&clock);
        if !never_runs_back(|| clock.raw(), threads.min(8), microsecond) {
            return None;
        }
        let start = clock.raw();
        Some(Counter { clock, start })
    }

    #[inline]
    fn now(&self) -> Timestamp {
        Timestamp::from_nanos(self.clock.delta_as_nanos(self.start, self.clock.raw()))
    }
}

/// Linux drops a counter that it found to be unstable from its list. Elsewhere there is no such list.
fn kernel_trusts_counter() -> bool {
    match std::fs::read_to_string("/sys/devices/system/clocksource/clocksource0/available_clocksource") {
        Ok(sources) => !cfg!(target_arch = "x86_64") || sources.split_whitespace().any(|source| source == "tsc"),
        Err(_) => true,
    }
}

/// Raw counts in a microsecond, at least 1.
fn raw_per_microsecond(clock: &quanta::Clock) -> u64 {
    const SAMPLE: u64 = 1 << 32;
    // Down: SAMPLE counts last at least a few thousand nanoseconds on any counter.
    (SAMPLE * 1_000 / clock.delta_as_nanos(0, SAMPLE).max(1)).max(1)
}

/// Whether threads that pass readings to one another see them rise, give or take `tolerance`.
fn never_runs_back(read: impl Fn() -> u64 + Sync, threads: usize, tolerance: u64) -> bool {
    const ROUNDS: usize = 2_000;
    let (latest, ran_back) = (AtomicU64::new(0), AtomicBool::new(false));
    let started = AtomicU64::new(0);
    let pass = || {
        // Relaxed: only so that the threads overlap; the patience is bounded, in case one never starts.
        started.fetch_add(1, Relaxed);
        (0..1_000_000).take_while(|_| started.load(Relaxed) < threads as u64).for_each(|_| std::hint::spin_loop());
        for _ in 0..ROUNDS {
            // Acquire: pairs with the Release below, so that the reading is taken after the one it is held against.
            let seen = latest.load(Acquire);
            let now = read();
            if now.saturating_add(tolerance) < seen {
                // Relaxed: read after the threads were joined.
                ran_back.store(true, Relaxed);
            }
            // Release: pairs with the Acquire above.
            latest.fetch_max(now, Release);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // Where no thread can be had, fewer cores are checked.
            let _ = std::thread::Builder::new().spawn_scoped(scope, pass);
        }
        pass();
    });
    // Relaxed: ordered by the joins.
    !ran_back.load(Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_that_runs_back_is_found_out() {
        // Every other reading lags, as on a machine whose threads change cores.
        let clock = AtomicU64::new(1 << 32);
        let skewed = || {
            let now = clock.fetch_add(1, Relaxed);
            now - (now & 1) * 10_000
        };
        assert!(!never_runs_back(skewed, 2, 1_000));
        assert!(never_runs_back(skewed, 2, 20_000));
        let clock = AtomicU64::new(0);
        assert!(never_runs_back(|| clock.fetch_add(1, Relaxed), 2, 10_000));
    }

    #[test]
    fn both_sources_share_an_axis() {
        let (counter, system) = (MonotonicClock.now(), SystemClock.now());
        let apart = counter.since(system).max(system.since(counter));
        assert!(apart.as_secs() < 60, "{counter:?} and {system:?}");
    }
}
