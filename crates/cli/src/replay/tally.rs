//! What has been decided so far, and the deciding of one batch after the other.

use std::time::{Duration, Instant};

use catraca::{Denial, TableError};

use crate::failure::Failure;
use crate::log::moment::Moment;
use crate::replay::batch::{Batch, Record};
use crate::replay::busiest::Busiest;
use crate::replay::caller;
use crate::replay::decide::{Decider, Verdict};
use crate::replay::decisions::Decisions;
use crate::replay::key::Key;
use crate::replay::ledger::Ledger;
use crate::replay::summary::Caller;

/// What has been decided so far.
pub(crate) struct Tally {
    pub(crate) lines: u64,
    pub(crate) empty: u64,
    pub(crate) allowed: u64,
    pub(crate) denied: u64,
    pub(crate) denied_for_good: u64,
    pub(crate) out_of_order: u64,
    pub(crate) first: Option<Moment>,
    pub(crate) last: Option<Moment>,
    pub(crate) ledger: Ledger,
    pub(crate) seconds: Busiest,
    pub(crate) minutes: Busiest,
    verdicts: Vec<Verdict>,
    pub(crate) deciding: Duration,
}

impl Tally {
    pub(crate) fn new(keys: usize) -> Tally {
        Tally {
            lines: 0,
            empty: 0,
            allowed: 0,
            denied: 0,
            denied_for_good: 0,
            out_of_order: 0,
            first: None,
            last: None,
            ledger: Ledger::new(keys),
            seconds: Busiest::new(1),
            minutes: Busiest::new(60),
            verdicts: Vec::new(),
            deciding: Duration::ZERO,
        }
    }

    /// Decides the lines of a batch and notes what became of them.
    pub(crate) fn decide(
        &mut self,
        batch: &mut Batch,
        decider: &mut Decider,
        mut decisions: Option<&mut Decisions>,
    ) -> Result<(), Failure> {
        let mut verdicts = std::mem::take(&mut self.verdicts);
        verdicts.clear();
        let started = Instant::now();
        for (record, caller) in batch.iter() {
            verdicts.push(decider.decide(record, caller).map_err(|error| no_table(&error))?);
        }
        self.deciding += started.elapsed();
        for ((record, caller), verdict) in batch.iter().zip(&verdicts) {
            self.note(record, caller, verdict);
            if let Some(decisions) = &mut decisions {
                decisions.write(record, caller, verdict)?;
            }
        }
        self.verdicts = verdicts;
        Ok(())
    }

    fn note(&mut self, record: Record, caller: &[u8], verdict: &Verdict) {
        let Verdict { at, is_late, decision } = verdict;
        let is_allowed = decision.is_allowed();
        self.first = self.first.or(Some(*at));
        self.last = Some(*at);
        self.out_of_order += u64::from(*is_late);
        if is_allowed {
            self.allowed += 1;
        } else {
            self.denied += 1;
            self.denied_for_good += u64::from(decision.denial() == Some(Denial::ExceedsCapacity));
            self.seconds.note(*at);
            self.minutes.note(*at);
        }
        self.ledger.note(caller, *at, record.cost, is_allowed);
    }

    /// The callers denied most, as the report shows them.
    pub(crate) fn denied_most(&self, count: usize, key: &Key) -> Vec<Caller> {
        let callers = self.ledger.most_denied(count).into_iter();
        let shown = callers.map(|(caller, account)| Caller {
            key: caller::show(caller, key.prefixes()).into_owned(),
            allowed: account.allowed,
            denied: account.denied,
            peak_second: account.peak_second,
            peak_minute: account.peak_minute,
        });
        shown.collect()
    }
}

/// What it means that there is no table.
pub(crate) fn no_table(error: &TableError) -> Failure {
    match error {
        TableError::TooManyKeys { .. } => Failure::Usage(format!("--keys: {error}")),
        _ => Failure::Failed(format!("--keys: {error}")),
    }
}
