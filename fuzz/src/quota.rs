//! Making a [`Quota`]: from numbers and from text, near and beyond every limit.

use std::time::Duration;

use arbitrary::{Arbitrary, Unstructured};
use catraca::{Bucket, Quota, QuotaError, Rate, Timestamp};

use crate::input::Spec;
use crate::oracle::{Oracle, fraction};
use crate::tally::Tally;
use crate::text::Written;

/// What a quota is made from.
#[derive(Arbitrary, Clone, Debug)]
pub enum Input {
    /// Numbers.
    Numbers(Spec),
    /// A text of which it is known what it says.
    Written(Written),
}

/// Plays the bytes as an [`Input`]; `None` if they are none.
pub fn check_bytes(bytes: &[u8]) -> Option<Tally> {
    Some(check(&Unstructured::new(bytes).arbitrary().ok()?))
}

/// A quota holds what it promises, and an error helps.
#[must_use]
pub fn check(input: &Input) -> Tally {
    match input {
        Input::Numbers(spec) => {
            shown_rate(spec.rate());
            let made = spec.exact();
            assert_eq!(made, spec.rate().burst(spec.capacity.value()));
            match made {
                Ok(quota) => accepted(&quota),
                Err(error) => refused(spec.rate(), spec.capacity.value(), error),
            }
            tally(made.is_ok())
        }
        Input::Written(written) => written.check(),
    }
}

/// The tally of one input.
#[must_use]
pub fn tally(accepted: bool) -> Tally {
    Tally { inputs: 1, accepted: accepted.into(), refused: (!accepted).into(), ..Tally::default() }
}

/// What every quota promises.
pub fn accepted(quota: &Quota) {
    assert!(quota.capacity() > 0 && quota.rate().tokens() > 0 && !quota.rate().period().is_zero(), "{quota}");
    assert_eq!(quota.to_string().parse(), Ok(*quota), "shown as `{quota}`");
    shown_rate(quota.rate());

    let (p, q) = fraction(quota);
    let nanos = (u128::from(quota.capacity()) * u128::from(q)).div_ceil(p.into());
    if nanos <= Duration::MAX.as_nanos() {
        assert_eq!(quota.time_to_fill().as_nanos(), nanos, "{quota}");
    } else {
        assert_eq!(quota.time_to_fill().as_secs(), u64::MAX, "{quota}");
    }

    // Full at the origin and at the horizon, and no more than full; nothing overflows in between.
    for now in [Timestamp::ZERO, Timestamp::HORIZON, Timestamp::from_nanos(u64::MAX)] {
        let bucket = Bucket::new(*quota);
        assert_eq!(bucket.peek_at(now).remaining(), quota.capacity(), "{quota} at {now:?}");
        assert!(bucket.check_n_at(quota.capacity(), now).is_allowed(), "{quota} at {now:?}");
        let denied = bucket.check_at(now);
        assert!(!denied.is_allowed() && denied.remaining() == 0, "{quota} at {now:?}: {denied}");
        assert!(!denied.to_string().is_empty());
    }
    let (bucket, mut oracle) = (Bucket::new(*quota), Oracle::new(quota));
    assert!(bucket.check_n_at(quota.capacity(), Timestamp::ZERO).is_allowed());
    oracle.take(oracle.full(), Timestamp::ZERO);
    let exactly = oracle.whole(oracle.parts_at(Timestamp::HORIZON));
    let told = bucket.peek_at(Timestamp::HORIZON).remaining();
    assert!(told <= exactly && exactly - told <= exactly.min(2), "{quota}: {told} left at the horizon, not {exactly}");
}

/// A rate that a text can say reads back as itself.
fn shown_rate(rate: Rate) {
    let shown = rate.to_string();
    let nanos = rate.period().as_nanos();
    if (1..=u128::from(u64::MAX)).contains(&nanos) {
        assert_eq!(shown.parse(), Ok(rate), "shown as `{shown}`");
    }
    assert!(!format!("{rate:?}").is_empty());
}

/// An error names something that works, or that has at most another fault, which is named in its turn.
pub fn refused(mut rate: Rate, mut capacity: u64, mut error: QuotaError) {
    for _ in 0..4 {
        let fault = std::mem::discriminant(&error);
        (rate, capacity) = way_out(rate, capacity, &error);
        match Quota::new(rate, capacity) {
            Ok(quota) => {
                if let QuotaError::CapacityTooLarge { capacity, largest } = error {
                    assert!(largest < capacity && Quota::new(rate, largest + 1).is_err(), "{quota} is not the largest");
                }
                return accepted(&quota);
            }
            Err(next) => {
                assert_ne!(std::mem::discriminant(&next), fault, "`{error}` does not help: `{next}`");
                error = next;
            }
        }
    }
    panic!("no way out of `{error}` for {rate:?} burst {capacity}");
}

/// The quota that the message of an error says to use instead.
fn way_out(rate: Rate, capacity: u64, error: &QuotaError) -> (Rate, u64) {
    let message = error.to_string();
    let (_, advice) = message.rsplit_once("that works is ").unwrap_or_else(|| panic!("no advice: {message}"));
    let number = || {
        let digits: String = advice.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().unwrap_or_else(|_| panic!("no number: {message}"))
    };
    let advised_rate = || advice.parse().unwrap_or_else(|_| panic!("no rate: {message}"));
    match error {
        QuotaError::ZeroCapacity | QuotaError::CapacityTooLarge { .. } => (rate, number()),
        QuotaError::ZeroPeriod => (Rate::new(rate.tokens(), Duration::from_nanos(number())), capacity),
        QuotaError::PeriodTooLong { .. } => (Rate::new(rate.tokens(), Duration::from_secs(number())), capacity),
        QuotaError::ZeroRate | QuotaError::RateTooSlow { .. } | QuotaError::RateTooFast { .. } => {
            (advised_rate(), capacity)
        }
        other => panic!("an error without a test: {other}"),
    }
}
