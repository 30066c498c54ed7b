//! How the engine works and why that can be believed. An essay for maintainers; there is no code here.
//!
//! # One axis, one word
//! A token bucket is two numbers, tokens and the time they were last counted. Measured in the same unit, the *tick*,
//! they are one: the tick at which the bucket is full again. A word is that tick and a bit:
//!
//! ```text
//! word        = full_at << 1 | LIVE
//! tokens(now) = full - max(0, full_at - now)
//! admit cost  iff  max(full_at, now) + cost <= now + full       then  full_at' = max(full_at, now) + cost
//! ```
//!
//! (`word.rs`.) It is the generic cell rate algorithm of ITU-T I.371, appendix I, and admits exactly what the token
//! bucket in two numbers does. Refilling is no operation at all, so there is no remainder to carry and no drift.
//!
//! **The tick** (`axis.rs`) is chosen per quota. A rate of `p` tokens in `q` nanoseconds has a lattice on which
//! nothing is rounded: `p` ticks a nanosecond, `q` a token. 63 bits hold it for 36 years where `p` is at most 7 or
//! so, which it is for 5/s, 100/min, 1000/h, 1/day, 10^6/s. Elsewhere the lattice is thinned, so that whole
//! microseconds, milliseconds or at least seconds stay exact. Where a reading falls between two ticks, what may be spent
//! is counted from the earlier and what was spent is booked from the later one: at most two ticks late, never early.
//!
//! **A word only grows**, and that carries everything else: no value recurs, so a compare-and-swap succeeds only on
//! the very word that was examined; a clock that runs back refills nothing; zeroed memory is a full bucket; a stale
//! word never refuses what the present one would admit.
//!
//! # The table
//! A fixed array of sets. The hash of a key gives the set, the tag (40 bits that tell keys of one set apart) and the slot that
//! the key prefers. A set fills two cache lines: a header and seven slots of a key word and a state word
//! (`table/set.rs`, `table/words.rs`).
//!
//! A **hit** reads key, state and key again, and changes the state by one compare-and-swap, or, denied, by none. It
//! looks at the preferred slot and its neighbour on the same line, and only then at all of them. The address of the
//! first look depends on the hash alone, so the processor overlaps the cache misses of several decisions.
//!
//! An **insert** scans the set under a closed header, chooses a slot that is vacant or expired, or else owes least,
//! vacates it, and opens the header: from that moment the insert has happened, and whoever passes can finish it from
//! the header alone. Finishing is naming the slot, making it live, and closing the header. The owner's live word has its debit in it;
//! a helper's has not, and the owner then debits the bucket like any other.
//!
//! Two inserts into the same crowded set can push each other aside in turns, each finishing the other's bucket, finding it full and
//! unpaid for, and recycling it. (A model found this.) After eight such rounds an insert gives up and answers as if there were no room.
//!
//! # Invariants
//! Names in the last column are models in `loom-tests/tests`, or mutants in `loom-tests/mutants` that break the claim.
//! Every model is watched by the *ghost*, a sequential shadow updated in the same step as each change of a word, which
//! asserts I1 to I8 at every change, and that every refusal was right at some moment of the call.
//!
//! | | claim | seen to fail as |
//! |---|---|---|
//! | I1 | every word is changed by compare-and-swap only, and takes no value twice (but for the wrap of sequence and version) | `debit-stores`, `vacate-stores`, `key-without-sequence`, `header-without-version`, `vacating-keeps-the-word-equal` |
//! | I2 | the header opens only over the closed word whose scan saw the tag nowhere live and the slot vacant | `look-before-header`, `no-second-look`, `header-load-relaxed`, `debtor-not-vacated` |
//! | I3 | while the header is closed no slot goes live and no key changes; while it is open, only in its slot | `open-header-ignored`, `helper-only-closes`, `helper-never-looks-before-state` |
//! | I4 | a key changes only while its slot is vacant and the header names it | `live-before-key`, `helper-never-looks-before-key` |
//! | I5 | a slot is vacated only after the insert that made it live has closed | `no-look-at-header-after-scan` |
//! | I6 | a tag is live in at most one slot | `one_new_key_never_lives_in_two_slots` |
//! | I7 | a debit hits its own key's bucket | `no-key-recheck`, `key-load-relaxed`, `state-load-relaxed`, `owner-state-relaxed` |
//! | I8 | eviction never mints: a bucket never owes less than an exact table without bounds has it | `newcomer-starts-full`, `expiry-not-strict`, `an_evicted_key_comes_back_with_its_debt` |
//! | | granted + left = initial + refilled | `two_threads_lose_no_debit`, `three_threads_lose_no_debit`, `a_refill_is_granted_once` |
//! | | a clock that lags or falls between ticks mints nothing | `a_clock_that_lags_on_one_thread_mints_nothing`, `refill-rounds-up`, `newcomer-rounds-down`, `stale-clock-refills` |
//! | | a stopped thread stops nobody | `an_insert_that_never_returns_is_finished_by_others`, `a_stalled_helper_does_no_harm`, `a_stalled_owner_finds_its_bucket_made_and_gone` |
//!
//! # Orderings
//! The table of orderings stands at the head of `table/set.rs`; each operation names its own there. The single
//! [`Bucket`](crate::Bucket) is relaxed throughout: one word, and nothing else is read on its account.
//!
//! Four are stronger than any model shows to be needed, and kept; on x86 none costs an instruction. *Release on a debit*
//! forbids a load to be overtaken by the write (load buffering), which loom does not explore. *Release on a helper's going
//! live* mirrors the owner's, whose mutant is caught; no model of ours catches the helper's. *Release on a helper's
//! change of a key*, and the *sequence in the second look at a key*, guard a reader against a stale state; but a stale word
//! refuses nothing that the present one would admit, and cannot be swapped, so the reader loses nothing without them.
//!
//! # What loom cannot show
//! Spurious failure of a weak exchange (the models' shim adds it), load buffering, and tables of more than two slots or
//! four operations. For those there are the stress tests with real threads (`tests/stress.rs`), and the fuzz targets, which
//! hold sequences of operations against exact rational arithmetic (`fuzz/`).
