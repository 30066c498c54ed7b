//! The engine's own benches: one function a question. For ratios against the floor and the peers in
//! interleaved rounds, run the `ratios` program instead.

use std::hint::black_box;

use catraca::{Bucket, Clock, Limiter, MonotonicClock, OnFull, Quota, Timestamp};
use catraca_benches::contestants::{Floor, generous, mean};
use catraca_benches::keys::{Spread, stream, texts};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

fn bucket(c: &mut Criterion) {
    let mut group = c.benchmark_group("bucket");
    let (open, shut) = (Bucket::new(generous()), Bucket::new(mean()));
    group.bench_function("clock", |b| b.iter(|| MonotonicClock.now()));
    group.bench_function("allow", |b| b.iter(|| open.check().is_allowed()));
    group.bench_function("deny", |b| b.iter(|| shut.check().is_allowed()));
    let now = MonotonicClock.now();
    group.bench_function("allow, time given", |b| b.iter(|| open.check_at(now).is_allowed()));
    group.bench_function("deny, and ask how long to wait", |b| b.iter(|| shut.check().retry_after()));
    group.finish();
}

/// A limiter with `keys` keys in place and room for twice as many.
fn filled(quota: Quota, keys: usize) -> Limiter<u64> {
    let limiter = Limiter::new(quota, 2 * keys);
    (0..keys as u64).for_each(|key| {
        black_box(limiter.check(&key).is_allowed());
    });
    limiter
}

fn hit(c: &mut Criterion) {
    let mut group = c.benchmark_group("hit");
    group.throughput(Throughput::Elements(1));
    for keys in [1, 1_000, 64_000, 1_000_000, 10_000_000] {
        let (limiter, floor) = (filled(generous(), keys), Floor::new(2 * keys));
        for spread in [Spread::Uniform, Spread::Zipf] {
            let stream = stream(keys, spread);
            let mut asked = stream.iter().cycle();
            let mut next = || asked.next().expect("a cycle has no end");
            group.bench_function(BenchmarkId::new(format!("floor/{spread:?}"), keys), |b| {
                b.iter(|| floor.touch(next()));
            });
            group.bench_function(BenchmarkId::new(format!("u64/{spread:?}"), keys), |b| {
                b.iter(|| limiter.check(next()).is_allowed());
            });
            let now = MonotonicClock.now();
            group.bench_function(BenchmarkId::new(format!("u64 at/{spread:?}"), keys), |b| {
                b.iter(|| limiter.check_at(next(), now).is_allowed());
            });
        }
    }
    for keys in [1_000, 64_000, 1_000_000] {
        let limiter = Limiter::<String>::new(generous(), 2 * keys);
        let texts = texts(keys, Spread::Uniform);
        let mut asked = texts.iter().cycle();
        group.bench_function(BenchmarkId::new("36 characters", keys), |b| {
            b.iter(|| limiter.check(asked.next().expect("a cycle has no end").as_str()).is_allowed());
        });
    }
    group.finish();
}

fn deny(c: &mut Criterion) {
    let mut group = c.benchmark_group("deny");
    for keys in [1, 64_000] {
        let limiter = filled(mean(), keys);
        let stream = stream(keys, Spread::Uniform);
        let mut asked = stream.iter().cycle();
        group.bench_function(BenchmarkId::from_parameter(keys), |b| {
            b.iter(|| limiter.check(asked.next().expect("a cycle has no end")).is_allowed());
        });
    }
    group.finish();
}

/// New keys only: into expired slots, and into a table full of debtors under each rule.
fn flood(c: &mut Criterion) {
    let mut group = c.benchmark_group("flood");
    let (keys, mut next) = (64_000, 0_u64);
    let recycling = Limiter::<u64>::new(Quota::must(catraca::Rate::per_second(1_000_000_000), 1), keys);
    let mut now = 0;
    group.bench_function("expired slots", |b| {
        b.iter(|| {
            next += 1;
            now += 10;
            recycling.check_at(&next, Timestamp::from_nanos(now)).is_allowed()
        });
    });
    for rule in [OnFull::Inherit, OnFull::Deny, OnFull::Allow] {
        let builder = Limiter::<u64>::builder(mean(), keys).on_full(rule);
        let full = builder.build().expect("64,000 keys fit");
        (0..10 * keys as u64).for_each(|key| {
            black_box(full.check(&key).is_allowed());
        });
        group.bench_function(BenchmarkId::new("full of debtors", format!("{rule:?}")), |b| {
            b.iter(|| {
                next += 1;
                full.check(&(next + (1 << 40))).is_allowed()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, bucket, hit, deny, flood);
criterion_main!(benches);
