//! The program `catraca`: what rate-limit policies do to real traffic.
//!
//! Each command has a file of its own. The exit code is 0 when a command did what it was asked for, 1 when it
//! failed, and 2 when it was asked wrongly.

#![forbid(unsafe_code)]

mod args;
mod failure;
mod log;
mod replay;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let args::Cli { command } = args::Cli::parse();
    let outcome = match command {
        args::Command::Replay(args) => replay::replay(*args),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
