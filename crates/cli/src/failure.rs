//! How a command ends when it does not end well, and what the shell is told.

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

/// Why a command ended early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It was asked for what it cannot do: exit code 2.
    Usage(String),
    /// It could not do it, or not all of it: exit code 1.
    Failed(String),
    /// Nobody reads its output any more. There is nobody to tell: exit code 0.
    Closed,
}

impl Failure {
    /// A failure to write to `name`. A closed pipe is not a fault of anybody's.
    pub(crate) fn writing(name: &str, error: &io::Error) -> Failure {
        match error.kind() {
            ErrorKind::BrokenPipe => Failure::Closed,
            _ => Failure::Failed(format!("{name}: {error}")),
        }
    }

    /// Says what happened on standard error, and what the shell is told.
    pub(crate) fn report(&self) -> ExitCode {
        match self {
            Failure::Usage(message) => {
                say(&format!("{message}\n\nFor more information, try '--help'."));
                ExitCode::from(2)
            }
            Failure::Failed(message) => {
                say(message);
                ExitCode::FAILURE
            }
            Failure::Closed => ExitCode::SUCCESS,
        }
    }
}

/// Says something on standard error. That nobody may be listening is no reason to stop.
pub(crate) fn say(message: &str) {
    let _ = writeln!(io::stderr(), "catraca: {message}");
}
