//! `--sort`: a scrambled log in the order of time. The one part whose memory grows with the log.

use std::collections::HashMap;

use ahash::RandomState;

use crate::log::moment::Moment;
use crate::replay::batch::Batch;
use crate::replay::clock::LogClock;

/// A line without its text: 32 bytes.
struct Compact {
    seconds: i64,
    line: u64,
    cost: u64,
    nanos: u32,
    caller: u32,
}

/// Holds all lines of a log until the last is read.
#[derive(Default)]
pub(crate) struct Sorter {
    lines: Vec<Compact>,
    /// Every caller once, end to end, and where each ends.
    callers: Vec<u8>,
    ends: Vec<usize>,
    numbers: HashMap<Box<[u8]>, u32, RandomState>,
    clock: LogClock,
    /// Lines that were stamped earlier than one before them, as the log had them.
    pub(crate) stepped_back: u64,
}

/// More callers than a sort can number.
#[derive(Debug)]
pub(crate) struct TooManyCallers;

impl Sorter {
    /// Takes the lines of a batch.
    pub(crate) fn take(&mut self, batch: &Batch) -> Result<(), TooManyCallers> {
        for (record, caller) in batch.iter() {
            self.stepped_back += u64::from(self.clock.advance(record.moment).1);
            let caller = self.number(caller)?;
            let (seconds, nanos) = (record.moment.seconds(), record.moment.subsecond());
            self.lines.push(Compact { seconds, line: record.line, cost: record.cost, nanos, caller });
        }
        Ok(())
    }

    fn number(&mut self, caller: &[u8]) -> Result<u32, TooManyCallers> {
        if let Some(&number) = self.numbers.get(caller) {
            return Ok(number);
        }
        let number = u32::try_from(self.ends.len()).map_err(|_| TooManyCallers)?;
        self.numbers.insert(caller.into(), number);
        self.callers.extend_from_slice(caller);
        self.ends.push(self.callers.len());
        Ok(number)
    }

    /// Bytes that are held: about 32 a line and, for each caller, two copies of it and a hundred bytes.
    pub(crate) fn memory(&self) -> usize {
        let callers = 2 * self.callers.capacity() + self.ends.capacity() * size_of::<usize>();
        self.lines.capacity() * size_of::<Compact>() + callers + self.numbers.capacity() * 48
    }

    /// Hands the lines out in the order of their time, of equal times in that of the log.
    pub(crate) fn drain<E>(mut self, mut decide: impl FnMut(&mut Batch) -> Result<(), E>) -> Result<(), E> {
        self.numbers = HashMap::default();
        // No two lines have one number, so this is a stable sort by time that needs no second copy.
        self.lines.sort_unstable_by_key(|line| (line.seconds, line.nanos, line.line));
        let mut batch = Batch::default();
        for line in &self.lines {
            let Some(moment) = Moment::new(line.seconds, line.nanos) else {
                continue; // it was one when it came in
            };
            let number = line.caller as usize;
            let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
            batch.push(line.line, |caller| {
                caller.extend_from_slice(&self.callers[start..self.ends[number]]);
                Ok((moment, line.cost))
            })?;
            if batch.is_full() {
                decide(&mut batch)?;
                batch.clear();
            }
        }
        decide(&mut batch)
    }
}
