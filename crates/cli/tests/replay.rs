//! What `catraca replay` does with good input.

mod support;

use std::fs;
use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use support::{Folder, access, catraca, catraca_reading, decisions, replay};

const TEN: &str = "05/Jan/2026:10:00:00 +0000";

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(content).unwrap();
    packer.finish().unwrap()
}

/// Column `index` of rows.
fn column(rows: &[Vec<String>], index: usize) -> Vec<&str> {
    rows.iter().map(|row| row[index].as_str()).collect()
}

#[test]
fn the_seeds_example_holds() {
    let folder = Folder::new("seeds");
    let times = ["0"; 8].into_iter().chain(["1.1"; 3]);
    let log = folder.file("log", times.map(|time| format!("{{\"ts\":{time},\"ip\":\"::1\"}}\n")).collect::<String>());
    let rows = decisions(&folder, &log, &folder.policy(5, "2"), &[]);
    let (yes, no) = ("true", "false");
    assert_eq!(column(&rows, 4), [yes, yes, yes, yes, yes, no, no, no, yes, yes, no]);
    assert_eq!(column(&rows, 5), ["4", "3", "2", "1", "0", "0", "0", "0", "1", "0", "0"]);
    assert_eq!(rows[5][6], "500000000");
    assert_eq!(rows[10][6], "400000000");
}

#[test]
fn the_report_adds_up() {
    let folder = Folder::new("adds-up");
    let log = access("192.0.2.1", TEN).repeat(7) + "\n  \nnonsense\n" + &access("192.0.2.2", TEN);
    let run = replay(&folder.file("log", log), &folder.policy(5, "0.1"), &[]);
    let counts = ["lines", "decided", "malformed", "empty", "out_of_order", "keys", "allowed", "denied", "capacity"];
    assert_eq!(run.numbers(counts), [11, 8, 1, 2, 0, 2, 6, 2, 5]);
    assert_eq!(run.json("refill_rate").to_string(), "0.1");
    assert_eq!((run.json("policy"), run.json("first")), ("only".into(), "2026-01-05T10:00:00Z".into()));
    let most = &run.json("denied_most")[0];
    assert_eq!((&most["key"], &most["denied"], &most["peak_second"]), (&"192.0.2.1".into(), &2.into(), &7.into()));
    assert_eq!(run.json("worst_seconds")[0]["denied"], 2);
    assert!(run.err.contains("log:10: skipped: no fields of an access log\n    nonsense"), "{}", run.err);
}

#[test]
fn a_rate_whose_digits_never_end_is_a_text() {
    let folder = Folder::new("rate-text");
    let run = replay(&folder.file("log", access("h", TEN)), &folder.policy(5, "100/min"), &[]);
    assert_eq!(run.json("refill_rate"), "100/min");
}

#[test]
fn a_line_from_the_past_is_decided_at_the_latest_time() {
    let folder = Folder::new("past");
    let log = ["10:00:10", "10:00:05", "10:00:10", "10:00:09", "10:00:11"]
        .map(|time| access("h", &format!("05/Jan/2026:{time} +0000")))
        .concat();
    let log = folder.file("log", log);
    let rows = decisions(&folder, &log, &folder.policy(2, "1"), &[]);
    assert_eq!(column(&rows, 4), ["true", "true", "false", "false", "true"]);
    let start = 1_767_607_210_000_000_000_u64;
    assert_eq!(rows[3][2], start.to_string());
    let run = replay(&log, &folder.path("p.yaml"), &[]);
    assert_eq!(run.number("out_of_order"), 2);

    let sorted = decisions(&folder, &log, &folder.path("p.yaml"), &["--sort"]);
    assert_eq!(column(&sorted, 0), ["2", "4", "1", "3", "5"], "equal times stay in the order of the log");
    assert_eq!(sorted[0][2], (start - 5_000_000_000).to_string());
    let run = replay(&log, &folder.path("p.yaml"), &["--sort"]);
    assert_eq!(run.numbers(["out_of_order", "moved", "decided"]), [0, 2, 5]);
    assert!(run.number("sort_bytes") >= 5 * 32);
}

#[test]
fn sorting_a_scrambled_log_decides_as_the_log_in_order() {
    let folder = Folder::new("scrambled");
    let line = |n: u32| format!("{{\"ts\":{}.{:03},\"ip\":\"192.0.2.{}\"}}\n", n / 9, n % 9, n * n % 5);
    let policies = folder.policy(3, "2");
    let in_order = folder.file("log", (0..3_000).map(line).collect::<String>());
    let expected = decisions(&folder, &in_order, &policies, &[]);
    // 1009 has no factor in common with 3000, so this visits every line once.
    let scrambled = folder.file("log", (0..3_000).map(|n| line(n * 1_009 % 3_000)).collect::<String>());
    let rows = decisions(&folder, &scrambled, &policies, &["--sort"]);
    assert_eq!(rows.len(), expected.len());
    for (row, expected) in rows.iter().zip(&expected) {
        assert_eq!(row[1..], expected[1..]);
    }
}

#[test]
fn one_caller_however_its_address_is_written() {
    let folder = Folder::new("mapped");
    let clients = ["192.0.2.7", "::ffff:192.0.2.7", "::FFFF:c000:207", "192.0.2.7:4711", "[::ffff:192.0.2.7]:80"];
    let log = clients.map(|client| access(client, TEN)).concat()
        + &access("host.example", TEN)
        + &access("2001:DB8::0:1", TEN);
    let rows = decisions(&folder, &folder.file("log", log), &folder.policy(4, "1"), &["--key", "ip"]);
    let keys = ["192.0.2.7", "192.0.2.7", "192.0.2.7", "192.0.2.7", "192.0.2.7", "host.example", "2001:db8::1"];
    assert_eq!(column(&rows, 1), keys);
    assert_eq!(column(&rows, 4), ["true", "true", "true", "true", "false", "true", "true"]);
}

#[test]
fn keys_of_every_kind() {
    let folder = Folder::new("keys");
    let line = |client: &str, user: &str| {
        format!("{client} - {user} [{TEN}] \"GET /a, \\\"b\\\" HTTP/1.1\" 200 512 \"http://r/\" \"agent\"\n")
    };
    let log = [
        line("2001:db8::1", "ada"),
        line("2001:db8::ffff", "-"),
        line("192.0.2.1", "192.0.2.1"),
        line("192.0.2.2", "joe [x] y"),
    ];
    let log = folder.file("log", log.concat());
    let policies = folder.policy(1, "1");
    for (key, keys, denied) in [
        ("ip", ["2001:db8::1", "2001:db8::ffff", "192.0.2.1", "192.0.2.2"], 0),
        ("ip/64", ["2001:db8::/64", "2001:db8::/64", "192.0.2.1", "192.0.2.2"], 1),
        ("ip/24", ["2001:db8::1", "2001:db8::ffff", "192.0.2.0/24", "192.0.2.0/24"], 1),
        ("ip/24/48", ["2001:db8::/48", "2001:db8::/48", "192.0.2.0/24", "192.0.2.0/24"], 2),
        ("user_id", ["ada", "2001:db8::ffff", "192.0.2.1", "joe [x] y"], 0),
        ("user", ["ada", "-", "192.0.2.1", "joe [x] y"], 0),
        ("field:status", ["200", "200", "200", "200"], 3),
        ("agent", ["agent", "agent", "agent", "agent"], 3),
        ("const:all of them", ["all of them", "all of them", "all of them", "all of them"], 3),
    ] {
        let rows = decisions(&folder, &log, &policies, &["--key", key]);
        assert_eq!(column(&rows, 1), keys, "{key}");
        assert_eq!(rows.iter().filter(|row| row[4] == "false").count(), denied, "{key}");
    }
}

#[test]
fn a_user_is_not_the_address_that_has_its_name() {
    let folder = Folder::new("origins");
    let log = format!("192.0.2.1 - - [{TEN}] \"-\" 200 1\n192.0.2.9 - 192.0.2.1 [{TEN}] \"-\" 200 1\n");
    let rows = decisions(&folder, &folder.file("log", log), &folder.policy(1, "1"), &["--key", "user_id"]);
    assert_eq!(column(&rows, 4), ["true", "true"]);
}

#[test]
fn the_policy_says_what_tells_callers_apart() {
    let folder = Folder::new("key-by");
    let policies =
        |key_by| folder.file("p.yaml", format!("buckets: {{a: {{capacity: 1, refill_rate: 1, key_by: {key_by}}}}}\n"));
    let log = folder
        .file("log", "{\"ts\":1,\"ip\":\"::1\",\"user\":\"ada\",\"api_token\":\"t0\"}\n{\"ts\":1,\"ip\":\"::2\"}\n");
    for (key_by, keys) in [
        ("ip", ["::1", "::2"]),
        ("user_id", ["ada", "::2"]),
        ("api_token", ["t0", "::2"]),
        ("ip/64", ["::/64", "::/64"]),
    ] {
        let rows = decisions(&folder, &log, &policies(key_by), &[]);
        assert_eq!(column(&rows, 1), keys, "{key_by}");
    }
    let run = replay(&folder.file("access", access("::1", TEN)), &policies("api_token"), &[]);
    assert_eq!(run.err.lines().count(), 1, "{}", run.err);
    assert!(run.err.contains("note: key: api_token, else ip; no line has the first"), "{}", run.err);
}

#[test]
fn policies_are_chosen_by_name() {
    let folder = Folder::new("choose");
    let log = folder.file("log", access("h", TEN));
    let bucket = |name| format!("  {name}: {{capacity: 1, refill_rate: 1}}\n");
    let two = folder.file("two.yaml", format!("buckets:\n{}{}", bucket("a"), bucket("default")));
    assert_eq!(replay(&log, &two, &[]).json("policy"), "default");
    assert_eq!(replay(&log, &two, &["--policy", "a"]).json("policy"), "a");
    let none = folder.file("none.yaml", format!("buckets:\n{}{}", bucket("a"), bucket("b")));
    let run = catraca(&["replay", &log, "--policies", &none]);
    assert!(run.code == 2 && run.err.contains("choose one of a, b"), "{}", run.err);
    let run = catraca(&["replay", &log, "--policies", &none, "--policy", "c"]);
    assert!(run.code == 2 && run.err.contains("no policy `c`, only a, b"), "{}", run.err);
}

#[test]
fn time_zones_are_honoured() {
    let folder = Folder::new("zones");
    let same = ["05/Jan/2026:10:00:00 +0000", "05/Jan/2026:07:00:00 -0300", "05/Jan/2026:15:45:00 +0545"];
    let log = same.map(|time| access("h", time)).concat()
        + "{\"time\":\"2026-01-05T12:00:00+02:00\",\"ip\":\"h\"}\n{\"time\":\"2026-01-05T10:00:00.000000001Z\",\"ip\":\"h\"}\n";
    let rows = decisions(&folder, &folder.file("log", log), &folder.policy(9, "1"), &[]);
    let ten = "1767607200000000000";
    assert_eq!(column(&rows, 2), [ten, ten, ten, ten, "1767607200000000001"]);
}

#[test]
fn json_fields_can_be_named() {
    let folder = Folder::new("json-names");
    let log = "{\"ts\":99,\"when\":\"1000\",\"who\":{\"addr\":\"192.0.2.1\",\"tenant\":7}}\n";
    let log = folder.file("log", log);
    let policies = folder.policy(1, "1");
    let more = ["--json-time", "when", "--json-ip", "x,who.addr", "--time-unit", "ms"];
    let rows = decisions(&folder, &log, &policies, &more);
    assert_eq!(rows[0][1..3], ["192.0.2.1", "1000000000"]);
    let rows = decisions(&folder, &log, &policies, &["--key", "who.tenant"]);
    assert_eq!(rows[0][1..3], ["7", "99000000000"]);
}

#[test]
fn costs_are_fixed_or_of_the_log() {
    let folder = Folder::new("costs");
    let line = |bytes: &str| format!("h - - [{TEN}] \"-\" 200 {bytes}\n");
    let log = folder.file("log", ["600", "-", "500", "400", "5000"].map(line).concat());
    let policies = folder.policy(1_000, "100");
    let rows = decisions(&folder, &log, &policies, &["--cost", "bytes"]);
    assert_eq!(column(&rows, 3), ["600", "0", "500", "400", "5000"]);
    assert_eq!(column(&rows, 4), ["true", "true", "false", "true", "false"]);
    assert_eq!(column(&rows, 6), ["0", "0", "1000000000", "0", "never"]);
    let run = replay(&log, &policies, &["--cost", "1001"]);
    assert_eq!(run.numbers(["allowed", "denied", "denied_for_good"]), [0, 5, 5]);
    assert!(run.err.contains("none can ever pass"), "{}", run.err);
}

#[test]
fn a_key_is_quoted_where_csv_needs_it() {
    let folder = Folder::new("quoted");
    let log = folder.file("log", "{\"ts\":1,\"user\":\"a,\\\"b\\\"\\nc\"}\n{\"ts\":1,\"user\":\" plain \"}\n");
    let csv = folder.path("d.csv");
    replay(&log, &folder.policy(1, "1"), &["--key", "field:user", "--decisions", &csv]);
    let text = fs::read_to_string(csv).unwrap();
    let expected = [
        "line,key,time_ns,cost,allowed,remaining,retry_after_ns",
        "1,\"a,\"\"b\"\"",
        "c\",1000000000,1,true,0,0",
        "2, plain ,1000000000,1,true,0,0\n",
    ];
    assert_eq!(text, expected.join("\n"));
}

#[test]
fn packed_logs_whatever_their_name() {
    let folder = Folder::new("packed");
    let policies = folder.policy(1, "1");
    let plain = access("192.0.2.1", TEN) + &access("192.0.2.2", TEN);
    // Two members, one after the other, as log rotation makes them; a line runs across.
    let (first, second) = plain.as_bytes().split_at(100);
    let packed = [gzip(first), gzip(second)].concat();
    for name in ["log.gz", "log"] {
        let run = replay(&folder.file(name, &packed), &policies, &[]);
        assert_eq!(run.numbers(["lines", "decided", "keys"]), [2, 2, 2]);
    }
    let run = catraca_reading(&packed, &["replay", "-", "--policies", &policies, "--json"]);
    assert_eq!(run.numbers(["lines", "decided"]), [2, 2]);
    let run = replay(&folder.file("named.gz", &plain), &policies, &[]);
    assert_eq!(run.number("decided"), 2);
}

#[test]
fn several_logs_are_one_stream() {
    let folder = Folder::new("several");
    let first = folder.file("1", access("a", "05/Jan/2026:10:00:05 +0000") + "x\n" + access("a", TEN).trim_end());
    let second = folder.file("2", gzip(access("b", "05/Jan/2026:10:00:04 +0000").as_bytes()));
    let policies = folder.policy(9, "1");
    let csv = folder.path("d.csv");
    for (sort, lines) in [(&[][..], ["1", "3", "4"]), (&["--sort"][..], ["3", "4", "1"])] {
        let arguments = ["replay", &first, &second, "--policies", &policies, "--json", "--decisions", &csv];
        let run = catraca(&[&arguments, sort].concat());
        assert_eq!(run.numbers(["lines", "decided", "malformed"]), [4, 3, 1]);
        let text = fs::read_to_string(&csv).unwrap();
        let rows: Vec<&str> = text.lines().skip(1).map(|row| row.split(',').next().unwrap()).collect();
        assert_eq!(rows, lines);
    }
}

#[test]
fn standard_input_and_standard_output() {
    let folder = Folder::new("streams");
    let policies = folder.policy(1, "1");
    let log = access("192.0.2.1", TEN).repeat(2);
    let arguments = ["replay", "-", "--policies", &policies, "--decisions", "-", "--json"];
    let run = catraca_reading(log.as_bytes(), &arguments);
    assert_eq!(run.code, 0);
    assert_eq!(run.out.lines().count(), 3, "rows alone: {}", run.out);
    assert!(run.err.contains("\"decided\":2"), "the report gives way: {}", run.err);
    let run = catraca_reading(log.as_bytes(), &["replay", "-", "--policies", &policies]);
    assert!(run.code == 0 && run.out.contains("decided"), "{}", run.out);
}

#[test]
fn a_crowded_table_and_ledger_say_so() {
    let folder = Folder::new("crowded");
    let log: String = (0..5_000).map(|n| access(&format!("10.0.{}.{}", n / 250, n % 250), TEN)).collect();
    let run =
        catraca(&["replay", &folder.file("log", log), "--policies", &folder.policy(1, "1"), "--keys", "100", "--json"]);
    assert_eq!((run.code, run.number("keys"), run.json("keys_complete")), (0, 100, false.into()));
    assert!(run.number("began_short") > 0 && run.err.contains("raise --keys"), "{}", run.err);
}

#[test]
fn a_log_may_jump_centuries() {
    let folder = Folder::new("centuries");
    let years = ["0001", "1969", "2015", "2300", "9999"];
    let log = years.map(|year| access("h", &format!("17/May/{year}:10:05:03 +0000")).repeat(3)).concat();
    let rows = decisions(&folder, &folder.file("log", log), &folder.policy(2, "1"), &[]);
    assert_eq!(column(&rows, 4), ["true", "true", "false"].repeat(5));
    assert_eq!(rows[14][2], "253382551503000000000");
}

#[test]
fn the_report_fits_80_columns_and_never_steers_the_terminal() {
    let folder = Folder::new("terminal");
    let user = "evil\\u001b[2J\\u202e\\u0007日本語日本語日本語日本語日本語日本語";
    let log = format!("{{\"ts\":1767607200.123456789,\"user\":\"{user}\"}}\n").repeat(5_000) + "\u{1b}]0;title\u{7}\n";
    let log = folder.file("log", log);
    let run = catraca(&["replay", &log, "--policies", &folder.policy(1, "1"), "--key", "user"]);
    assert!(run.out.contains("\\u{1b}[2J"), "{}", run.out);
    for text in [&run.out, &run.err] {
        assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{text:?}");
    }
    let width = |line: &str| line.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum::<usize>();
    assert!(run.out.lines().all(|line| width(line) <= 80), "{}", run.out);
}
