//! Reading a [`Quota`] or a [`Rate`] from text, of the kind people write and of any other.

use std::time::Duration;

use arbitrary::Arbitrary;
use catraca::{Quota, QuotaParseError, Rate, RateParseError};

use crate::input::Number;
use crate::quota::{accepted, tally};
use crate::tally::Tally;

/// Units as they may be written, and their nanoseconds.
const UNITS: [(&str, u128); 14] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("ms", 1_000_000),
    ("s", SECOND),
    ("sec", SECOND),
    ("second", SECOND),
    ("min", 60 * SECOND),
    ("m", 60 * SECOND),
    ("h", 3_600 * SECOND),
    ("day", 86_400 * SECOND),
    ("d", 86_400 * SECOND),
    ("week", 7 * 86_400 * SECOND),
    ("year", 365 * 86_400 * SECOND),
];

const SECOND: u128 = 1_000_000_000;

/// A text of which it is known what it says.
#[derive(Arbitrary, Clone, Debug)]
pub struct Written {
    whole: Number,
    /// Digits behind the point, and zeros before and behind them.
    fraction: Option<(u32, u8, u8)>,
    per: bool,
    count: Option<u16>,
    unit: u8,
    burst: Option<Number>,
    comma: bool,
}

/// Reads the bytes as text, and as quota and rate. Every input says something here.
pub fn check_bytes(bytes: &[u8]) -> Option<Tally> {
    Some(check(&String::from_utf8_lossy(bytes)))
}

/// Whatever a text says, it is read the same when it is shown, and an error quotes what it found.
#[must_use]
pub fn check(text: &str) -> Tally {
    if let Ok(rate) = text.parse::<Rate>() {
        assert_eq!(rate.to_string().parse(), Ok(rate), "`{text}` as `{rate}`");
    }
    match text.parse::<Quota>() {
        Ok(quota) => accepted(&quota),
        Err(error) => {
            assert!(!error.to_string().is_empty());
            match error {
                QuotaParseError::Rate(error) => quoted(text, &error),
                QuotaParseError::Burst(part) => assert!(text.contains(&*part), "`{part}` is not in `{text}`"),
                // The numbers are read; which quotas can be held is another property.
                _ => {}
            }
        }
    }
    tally(text.parse::<Quota>().is_ok())
}

/// An error quotes a part of the text.
fn quoted(text: &str, error: &RateParseError) {
    let (RateParseError::NoPeriod(part)
    | RateParseError::Tokens(part)
    | RateParseError::Period(part)
    | RateParseError::TooPrecise(part)) = error
    else {
        return;
    };
    assert!(text.contains(&**part) && error.to_string().contains(&**part), "{error}, of `{text}`");
}

impl Written {
    /// The text.
    #[must_use]
    pub fn text(&self) -> String {
        let (unit, _) = self.unit();
        let count = self.count.map(|count| count.to_string()).unwrap_or_default();
        let per = if self.per { " per " } else { "/" };
        let comma = if self.comma { "," } else { "" };
        let burst = self.burst.map(|burst| format!("{comma} burst {}", burst.value())).unwrap_or_default();
        format!("{}{}{per}{count}{unit}{burst}", self.whole.value(), self.fraction())
    }

    fn fraction(&self) -> String {
        match self.fraction {
            Some((digits, before, behind)) => {
                let zeros = |count: u8| "0".repeat(usize::from(count % 24));
                format!(".{}{digits}{}", zeros(before), zeros(behind))
            }
            None => String::new(),
        }
    }

    fn unit(&self) -> (&'static str, u128) {
        UNITS[usize::from(self.unit) % UNITS.len()]
    }

    /// What it says, digit by digit: tokens, the power of ten that divides them, and nanoseconds. `None` for more
    /// digits than 128 bits hold.
    fn says(&self) -> Option<(u128, u32, u128)> {
        let fraction = self.fraction();
        let fraction = fraction.trim_start_matches('.').trim_end_matches('0');
        let digits = format!("{}{fraction}", self.whole.value()).parse().ok()?;
        let count = self.count.map_or(1, u128::from);
        Some((digits, fraction.len() as u32, count * self.unit().1))
    }

    /// The text is read as what it says, to the last digit, or refused for a reason that holds.
    #[must_use]
    pub fn check(&self) -> Tally {
        let text = self.text();
        let mut sum = check(&text);
        let says = self.says();
        let scaled = says.and_then(|(_, places, nanos)| nanos.checked_mul(10_u128.checked_pow(places)?));
        let Some(scaled) = scaled else { return sum };
        let (tokens, places, nanos) = says.unwrap_or_default();

        let read = text.split(" burst").next().unwrap_or_default().trim_end_matches(',').parse::<Rate>();
        let fits = tokens < 1 << 64 && scaled < 1 << 64;
        match read {
            Ok(rate) => {
                assert!(fits && nanos > 0, "`{text}`");
                let expected = Rate::new(tokens as u64, Duration::from_nanos(scaled as u64));
                assert_eq!(rate, expected, "`{text}`");
            }
            // Of two faults, either may be named.
            Err(RateParseError::TooPrecise(_)) => assert!(!fits || nanos == 0, "`{text}`"),
            Err(RateParseError::Period(_)) => assert!(nanos == 0 || nanos >= 1 << 64, "`{text}`"),
            Err(error) => panic!("{error}: `{text}`"),
        }
        if let Ok(quota) = text.parse::<Quota>() {
            // Up: a period that brings half a token holds a whole one.
            let brings = tokens.div_ceil(10_u128.pow(places)) as u64;
            assert_eq!(quota.capacity(), self.burst.map_or(brings, Number::value), "`{text}`");
        }
        sum.inputs = 1;
        sum
    }
}
