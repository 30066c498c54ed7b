//! A bucket that is full again makes room, while its key still debits it.

use catraca::OnFull::{self, Allow, Deny, Inherit};
use catraca::model::Told::{self, Allowed, Denied, NoRoom, Unlimited};
use catraca_loom_tests::{Bound, Ghost, ask, explore, under};

/// Key 1 took its token long ago and is full again. It takes another while key 2 wants a slot.
fn debit_against_recycling<const N: usize>(rule: OnFull, bound: Bound, expected: &'static [[Told; 2]]) {
    let expected = expected.iter().map(|told| told.map(|told| vec![told]).to_vec());
    explore(bound, expected, move |outcomes| {
        let (ghost, set) = Ghost::watch::<N>();
        for tag in 1..=N as u64 {
            assert_eq!(ghost.debit(&set, ask(10 * tag, 0, 1, 1)), Allowed);
        }
        let debit = under(rule, ask(10, 100, 1, 1));
        let insert = under(rule, ask(1, 100, 1, 1));
        outcomes.note(ghost.race(&set, &[&[debit], &[insert]]));
    });
}

#[test]
fn a_debit_and_a_recycling_under_deny() {
    // Preemptions 4, one slot. Whoever comes second finds no room.
    debit_against_recycling::<1>(Deny, Bound::Preemptions(4), &[[Allowed, NoRoom], [NoRoom, Allowed]]);
}

#[test]
fn a_debit_and_a_recycling_under_allow() {
    // Preemptions 4, one slot. Whoever comes second passes unlimited.
    debit_against_recycling::<1>(Allow, Bound::Preemptions(4), &[[Allowed, Unlimited], [Unlimited, Allowed]]);
}

#[test]
fn a_debit_and_a_recycling_under_inherit() {
    // Preemptions 4, one slot. Whoever comes second inherits the other's debt, and has nothing left.
    debit_against_recycling::<1>(Inherit, Bound::Preemptions(4), &[[Allowed, Denied], [Denied, Allowed]]);
}

#[test]
fn a_debit_and_a_recycling_on_two_slots() {
    // Preemptions 3, two slots, both full again: there is room for both.
    debit_against_recycling::<2>(Deny, Bound::Preemptions(3), &[[Allowed, Allowed]]);
}

#[test]
fn a_stalled_debit_never_hits_the_next_owner() {
    // Preemptions 3, one slot. While a debit of key 1 is under way, the slot goes to key 2 and back to key 1.
    // The clock of the debit lags, so it may see its bucket as it was.
    let expected = [vec![Allowed, Allowed], vec![Denied, Allowed]];
    explore(Bound::Preemptions(3), expected, |outcomes| {
        let (ghost, set) = Ghost::watch::<1>();
        assert_eq!(ghost.debit(&set, ask(1, 0, 1, 3)), Allowed);
        let told = ghost.race(&set, &[&[ask(1, 0, 1, 3)], &[ask(2, 10, 3, 3), ask(1, 20, 1, 3)]]);
        outcomes.note(vec![told[0][0], told[1][1]]);
    });
}

#[test]
fn a_refusal_is_the_callers_own() {
    // Preemptions 3, one slot. Key 1 is full again and wants one; key 2 recycles its slot and takes all
    // but one. Refused on the other's debt would be wrong; on an inherited debt of two of three it passes.
    explore(Bound::Preemptions(3), [vec![vec![Allowed], vec![Allowed]]], |outcomes| {
        let (ghost, set) = Ghost::watch::<1>();
        assert_eq!(ghost.debit(&set, ask(1, 0, 1, 4)), Allowed);
        outcomes.note(ghost.race(&set, &[&[ask(1, 100, 1, 4)], &[ask(2, 100, 2, 4)]]));
    });
}

#[test]
fn a_bucket_full_this_very_tick_is_not_expired() {
    // Exhaustive, one slot. Key 1 is full at the very tick at which key 2 comes. Vacating adds a tick, so the slot
    // would hand key 2 a debt: under Deny there is no room yet. A tick later there is.
    explore(Bound::Exhaustive, [vec![NoRoom, Allowed]], |outcomes| {
        let (ghost, set) = Ghost::watch::<1>();
        assert_eq!(ghost.debit(&set, ask(1, 0, 5, 5)), Allowed);
        let told = ghost.race(&set, &[&[under(Deny, ask(2, 5, 5, 5)), under(Deny, ask(2, 6, 5, 5))]]);
        outcomes.note(told.concat());
    });
}
