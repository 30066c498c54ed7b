//! Workloads: keys to decide, and who decides them.

use std::num::NonZeroU32;
use std::time::Duration;

use catraca::{Bucket, Clock, Limiter, MonotonicClock, OnFull, Rate};
use governor::RateLimiter;
use governor::clock::DefaultClock;
use governor::middleware::NoOpMiddleware;
use governor::state::keyed::DashMapStateStore;

use crate::floor::Floor;
use crate::keys::{Draw, Key};

/// Decides the keys in order; returns how many pass.
pub type Run<K> = Box<dyn Fn(&[K]) -> usize + Send + Sync>;

/// One way to decide.
pub struct Contestant<K> {
    /// Which.
    pub who: Who,
    /// How.
    pub run: Run<K>,
}

/// The ways to decide that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// [`Floor`], with a clock read.
    Floor,
    /// [`Floor`], at a moment known before.
    FloorAt,
    /// `check`: the clock is read at every decision.
    Catraca,
    /// `check_at`: the moment is known before.
    CatracaAt,
    /// governor with the hasher that catraca has.
    GovernorAhash,
    /// governor as it comes.
    Governor,
}

/// What the quota makes of the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every decision passes, and every key that passed once owes for as long as anything is measured.
    Pass,
    /// Every decision is denied.
    Deny,
}

/// Which keys of those that a table was made for are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Those that found a slot: about 95 of 100. Every decision is a hit.
    Residents,
    /// All: about 5 decisions of 100 evict a key that owes.
    Everyone,
}

/// Keys, and contestants who have decided each of them before.
pub struct Contest<K> {
    /// The keys, as they are drawn.
    pub sequence: Vec<K>,
    /// Who decides them.
    pub contestants: Vec<Contestant<K>>,
}

type Keyed<K, S> = RateLimiter<K, DashMapStateStore<K, S>, DefaultClock, NoOpMiddleware>;

/// Tokens in a bucket that is never to be empty: at 10 ns each they last 40 seconds.
const PLENTY: u32 = 4_000_000_000;

impl<K: Key> Contest<K> {
    /// Decisions on keys that a table made for `keys` of them knows.
    pub fn known(keys: usize, draw: Draw, verdict: Verdict, asked: Asked) -> Contest<K> {
        let on_full = if asked == Asked::Residents { OnFull::Deny } else { OnFull::Inherit };
        let limiter = Limiter::<K>::builder(quota(verdict), keys).on_full(on_full).build().expect("there is memory");
        let asked: Vec<u64> = (0..keys as u64).filter(|&number| limiter.check(&K::nth(number)).is_allowed()).collect();
        let floor = Floor::new(limiter.memory());
        let ahash = RateLimiter::dashmap_with_hasher(peers_quota(verdict), ahash::RandomState::new());
        let shipped = RateLimiter::dashmap(peers_quota(verdict));
        for &number in &asked {
            let key = K::nth(number);
            assert!(ahash.check_key(&key).is_ok() && shipped.check_key(&key).is_ok());
        }
        let sequence = draw.sequence(&asked, sequence_length(keys));
        let contestants = [floors(floor, verdict), engines(limiter), peers(ahash, shipped)];
        Contest { sequence, contestants: contestants.into_iter().flatten().collect() }
    }

    /// Ever new keys to a table made for `keys`, every slot of which is taken by a key that owes.
    pub fn flood(keys: usize, on_full: OnFull) -> Contest<K> {
        let limiter = Limiter::<K>::builder(quota(Verdict::Pass), keys).on_full(OnFull::Inherit);
        Contest::strangers(limiter.on_full(on_full).build().expect("there is memory"), keys)
    }

    /// Ever new keys to a table made for `keys`, every slot of which is taken by a key that is full again.
    pub fn recycle(keys: usize) -> Contest<K> {
        // A token drips in every nanosecond, which is less than a decision takes.
        let quota = Rate::per_second(1_000_000_000).burst(1_000_000_000).expect("a quota");
        Contest::strangers(Limiter::builder(quota, keys).build().expect("there is memory"), keys)
    }

    fn strangers(limiter: Limiter<K>, keys: usize) -> Contest<K> {
        // Eight times the slots leave none vacant; under Deny and Allow these stay.
        let residents = limiter.slots() as u64 * 8;
        for number in 0..residents {
            let _ = limiter.check(&K::nth(number));
        }
        let floor = Floor::new(limiter.memory());
        // Long enough that a key is evicted before its turn comes again.
        let sequence = (residents..).take(sequence_length(keys).max(keys * 8)).map(K::nth).collect();
        let contestants = floors(floor, Verdict::Pass).into_iter().chain(engines(limiter));
        Contest { sequence, contestants: contestants.collect() }
    }
}

impl Contest<()> {
    /// Decisions of one bucket without a key.
    pub fn unkeyed(verdict: Verdict) -> Contest<()> {
        let bucket: &'static Bucket = Box::leak(Box::new(Bucket::new(quota(verdict))));
        let governor = RateLimiter::direct(peers_quota(verdict));
        assert!(bucket.check().is_allowed() && governor.check().is_ok());
        let engines = [
            contestant(Who::Catraca, |(): &()| bucket.check().is_allowed()),
            Contestant {
                who: Who::CatracaAt,
                run: Box::new(|keys| {
                    let now = MonotonicClock.now();
                    keys.iter().filter(|()| bucket.check_at(now).is_allowed()).count()
                }),
            },
            contestant(Who::Governor, move |(): &()| governor.check().is_ok()),
        ];
        // A vector of nothings takes no memory, however long.
        let sequence = vec![(); 1 << 20];
        Contest { sequence, contestants: floors(Floor::new(0), verdict).into_iter().chain(engines).collect() }
    }
}

/// Newcomers to limiters that are empty: what must be made anew for every round.
pub fn newcomers<K: Key>(who: Who, keys: usize) -> Run<K> {
    match who {
        Who::Floor | Who::FloorAt => {
            let limiter = Limiter::<K>::new(quota(Verdict::Pass), keys);
            let floor = Floor::new(limiter.memory());
            contestant(who, move |key| floor.admit(key)).run
        }
        Who::Catraca | Who::CatracaAt => {
            let limiter = Limiter::<K>::new(quota(Verdict::Pass), keys);
            contestant(who, move |key| limiter.check(key).is_allowed()).run
        }
        Who::GovernorAhash => {
            let governor = RateLimiter::dashmap_with_hasher(peers_quota(Verdict::Pass), ahash::RandomState::new());
            contestant(who, move |key| governor.check_key(key).is_ok()).run
        }
        Who::Governor => {
            let governor = RateLimiter::dashmap(peers_quota(Verdict::Pass));
            contestant(who, move |key| governor.check_key(key).is_ok()).run
        }
    }
}

/// A token a second: a key that passed once owes for the next second at least, and longer the more often it passes.
fn quota(verdict: Verdict) -> catraca::Quota {
    let quota = match verdict {
        Verdict::Pass => Rate::per_second(1).burst(u64::from(PLENTY)),
        Verdict::Deny => Rate::per_day(1).burst(1),
    };
    quota.expect("a quota")
}

fn peers_quota(verdict: Verdict) -> governor::Quota {
    let quota = match verdict {
        Verdict::Pass => governor::Quota::with_period(Duration::from_secs(1))
            .map(|quota| quota.allow_burst(NonZeroU32::new(PLENTY).expect("above zero"))),
        Verdict::Deny => governor::Quota::with_period(Duration::from_secs(86_400)),
    };
    quota.expect("a quota")
}

/// Keys to draw beforehand: enough that all of a large table is seen, few enough to fit in memory.
fn sequence_length(keys: usize) -> usize {
    (keys * 8).next_power_of_two().clamp(1 << 14, 1 << 22)
}

fn contestant<K: 'static>(who: Who, decide: impl Fn(&K) -> bool + Send + Sync + 'static) -> Contestant<K> {
    Contestant { who, run: Box::new(move |keys| keys.iter().filter(|key| decide(key)).count()) }
}

fn floors<K: std::hash::Hash + 'static>(floor: Floor, verdict: Verdict) -> Vec<Contestant<K>> {
    let floor = std::sync::Arc::new(floor);
    if verdict == Verdict::Deny {
        return vec![contestant(Who::Floor, move |key| floor.deny(key))];
    }
    let given = floor.clone();
    let at = move |keys: &[K]| {
        let now = MonotonicClock.now().as_nanos();
        keys.iter().filter(|key| given.admit_at(key, now)).count()
    };
    vec![contestant(Who::Floor, move |key| floor.admit(key)), Contestant { who: Who::FloorAt, run: Box::new(at) }]
}

fn engines<K: Key>(limiter: Limiter<K>) -> Vec<Contestant<K>> {
    let limiter = std::sync::Arc::new(limiter);
    let given = limiter.clone();
    let at = move |keys: &[K]| {
        let now = MonotonicClock.now();
        keys.iter().filter(|&key| given.check_at(key, now).is_allowed()).count()
    };
    vec![
        contestant(Who::Catraca, move |key| limiter.check(key).is_allowed()),
        Contestant { who: Who::CatracaAt, run: Box::new(at) },
    ]
}

fn peers<K: Key>(ahash: Keyed<K, ahash::RandomState>, shipped: Keyed<K, std::hash::RandomState>) -> Vec<Contestant<K>> {
    vec![
        contestant(Who::GovernorAhash, move |key| ahash.check_key(key).is_ok()),
        contestant(Who::Governor, move |key| shipped.check_key(key).is_ok()),
    ]
}
