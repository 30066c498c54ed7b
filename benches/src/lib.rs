//! What the benches share: keys, the floor, contestants, and the tool's way of measuring.
//!
//! A [`Contest`](contest::Contest) is a sequence of keys and several ways to decide it. Criterion's benches run its
//! contestants one after the other; the `ratios` tool runs them in turns, so that their ratios hold
//! on a machine whose speed drifts.

pub mod contest;
pub mod crowd;
pub mod floor;
pub mod keys;
pub mod machine;
pub mod measure;
pub mod report;
