//! Lines that were read and wait to be decided.

use crate::log::moment::Moment;

/// Lines in a batch. Enough that reading the wall clock around one costs nothing, few enough to stay in the cache.
const LINES: usize = 1024;
/// Bytes of callers in a batch.
const BYTES: usize = 64 << 10;

/// What a line asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    pub(crate) moment: Moment,
    pub(crate) line: u64,
    pub(crate) cost: u64,
    /// Where its caller ends in the bytes of the batch; it starts where the one before ends.
    end: usize,
}

/// A few lines, in the order in which they are decided, and their callers.
#[derive(Default)]
pub(crate) struct Batch {
    records: Vec<Record>,
    callers: Vec<u8>,
}

impl Batch {
    /// Appends a line. `read` appends its caller to the bytes it is given, and says when and how much; where it
    /// errs, the batch is as it was.
    pub(crate) fn push<E>(
        &mut self,
        line: u64,
        read: impl FnOnce(&mut Vec<u8>) -> Result<(Moment, u64), E>,
    ) -> Result<(), E> {
        let start = self.callers.len();
        match read(&mut self.callers) {
            Ok((moment, cost)) => {
                self.records.push(Record { moment, line, cost, end: self.callers.len() });
                Ok(())
            }
            Err(error) => {
                self.callers.truncate(start);
                Err(error)
            }
        }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.records.len() >= LINES || self.callers.len() >= BYTES
    }

    /// Lines and their callers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Record, &[u8])> {
        let mut start = 0;
        self.records.iter().map(move |record| {
            let caller = &self.callers[start..record.end];
            start = record.end;
            (*record, caller)
        })
    }

    pub(crate) fn clear(&mut self) {
        self.records.clear();
        self.callers.clear();
    }
}
