//! One [`Bucket`] against the oracle, under whatever readings a clock gives.

use arbitrary::{Arbitrary, Unstructured};
use catraca::{Bucket, ManualClock, Timestamp};

use crate::input::{Cost, Moment, Spec, Story, steps};
use crate::tally::Tally;
use crate::twin::{Twin, keeps_its_word};

/// A quota and what is asked of it.
#[derive(Clone, Debug)]
pub struct Input {
    /// The quota, or nearly.
    pub spec: Spec,
    /// The questions, in turn.
    pub steps: Vec<Step>,
}

/// A question.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub struct Step {
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
    /// A look, which takes nothing.
    Peek,
}

impl<'a> Arbitrary<'a> for Input {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> arbitrary::Result<Input> {
        Ok(Input { spec: bytes.arbitrary()?, steps: steps(bytes, 200)? })
    }
}

/// Plays the bytes as an [`Input`]; `None` if they are none.
pub fn check_bytes(bytes: &[u8]) -> Option<Tally> {
    Some(check(&Unstructured::new(bytes).arbitrary().ok()?))
}

/// Holds every decision to the oracle, every wait to its word, and every look to the decision that follows.
#[must_use]
pub fn check(input: &Input) -> Tally {
    let quota = input.spec.nearest();
    let clock = ManualClock::new();
    let bucket = Bucket::with_clock(quota, &clock);
    let (mut twin, mut story) = (Twin::new(&quota), Story::new(quota));
    let mut tally = Tally { inputs: u64::from(!input.steps.is_empty()), ..Tally::default() };
    for step in &input.steps {
        let now = story.moment(step.moment);
        let cost = story.cost(step.cost);
        clock.set(now);
        tally.stale += u64::from(twin.oracle().is_stale(now));

        let look = bucket.peek_n_at(cost, now);
        let decision = match step.entry {
            Entry::At => bucket.check_n_at(cost, now),
            Entry::Clock => bucket.check_n(cost),
            Entry::Peek => bucket.peek_n(cost),
        };
        assert_eq!(look.denial(), decision.denial(), "a look at {now:?}: {look}; then {decision}");
        if matches!(step.entry, Entry::Peek) {
            looked(&bucket, &twin, cost, now);
        } else {
            twin.judge(&decision, cost, now, &mut tally);
        }
        keeps_its_word(&decision, now, &mut tally, |then| bucket.peek_n_at(cost, then));
        story.note(&decision);
    }
    tally
}

/// Holds a look to the oracle, as though it had cost nothing.
fn looked(bucket: &Bucket<&ManualClock>, twin: &Twin, cost: u64, now: Timestamp) {
    let look = bucket.peek_n_at(cost, now);
    let mut unpaid = *twin;
    if look.is_allowed() {
        unpaid.judge(&bucket.peek_n_at(0, now), 0, now, &mut Tally::default());
        assert_eq!(look.remaining(), bucket.peek_n_at(0, now).remaining(), "{look}");
    } else {
        unpaid.judge(&look, cost, now, &mut Tally::default());
    }
}
