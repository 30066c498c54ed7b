//! The door for model checkers, there only under `cfg(catraca_loom)`: a set of any size, its words
//! decoded, and a witness that is told of every change of a word in the same step.

use std::cell::{Cell, RefCell};

use loom::sync::atomic::AtomicU64 as LoomU64;

use crate::axis::Reading;
use crate::counters::Stripe;
use crate::limiter::OnFull;
use crate::sync::Ordering;
use crate::table::{Answer, Ask, Header, Key, Set, Tag};
use crate::word::Word;

/// A change of one word: where, from what, to what.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// The address of the word, as [`ModelSet::addresses`] gives it.
    pub address: usize,
    /// The bits before.
    pub old: u64,
    /// The bits after.
    pub new: u64,
}

type Witness = Box<dyn FnMut(Change)>;

// Loom runs all threads of a model on one thread of the system.
thread_local! {
    static WITNESS: RefCell<Option<Witness>> = const { RefCell::new(None) };
    static WEAK_CALLS: Cell<u32> = const { Cell::new(0) };
    static FAIL_EVERY: Cell<u32> = const { Cell::new(0) };
}

/// Tells `witness` of every change from now on.
pub fn witness(witness: impl FnMut(Change) + 'static) {
    WITNESS.set(Some(Box::new(witness)));
}

/// Makes every `every`-th weak compare-and-swap fail for no reason, which loom by itself never does; 0: none.
pub fn fail_weak(every: u32) {
    WEAK_CALLS.set(0);
    FAIL_EVERY.set(every);
}

/// Loom's atomic, watched.
#[derive(Debug)]
pub(crate) struct AtomicU64(LoomU64);

impl AtomicU64 {
    pub(crate) fn new(bits: u64) -> AtomicU64 {
        AtomicU64(LoomU64::new(bits))
    }

    fn tell(&self, old: u64, new: u64) {
        let change = Change { address: self.address(), old, new };
        WITNESS.with_borrow_mut(|witness| witness.iter_mut().for_each(|witness| witness(change)));
    }

    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    pub(crate) fn load(&self, order: Ordering) -> u64 {
        self.0.load(order)
    }

    pub(crate) fn compare_exchange(&self, old: u64, new: u64, done: Ordering, not: Ordering) -> Result<u64, u64> {
        let result = self.0.compare_exchange(old, new, done, not);
        if result.is_ok() {
            self.tell(old, new);
        }
        result
    }

    pub(crate) fn compare_exchange_weak(&self, old: u64, new: u64, done: Ordering, not: Ordering) -> Result<u64, u64> {
        let (call, every) = (WEAK_CALLS.get() + 1, FAIL_EVERY.get());
        WEAK_CALLS.set(call);
        if every > 0 && call.is_multiple_of(every) {
            return Err(self.load(not));
        }
        self.compare_exchange(old, new, done, not)
    }

    /// For mutants: the engine stores nothing blindly.
    #[allow(dead_code)]
    pub(crate) fn store(&self, new: u64, order: Ordering) {
        let old = self.0.swap(new, order);
        self.tell(old, new);
    }
}

/// A request, in ticks.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// Whose bucket.
    pub tag: u64,
    /// The clock reading, rounded down and up.
    pub now: (u64, u64),
    /// Ticks to take.
    pub cost: u64,
    /// Ticks in a full bucket.
    pub full: u64,
    /// What to do without room.
    pub on_full: OnFull,
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Told {
    /// Paid.
    Allowed,
    /// Too few tokens.
    Denied,
    /// No slot, and denied for it.
    NoRoom,
    /// No slot, and let pass for it.
    Unlimited,
}

/// A set of `N` slots on its own.
pub struct ModelSet<const N: usize> {
    set: Set<N>,
    counters: Stripe,
}

impl<const N: usize> Default for ModelSet<N> {
    fn default() -> Self {
        ModelSet { set: Set::default(), counters: Stripe::default() }
    }
}

impl<const N: usize> ModelSet<N> {
    /// Debits as the table does.
    pub fn debit(&self, request: Request) -> Told {
        let Request { tag, now: (floor, ceil), cost, full, on_full } = request;
        let tag = wide(tag);
        let ask = Ask { now: Reading { floor, ceil }, cost, full };
        let preferred = self.set.debit_preferred(tag, &ask);
        match preferred.unwrap_or_else(|| self.set.debit_elsewhere(tag, ask.now, cost, full, on_full, &self.counters)) {
            Answer::Allowed(_) => Told::Allowed,
            Answer::Denied(_) => Told::Denied,
            Answer::NoRoom(_) => Told::NoRoom,
            Answer::Unlimited => Told::Unlimited,
        }
    }

    /// Begins an insert of `tag` into `slot`, which it vacates, and never comes back to it.
    pub fn abandon(&self, slot: usize, tag: u64) -> bool {
        self.set.open(slot, wide(tag))
    }

    /// Where the words are: the header, then key and state of each slot.
    pub fn addresses(&self) -> Vec<usize> {
        self.set.words().map(AtomicU64::address).collect()
    }
}

/// A state word decoded: whether it is live, and the tick at which it is full.
pub fn state(bits: u64) -> (bool, u64) {
    let word = Word::from_bits(bits);
    (word.is_live(), word.full_at())
}

/// A small number as a tag.
fn wide(tag: u64) -> Tag {
    Tag::of(tag << 24)
}

fn narrow(tag: Tag) -> u64 {
    tag.bits() >> 24
}

/// The tag in a key word.
pub fn key_tag(bits: u64) -> u64 {
    narrow(Key::from_bits(bits).tag())
}

/// A header decoded: the slot and tag of the insert under way, `None` if it is closed.
pub fn header(bits: u64) -> Option<(usize, u64)> {
    let header = Header::from_bits(bits);
    header.is_open().then(|| (header.slot(), narrow(header.tag())))
}
