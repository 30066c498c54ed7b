//! `--decisions`: one row of CSV for every line that was decided.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use catraca::RetryAfter;
use catraca_policy::Prefixes;

use crate::failure::Failure;
use crate::replay::batch::Record;
use crate::replay::caller;
use crate::replay::decide::Verdict;

/// Bytes gathered before they are written.
const CHUNK: usize = 256 << 10;

const HEADER: &str = "line,key,time_ns,cost,allowed,remaining,retry_after_ns";

/// The file of decisions.
pub(crate) struct Decisions {
    name: String,
    out: BufWriter<Box<dyn Write>>,
    prefixes: Prefixes,
}

impl Decisions {
    /// Makes the file, or takes standard output for `-`.
    pub(crate) fn create(path: &Path, prefixes: Prefixes) -> Result<Decisions, Failure> {
        let (name, out): (String, Box<dyn Write>) = if path == "-" {
            ("standard output".to_owned(), Box::new(io::stdout().lock()))
        } else {
            let name = path.display().to_string();
            let file = File::create(path).map_err(|error| Failure::writing(&name, &error))?;
            (name, Box::new(file))
        };
        let mut decisions = Decisions { name, out: BufWriter::with_capacity(CHUNK, out), prefixes };
        let header = writeln!(decisions.out, "{HEADER}");
        decisions.checked(header)?;
        Ok(decisions)
    }

    /// Writes a row.
    pub(crate) fn write(&mut self, record: Record, caller: &[u8], verdict: &Verdict) -> Result<(), Failure> {
        let row = self.row(record, caller, verdict);
        self.checked(row)
    }

    /// Writes what was gathered.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        let flushed = self.out.flush();
        self.checked(flushed)
    }

    fn row(&mut self, record: Record, caller: &[u8], verdict: &Verdict) -> io::Result<()> {
        let Verdict { at, decision, .. } = verdict;
        write!(self.out, "{},", record.line)?;
        write_field(&mut self.out, &caller::show(caller, self.prefixes))?;
        let (is_allowed, remaining) = (decision.is_allowed(), decision.remaining());
        write!(self.out, ",{},{},{is_allowed},{remaining},", at.nanos(), record.cost)?;
        match decision.retry_after() {
            RetryAfter::Now => writeln!(self.out, "0"),
            RetryAfter::After(wait) => writeln!(self.out, "{}", wait.as_nanos()),
            RetryAfter::Never => writeln!(self.out, "never"),
        }
    }

    fn checked(&self, result: io::Result<()>) -> Result<(), Failure> {
        result.map_err(|error| Failure::writing(&self.name, &error))
    }
}

/// A field by RFC 4180: in quotes where it must be, with its own quotes doubled.
fn write_field(out: &mut impl Write, field: &str) -> io::Result<()> {
    if !field.contains(['"', ',', '\n', '\r']) {
        return out.write_all(field.as_bytes());
    }
    write!(out, "\"{}\"", field.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_where_they_must_be() {
        for (field, written) in [
            ("192.0.2.7", "192.0.2.7"),
            ("a b", "a b"),
            ("a,b", "\"a,b\""),
            ("say \"hi\"", "\"say \"\"hi\"\"\""),
            ("two\r\nlines", "\"two\r\nlines\""),
            ("", ""),
        ] {
            let mut out = Vec::new();
            write_field(&mut out, field).unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), written);
        }
    }
}
