//! The progress bar: on a terminal only, and never on standard output.

use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How far a replay has come.
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A bar of so many bytes; without an end where the number is not known.
    pub(crate) fn new(bytes: Option<u64>) -> Progress {
        if !io::stderr().is_terminal() {
            return Progress { bar: ProgressBar::hidden() };
        }
        let template = match bytes {
            Some(_) => "{wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta}",
            None => "{spinner} {bytes} {bytes_per_sec}",
        };
        let bar = ProgressBar::with_draw_target(bytes, ProgressDrawTarget::stderr_with_hz(10));
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Progress { bar }
    }

    /// So many bytes are done.
    pub(crate) fn at(&self, bytes: u64) {
        self.bar.set_position(bytes);
    }

    /// Does something with the bar out of the way.
    pub(crate) fn pause(&self, action: impl FnOnce()) {
        self.bar.suspend(action);
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
