//! Situations that broke other limiters, each with where it was reported: clocks, and threads that share them.

use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use catraca::{Bucket, ManualClock, Monotone, Rate, RetryAfter, Timestamp};

fn at(seconds: u64) -> Timestamp {
    Timestamp::from_nanos(seconds * 1_000_000_000)
}

fn bucket(rate: Rate, capacity: u64) -> Bucket {
    Bucket::new(rate.burst(capacity).unwrap())
}

/// golang/go#56287, #56145, #71360, golang/time#25: an older moment rewinds the bucket, and the next refills it again.
#[test]
fn going_back_and_forth_mints_nothing() {
    let bucket = bucket(Rate::per_second(10), 10);
    assert_eq!((0..10).filter(|_| bucket.check_at(at(1)).is_allowed()).count(), 10);
    let passed = (0..100).flat_map(|_| [at(0), at(1)]).filter(|now| bucket.check_at(*now).is_allowed()).count();
    assert_eq!(passed, 0);
    assert_eq!((0..20).filter(|_| bucket.check_at(at(2)).is_allowed()).count(), 10);
}

/// sethvargo/go-limiter#41, MediaWiki-MCP-Server#557, juju/ratelimit#22: a step back locks callers out, a step forward
/// refills for free.
#[test]
fn a_clock_that_is_set_back_stands_still() {
    let clock = Monotone::new(ManualClock::new());
    let bucket = Bucket::with_clock(Rate::per_second(1).burst(5).unwrap(), &clock);
    let hit = |seconds| {
        clock.inner().set(at(seconds));
        let decision = bucket.check();
        (decision.is_allowed(), decision.remaining(), decision.retry_after())
    };
    assert_eq!((hit(100).1, hit(100).1, hit(100).1), (4, 3, 2));
    assert_eq!(hit(89), (true, 1, RetryAfter::Now));
    assert_eq!(hit(89), (true, 0, RetryAfter::Now));
    // Counted from where the clock stands: at most what a token takes to make, and the eleven seconds it was set back.
    assert_eq!(hit(90), (false, 0, RetryAfter::After(Duration::from_secs(1))));
    assert!(hit(101).0);
}

/// The same without the adapter, as documented: what refilled since the stale moment is not seen, so a denial may come
/// early. It names a wait that holds, and nobody is locked out for longer than the clock was set back.
#[test]
fn a_stale_moment_sees_less() {
    let bucket = bucket(Rate::per_second(1), 5);
    assert!(bucket.check_n_at(3, at(100)).is_allowed());
    let stale = bucket.check_at(at(89));
    assert_eq!((stale.is_allowed(), stale.remaining()), (false, 0));
    assert_eq!(stale.retry_after(), RetryAfter::After(Duration::from_secs(10)));
    assert_eq!(bucket.check_at(at(99)).remaining(), 0);
    assert!(bucket.check_at(at(101)).is_allowed());
}

/// systemd/systemd#42912: after a sleep, or a step forward, at most one bucket more.
#[test]
fn a_leap_of_hours_gives_one_bucket() {
    let bucket = bucket(Rate::per_hour(10), 10);
    assert!(bucket.check_n_at(10, at(0)).is_allowed());
    let passed = (0..100).filter(|_| bucket.check_at(at(36_000)).is_allowed()).count();
    assert_eq!(passed, 10);
}

/// ELares/IronTraffic#212: a window's end lets twice the limit pass; a bucket does not.
#[test]
fn there_is_no_edge_to_be_early_and_late_at() {
    let bucket = bucket(Rate::per_minute(5), 5);
    let milli = |millis: u64| Timestamp::from_nanos(millis * 1_000_000);
    assert_eq!((0..5).filter(|_| bucket.check_at(milli(59_900)).is_allowed()).count(), 5);
    assert_eq!((0..5).filter(|_| bucket.check_at(milli(60_100)).is_allowed()).count(), 0);
}

/// twitter/rustcommon#64, adamcavendish/aioduct#91, langgenius/dify#39177: looked at and then taken, in two steps, 25 of
/// 25 pass where 10 may.
#[test]
fn sixty_four_threads_and_ten_tokens() {
    let clock = ManualClock::new();
    let bucket = Bucket::with_clock(Rate::per_second(1).burst(10).unwrap(), &clock);
    let start = Barrier::new(64);
    let passed: usize = thread::scope(|scope| {
        let run = || {
            start.wait();
            (0..100).filter(|_| bucket.check().is_allowed()).count()
        };
        let threads: Vec<_> = (0..64).map(|_| scope.spawn(run)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(passed, 10);
}
