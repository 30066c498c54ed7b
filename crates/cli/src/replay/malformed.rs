//! Lines that could not be read: counted, and the first few shown.

use crate::failure::say;
use crate::replay::progress::Progress;
use crate::replay::text;

/// Lines that are shown.
const SHOWN: u64 = 5;
/// Bytes of a line that are looked at for its excerpt.
const LOOKED_AT: usize = 200;
/// Columns of an excerpt.
const WIDTH: usize = 60;

/// Counts malformed lines.
#[derive(Default)]
pub(crate) struct Malformed {
    pub(crate) count: u64,
}

impl Malformed {
    /// Notes a line, and shows it if it is one of the first.
    pub(crate) fn note(&mut self, file: &str, line: u64, reason: &str, content: &[u8], progress: &Progress) {
        self.count += 1;
        if self.count > SHOWN {
            return;
        }
        let start = String::from_utf8_lossy(&content[..content.len().min(LOOKED_AT)]);
        let (reason, excerpt) = (text::visible(reason, 200), text::visible(&start, WIDTH));
        let excerpt = if excerpt.is_empty() { String::new() } else { format!("\n    {excerpt}") };
        progress.pause(|| say(&format!("{file}:{line}: skipped: {reason}{excerpt}")));
    }

    /// Says how many were not shown.
    pub(crate) fn conclude(&self) {
        if self.count > SHOWN {
            say(&format!("{} more lines were skipped", text::grouped(self.count - SHOWN)));
        }
    }
}
