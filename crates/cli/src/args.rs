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
    /// ip          the address; an IPv4-mapped IPv6 address is its IPv4 address
    /// ip/64       the network: above 32 a prefix of IPv6, up to 32 one of IPv4;
    ///             ip/24/56 gives both
    /// user_id     the user, or the address of a line without one
    /// api_token   the token, or the address of a line without one
    /// field:NAME  a field, or NAME alone; of an access log client, ident, user,
    ///             request, method, path, status, bytes, referer or agent, of JSON
    ///             any, with dots into objects; lines without it share one bucket
    /// const:NAME  one bucket for all lines
    #[arg(long, value_name = "KEY", verbatim_doc_comment)]
    pub(crate) key: Option<Key>,

    /// Callers to make room for, at 26 bytes each, and up to ten times that for the report [default: 1048576, or as
    /// many as a small log can have]
    #[arg(long, value_name = "N")]
    pub(crate) keys: Option<NonZeroUsize>,

    /// Tokens a line asks for: a whole number, or a field that holds one, such as bytes
    #[arg(long, value_name = "N|FIELD", default_value = "1", allow_hyphen_values = true)]
    pub(crate) cost: Cost,

    /// Form of the lines; auto takes each line as it looks
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,

    /// JSON fields that may hold the time; the first that is there counts
    ///
    /// RFC 3339, the form of access logs, or a number since the Unix epoch (see --time-unit), exact to the
    /// nanosecond; a time without a zone is UTC. By default time, timestamp, ts, @timestamp, time_iso8601,
    /// time_local, datetime and date.
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "time,timestamp,ts,@timestamp,time_iso8601,time_local,datetime,date",
        hide_default_value = true
    )]
    pub(crate) json_time: Vec<String>,

    /// JSON fields that may hold the address; a dot leads into an object
    ///
    /// By default ip, remote_addr, client_ip, remote_ip, clientip, client, remote_host, remote, request.client_ip and
    /// request.remote_ip.
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "ip,remote_addr,client_ip,remote_ip,clientip,client,remote_host,remote,request.client_ip,request.remote_ip",
        hide_default_value = true
    )]
    pub(crate) json_ip: Vec<String>,

    /// JSON fields that may hold the user
    ///
    /// By default user_id, user, remote_user and username.
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "user_id,user,remote_user,username",
        hide_default_value = true
    )]
    pub(crate) json_user: Vec<String>,

    /// JSON fields that may hold the token
    ///
    /// By default api_token, api_key and token.
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
    ///
    /// A row for each line that was decided, in the order of deciding. Its number counts the lines of all logs;
    /// its time is the clock's, in nanoseconds since the Unix epoch; retry_after_ns is `never` where the cost is
    /// more than a bucket holds.
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
