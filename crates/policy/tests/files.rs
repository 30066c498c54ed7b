//! Policy files, right and wrong, as a user writes them.

use std::path::PathBuf;

use catraca::{Quota, Rate};
use catraca_policy::{KeyBy, PolicyError, PolicyFile, Storage};

fn parse(text: &str) -> PolicyFile {
    PolicyFile::parse("p.yaml", text).unwrap_or_else(|error| panic!("{error}"))
}

/// The faults of a text, each as `line:column: message`.
fn faults(text: &str) -> Vec<String> {
    match PolicyFile::parse("p.yaml", text) {
        Ok(file) => panic!("read without a fault: {file:?}"),
        Err(error) => error.faults().iter().map(ToString::to_string).collect(),
    }
}

/// The only fault of a bucket with these lines, the first of which is line 3 and indented by 4.
fn bucket_fault(lines: &str) -> String {
    let faults = faults(&format!("buckets:\n  a:\n    {}\n", lines.replace('\n', "\n    ")));
    assert_eq!(faults.len(), 1, "{faults:?}");
    faults.concat()
}

fn example() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/policies.yaml")
}

#[test]
fn the_example_says_what_it_says() {
    let file = PolicyFile::load(example()).unwrap();
    assert_eq!(file.names().collect::<Vec<_>>(), ["default", "search", "auth_login"]);
    for (name, rate, capacity) in [("default", 5, 10), ("search", 10, 30), ("auth_login", 1, 5)] {
        let policy = file.get(name).unwrap();
        assert_eq!(policy.quota(), Quota::new(Rate::per_second(rate), capacity).unwrap());
        assert_eq!(policy.storage(), Storage::Redis);
        assert_eq!(policy.key_by(), KeyBy::ApiToken);
        assert_eq!(policy.on_deny().status(), 429);
    }
    assert!(file.get("nobody").is_none());
}

#[test]
fn a_bucket_overrules_the_file_and_the_file_the_defaults() {
    let file = parse(
        "buckets:\n  a: {capacity: 1, refill_rate: 1}\n  b: {capacity: 1, refill_rate: 1, storage: memory, key_by: ip/64, on_deny: 503}\nstorage: redis\n",
    );
    let (a, b) = (file.get("a").unwrap(), file.get("b").unwrap());
    assert_eq!((a.storage(), a.key_by(), a.on_deny().status()), (Storage::Redis, KeyBy::default(), 429));
    assert_eq!((b.storage(), b.key_by().to_string(), b.on_deny().status()), (Storage::Memory, "ip/64".into(), 503));
    assert_eq!((a.line(), b.line()), (2, 3));
}

#[test]
fn rates_are_exact_to_the_last_digit() {
    for (text, rate) in [
        ("0.1", "1 per 10 s"),
        ("0.333", "333 per 1000 s"),
        ("5", "5/s"),
        ("2.50", "5 per 2 s"),
        ("100/min", "100/min"),
        ("\"100/min\"", "100/min"),
        ("'7 per 10 s'", "7/10s"),
        ("1/day", "1/day"),
        ("123456789.987654321", "123456789.987654321/s"),
    ] {
        let file = parse(&format!("buckets:\n  a:\n    capacity: 3\n    refill_rate: {text}\n"));
        assert_eq!(file.get("a").unwrap().quota().rate(), rate.parse().unwrap(), "{text}");
    }
}

#[test]
fn a_capacity_that_is_none() {
    for (text, column, says) in [
        ("0", 15, "the smallest that works is 1"),
        ("-1", 15, "`-1` is not a capacity"),
        ("1e30", 15, "`1e30` is not a capacity"),
        ("NaN", 15, "`NaN` is not a capacity"),
        (".nan", 15, "`.nan` is not a capacity"),
        ("1.5", 15, "in digits alone"),
        ("010", 15, "`010` is not a capacity"),
        ("0x10", 15, "`0x10` is not a capacity"),
        ("1_000", 15, "`1_000` is not a capacity"),
        ("\"10\"", 15, "without quotes"),
        ("true", 15, "`true` is not a capacity"),
        ("[10]", 15, "`capacity` is a list"),
        ("{}", 15, "`capacity` is a mapping"),
        ("", 13, "`capacity` is empty"),
        ("18446744073709551616", 15, "below 2^64"),
        ("18446744073709551615", 15, "the largest that works is"),
        ("99999999999999999999999999999999999999999999", 15, "too large"),
    ] {
        let fault = bucket_fault(&format!("capacity: {text}\nrefill_rate: 1"));
        assert!(fault.starts_with(&format!("3:{column}: ")) && fault.contains(says), "{text}: {fault}");
    }
}

#[test]
fn a_rate_that_is_none() {
    for (text, says) in [
        ("0", "a rate of 0 never gives a token back"),
        ("-5", "`-5` is not a number of tokens"),
        ("NaN", "`NaN` is not a number of tokens"),
        (".inf", "`.inf` is not a number of tokens"),
        ("-.INF", "`-.INF` is not a number of tokens"),
        ("1e3", "`1e3` is not a number of tokens"),
        ("5/fortnight", "`fortnight` is not a period"),
        ("\"5\"", "`5` is not a rate"),
        ("9e999", "`9e999` is not a number of tokens"),
        ("99999999999", "too fast"),
        ("0.00000000000000000001", "more digits"),
        ("1/99year", "too slow"),
        ("[1, 2]", "`refill_rate` is a list"),
    ] {
        let fault = bucket_fault(&format!("capacity: 1\nrefill_rate: {text}"));
        let says = if says == "too slow" { "the slowest rate that works" } else { says };
        assert!(fault.starts_with("4:18: ") && fault.contains(says), "{text}: {fault}");
    }
}

#[test]
fn words_that_mean_nothing_list_those_that_do() {
    for (line, says) in [
        ("storage: disk", "expected memory or redis"),
        ("storage:", "`storage` is empty"),
        ("key_by: ips", "expected ip, ip/64 (or another prefix), api_token or user_id"),
        ("key_by: ip/0", "1 to 32 of IPv4"),
        ("on_deny: 200", "400 to 599"),
        ("on_deny: \"4290\"", "400 to 599"),
        ("on_deny: teapot", "400 to 599"),
        ("refil_rate: 3", "expected capacity, refill_rate, storage, key_by, on_deny"),
        ("Capacity: 3", "`Capacity` is not a key of bucket `a`"),
        ("<<: {capacity: 3}", "`<<` is not a key"),
    ] {
        let fault = bucket_fault(&format!("capacity: 1\nrefill_rate: 1\n{line}"));
        assert!(fault.starts_with("5:") && fault.contains(says), "{line}: {fault}");
    }
}

#[test]
fn what_is_given_twice_names_both_places() {
    let twice = "buckets:\n  a: {capacity: 1, refill_rate: 1}\n  b: {capacity: 1, refill_rate: 1}\n  a: {capacity: 2, refill_rate: 1}\n";
    assert_eq!(faults(twice), ["4:3: `a` is given twice: first at 2:3"]);
    let twice = "buckets:\n  a:\n    capacity: 1\n    refill_rate: 1\n    capacity: 1\n";
    assert_eq!(faults(twice), ["5:5: `capacity` is given twice: first at 3:5"]);
    let twice = "storage: redis\nbuckets:\n  a: {capacity: 1, refill_rate: 1}\nstorage: redis\n";
    assert_eq!(faults(twice), ["4:1: `storage` is given twice: first at 1:1"]);
}

#[test]
fn all_faults_at_once_in_the_order_of_the_file() {
    let text = "bucket: 1\nbuckets:\n  a:\n    capacity: 0\n    refill_rate: 1\n  b:\n    capacity: x\n  c: 5\n  d:\nkey_by: x\n";
    let faults = faults(text);
    let starts = ["1:1:", "4:15:", "6:3:", "7:15:", "8:3:", "9:3:", "10:9:"];
    assert_eq!(faults.len(), starts.len(), "{faults:#?}");
    assert!(faults.iter().zip(starts).all(|(fault, start)| fault.starts_with(start)), "{faults:#?}");
}

#[test]
fn what_is_no_yaml_says_where() {
    for (text, start, says) in [
        ("buckets:\n\ta:\n", "2:", "indented with a tab"),
        ("buckets:\n  a:\n  \tcapacity: 1\n", "3:", "tab"),
        ("buckets: [\n", "", "not YAML"),
        ("buckets: {a: {capacity: 1, refill_rate: 1}}\n---\nbuckets: {}\n", "3:1", "one document"),
        ("buckets:\n  a: *nobody\n", "2:6", "not YAML"),
        ("buckets:\n  a: !python/object x\n", "2:", "tag"),
        ("buckets:\n  ? [a, b]\n  : 1\n", "2:", "not YAML"),
        ("\u{0}\u{1}\u{2}", "1:1", "not YAML"),
    ] {
        let faults = faults(text);
        assert!(faults.len() == 1 && faults[0].starts_with(start) && faults[0].contains(says), "{text:?}: {faults:?}");
    }
}

#[test]
fn what_is_no_policy_file() {
    for (text, says) in [
        ("", "1:1: the file is empty"),
        ("# nothing\n\n", "the file is empty"),
        ("just a text", "1:1: this is not a policy file"),
        ("[1, 2]", "1:1: this is not a policy file"),
        ("{}", "names no buckets"),
        ("storage: redis\n", "names no buckets"),
        ("buckets:\n", "1:1: `buckets` is empty"),
        ("buckets: {}\n", "1:1: `buckets` is empty"),
        ("buckets: 5\n", "1:10: `buckets` is a single value"),
        ("buckets: [a]\n", "1:10: `buckets` is a list"),
        ("buckets:\n  \"\": {capacity: 1, refill_rate: 1}\n", "2:3: the name of a bucket"),
    ] {
        let faults = faults(text);
        assert!(faults.len() == 1 && faults[0].contains(says), "{text:?}: {faults:?}");
    }
}

#[test]
fn a_file_whose_indentation_was_lost_is_told_so() {
    let faults = faults("buckets:\ndefault:\ncapacity: 10\nrefill_rate: 5\n");
    assert!(
        faults.iter().any(|fault| fault.starts_with("3:1: ") && fault.contains("indented, below `buckets`")),
        "{faults:?}"
    );
}

#[test]
fn an_error_shows_the_line_and_points_at_the_fault() {
    let error =
        PolicyFile::parse("p.yaml", "buckets:\n  a:\n    capacity: 1e30 # much\n    refill_rate: 1\n").unwrap_err();
    let lines = [
        "p.yaml:3:15: `1e30` is not a capacity: expected a whole number of tokens, 1 or more, in digits alone",
        " 3 |     capacity: 1e30 # much",
        "   |               ^^^^",
    ];
    assert_eq!(error.to_string(), lines.join("\n"));
}

#[test]
fn an_error_never_steers_the_terminal() {
    let text = format!("buckets:\n  \"a\\e[2J\": 5\n{}key_by: \"\\u202Ex\\e[31m\"\n", "#".repeat(3));
    for text in [text.as_str(), "key_by: \"\\e]0;owned\\a\"\n", "\u{1b}[31m: 5\n"] {
        let shown = PolicyFile::parse("p.yaml", text).unwrap_err().to_string();
        assert!(!shown.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{shown:?}");
    }
}

#[test]
fn a_long_line_is_shown_around_its_fault() {
    let text = format!("{{a: \"{}\", buckets: 5, {}}}\n", "y".repeat(300), "x".repeat(500));
    let shown = PolicyFile::parse("p.yaml", &text).unwrap_err().to_string();
    assert!(shown.lines().filter(|line| line.starts_with(" 1 |")).all(|line| line.len() < 80), "{shown}");
}

#[test]
fn aliases_are_followed_and_bombs_are_not() {
    let file = parse("buckets:\n  a: &a {capacity: 7, refill_rate: 0.5}\n  b: *a\n");
    assert_eq!(file.get("a").unwrap().quota(), file.get("b").unwrap().quota());
    let mut bomb = String::from("x0: &x0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n");
    for level in 1..12 {
        let inner = format!("*x{}, ", level - 1).repeat(9);
        bomb += &format!("x{level}: &x{level} [{inner}]\n");
    }
    assert!(!faults(&bomb).is_empty());
    let nest = format!("buckets: {}", "[".repeat(100_000));
    assert!(!faults(&nest).is_empty());
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let directory = PolicyFile::load(env!("CARGO_MANIFEST_DIR")).unwrap_err();
    assert!(matches!(directory, PolicyError::Unreadable { .. }) && directory.to_string().contains("directory"));
    let missing = PolicyFile::load("no/such/file.yaml").unwrap_err().to_string();
    assert!(missing.starts_with("no/such/file.yaml: "), "{missing}");
}

#[test]
fn a_file_that_is_no_text_or_too_large_is_told_so() {
    let folder = std::env::temp_dir().join(format!("catraca-policy-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let load = |bytes: &[u8]| {
        let path = folder.join("p.yaml");
        std::fs::write(&path, bytes).unwrap();
        PolicyFile::load(&path).map_err(|error| error.to_string())
    };
    assert!(load(b"buckets:\n  \xff\xfe").unwrap_err().contains(":2:3: this is not a policy file: the byte 0xff"));
    let large = [b"# much\n".repeat(200_000), b"buckets: {a: {capacity: 1, refill_rate: 1}}".to_vec()].concat();
    assert!(load(&large).unwrap_err().contains("at most 1048576 bytes"));
    assert!(load(b"\xef\xbb\xbfbuckets: {a: {capacity: 1, refill_rate: 1}}\r\n").is_ok());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn no_mutation_of_a_good_file_panics() {
    let seed = std::fs::read(example()).unwrap();
    let (mut state, mut good) = (1_u64, 0);
    for _ in 0..4_000 {
        let mut bytes = seed.clone();
        for _ in 0..1 + (state >> 60) % 3 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let (at, kind) = ((state >> 33) as usize % bytes.len(), state >> 20 & 3);
            let other = b"\"':{}[]&*!|>%@`#-?,\t\n\r 019.e\x00\xc3\xa9~"[(state >> 24) as usize % 32];
            match kind {
                0 => bytes[at] = other,
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, other),
                _ => bytes.truncate(at.max(20)),
            }
        }
        match PolicyFile::parse("p.yaml", &String::from_utf8_lossy(&bytes)) {
            Ok(file) => good += usize::from(!file.policies().is_empty()),
            Err(error) => assert!(!error.faults().is_empty() && error.to_string().starts_with("p.yaml:"), "{error}"),
        }
    }
    assert!(good > 400, "{good}");
}
