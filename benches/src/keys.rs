//! Keys, drawn before anything is measured.

use std::hash::Hash;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use rand_distr::{Distribution, Zipf};

/// The exponent of the skewed draw: that of YCSB, about the popularity of web pages.
pub const SKEW: f64 = 0.99;

/// A type of keys.
pub trait Key: Hash + Eq + Clone + Send + Sync + 'static {
    /// What tables call it.
    const NAME: &'static str;

    /// The key of this number. Different numbers have different keys.
    fn nth(number: u64) -> Self;
}

impl Key for u64 {
    const NAME: &'static str = "u64";

    fn nth(number: u64) -> u64 {
        number
    }
}

impl Key for String {
    const NAME: &'static str = "string of 36";

    /// As long as a UUID, and like one different all over.
    fn nth(number: u64) -> String {
        let high = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        format!("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32, high >> 16 & 0xffff, high & 0xffff, 7, number)
    }
}

/// Which of a population is asked next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draw {
    /// All alike.
    Uniform,
    /// A few most of the time: Zipf's law with [`SKEW`].
    Zipf,
}

impl Draw {
    /// What tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Draw::Uniform => "uniform",
            Draw::Zipf => "Zipf",
        }
    }

    /// A sequence of `length` keys of a population, given by their numbers.
    pub fn sequence<K: Key>(self, population: &[u64], length: usize) -> Vec<K> {
        let mut random = SmallRng::seed_from_u64(length as u64);
        let zipf = Zipf::new(population.len() as f64, SKEW).expect("a population is not empty");
        let mut next = || match self {
            Draw::Uniform => random.random_range(0..population.len()),
            // Ranks start at 1. Hashing scatters them over a table.
            Draw::Zipf => zipf.sample(&mut random) as usize - 1,
        };
        (0..length).map(|_| K::nth(population[next()])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_as_long_as_uuids() {
        assert_eq!([0, 1, u64::from(u32::MAX)].map(|number| String::nth(number).len()), [36; 3]);
    }

    #[test]
    fn the_skewed_draw_prefers_the_first() {
        let keys = Draw::Zipf.sequence::<u64>(&[5, 6, 7, 8], 1_000);
        let count = |key| keys.iter().filter(|&&drawn| drawn == key).count();
        assert!(count(5) > count(6) && count(6) > count(8) && count(8) > 0);
    }
}
