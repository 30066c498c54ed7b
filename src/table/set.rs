//! A set of slots and its protocol: debit a resident key, insert a new one, lock-free.
//!
//! Three kinds of words, each changed by compare-and-swap only and none ever taking a value twice:
//! the **state** of a slot ([`Word`]: whose lowest bit says live or vacant), its **key**, and the
//! **header** of the set, through which inserts go one at a time. An insert takes effect when it opens the
//! header; from then on the header alone says what is left to do, so whoever comes by can finish it and no
//! stopped thread stops another.
//!
//! | operation | ordering | with |
//! |---|---|---|
//! | load key | Acquire | CAS key: the state seen is at least the vacant word the key was written under |
//! | load state | Acquire | go live: the key seen next is at least the one the bucket was made for |
//! | load header | Acquire | every earlier header CAS: a scan sees all that closed inserts did |
//! | CAS key | Release | load key |
//! | CAS state, go live | Release | load state |
//! | CAS state, debit | Release | forbids a load to be overtaken by it; see [`internals`](crate::internals) |
//! | CAS state, vacate | Release | load state: a helper that sees the slot vacant sees a header at least this new |
//! | CAS header, open and close | Release | load header |
//!
//! The invariants I1 to I8, and the model that kills each when it is broken, are in
//! [`internals`](crate::internals).

use crate::axis::Reading;
use crate::counters::Stripe;
use crate::limiter::OnFull;
use crate::sync::AtomicU64;
use crate::sync::Ordering::{Acquire, Relaxed, Release};
use crate::table::words::{Header, Key};
use crate::word::{Debit, Word};

/// What a caller wants of a bucket, in ticks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ask {
    pub(crate) now: Reading,
    /// More than 0 and at most `full`.
    pub(crate) cost: u64,
    pub(crate) full: u64,
}

/// What a set answers. Each carries the word that a decision is told from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub(crate) enum Answer {
    /// Paid: the bucket is this word now.
    Allowed(Word),
    /// Too few tokens in this word: the key's own or, where it has none and every slot owes, the
    /// one whose debt it would inherit.
    Denied(Word),
    /// No slot to be had, and the rule is to deny; this one will be the first to make room.
    NoRoom(Word),
    /// No slot to be had, and the rule is to let pass, unpaid.
    Unlimited,
}

/// How often an insert that others finished may find its bucket gone before it was paid for.
const ROUNDS: u32 = 8;

pub(crate) struct Set<const N: usize> {
    header: AtomicU64,
    slots: [Slot; N],
}

/// Key and state side by side, so that a slot never straddles a cache line.
#[repr(align(16))]
struct Slot {
    key: AtomicU64,
    state: AtomicU64,
}

/// The slot that a newcomer takes, as the scan found it.
struct Candidate {
    index: usize,
    key: Key,
    word: Word,
}

impl Answer {
    fn no_room(first: Word, on_full: OnFull) -> Answer {
        if on_full == OnFull::Allow { Answer::Unlimited } else { Answer::NoRoom(first) }
    }
}

impl Candidate {
    /// The word that the slot is handed over with: the newcomer starts with what it owes (I8).
    fn vacant(&self) -> Word {
        if self.word.is_live() { self.word.vacated() } else { self.word }
    }

    /// Whether the rule leaves the slot to its debtor.
    fn is_kept(&self, now: Reading, on_full: OnFull) -> bool {
        self.word.is_live() && !self.word.is_expired(now) && on_full != OnFull::Inherit
    }
}

impl Slot {
    fn new() -> Slot {
        Slot { key: AtomicU64::new(0), state: AtomicU64::new(Word::ZERO.bits()) }
    }

    #[inline]
    fn key(&self) -> Key {
        // Acquire: pairs with the Release of the key's CAS; the state seen next is no older than this key.
        Key::from_bits(self.key.load(Acquire))
    }

    #[inline]
    fn word(&self) -> Word {
        // Acquire: pairs with the Release that made this bucket live; debits continue its release sequence.
        Word::from_bits(self.state.load(Acquire))
    }

    /// The live word of `tag`'s bucket; `None` where this slot is another's or nobody's.
    #[inline]
    fn resident(&self, tag: u64) -> Option<Word> {
        loop {
            let key = self.key();
            if key.tag() != tag {
                return None;
            }
            let word = self.word();
            if !word.is_live() {
                return None;
            }
            // Relaxed: ordered by the Acquire of the state. The same key word, sequence included,
            // before and after: the word between belongs to this key (I7).
            if self.key.load(Relaxed) == key.bits() {
                return Some(word);
            }
        }
    }
}

impl<const N: usize> Default for Set<N> {
    fn default() -> Self {
        Set { header: AtomicU64::new(0), slots: std::array::from_fn(|_| Slot::new()) }
    }
}

impl<const N: usize> Set<N> {
    /// Debits the bucket of `tag` if it has one here.
    #[inline]
    pub(crate) fn debit_resident(&self, tag: u64, ask: &Ask) -> Option<Answer> {
        for slot in &self.slots {
            while let Some(word) = slot.resident(tag) {
                let Debit::Allowed(next) = word.debit(ask.now, ask.cost, ask.full) else {
                    return Some(Answer::Denied(word));
                };
                // Release: no load above moves below it. Success means that the very word examined
                // was still there, since none recurs (I1), so the debit is the key's own (I7).
                // Acquire on failure: the next look is no older than what it lost to.
                if slot.state.compare_exchange_weak(word.bits(), next.bits(), Release, Acquire).is_ok() {
                    return Some(Answer::Allowed(next));
                }
            }
        }
        None
    }

    /// Debits the bucket of `tag`, making one if there is none.
    ///
    /// A turn of the loop is in vain only if another operation on this set got further. Two inserts can do so to
    /// each other in turns: one is finished, unpaid, by the other, who then finds a full bucket and takes the slot before
    /// it is paid for. Each can be pushed aside so at most [`ROUNDS`] times; then it finds no room.
    #[cold]
    #[inline(never)]
    pub(crate) fn insert(&self, tag: u64, ask: &Ask, on_full: OnFull, counters: &Stripe) -> Answer {
        let mut rounds = ROUNDS;
        loop {
            let header = self.header();
            if header.is_open() {
                self.help(header);
                continue;
            }
            // Only after the header was seen closed does absence mean anything (I2).
            if let Some(answer) = self.debit_resident(tag, ask) {
                return answer;
            }
            let candidate = self.candidate();
            let (word, vacant) = (candidate.word, candidate.vacant());
            // Relaxed: ordered by the Acquire loads of the scan. Unchanged, the scan was a snapshot,
            // so the key is absent, the slot is the one that owes least, and no open insert made it live (I5).
            if self.header.load(Relaxed) != header.bits() {
                continue;
            }
            if rounds == 0 || candidate.is_kept(ask.now, on_full) {
                counters.no_room();
                return Answer::no_room(word, on_full);
            }
            let Debit::Allowed(next) = vacant.debit(ask.now, ask.cost, ask.full) else {
                return Answer::Denied(vacant);
            };
            // Release: a helper that sees the slot vacant must see a header at least as new as the one it opened under.
            if word.is_live() && !swap(&self.slots[candidate.index].state, word.bits(), vacant.bits()) {
                continue;
            }
            let open = header.opened(candidate.index, tag);
            // Release: a helper that sees it open must not see the slot's earlier live word. Over
            // the closed word seen before the scan (I2); the insert takes effect here or not at all.
            if !swap(&self.header, header.bits(), open.bits()) {
                continue;
            }
            counters.inserted(word, ask.now);
            if self.finish(open, candidate.key, vacant, next) {
                return Answer::Allowed(next);
            }
            // A helper made the bucket live first, unpaid: debit it like any other.
            rounds -= 1;
        }
    }

    /// The owner's part of an open insert: names the slot and makes it live, paid. False where a
    /// helper made it live first.
    fn finish(&self, open: Header, key: Key, vacant: Word, live: Word) -> bool {
        let slot = &self.slots[open.slot()];
        if key.tag() != open.tag() {
            // Release: pairs with the Acquire of loads of this key. If it fails, a helper did it: the old word never recurs.
            swap(&slot.key, key.bits(), key.rekeyed(open.tag()).bits());
        }
        // Release: pairs with the Acquire of loads of this state, which then see the key.
        let paid = swap(&slot.state, vacant.bits(), live.bits());
        self.close(open);
        paid
    }

    /// Finishes another's insert from the header alone; needs no clock. A helper that was stopped
    /// on the way does no harm: it looks at the header again before each change.
    fn help(&self, open: Header) {
        let slot = &self.slots[open.slot()];
        let key = slot.key();
        if key.tag() != open.tag() {
            if !self.still(open) {
                return;
            }
            // Release: pairs with the Acquire of loads of this key.
            swap(&slot.key, key.bits(), key.rekeyed(open.tag()).bits());
        }
        let word = slot.word();
        if !word.is_live() {
            if !self.still(open) {
                return;
            }
            // Release: pairs with the Acquire of loads of this state, which then see the key.
            swap(&slot.state, word.bits(), word.revived().bits());
        }
        self.close(open);
    }

    fn header(&self) -> Header {
        // Acquire: pairs with the Release of every earlier header CAS, so that a scan sees what it closed over.
        Header::from_bits(self.header.load(Acquire))
    }

    fn still(&self, open: Header) -> bool {
        // Relaxed: ordered by the Acquire load of the word about to be changed.
        self.header.load(Relaxed) == open.bits()
    }

    fn close(&self, open: Header) {
        // Release: who sees it closed sees the slot named and live. If it fails, another closed it.
        swap(&self.header, open.bits(), open.closed().bits());
    }

    /// The slot for a newcomer: the vacant one that owes least, else the live one that owes least.
    fn candidate(&self) -> Candidate {
        let look = |(index, slot): (usize, &Slot)| Candidate { index, key: slot.key(), word: slot.word() };
        let least =
            self.slots.iter().enumerate().map(look).min_by_key(|slot| (slot.word.is_live(), slot.word.full_at()));
        least.expect("a set has at least one slot")
    }

    /// What a debit would answer, give or take what others do meanwhile; writes nothing.
    pub(crate) fn preview(&self, tag: u64, ask: &Ask, on_full: OnFull) -> Answer {
        let word = match self.slots.iter().find_map(|slot| slot.resident(tag)) {
            Some(word) => word,
            None => {
                let candidate = self.candidate();
                if candidate.is_kept(ask.now, on_full) {
                    return Answer::no_room(candidate.word, on_full);
                }
                candidate.vacant()
            }
        };
        match word.debit(ask.now, ask.cost, ask.full) {
            Debit::Allowed(_) => Answer::Allowed(word),
            Debit::Denied => Answer::Denied(word),
        }
    }

    /// Slots whose bucket is less than full at `now`.
    pub(crate) fn owing(&self, now: Reading) -> usize {
        self.slots.iter().map(Slot::word).filter(|word| word.is_live() && word.full_at() > now.floor).count()
    }
}

#[cfg(catraca_loom)]
impl<const N: usize> Set<N> {
    /// The words, for a witness: header, then key and state of each slot.
    pub(crate) fn words(&self) -> impl Iterator<Item = &AtomicU64> {
        let slots = self.slots.iter().flat_map(|slot| [&slot.key, &slot.state]);
        std::iter::once(&self.header).chain(slots)
    }

    /// Opens an insert into a vacant slot and leaves it so.
    pub(crate) fn open(&self, slot: usize, tag: u64) -> bool {
        let header = self.header();
        let open = header.opened(slot, tag);
        // Release: as the open of an insert.
        !header.is_open() && swap(&self.header, header.bits(), open.bits())
    }
}

/// Changes a word from one value to another, publishing what came before; false if it was not that value.
fn swap(word: &AtomicU64, from: u64, to: u64) -> bool {
    // Release: the call says with what it pairs. Acquire on failure: pairs with the Release of the
    // change that it lost to, so that the next look is no older.
    word.compare_exchange(from, to, Release, Acquire).is_ok()
}
