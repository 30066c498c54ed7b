//! What a replay found, in numbers.

use catraca::Rate;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::log::moment::Moment;

/// What a replay found. Its fields are those of `--json`.
#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    /// Lines read: decided, malformed and empty ones.
    pub(crate) lines: u64,
    pub(crate) decided: u64,
    pub(crate) malformed: u64,
    pub(crate) empty: u64,
    /// Lines decided later than they were stamped.
    pub(crate) out_of_order: u64,
    /// Whether the lines were put in order first, and how many were not in it.
    pub(crate) sorted: bool,
    pub(crate) moved: u64,
    /// Whether all of the logs was read.
    pub(crate) complete: bool,
    pub(crate) first: Option<Stamp>,
    pub(crate) last: Option<Stamp>,
    /// Callers, and whether that is all of them.
    pub(crate) keys: u64,
    pub(crate) keys_complete: bool,
    pub(crate) allowed: u64,
    pub(crate) denied: u64,
    /// Of those denied, the ones that asked for more than a bucket holds.
    pub(crate) denied_for_good: u64,
    pub(crate) policy: String,
    pub(crate) capacity: u64,
    #[serde(serialize_with = "per_second")]
    pub(crate) refill_rate: Rate,
    pub(crate) key: String,
    pub(crate) cost: String,
    /// Lines without a user or token, whose caller is the address, and lines without anything to tell callers apart.
    pub(crate) by_address: u64,
    pub(crate) without_key: u64,
    pub(crate) denied_most: Vec<Caller>,
    pub(crate) worst_seconds: Vec<Moments>,
    pub(crate) worst_minutes: Vec<Moments>,
    /// How often a caller was decided on another's debt, for want of room; 0 says that every decision is exact.
    pub(crate) began_short: u64,
    /// Lines past the 36 years that a bucket which never fills can be followed.
    pub(crate) beyond_horizon: u64,
    pub(crate) table_bytes: usize,
    pub(crate) sort_bytes: usize,
    pub(crate) lines_per_second: u64,
    pub(crate) decisions_per_second: u64,
}

/// A caller that was denied.
#[derive(Debug, Serialize)]
pub(crate) struct Caller {
    pub(crate) key: String,
    pub(crate) allowed: u64,
    pub(crate) denied: u64,
    /// Most tokens asked for within one second, and within one minute.
    pub(crate) peak_second: u64,
    pub(crate) peak_minute: u64,
}

/// A window of the log's time, and the denials in it.
#[derive(Debug, Serialize)]
pub(crate) struct Moments {
    pub(crate) time: Stamp,
    pub(crate) denied: u64,
}

/// A moment as RFC 3339 writes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stamp(pub(crate) Moment);

impl Serialize for Stamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{}Z", self.0.to_string().replace(' ', "T")))
    }
}

/// A rate as a number per second, to its last digit; as its text where its digits have no end.
fn per_second<S: Serializer>(rate: &Rate, serializer: S) -> Result<S::Ok, S::Error> {
    let number = decimal_per_second(*rate).and_then(|digits| RawValue::from_string(digits).ok());
    match number {
        Some(number) => number.serialize(serializer),
        None => serializer.collect_str(rate),
    }
}

/// The digits of a rate per second, if they end.
pub(crate) fn decimal_per_second(rate: Rate) -> Option<String> {
    let period = Some(rate.period().as_nanos()).filter(|&nanos| nanos > 0 && nanos < 1 << 64)?;
    let tokens = u128::from(rate.tokens()) * 1_000_000_000;
    let mut digits = (tokens / period).to_string();
    let mut rest = tokens % period;
    if rest > 0 {
        digits.push('.');
    }
    // 2^64 has 64 factors, so an end that comes, comes by then.
    for _ in 0..64 {
        if rest == 0 {
            return Some(digits);
        }
        rest *= 10;
        digits.push_str(&(rest / period).to_string());
        rest %= period;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_a_number_if_its_digits_end() {
        for (text, digits) in [
            ("5/s", Some("5")),
            ("0.1/s", Some("0.1")),
            ("0.333/s", Some("0.333")),
            ("60/min", Some("1")),
            ("90/min", Some("1.5")),
            ("100/min", None),
            ("1/day", None),
            ("1/ns", Some("1000000000")),
            ("1/64s", Some("0.015625")),
        ] {
            assert_eq!(decimal_per_second(text.parse().unwrap()).as_deref(), digits, "{text}");
        }
    }
}
