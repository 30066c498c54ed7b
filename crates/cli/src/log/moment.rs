//! A moment of a log, to the nanosecond, in any year that a log can name.

use std::fmt;

/// Nanoseconds in a second.
pub(crate) const SECOND: i128 = 1_000_000_000;

/// The first second that is no longer a moment: the year 10000.
const END: i64 = 253_402_300_800;
/// The first second that is a moment: the year 0.
const START: i64 = -62_167_219_200;

/// A moment since the Unix epoch. Leap seconds do not count, as everywhere in Unix time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment {
    seconds: i64,
    nanos: u32,
}

/// A date and a time of day, as a log writes them. Nothing is checked yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Civil {
    pub(crate) year: i64,
    pub(crate) month: u32,
    pub(crate) day: u32,
    pub(crate) hour: u32,
    pub(crate) minute: u32,
    pub(crate) second: u32,
}

impl Moment {
    /// The moment so many nanoseconds after the epoch; `None` outside of the years 0 to 9999.
    pub(crate) fn from_nanos(nanos: i128) -> Option<Moment> {
        let seconds = i64::try_from(nanos.div_euclid(SECOND)).ok()?;
        Moment::new(seconds, nanos.rem_euclid(SECOND) as u32)
    }

    /// The moment of a civil time that is `offset` seconds ahead of UTC; `None` if there is no such time.
    pub(crate) fn from_civil(civil: Civil, nanos: u32, offset: i64) -> Option<Moment> {
        let Civil { year, month, day, hour, minute, second } = civil;
        // A leap second is the first of the next minute.
        let is_time = hour < 24 && minute < 60 && second <= 60;
        if !is_time || !(1..=12).contains(&month) || day == 0 || day > days_in(year, month) {
            return None;
        }
        let of_day = i64::from(hour * 3_600 + minute * 60 + second);
        Moment::new(days_from_civil(year, month, day) * 86_400 + of_day - offset, nanos)
    }

    pub(crate) fn new(seconds: i64, nanos: u32) -> Option<Moment> {
        ((START..END).contains(&seconds) && nanos < SECOND as u32).then_some(Moment { seconds, nanos })
    }

    /// Whole seconds since the epoch, rounded down.
    pub(crate) fn seconds(self) -> i64 {
        self.seconds
    }

    /// Nanoseconds since the last whole second.
    pub(crate) fn subsecond(self) -> u32 {
        self.nanos
    }

    /// Nanoseconds since the epoch.
    pub(crate) fn nanos(self) -> i128 {
        i128::from(self.seconds) * SECOND + i128::from(self.nanos)
    }

    /// Nanoseconds since `earlier`; 0 if that is the later one.
    pub(crate) fn since(self, earlier: Moment) -> u128 {
        u128::try_from(self.nanos() - earlier.nanos()).unwrap_or(0)
    }
}

impl fmt::Display for Moment {
    /// `2015-05-17 10:05:03`, with as many digits of the second as it has, in UTC.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = civil_from_days(self.seconds.div_euclid(86_400));
        let second = self.seconds.rem_euclid(86_400);
        let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
        write!(f, "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")?;
        match format!("{:09}", self.nanos).trim_end_matches('0') {
            "" => Ok(()),
            digits => write!(f, ".{digits}"),
        }
    }
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in(year: i64, month: u32) -> u32 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from the epoch to a date of the Gregorian calendar, extended to all years.
///
/// Years are counted from March, so that the leap day is the last of its year, and months of such a year
/// begin at days that lie on a line: 153 days for every five.
fn days_from_civil(year: i64, month: u32, day: u32) -> i64 {
    let year = year - i64::from(month <= 2);
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let month = (i64::from(month) + 9) % 12;
    let of_year = (153 * month + 2) / 5 + i64::from(day) - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The inverse of [`days_from_civil`].
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn civil(year: i64, month: u32, day: u32) -> Civil {
        Civil { year, month, day, hour: 0, minute: 0, second: 0 }
    }

    #[test]
    fn every_day_of_800_years_is_the_day_that_another_calendar_says() {
        let mut date = jiff::civil::date(1599, 1, 1);
        let epoch = jiff::civil::date(1970, 1, 1);
        while date.year() < 2401 {
            let days = i64::from(epoch.until(date).unwrap().get_days());
            let (year, month, day) = (date.year().into(), date.month(), date.day());
            assert_eq!(days_from_civil(year, month as u32, day as u32), days, "{date}");
            assert_eq!(civil_from_days(days), (year, month.into(), day.into()), "{date}");
            date = date.tomorrow().unwrap();
        }
    }

    #[test]
    fn days_that_do_not_exist() {
        for (year, month, day) in
            [(2015, 2, 29), (1900, 2, 29), (2015, 4, 31), (2015, 0, 1), (2015, 13, 1), (2015, 1, 0)]
        {
            assert_eq!(Moment::from_civil(civil(year, month, day), 0, 0), None, "{year}-{month}-{day}");
        }
        assert!(Moment::from_civil(civil(2000, 2, 29), 0, 0).is_some());
        assert_eq!(Moment::from_civil(Civil { hour: 24, ..civil(2015, 1, 1) }, 0, 0), None);
        assert_eq!(Moment::from_civil(civil(10_000, 1, 1), 0, 0), None);
    }

    #[test]
    fn a_leap_second_is_the_next_minute() {
        let leap = Civil { hour: 23, minute: 59, second: 60, ..civil(2016, 12, 31) };
        assert_eq!(Moment::from_civil(leap, 0, 0), Moment::from_civil(civil(2017, 1, 1), 0, 0));
    }

    #[test]
    fn shown_with_the_digits_it_has() {
        let show = |nanos| Moment::from_nanos(nanos).unwrap().to_string();
        assert_eq!(show(1_431_857_103 * SECOND), "2015-05-17 10:05:03");
        assert_eq!(show(1_431_857_103 * SECOND + 120_000_000), "2015-05-17 10:05:03.12");
        assert_eq!(show(-1), "1969-12-31 23:59:59.999999999");
        assert_eq!(Moment::from_nanos(i128::MAX), None);
        assert_eq!(Moment::from_nanos(-1).unwrap().nanos(), -1);
    }
}
