//! A naive set of a table: what [`Limiter`](catraca::Limiter) documents about room, with an oracle in each slot.
//!
//! There are seven slots. A key that has one keeps it until another takes it. A newcomer takes a slot that was
//! never used, else that of whoever has been full the longest or owes least. (Any other choice mints: a clock that runs
//! back would find the debt of the one who had to go in none of the slots.) A bucket past full makes room under any
//! rule; one that owes does so under `Inherit` only, and hands over its debt and a tick.

use catraca::{Counters, OnFull, Quota, Timestamp};

use crate::oracle::Oracle;

/// Slots in a set.
pub const SLOTS: usize = 7;

/// The set.
#[derive(Clone, Debug)]
pub struct Crowd {
    slots: Vec<Slot>,
    new: Oracle,
    tick: i128,
    on_full: OnFull,
    /// What the engine is to have counted.
    pub counters: Counts,
}

/// The engine's [`Counters`], which cannot be made here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// See [`Counters::inserted`].
    pub inserted: u64,
    /// See [`Counters::recycled`].
    pub recycled: u64,
    /// See [`Counters::inherited`].
    pub inherited: u64,
    /// See [`Counters::no_room`].
    pub no_room: u64,
    /// See [`Counters::denied_on_debt`].
    pub denied_on_debt: u64,
}

impl From<Counters> for Counts {
    fn from(counters: Counters) -> Counts {
        let Counters { inserted, recycled, inherited, no_room, denied_on_debt, .. } = counters;
        Counts { inserted, recycled, inherited, no_room, denied_on_debt }
    }
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    key: u8,
    bucket: Oracle,
}

/// Which bucket judges a key.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// This one: the key's own, or the one that it starts with.
    Bucket(Oracle),
    /// None: every slot owes. This one will be the first to make room.
    NoRoom(Oracle),
}

enum Spot {
    Own(usize),
    Unused,
    Taken(usize),
    Kept(usize),
}

impl Crowd {
    /// An empty set. `tick` is what a slot gains when it changes hands, in parts.
    #[must_use]
    pub fn new(quota: &Quota, on_full: OnFull, tick: i128) -> Crowd {
        let new = Oracle::new(quota);
        Crowd { slots: Vec::new(), new, tick, on_full, counters: Counts::default() }
    }

    /// The bucket that would judge `key`.
    #[must_use]
    pub fn place(&self, key: u8, now: Timestamp) -> Place {
        match self.spot(key, now) {
            Spot::Own(index) => Place::Bucket(self.slots[index].bucket),
            Spot::Unused => Place::Bucket(self.new),
            Spot::Taken(index) => Place::Bucket(self.burdened(index)),
            Spot::Kept(index) => Place::NoRoom(self.slots[index].bucket),
        }
    }

    /// Parts that a slot gains when it changes hands.
    #[must_use]
    pub fn tick(&self) -> i128 {
        self.tick
    }

    /// Whoever asked found no room.
    pub fn turn_away(&mut self) {
        self.counters.no_room += 1;
    }

    /// `key` was denied by the bucket that judged it, which may not be its own.
    pub fn denied(&mut self, key: u8, now: Timestamp) {
        if matches!(self.spot(key, now), Spot::Taken(_)) {
            self.counters.denied_on_debt += 1;
        }
    }

    /// The bucket that judged `key` is this one now: it has paid.
    pub fn paid(&mut self, key: u8, now: Timestamp, bucket: Oracle) {
        match self.spot(key, now) {
            Spot::Own(index) => self.slots[index].bucket = bucket,
            Spot::Unused => {
                self.counters.inserted += 1;
                self.slots.push(Slot { key, bucket });
            }
            Spot::Taken(index) => {
                self.counters.inserted += 1;
                let is_full = is_past_full(&self.slots[index].bucket, now);
                *if is_full { &mut self.counters.recycled } else { &mut self.counters.inherited } += 1;
                self.slots[index] = Slot { key, bucket };
            }
            Spot::Kept(_) => panic!("{key} paid without a slot"),
        }
    }

    /// Buckets less than full.
    #[must_use]
    pub fn owing(&self, now: Timestamp) -> usize {
        self.slots.iter().filter(|slot| slot.bucket.unbounded_at(now) < slot.bucket.full()).count()
    }

    /// Slots that were ever used.
    #[must_use]
    pub fn occupied(&self) -> usize {
        self.slots.len()
    }

    fn spot(&self, key: u8, now: Timestamp) -> Spot {
        let slots = &self.slots;
        if let Some(index) = slots.iter().position(|slot| slot.key == key) {
            return Spot::Own(index);
        }
        if slots.len() < SLOTS {
            return Spot::Unused;
        }
        // Who would hold most if there were no lid owes least, at whatever moment they are compared.
        let least = (0..SLOTS).min_by_key(|index| -slots[*index].bucket.unbounded_at(now)).unwrap_or(0);
        if self.on_full == OnFull::Inherit || is_past_full(&slots[least].bucket, now) {
            Spot::Taken(least)
        } else {
            Spot::Kept(least)
        }
    }

    fn burdened(&self, index: usize) -> Oracle {
        let mut bucket = self.slots[index].bucket;
        bucket.burden(self.tick);
        bucket
    }
}

/// Whether a bucket has been full for some time, however short.
fn is_past_full(bucket: &Oracle, now: Timestamp) -> bool {
    bucket.unbounded_at(now) > bucket.full()
}
