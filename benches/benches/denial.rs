//! Keys that a limiter knows, none of which passes.

mod common;

use catraca_benches::contest::Who::{Catraca, CatracaAt, Floor, Governor, GovernorAhash};
use catraca_benches::contest::{Asked, Contest, Verdict};
use catraca_benches::keys::Draw;
use catraca_benches::report::short;
use criterion::{Criterion, criterion_group, criterion_main};

fn denials(criterion: &mut Criterion) {
    for keys in [1, 64_000] {
        let name = format!("denied, {} u64, uniform", short(keys));
        common::bench(criterion, &name, &[Floor, Catraca, CatracaAt, GovernorAhash, Governor], || {
            Contest::<u64>::known(keys, Draw::Uniform, Verdict::Deny, Asked::Residents)
        });
    }
}

criterion_group!(benches, denials);
criterion_main!(benches);
