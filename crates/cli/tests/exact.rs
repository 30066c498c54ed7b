//! Every decision is the one of exact arithmetic, line for line.
//!
//! The oracle is the token bucket as it is taught: `min(B, tokens + dt * r)`. Counted in parts of a token of which one
//! comes back in whole numbers each nanosecond, it needs neither fractions nor rounding.

mod support;

use std::collections::HashMap;

use support::{Folder, access, decisions};

/// `tokens` every `nanos`, and how a policy says it.
struct Rate {
    text: &'static str,
    tokens: u128,
    nanos: u128,
}

const SECOND: u128 = 1_000_000_000;

const RATES: [Rate; 9] = [
    Rate { text: "5", tokens: 5, nanos: SECOND },
    Rate { text: "0.1", tokens: 1, nanos: 10 * SECOND },
    Rate { text: "7/min", tokens: 7, nanos: 60 * SECOND },
    Rate { text: "100/min", tokens: 5, nanos: 3 * SECOND },
    Rate { text: "1/day", tokens: 1, nanos: 86_400 * SECOND },
    Rate { text: "0.333", tokens: 333, nanos: 1_000 * SECOND },
    Rate { text: "\"11 per 7 s\"", tokens: 11, nanos: 7 * SECOND },
    Rate { text: "1000/h", tokens: 1_000, nanos: 3_600 * SECOND },
    Rate { text: "1/year", tokens: 1, nanos: 365 * 86_400 * SECOND },
];

/// Numbers that look random.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u128) -> u128 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let high = u128::from(self.0 >> 16);
        (high * end) >> 48
    }
}

/// Times that try a bucket of this rate: repeated, stepping back, near refills, and after long pauses, each a
/// multiple of `unit` nanoseconds.
fn times(dice: &mut Dice, count: usize, rate: &Rate, capacity: u128, unit: u128) -> Vec<u128> {
    let token = rate.nanos / rate.tokens;
    // Slow rates are tried by shorter steps, so that all times lie within 30 years.
    let step = token.min(30 * 365 * 86_400 * SECOND / count as u128);
    let mut now = 1_700_000_000 * SECOND + dice.below(SECOND);
    let mut times = Vec::with_capacity(count);
    for _ in 0..count {
        now += match dice.below(40) {
            0..8 => 0,
            8 => step,
            9 => step - 1,
            10 => step + 1,
            11 if dice.below(10) == 0 && step == token => token * (capacity.min(20) + dice.below(3)),
            _ => dice.below(step / 8 + 1),
        };
        let back = if dice.below(15) == 0 { dice.below(2 * step) } else { 0 };
        times.push((now - back) / unit * unit);
    }
    times
}

/// What of a row must be as exact arithmetic says: all of it, or all but what is late by a few ticks.
#[derive(Clone, Copy, PartialEq)]
enum Claim {
    Equal,
    NeverMore,
}

/// Compares every row with the oracle. The log's line `n` is stamped `times[n - 1]` and called by `callers[n - 1]`.
fn compare(rows: &[Vec<String>], times: &[u128], callers: &[String], rate: &Rate, capacity: u128, claim: Claim) {
    let (part, full) = (rate.nanos, capacity * rate.nanos);
    // Where a quota is thinned for its word, a tick is at most 1000 parts.
    let slack = if claim == Claim::Equal { 0 } else { 2_000 };
    let mut buckets: HashMap<&str, (u128, u128)> = HashMap::new();
    let mut now = 0;
    assert_eq!(rows.len(), times.len());
    for (index, row) in rows.iter().enumerate() {
        now = now.max(times[index]);
        let say = || format!("{} burst {capacity}: {row:?}", rate.text);
        assert_eq!(row[..3], [(index + 1).to_string(), callers[index].clone(), now.to_string()], "{}", say());
        let number = |field: usize| row[field].parse::<u128>().unwrap();
        let (cost, is_allowed, remaining, retry) = (number(3), row[4] == "true", number(5), number(6));
        let (parts, last) = buckets.entry(&callers[index]).or_insert((full, now));
        *parts = full.min(*parts + (now - *last) * rate.tokens);
        *last = now;
        let asked = cost * part;
        if is_allowed {
            assert!(*parts >= asked, "more than the bucket admits: {}", say());
            *parts -= asked;
            assert_eq!(retry, 0, "{}", say());
        } else {
            assert!(*parts < asked + slack, "less than the bucket admits: {}", say());
            let exact = asked.saturating_sub(*parts).div_ceil(rate.tokens);
            let late = slack.div_ceil(rate.tokens);
            assert!((exact..=exact + late).contains(&retry), "waits {exact}: {}", say());
        }
        let least = parts.saturating_sub(slack) / part;
        assert!((least..=*parts / part).contains(&remaining), "{} parts: {}", *parts, say());
    }
    // A log that is all allowed or all denied would show little.
    let denied = rows.iter().filter(|row| row[4] == "false").count();
    assert!(denied > 10 && rows.len() - denied > 10, "{} burst {capacity}: {denied} denied", rate.text);
}

#[test]
fn lines_of_every_precision_and_odd_rates() {
    let folder = Folder::new("exact");
    let mut dice = Dice(7);
    for rate in &RATES {
        for (unit, name) in [(SECOND, "s"), (1_000_000, "ms"), (1_000, "us"), (1, "ns")] {
            let capacity = [1, 2, 10, 50][dice.below(4) as usize];
            let times = times(&mut dice, 1_500, rate, capacity, unit);
            let callers: Vec<String> = times.iter().map(|_| format!("192.0.2.{}", dice.below(4))).collect();
            let line = |(time, caller): (&u128, &String)| format!("{{\"ip\":\"{caller}\",\"ts\":{}}}\n", time / unit);
            let log = folder.file("log", times.iter().zip(&callers).map(line).collect::<String>());
            let policies = folder.policy(capacity as u64, rate.text);
            let rows = decisions(&folder, &log, &policies, &["--time-unit", name]);
            let claim = if unit == 1 { Claim::NeverMore } else { Claim::Equal };
            compare(&rows, &times, &callers, rate, capacity, claim);
        }
    }
}

#[test]
fn nanoseconds_are_exact_where_the_rate_is_plain() {
    let folder = Folder::new("exact-nanos");
    let mut dice = Dice(11);
    for rate in RATES.iter().filter(|rate| ["5", "0.1", "7/min", "1/day"].contains(&rate.text)) {
        let times = times(&mut dice, 2_000, rate, 3, 1);
        let callers: Vec<String> = times.iter().map(|_| format!("caller{}", dice.below(3))).collect();
        // As decimal seconds: the digits survive.
        let line = |(time, caller): (&u128, &String)| {
            format!("{{\"time\":{}.{:09},\"remote_addr\":\"{caller}\"}}\n", time / SECOND, time % SECOND)
        };
        let log = folder.file("log", times.iter().zip(&callers).map(line).collect::<String>());
        let rows = decisions(&folder, &log, &folder.policy(3, rate.text), &[]);
        compare(&rows, &times, &callers, rate, 3, Claim::Equal);
    }
}

#[test]
fn costs_are_exact_too() {
    let folder = Folder::new("exact-costs");
    let mut dice = Dice(13);
    let rate = Rate { text: "5000", tokens: 5_000, nanos: SECOND };
    let times: Vec<u128> = (0..3_000)
        .scan(SECOND, |now, _| {
            *now += dice.below(SECOND / 1_000) * 1_000;
            Some(*now)
        })
        .collect();
    let mut dice = Dice(14);
    let callers: Vec<String> = times.iter().map(|_| "all".to_owned()).collect();
    let mut cost = || if dice.below(9) == 0 { 0 } else { dice.below(9_000) };
    let line = |time: &u128| format!("{{\"ts\":{},\"bytes\":{}}}\n", time / 1_000, cost());
    let log = folder.file("log", times.iter().map(line).collect::<String>());
    let more = ["--time-unit", "us", "--key", "const:all", "--cost", "bytes"];
    let rows = decisions(&folder, &log, &folder.policy(10_000, rate.text), &more);
    assert!(rows.iter().any(|row| row[4] == "false") && rows.iter().any(|row| row[3] == "0"));
    compare(&rows, &times, &callers, &rate, 10_000, Claim::Equal);
}

#[test]
fn access_logs_over_decades_with_long_pauses() {
    let folder = Folder::new("exact-decades");
    let mut dice = Dice(17);
    let rate = &RATES[0];
    let mut seconds = 0;
    let mut times = Vec::new();
    for _ in 0..2_000 {
        seconds += if dice.below(50) == 0 { dice.below(5 * 365 * 86_400) } else { dice.below(8) / 7 };
        times.push(seconds * SECOND);
    }
    assert!(seconds > 80 * 365 * 86_400, "longer than the engine's axis");
    let callers: Vec<String> = times.iter().map(|_| format!("2001:db8::{:x}", 1 + dice.below(2))).collect();
    let line = |(time, caller): (&u128, &String)| {
        let time = jiff::Timestamp::from_second((time / SECOND) as i64).unwrap();
        let there = jiff::tz::offset(-7).to_datetime(time);
        access(caller, &format!("{} -0700", there.strftime("%d/%b/%Y:%H:%M:%S")))
    };
    let log = folder.file("log", times.iter().zip(&callers).map(line).collect::<String>());
    let rows = decisions(&folder, &log, &folder.policy(4, rate.text), &[]);
    compare(&rows, &times, &callers, rate, 4, Claim::Equal);
}

#[test]
fn the_example_log_is_decided_exactly() {
    let folder = Folder::new("exact-example");
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let (log, policies) = (format!("{examples}/access.log"), format!("{examples}/policies.yaml"));
    for (name, rate, capacity) in [("default", 5, 10), ("search", 10, 30), ("auth_login", 1, 5)] {
        let rows = decisions(&folder, &log, &policies, &["--policy", name]);
        let times: Vec<u128> = rows.iter().map(|row| row[2].parse().unwrap()).collect();
        let callers: Vec<String> = rows.iter().map(|row| row[1].clone()).collect();
        // One line of the example cannot be read, so numbers of lines and of rows part ways; renumber.
        let rows: Vec<Vec<String>> = rows
            .into_iter()
            .enumerate()
            .map(|(index, mut row)| {
                row[0] = (index + 1).to_string();
                row
            })
            .collect();
        compare(&rows, &times, &callers, &Rate { text: name, tokens: rate, nanos: SECOND }, capacity, Claim::Equal);
    }
}
