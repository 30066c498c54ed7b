//! `catraca replay`: decides every line of access logs, with the log's own time as the clock.
//!
//! ```text
//! log::source -> log::lines -> extract -> batch -> decide -> tally -> summary -> report, notes
//!                                           \-> sort -/      \-> ledger, busiest, decisions
//! ```
//!
//! Lines are decided in batches, so that deciding alone can be timed without a clock read for every line. Memory
//! does not grow with the log, but for `--sort`.

mod batch;
mod busiest;
mod caller;
mod clock;
mod cost;
mod decide;
mod decisions;
mod extract;
mod key;
mod ledger;
mod malformed;
mod notes;
mod output;
mod pass;
mod progress;
mod report;
mod run;
mod sort;
mod summary;
mod tally;
mod text;

pub(crate) use cost::Cost;
pub(crate) use extract::Format;
pub(crate) use key::Key;
pub(crate) use run::replay;
