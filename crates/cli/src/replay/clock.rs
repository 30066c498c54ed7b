//! The clock of a replay: the log's own time, which never runs back.

use std::time::Duration;

use catraca::{Quota, Timestamp};

use crate::log::moment::Moment;

/// The latest time that a log has shown.
#[derive(Default)]
pub(crate) struct LogClock {
    latest: Option<Moment>,
}

impl LogClock {
    /// The moment at which a line stamped `stamp` is decided, and whether it is later than its stamp.
    pub(crate) fn advance(&mut self, stamp: Moment) -> (Moment, bool) {
        let now = self.latest.map_or(stamp, |latest| latest.max(stamp));
        self.latest = Some(now);
        (now, now > stamp)
    }
}

/// Translates the log's time to the engine's axis.
///
/// The axis begins at the whole second of the first line, so a reading has the same fraction of a second on both,
/// and readings that a quota can hold exactly stay exact. The axis holds 36 years; a log may jump further. But when
/// nothing was decided for as long as a bucket takes to fill, every bucket is full, and that is how an axis begins.
/// So after such a gap a new axis may take over, and every decision is the same as on one without end.
pub(crate) struct Axis {
    fill: u128,
    /// The second at which the axis begins, and the last reading.
    begun: Option<(i64, Moment)>,
}

/// A reading of the engine's axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// On the axis as it is.
    On(Timestamp),
    /// On an axis that begins here: every bucket is to be made anew.
    Anew(Timestamp),
    /// Past the end of the axis. The engine refills nothing there: decisions are stricter than they should be.
    Beyond(Timestamp),
}

impl Axis {
    pub(crate) fn new(quota: Quota) -> Axis {
        Axis { fill: quota.time_to_fill().as_nanos(), begun: None }
    }

    /// The engine's time at `now`, which is no earlier than the last.
    pub(crate) fn read(&mut self, now: Moment) -> Reading {
        let phase = Timestamp::from_nanos(u64::from(now.subsecond()));
        let Some((start, last)) = self.begun else {
            self.begun = Some((now.seconds(), now));
            return Reading::On(phase);
        };
        let seconds = u64::try_from(now.seconds().saturating_sub(start)).unwrap_or(0);
        let reading = phase + Duration::from_secs(seconds);
        // Before it is needed: the next gap may not be as long.
        let is_late = reading.as_nanos() > Timestamp::HORIZON.as_nanos() / 2;
        if is_late && now.since(last) >= self.fill {
            self.begun = Some((now.seconds(), now));
            return Reading::Anew(phase);
        }
        self.begun = Some((start, now));
        if reading > Timestamp::HORIZON { Reading::Beyond(reading) } else { Reading::On(reading) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use catraca::Rate;

    const YEAR: i64 = 365 * 86_400;

    fn at(seconds: i64, nanos: u32) -> Moment {
        Moment::new(seconds, nanos).unwrap()
    }

    fn on(seconds: u64, nanos: u32) -> Reading {
        Reading::On(Timestamp::ZERO + Duration::new(seconds, nanos))
    }

    #[test]
    fn time_never_runs_back() {
        let mut clock = LogClock::default();
        assert_eq!(clock.advance(at(5, 1)), (at(5, 1), false));
        assert_eq!(clock.advance(at(5, 0)), (at(5, 1), true));
        assert_eq!(clock.advance(at(5, 1)), (at(5, 1), false));
        assert_eq!(clock.advance(at(6, 0)), (at(6, 0), false));
    }

    #[test]
    fn readings_keep_their_fraction_of_a_second() {
        let mut axis = Axis::new(Rate::per_second(5).burst(10).unwrap());
        assert_eq!(axis.read(at(-7, 123)), on(0, 123));
        assert_eq!(axis.read(at(-7, 124)), on(0, 124));
        assert_eq!(axis.read(at(3, 5)), on(10, 5));
    }

    #[test]
    fn a_long_gap_late_on_the_axis_begins_a_new_one() {
        let mut axis = Axis::new(Rate::per_second(5).burst(10).unwrap());
        assert_eq!(axis.read(at(0, 7)), on(0, 7));
        assert_eq!(axis.read(at(10 * YEAR, 7)), on(10 * YEAR as u64, 7));
        assert_eq!(axis.read(at(2_000 * YEAR, 8)), Reading::Anew(Timestamp::from_nanos(8)));
        assert_eq!(axis.read(at(2_000 * YEAR + 1, 9)), on(1, 9));
    }

    #[test]
    fn no_new_axis_while_a_bucket_may_owe() {
        let mut axis = Axis::new(Rate::per_day(1).burst(365 * 30).unwrap());
        assert_eq!(axis.read(at(0, 0)), on(0, 0));
        assert_eq!(axis.read(at(20 * YEAR, 0)), on(20 * YEAR as u64, 0));
        assert!(matches!(axis.read(at(49 * YEAR, 0)), Reading::Beyond(_)));
        assert!(matches!(axis.read(at(79 * YEAR, 0)), Reading::Anew(_)));
    }
}
