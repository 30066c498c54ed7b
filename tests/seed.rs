//! The example that the project started from, to the letter.

use std::time::Duration;

use catraca::{Bucket, Limiter, ManualClock, QuotaError, Rate};

#[test]
fn eight_calls_and_three_more() -> Result<(), QuotaError> {
    let clock = ManualClock::new();
    let bucket = Bucket::with_clock(Rate::per_second(2).burst(5)?, &clock);
    let first: Vec<bool> = (0..8).map(|_| bucket.check().is_allowed()).collect();
    assert_eq!(first, [true, true, true, true, true, false, false, false]);
    clock.advance(Duration::from_millis(1_100));
    assert_eq!([(); 3].map(|()| bucket.check().is_allowed()), [true, true, false]);
    Ok(())
}

#[test]
fn the_same_for_every_key() -> Result<(), Box<dyn std::error::Error>> {
    let clock = ManualClock::new();
    let quota = "2/s burst 5".parse()?;
    let limiter = Limiter::<str>::builder(quota, 100).clock(&clock).build()?;
    for key in ["alice", "bob"] {
        let passed = (0..8).filter(|_| limiter.check(key).is_allowed()).count();
        assert_eq!(passed, 5, "{key}");
    }
    clock.advance(Duration::from_millis(1_100));
    for key in ["alice", "bob"] {
        assert_eq!([(); 3].map(|()| limiter.check(key).is_allowed()), [true, true, false], "{key}");
    }
    Ok(())
}
