//! The two words that say whose slot it is: the key word of a slot and the header of a set.
//!
//! ```text
//! key     tag 40 | sequence 24                    the sequence counts the changes of this word
//! header  tag 40 | slot 4 | OPEN 1 | version 19   closed, it still names the last insert
//! ```
//!
//! Neither recurs: a key word after 2^24 changes of its slot, a header after 2^19 inserts into its
//! set of which the last is of the same tag into the same slot, both within one operation of a stalled thread.

const SEQUENCE: u64 = (1 << 24) - 1;
const SLOT_SHIFT: u32 = 20;
const OPEN: u64 = 1 << 19;
const VERSION: u64 = OPEN - 1;

/// What tells the keys of one set apart: the upper 40 bits of their hash, where they stand in a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Tag(u64);

impl Tag {
    #[inline]
    pub(crate) const fn of(hash: u64) -> Tag {
        Tag(hash & !SEQUENCE)
    }

    /// The slot of `slots` in which this tag is looked for first.
    #[inline]
    pub(super) const fn preferred(self, slots: usize) -> usize {
        // Down: the upper 24 bits, as a fraction of 2^24, of the slots.
        (((self.0 >> 40) * slots as u64) >> 24) as usize
    }

    #[cfg(catraca_loom)]
    pub(crate) const fn bits(self) -> u64 {
        self.0
    }
}

/// Whose bucket a slot holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Key(u64);

impl Key {
    #[inline]
    pub(crate) const fn from_bits(bits: u64) -> Key {
        Key(bits)
    }

    #[inline]
    pub(super) const fn bits(self) -> u64 {
        self.0
    }

    #[cfg(catraca_loom)]
    pub(crate) const fn tag(self) -> Tag {
        Tag::of(self.0)
    }

    #[inline]
    pub(super) const fn is_of(self, tag: Tag) -> bool {
        // The same upper bits leave nothing above the sequence.
        self.0 ^ tag.0 <= SEQUENCE
    }

    /// The next key word of this slot, for another tag.
    pub(super) const fn rekeyed(self, tag: Tag) -> Key {
        Key(tag.0 | self.0.wrapping_add(1) & SEQUENCE)
    }
}

/// The state of inserts into a set. Open, it means "this tag goes into this slot": unconditional,
/// and anybody can finish it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Header(u64);

impl Header {
    pub(crate) const fn from_bits(bits: u64) -> Header {
        Header(bits)
    }

    pub(super) const fn bits(self) -> u64 {
        self.0
    }

    pub(crate) const fn is_open(self) -> bool {
        self.0 & OPEN != 0
    }

    pub(crate) const fn tag(self) -> Tag {
        Tag::of(self.0)
    }

    pub(crate) const fn slot(self) -> usize {
        (self.0 >> SLOT_SHIFT & 0xf) as usize
    }

    /// This closed header opened for an insert.
    pub(super) const fn opened(self, slot: usize, tag: Tag) -> Header {
        debug_assert!(!self.is_open() && slot <= 0xf);
        Header(tag.0 | (slot as u64) << SLOT_SHIFT | OPEN | self.0 & VERSION)
    }

    /// This open header closed: the next version.
    pub(super) const fn closed(self) -> Header {
        debug_assert!(self.is_open());
        Header(self.0 & !(OPEN | VERSION) | self.0.wrapping_add(1) & VERSION)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAST: Tag = Tag::of(!0);

    #[test]
    fn a_key_word_counts_its_changes() {
        let first = Key::from_bits(0).rekeyed(LAST);
        assert!(first.is_of(LAST) && first.bits() & SEQUENCE == 1);
        let wrapped = Key::from_bits(!0).rekeyed(Tag::of(1 << 24));
        assert_eq!(wrapped.bits(), 1 << 24);
        assert!(!wrapped.is_of(LAST) && !first.is_of(Tag::of(0)));
    }

    #[test]
    fn a_header_keeps_its_fields_apart() {
        let open = Header::from_bits(0).opened(15, LAST);
        assert!(open.is_open() && open.slot() == 15 && open.tag() == LAST);
        let closed = open.closed();
        assert!(!closed.is_open() && closed.slot() == 15 && closed.tag() == LAST);
        assert_ne!(closed.opened(15, LAST), open);
        let wrapped = Header::from_bits(!0).closed();
        assert_eq!((wrapped.bits() & VERSION, wrapped.slot(), wrapped.tag()), (0, 15, LAST));
    }
}
