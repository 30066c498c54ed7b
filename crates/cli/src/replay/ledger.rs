//! What became of every caller, in memory bounded by a number of callers.

use std::collections::HashMap;

use ahash::RandomState;

use crate::log::moment::Moment;

/// What became of one caller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Account {
    /// Lines that passed.
    pub(crate) allowed: u64,
    /// Lines that did not.
    pub(crate) denied: u64,
    /// Most tokens asked for within one second of the log.
    pub(crate) peak_second: u64,
    /// Most tokens asked for within one minute of the log.
    pub(crate) peak_minute: u64,
    /// The second that is being counted, and what was asked for in it and in its minute so far.
    second: i64,
    in_second: u64,
    in_minute: u64,
}

/// The accounts of callers, up to a number; callers that come later have none.
pub(crate) struct Ledger {
    accounts: HashMap<Box<[u8]>, Account, RandomState>,
    most: usize,
    /// Lines of callers without an account.
    unknown: u64,
}

impl Ledger {
    pub(crate) fn new(most: usize) -> Ledger {
        Ledger { accounts: HashMap::default(), most, unknown: 0 }
    }

    /// Notes what a caller asked for at `at`, which is no earlier than the last time noted.
    pub(crate) fn note(&mut self, caller: &[u8], at: Moment, cost: u64, is_allowed: bool) {
        let second = at.seconds();
        if let Some(account) = self.accounts.get_mut(caller) {
            account.note(second, cost, is_allowed);
        } else if self.accounts.len() >= self.most {
            self.unknown += 1;
        } else {
            self.accounts.entry(caller.into()).or_default().note(second, cost, is_allowed);
        }
    }

    /// Callers that have an account.
    pub(crate) fn len(&self) -> usize {
        self.accounts.len()
    }

    /// Whether every caller has an account.
    pub(crate) fn is_complete(&self) -> bool {
        self.unknown == 0
    }

    /// The callers denied most, of those denied at all.
    pub(crate) fn most_denied(&self, count: usize) -> Vec<(&[u8], Account)> {
        let denied = self.accounts.iter().filter(|(_, account)| account.denied > 0);
        let mut callers: Vec<(&[u8], Account)> = denied.map(|(caller, account)| (&caller[..], *account)).collect();
        callers.sort_unstable_by(|(a, one), (b, other)| other.denied.cmp(&one.denied).then(a.cmp(b)));
        callers.truncate(count);
        callers
    }
}

impl Account {
    fn note(&mut self, second: i64, cost: u64, is_allowed: bool) {
        if is_allowed {
            self.allowed += 1;
        } else {
            self.denied += 1;
        }
        if second != self.second {
            if second.div_euclid(60) != self.second.div_euclid(60) {
                self.in_minute = 0;
            }
            (self.second, self.in_second) = (second, 0);
        }
        self.in_second = self.in_second.saturating_add(cost);
        self.in_minute = self.in_minute.saturating_add(cost);
        self.peak_second = self.peak_second.max(self.in_second);
        self.peak_minute = self.peak_minute.max(self.in_minute);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Moment {
        Moment::new(seconds, 0).unwrap()
    }

    #[test]
    fn peaks_are_of_seconds_and_minutes_of_the_log() {
        let mut ledger = Ledger::new(10);
        let asked = [(0, 1), (0, 2), (1, 1), (59, 2), (60, 3), (61, 1)];
        asked.into_iter().for_each(|(second, cost)| ledger.note(b"a", at(second), cost, cost < 3));
        let (caller, account) = ledger.most_denied(1)[0];
        assert_eq!((caller, account.allowed, account.denied), (&b"a"[..], 5, 1));
        assert_eq!((account.peak_second, account.peak_minute), (3, 6));
    }

    #[test]
    fn bounded_and_says_so() {
        let mut ledger = Ledger::new(2);
        for caller in [b"a", b"b", b"c", b"a"] {
            ledger.note(caller, at(0), 1, false);
        }
        assert_eq!((ledger.len(), ledger.is_complete()), (2, false));
        assert_eq!(ledger.most_denied(9).iter().map(|(caller, _)| *caller).collect::<Vec<_>>(), [b"a", b"b"]);
    }
}
