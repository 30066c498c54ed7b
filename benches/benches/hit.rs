//! Keys that a limiter knows, all of which pass.

mod common;

use catraca_benches::contest::Who::{Catraca, CatracaAt, Floor, FloorAt, Governor, GovernorAhash};
use catraca_benches::contest::{Asked, Contest, Verdict, Who};
use catraca_benches::keys::{Draw, Key};
use catraca_benches::report::short;
use criterion::{Criterion, criterion_group, criterion_main};

const ALL: [Who; 6] = [Floor, FloorAt, Catraca, CatracaAt, GovernorAhash, Governor];
const SIZES: [usize; 5] = [1, 1_000, 64_000, 1_000_000, 10_000_000];

fn hits<K: Key>(criterion: &mut Criterion) {
    for draw in [Draw::Uniform, Draw::Zipf] {
        for keys in SIZES {
            let name = format!("hit, {} {}, {}", short(keys), K::NAME, draw.name());
            common::bench(criterion, &name, &ALL, || Contest::<K>::known(keys, draw, Verdict::Pass, Asked::Residents));
        }
    }
}

/// As many keys as the table was made for, all owing: one decision in twenty evicts.
fn all(criterion: &mut Criterion) {
    for keys in &SIZES[1..] {
        let name = format!("all, {} u64, uniform", short(*keys));
        common::bench(criterion, &name, &ALL, || {
            Contest::<u64>::known(*keys, Draw::Uniform, Verdict::Pass, Asked::Everyone)
        });
    }
}

criterion_group!(benches, hits::<u64>, hits::<String>, all);
criterion_main!(benches);
