//! One bucket without a key.

mod common;

use catraca_benches::contest::Who::{Catraca, CatracaAt, Floor, FloorAt, Governor};
use catraca_benches::contest::{Contest, Verdict};
use criterion::{Criterion, criterion_group, criterion_main};

fn bucket(criterion: &mut Criterion) {
    common::bench(criterion, "bucket passes", &[Floor, FloorAt, Catraca, CatracaAt, Governor], || {
        Contest::unkeyed(Verdict::Pass)
    });
    common::bench(criterion, "bucket denied", &[Floor, Catraca, CatracaAt, Governor], || {
        Contest::unkeyed(Verdict::Deny)
    });
}

criterion_group!(benches, bucket);
criterion_main!(benches);
