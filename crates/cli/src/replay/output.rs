//! Where the report goes.

use std::io::{self, Write};

use crate::failure::Failure;

/// One of the two standard streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    /// Standard output.
    Stdout,
    /// Standard error, where standard output is taken.
    Stderr,
}

impl Output {
    /// Writes a text, all of it.
    pub(crate) fn print(self, text: &str) -> Result<(), Failure> {
        let (name, printed) = match self {
            Output::Stdout => ("standard output", put(io::stdout().lock(), text)),
            Output::Stderr => ("standard error", put(io::stderr().lock(), text)),
        };
        printed.map_err(|error| Failure::writing(name, &error))
    }
}

fn put(mut out: impl Write, text: &str) -> io::Result<()> {
    out.write_all(text.as_bytes())?;
    out.flush()
}
