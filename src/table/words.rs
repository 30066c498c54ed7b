//! The two words that say whose slot it is: the key word of a slot and the header of a set.
//!
//! ```text
//! key     sequence 24 | tag 40               the sequence counts the changes of this word
//! header  version 19 | OPEN 1 | slot 4 | tag 40   closed, it still names the last insert
//! ```
//!
//! Neither recurs: a key word after 2^24 changes of its slot, a header after 2^19 inserts into its
//! set of which the last is of the same tag into the same slot, both within one operation of a stalled thread.

const TAG_BITS: u32 = 40;
const TAG: u64 = (1 << TAG_BITS) - 1;
const SLOT_BITS: u32 = 4;
const OPEN: u64 = 1 << (TAG_BITS + SLOT_BITS);

/// The part of a hash that tells the keys of one set apart. The set is picked by the upper half of the hash;
/// below 2^24 sets that part shares no bit with the tag.
#[inline]
pub(super) const fn tag(hash: u64) -> u64 {
    hash & TAG
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

    #[inline]
    pub(crate) const fn tag(self) -> u64 {
        self.0 & TAG
    }

    /// The next key word of this slot, for another tag.
    pub(super) const fn rekeyed(self, tag: u64) -> Key {
        let next = (self.0 & !TAG).wrapping_add(TAG + 1); // the sequence wraps within its own bits
        Key(next | tag)
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

    pub(crate) const fn tag(self) -> u64 {
        self.0 & TAG
    }

    pub(crate) const fn slot(self) -> usize {
        (self.0 >> TAG_BITS) as usize & ((1 << SLOT_BITS) - 1)
    }

    /// This closed header opened for an insert.
    pub(super) const fn opened(self, slot: usize, tag: u64) -> Header {
        debug_assert!(!self.is_open() && slot < 1 << SLOT_BITS && tag <= TAG);
        let version = self.0 & !(OPEN | (OPEN - 1));
        Header(version | OPEN | (slot as u64) << TAG_BITS | tag)
    }

    /// This open header closed: the next version.
    pub(super) const fn closed(self) -> Header {
        debug_assert!(self.is_open());
        Header((self.0 - OPEN).wrapping_add(OPEN << 1)) // the version wraps within its own bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_word_counts_its_changes() {
        let first = Key::from_bits(0).rekeyed(TAG);
        assert_eq!((first.tag(), first.bits() >> TAG_BITS), (TAG, 1));
        let last = Key::from_bits(!0).rekeyed(5);
        assert_eq!((last.tag(), last.bits() >> TAG_BITS), (5, 0));
    }

    #[test]
    fn a_header_keeps_its_fields_apart() {
        let open = Header::from_bits(0).opened(15, TAG);
        assert!(open.is_open() && open.slot() == 15 && open.tag() == TAG);
        let closed = open.closed();
        assert!(!closed.is_open() && closed.slot() == 15 && closed.tag() == TAG);
        assert_ne!(closed.opened(15, TAG), open);
        let last = Header::from_bits(!0).closed();
        assert_eq!(last.bits() >> (TAG_BITS + SLOT_BITS), 0);
    }
}
