//! Nothing on the way of a decision asks for memory: counted by an allocator that counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::Duration;

use catraca::{Bucket, Decision, Denial, Limiter, ManualClock, MonotonicClock, OnFull, Quota, Rate, RetryAfter};

struct Counting;

thread_local! {
    /// What this thread asked for; the test harness's own threads do not count.
    static ASKED: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    // A thread that is ending has no cell any more, and nothing to count.
    let _ = ASKED.try_with(|asked| asked.set(asked.get() + 1));
}

// SAFETY: every call goes to the system's allocator as it came; counting neither allocates nor unwinds.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promise, passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count();
        // SAFETY: the caller's promise, passed on: the memory came from `System`.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller's promise, passed on: the memory came from `System`.
        unsafe { System.realloc(memory, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// What `work` returns, and how often it asked for memory or gave some back.
fn asked<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let before = ASKED.get();
    let result = work();
    (result, ASKED.get() - before)
}

/// Every question that a decision answers without text.
fn questions(decision: Decision) -> bool {
    std::hint::black_box((
        decision.denial(),
        decision.remaining(),
        decision.retry_after(),
        decision.reset_after(),
        decision.limit(),
    ));
    decision.is_allowed()
}

const QUOTA: Quota = Quota::must(Rate::per_second(11), 3);

#[test]
fn the_allocator_counts() {
    assert_eq!(asked(|| drop(std::hint::black_box(Box::new(1)))).1, 2);
    assert_eq!(asked(|| 1 + 1).1, 0);
}

#[test]
fn a_bucket_asks_for_nothing() {
    MonotonicClock::source(); // decided once, at the first reading; the system's clock may need memory for it
    let bucket = Bucket::new(QUOTA);
    let (passed, asked) = asked(|| (0..1_000).filter(|_| questions(bucket.check())).count());
    assert!((3..1_000).contains(&passed), "{passed} passed");
    assert_eq!(asked, 0);
    assert_eq!(self::asked(|| questions(bucket.check_n(4)) || questions(bucket.peek_n(0))).1, 0);
}

#[test]
fn a_limiter_asks_for_nothing_whatever_happens_to_a_key() {
    for on_full in [OnFull::Inherit, OnFull::Deny, OnFull::Allow] {
        let clock = ManualClock::new();
        let limiter = Limiter::<str, _>::builder(QUOTA, 50).clock(&clock).on_full(on_full).build().unwrap();
        let keys: Vec<String> = (0..500).map(|key| format!("key {key}")).collect();
        let mut no_room = 0;
        let ((), asked) = asked(|| {
            for keys in keys.chunks(250) {
                for (cost, key) in [1, 4, 0, 2, 1].iter().flat_map(|cost| keys.iter().map(move |key| (*cost, key))) {
                    let decision = limiter.check_n(key.as_str(), cost);
                    questions(decision);
                    no_room += u64::from(decision.denial() == Some(Denial::TableFull));
                    questions(limiter.peek(key.as_str()));
                }
                clock.advance(Duration::from_secs(1));
            }
            std::hint::black_box((limiter.counters(), limiter.owing_at(catraca::Timestamp::ZERO), limiter.memory()));
        });
        // Not in vain: keys came, went, and found no room.
        let counters = limiter.counters();
        assert!(counters.inserted > 50 && counters.recycled > 0, "{on_full:?}: {counters:?}");
        assert_eq!(counters.inherited > 0, on_full == OnFull::Inherit, "{counters:?}");
        assert_eq!(counters.no_room > 0, on_full != OnFull::Inherit, "{counters:?}");
        assert_eq!(no_room > 0, on_full == OnFull::Deny);
        assert_eq!(asked, 0, "{on_full:?}");
    }
}

#[test]
fn a_quota_asks_for_nothing_until_it_is_shown() {
    let (quota, asked) = asked(|| Rate::per_minute(7).burst(3));
    assert!(quota.is_ok() && asked == 0);
    let bucket = Bucket::new(QUOTA);
    assert!(bucket.check_n(3).is_allowed());
    let denied = bucket.check_n(3);
    assert!(matches!(denied.retry_after(), RetryAfter::After(_)));
    assert!(self::asked(|| denied.to_string()).1 > 0);
}
