//! How often a crowded table makes a newcomer inherit another's debt. Counted, not timed.

use catraca::{Limiter, Rate, Timestamp};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

/// What became of a table with this part of its slots wanted by keys that all owe.
#[derive(Clone, Copy, Debug)]
pub struct Crowd {
    /// Keys that owe, as a part of the slots.
    pub load: f64,
    /// Bytes of the table for each of them.
    pub bytes_a_key: f64,
    /// Of the keys, the part that inherited when each came once.
    pub filling: f64,
    /// Of the keys that came next, the part that inherited.
    pub next: f64,
    /// Of decisions on the same keys, at random and for a long time, the part that inherited.
    pub lasting: f64,
}

impl Crowd {
    /// Of a table of about this many slots.
    pub fn of(slots: usize, load: f64) -> Crowd {
        // Nothing drips in as long as this lasts: whoever came once owes.
        let quota = Rate::per_day(1).burst(1_000_000).expect("a quota");
        let limiter = Limiter::<u64>::new(quota, slots * 5 / 7);
        let (slots, now) = (limiter.slots(), Timestamp::ZERO);
        let keys = (slots as f64 * load) as u64;
        let inherited = |ask: &mut dyn FnMut(), of: u64| {
            let before = limiter.counters().inherited;
            ask();
            (limiter.counters().inherited - before) as f64 / of as f64
        };
        let ask = |key: u64| assert!(limiter.check_at(&key, now).is_allowed());
        let filling = inherited(&mut || (0..keys).for_each(ask), keys);
        let mut random = SmallRng::seed_from_u64(keys);
        let visits = keys * 4;
        let lasting = inherited(&mut || (0..visits).for_each(|_| ask(random.random_range(0..keys))), visits);
        // Few enough to leave the load as it is.
        let newcomers = keys / 200;
        let next = inherited(&mut || (keys..keys + newcomers).for_each(ask), newcomers);
        Crowd { load, bytes_a_key: limiter.memory() as f64 / keys as f64, filling, next, lasting }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fuller_the_more_inherit() {
        let [half, most] = [0.5, 0.9].map(|load| Crowd::of(70_000, load));
        assert!(half.filling > 0.0 && half.filling < most.filling, "{half:?} {most:?}");
        assert!(half.next < most.next && half.lasting < most.lasting, "{half:?} {most:?}");
    }
}
