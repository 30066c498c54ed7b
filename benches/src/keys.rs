//! Streams of keys, drawn before the clock starts so that drawing them is not measured.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use rand_distr::Zipf;

/// How often each key is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// Every key as often as any other.
    Uniform,
    /// Zipf's law with exponent 0.99, as caches see it.
    Zipf,
}

/// Requests in a stream; it is walked round and round.
const STREAM: usize = 1 << 20;

/// A stream of indices below `keys`. The same for everybody: the seed is fixed.
pub fn stream(keys: usize, spread: Spread) -> Vec<u64> {
    let mut rng = SmallRng::seed_from_u64(42);
    match spread {
        Spread::Uniform => (0..STREAM).map(|_| rng.random_range(0..keys as u64)).collect(),
        Spread::Zipf => {
            let zipf = Zipf::new(keys as f64, 0.99).expect("at least one key");
            (0..STREAM).map(|_| rng.sample(zipf) as u64 - 1).collect()
        }
    }
}

/// A key as services have them: 36 characters.
pub fn text(index: u64) -> String {
    format!("{index:08x}-5f3a-4d1e-9c2b-{:012x}", index.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16)
}

/// [`stream`], as texts of 36 characters.
pub fn texts(keys: usize, spread: Spread) -> Vec<String> {
    stream(keys, spread).into_iter().map(text).collect()
}
