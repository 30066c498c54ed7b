//! Tables of what was measured.

use std::fmt::Write;
use std::fs;
use std::io;
use std::path::Path;

use crate::contest::Who;
use crate::measure::Samples;

const BEGIN: &str = "<!-- begin generated -->\n";
const END: &str = "<!-- end generated -->";

/// What one workload took, contestant by contestant.
pub struct Row {
    /// The workload.
    pub name: String,
    /// Keys that the table is for.
    pub keys: usize,
    /// Nanoseconds a decision.
    pub samples: Vec<(Who, Samples)>,
}

impl Row {
    /// The median of a contestant, if it took part.
    pub fn median(&self, who: Who) -> Option<f64> {
        self.samples.iter().find(|(other, _)| *other == who).map(|(_, samples)| samples.median())
    }

    /// How many times as long as `other` a contestant took, by their medians.
    pub fn ratio(&self, who: Who, other: Who) -> Option<f64> {
        Some(self.median(who)? / self.median(other)?)
    }
}

/// A table with a column for each contestant: the median, its spread, and the ratio to the floor.
pub fn table(rows: &[Row]) -> String {
    let all = [Who::Floor, Who::Catraca, Who::GovernorAhash, Who::Governor, Who::FloorAt, Who::CatracaAt];
    let took_part = |who: &Who| rows.iter().any(|row| row.median(*who).is_some());
    let columns: Vec<Who> = all.into_iter().filter(took_part).collect();
    let mut text = String::from("| |");
    for who in &columns {
        let _ = write!(text, " {} |", title(*who));
    }
    text.push_str("\n|---|");
    text.push_str(&"---|".repeat(columns.len()));
    text.push('\n');
    for row in rows {
        let _ = write!(text, "| {} |", row.name);
        for who in &columns {
            let _ = write!(text, " {} |", cell(row, *who));
        }
        text.push('\n');
    }
    text
}

fn cell(row: &Row, who: Who) -> String {
    let Some((_, samples)) = row.samples.iter().find(|(other, _)| *other == who) else { return "—".to_owned() };
    let floor = if who == Who::CatracaAt { Who::FloorAt } else { Who::Floor };
    let ratio = match row.ratio(who, floor) {
        Some(ratio) if who != floor => format!(" **{ratio:.2}×**"),
        _ => String::new(),
    };
    format!("{:.1}{ratio} ({:.1}–{:.1})", samples.median(), samples.quantile(0.1), samples.quantile(0.9))
}

fn title(who: Who) -> &'static str {
    match who {
        Who::Floor => "floor",
        Who::FloorAt => "floor, time given",
        Who::Catraca => "catraca",
        Who::CatracaAt => "catraca, time given",
        Who::GovernorAhash => "governor, ahash",
        Who::Governor => "governor as shipped",
    }
}

/// A whole number with its thousands set apart as 1k, 64k, 10M; others as they are.
pub fn short(number: usize) -> String {
    match number {
        n if n >= 1_000_000 && n.is_multiple_of(1_000_000) => format!("{}M", n / 1_000_000),
        n if n >= 1_000 && n.is_multiple_of(1_000) => format!("{}k", n / 1_000),
        n => n.to_string(),
    }
}

/// Puts `text` between the two marks of a file.
///
/// # Errors
/// If the file cannot be read or written, or lacks a mark.
pub fn rewrite(file: &Path, text: &str) -> io::Result<()> {
    let old = fs::read_to_string(file)?;
    let parts = old.split_once(BEGIN).and_then(|(head, rest)| Some((head, rest.split_once(END)?.1)));
    let Some((head, tail)) = parts else {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("it lacks {} or {END}", BEGIN.trim())));
    };
    fs::write(file, format!("{head}{BEGIN}\n{text}\n{END}{tail}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!([1, 1_000, 64_000, 10_000_000, 1_500].map(short), ["1", "1k", "64k", "10M", "1500"]);
    }

    #[test]
    fn only_what_is_between_the_marks_is_rewritten() {
        let file = std::env::temp_dir().join(format!("catraca-report-{}.md", std::process::id()));
        fs::write(&file, format!("before\n{BEGIN}old\n{END}\nafter\n")).unwrap();
        rewrite(&file, "new").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), format!("before\n{BEGIN}\nnew\n{END}\nafter\n"));
        fs::write(&file, "no marks").unwrap();
        assert!(rewrite(&file, "new").is_err());
        fs::remove_file(&file).unwrap();
    }
}
