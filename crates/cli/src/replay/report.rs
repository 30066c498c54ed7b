//! The report of a replay: for people in 80 columns, for programs as one JSON object.

use std::fmt::Write as _;

use crate::failure::Failure;
use crate::replay::summary::{Moments, Summary};
use crate::replay::text::{bytes, grouped, padded, percent, span, visible};

/// Columns of a caller in a table.
const CALLER: usize = 36;

/// The report as one JSON object on one line.
pub(crate) fn json(summary: &Summary) -> Result<String, Failure> {
    let mut text = serde_json::to_string(summary).map_err(|error| Failure::Failed(error.to_string()))?;
    text.push('\n');
    Ok(text)
}

/// The report in 80 columns.
pub(crate) fn text(summary: &Summary) -> String {
    let mut out = Text(String::new());
    heading(&mut out, summary);
    counts(&mut out, summary);
    callers(&mut out, summary);
    moments(&mut out, summary);
    costs(&mut out, summary);
    out.0
}

/// A text that grows by lines.
struct Text(String);

impl Text {
    fn line(&mut self, line: &str) {
        self.0.push_str(line.trim_end());
        self.0.push('\n');
    }

    /// A name, a value at the right, and a remark.
    fn count(&mut self, name: &str, count: u64, remark: &str) {
        self.line(&format!("{name:<14}{:>15}   {remark}", grouped(count)));
    }
}

fn heading(out: &mut Text, summary: &Summary) {
    let Summary { policy, capacity, refill_rate, key, cost, .. } = summary;
    out.line(&format!("policy        {}: {refill_rate} burst {}", visible(policy, 30), grouped(*capacity)));
    let cost = if cost == "1" { String::new() } else { format!(", a line costs {}", visible(cost, 20)) };
    out.line(&format!("callers by    {}{cost}", visible(key, 30)));
    if let (Some(first), Some(last)) = (summary.first, summary.last) {
        out.line(&format!("from          {} UTC", first.0));
        out.line(&format!("to            {} UTC, {} later", last.0, span(last.0.since(first.0))));
    }
    out.line("");
}

fn counts(out: &mut Text, summary: &Summary) {
    let incomplete = if summary.complete { "" } else { "the logs could not be read to the end" };
    out.count("lines", summary.lines, incomplete);
    out.count("  decided", summary.decided, "");
    out.count("  malformed", summary.malformed, "");
    out.count("  empty", summary.empty, "");
    let order = match (summary.sorted, summary.moved, summary.out_of_order) {
        (true, 0, _) => "sorted, and it was in order".to_owned(),
        (true, moved, _) => format!("sorted: {} stepped back in the log", grouped(moved)),
        (false, _, 0) => String::new(),
        (false, ..) => "decided at the latest time seen before".to_owned(),
    };
    out.count("out of order", summary.out_of_order, &order);
    let at_least =
        if summary.keys_complete { "callers" } else { "callers or more: --keys leaves no room to count them" };
    out.count("keys", summary.keys, at_least);
    out.count("allowed", summary.allowed, &format!("{:>7}", percent(summary.allowed, summary.decided)));
    let for_good = match summary.denied_for_good {
        0 => String::new(),
        count if count == summary.denied => ", all for asking more than a bucket holds".to_owned(),
        count => format!(", {} for asking more than a bucket holds", grouped(count)),
    };
    out.count("denied", summary.denied, &format!("{:>7}{for_good}", percent(summary.denied, summary.decided)));
}

fn callers(out: &mut Text, summary: &Summary) {
    if summary.denied_most.is_empty() {
        return;
    }
    out.line("");
    let unit = if summary.cost == "1" { "" } else { " (peaks in tokens)" };
    let name = padded(&format!("Denied most{unit}"), CALLER);
    out.line(&format!("{name}{:>11}{:>11}{:>11}{:>11}", "allowed", "denied", "peak/s", "peak/min"));
    for caller in &summary.denied_most {
        let name = padded(&visible(&caller.key, CALLER - 3), CALLER - 2);
        let [allowed, denied, second, minute] =
            [caller.allowed, caller.denied, caller.peak_second, caller.peak_minute].map(short);
        out.line(&format!("  {name}{allowed:>11}{denied:>11}{second:>11}{minute:>11}"));
    }
}

/// A number in at most ten columns.
fn short(number: u64) -> String {
    match number {
        0..100_000_000 => grouped(number),
        100_000_000..100_000_000_000 => format!("{}M", grouped(number / 1_000_000)),
        100_000_000_000..100_000_000_000_000 => format!("{}G", grouped(number / 1_000_000_000)),
        _ => format!("{}T", grouped(number / 1_000_000_000_000)),
    }
}

/// The worst seconds beside the worst minutes.
fn moments(out: &mut Text, summary: &Summary) {
    if summary.worst_seconds.is_empty() {
        return;
    }
    out.line("");
    out.line(&format!("{}Minutes of most denials", padded("Seconds of most denials", 40)));
    let (seconds, minutes) = (&summary.worst_seconds, &summary.worst_minutes);
    for row in 0..seconds.len().max(minutes.len()) {
        let (second, minute) = (moment(seconds.get(row), 19), moment(minutes.get(row), 16));
        out.line(&format!("{}{minute}", padded(&second, 40)));
    }
}

fn moment(moments: Option<&Moments>, digits: usize) -> String {
    moments.map_or(String::new(), |Moments { time, denied }| {
        let time = time.0.to_string();
        format!("  {} {:>10}", time.get(..digits).unwrap_or(&time), short(*denied))
    })
}

fn costs(out: &mut Text, summary: &Summary) {
    let Summary { lines_per_second, decisions_per_second, .. } = summary;
    out.line("");
    out.count("throughput", *lines_per_second, "lines a second, all in all");
    out.count("", *decisions_per_second, "decisions a second, deciding alone");
    let mut memory = format!("memory        table {}", bytes(summary.table_bytes));
    if summary.sorted {
        let _ = write!(memory, ", sorting {}", bytes(summary.sort_bytes)); // to a string: cannot fail
    }
    out.line(&memory);
}
