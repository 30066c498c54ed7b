//! The ghost: a sequential shadow of a set, updated in the same step as each change of a word, and
//! an exact table without bounds that is fed the same admissions. It asserts the invariants of the
//! protocol (`catraca::internals`) at every change, so that any model is an oracle for all of them.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use catraca::OnFull;
use catraca::model::{self, Change, ModelSet, Request, Told};
use loom::thread::ThreadId;

/// A set under watch, cheap to hand to threads.
pub type Shared<const N: usize> = loom::sync::Arc<ModelSet<N>>;

/// What a thread is about.
struct Operation {
    request: Request,
    /// Times this operation's cost was taken.
    paid: u32,
    /// Whether at some moment of the operation a refusal would have been right.
    refusable: bool,
}

struct Shadow {
    addresses: Vec<usize>,
    /// The words in the order of the addresses: header, then key and state of each slot.
    words: Vec<u64>,
    seen: Vec<HashSet<u64>>,
    /// What each tag owes if nothing were ever evicted: the tick at which its bucket is full.
    exact: HashMap<u64, u64>,
    operations: HashMap<ThreadId, Operation>,
}

/// A watch over one set, for one execution of a model.
#[derive(Clone)]
pub struct Ghost(Rc<RefCell<Shadow>>);

impl Ghost {
    /// A fresh set under watch.
    pub fn watch<const N: usize>() -> (Ghost, Shared<N>) {
        let set = Shared::new(ModelSet::default());
        let addresses = set.addresses();
        let words = vec![0; addresses.len()];
        let seen = vec![HashSet::from([0]); addresses.len()];
        let shadow = Shadow { addresses, words, seen, exact: HashMap::new(), operations: HashMap::new() };
        let ghost = Ghost(Rc::new(RefCell::new(shadow)));
        let witness = ghost.clone();
        model::fail_weak(0);
        model::witness(move |change| witness.0.borrow_mut().witness(change));
        (ghost, set)
    }

    /// Debits on the current thread, and holds the answer against what was seen happening.
    pub fn debit<const N: usize>(&self, set: &ModelSet<N>, request: Request) -> Told {
        let thread = loom::thread::current().id();
        {
            let mut shadow = self.0.borrow_mut();
            let refusable = shadow.may_refuse(&request);
            let operation = Operation { request, paid: 0, refusable };
            assert!(shadow.operations.insert(thread, operation).is_none(), "one operation a thread at a time");
        }
        let told = set.debit(request);
        let operation = self.0.borrow_mut().operations.remove(&thread).expect("begun above");
        assert_eq!(operation.paid, u32::from(told == Told::Allowed), "paid once if allowed, never if not: {request:?}");
        if told != Told::Allowed {
            assert!(operation.refusable, "refused for no reason of its own: {request:?}");
        }
        told
    }

    /// Begins a request's insert into `slot`, and never comes back to it.
    pub fn abandon<const N: usize>(&self, set: &ModelSet<N>, slot: usize, request: Request) {
        let thread = loom::thread::current().id();
        self.0.borrow_mut().operations.insert(thread, Operation { request, paid: 0, refusable: true });
        assert!(set.abandon(slot, request.tag), "nobody else is there yet");
        self.0.borrow_mut().operations.remove(&thread);
    }

    /// Debits on one thread per list of requests, at once; what each was told, list after list.
    pub fn race<const N: usize>(&self, set: &Shared<N>, requests: &[&[Request]]) -> Vec<Vec<Told>> {
        let spend = |requests: &[Request]| {
            let (ghost, set, requests) = (self.clone(), set.clone(), requests.to_vec());
            move || requests.iter().map(|&request| ghost.debit(&set, request)).collect()
        };
        let (first, others) = requests.split_first().expect("somebody has to race");
        let others: Vec<_> = others.iter().map(|&requests| loom::thread::spawn(spend(requests))).collect();
        let first = spend(first)();
        std::iter::once(first).chain(others.into_iter().map(|other| other.join().unwrap())).collect()
    }

    /// What `tag` has taken, as the exact table has it: the tick at which its bucket is full.
    pub fn exact(&self, tag: u64) -> u64 {
        self.0.borrow().exact.get(&tag).copied().unwrap_or(0)
    }
}

impl Shadow {
    fn witness(&mut self, Change { address, old, new }: Change) {
        let Some(index) = self.addresses.iter().position(|&known| known == address) else { return };
        assert_eq!(old, self.words[index], "the shadow fell behind");
        assert!(self.seen[index].insert(new), "I1: word {index} takes the value {new:#x} again");
        match index {
            0 => self.header_changes(old, new),
            index if index % 2 == 1 => self.key_changes(index / 2, old, new),
            index => self.state_changes(index / 2 - 1, old, new),
        }
        self.words[index] = new;
        self.after_change();
    }

    fn header_changes(&self, old: u64, new: u64) {
        match (model::header(old), model::header(new)) {
            (None, Some((slot, tag))) => {
                assert_eq!(self.home_of(tag), None, "I2: opened for a tag that is live already");
                assert!(!self.state(slot).0, "I2: opened over a slot that is live");
            }
            (Some((slot, tag)), None) => {
                assert!(self.state(slot).0 && self.tag(slot) == tag, "I3: closed before the slot was live and named");
            }
            other => panic!("I1: a header neither opened nor closed: {other:?}"),
        }
    }

    fn key_changes(&self, slot: usize, old: u64, new: u64) {
        assert_eq!(self.open(), Some((slot, model::key_tag(new))), "I3, I4: a key changes without its insert");
        assert!(!self.state(slot).0, "I4: the key of a live slot changes");
        assert_ne!(model::key_tag(old), model::key_tag(new), "I1: a key changes to itself");
    }

    fn state_changes(&mut self, slot: usize, old: u64, new: u64) {
        assert!(new > old, "I1: a state must grow");
        let ((was_live, owed), (is_live, _)) = (model::state(old), model::state(new));
        match (was_live, is_live) {
            (true, true) => self.debited(slot, owed, new),
            (false, true) => {
                assert_eq!(self.open(), Some((slot, self.tag(slot))), "I3, I4: a slot goes live without its insert");
                assert_eq!(self.home_of(self.tag(slot)), None, "I6: two live slots of one tag");
                // A helper brings a slot to life as it is; its owner pays in the same step.
                if new != old | 1 {
                    self.debited(slot, owed, new);
                }
            }
            (true, false) => {
                assert_eq!(new, old + 1, "a slot is vacated by one step");
                assert_ne!(self.open().map(|(open, _)| open), Some(slot), "I5: vacated while its insert is open");
                let request = self.current().request;
                let expired = owed < request.now.0;
                assert!(expired || request.on_full == OnFull::Inherit, "a debtor makes room only under Inherit");
            }
            (false, false) => panic!("a vacant slot changes and stays vacant"),
        }
    }

    /// The current thread's cost was taken from `slot`, which owed until `owed`.
    fn debited(&mut self, slot: usize, owed: u64, new: u64) {
        let (home, (_, full_at)) = (self.tag(slot), model::state(new));
        let operation = self.current();
        let Request { tag, now: (floor, ceil), cost, full, .. } = operation.request;
        operation.paid += 1;
        assert_eq!(home, tag, "I7: a debit hits another's bucket");
        assert_eq!(full_at, owed.max(ceil) + cost, "a debit takes its cost and nothing else");
        let exact = self.exact.entry(tag).or_insert(0);
        assert!((*exact).max(floor) + cost <= floor + full, "I8: more than the exact table admits");
        *exact = (*exact).max(ceil) + cost;
    }

    fn after_change(&mut self) {
        for slot in 0..self.slots() {
            let ((live, full_at), tag) = (self.state(slot), self.tag(slot));
            let exact = self.exact.get(&tag).copied().unwrap_or(0);
            assert!(!live || full_at >= exact, "I8: a bucket forgot a debt");
        }
        let refusable = |operation: &Operation| operation.refusable || self.may_refuse(&operation.request);
        let now: Vec<_> = self.operations.iter().map(|(&thread, operation)| (thread, refusable(operation))).collect();
        for (thread, refusable) in now {
            self.operations.get_mut(&thread).expect("still there").refusable = refusable;
        }
    }

    /// Whether a refusal would be right at this moment: by the caller's own bucket, or by the rule
    /// for want of room.
    fn may_refuse(&self, request: &Request) -> bool {
        let Request { tag, now: (floor, _), cost, full, on_full } = *request;
        let refuses = |full_at: u64| full_at.max(floor) + cost > floor + full;
        if let Some(slot) = self.home_of(tag) {
            return refuses(self.state(slot).1);
        }
        let least = (0..self.slots()).map(|slot| self.state(slot)).min();
        match least {
            Some((false, full_at)) => refuses(full_at),
            // The newcomer's slot is vacated first, which adds a tick.
            Some((true, full_at)) if on_full == OnFull::Inherit => refuses(full_at + 1),
            Some((true, full_at)) => full_at >= floor,
            None => false,
        }
    }

    fn current(&mut self) -> &mut Operation {
        let thread = loom::thread::current().id();
        self.operations.get_mut(&thread).expect("a change outside of an operation")
    }

    fn open(&self) -> Option<(usize, u64)> {
        model::header(self.words[0])
    }

    fn home_of(&self, tag: u64) -> Option<usize> {
        (0..self.slots()).find(|&slot| self.state(slot).0 && self.tag(slot) == tag)
    }

    fn slots(&self) -> usize {
        self.addresses.len() / 2
    }

    fn tag(&self, slot: usize) -> u64 {
        model::key_tag(self.words[2 * slot + 1])
    }

    fn state(&self, slot: usize) -> (bool, u64) {
        model::state(self.words[2 * slot + 2])
    }
}

/// A request of `cost` ticks of `tag`'s, of a bucket of `full`, at tick `now`.
pub fn ask(tag: u64, now: u64, cost: u64, full: u64) -> Request {
    Request { tag, now: (now, now), cost, full, on_full: OnFull::Inherit }
}

/// The same under another rule for want of room.
pub fn under(on_full: OnFull, request: Request) -> Request {
    Request { on_full, ..request }
}
