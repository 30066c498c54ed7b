//! Threads that stop in the middle: whoever comes by finishes what they began.

use catraca::OnFull::Deny;
use catraca::model::Told::{self, Allowed, Denied, NoRoom};
use catraca_loom_tests::{Bound, Ghost, ask, explore, under};

#[test]
fn an_insert_that_never_returns_is_finished_by_others() {
    // Preemptions 3, two slots. The insert of key 1 is left open; two threads that want key 1 and key 2 finish it.
    explore(Bound::Preemptions(3), [vec![vec![Allowed], vec![Allowed]]], |outcomes| {
        let (ghost, set) = Ghost::watch::<2>();
        ghost.abandon(&set, 0, ask(1, 0, 1, 1));
        outcomes.note(ghost.race(&set, &[&[ask(1, 5, 1, 1)], &[ask(2, 5, 1, 1)]]));
    });
}

#[test]
fn an_abandoned_key_owes_nothing() {
    // Preemptions 2, one slot. Key 1's insert is left open, unpaid, and its bucket is full: key 2 recycles it.
    let expected: [Vec<Vec<Told>>; 2] = [vec![vec![Allowed], vec![NoRoom]], vec![vec![NoRoom], vec![Allowed]]];
    explore(Bound::Preemptions(2), expected, |outcomes| {
        let (ghost, set) = Ghost::watch::<1>();
        ghost.abandon(&set, 0, ask(1, 0, 1, 1));
        outcomes.note(ghost.race(&set, &[&[under(Deny, ask(2, 5, 1, 1))], &[under(Deny, ask(3, 5, 1, 1))]]));
    });
}

#[test]
fn a_slot_finished_by_a_helper_is_no_longer_its_old_owners() {
    // Preemptions 2, one slot. Key 1's slot was taken for key 2 by a thread that stopped. One thread finishes that and
    // debits key 2, while another still looks for key 1 there.
    let expected = [vec![Allowed, Denied], vec![Denied, Allowed]];
    explore(Bound::Preemptions(2), expected, |outcomes| {
        let (ghost, set) = Ghost::watch::<1>();
        assert_eq!(ghost.debit(&set, ask(1, 0, 1, 1)), Allowed);
        ghost.abandon(&set, 0, ask(2, 10, 1, 1));
        outcomes.note(ghost.race(&set, &[&[ask(1, 10, 1, 1)], &[ask(2, 10, 1, 1)]]).concat());
    });
}

#[test]
fn a_stalled_helper_does_no_harm() {
    // Preemptions 2, one slot. A helper of key 1's insert may stop anywhere while the other thread finishes it
    // and recycles the slot for key 2.
    explore(Bound::Preemptions(2), [vec![]], |outcomes| {
        let (ghost, set) = Ghost::watch::<1>();
        ghost.abandon(&set, 0, ask(1, 0, 1, 1));
        ghost.race(&set, &[&[ask(3, 5, 1, 1)], &[ask(2, 20, 1, 1)]]);
        outcomes.note(Vec::<Told>::new());
    });
}

#[test]
fn a_stalled_owner_finds_its_bucket_made_and_gone() {
    // Preemptions 3, one slot, two threads. The owner of key 1's insert may stop after it opened the header, while
    // the other thread finishes it, spends it and recycles it for key 2.
    explore(Bound::Preemptions(3), [vec![]], |outcomes| {
        let (ghost, set) = Ghost::watch::<1>();
        ghost.race(&set, &[&[ask(1, 5, 1, 1)], &[ask(1, 5, 1, 1), ask(2, 20, 1, 1)]]);
        outcomes.note(Vec::<Told>::new());
    });
}

#[test]
fn inserts_and_debits_of_three_threads_on_one_slot() {
    // Preemptions 2. One resident, full again, and two newcomers, under Deny: exactly one of them owes in the end.
    explore(Bound::Preemptions(2), [vec![1, 2]], |outcomes| {
        let (ghost, set) = Ghost::watch::<1>();
        assert_eq!(ghost.debit(&set, ask(1, 0, 1, 1)), Allowed);
        let ask = |tag| under(Deny, ask(tag, 9, 1, 1));
        let told = ghost.race(&set, &[&[ask(1)], &[ask(2)], &[ask(3)]]).concat();
        let count = |what| told.iter().filter(|&&told| told == what).count();
        outcomes.note(vec![count(Allowed), count(NoRoom)]);
    });
}

#[test]
fn inserts_and_debits_of_three_threads_on_two_slots() {
    // Preemptions 2. Key 1 is resident with one of two left; key 1 and two new keys debit, on inherited debts.
    explore(Bound::Preemptions(2), [vec![]], |outcomes| {
        let (ghost, set) = Ghost::watch::<2>();
        assert_eq!(ghost.debit(&set, ask(1, 0, 1, 2)), Allowed);
        let told = ghost.race(&set, &[&[ask(1, 0, 1, 2)], &[ask(2, 0, 1, 2)], &[ask(3, 0, 1, 2)]]);
        assert!(told.concat().iter().all(|told| matches!(told, Allowed | Denied)));
        outcomes.note(Vec::<Told>::new());
    });
}
