//! Writes the example log of this repository: the same bytes in every run.
//!
//! ```text
//! cargo run -p catraca-cli --example generate_log > examples/access.log
//! ```
//!
//! Twenty minutes of a small site, whose callers are all from the ranges that are kept for documentation (RFC 5737,
//! RFC 3849). Apart from ordinary visits there are a burst, somebody who tries passwords, somebody who changes
//! addresses within one IPv6 network, an address in both of its forms, a line out of order, and one that was cut.

use std::fmt::Write as _;
use std::io::{self, Write as _};

/// Seconds that the log covers.
const LENGTH: u64 = 1_200;

fn main() -> io::Result<()> {
    io::stdout().lock().write_all(log().as_bytes())
}

/// The whole log.
pub(crate) fn log() -> String {
    let mut dice = Dice(0x0000_c0ff_ee00_5eed);
    let mut lines = Vec::new();
    visits(&mut dice, &mut lines);
    burst(&mut dice, &mut lines);
    passwords(&mut lines);
    rotation(&mut dice, &mut lines);
    oddities(&mut lines);
    lines.sort_by_key(|line| line.second);
    // One line was held up on its way to the file.
    let held_up = lines.remove(400);
    lines.insert(412, held_up);
    let mut log = String::new();
    for (number, line) in lines.iter().enumerate() {
        match number {
            1_500 => writeln!(log, "198.51.100.9 - - [05/Jan/2026:08:1"),
            _ => writeln!(log, "{line}"),
        }
        .expect("a string takes everything");
    }
    log
}

/// One request.
struct Line {
    second: u64,
    client: String,
    user: &'static str,
    request: String,
    status: u16,
    bytes: u64,
    agent: &'static str,
}

impl std::fmt::Display for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Line { second, client, user, request, status, bytes, agent } = self;
        let (minute, second) = (second / 60, second % 60);
        write!(f, "{client} - {user} [05/Jan/2026:08:{minute:02}:{second:02} +0000] \"{request}\" {status} ")?;
        match bytes {
            0 => f.write_str("-")?,
            bytes => write!(f, "{bytes}")?,
        }
        write!(f, " \"-\" \"{agent}\"")
    }
}

/// Numbers that look random: xorshift, multiplied.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % end
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }
}

const BROWSER: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const SCRIPT: &str = "example-script/1.2";

/// A page and what belongs to it, now and then, from some sixty visitors.
fn visits(dice: &mut Dice, lines: &mut Vec<Line>) {
    let pages = ["/", "/search?q=turnstile", "/docs/", "/docs/quotas", "/docs/clocks", "/about"];
    let parts = ["/style.css", "/logo.svg", "/search.js"];
    for _ in 0..620 {
        let client = match dice.below(10) {
            0 => format!("2001:db8:{:x}::{:x}", dice.below(6), 1 + dice.below(3)),
            1..=4 => format!("198.51.100.{}", 100 + dice.below(20)),
            _ => format!("192.0.2.{}", 10 + dice.below(30)),
        };
        let start = dice.below(LENGTH - 5);
        let user = if dice.below(8) == 0 { "ada" } else { "-" };
        let mut visit = |second, path: &str, bytes| {
            let request = format!("GET {path} HTTP/1.1");
            lines.push(Line { second, client: client.clone(), user, request, status: 200, bytes, agent: BROWSER });
        };
        let page = dice.of(&pages);
        visit(start, page, 2_000 + dice.below(30_000));
        for part in parts.iter().take(dice.below(4) as usize) {
            visit(start + dice.below(3), part, 500 + dice.below(4_000));
        }
    }
}

/// A script that asks as fast as it can, for four seconds.
fn burst(dice: &mut Dice, lines: &mut Vec<Line>) {
    for second in 430..434 {
        for _ in 0..90 + dice.below(20) {
            let request = format!("GET /search?q={} HTTP/1.1", dice.below(100_000));
            let client = "203.0.113.7".to_owned();
            lines.push(Line { second, client, user: "-", request, status: 200, bytes: 5_120, agent: SCRIPT });
        }
    }
}

/// Somebody who tries passwords, three a second, for a minute and a half.
fn passwords(lines: &mut Vec<Line>) {
    for attempt in 0..270 {
        let (client, request) = ("203.0.113.66".to_owned(), "POST /login HTTP/1.1".to_owned());
        lines.push(Line {
            second: 800 + attempt / 3,
            client,
            user: "-",
            request,
            status: 401,
            bytes: 187,
            agent: SCRIPT,
        });
    }
}

/// Somebody who takes a new address for every request, all in one network.
fn rotation(dice: &mut Dice, lines: &mut Vec<Line>) {
    for attempt in 0..400 {
        let (a, b) = (dice.below(0x1_0000), dice.below(0x1_0000));
        let client = format!("2001:db8:bad:cafe:{a:x}:{b:x}:0:1");
        let request = "GET /docs/quotas HTTP/1.1".to_owned();
        lines.push(Line {
            second: 600 + attempt / 20,
            client,
            user: "-",
            request,
            status: 200,
            bytes: 9_733,
            agent: SCRIPT,
        });
    }
}

/// What every log holds sooner or later.
fn oddities(lines: &mut Vec<Line>) {
    let mut odd = |second, client: &str, user, request: &str, status, bytes| {
        let (client, request) = (client.to_owned(), request.to_owned());
        lines.push(Line { second, client, user, request, status, bytes, agent: "-" });
    };
    for second in [100, 101, 102] {
        odd(second, "::ffff:192.0.2.9", "-", "GET / HTTP/1.1", 200, 2_326);
        odd(second, "192.0.2.9", "-", "GET /about HTTP/1.1", 200, 1_204);
    }
    odd(240, "crawler.example.net", "-", "GET /robots.txt HTTP/1.0", 404, 0);
    odd(310, "192.0.2.44", "-", "-", 408, 0);
    odd(505, "198.51.100.77", "-", "\\x16\\x03\\x01\\x02\\x00", 400, 226);
    odd(555, "192.0.2.15", "ada lovelace", "GET /docs/\\\"quoted\\\" HTTP/1.1", 404, 153);
}
