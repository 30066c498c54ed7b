//! One pass over the logs: every line is read, and decided or put aside for sorting.

use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use catraca_policy::Policy;

use crate::args::ReplayArgs;
use crate::failure::Failure;
use crate::log::lines::{LONGEST, Line, Lines};
use crate::log::moment::Moment;
use crate::log::source::{BytesRead, Size, Source};
use crate::replay::batch::Batch;
use crate::replay::decide::Decider;
use crate::replay::decisions::Decisions;
use crate::replay::extract::{Extractor, JsonNames};
use crate::replay::key::Key;
use crate::replay::malformed::Malformed;
use crate::replay::progress::Progress;
use crate::replay::sort::Sorter;
use crate::replay::summary::{Moments, Stamp, Summary};
use crate::replay::tally::{Tally, no_table};
use crate::replay::text::grouped;

/// A pass over the logs that is under way.
pub(crate) struct Pass {
    args: ReplayArgs,
    key: Key,
    extractor: Extractor,
    decider: Decider,
    sorter: Option<Sorter>,
    sort_bytes: usize,
    stepped_back: u64,
    decisions: Option<Decisions>,
    tally: Tally,
    malformed: Malformed,
    progress: Progress,
    bytes_read: BytesRead,
    batch: Batch,
}

/// Why reading a log ended early.
enum Interruption {
    /// The log cannot be read any further; what was read is still to be decided.
    Reading(String),
    /// Deciding itself failed.
    Deciding(Failure),
}

impl From<Failure> for Interruption {
    fn from(failure: Failure) -> Interruption {
        Interruption::Deciding(failure)
    }
}

impl Pass {
    /// A pass over logs of this size.
    pub(crate) fn new(args: ReplayArgs, policy: &Policy, size: Size) -> Result<Pass, Failure> {
        let key: Key = args.key.clone().unwrap_or_else(|| policy.key_by().into());
        let keys = args.keys.map_or_else(|| keys_for(size), NonZeroUsize::get);
        let json = JsonNames {
            time: args.json_time.clone(),
            ip: args.json_ip.clone(),
            user: args.json_user.clone(),
            token: args.json_token.clone(),
        };
        let extractor = Extractor::new(args.format, args.time_unit, key.clone(), args.cost.clone(), json);
        let extractor = extractor.map_err(Failure::Usage)?;
        let decider = Decider::new(policy.quota(), keys).map_err(|error| no_table(&error))?;
        let decisions = args.decisions.as_deref().map(|path| Decisions::create(path, key.prefixes())).transpose()?;
        Ok(Pass {
            tally: Tally::new(keys),
            sorter: args.sort.then(Sorter::default),
            sort_bytes: 0,
            stepped_back: 0,
            malformed: Malformed::default(),
            progress: Progress::new(size.bytes),
            bytes_read: BytesRead::default(),
            batch: Batch::default(),
            args,
            key,
            extractor,
            decider,
            decisions,
        })
    }

    /// Reads all logs and decides their lines. If one cannot be read to its end, what came before is decided, and
    /// the reason returned.
    pub(crate) fn read(&mut self, sources: &[Source]) -> Result<Option<String>, Failure> {
        let mut unread = None;
        for source in sources {
            match self.read_source(source) {
                Ok(()) => {}
                Err(Interruption::Reading(error)) => {
                    unread = Some(error);
                    break;
                }
                Err(Interruption::Deciding(failure)) => return Err(failure),
            }
        }
        self.settle()?;
        if let Some(sorter) = self.sorter.take() {
            self.sort_bytes = sorter.memory();
            self.stepped_back = sorter.stepped_back;
            let Pass { tally, decider, decisions, .. } = self;
            sorter.drain(|batch| tally.decide(batch, decider, decisions.as_mut()))?;
        }
        Ok(unread)
    }

    fn read_source(&mut self, source: &Source) -> Result<(), Interruption> {
        let name = source.name();
        let failed = |error| Interruption::Reading(format!("{name}: {error}"));
        let mut lines = Lines::new(source.open(&self.bytes_read).map_err(failed)?);
        let mut number = 0;
        while let Some(line) = lines.next_line().map_err(failed)? {
            number += 1;
            self.tally.lines += 1;
            match line {
                // Some editors put a mark in front of a text that is not part of it.
                Line::Text(text) if number == 1 => {
                    self.line(&name, number, text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text));
                }
                Line::Text(text) => self.line(&name, number, text),
                Line::TooLong => {
                    let reason = format!("longer than {} bytes", grouped(LONGEST as u64));
                    self.malformed.note(&name, number, &reason, b"", &self.progress);
                }
            }
            if self.batch.is_full() {
                self.settle()?;
            }
        }
        Ok(())
    }

    fn line(&mut self, name: &str, number: u64, text: &[u8]) {
        if text.trim_ascii().is_empty() {
            self.tally.empty += 1;
            return;
        }
        let extractor = &mut self.extractor;
        if let Err(reason) = self.batch.push(self.tally.lines, |caller| extractor.extract(text, caller)) {
            self.malformed.note(name, number, &reason, text, &self.progress);
        }
    }

    /// Decides the lines of the batch, or keeps them for sorting.
    fn settle(&mut self) -> Result<(), Failure> {
        self.progress.at(self.bytes_read.get());
        match &mut self.sorter {
            Some(sorter) => {
                let taken = sorter.take(&self.batch);
                taken.map_err(|_| Failure::Failed("--sort: more callers than can be sorted".into()))?;
            }
            None => self.tally.decide(&mut self.batch, &mut self.decider, self.decisions.as_mut())?,
        }
        self.batch.clear();
        Ok(())
    }

    /// Ends it: what is left to write and to say, and the numbers.
    pub(crate) fn finish(mut self, policy: &Policy, started: Instant, is_complete: bool) -> Result<Summary, Failure> {
        self.progress.finish();
        self.malformed.conclude();
        if let Some(decisions) = self.decisions.take() {
            decisions.finish()?;
        }
        Ok(self.summary(policy, started.elapsed(), is_complete))
    }

    fn summary(&mut self, policy: &Policy, elapsed: Duration, is_complete: bool) -> Summary {
        let Pass { tally, decider, args, key, .. } = self;
        let quota = policy.quota();
        let moments = |top: Vec<(Moment, u64)>| {
            top.into_iter().map(|(time, denied)| Moments { time: Stamp(time), denied }).collect()
        };
        Summary {
            lines: tally.lines,
            decided: tally.allowed + tally.denied,
            malformed: self.malformed.count,
            empty: tally.empty,
            out_of_order: tally.out_of_order,
            sorted: args.sort,
            moved: self.stepped_back,
            complete: is_complete,
            first: tally.first.map(Stamp),
            last: tally.last.map(Stamp),
            keys: tally.ledger.len() as u64,
            keys_complete: tally.ledger.is_complete(),
            allowed: tally.allowed,
            denied: tally.denied,
            denied_for_good: tally.denied_for_good,
            policy: policy.name().to_owned(),
            capacity: quota.capacity(),
            refill_rate: quota.rate(),
            key: key.describe(),
            cost: args.cost.describe(),
            by_address: self.extractor.by_address,
            without_key: self.extractor.without_key,
            denied_most: tally.denied_most(args.top.into(), key),
            worst_seconds: moments(tally.seconds.top()),
            worst_minutes: moments(tally.minutes.top()),
            began_short: decider.began_short(),
            beyond_horizon: decider.beyond,
            table_bytes: decider.memory(),
            sort_bytes: self.sort_bytes,
            lines_per_second: per_second(tally.lines, elapsed),
            decisions_per_second: per_second(tally.allowed + tally.denied, tally.deciding),
        }
    }
}

/// Callers to make room for where nobody says: a million, but for a small log several times what it can have, for making a
/// large table takes longer than replaying a small log. Several times, so that no set of the table is crowded:
/// then every decision is exact.
fn keys_for(size: Size) -> usize {
    const MOST: u64 = 1 << 20;
    const BYTES_PER_KEY: u64 = 4; // a tenth of a short line
    let keys = size.text.map_or(MOST, |bytes| (bytes / BYTES_PER_KEY).clamp(1 << 16, MOST));
    usize::try_from(keys).unwrap_or(usize::MAX)
}

/// So many in so long, per second.
fn per_second(count: u64, elapsed: Duration) -> u64 {
    let rate = u128::from(count) * 1_000_000_000 / elapsed.as_nanos().max(1);
    u64::try_from(rate).unwrap_or(u64::MAX)
}
