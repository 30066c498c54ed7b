//! Measures the engine, its floor and its peers in interleaved rounds and writes the tables of BENCHMARKS.md.
//!
//! ```text
//! cargo run --release --bin ratios -- [--quick] [--write ../BENCHMARKS.md]
//! ```

use std::fmt::Write as _;
use std::hint::black_box;
use std::sync::Barrier;
use std::time::Instant;
use std::{env, fs, process::Command};

use catraca::{Clock, Limiter, MonotonicClock, Timestamp};
use catraca_benches::contestants::{Floor, Governor, catraca, generous, governor, mean};
use catraca_benches::keys::{Spread, stream, texts};

/// Somebody who can be asked: does so many requests on the given thread, and says how many passed.
struct Contestant<'a> {
    name: &'static str,
    ask: Box<dyn Fn(usize, usize) -> usize + Sync + 'a>,
}

/// Nanoseconds per decision: the median of the rounds, and their tenth and ninetieth hundredth.
#[derive(Clone, Copy)]
struct Figure {
    median: f64,
    low: f64,
    high: f64,
}

#[derive(Clone, Copy)]
struct Effort {
    rounds: usize,
    requests: usize,
    largest: usize,
}

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let quick = arguments.iter().any(|argument| argument == "--quick");
    let effort = if quick {
        Effort { rounds: 7, requests: 300_000, largest: 1_000_000 }
    } else {
        Effort { rounds: 15, requests: 1_000_000, largest: 10_000_000 }
    };
    let mut report = machine();
    report += &hits(effort);
    report += &strings(effort);
    report += &hot(effort);
    report += &floods(effort);
    report += &crowding();
    println!("{report}");
    if let Some(at) = arguments.iter().position(|argument| argument == "--write") {
        let path = arguments.get(at + 1).expect("--write FILE");
        let page = fs::read_to_string(path).expect("the page to write into");
        let (before, rest) = page.split_once("<!-- begin generated -->").expect("a begin mark");
        let (_, after) = rest.split_once("<!-- end generated -->").expect("an end mark");
        let page = format!("{before}<!-- begin generated -->\n{report}<!-- end generated -->{after}");
        fs::write(path, page).expect("the page can be written");
    }
}

/// All contestants on so many threads, in turns, round after round.
fn measure(contestants: &[Contestant<'_>], threads: usize, effort: Effort) -> Vec<Figure> {
    let mut rounds = vec![Vec::new(); contestants.len()];
    for round in 0..=effort.rounds {
        for (index, contestant) in contestants.iter().enumerate() {
            let nanos = once(contestant, threads, effort.requests);
            if round > 0 {
                rounds[index].push(nanos); // the first warms up
            }
        }
    }
    rounds.into_iter().map(figure).collect()
}

fn once(contestant: &Contestant<'_>, threads: usize, requests: usize) -> f64 {
    let barrier = Barrier::new(threads);
    let run = |thread: usize| {
        barrier.wait();
        let begun = Instant::now();
        black_box((contestant.ask)(thread, requests));
        begun.elapsed().as_nanos() as f64 / requests as f64
    };
    std::thread::scope(|scope| {
        let run = &run;
        let others: Vec<_> = (1..threads).map(|thread| scope.spawn(move || run(thread))).collect();
        let first = run(0);
        let sum: f64 = others.into_iter().map(|other| other.join().expect("no contestant panics")).sum();
        (first + sum) / threads as f64
    })
}

fn figure(mut rounds: Vec<f64>) -> Figure {
    rounds.sort_by(f64::total_cmp);
    let at = |hundredth: usize| rounds[(rounds.len() - 1) * hundredth / 100];
    Figure { median: at(50), low: at(10), high: at(90) }
}

/// A table row: who, nanoseconds and spread, against the first (the floor) and against the one named.
fn rows(out: &mut String, workload: &str, contestants: &[Contestant<'_>], figures: &[Figure], rival: &str) {
    let rival = contestants.iter().position(|contestant| contestant.name == rival).map(|index| figures[index].median);
    for (contestant, figure) in contestants.iter().zip(figures) {
        let Figure { median, low, high } = *figure;
        let times = |base: f64| format!("{:.2}", median / base);
        let faster = rival.map_or_else(|| "".into(), |rival| format!("{:.2}", rival / median));
        let name = contestant.name;
        let against = times(figures[0].median);
        writeln!(out, "| {workload} | {name} | {median:.1} | {low:.1} to {high:.1} | {against} | {faster} |").unwrap();
    }
}

const HEAD: &str =
    "| workload | who | ns | spread | of the first row | faster than governor+ahash |\n|---|---|--:|---|--:|--:|\n";

/// Walks the stream from a place of the thread's own.
fn walk<T>(stream: &[T], thread: usize, requests: usize, ask: impl Fn(&T) -> bool) -> usize {
    let start = thread * stream.len() / 2;
    stream.iter().cycle().skip(start).take(requests).filter(|key| ask(key)).count()
}

fn contestants<'a, K: std::hash::Hash + Eq + Clone + Send + Sync>(
    stream: &'a [K],
    floor: &'a Floor,
    limiter: &'a Limiter<K>,
    rivals: &'a (Governor<K, ahash::RandomState>, Governor<K, std::hash::RandomState>),
) -> Vec<Contestant<'a>> {
    let given = move |thread, requests| {
        let now = MonotonicClock.now();
        walk(stream, thread, requests, |key| limiter.check_at(key, now).is_allowed())
    };
    vec![
        Contestant { name: "floor", ask: Box::new(move |t, n| walk(stream, t, n, |key| floor.touch(key))) },
        Contestant {
            name: "catraca",
            ask: Box::new(move |t, n| walk(stream, t, n, |key| limiter.check(key).is_allowed())),
        },
        Contestant { name: "catraca, time given", ask: Box::new(given) },
        Contestant {
            name: "governor+ahash",
            ask: Box::new(move |t, n| walk(stream, t, n, |key| rivals.0.check_key(key).is_ok())),
        },
        Contestant {
            name: "governor",
            ask: Box::new(move |t, n| walk(stream, t, n, |key| rivals.1.check_key(key).is_ok())),
        },
    ]
}

fn hits(effort: Effort) -> String {
    let mut out = format!("\n### Allowed hits, u64 keys, the clock read each time\n\n{HEAD}");
    for keys in [1_000, 64_000, 1_000_000, 10_000_000].into_iter().filter(|&keys| keys <= effort.largest) {
        for (room, label) in [(2 * keys, "half full"), (keys, "as full as meant")] {
            let floor = Floor::new(room);
            let limiter = catraca(generous(), room);
            let rivals = (governor(generous()), governor(generous()));
            for key in 0..keys as u64 {
                black_box((limiter.check(&key).is_allowed(), rivals.0.check_key(&key), rivals.1.check_key(&key)).0);
            }
            for spread in [Spread::Uniform, Spread::Zipf] {
                let stream = stream(keys, spread);
                let contestants = contestants(&stream, &floor, &limiter, &rivals);
                for threads in [1, 2] {
                    let figures = measure(&contestants, threads, effort);
                    let workload = format!("{keys} keys, {spread:?}, {label}, {threads} thread(s)");
                    rows(&mut out, &workload, &contestants, &figures, "governor+ahash");
                }
            }
        }
    }
    out
}

fn strings(effort: Effort) -> String {
    let mut out = format!("\n### Allowed hits, keys of 36 characters\n\n{HEAD}");
    for keys in [1_000, 64_000, 1_000_000] {
        let floor = Floor::new(2 * keys);
        let limiter = catraca::<String>(generous(), 2 * keys);
        let rivals = (governor(generous()), governor(generous()));
        let texts = texts(keys, Spread::Uniform);
        let contestants = contestants(&texts, &floor, &limiter, &rivals);
        let figures = measure(&contestants, 1, effort);
        rows(&mut out, &format!("{keys} keys"), &contestants, &figures, "governor+ahash");
    }
    out
}

fn hot(effort: Effort) -> String {
    let mut out = format!("\n### One hot key\n\n{HEAD}");
    for (quota, label) in [(mean(), "denied"), (generous(), "allowed")] {
        let (floor, limiter) = (Floor::new(1), catraca(quota, 1_000));
        let rivals = (governor(quota), governor(quota));
        let stream = vec![7_u64; 1 << 12];
        let contestants = contestants(&stream, &floor, &limiter, &rivals);
        for threads in [1, 2] {
            let figures = measure(&contestants, threads, effort);
            rows(&mut out, &format!("{label}, {threads} thread(s)"), &contestants, &figures, "governor+ahash");
        }
    }
    out
}

fn floods(effort: Effort) -> String {
    let mut out = format!("\n### A flood: every key new\n\n{HEAD}");
    let (keys, flood) = (64_000, |thread: usize| (thread as u64 + 1) << 40);
    let (floor, full, recycled) = (Floor::new(keys), catraca::<u64>(mean(), keys), catraca::<u64>(generous(), keys));
    let governor: Governor<u64, ahash::RandomState> = governor(generous());
    let fresh = std::sync::atomic::AtomicU64::new(0);
    let keys_of = |thread: usize, requests: usize| {
        let start = flood(thread) + fresh.fetch_add(requests as u64, std::sync::atomic::Ordering::Relaxed);
        start..start + requests as u64
    };
    let contestants = [
        Contestant { name: "floor", ask: Box::new(|t, n| keys_of(t, n).filter(|key| floor.touch(key)).count()) },
        Contestant {
            name: "catraca, full of debtors",
            ask: Box::new(|t, n| keys_of(t, n).filter(|key| full.check(key).is_allowed()).count()),
        },
        Contestant {
            name: "catraca, expired slots",
            ask: Box::new(|t, n| keys_of(t, n).filter(|key| recycled.check(key).is_allowed()).count()),
        },
        Contestant {
            name: "governor+ahash, growing",
            ask: Box::new(|t, n| keys_of(t, n).filter(|key| governor.check_key(key).is_ok()).count()),
        },
    ];
    for threads in [1, 2] {
        let figures = measure(&contestants, threads, Effort { requests: effort.requests / 5, ..effort });
        rows(&mut out, &format!("64000 keys of room, {threads} thread(s)"), &contestants, &figures, "");
    }
    out
}

/// How many keys meet a full set of debtors when so much of the table owes at once.
fn crowding() -> String {
    let mut out = "\n### Crowding: keys that found every slot of their set owing\n\n\
        | slots owing at once | keys | inherited a debt | of all |\n|---|--:|--:|--:|\n"
        .to_string();
    let limiter = |room| catraca::<u64>(mean(), room);
    let slots = limiter(1_000_000).slots();
    for (label, keys) in [
        ("36 %", slots * 5 / 14),
        ("50 %", slots / 2),
        ("70 %", slots * 7 / 10),
        ("71 %, as meant: `keys` of them", slots * 5 / 7),
        ("90 %", slots * 9 / 10),
    ] {
        let limiter = limiter(1_000_000);
        let now = Timestamp::from_nanos(1);
        (0..keys as u64).for_each(|key| {
            black_box(limiter.check_at(&key, now).is_allowed());
        });
        // A key is either made a slot, or refused on the debt it would have inherited: all owe one of one.
        let inherited = keys as u64 - limiter.counters().occupied();
        writeln!(out, "| {label} | {keys} | {inherited} | {:.2} % |", 100.0 * inherited as f64 / keys as f64).unwrap();
    }
    let limiter = limiter(10_000_000);
    writeln!(out, "\nMemory for 10,000,000 keys: {:.1} bytes a key.", limiter.memory() as f64 / 1e7).unwrap();
    out
}

fn machine() -> String {
    let shell = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).output();
        output.map_or_else(|_| "unknown".into(), |output| String::from_utf8_lossy(&output.stdout).trim().to_string())
    };
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model =
        cpu.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": ")).map_or("unknown", |m| m.1);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!(
        "\nMeasured {} on {cores} cores of {model} (virtual), {}, clock source {:?}, governor 0.10.4.\n",
        shell("date", &["+%Y-%m-%d"]),
        shell("rustc", &["--version"]),
        MonotonicClock::source(),
    )
}
