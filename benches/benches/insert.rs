//! Keys that a limiter does not know: into vacant slots, expired ones, and against a full table.

mod common;

use catraca::OnFull;
use catraca_benches::contest::Who::{Catraca, CatracaAt, Floor, FloorAt, Governor, GovernorAhash};
use catraca_benches::contest::{Contest, Who, newcomers};
use catraca_benches::keys::Key;
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};

const KEYS: usize = 64_000;

/// A peer that keeps every key has no slot to give away.
const BOUNDED: [Who; 4] = [Floor, FloorAt, Catraca, CatracaAt];

fn vacant<K: Key>(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group(format!("vacant, {}", K::NAME));
    group.throughput(Throughput::Elements(KEYS as u64));
    let keys: Vec<K> = (0..KEYS as u64).map(K::nth).collect();
    for who in [Floor, Catraca, GovernorAhash, Governor] {
        group.bench_function(format!("{who:?}"), |bencher| {
            // Twice the room, so that hardly any set is full.
            bencher.iter_batched_ref(|| newcomers::<K>(who, 2 * KEYS), |run| run(&keys), BatchSize::PerIteration);
        });
    }
    group.finish();
}

fn expired(criterion: &mut Criterion) {
    common::bench(criterion, "expired, u64", &BOUNDED, || Contest::<u64>::recycle(KEYS));
}

fn flood(criterion: &mut Criterion) {
    for rule in [OnFull::Inherit, OnFull::Deny, OnFull::Allow] {
        common::bench(criterion, &format!("flood, {rule:?}"), &BOUNDED, || Contest::<u64>::flood(KEYS, rule));
    }
}

criterion_group!(benches, vacant::<u64>, vacant::<String>, expired, flood);
criterion_main!(benches);
