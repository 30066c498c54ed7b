//! Deciding: one limiter, asked line by line at the log's own time.

use ahash::RandomState;
use catraca::{Decision, Limiter, MonotonicClock, Quota, TableError};

use crate::log::moment::Moment;
use crate::replay::batch::Record;
use crate::replay::clock::{Axis, LogClock, Reading};

/// The same hash in every run, so that the same log gets the same answers even where the table is crowded.
const SEEDS: [u64; 4] = [0x6361_7472_6163_6121, 0x7265_706c_6179_2121, 0x6f6e_6520_776f_7264, 0x616e_6465_7861_6374];

/// Decides lines.
pub(crate) struct Decider {
    quota: Quota,
    keys: usize,
    limiter: Limiter<[u8], MonotonicClock, RandomState>,
    clock: LogClock,
    axis: Axis,
    /// Counted on axes that are over.
    began_short: u64,
    /// Lines decided past the end of the axis.
    pub(crate) beyond: u64,
}

/// What was decided about a line.
#[derive(Clone, Copy)]
pub(crate) struct Verdict {
    /// When, by the log's clock.
    pub(crate) at: Moment,
    /// Whether the line was stamped earlier than that.
    pub(crate) is_late: bool,
    pub(crate) decision: Decision,
}

impl Decider {
    pub(crate) fn new(quota: Quota, keys: usize) -> Result<Decider, TableError> {
        let limiter = limiter(quota, keys)?;
        let (clock, axis) = (LogClock::default(), Axis::new(quota));
        Ok(Decider { quota, keys, limiter, clock, axis, began_short: 0, beyond: 0 })
    }

    /// Decides a line.
    pub(crate) fn decide(&mut self, record: Record, caller: &[u8]) -> Result<Verdict, TableError> {
        let (at, is_late) = self.clock.advance(record.moment);
        let now = match self.axis.read(at) {
            Reading::On(now) => now,
            Reading::Anew(now) => {
                self.began_short = self.began_short();
                self.limiter = limiter(self.quota, self.keys)?;
                now
            }
            Reading::Beyond(now) => {
                self.beyond += 1;
                now
            }
        };
        Ok(Verdict { at, is_late, decision: self.limiter.check_n_at(caller, record.cost, now) })
    }

    /// How often a caller found the table crowded and was decided on another's debt.
    pub(crate) fn began_short(&self) -> u64 {
        let counters = self.limiter.counters();
        self.began_short + counters.inherited + counters.denied_on_debt
    }

    /// Bytes of the table.
    pub(crate) fn memory(&self) -> usize {
        self.limiter.memory()
    }
}

fn limiter(quota: Quota, keys: usize) -> Result<Limiter<[u8], MonotonicClock, RandomState>, TableError> {
    let [a, b, c, d] = SEEDS;
    Limiter::builder(quota, keys).hasher(RandomState::with_seeds(a, b, c, d)).build()
}
