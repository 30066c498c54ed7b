//! What the tests of the program share: a place for files, and a way to run it.

#![allow(dead_code, reason = "no test uses everything")]

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// A folder for the files of one test, which goes when the test does.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// The folder of the test of this name.
    pub(crate) fn new(test: &str) -> Folder {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{test}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// Writes a file and says where it is.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path
    }

    /// Where a file of this name is, or would be.
    pub(crate) fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    /// Writes a policy file with one bucket.
    pub(crate) fn policy(&self, capacity: u64, rate: &str) -> String {
        self.file("p.yaml", format!("buckets:\n  only: {{capacity: {capacity}, refill_rate: {rate}}}\n"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What a run of the program left behind.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Run {
    /// The value of a field of the JSON report.
    pub(crate) fn json(&self, field: &str) -> serde_json::Value {
        let report: serde_json::Value =
            serde_json::from_str(&self.out).unwrap_or_else(|_| panic!("{}{}", self.out, self.err));
        report[field].clone()
    }

    /// A number of the JSON report.
    pub(crate) fn number(&self, field: &str) -> u64 {
        self.json(field).as_u64().unwrap_or_else(|| panic!("{field}: {}", self.out))
    }

    /// Numbers of the JSON report.
    pub(crate) fn numbers<const N: usize>(&self, fields: [&str; N]) -> [u64; N] {
        fields.map(|field| self.number(field))
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Run {
        let text = |bytes| String::from_utf8(bytes).expect("the program writes UTF-8");
        Run { code: output.status.code().expect("no signal"), out: text(output.stdout), err: text(output.stderr) }
    }
}

/// The program.
pub(crate) fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_catraca"))
}

/// Runs `catraca` with these arguments.
pub(crate) fn catraca<S: AsRef<std::ffi::OsStr>>(arguments: &[S]) -> Run {
    program().args(arguments).stdin(Stdio::null()).output().unwrap().into()
}

/// Runs `catraca` with these arguments and this on standard input.
pub(crate) fn catraca_reading(input: &[u8], arguments: &[&str]) -> Run {
    let mut child =
        program().args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || drop(pipe.write_all(&input)));
    let run = child.wait_with_output().unwrap().into();
    writer.join().unwrap();
    run
}

/// Replays a log and returns the JSON report.
pub(crate) fn replay(log: &str, policies: &str, more: &[&str]) -> Run {
    let run = catraca(&[&["replay", log, "--policies", policies, "--keys", "4096", "--json"], more].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    run
}

/// Replays a log and returns the rows of decisions, each as its fields, without the header.
pub(crate) fn decisions(folder: &Folder, log: &str, policies: &str, more: &[&str]) -> Vec<Vec<String>> {
    let csv = folder.path("decisions.csv");
    replay(log, policies, &[&["--decisions", csv.as_str()], more].concat());
    let text = fs::read_to_string(csv).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("line,key,time_ns,cost,allowed,remaining,retry_after_ns"));
    lines.map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

/// A line of an access log.
pub(crate) fn access(client: &str, time: &str) -> String {
    format!("{client} - - [{time}] \"GET / HTTP/1.1\" 200 512 \"-\" \"agent\"\n")
}
