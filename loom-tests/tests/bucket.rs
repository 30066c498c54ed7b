//! One bucket, several threads: no debit is lost, none is minted.

use catraca::{Bucket, ManualClock, Rate, Timestamp, model};
use catraca_loom_tests::{Bound, explore};
use loom::sync::Arc;
use loom::thread;

const SECOND: u64 = 1_000_000_000;

fn bucket(capacity: u64) -> Arc<Bucket<ManualClock>> {
    let quota = Rate::per_second(1).burst(capacity).unwrap();
    Arc::new(Bucket::with_clock(quota, ManualClock::new()))
}

/// Each thread makes its debits, given as (cost, second), and says what it was granted in all.
fn granted(bucket: &Arc<Bucket<ManualClock>>, debits: &[&'static [(u64, u64)]]) -> Vec<u64> {
    let spend = |bucket: Arc<Bucket<ManualClock>>, debits: &'static [(u64, u64)]| {
        let allowed = |&&(cost, second): &&(u64, u64)| {
            bucket.check_n_at(cost, Timestamp::from_nanos(second * SECOND)).is_allowed()
        };
        debits.iter().filter(allowed).map(|(cost, _)| cost).sum()
    };
    let (first, others) = debits.split_first().unwrap();
    let others: Vec<_> = others
        .iter()
        .map(|&debits| {
            let bucket = Arc::clone(bucket);
            thread::spawn(move || spend(bucket, debits))
        })
        .collect();
    let first = spend(Arc::clone(bucket), first);
    std::iter::once(first).chain(others.into_iter().map(|other| other.join().unwrap())).collect()
}

fn left(bucket: &Bucket<ManualClock>, second: u64) -> u64 {
    bucket.peek_at(Timestamp::from_nanos(second * SECOND)).remaining()
}

#[test]
fn two_threads_lose_no_debit() {
    // Exhaustive. Four debits of one on a bucket of three.
    explore(Bound::Exhaustive, [vec![1, 2], vec![2, 1]], |outcomes| {
        let bucket = bucket(3);
        let granted = granted(&bucket, &[&[(1, 0), (1, 0)], &[(1, 0), (1, 0)]]);
        assert_eq!(granted.iter().sum::<u64>() + left(&bucket, 0), 3, "granted + left == initial + refilled");
        outcomes.note(granted);
    });
}

#[test]
fn three_threads_lose_no_debit() {
    // Exhaustive. Demand of five on a bucket of four, in costs that do not divide it.
    let expected = [vec![0, 2, 2], vec![1, 0, 2], vec![1, 2, 0]];
    explore(Bound::Exhaustive, expected, |outcomes| {
        let bucket = bucket(4);
        let granted = granted(&bucket, &[&[(1, 0)], &[(2, 0)], &[(2, 0)]]);
        let total = granted.iter().sum::<u64>();
        assert_eq!(total + left(&bucket, 0), 4, "granted + left == initial + refilled");
        outcomes.note(granted);
    });
}

#[test]
fn a_refill_is_granted_once() {
    // Exhaustive. One token, and one more that drips in between: two threads, four tries, at most two pass.
    explore(Bound::Exhaustive, [vec![0, 2], vec![1, 1], vec![2, 0]], |outcomes| {
        let bucket = bucket(1);
        let granted = granted(&bucket, &[&[(1, 0), (1, 1)], &[(1, 0), (1, 1)]]);
        assert_eq!(granted.iter().sum::<u64>() + left(&bucket, 1), 2, "granted + left == initial + refilled");
        outcomes.note(granted);
    });
}

#[test]
fn a_clock_that_lags_on_one_thread_mints_nothing() {
    // Exhaustive. One thread's clock runs back, so its second debit sees an empty bucket, whoever
    // came first; the other's is right.
    explore(Bound::Exhaustive, [vec![1, 1], vec![1, 2]], |outcomes| {
        let bucket = bucket(2);
        let granted = granted(&bucket, &[&[(1, 2), (1, 0)], &[(1, 0), (1, 2)]]);
        let total = granted.iter().sum::<u64>();
        assert!(total + left(&bucket, 2) <= 4, "granted + left <= initial + refilled");
        outcomes.note(granted);
    });
}

#[test]
fn a_weak_exchange_that_fails_for_no_reason_loses_nothing() {
    // Exhaustive, with every second weak exchange failing.
    explore(Bound::Exhaustive, [vec![1, 1]], |outcomes| {
        model::fail_weak(2);
        let bucket = bucket(2);
        let granted = granted(&bucket, &[&[(1, 0)], &[(1, 0)]]);
        assert_eq!(granted.iter().sum::<u64>() + left(&bucket, 0), 2, "granted + left == initial + refilled");
        model::fail_weak(0);
        outcomes.note(granted);
    });
}
