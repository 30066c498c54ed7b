//! Times as logs write them: the access-log form, RFC 3339, and epoch numbers.
//!
//! All arithmetic is in whole numbers: a time is exact to the nanosecond, and what is finer is cut off.

use crate::log::moment::{Civil, Moment};

/// What one unit of an epoch number is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum TimeUnit {
    /// Seconds.
    #[default]
    S,
    /// Milliseconds.
    Ms,
    /// Microseconds.
    Us,
    /// Nanoseconds.
    Ns,
}

impl TimeUnit {
    /// A unit is this power of ten in nanoseconds.
    fn power(self) -> i64 {
        match self {
            TimeUnit::S => 9,
            TimeUnit::Ms => 6,
            TimeUnit::Us => 3,
            TimeUnit::Ns => 0,
        }
    }
}

/// A time in any of the forms.
pub(crate) fn any(text: &[u8], unit: TimeUnit) -> Option<Moment> {
    rfc3339(text).or_else(|| access_log(text)).or_else(|| epoch(text, unit))
}

/// Bytes of a time in an access log.
pub(crate) const ACCESS_LOG_LENGTH: usize = "17/May/2015:10:05:03 +0000".len();

/// `17/May/2015:10:05:03 +0000`.
pub(crate) fn access_log(text: &[u8]) -> Option<Moment> {
    let text: &[u8; ACCESS_LOG_LENGTH] = text.try_into().ok()?;
    let marks = [text[2], text[6], text[11], text[14], text[17], text[20]];
    if marks != *b"//::: " {
        return None;
    }
    let civil = Civil {
        year: i64::from(number(&text[7..11])?),
        month: month(&text[3..6])?,
        day: number(&text[..2])?,
        hour: number(&text[12..14])?,
        minute: number(&text[15..17])?,
        second: number(&text[18..20])?,
    };
    Moment::from_civil(civil, 0, offset(&text[21..])?)
}

/// `2015-05-17T10:05:03.123Z`, and what is close to it: a space or a small letter for the `T`, a comma for the point,
/// an offset without a colon or without minutes. A time without an offset is taken for UTC.
pub(crate) fn rfc3339(text: &[u8]) -> Option<Moment> {
    let (head, tail) = text.split_at_checked("2015-05-17T10:05:03".len())?;
    let marks = [head[4], head[7], head[13], head[16]];
    if marks != *b"--::" || !matches!(head[10], b'T' | b't' | b' ') {
        return None;
    }
    let civil = Civil {
        year: i64::from(number(&head[..4])?),
        month: number(&head[5..7])?,
        day: number(&head[8..10])?,
        hour: number(&head[11..13])?,
        minute: number(&head[14..16])?,
        second: number(&head[17..19])?,
    };
    let (nanos, zone) = match tail.strip_prefix(b".").or_else(|| tail.strip_prefix(b",")) {
        Some(digits) => fraction(digits)?,
        None => (0, tail),
    };
    let offset = match zone {
        b"" | b"Z" | b"z" | b" UTC" => 0,
        zone => offset(zone)?,
    };
    Moment::from_civil(civil, nanos, offset)
}

/// Nanoseconds of the digits at the front, at least one, and what follows them.
fn fraction(text: &[u8]) -> Option<(u32, &[u8])> {
    let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at(length);
    let mut nanos = number(&digits[..length.min(9)])?;
    for _ in length..9 {
        nanos *= 10;
    }
    Some((nanos, rest))
}

/// Seconds ahead of UTC: `+0200`, `-03:30`, `+01`.
fn offset(text: &[u8]) -> Option<i64> {
    let (sign, digits) = match text.split_first()? {
        (b'+', digits) => (1, digits),
        (b'-', digits) => (-1, digits),
        _ => return None,
    };
    let (hours, minutes) = match digits {
        [_, _] => (number(digits)?, 0),
        [_, _, _, _] => (number(&digits[..2])?, number(&digits[2..])?),
        [_, _, b':', _, _] => (number(&digits[..2])?, number(&digits[3..])?),
        _ => return None,
    };
    (hours < 24 && minutes < 60).then_some(sign * i64::from(hours * 3_600 + minutes * 60))
}

/// A decimal number of units since the epoch, with a point or an exponent if it likes: `1431857103.123456789`.
pub(crate) fn epoch(text: &[u8], unit: TimeUnit) -> Option<Moment> {
    let (negative, digits) = match text.split_first()? {
        (b'-', rest) => (true, rest),
        _ => (false, text),
    };
    let (digits, exponent) = match memchr::memchr2(b'e', b'E', digits) {
        Some(at) => (&digits[..at], signed(&digits[at + 1..])?),
        None => (digits, 0),
    };
    let (whole, part) = match memchr::memchr(b'.', digits) {
        Some(at) => (&digits[..at], &digits[at + 1..]),
        None => (digits, &b""[..]),
    };
    if whole.is_empty() || !whole.iter().chain(part).all(u8::is_ascii_digit) {
        return None;
    }
    let power = unit.power() + exponent - i64::try_from(part.len()).ok()?;
    let nanos = scaled(whole.iter().chain(part), power, negative)?;
    Moment::from_nanos(nanos)
}

/// `digits * 10^power`, rounded towards the past; `None` where it is far beyond any time.
fn scaled<'a>(digits: impl Iterator<Item = &'a u8>, power: i64, negative: bool) -> Option<i128> {
    let (mut value, mut dropped, mut is_cut) = (0_i128, 0, false);
    for digit in digits {
        // Past 36 digits only those of the fraction may follow; they are finer than a nanosecond, or it is no time.
        if value < 10_i128.pow(36) {
            value = value * 10 + i128::from(digit - b'0');
        } else {
            dropped += 1;
            is_cut |= *digit != b'0';
        }
    }
    let power = power + dropped;
    let (nanos, rest) = if power >= 0 {
        (value.checked_mul(10_i128.checked_pow(u32::try_from(power).ok()?)?)?, is_cut)
    } else {
        match u32::try_from(-power).ok().and_then(|power| 10_i128.checked_pow(power)) {
            Some(divisor) => (value / divisor, is_cut || value % divisor != 0),
            None => (0, value > 0),
        }
    };
    // Before the epoch the past lies away from zero.
    Some(if negative { -nanos - i128::from(rest) } else { nanos })
}

/// A whole number with an optional sign, small enough for an exponent.
fn signed(text: &[u8]) -> Option<i64> {
    let (sign, digits) = match text.split_first()? {
        (b'-', rest) => (-1, rest),
        (b'+', rest) => (1, rest),
        _ => (1, text),
    };
    Some(sign * i64::from(number(digits)?))
}

/// A number of up to nine digits, nothing else.
fn number(digits: &[u8]) -> Option<u32> {
    if digits.is_empty() || digits.len() > 9 {
        return None;
    }
    let mut value = 0;
    for digit in digits {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + u32::from(digit);
    }
    Some(value)
}

fn month(name: &[u8]) -> Option<u32> {
    const MONTHS: [&[u8; 3]; 12] =
        [b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec"];
    let index = MONTHS.iter().position(|month| *month == name)?;
    u32::try_from(index).ok().map(|index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nanos(moment: Option<Moment>) -> Option<i128> {
        moment.map(Moment::nanos)
    }

    const MAY: i128 = 1_431_857_103_000_000_000;

    #[test]
    fn times_of_access_logs() {
        assert_eq!(nanos(access_log(b"17/May/2015:10:05:03 +0000")), Some(MAY));
        assert_eq!(nanos(access_log(b"17/May/2015:07:05:03 -0300")), Some(MAY));
        assert_eq!(nanos(access_log(b"17/May/2015:15:50:03 +0545")), Some(MAY));
        for wrong in [
            "17/May/2015:10:05:03",
            "17/may/2015:10:05:03 +0000",
            "31/Apr/2015:10:05:03 +0000",
            "17/May/2015:10:05:03 00000",
        ] {
            assert_eq!(access_log(wrong.as_bytes()), None, "{wrong}");
        }
    }

    #[test]
    fn times_of_rfc3339_and_around() {
        for text in [
            "2015-05-17T10:05:03Z",
            "2015-05-17t10:05:03z",
            "2015-05-17 10:05:03",
            "2015-05-17T10:05:03+00:00",
            "2015-05-17T12:05:03+0200",
            "2015-05-17T06:35:03-03:30",
            "2015-05-17T11:05:03+01",
            "2015-05-17T10:05:03.000Z",
            "2015-05-17T10:05:03.0000000009Z",
        ] {
            assert_eq!(nanos(rfc3339(text.as_bytes())), Some(MAY), "{text}");
        }
        assert_eq!(nanos(rfc3339(b"2015-05-17T10:05:03,12Z")), Some(MAY + 120_000_000));
        assert_eq!(nanos(rfc3339(b"2015-05-17T10:05:03.123456789Z")), Some(MAY + 123_456_789));
        for wrong in [
            "2015-05-17",
            "2015-05-17T10:05:03.Z",
            "2015-05-17T10:05:03X",
            "2015-05-17T10:05:03+25:00",
            "2015-13-17T10:05:03Z",
        ] {
            assert_eq!(rfc3339(wrong.as_bytes()), None, "{wrong}");
        }
    }

    #[test]
    fn another_calendar_agrees() {
        let mut state = 1_u64;
        for _ in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let seconds = (state >> 8) as i64 % 250_000_000_000;
            let time = jiff::Timestamp::new(seconds, (state % 1_000_000_000) as i32).unwrap();
            assert_eq!(nanos(rfc3339(time.to_string().as_bytes())), Some(time.as_nanosecond()), "{time}");
            let hours = (state >> 40) as i8 % 15;
            let there = jiff::tz::offset(hours).to_datetime(time).strftime("%d/%b/%Y:%H:%M:%S").to_string();
            let sign = if hours < 0 { '-' } else { '+' };
            let text = format!("{there} {sign}{:02}00", hours.abs());
            assert_eq!(nanos(access_log(text.as_bytes())), Some(i128::from(seconds) * 1_000_000_000), "{text}");
        }
    }

    #[test]
    fn epoch_numbers_are_exact() {
        for (text, unit, expected) in [
            ("1431857103", TimeUnit::S, MAY),
            ("1431857103.123456789", TimeUnit::S, MAY + 123_456_789),
            ("1431857103.1234567899", TimeUnit::S, MAY + 123_456_789),
            ("1431857103123", TimeUnit::Ms, MAY + 123_000_000),
            ("1431857103123.5", TimeUnit::Ms, MAY + 123_500_000),
            ("1431857103123456", TimeUnit::Us, MAY + 123_456_000),
            ("1431857103123456789", TimeUnit::Ns, MAY + 123_456_789),
            ("1.431857103e9", TimeUnit::S, MAY),
            ("14318571030E-1", TimeUnit::S, MAY),
            ("1431857103.00000000000000000000000000000000000000000000000001", TimeUnit::S, MAY),
            ("-0.5", TimeUnit::S, -500_000_000),
            ("-0.0000000001", TimeUnit::S, -1),
            ("0", TimeUnit::S, 0),
            ("0e-99999", TimeUnit::S, 0),
        ] {
            assert_eq!(nanos(epoch(text.as_bytes(), unit)), Some(expected), "{text}");
        }
        for wrong in [
            "",
            "-",
            ".5",
            "1e",
            "1e99",
            "1e999999999999",
            "NaN",
            "1,5",
            "0x10",
            "1431857103123",
            "99999999999999999999999999999999999999999",
        ] {
            assert_eq!(epoch(wrong.as_bytes(), TimeUnit::S), None, "{wrong}");
        }
    }
}
