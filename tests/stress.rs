//! Real threads on shared buckets. No sleeps and no times: what passes is counted, and so is what shows that the
//! threads met. `CATRACA_STRESS` is the number of decisions in each round of each test.
//!
//! A bucket shows its own contention: a thread whose two admissions in a row, at one moment, leave behind numbers that
//! are more than one apart has been overtaken between them.

use std::ops::AddAssign;
use std::sync::Barrier;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::thread;
use std::time::Duration;

use catraca::{Bucket, Clock, Decision, Limiter, ManualClock, OnFull, Quota, Rate, Timestamp};

const THREADS: u64 = 4;
/// A round in which the threads did not meet proves little and is played again, this often at most.
const ROUNDS: usize = 1_000;
/// So many rounds in which they met are enough.
const MEETINGS: usize = 20;
const STEP: Duration = Duration::from_micros(10);
/// A token every [`STEP`].
const RATE: Rate = Rate::new(1, STEP);

fn decisions() -> u64 {
    let said = std::env::var("CATRACA_STRESS").ok();
    let said = said.map(|count| count.parse().expect("CATRACA_STRESS is a number of decisions"));
    said.unwrap_or(20_000).max(4_000) // fewer would leave some tests without an occasion
}

/// What a thread saw.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    allowed: u64,
    denied: u64,
    /// Times that another thread's admission came between two of its own.
    overtaken: u64,
    /// Threads to which something was allowed.
    passing: u64,
    left: Option<u64>,
}

impl Seen {
    fn note(&mut self, decision: &Decision) {
        if decision.is_allowed() {
            let left = decision.remaining();
            self.overtaken += u64::from(self.left.is_some_and(|before| before > left + decision.cost()));
            self.left = Some(left);
            self.allowed += 1;
        } else {
            self.denied += 1;
        }
    }
}

impl AddAssign for Seen {
    fn add_assign(&mut self, other: Seen) {
        self.allowed += other.allowed;
        self.denied += other.denied;
        self.overtaken += other.overtaken;
        self.passing += other.passing;
    }
}

/// Runs `work` on every thread at once and sums up what they saw.
fn together(work: impl Fn(u64, &mut Seen) + Sync) -> Seen {
    let start = Barrier::new(THREADS as usize);
    thread::scope(|scope| {
        let run = |thread| {
            let mut seen = Seen::default();
            start.wait();
            work(thread, &mut seen);
            seen.passing = u64::from(seen.allowed > 0);
            seen
        };
        let threads: Vec<_> = (0..THREADS).map(|thread| scope.spawn(move || run(thread))).collect();
        let mut sum = Seen::default();
        threads.into_iter().for_each(|thread| sum += thread.join().expect("a thread ends well"));
        sum
    })
}

/// Plays rounds until the threads have met in several of them: one may be luck, and a lost write takes some.
fn until(met: impl Fn(&Seen) -> bool, mut round: impl FnMut() -> Seen) {
    let met = (1..=ROUNDS).filter(|_| met(&round())).take(MEETINGS).count();
    assert_eq!(met, MEETINGS, "the threads hardly ever met in {ROUNDS} rounds");
}

/// Several threads were overtaken, or one several times.
fn overtaken(seen: &Seen) -> bool {
    seen.overtaken > 1
}

/// Lets another thread in now and then, where there are fewer processors than threads.
fn breathe(turn: u64) {
    if turn.is_multiple_of(64) {
        thread::yield_now();
    }
}

#[test]
fn one_bucket_under_a_frozen_clock_gives_exactly_what_it_holds() {
    let capacity = decisions() / 2;
    let quota = RATE.burst(capacity).unwrap();
    until(overtaken, || {
        let bucket = Bucket::with_clock(quota, ManualClock::new());
        let seen = together(|_, seen| {
            for turn in 0..decisions() / THREADS {
                breathe(turn);
                seen.note(&bucket.check());
            }
        });
        assert_eq!((seen.allowed, seen.denied), (capacity, decisions() / THREADS * THREADS - capacity));
        assert_eq!(bucket.peek().remaining(), 0);
        seen
    });
}

#[test]
fn costs_of_several_sizes_lose_nothing() {
    let capacity = decisions();
    until(overtaken, || {
        let bucket = Bucket::with_clock(RATE.burst(capacity).unwrap(), ManualClock::new());
        let spent = AtomicU64::new(0);
        let seen = together(|thread, seen| {
            let cost = thread + 1;
            for turn in 0..decisions() / THREADS {
                breathe(turn);
                let decision = bucket.check_n(cost);
                spent.fetch_add(if decision.is_allowed() { cost } else { 0 }, Relaxed);
                seen.note(&decision);
            }
        });
        assert_eq!(spent.load(Relaxed) + bucket.peek().remaining(), capacity);
        seen
    });
}

/// Advances `clock` by a token at a time, `steps` times, each only once somebody has been denied since the one before: so
/// the bucket was empty, and never overflows.
fn advance(clock: &ManualClock, steps: u64, denied: &AtomicU64, done: &AtomicBool) {
    for _ in 0..steps {
        let before = denied.load(Relaxed);
        while denied.load(Relaxed) == before && !done.load(Relaxed) {
            thread::yield_now();
        }
        clock.advance(STEP);
    }
    done.store(true, Relaxed);
}

#[test]
fn one_bucket_under_a_moving_clock_gives_exactly_what_drips_in() {
    const CAPACITY: u64 = 50;
    let steps = decisions() / 20;
    until(|seen| seen.passing > 1, || moving(CAPACITY, steps));
}

/// A round under a clock that is advanced so many steps.
fn moving(capacity: u64, steps: u64) -> Seen {
    let clock = ManualClock::new();
    let bucket = Bucket::with_clock(RATE.burst(capacity).unwrap(), &clock);
    let (denied, done) = (AtomicU64::new(0), AtomicBool::new(false));
    let seen = thread::scope(|scope| {
        scope.spawn(|| advance(&clock, steps, &denied, &done));
        together(|_, seen| {
            while !done.load(Relaxed) {
                let decision = bucket.check();
                seen.note(&decision);
                if seen.allowed > capacity + steps {
                    done.store(true, Relaxed); // a bucket without bottom must not keep the test from ending
                }
                if !decision.is_allowed() {
                    denied.fetch_add(1, Relaxed);
                    thread::yield_now();
                }
            }
        })
    });
    let last = (0..=capacity).take_while(|_| bucket.check().is_allowed()).count() as u64;
    assert_eq!(seen.allowed + last, capacity + steps);
    seen
}

#[test]
fn threads_with_clocks_of_their_own_never_mint() {
    const CAPACITY: u64 = 50;
    let quota = RATE.burst(CAPACITY).unwrap();
    until(
        |seen| seen.passing > 1,
        || {
            let clock = ManualClock::new();
            let bucket = Bucket::with_clock(quota, ());
            let seen = together(|thread, seen| {
                for turn in 0..decisions() / THREADS {
                    breathe(turn);
                    if thread == 0 {
                        clock.advance(STEP / 10);
                    }
                    // Each lags behind the one before it, by up to six tokens; now and then a reading is of long ago.
                    let lag = STEP.as_nanos() as u64 * 2 * thread;
                    let now = if turn % 7 == 6 { 0 } else { clock.now().as_nanos().saturating_sub(lag) };
                    seen.note(&bucket.check_at(Timestamp::from_nanos(now)));
                }
            });
            let dripped = clock.now().as_nanos() / STEP.as_nanos() as u64;
            assert!(seen.allowed <= CAPACITY + dripped, "{seen:?}: more than {CAPACITY} and {dripped}");
            assert!(seen.allowed > CAPACITY && seen.denied > 0, "{seen:?}");
            seen
        },
    );
}

const KEYS: u64 = 16;

#[test]
fn every_key_of_a_roomy_table_gives_exactly_what_it_holds() {
    let capacity = decisions() / KEYS / 2;
    let quota = RATE.burst(capacity).unwrap();
    until(overtaken, || {
        let limiter = Limiter::<u64, _>::builder(quota, 1_000).clock(ManualClock::new()).build().unwrap();
        let by_key = [const { AtomicU64::new(0) }; KEYS as usize];
        let seen = together(|_, seen| {
            for key in 0..KEYS {
                seen.left = None;
                for turn in 0..decisions() / KEYS / THREADS {
                    breathe(turn);
                    let decision = limiter.check(&key);
                    by_key[key as usize].fetch_add(decision.is_allowed().into(), Relaxed);
                    seen.note(&decision);
                }
            }
        });
        let asked = decisions() / KEYS / THREADS * THREADS;
        by_key.iter().for_each(|allowed| assert_eq!(allowed.load(Relaxed), capacity.min(asked)));
        let counters = limiter.counters();
        assert_eq!((counters.inserted, counters.occupied()), (KEYS, KEYS), "a bucket was made twice: {counters:?}");
        seen
    });
}

/// Asks for more keys than there are slots, from every thread at once, while time stands still.
fn flood(on_full: OnFull) -> (Limiter<u64, ManualClock>, Vec<AtomicU64>, Seen) {
    const CAPACITY: u64 = 20;
    let quota = RATE.burst(CAPACITY).unwrap();
    let keys = decisions() / (4 * CAPACITY);
    // Room for a twentieth of them.
    let limiter =
        Limiter::builder(quota, keys as usize / 20).clock(ManualClock::new()).on_full(on_full).build().unwrap();
    let by_key: Vec<AtomicU64> = (0..keys).map(|_| AtomicU64::new(0)).collect();
    let seen = together(|thread, seen| {
        for _ in 0..2 * CAPACITY {
            for key in 0..keys {
                breathe(key);
                // Half of them in one order and half in the other, so that threads insert different keys at a time.
                let key = if thread % 2 == 0 { key } else { keys - 1 - key };
                let decision = limiter.check(&key);
                by_key[key as usize].fetch_add(decision.is_allowed().into(), Relaxed);
                seen.left = None;
                seen.note(&decision);
            }
        }
    });
    let over = by_key.iter().find(|allowed| allowed.load(Relaxed) > CAPACITY);
    assert!(over.is_none(), "{over:?} passed of {CAPACITY}");
    assert!(seen.passing > 1 && seen.denied > 0, "the threads never met: {seen:?}");
    (limiter, by_key, seen)
}

#[test]
fn a_flood_of_keys_buys_nothing_where_debt_is_inherited() {
    let (limiter, _, seen) = flood(OnFull::Inherit);
    let counters = limiter.counters();
    // Time stands still, and words only grow: each slot gives at most what one bucket holds, whoever comes.
    let most = limiter.slots() as u64 * limiter.quota().capacity();
    assert!(seen.allowed <= most, "{seen:?}: more than {most}");
    // What a slot gains when it changes hands is a tick, not a token: little is lost.
    assert!(seen.allowed > most / 2, "{seen:?}: far less than {most}");
    assert!(counters.inherited > 0 && counters.recycled == 0, "{counters:?}");
}

#[test]
fn a_flood_of_keys_is_turned_away_where_the_rule_is_to_deny() {
    let (limiter, by_key, seen) = flood(OnFull::Deny);
    let (counters, capacity) = (limiter.counters(), limiter.quota().capacity());
    // Who has a slot keeps it, and gets all of its bucket; who has none gets nothing.
    let holders = by_key.iter().filter(|allowed| allowed.load(Relaxed) == capacity).count();
    let others = by_key.iter().filter(|allowed| allowed.load(Relaxed) == 0).count();
    assert_eq!((holders, holders + others), (limiter.slots(), by_key.len()), "{counters:?}");
    assert_eq!(seen.allowed, holders as u64 * capacity);
    assert_eq!((counters.inserted, counters.inherited), (holders as u64, 0));
}

#[test]
fn a_hot_key_among_keys_that_come_and_go() {
    const CAPACITY: u64 = 20;
    let quota: Quota = RATE.burst(CAPACITY).unwrap();
    let mut recycled = 0;
    until(overtaken, || {
        let clock = ManualClock::new();
        // One set: every newcomer is after the same seven slots as the hot key.
        let limiter = Limiter::<u64, _>::builder(quota, 5).clock(&clock).build().unwrap();
        let seen = together(|thread, seen| {
            let mut last = Timestamp::ZERO;
            for turn in 0..decisions() / THREADS / 4 {
                breathe(turn);
                let now = clock.now();
                if now != last {
                    seen.left = None; // something may have dripped in
                }
                last = now;
                seen.note(&limiter.check_at(&0, now));
                let _ = limiter.check(&(1 + turn * THREADS + thread));
                if thread == 0 && turn % 8 == 0 {
                    clock.advance(STEP * 4);
                }
            }
        });
        let dripped = clock.now().as_nanos() / STEP.as_nanos() as u64;
        assert!(seen.allowed <= CAPACITY + dripped, "{seen:?}: more than {CAPACITY} and {dripped}");
        recycled += limiter.counters().recycled;
        seen
    });
    assert!(recycled > 10, "hardly a slot changed hands: {recycled} recycled");
}
