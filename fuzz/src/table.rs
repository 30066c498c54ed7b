//! A small, crowded [`Limiter`] against two models: an exact bucket for each key, in a table without end, which no
//! admission may exceed; and [`Crowd`], which says what each decision must be.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};
use std::time::Duration;

use arbitrary::{Arbitrary, Unstructured};
use catraca::{Decision, Denial, Limiter, ManualClock, OnFull, Quota, RetryAfter, Timestamp};

use crate::crowd::{Counts, Crowd, Place, SLOTS};
use crate::input::{Cost, Moment, Spec, Story, steps};
use crate::lattice::Lattice;
use crate::tally::Tally;
use crate::twin::{Twin, keeps_its_word};

/// Keys of a limiter of one set, and of three: more than there are slots, but not by much.
const KEYS: [u8; 2] = [12, 30];

/// A limiter and what is asked of it.
#[derive(Clone, Debug)]
pub struct Input {
    /// The quota, or nearly.
    pub spec: Spec,
    /// Whether the quota is a plain one, whatever `spec` says: most readings fall on its ticks.
    pub is_plain: bool,
    /// What becomes of newcomers.
    pub rule: Rule,
    /// Three sets, or one, which is where [`Crowd`] says what is what.
    pub is_wide: bool,
    /// The questions, in turn.
    pub steps: Vec<Step>,
}

/// The rules of a crowded set.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub enum Rule {
    /// [`OnFull::Inherit`].
    Inherit,
    /// [`OnFull::Deny`].
    Deny,
    /// [`OnFull::Allow`].
    Allow,
}

/// A question.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub struct Step {
    /// Whose.
    pub key: u8,
    /// When.
    pub moment: Moment,
    /// How much.
    pub cost: Cost,
    /// How.
    pub entry: Entry,
}

/// The way in.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub enum Entry {
    /// With the moment.
    At,
    /// Through the clock.
    Clock,
    /// With the hash, and the moment.
    Hashed,
}

impl<'a> Arbitrary<'a> for Input {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> arbitrary::Result<Input> {
        Ok(Input {
            spec: bytes.arbitrary()?,
            is_plain: bytes.arbitrary()?,
            rule: bytes.arbitrary()?,
            is_wide: bytes.arbitrary()?,
            steps: steps(bytes, 200)?,
        })
    }
}

impl Input {
    fn quota(&self) -> Quota {
        let capacity = 1 + self.spec.capacity.value() % 10;
        let plain = catraca::Rate::new(1, Duration::from_millis(1 + self.spec.tokens.value() % 1_000));
        if self.is_plain { Quota::must(plain, capacity) } else { self.spec.nearest() }
    }

    fn on_full(&self) -> OnFull {
        match self.rule {
            Rule::Inherit => OnFull::Inherit,
            Rule::Deny => OnFull::Deny,
            Rule::Allow => OnFull::Allow,
        }
    }
}

/// A hasher whose hashes are the same in every run.
///
/// In a limiter of one set the hashes differ in the bits that both the tag and the lower half have, and in no others, so
/// that keys prefer the same slot and ties are broken in the order of arrival. Else they are well mixed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Told {
    is_mixed: bool,
    hash: u64,
}

impl Hasher for Told {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u8(*byte));
    }

    fn write_u8(&mut self, key: u8) {
        let key = u64::from(key);
        self.hash = if self.is_mixed { (key + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) } else { key << 24 };
    }

    fn finish(&self) -> u64 {
        self.hash
    }
}

impl BuildHasher for Told {
    type Hasher = Told;

    fn build_hasher(&self) -> Told {
        *self
    }
}

type Small<'c> = Limiter<u8, &'c ManualClock, Told>;

/// The models of one limiter.
struct Models {
    quota: Quota,
    /// Every key's own bucket, fed what passed.
    keys: HashMap<u8, Twin>,
    /// What happens in the one set, as long as every reading fell on a tick.
    crowd: Option<Crowd>,
    lattice: Lattice,
}

/// Plays the bytes as an [`Input`]; `None` if they are none.
pub fn check_bytes(bytes: &[u8]) -> Option<Tally> {
    Some(check(&Unstructured::new(bytes).arbitrary().ok()?))
}

/// Holds every decision to both models, every wait to its word, every look to the decision that follows, and the
/// counters to what happened.
#[must_use]
pub fn check(input: &Input) -> Tally {
    let (quota, on_full) = (input.quota(), input.on_full());
    let sets = if input.is_wide { 3 } else { 1 };
    let clock = ManualClock::new();
    let hasher = Told { is_mixed: input.is_wide, hash: 0 };
    let built = Limiter::builder(quota, 5 * sets).clock(&clock).hasher(hasher).on_full(on_full).build();
    let limiter: Small<'_> = built.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(limiter.slots(), SLOTS * sets);

    let lattice = Lattice::of(&quota);
    let crowd = lattice.tick().filter(|_| sets == 1).map(|tick| Crowd::new(&quota, on_full, tick));
    let mut models = Models { quota, keys: HashMap::new(), crowd, lattice };
    let mut story = Story::new(quota);
    let mut tally = Tally { inputs: u64::from(!input.steps.is_empty()), ..Tally::default() };
    for step in &input.steps {
        let key = step.key % KEYS[usize::from(input.is_wide)];
        let now = story.moment(step.moment);
        let cost = story.cost(step.cost);
        clock.set(now);

        let look = limiter.peek_n_at(&key, cost, now);
        let before = limiter.counters().no_room;
        let decision = match step.entry {
            Entry::At => limiter.check_n_at(&key, cost, now),
            Entry::Clock => limiter.check_n(&key, cost),
            Entry::Hashed => limiter.check_hashed_n_at(limiter.prehash(&key), cost, now),
        };
        assert_eq!(look.denial(), decision.denial(), "a look at {now:?}: {look}; then {decision}");
        let found_room = limiter.counters().no_room == before;
        models.judge(&decision, key, now, found_room, &mut tally);
        models.counted(&limiter, now);
        keeps_its_word(&decision, now, &mut tally, |then| limiter.peek_n_at(&key, cost, then));
        story.note(&decision);
    }
    let Counts { recycled, inherited, .. } = limiter.counters().into();
    Tally { recycled, inherited, ..tally }
}

impl Models {
    fn judge(&mut self, decision: &Decision, key: u8, now: Timestamp, found_room: bool, tally: &mut Tally) {
        let cost = decision.cost();
        if !self.lattice.is_on_tick(now) {
            self.crowd = None; // it knows no rounding
        }
        let is_known = self.keys.contains_key(&key);
        let is_roomy = self.keys.len() + usize::from(!is_known) <= SLOTS; // no set was ever crowded
        let own = self.keys.entry(key).or_insert_with(|| Twin::new(&self.quota));
        tally.stale += u64::from(own.oracle().is_stale(now));
        if !found_room {
            *if decision.is_allowed() { &mut tally.unlimited } else { &mut tally.turned_away } += 1;
        } else if is_roomy {
            own.judge(decision, cost, now, tally);
        } else if decision.is_allowed() && cost > 0 {
            own.admit(cost, now); // never more than the key's own bucket, wherever its slot went
        }
        if let Some(crowd) = &mut self.crowd {
            crowded(crowd, &self.quota, decision, key, now, tally);
        }
    }

    /// The counters are what the model's are, and its occupants as many.
    fn counted(&self, limiter: &Small<'_>, now: Timestamp) {
        let counters = limiter.counters();
        assert!(counters.occupied() <= limiter.slots() as u64, "{counters:?}");
        if let Some(crowd) = &self.crowd {
            assert_eq!(Counts::from(counters), crowd.counters);
            assert_eq!(counters.occupied(), crowd.occupied() as u64);
            assert_eq!(limiter.owing_at(now), crowd.owing(now), "at {now:?}");
        }
    }
}

/// Holds a decision to the naive table, and has the table do the same.
fn crowded(crowd: &mut Crowd, quota: &Quota, decision: &Decision, key: u8, now: Timestamp, tally: &mut Tally) {
    let cost = decision.cost();
    let no_cost = cost == 0 || cost > quota.capacity();
    match crowd.place(key, now) {
        Place::Bucket(bucket) => {
            let mut twin = Twin::of(bucket, quota);
            twin.judge(decision, cost, now, tally);
            match decision.is_allowed() {
                _ if no_cost => {}
                true => crowd.paid(key, now, *twin.oracle()),
                false => crowd.denied(key, now),
            }
        }
        Place::NoRoom(_) if no_cost => {
            // No bucket is asked: as though there were room.
            Twin::new(quota).judge(decision, cost, now, tally);
        }
        Place::NoRoom(first) => {
            crowd.turn_away();
            if decision.is_allowed() {
                assert_eq!((decision.remaining(), decision.reset_after()), (quota.capacity(), Duration::ZERO));
                return;
            }
            assert_eq!((decision.denial(), decision.remaining()), (Some(Denial::TableFull), 0), "{decision}");
            // Past full by a tick, which is what a slot gains when it changes hands.
            let mut past = first;
            past.burden(crowd.tick());
            let free = past.holds_from(past.full());
            let expected = if free > Timestamp::HORIZON.as_nanos() {
                RetryAfter::Never
            } else {
                RetryAfter::After(Duration::from_nanos(free.saturating_sub(now.as_nanos())))
            };
            assert_eq!(decision.retry_after(), expected, "{decision}");
        }
    }
}
