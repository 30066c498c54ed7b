//! The command line.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::log::stamp::TimeUnit;
use crate::replay::{Cost, Format, Key};

/// Exact rate limiting: what policies do to real traffic.
#[derive(Debug, Parser)]
#[command(name = "catraca", version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Replay(Box<ReplayArgs>),
}

/// Decide every line of access logs, with the log's own time as the clock
///
/// Reads the access logs of Apache and nginx (common and combined format) and JSON lines, plain or gzipped, in
/// constant memory. A line that cannot be read is counted and skipped.
///
/// The clock never runs back: a line that is stamped earlier than one before it is decided at the latest time seen.
/// Several logs are read in the order given, as one.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ReplayArgs {
    /// Logs to read; - is standard input
    #[arg(value_name = "LOG", required = true)]
    pub(crate) logs: Vec<PathBuf>,

    /// File of policies (YAML)
    #[arg(long, value_name = "FILE")]
    pub(crate) policies: PathBuf,

    /// Policy to apply [default: `default`, or the only one there is]
    #[arg(long, value_name = "NAME")]
    pub(crate) policy: Option<String>,

    /// What tells callers apart [default: what the policy says]
    ///
    /// ip: the address; an IPv4-mapped IPv6 address is its IPv4 address.
    /// ip/64: the network; up to 32 a prefix of IPv4, above it one of IPv6, and ip/24/56 gives both.
    /// user_id, api_token: the user or the token, or the address of a line without one.
    /// const:NAME: one bucket for all lines.
    /// field:NAME, or NAME alone: a field of the log. Of an access log: client, ident, user, request, method, path,
    /// status, bytes, referer, agent. Of JSON: any, with dots into objects. Lines without it share one bucket.
    #[arg(long, value_name = "KEY", verbatim_doc_comment)]
    pub(crate) key: Option<Key>,

    /// Callers to make room for, at 26 bytes each, and up to ten times that for the report
    #[arg(long, value_name = "N", default_value = "1048576")]
    pub(crate) keys: NonZeroUsize,

    /// Tokens a line asks for: a whole number, or a field that holds one, such as bytes
    #[arg(long, value_name = "N|FIELD", default_value = "1", allow_hyphen_values = true)]
    pub(crate) cost: Cost,

    /// Form of the lines; auto takes each line as it looks
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,

    /// JSON fields that may hold the time; the first that is there counts
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "time,timestamp,ts,@timestamp,time_iso8601,time_local,datetime,date",
        hide_default_value = true
    )]
    pub(crate) json_time: Vec<String>,

    /// JSON fields that may hold the address; a dot leads into an object
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "ip,remote_addr,client_ip,remote_ip,clientip,client,remote_host,remote,request.client_ip,request.remote_ip",
        hide_default_value = true
    )]
    pub(crate) json_ip: Vec<String>,

    /// JSON fields that may hold the user
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "user_id,user,remote_user,username",
        hide_default_value = true
    )]
    pub(crate) json_user: Vec<String>,

    /// JSON fields that may hold the token
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "api_token,api_key,token",
        hide_default_value = true
    )]
    pub(crate) json_token: Vec<String>,

    /// Unit of epoch numbers in JSON
    #[arg(long, value_enum, default_value_t)]
    pub(crate) time_unit: TimeUnit,

    /// Put the lines in the order of their time first; takes about 32 bytes of memory a line
    #[arg(long)]
    pub(crate) sort: bool,

    /// Print the report as one JSON object
    #[arg(long)]
    pub(crate) json: bool,

    /// Write every decision to a CSV file; - is standard output, and the report goes to standard error
    #[arg(long, value_name = "FILE")]
    pub(crate) decisions: Option<PathBuf>,

    /// Callers in the report
    #[arg(long, value_name = "N", default_value = "10")]
    pub(crate) top: u16,
}

const EXAMPLES: &str = "\
Examples:
  catraca replay access.log --policies policies.yaml
  catraca replay access.log.*.gz access.log --policies policies.yaml --policy auth_login --key ip/64
  tail -n 100000 access.log | catraca replay - --policies policies.yaml --json

Exit codes: 0 done, 1 failed, 2 wrong usage.";

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_well_made() {
        use clap::CommandFactory;
        super::Cli::command().debug_assert();
    }
}
