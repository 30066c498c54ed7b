//! Runs a model and collects what its executions came to.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

/// How far loom goes.
#[derive(Clone, Copy, Debug)]
pub enum Bound {
    /// Every interleaving.
    Exhaustive,
    /// Every interleaving in which threads are preempted at most this many times.
    Preemptions(usize),
}

/// The set of outcomes over all executions of a model.
pub struct Outcomes<T>(Arc<Mutex<BTreeSet<T>>>);

impl<T> Clone for Outcomes<T> {
    fn clone(&self) -> Self {
        Outcomes(Arc::clone(&self.0))
    }
}

impl<T: Ord> Outcomes<T> {
    /// Notes the outcome of one execution.
    pub fn note(&self, outcome: T) {
        self.0.lock().unwrap().insert(outcome);
    }
}

/// Explores `model` within `bound` and asserts that its executions came to exactly `expected`: no
/// outcome that should not be, and none that was never reached, so that no model is vacuous.
pub fn explore<T: Ord + Debug + Send + 'static>(
    bound: Bound,
    expected: impl IntoIterator<Item = T>,
    model: impl Fn(&Outcomes<T>) + Send + Sync + 'static,
) {
    let outcomes = Outcomes(Arc::new(Mutex::new(BTreeSet::new())));
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = match bound {
        Bound::Exhaustive => None,
        Bound::Preemptions(most) => Some(most),
    };
    let seen = outcomes.clone();
    builder.check(move || model(&seen));
    let seen = outcomes.0.lock().unwrap();
    assert_eq!(*seen, expected.into_iter().collect::<BTreeSet<T>>(), "the outcomes of all executions");
}
