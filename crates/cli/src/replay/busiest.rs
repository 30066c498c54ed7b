//! The moments of most denials.

use crate::log::moment::Moment;

/// Moments that are kept.
const KEPT: usize = 5;

/// Counts denials in windows of equal length and keeps the fullest; memory is constant, for time never runs back.
pub(crate) struct Busiest {
    /// Seconds of a window.
    length: i64,
    window: i64,
    denied: u64,
    /// Most denials first; of equals the earlier first.
    top: Vec<(i64, u64)>,
}

impl Busiest {
    /// Windows of so many seconds.
    pub(crate) fn new(length: i64) -> Busiest {
        Busiest { length, window: i64::MIN, denied: 0, top: Vec::with_capacity(KEPT + 1) }
    }

    /// Notes a denial at `at`, which is no earlier than the last.
    pub(crate) fn note(&mut self, at: Moment) {
        let window = at.seconds().div_euclid(self.length);
        if window != self.window {
            self.close();
            self.window = window;
        }
        self.denied += 1;
    }

    /// The windows of most denials: when each began, and how many there were.
    pub(crate) fn top(&mut self) -> Vec<(Moment, u64)> {
        self.close();
        let start = |window: i64| Moment::new(window * self.length, 0);
        self.top.iter().filter_map(|&(window, denied)| Some((start(window)?, denied))).collect()
    }

    fn close(&mut self) {
        let denied = std::mem::take(&mut self.denied);
        if denied == 0 {
            return;
        }
        let place = self.top.partition_point(|&(_, other)| other >= denied);
        self.top.insert(place, (self.window, denied));
        self.top.truncate(KEPT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fullest_windows_first() {
        let mut busiest = Busiest::new(60);
        for (minute, denied) in [(0, 2), (1, 7), (3, 2), (4, 1), (5, 9), (6, 1), (9, 7)] {
            for second in 0..denied {
                busiest.note(Moment::new(minute * 60 + second, 5).unwrap());
            }
        }
        let top: Vec<(i64, u64)> = busiest.top().into_iter().map(|(at, denied)| (at.seconds() / 60, denied)).collect();
        assert_eq!(top, [(5, 9), (1, 7), (9, 7), (0, 2), (3, 2)]);
        assert_eq!(busiest.top().len(), 5);
        assert!(Busiest::new(1).top().is_empty());
    }
}
