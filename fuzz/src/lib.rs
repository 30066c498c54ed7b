//! Properties of catraca, held against an exact oracle.
//!
//! - [`oracle`]: the token bucket of the textbooks, in exact arithmetic. [`lattice`] says where the engine rounds,
//!   [`crowd`] what a crowded table does, [`twin`] holds a decision against them.
//! - [`input`]: quotas, costs and moments, biased to boundaries.
//! - [`quota`], [`text`], [`bucket`], [`table`]: the properties. Each takes bytes, so that the same code serves
//!   cargo-fuzz (`fuzz_targets/`), proptest on stable (`tests/properties.rs`) and the replay of what was once
//!   found (`regressions/`, `tests/regressions.rs`).
//!
//! A property panics where it does not hold. It returns a [`tally::Tally`] of what it went through.

pub mod bucket;
pub mod crowd;
pub mod input;
pub mod lattice;
pub mod oracle;
pub mod quota;
pub mod table;
pub mod tally;
pub mod text;
pub mod twin;

use tally::Tally;

/// A property by its name: it plays bytes as its input, and returns `None` if they are none.
pub type Target = (&'static str, fn(&[u8]) -> Option<Tally>);

/// Every property.
pub const TARGETS: [Target; 4] = [
    ("quota", quota::check_bytes),
    ("text", text::check_bytes),
    ("bucket", bucket::check_bytes),
    ("table", table::check_bytes),
];
