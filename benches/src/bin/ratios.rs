//! Measures every workload in interleaved rounds and writes the tables of `BENCHMARKS.md`.
//!
//! ```text
//! ratios             everything, some ten minutes; rewrites BENCHMARKS.md
//! ratios --quick     fewer rounds, up to a million keys, under three minutes; prints, rewrites nothing
//! ratios --print     everything, printed only
//! ```

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

use catraca::OnFull;
use catraca_benches::contest::{Asked, Contest, Verdict, Who, newcomers};
use catraca_benches::crowd::Crowd;
use catraca_benches::keys::{Draw, Key};
use catraca_benches::machine;
use catraca_benches::measure::{Effort, Samples, once, pass, rounds};
use catraca_benches::report::{Row, rewrite, short, table};

const FULL: Effort = Effort { rounds: 15, operations: 1 << 19, most_keys: 10_000_000 };
const QUICK: Effort = Effort { rounds: 5, operations: 1 << 17, most_keys: 1_000_000 };

const SIZES: [usize; 5] = [1, 1_000, 64_000, 1_000_000, 10_000_000];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (effort, keep) = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => (FULL, true),
        ["--print"] => (FULL, false),
        ["--quick"] => (QUICK, false),
        _ => {
            eprintln!("usage: ratios [--quick | --print]");
            return ExitCode::from(2);
        }
    };
    let text = Measured::with(effort).text();
    println!("{text}");
    let file = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../BENCHMARKS.md"));
    match if keep { rewrite(file, &text) } else { Ok(()) } {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("BENCHMARKS.md: {error}");
            ExitCode::FAILURE
        }
    }
}

/// All that is measured, in the order in which it is told.
struct Measured {
    facts: Vec<String>,
    unkeyed: Vec<Row>,
    hits: Vec<Row>,
    strings: Vec<Row>,
    skewed: Vec<Row>,
    crowded: Vec<Row>,
    denials: Vec<Row>,
    inserts: Vec<Row>,
    floods: Vec<Row>,
    two_threads: Vec<Row>,
    crowds: Vec<Crowd>,
    memory: Vec<(usize, f64)>,
}

impl Measured {
    fn with(effort: Effort) -> Measured {
        let sizes = || SIZES.into_iter().filter(move |&keys| keys <= effort.most_keys);
        let known =
            |threads, draw, verdict, asked| move |keys| known::<u64>(effort, threads, keys, draw, verdict, asked);
        let hit = known(1, Draw::Uniform, Verdict::Pass, Asked::Residents);
        let deny = known(1, Draw::Uniform, Verdict::Deny, Asked::Residents);
        let rules = [OnFull::Inherit, OnFull::Deny, OnFull::Allow];
        let flood = |rule| run(effort, 1, 64_000, format!("flood, {rule:?}"), Contest::<u64>::flood(64_000, rule));
        let limiter = |keys| catraca::Limiter::<u64>::new(catraca::Quota::must(catraca::Rate::per_second(5), 10), keys);
        Measured {
            facts: machine::facts(),
            unkeyed: vec![
                run(effort, 1, 1, "passes".to_owned(), Contest::unkeyed(Verdict::Pass)),
                run(effort, 1, 1, "denied".to_owned(), Contest::unkeyed(Verdict::Deny)),
                run(effort, 2, 1, "denied, 2 threads".to_owned(), Contest::unkeyed(Verdict::Deny)),
            ],
            hits: sizes().map(hit).collect(),
            skewed: sizes().skip(1).map(known(1, Draw::Zipf, Verdict::Pass, Asked::Residents)).collect(),
            crowded: sizes().skip(1).map(known(1, Draw::Uniform, Verdict::Pass, Asked::Everyone)).collect(),
            strings: sizes()
                .map(|keys| self::known::<String>(effort, 1, keys, Draw::Uniform, Verdict::Pass, Asked::Residents))
                .collect(),
            denials: [1, 64_000].map(deny).into(),
            inserts: vec![
                insert::<u64>(effort),
                insert::<String>(effort),
                run(effort, 1, 64_000, "u64, expired slots".to_owned(), Contest::<u64>::recycle(64_000)),
            ],
            floods: rules.map(flood).into(),
            two_threads: [1, 64_000, 1_000_000]
                .map(known(2, Draw::Uniform, Verdict::Pass, Asked::Residents))
                .into_iter()
                .chain([1_000_000].map(known(2, Draw::Zipf, Verdict::Pass, Asked::Residents)))
                .chain([1, 64_000].map(known(2, Draw::Uniform, Verdict::Deny, Asked::Residents)))
                .collect(),
            crowds: [0.5, 0.7, 5.0 / 7.0, 0.9].map(|load| Crowd::of(7_000_000.min(effort.most_keys), load)).into(),
            memory: sizes().skip(1).map(|keys| (keys, limiter(keys).memory() as f64 / keys as f64)).collect(),
        }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for fact in &self.facts {
            let _ = writeln!(text, "- {fact}");
        }
        let _ = writeln!(text, "\n### Goals\n\n{}", self.goals());
        for (title, rows) in [
            ("Hit, u64 keys, uniform", &self.hits),
            ("Hit, u64 keys, Zipf", &self.skewed),
            ("Hit, string keys, uniform", &self.strings),
            ("As many keys as the table was made for, all of them owing", &self.crowded),
            ("Denial", &self.denials),
            ("One bucket without a key", &self.unkeyed),
            ("Newcomers", &self.inserts),
            ("Flood of a full table", &self.floods),
            ("Two threads at once", &self.two_threads),
        ] {
            let _ = writeln!(text, "### {title}\n\n{}", table(rows));
        }
        let _ = writeln!(text, "### Memory\n\n{}\n### Crowded tables\n\n{}", self.memory(), self.crowds());
        text.trim_end().to_owned() + "\n"
    }

    /// The goals of the project for the engine, each with what was measured.
    fn goals(&self) -> String {
        let mut text = String::from("| goal | measured | |\n|---|---|---|\n");
        let mut goal = |goal: String, measured: f64, unit: &str, most: f64| {
            let met = if measured <= most { "met" } else { "**not met**" };
            let _ = writeln!(text, "| {goal} | {measured:.2}{unit} | {met} |");
        };
        for row in &self.hits {
            if let Some(ratio) = row.ratio(Who::Catraca, Who::Floor).filter(|_| row.keys > 1) {
                let most = if row.keys < 1_000_000 { 1.25 } else { 1.4 };
                goal(format!("hit, {} keys: at most {most} times the floor", short(row.keys)), ratio, "×", most);
            }
        }
        let all =
            [&self.hits, &self.skewed, &self.strings, &self.crowded, &self.denials, &self.inserts, &self.two_threads];
        let peers = all.into_iter().flatten();
        let ratios = peers.filter_map(|row| Some((row.ratio(Who::Catraca, Who::GovernorAhash)?, row)));
        if let Some((ratio, row)) = ratios.max_by(|(one, _), (other, _)| one.total_cmp(other)) {
            let worst = format!("no slower than governor with ahash; closest: {}", row.name);
            goal(worst, ratio, "× its time", 1.0);
        }
        for row in self.hits.iter().chain(&self.skewed).filter(|row| row.keys == 10_000_000) {
            if let Some(ratio) = row.ratio(Who::Catraca, Who::GovernorAhash) {
                let name = format!("{}: governor takes at least 1.5 times as long", row.name);
                goal(name, ratio, "× its time", 1.0 / 1.5);
            }
        }
        let hot = |rows: &[Row]| rows.iter().rfind(|row| row.keys == 1).and_then(|row| row.median(Who::Catraca));
        if let (Some(one), Some(two)) = (hot(&self.denials), hot(&self.two_threads)) {
            let name = "denying one hot key from two threads costs each what it costs one alone (1.1 allows for noise)";
            goal(name.to_owned(), two / one, "×", 1.1);
        }
        let bytes = self.memory.iter().filter(|(keys, _)| *keys >= 64_000).map(|(_, bytes)| *bytes);
        goal("at most 26 bytes a key".to_owned(), bytes.fold(0.0, f64::max), " bytes", 26.0);
        text
    }

    fn memory(&self) -> String {
        let mut text = String::from("| keys | bytes a key |\n|---|---|\n");
        for (keys, bytes) in &self.memory {
            let _ = writeln!(text, "| {} | {bytes:.2} |", short(*keys));
        }
        text
    }

    fn crowds(&self) -> String {
        let mut text = String::from(
            "| slots wanted by keys that owe | bytes a key | inherit while the table fills | of the next newcomers | \
             of all decisions on these keys, lasting |\n|---|---|---|---|---|\n",
        );
        for Crowd { load, bytes_a_key, filling, next, lasting } in &self.crowds {
            let percent = |part: &f64| part * 100.0;
            let recommended = if (load * 7.0).round() / 7.0 == *load { " (recommended)" } else { "" };
            let _ = writeln!(
                text,
                "| {:.0} %{recommended} | {bytes_a_key:.1} | {:.2} % | {:.1} % | {:.2} % |",
                percent(load),
                percent(filling),
                percent(next),
                percent(lasting),
            );
        }
        text
    }
}

fn known<K: Key>(effort: Effort, threads: usize, keys: usize, draw: Draw, verdict: Verdict, asked: Asked) -> Row {
    let kind = match (verdict, asked) {
        (Verdict::Deny, _) => "denied",
        (Verdict::Pass, Asked::Residents) => "hit",
        (Verdict::Pass, Asked::Everyone) => "all",
    };
    let many = if threads > 1 { format!(", {threads} threads") } else { String::new() };
    let name = format!("{kind}, {} {}, {}{many}", short(keys), K::NAME, draw.name());
    run(effort, threads, keys, name, Contest::<K>::known(keys, draw, verdict, asked))
}

fn run<K: Sync>(effort: Effort, threads: usize, keys: usize, name: String, contest: Contest<K>) -> Row {
    eprintln!("{name}");
    let Contest { sequence, contestants } = &contest;
    let measured = contestants
        .iter()
        .map(|contestant| move |round| pass(threads, effort.operations, round, sequence, &contestant.run));
    let who = contestants.iter().map(|contestant| contestant.who);
    Row { name, keys, samples: interleaved(effort, who.collect(), measured.collect()) }
}

/// Keys that come for the first time, to limiters made anew for each round.
fn insert<K: Key>(effort: Effort) -> Row {
    let name = format!("{}, vacant slots", K::NAME);
    eprintln!("{name}");
    // Half of what the table was made for, so that hardly any set is full.
    let keys: Vec<K> = (0..effort.operations as u64 / 2).map(K::nth).collect();
    let who = vec![Who::Floor, Who::Catraca, Who::GovernorAhash, Who::Governor];
    let keys = &keys;
    let measured = who.iter().map(|&who| {
        move |_| {
            let run = newcomers::<K>(who, keys.len() * 2);
            once(keys.len(), || {
                std::hint::black_box(run(keys));
            })
        }
    });
    let measured = measured.collect();
    Row { name, keys: keys.len(), samples: interleaved(effort, who, measured) }
}

fn interleaved(effort: Effort, who: Vec<Who>, mut measured: Vec<impl FnMut(usize) -> f64>) -> Vec<(Who, Samples)> {
    let mut turns: Vec<&mut dyn FnMut(usize) -> f64> = measured.iter_mut().map(|turn| turn as _).collect();
    who.into_iter().zip(rounds(&effort, &mut turns)).collect()
}
