//! Contestants under criterion, one after the other. For their ratios run `ratios`, which has them take turns.

use std::cell::LazyCell;

use catraca_benches::contest::{Contest, Who};
use criterion::{Criterion, Throughput};

/// Decisions in an iteration.
const BATCH: usize = 4096;

/// A group of benches, one for each of `who`. The workload is made when the first of them runs, so
/// those that the command line leaves out cost nothing.
pub(crate) fn bench<K>(criterion: &mut Criterion, name: &str, who: &[Who], contest: impl FnOnce() -> Contest<K>) {
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Elements(BATCH as u64));
    let contest = LazyCell::new(contest);
    for who in who {
        group.bench_function(format!("{who:?}"), |bencher| {
            let Contest { sequence, contestants } = &*contest;
            let contestant = contestants.iter().find(|contestant| contestant.who == *who).expect("takes part");
            let mut batches = sequence.chunks_exact(BATCH).cycle();
            bencher.iter(|| batches.next().map(&contestant.run));
        });
    }
    group.finish();
}
