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
use crate::table::words::{Header, Key, Tag};
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

#[repr(C)]
pub(crate) struct Set<const N: usize> {
    header: AtomicU64,
    slots: [Slot; N],
}

/// Key and state side by side on one cache line.
#[repr(align(16))]
struct Slot {
    key: AtomicU64,
    state: AtomicU64,
}

/// The slot that a newcomer takes, as the scan found it.
struct Candidate {
    slot: usize,
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
    #[inline(always)]
    fn resident(&self, tag: Tag) -> Option<Word> {
        loop {
            let key = self.key();
            if !key.is_of(tag) {
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

    #[inline(always)]
    fn debit(&self, tag: Tag, ask: &Ask) -> Option<Answer> {
        while let Some(word) = self.resident(tag) {
            let Debit::Allowed(next) = word.debit(ask.now, ask.cost, ask.full) else {
                return Some(Answer::Denied(word));
            };
            // Release: no load above moves below it. Success means that the very word examined was
            // still there, since none recurs (I1), so the debit is the key's own (I7).
            // Acquire on failure: the next look is no older than what it lost to.
            if self.state.compare_exchange_weak(word.bits(), next.bits(), Release, Acquire).is_ok() {
                return Some(Answer::Allowed(next));
            }
        }
        None
    }
}

impl<const N: usize> Default for Set<N> {
    fn default() -> Self {
        let zeroed = |_| Slot { key: AtomicU64::new(0), state: AtomicU64::new(Word::ZERO.bits()) };
        Set { header: AtomicU64::new(0), slots: std::array::from_fn(zeroed) }
    }
}

impl<const N: usize> Set<N> {
    /// Debits the bucket of `tag` if it lives in the slot that its hash prefers, as most do.
    ///
    /// The address of that slot is known before any memory is, so the processor goes on to the next
    /// decision while this one waits for memory. Kept small, to be inlined: instructions are what a hit costs.
    #[inline(always)]
    pub(crate) fn debit_preferred(&self, tag: Tag, ask: &Ask) -> Option<Answer> {
        let preferred = tag.preferred(N);
        match self.slots[preferred].debit(tag, ask) {
            None => self.slots[neighbour::<N>(preferred)].debit(tag, ask),
            answer => answer,
        }
    }

    /// Debits the bucket of `tag` wherever it lives, making one if there is none. Takes an [`Ask`] in parts, in
    /// registers: a hit elsewhere would otherwise pay for keeping it in memory.
    #[inline(never)]
    pub(crate) fn debit_elsewhere(
        &self,
        tag: Tag,
        now: Reading,
        cost: u64,
        full: u64,
        on_full: OnFull,
        counters: &Stripe,
    ) -> Answer {
        let ask = Ask { now, cost, full };
        match self.debit_resident(tag, &ask) {
            Some(answer) => answer,
            None => self.insert(tag, &ask, on_full, counters),
        }
    }

    /// Debits the bucket of `tag` if it has one here.
    fn debit_resident(&self, tag: Tag, ask: &Ask) -> Option<Answer> {
        // A bit for each slot that bears the tag: no branch to be mistaken about until all are compared.
        let mut bearing = 0_u32;
        for (index, slot) in self.slots.iter().enumerate() {
            bearing |= u32::from(slot.key().is_of(tag)) << index;
        }
        while bearing != 0 {
            let index = bearing.trailing_zeros() as usize;
            if let Some(answer) = self.slots[index].debit(tag, ask) {
                return Some(answer);
            }
            bearing &= bearing - 1;
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
    fn insert(&self, tag: Tag, ask: &Ask, on_full: OnFull, counters: &Stripe) -> Answer {
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
            let candidate = self.candidate(tag, ask.now);
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
                counters.denied_on_debt();
                return Answer::Denied(vacant);
            };
            // Release: a helper that sees the slot vacant must see a header at least as new as the one it opened under.
            if word.is_live() && !swap(&self.slots[candidate.slot].state, word.bits(), vacant.bits()) {
                continue;
            }
            let open = header.opened(candidate.slot, tag);
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
        if !key.is_of(open.tag()) {
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
        if !key.is_of(open.tag()) {
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

    /// The slot for a newcomer: a vacant one, else the one that has been full longest, else the one that owes least. Of
    /// vacant ones never used the one nearest to where `tag` is looked for first. Never an expired one
    /// while there is a vacant one, or two keys that prefer one slot would push each other out for ever.
    fn candidate(&self, tag: Tag, now: Reading) -> Candidate {
        let preferred = tag.preferred(N);
        let look = |slot: usize| Candidate { slot, key: self.slots[slot].key(), word: self.slots[slot].word() };
        // One number, compared without branches: what the slot is, how much it owes, how far away it is.
        let rank = |candidate: &Candidate| {
            let Candidate { slot, word, .. } = *candidate;
            let kind = u128::from(word.is_live()) + u128::from(word.is_live() && !word.is_expired(now));
            let away =
                u128::from(slot != preferred) + u128::from(slot != preferred && slot != neighbour::<N>(preferred));
            kind << 66 | u128::from(word.full_at()) << 2 | away
        };
        let least = (0..N).map(look).min_by_key(rank);
        least.expect("a set has at least one slot")
    }

    /// What a debit would answer, give or take what others do meanwhile; writes nothing.
    pub(crate) fn preview(&self, tag: Tag, ask: &Ask, on_full: OnFull) -> Answer {
        let word = match self.slots.iter().find_map(|slot| slot.resident(tag)) {
            Some(word) => word,
            None => {
                let candidate = self.candidate(tag, ask.now);
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

    /// Begins an insert into a slot, whatever it owes, and leaves it open and unpaid.
    pub(crate) fn open(&self, slot: usize, tag: Tag) -> bool {
        let header = self.header();
        let word = self.slots[slot].word();
        // Release: as the vacating and the opening of an insert.
        !header.is_open()
            && (!word.is_live() || swap(&self.slots[slot].state, word.bits(), word.vacated().bits()))
            && swap(&self.header, header.bits(), header.opened(slot, tag).bits())
    }
}

/// Slots on the first cache line, beside the header; the others are on the second.
const FIRST_LINE: usize = 3;

/// The slot after this one, round and round on its cache line.
const fn neighbour<const N: usize>(slot: usize) -> usize {
    match slot + 1 {
        FIRST_LINE => 0,
        next if next == N => {
            if N > FIRST_LINE {
                FIRST_LINE
            } else {
                0
            }
        }
        next => next,
    }
}

/// Changes a word from one value to another, publishing what came before; false if it was not that value.
fn swap(word: &AtomicU64, from: u64, to: u64) -> bool {
    // Release: the call says with what it pairs. Acquire on failure: pairs with the Release of the
    // change that it lost to, so that the next look is no older.
    word.compare_exchange(from, to, Release, Acquire).is_ok()
}
