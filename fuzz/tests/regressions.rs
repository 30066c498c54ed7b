//! Inputs that once found something, and some that go everywhere, replayed.
//!
//! `regressions/TARGET/` holds the bytes of one input a file. `cargo fuzz run TARGET fuzz/corpus/TARGET
//! fuzz/regressions/TARGET` starts from them; what a fuzzer finds is copied here under a name that says what it was.

use std::fs;
use std::path::Path;

use catraca_fuzz::TARGETS;
use catraca_fuzz::tally::Tally;

/// Replays every file of a target and sums up what they went through.
fn replay(target: &str) -> Tally {
    let (_, check) = TARGETS.iter().find(|(name, _)| *name == target).expect("a target");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("regressions").join(target);
    let mut files: Vec<_> = fs::read_dir(&folder)
        .expect("a folder of inputs")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    let mut sum = Tally::default();
    for file in &files {
        println!("{}", file.display()); // shown if it fails
        let bytes = fs::read(file).expect("an input");
        let tally = check(&bytes).unwrap_or_else(|| panic!("{} is no input", file.display()));
        assert!(tally.inputs > 0, "{} says nothing", file.display());
        sum += tally;
    }
    assert!(sum.inputs > 0 && sum.inputs == files.len() as u64, "{} files, {sum:?}", files.len());
    sum
}

#[test]
fn quota() {
    let sum = replay("quota");
    assert!(sum.accepted > 0 && sum.refused > 0, "{sum:?}");
}

#[test]
fn text() {
    let sum = replay("text");
    assert!(sum.accepted > 0 && sum.refused > 0, "{sum:?}");
}

#[test]
fn bucket() {
    let sum = replay("bucket");
    assert!(sum.allowed > 0 && sum.denied > 0 && sum.exact > 0 && sum.bounded > 0 && sum.stale > 0, "{sum:?}");
}

#[test]
fn table() {
    let sum = replay("table");
    assert!(sum.recycled > 0 && sum.inherited > 0 && sum.turned_away > 0 && sum.unlimited > 0, "{sum:?}");
}
