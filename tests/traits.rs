//! What types promise without being run: how they are shared, how large they are, what they can be asked with.

use std::error::Error;
use std::fmt::{Debug, Display};
use std::sync::Arc;
use std::thread;

use catraca::{
    Bucket, Clock, Decision, Limiter, ManualClock, MonotonicClock, Quota, QuotaError, QuotaParseError, Rate,
    RateParseError, RetryAfter, TableError, Timestamp,
};

static SHARED: Bucket = Bucket::new(Quota::must(Rate::per_hour(1), 100));

fn shared<T: Send + Sync + 'static>() {}
fn value<T: Copy + Send + Sync + Debug + 'static>() {}
fn error<T: Error + Display + Send + Sync + 'static>() {}

#[test]
fn everything_crosses_threads() {
    shared::<Bucket>();
    shared::<Bucket<Arc<ManualClock>>>();
    shared::<Limiter<str>>();
    shared::<Limiter<String, Arc<ManualClock>>>();
    // Keys are hashed, never kept: one that must stay on its thread does not tie the limiter to it.
    shared::<Limiter<std::rc::Rc<str>>>();
    value::<Decision>();
    value::<Quota>();
    value::<Rate>();
    value::<Timestamp>();
    value::<RetryAfter>();
    error::<QuotaError>();
    error::<QuotaParseError>();
    error::<RateParseError>();
    error::<TableError>();
}

#[test]
fn a_decision_is_small() {
    assert!(size_of::<Decision>() <= 80, "{} bytes", size_of::<Decision>());
}

#[test]
fn a_static_bucket_is_one_for_all_threads() {
    let passed: usize = thread::scope(|scope| {
        let asking = || (0..50).filter(|_| SHARED.check().is_allowed()).count();
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(asking)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(passed, 100);
}

#[test]
fn a_limiter_in_an_arc_outlives_its_maker() {
    let clock = Arc::new(ManualClock::new());
    let quota = Quota::must(Rate::per_second(1), 3);
    let limiter = Arc::new(Limiter::<String, _>::builder(quota, 10).clock(Arc::clone(&clock)).build().unwrap());
    let passed = |limiter: &Limiter<String, _>| (0..2).filter(|_| limiter.check("key").is_allowed()).count();
    let there = thread::spawn({
        let limiter = Arc::clone(&limiter);
        move || passed(&limiter)
    });
    assert_eq!(there.join().unwrap() + passed(&limiter), 3);
}

#[test]
fn a_key_is_whatever_it_borrows_as() {
    let quota = Quota::must(Rate::per_hour(1), 10);
    let limiter = Limiter::<String>::new(quota, 10);
    assert_eq!(limiter.check(&String::from("alice")).remaining(), 9);
    assert_eq!(limiter.check("alice").remaining(), 8);
    assert_eq!(limiter.prehash("alice"), limiter.prehash(&String::from("alice")));
    assert_eq!(limiter.check_hashed_n(limiter.prehash("alice"), 1).remaining(), 7);
    let bytes = Limiter::<Vec<u8>>::new(quota, 10);
    assert_eq!(bytes.check(&[1, 2, 3][..]).remaining(), 9);
    assert_eq!(bytes.peek(&vec![1, 2, 3]).remaining(), 9);
    let pair = Limiter::<(u32, String)>::new(quota, 10);
    assert_eq!(pair.check(&(1, String::from("x"))).remaining(), 9);
}

#[test]
fn a_clock_may_be_anything_that_tells_a_moment() {
    let quota = Quota::must(Rate::per_second(1), 1);
    let manual = ManualClock::new();
    let clocks: [&dyn Clock; 2] = [&manual, &MonotonicClock];
    for clock in clocks {
        let bucket = Bucket::with_clock(quota, clock);
        assert!(bucket.check().is_allowed());
    }
}
