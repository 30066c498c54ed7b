//! New keys: one bucket each, whoever comes first, and room by the rule.

use catraca::OnFull::{Allow, Deny};
use catraca::model::Told::{self, Allowed, Denied, NoRoom, Unlimited};
use catraca_loom_tests::{Bound, Ghost, ask, explore, under};

/// What each of `threads` threads of one request was told.
type Outcome = Vec<Vec<Told>>;

#[test]
fn one_new_key_from_two_threads_makes_one_bucket() {
    // Exhaustive, one slot. One token: exactly one thread gets it.
    let expected: [Outcome; 2] = [vec![vec![Allowed], vec![Denied]], vec![vec![Denied], vec![Allowed]]];
    explore(Bound::Exhaustive, expected, |outcomes| {
        let (ghost, set) = Ghost::watch::<1>();
        outcomes.note(ghost.race(&set, &[&[ask(1, 0, 1, 1)], &[ask(1, 0, 1, 1)]]));
    });
}

#[test]
fn one_new_key_never_lives_in_two_slots() {
    // Preemptions 4, two slots, the case of a second look for the own key.
    let expected: [Outcome; 2] = [vec![vec![Allowed], vec![Denied]], vec![vec![Denied], vec![Allowed]]];
    explore(Bound::Preemptions(4), expected, |outcomes| {
        let (ghost, set) = Ghost::watch::<2>();
        outcomes.note(ghost.race(&set, &[&[ask(1, 0, 1, 1)], &[ask(1, 0, 1, 1)]]));
    });
}

#[test]
fn one_new_key_from_three_threads_makes_one_bucket() {
    // Preemptions 2, two slots. Two tokens for three.
    let expected: [Outcome; 3] = [
        vec![vec![Allowed], vec![Allowed], vec![Denied]],
        vec![vec![Allowed], vec![Denied], vec![Allowed]],
        vec![vec![Denied], vec![Allowed], vec![Allowed]],
    ];
    explore(Bound::Preemptions(2), expected, |outcomes| {
        let (ghost, set) = Ghost::watch::<2>();
        let one = ask(1, 0, 1, 2);
        outcomes.note(ghost.race(&set, &[&[one], &[one], &[one]]));
    });
}

#[test]
fn two_new_keys_find_a_slot_each() {
    // Preemptions 4, two slots.
    explore(Bound::Preemptions(4), [vec![vec![Allowed], vec![Allowed]]], |outcomes| {
        let (ghost, set) = Ghost::watch::<2>();
        outcomes.note(ghost.race(&set, &[&[ask(1, 0, 1, 1)], &[ask(2, 0, 1, 1)]]));
        assert_eq!((ghost.exact(1), ghost.exact(2)), (1, 1));
    });
}

#[test]
fn two_new_keys_for_one_slot_share_it_by_the_rule() {
    // Exhaustive, one slot: whoever comes second is told what the rule says.
    for (rule, told) in [(Deny, NoRoom), (Allow, Unlimited)] {
        let expected: [Outcome; 2] = [vec![vec![Allowed], vec![told]], vec![vec![told], vec![Allowed]]];
        explore(Bound::Exhaustive, expected, move |outcomes| {
            let (ghost, set) = Ghost::watch::<1>();
            outcomes.note(ghost.race(&set, &[&[under(rule, ask(1, 0, 1, 1))], &[under(rule, ask(2, 0, 1, 1))]]));
        });
    }
}
