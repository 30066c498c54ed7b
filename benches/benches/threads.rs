//! One thread and two at once, each over keys of its own turn.

use std::time::Duration;

use catraca_benches::contest::{Asked, Contest, Verdict};
use catraca_benches::keys::Draw;
use catraca_benches::measure::pass;
use catraca_benches::report::short;
use criterion::{Criterion, criterion_group, criterion_main};

/// Decisions of a thread between two looks at its clock.
const BATCH: usize = 1 << 17;

fn threads(criterion: &mut Criterion) {
    for (keys, verdict) in [(1, Verdict::Pass), (1_000_000, Verdict::Pass), (1, Verdict::Deny)] {
        let Contest { sequence, contestants } = Contest::<u64>::known(keys, Draw::Uniform, verdict, Asked::Residents);
        for threads in [1, 2] {
            let name = format!("{verdict:?}, {} u64, {threads} threads", short(keys));
            let mut group = criterion.benchmark_group(name);
            group.sample_size(10);
            for contestant in &contestants {
                let mut round = 0;
                // An iteration is one decision on each of the threads.
                group.bench_function(format!("{:?}", contestant.who), |bencher| {
                    bencher.iter_custom(|iterations| {
                        round += 1;
                        let nanos = pass(threads, BATCH, round, &sequence, &contestant.run);
                        Duration::from_secs_f64(nanos * iterations as f64 * 1e-9)
                    });
                });
            }
            group.finish();
        }
    }
}

criterion_group!(benches, threads);
criterion_main!(benches);
