//! What `catraca` does with bad input: a clear answer, nothing lost, no panic.

mod support;

use std::io::{Read, Write};
use std::process::Stdio;

use flate2::Compression;
use flate2::write::GzEncoder;
use support::{Folder, Run, access, catraca, catraca_reading, program, replay};

const TEN: &str = "05/Jan/2026:10:00:00 +0000";

fn run(log: &str, policies: &str, more: &[&str]) -> Run {
    catraca(&[&["replay", log, "--policies", policies], more].concat())
}

/// A run that fails with this code and says this.
fn fails(run: &Run, code: i32, says: &[&str]) {
    assert_eq!(run.code, code, "{}{}", run.out, run.err);
    assert!(says.iter().all(|words| run.err.contains(words)), "{says:?}: {}", run.err);
    assert!(!run.err.contains("panicked"), "{}", run.err);
}

#[test]
fn an_empty_log_is_a_report_of_nothing() {
    let folder = Folder::new("empty");
    let policies = folder.policy(1, "1");
    for content in ["", "\n\n \r\n"] {
        let run = replay(&folder.file("log", content), &policies, &[]);
        assert_eq!(run.numbers(["decided", "malformed", "keys", "allowed", "denied"]), [0; 5]);
        assert_eq!(run.number("lines"), run.number("empty"));
        assert_eq!(run.json("first"), serde_json::Value::Null);
    }
    let empty = run(&folder.file("log", ""), &policies, &[]);
    assert!(empty.code == 0 && empty.err.contains("the log is empty"), "{}", empty.err);
}

#[test]
fn a_binary_file_is_all_malformed() {
    let folder = Folder::new("binary");
    let bytes: Vec<u8> = (0..200_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let run = run(&folder.file("log", bytes), &folder.policy(1, "1"), &["--json"]);
    fails(&run, 1, &["log:1: skipped", "more lines were skipped", "no line could be read"]);
    assert_eq!(run.number("lines"), run.number("malformed") + run.number("empty"));
    assert_eq!(run.err.matches(": skipped: ").count(), 5);
}

#[test]
fn a_log_that_cannot_be_opened_is_named_before_any_work() {
    let folder = Folder::new("unopened");
    let policies = folder.policy(1, "1");
    let good = folder.file("log", access("h", TEN));
    fails(&run(env!("CARGO_MANIFEST_DIR"), &policies, &[]), 1, &[env!("CARGO_MANIFEST_DIR"), "is a directory"]);
    let missing = catraca(&["replay", &good, "no/such.log", "--policies", &policies]);
    fails(&missing, 1, &["no/such.log: No such file"]);
    assert_eq!(missing.out, "");
    fails(&catraca(&["replay", "-", "-", "--policies", &policies]), 2, &["only once"]);
}

#[test]
fn a_damaged_gzip_file_is_decided_up_to_the_damage() {
    let folder = Folder::new("damaged");
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    for n in 0..20_000 {
        packer.write_all(access(&format!("10.0.{}.{}", n / 250, n % 250), TEN).as_bytes()).unwrap();
    }
    let packed = packer.finish().unwrap();
    let policies = folder.policy(1, "1");
    for more in [&["--json"][..], &["--json", "--sort"]] {
        let cut = run(&folder.file("cut.gz", &packed[..packed.len() / 2]), &policies, more);
        fails(&cut, 1, &["cut.gz: "]);
        assert!(cut.number("decided") > 1_000 && cut.json("complete") == false, "{}", cut.out);
        assert_eq!(cut.number("malformed"), 0, "a line that was cut off is no line");
    }
    let mut wrong = packed.clone();
    let middle = wrong.len() / 2;
    wrong[middle] ^= 0xff;
    fails(&run(&folder.file("wrong.gz", &wrong), &policies, &["--json"]), 1, &["wrong.gz: "]);
    fails(&run(&folder.file("head.gz", &packed[..5]), &policies, &[]), 1, &["head.gz: "]);
    fails(&run(&folder.file("tail.gz", [&packed[..], b"tail"].concat()), &policies, &[]), 1, &["tail.gz: "]);
}

#[test]
fn a_line_of_megabytes_is_counted_and_passed_over() {
    let folder = Folder::new("megabytes");
    let log = access("a", TEN) + &"x".repeat(5 << 20) + "\n" + &access("b", TEN);
    let run = replay(&folder.file("log", log), &folder.policy(1, "1"), &[]);
    assert_eq!(run.numbers(["lines", "decided", "malformed"]), [3, 2, 1]);
    assert!(run.err.contains("log:2: skipped: longer than 1,048,576 bytes"), "{}", run.err);
    let path = "/".to_owned() + &"p".repeat(900_000);
    let log = format!("h - - [{TEN}] \"GET {path} HTTP/1.1\" 200 1\n");
    let run = replay(&folder.file("log", log), &folder.policy(1, "1"), &["--key", "path"]);
    assert_eq!(run.numbers(["decided", "malformed"]), [1, 0]);
}

#[test]
fn a_log_without_a_last_newline_or_with_carriage_returns() {
    let folder = Folder::new("newlines");
    let log = format!("{}\r\n{}", access("a", TEN).trim_end(), access("b", TEN).trim_end());
    let run = replay(&folder.file("log", log), &folder.policy(1, "1"), &["--format", "combined"]);
    assert_eq!(run.numbers(["lines", "decided", "malformed"]), [2, 2, 0]);
    let run =
        replay(&folder.file("log", "\u{feff}".to_owned() + &access("192.0.2.1", TEN)), &folder.policy(1, "1"), &[]);
    assert_eq!(run.number("decided"), 1);
}

#[test]
fn json_that_cannot_be_decided_says_why() {
    let folder = Folder::new("json");
    let policies = folder.policy(1, "1");
    for (line, says) in [
        ("{\"ip\":\"::1\"}", "no time: looked for time, timestamp"),
        ("{\"ts\":1}", "no address: looked for ip, remote_addr"),
        ("{\"ts\":\"soon\",\"ip\":\"::1\"}", "neither RFC 3339 nor an epoch number"),
        ("{\"ts\":1e300,\"ip\":\"::1\"}", "neither RFC 3339 nor an epoch number"),
        ("{\"ts\":1767607200000,\"ip\":\"::1\"}", "see --time-unit"),
        ("{\"ts\":{},\"ip\":\"::1\"}", "an object or a list"),
        ("{\"ts\":1,\"ip\":[\"::1\"]}", "an object or a list"),
        ("{\"ts\":1,\"ip\":\"::1\"", "not a JSON object"),
        ("{\"ts\":1,\"ip\":\"::1\"} x", "not a JSON object"),
    ] {
        let run = run(&folder.file("log", line), &policies, &[]);
        fails(&run, 1, &["log:1: skipped: ", says, "no line could be read"]);
    }
    let run = run(&folder.file("log", "{\"ts\":1,\"ip\":\"::1\",\"n\":1.5}"), &policies, &["--cost", "n"]);
    fails(&run, 1, &["field `n` is not a whole number of tokens"]);
}

#[test]
fn a_bad_policy_file_is_shown_at_its_place() {
    let folder = Folder::new("policies");
    let log = folder.file("log", access("h", TEN));
    let bucket = |capacity, rate| format!("buckets:\n  a:\n    capacity: {capacity}\n    refill_rate: {rate}\n");
    for (text, says) in [
        (bucket("0", "1"), "p.yaml:3:15: a capacity of 0"),
        (bucket("-1", "1"), "p.yaml:3:15: `-1` is not a capacity"),
        (bucket("1e30", "1"), "p.yaml:3:15: `1e30` is not a capacity"),
        (bucket("NaN", "1"), "p.yaml:3:15: `NaN` is not a capacity"),
        (bucket("1", "0"), "p.yaml:4:18: a rate of 0"),
        (bucket("1", ".nan"), "p.yaml:4:18: `.nan` is not a number"),
        (bucket("1", "1\n    capacity: 2"), "p.yaml:5:5: `capacity` is given twice: first at 3:5"),
        (bucket("1", "1\n    capcity: 2"), "p.yaml:5:5: `capcity` is not a key"),
        ("buckets:\n\ta:\n".into(), "p.yaml:2:2: this line is indented with a tab"),
        (String::new(), "p.yaml:1:1: the file is empty"),
    ] {
        fails(&run(&log, &folder.file("p.yaml", text), &[]), 1, &[says]);
    }
    fails(&run(&log, "no/such.yaml", &[]), 1, &["no/such.yaml: No such file"]);
    fails(&run(&log, env!("CARGO_MANIFEST_DIR"), &[]), 1, &["directory"]);
    fails(&run(&log, &folder.file("p.yaml", [0xff, 0xfe, 0]), &[]), 1, &["p.yaml:1:1: ", "not UTF-8"]);
    fails(&run(&log, &folder.file("p.yaml", "# x\n".repeat(1 << 19)), &[]), 1, &["at most 1048576 bytes"]);
}

#[test]
fn wrong_usage_is_told_from_failure() {
    let folder = Folder::new("usage");
    let (log, policies) = (folder.file("log", access("h", TEN)), folder.policy(1, "1"));
    for more in [
        &["--cost", "0"][..],
        &["--cost", "-1"],
        &["--cost", "1.5"],
        &["--keys", "0"],
        &["--keys", "99999999999999"],
        &["--key", ""],
        &["--key", "ip/129"],
        &["--format", "common", "--key", "tenant"],
        &["--format", "combined", "--cost", "tenant"],
        &["--format", "xml"],
        &["--policy", "nobody"],
        &["--no-such-flag"],
        &["--decisions", &log],
        &["--decisions", &policies],
    ] {
        let run = run(&log, &policies, more);
        assert_eq!(run.code, 2, "{more:?}: {}{}", run.out, run.err);
        assert!(!run.err.is_empty() && run.out.is_empty(), "{more:?}");
    }
    for arguments in [&[][..], &["replay"], &["replay", &log], &["replay", "--policies", &policies], &["nothing"]] {
        assert_eq!(catraca(arguments).code, 2, "{arguments:?}");
    }
    assert!(std::fs::read_to_string(&log).unwrap() == access("h", TEN), "the log was not overwritten");
}

#[test]
fn a_field_that_an_access_log_has_not_is_explained() {
    let folder = Folder::new("no-field");
    let run = run(&folder.file("log", access("h", TEN)), &folder.policy(1, "1"), &["--key", "tenant"]);
    fails(&run, 1, &["has no field `tenant`", "const:tenant"]);
}

#[test]
fn decisions_that_cannot_be_written() {
    let folder = Folder::new("unwritten");
    let (log, policies) = (folder.file("log", access("h", TEN)), folder.policy(1, "1"));
    fails(&run(&log, &policies, &["--decisions", "no/such/folder/d.csv"]), 1, &["no/such/folder/d.csv: "]);
    if cfg!(target_os = "linux") {
        let large = folder.file("large", access("h", TEN).repeat(20_000));
        fails(&run(&large, &policies, &["--decisions", "/dev/full"]), 1, &["/dev/full: "]);
    }
}

#[test]
fn help_and_version_are_no_errors() {
    for arguments in [&["--help"][..], &["help"], &["help", "replay"], &["replay", "--help"], &["--version"]] {
        let run = catraca(arguments);
        assert!(run.code == 0 && run.err.is_empty() && run.out.contains("catraca"), "{arguments:?}: {}", run.err);
    }
    assert_eq!(catraca(&["--version"]).out, format!("catraca {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn a_closed_pipe_ends_it_quietly() {
    let folder = Folder::new("closed");
    let (log, policies) = (folder.file("log", access("h", TEN).repeat(50_000)), folder.policy(1, "1"));
    for (more, taken) in [(&["--decisions", "-"][..], 1000), (&["--decisions", "-", "--sort"], 1000), (&["--json"], 0)]
    {
        let mut child = program()
            .args([&["replay", &log, "--policies", &policies], more].concat())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut out = child.stdout.take().unwrap();
        out.read_exact(&mut vec![0; taken]).unwrap();
        drop(out);
        let run: Run = child.wait_with_output().unwrap().into();
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{more:?}");
    }
}

#[test]
fn nobody_listening_to_standard_error_is_no_reason_to_stop() {
    let folder = Folder::new("deaf");
    let (log, policies) = (folder.file("log", "x\n".repeat(10) + &access("h", TEN)), folder.policy(1, "1"));
    let mut child = program()
        .args(["replay", &log, "--policies", &policies, "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stderr.take());
    let run: Run = child.wait_with_output().unwrap().into();
    assert_eq!((run.code, run.number("malformed")), (0, 10));
}

#[test]
fn random_bytes_never_panic() {
    let folder = Folder::new("random");
    let policies = folder.policy(1, "1");
    let seed = access("192.0.2.1", TEN) + "{\"ts\":1.5,\"ip\":\"2001:db8::1\",\"user\":\"a\\u00e9\"}\n";
    let mut state = 1_u64;
    let mut log = Vec::new();
    for _ in 0..3_000 {
        let mut line = seed.clone().into_bytes();
        for _ in 0..3 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let at = (state >> 33) as usize % line.len();
            match state >> 20 & 3 {
                0 => line[at] = (state >> 24) as u8,
                1 => drop(line.remove(at)),
                2 => line.insert(at, b"\"\\[]{} -\n"[(state >> 24) as usize % 9]),
                _ => line.truncate(at.max(20)),
            }
        }
        log.extend_from_slice(&line);
        log.push(b'\n');
    }
    for key in ["ip", "ip/24/64", "user", "agent", "request"] {
        let run =
            catraca_reading(&log, &["replay", "-", "--policies", &policies, "--key", key, "--json", "--keys", "999"]);
        assert_eq!(run.code, 0, "{}", run.err);
        let [lines, decided, malformed, empty] = run.numbers(["lines", "decided", "malformed", "empty"]);
        assert!(lines == decided + malformed + empty && decided > 1_000 && malformed > 500, "{}", run.out);
    }
}

#[test]
fn decisions_never_overwrite_what_is_read_under_any_name() {
    let folder = Folder::new("names");
    let (policies, line) = (folder.policy(1, "1"), access("h", TEN));
    let (log, other) = (folder.file("log", &line), folder.path("hard"));
    std::fs::hard_link(&log, &other).unwrap();
    fails(&run(&log, &policies, &["--decisions", &other]), 2, &["would be overwritten"]);
    let mut command = program();
    command.args(["replay", "-", "--policies", &policies, "--decisions", &log]);
    let output = command.stdin(std::fs::File::open(&log).unwrap()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(std::fs::read_to_string(&log).unwrap(), line);
}
