//! How fast tokens come back: a rational number of tokens per second, as text and as a value.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A refill rate: so many tokens in so much time, exactly.
///
/// A rate is any fraction: `Rate::new(1, Duration::from_secs(3))` is one third of a token per
/// second, and no rounding happens when it is made or used. Two rates are equal when their values
/// are, however they were written: 60 per minute is 1 per second.
///
/// As text a rate is `TOKENS/PERIOD` or `TOKENS per PERIOD`. `TOKENS` is a decimal number, exact
/// to its last digit; `PERIOD` is a unit with an optional count before it: `ns`, `us`, `ms`, `s`
/// (`sec`, `second`), `min` (`m`, `minute`), `h` (`hour`), `day` (`d`), `week` (`w`), `year` (`y`, 365 days).
///
/// ```
/// use catraca::Rate;
/// use std::time::Duration;
///
/// let rate: Rate = "100/min".parse()?;
/// assert_eq!(rate, Rate::per_minute(100));
/// assert_eq!("0.5/s".parse::<Rate>()?, Rate::new(1, Duration::from_secs(2)));
/// assert_eq!("3 per 10 s".parse::<Rate>()?.to_string(), "0.3/s");
/// # Ok::<(), catraca::RateParseError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Rate {
    tokens: u64,
    period: Duration,
}

/// Names of a unit, the shown one first, and its length in nanoseconds. Longest first.
const UNITS: [(&[&str], u64); 9] = [
    (&["year", "y", "years"], 365 * 86_400 * SECOND),
    (&["week", "w", "weeks"], 7 * 86_400 * SECOND),
    (&["day", "d", "days"], 86_400 * SECOND),
    (&["h", "hour", "hours", "hr"], 3_600 * SECOND),
    (&["min", "minute", "minutes", "m"], 60 * SECOND),
    (&["s", "second", "seconds", "sec"], SECOND),
    (&["ms"], 1_000_000),
    (&["us", "µs"], 1_000),
    (&["ns"], 1),
];

const SECOND: u64 = 1_000_000_000;

impl Rate {
    /// `tokens` every `period`. Any pair is a rate; whether a limiter can hold it is checked when
    /// it becomes a [`Quota`](crate::Quota).
    #[must_use]
    pub const fn new(tokens: u64, period: Duration) -> Rate {
        Rate { tokens, period }
    }

    /// `tokens` every second.
    #[must_use]
    pub const fn per_second(tokens: u64) -> Rate {
        Rate::new(tokens, Duration::from_secs(1))
    }

    /// `tokens` every minute.
    #[must_use]
    pub const fn per_minute(tokens: u64) -> Rate {
        Rate::new(tokens, Duration::from_secs(60))
    }

    /// `tokens` every hour.
    #[must_use]
    pub const fn per_hour(tokens: u64) -> Rate {
        Rate::new(tokens, Duration::from_secs(3_600))
    }

    /// `tokens` every day of 24 hours.
    #[must_use]
    pub const fn per_day(tokens: u64) -> Rate {
        Rate::new(tokens, Duration::from_secs(86_400))
    }

    /// The tokens that come back in one [`period`](Rate::period).
    #[must_use]
    pub const fn tokens(self) -> u64 {
        self.tokens
    }

    /// The time in which [`tokens`](Rate::tokens) come back.
    #[must_use]
    pub const fn period(self) -> Duration {
        self.period
    }

    /// This rate as a fraction in lowest terms: (tokens, nanoseconds). `None` for a period of more
    /// than 2^64 - 1 nanoseconds (584 years). A rate or period of zero is returned as it is.
    pub(crate) const fn reduced(self) -> Option<(u64, u64)> {
        let nanos = self.period.as_nanos();
        if nanos > u64::MAX as u128 {
            return None;
        }
        let nanos = nanos as u64;
        let divisor = gcd(self.tokens, nanos);
        if divisor == 0 {
            return Some((0, 0));
        }
        Some((self.tokens / divisor, nanos / divisor))
    }
}

/// Greatest common divisor; the other number where one is zero.
pub(crate) const fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl PartialEq for Rate {
    fn eq(&self, other: &Rate) -> bool {
        match (self.reduced(), other.reduced()) {
            (Some(a), Some(b)) => a == b,
            // No period this long makes a quota; compare such rates as they were written.
            _ => (self.tokens, self.period) == (other.tokens, other.period),
        }
    }
}

impl Eq for Rate {}

impl fmt::Debug for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rate({self})")
    }
}

impl fmt::Display for Rate {
    /// The shortest of the forms that parse back to the same rate: `5/s`, `0.5/s`, `1/3s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.period.as_nanos();
        if nanos == 0 {
            return write!(f, "{}/0s", self.tokens);
        }
        let even = |&(_, length): &(_, u64)| nanos.is_multiple_of(u128::from(length));
        // The last unit is a nanosecond, which divides every period.
        let (names, length) = UNITS.into_iter().find(even).unwrap_or((&["ns"], 1));
        let count = nanos / u128::from(length);
        match power_of_ten(count) {
            Some(0) => write!(f, "{}/{}", self.tokens, names[0]),
            Some(digits) => write!(f, "{}/{}", Decimal { of: self.tokens, digits }, names[0]),
            None => write!(f, "{}/{count}{}", self.tokens, names[0]),
        }
    }
}

/// `of` with its point moved `digits` places to the left.
struct Decimal {
    of: u64,
    digits: usize,
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let padded = format!("{:0>width$}", self.of, width = self.digits + 1);
        let (whole, fraction) = padded.split_at(padded.len() - self.digits);
        match fraction.trim_end_matches('0') {
            "" => f.write_str(whole),
            fraction => write!(f, "{whole}.{fraction}"),
        }
    }
}

fn power_of_ten(mut number: u128) -> Option<usize> {
    let mut digits = 0;
    while number.is_multiple_of(10) && number > 0 {
        number /= 10;
        digits += 1;
    }
    (number == 1).then_some(digits)
}

/// Why a text is not a rate. The message quotes the part at fault and says what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RateParseError {
    /// There is neither a `/` nor the word `per` between tokens and period.
    NoPeriod(Box<str>),
    /// The tokens are not a decimal number.
    Tokens(Box<str>),
    /// The period is not a unit of time, or its count is not a whole number above zero.
    Period(Box<str>),
    /// The number has more digits than a rate can hold exactly.
    TooPrecise(Box<str>),
}

impl fmt::Display for RateParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPeriod(text) => {
                write!(f, "`{text}` is not a rate: expected tokens per period, such as `5/s` or `100/min`")
            }
            Self::Tokens(text) => {
                write!(
                    f,
                    "`{text}` is not a number of tokens: expected digits with at most one point, such as `5` or `0.5`"
                )
            }
            Self::Period(text) => write!(
                f,
                "`{text}` is not a period: expected ns, us, ms, s, min, h, day, week or year, with a whole number before it if not one"
            ),
            Self::TooPrecise(text) => {
                write!(f, "`{text}` has more digits than a rate can hold exactly: 19 in all at most")
            }
        }
    }
}

impl std::error::Error for RateParseError {}

impl FromStr for Rate {
    type Err = RateParseError;

    fn from_str(text: &str) -> Result<Rate, RateParseError> {
        parse(text).map(|(rate, _)| rate)
    }
}

/// Reads a rate, and the whole tokens that one period as it was written brings, rounded up: what a
/// quota holds when no burst is named.
pub(crate) fn parse(text: &str) -> Result<(Rate, u64), RateParseError> {
    let (tokens, period) = text
        .split_once('/')
        .or_else(|| text.split_once(" per "))
        .ok_or_else(|| RateParseError::NoPeriod(text.trim().into()))?;
    let (tokens, divisor) = parse_decimal(tokens.trim())?;
    let period = parse_period(period.trim())?;
    let stretched = period.checked_mul(divisor).ok_or_else(|| RateParseError::TooPrecise(text.trim().into()))?;
    // Up: a period that brings half a token still needs room for a whole one.
    Ok((Rate::new(tokens, Duration::from_nanos(stretched)), tokens.div_ceil(divisor)))
}

/// A decimal number as (digits, power of ten to divide them by), trailing zeros gone.
fn parse_decimal(text: &str) -> Result<(u64, u64), RateParseError> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_digits(whole) || !is_digits(fraction) || text.ends_with('.') {
        return Err(RateParseError::Tokens(text.into()));
    }
    let fraction = fraction.trim_end_matches('0');
    let digits = format!("{whole}{fraction}").parse();
    let divisor = u32::try_from(fraction.len()).ok().and_then(|power| 10_u64.checked_pow(power));
    match (digits, divisor) {
        (Ok(digits), Some(divisor)) => Ok((digits, divisor)),
        _ => Err(RateParseError::TooPrecise(text.into())),
    }
}

/// A period in nanoseconds: a unit, with an optional whole number before it.
fn parse_period(text: &str) -> Result<u64, RateParseError> {
    let wrong = || RateParseError::Period(text.into());
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let count = match &text[..text.len() - unit.len()] {
        "" => 1,
        digits => digits.parse::<u64>().map_err(|_| wrong())?,
    };
    let unit = unit.trim_start();
    let (_, length) = UNITS.iter().find(|(names, _)| names.contains(&unit)).ok_or_else(wrong)?;
    length.checked_mul(count).filter(|&nanos| nanos > 0).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_exact_to_its_last_digit() {
        for (text, tokens, nanos) in [
            ("5/s", 5, SECOND),
            ("100/min", 5, 3 * SECOND),
            ("0.5/s", 1, 2 * SECOND),
            ("1/day", 1, 86_400 * SECOND),
            ("0.333/s", 333, 1_000 * SECOND),
            ("2.50 per hour", 1, 1_440 * SECOND),
            ("7 per 10 s", 7, 10 * SECOND),
            ("1/year", 1, 31_536_000 * SECOND),
            ("1000000000/second", 1, 1),
        ] {
            let rate: Rate = text.parse().unwrap();
            assert_eq!(rate, Rate::new(tokens, Duration::from_nanos(nanos)), "{text}");
            assert_eq!(rate.to_string().parse::<Rate>().unwrap(), rate, "{text} as {rate}");
        }
    }

    #[test]
    fn shown_the_way_people_write_it() {
        for text in ["5/s", "0.5/s", "100/min", "1/day", "1/3s", "0.001/s", "12.5/ms", "3/2week", "0/s"] {
            assert_eq!(text.parse::<Rate>().unwrap().to_string(), text);
        }
        assert_eq!(Rate::new(10, Duration::from_secs(100)).to_string(), "0.1/s");
        assert_eq!(Rate::new(10, Duration::ZERO).to_string(), "10/0s");
    }

    #[test]
    fn a_wrong_text_is_told_apart() {
        use RateParseError::{NoPeriod, Period, Tokens, TooPrecise};
        assert_eq!("5".parse::<Rate>(), Err(NoPeriod("5".into())));
        assert_eq!("-5/s".parse::<Rate>(), Err(Tokens("-5".into())));
        assert_eq!("NaN/s".parse::<Rate>(), Err(Tokens("NaN".into())));
        assert_eq!("1e30/s".parse::<Rate>(), Err(Tokens("1e30".into())));
        assert_eq!("1./s".parse::<Rate>(), Err(Tokens("1.".into())));
        assert_eq!("5/fortnight".parse::<Rate>(), Err(Period("fortnight".into())));
        assert_eq!("5/0s".parse::<Rate>(), Err(Period("0s".into())));
        assert_eq!("5/".parse::<Rate>(), Err(Period("".into())));
        assert_eq!("5/99999999999999999999s".parse::<Rate>(), Err(Period("99999999999999999999s".into())));
        assert_eq!("99999999999999999999/s".parse::<Rate>(), Err(TooPrecise("99999999999999999999".into())));
        assert!("5/s".parse::<Rate>().is_ok_and(|rate| rate != Rate::per_second(6)));
    }
}
