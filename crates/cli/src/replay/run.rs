//! The replay itself: from the command line to the report.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use catraca::{Denial, TableError};
use catraca_policy::{Policy, PolicyError, PolicyFile, Storage};

use crate::args::ReplayArgs;
use crate::failure::{Failure, say};
use crate::log::lines::{LONGEST, Line, Lines};
use crate::log::moment::Moment;
use crate::log::source::{BytesRead, Source};
use crate::replay::batch::{Batch, Record};
use crate::replay::busiest::Busiest;
use crate::replay::caller;
use crate::replay::decide::{Decider, Verdict};
use crate::replay::decisions::Decisions;
use crate::replay::extract::{Extractor, JsonNames};
use crate::replay::key::Key;
use crate::replay::ledger::Ledger;
use crate::replay::malformed::Malformed;
use crate::replay::output::Output;
use crate::replay::progress::Progress;
use crate::replay::report;
use crate::replay::sort::Sorter;
use crate::replay::summary::{Caller, Moments, Stamp, Summary};
use crate::replay::text::{bytes, grouped};

/// Decides every line of the logs and reports.
pub(crate) fn replay(args: ReplayArgs) -> Result<(), Failure> {
    let started = Instant::now();
    let file = PolicyFile::load(&args.policies).map_err(|error: PolicyError| Failure::Failed(error.to_string()))?;
    let policy = choose(&file, args.policy.as_deref())?;
    let key = args.key.clone().unwrap_or_else(|| policy.key_by().into());
    let sources: Vec<Source> = args.logs.iter().map(|log| Source::named(log)).collect();
    let total = inspect(&sources)?;
    if policy.storage() == Storage::Redis {
        say("note: the policy says storage: redis; a replay decides in memory");
    }
    let output = match args.decisions.as_deref() {
        Some(path) if path == Path::new("-") => Output::Stderr,
        _ => Output::Stdout,
    };
    let is_json = args.json;
    let mut replay = Replay::new(args, policy, key, total)?;
    let read = replay.read(&sources);
    if let Err(Failure::Closed) = read {
        return read;
    }
    let summary = replay.finish(policy, started, read.is_ok())?;
    output.print(&if is_json { report::json(&summary)? } else { report::text(&summary) })?;
    read?;
    if summary.decided == 0 && summary.malformed > 0 {
        return Err(Failure::Failed(
            "no line could be read: is this an access log, and --format the right one?".into(),
        ));
    }
    Ok(())
}

/// The policy of this name, or the one that is meant where none is named.
fn choose<'a>(file: &'a PolicyFile, name: Option<&str>) -> Result<&'a Policy, Failure> {
    let found = match (name, file.policies()) {
        (Some(name), _) => file.get(name),
        (None, [only]) => Some(only),
        (None, _) => file.get("default"),
    };
    found.ok_or_else(|| {
        let names: Vec<&str> = file.names().collect();
        let (file, names) = (file.file(), names.join(", "));
        Failure::Usage(match name {
            Some(name) => format!("{file} has no policy `{name}`, only {names}"),
            None => format!("{file} has no policy `default`: choose one of {names} with --policy"),
        })
    })
}

/// Looks at all logs before the first is read: a missing one is no surprise for the end of a long run. Their size,
/// where it is known.
fn inspect(sources: &[Source]) -> Result<Option<u64>, Failure> {
    if sources.iter().filter(|source| matches!(source, Source::Stdin)).count() > 1 {
        return Err(Failure::Usage("standard input (-) can be read only once".into()));
    }
    let mut total = Some(0);
    for source in sources {
        let size = source.inspect().map_err(|error| Failure::Failed(format!("{}: {error}", source.name())))?;
        total = total.zip(size).map(|(total, size)| total + size);
    }
    Ok(total)
}

/// A replay under way.
struct Replay {
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

/// What has been decided so far.
struct Tally {
    lines: u64,
    empty: u64,
    allowed: u64,
    denied: u64,
    denied_for_good: u64,
    out_of_order: u64,
    first: Option<Moment>,
    last: Option<Moment>,
    ledger: Ledger,
    seconds: Busiest,
    minutes: Busiest,
    verdicts: Vec<Verdict>,
    deciding: Duration,
}

impl Replay {
    fn new(args: ReplayArgs, policy: &Policy, key: Key, total: Option<u64>) -> Result<Replay, Failure> {
        let json = JsonNames {
            time: args.json_time.clone(),
            ip: args.json_ip.clone(),
            user: args.json_user.clone(),
            token: args.json_token.clone(),
        };
        let extractor = Extractor::new(args.format, args.time_unit, key.clone(), args.cost.clone(), json);
        let extractor = extractor.map_err(Failure::Usage)?;
        let decider = Decider::new(policy.quota(), args.keys.get()).map_err(|error| no_table(&error))?;
        let decisions = match args.decisions.as_deref() {
            Some(path) => {
                refuse_overwriting(path, &args)?;
                Some(Decisions::create(path, key.prefixes())?)
            }
            None => None,
        };
        Ok(Replay {
            tally: Tally::new(args.keys.get()),
            sorter: args.sort.then(Sorter::default),
            sort_bytes: 0,
            stepped_back: 0,
            malformed: Malformed::default(),
            progress: Progress::new(total),
            bytes_read: BytesRead::default(),
            batch: Batch::default(),
            args,
            key,
            extractor,
            decider,
            decisions,
        })
    }

    /// Reads all logs and decides their lines. What was read before an error is decided too.
    fn read(&mut self, sources: &[Source]) -> Result<(), Failure> {
        let mut outcome = Ok(());
        for source in sources {
            outcome = self.read_source(source);
            if outcome.is_err() {
                break;
            }
        }
        if let Err(Failure::Closed) = outcome {
            return outcome;
        }
        self.settle()?;
        if let Some(sorter) = self.sorter.take() {
            self.sort_bytes = sorter.memory();
            self.stepped_back = sorter.stepped_back;
            let Replay { tally, decider, decisions, .. } = self;
            sorter.drain(|batch| tally.decide(batch, decider, decisions.as_mut()))?;
        }
        outcome
    }

    fn read_source(&mut self, source: &Source) -> Result<(), Failure> {
        let name = source.name();
        let failed = |error| Failure::Failed(format!("{name}: {error}"));
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
    fn finish(mut self, policy: &Policy, started: Instant, is_complete: bool) -> Result<Summary, Failure> {
        self.progress.finish();
        self.malformed.conclude();
        if let Some(decisions) = self.decisions.take() {
            decisions.finish()?;
        }
        let summary = self.summary(policy, started.elapsed(), is_complete);
        self.notes(&summary);
        Ok(summary)
    }

    fn summary(&mut self, policy: &Policy, elapsed: Duration, is_complete: bool) -> Summary {
        let Replay { tally, decider, args, key, .. } = self;
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
            denied_most: tally.denied_most(args.top.into(), key),
            worst_seconds: moments(tally.seconds.top()),
            worst_minutes: moments(tally.minutes.top()),
            inherited: decider.inherited(),
            beyond_horizon: decider.beyond,
            table_bytes: decider.memory(),
            sort_bytes: self.sort_bytes,
            lines_per_second: per_second(tally.lines, elapsed),
            decisions_per_second: per_second(tally.allowed + tally.denied, tally.deciding),
        }
    }

    /// Says on standard error what a reader of the numbers should know.
    fn notes(&self, summary: &Summary) {
        let Summary { lines, decided, .. } = *summary;
        if lines == 0 {
            say("note: the log is empty");
        }
        let by_address = self.extractor.by_address;
        if by_address > 0 {
            let what = if self.key == Key::Token { "api_token" } else { "user_id" };
            let count = if by_address == decided {
                "no line has one".to_owned()
            } else {
                format!("{} lines have none", grouped(by_address))
            };
            say(&format!("note: callers are told apart by {what}, and {count}: their address is taken instead"));
        }
        if self.extractor.without_key > 0 && self.extractor.without_key == decided {
            say(&format!("note: no line has {}: all share one bucket", self.key.describe()));
        }
        if summary.denied_for_good > 0 && summary.denied_for_good == decided {
            say(&format!(
                "note: every line costs more than the {} tokens that a bucket holds: none can ever pass",
                grouped(summary.capacity)
            ));
        }
        if summary.inherited > 0 {
            say(&format!(
                "note: the table was crowded: {} callers started with less than a full bucket; raise --keys",
                grouped(summary.inherited)
            ));
        }
        if summary.beyond_horizon > 0 {
            say(&format!(
                "note: {} lines lie more than 36 years after the first without a pause that fills a bucket; nothing refills there",
                grouped(summary.beyond_horizon)
            ));
        }
        if summary.sorted {
            say(&format!("note: sorting took {} of memory", bytes(summary.sort_bytes)));
        }
    }
}

impl Tally {
    fn new(keys: usize) -> Tally {
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
    fn decide(
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

    fn denied_most(&self, count: usize, key: &Key) -> Vec<Caller> {
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

fn no_table(error: &TableError) -> Failure {
    match error {
        TableError::TooManyKeys { .. } => Failure::Usage(format!("--keys: {error}")),
        _ => Failure::Failed(format!("--keys: {error}")),
    }
}

/// A file of decisions that is one of the files being read would destroy it.
fn refuse_overwriting(path: &Path, args: &ReplayArgs) -> Result<(), Failure> {
    let Ok(target) = fs::canonicalize(path) else {
        return Ok(()); // it is not there yet
    };
    let is_input = |input: &std::path::PathBuf| fs::canonicalize(input).is_ok_and(|input| input == target);
    let is_file = target.is_file();
    if is_file && (args.logs.iter().any(is_input) || is_input(&args.policies)) {
        return Err(Failure::Usage(format!(
            "--decisions {}: this file is read; it would be overwritten",
            path.display()
        )));
    }
    Ok(())
}

/// So many in so long, per second.
fn per_second(count: u64, elapsed: Duration) -> u64 {
    let rate = u128::from(count) * 1_000_000_000 / elapsed.as_nanos().max(1);
    u64::try_from(rate).unwrap_or(u64::MAX)
}
