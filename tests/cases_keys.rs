//! Situations that broke other limiters, each with where it was reported: keys and the memory that they take.

use std::time::Duration;

use catraca::{Limiter, ManualClock, OnFull, Quota, Rate, RetryAfter};

const SECOND: Duration = Duration::from_secs(1);

fn limiter(quota: Quota, keys: usize, clock: &ManualClock) -> Limiter<u64, &ManualClock> {
    Limiter::builder(quota, keys).clock(clock).build().unwrap()
}

/// boinkor-net/governor#171, librefang#3668, dugite#11, litellm-rs#517: an entry for every key there ever was.
#[test]
fn a_million_keys_take_the_memory_of_ten_thousand() {
    let clock = ManualClock::new();
    let limiter = limiter(Quota::must(Rate::per_second(1), 1), 10_000, &clock);
    let memory = limiter.memory();
    assert!(memory < 10_000 * 26 + 4_096, "{memory} bytes");
    for key in 0..1_000_000 {
        assert!(limiter.check(&key).is_allowed(), "{key}");
        clock.advance(SECOND / 100); // a hundred owe at a time: no set is ever full of them
    }
    let counters = limiter.counters();
    assert_eq!(limiter.memory(), memory);
    assert!(counters.occupied() <= limiter.slots() as u64, "{counters:?}");
    // Who is full goes first: nobody had to inherit.
    assert_eq!((counters.inserted, counters.inherited), (1_000_000, 0), "{counters:?}");
}

/// The same crowd all at once: the table stays as large, and no key gets more than its bucket.
#[test]
fn more_keys_than_room_buy_nothing() {
    let clock = ManualClock::new();
    let limiter = limiter(Quota::must(Rate::per_second(1), 10), 100, &clock);
    let passed = (0..3).flat_map(|_| 0..10_000).filter(|key| limiter.check(key).is_allowed()).count();
    assert!(passed <= 10 * limiter.slots(), "{passed} passed, {} slots", limiter.slots());
    assert!(limiter.counters().inherited > 0);
}

/// traefik/traefik#8254: an entry expired by the time of its creation, so that busy keys began anew.
#[test]
fn a_busy_key_never_begins_anew() {
    let clock = ManualClock::new();
    let limiter = limiter(Quota::must(Rate::per_minute(1), 1), 5, &clock);
    let mut passed = Vec::new();
    for second in 0..600 {
        if limiter.check(&0).is_allowed() {
            passed.push(second);
        }
        // Passers-by that want its slot.
        for other in 0..10 {
            let _ = limiter.check(&(1 + second * 10 + other));
        }
        clock.advance(SECOND);
    }
    assert!(passed.len() <= 10 && passed.windows(2).all(|two| two[1] - two[0] >= 60), "{passed:?}");
    let alone = self::limiter(Quota::must(Rate::per_minute(1), 1), 5, &clock);
    let passed = (0..600).filter(|_| (alone.check(&0).is_allowed(), clock.advance(SECOND)).0).count();
    assert_eq!(passed, 10);
}

/// Kuadrant/limitador#64, #312: one key, several counters.
#[test]
fn a_key_has_one_bucket() {
    let clock = ManualClock::new();
    let limiter = limiter(Quota::must(Rate::per_hour(1), 1_000), 100, &clock);
    let left: Vec<u64> = (0..1_000).map(|_| limiter.check(&7).remaining()).collect();
    assert!(left.into_iter().eq((0..1_000).rev()));
    assert_eq!((limiter.counters().inserted, limiter.owing_at(catraca::Timestamp::ZERO)), (1, 1));
}

/// traefik/traefik#13706: a limit that is shared is one, from wherever it is asked.
#[test]
fn two_routes_share_what_they_are_given() {
    let clock = ManualClock::new();
    let limiter = limiter("10/min".parse().unwrap(), 100, &clock);
    let (x, y) = (&limiter, &limiter);
    assert_eq!((0..8).filter(|_| x.check(&1).is_allowed()).count(), 8);
    assert_eq!([(); 3].map(|()| y.check(&1).is_allowed()), [true, true, false]);
}

/// cristipufu/aspnetcore-redis-rate-limiting#25: what cannot be decided was allowed. Here it is the rule that says.
#[test]
fn no_room_is_an_answer_of_its_own() {
    let clock = ManualClock::new();
    let quota = Quota::must(Rate::per_second(1), 1);
    let denying = Limiter::<u64, _>::builder(quota, 5).clock(&clock).on_full(OnFull::Deny).build().unwrap();
    let denied = (0..8).map(|key| denying.check(&key)).find(|decision| !decision.is_allowed()).unwrap();
    assert_eq!(denied.denial(), Some(catraca::Denial::TableFull));
    // Room is made when the first is past full: a second, and the least that can be told.
    assert_eq!(denied.retry_after(), RetryAfter::After(SECOND + Duration::from_nanos(1)));
    let allowing = Limiter::<u64, _>::builder(quota, 5).clock(&clock).on_full(OnFull::Allow).build().unwrap();
    assert!((0..100).all(|key| allowing.check(&key).is_allowed()));
    assert_eq!(allowing.counters().no_room, 100 - allowing.slots() as u64);
}
