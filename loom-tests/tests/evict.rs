//! A crowded set: newcomers inherit, and eviction never mints.

use catraca::model::Told::{self, Allowed, Denied};
use catraca_loom_tests::{Bound, Ghost, ask, explore};

#[test]
fn an_evicted_key_comes_back_with_its_debt() {
    // Preemptions 3, one slot. Key 1 has one of three left. It is evicted by key 2 and comes back: at
    // most the one more, whatever happens in between.
    explore(Bound::Preemptions(3), [vec![1], vec![2]], |outcomes| {
        let (ghost, set) = Ghost::watch::<1>();
        assert_eq!(ghost.debit(&set, ask(1, 0, 2, 4)), Allowed);
        let told = ghost.race(&set, &[&[ask(1, 0, 1, 4), ask(1, 0, 1, 4)], &[ask(2, 0, 1, 4)]]);
        outcomes.note(vec![told.into_iter().flatten().filter(|&told| told == Allowed).count()]);
    });
}

#[test]
fn two_newcomers_crowd_out_two_debtors() {
    // Preemptions 2, two slots, both owing. The newcomers take what owes least, one after another.
    explore(Bound::Preemptions(2), [vec![vec![Allowed], vec![Allowed]]], |outcomes| {
        let (ghost, set) = Ghost::watch::<2>();
        assert_eq!(ghost.debit(&set, ask(1, 0, 1, 9)), Allowed);
        assert_eq!(ghost.debit(&set, ask(2, 0, 2, 9)), Allowed);
        outcomes.note(ghost.race(&set, &[&[ask(3, 0, 1, 9)], &[ask(4, 0, 1, 9)]]));
    });
}

#[test]
fn a_debtor_is_debited_while_it_is_evicted() {
    // Preemptions 2, two slots, three threads: two residents spend while a newcomer takes a slot.
    let expected: [Vec<Vec<Told>>; 1] = [vec![vec![Allowed], vec![Allowed], vec![Allowed]]];
    explore(Bound::Preemptions(2), expected, |outcomes| {
        let (ghost, set) = Ghost::watch::<2>();
        assert_eq!(ghost.debit(&set, ask(1, 0, 1, 9)), Allowed);
        assert_eq!(ghost.debit(&set, ask(2, 0, 1, 9)), Allowed);
        outcomes.note(ghost.race(&set, &[&[ask(1, 0, 1, 9)], &[ask(2, 0, 1, 9)], &[ask(3, 0, 1, 9)]]));
    });
}

#[test]
fn a_clock_that_lags_evicts_no_debt_away() {
    // Preemptions 3, one slot. The newcomer's clock lags behind the debtor's, and a reading falls between two ticks.
    explore(Bound::Preemptions(3), [vec![Denied, Allowed, Denied]], |outcomes| {
        let (ghost, set) = Ghost::watch::<1>();
        let mut late = ask(1, 10, 2, 2);
        late.now = (10, 11);
        let mut early = ask(1, 12, 1, 2);
        early.now = (11, 12);
        assert_eq!(ghost.debit(&set, late), Allowed);
        let told = ghost.race(&set, &[&[early, ask(1, 12, 1, 2)], &[ask(2, 3, 1, 2)]]);
        outcomes.note(told.concat());
    });
}
