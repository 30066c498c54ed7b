//! What the models share: the ghost, which watches every word, and the runner, which says how far
//! a model was explored.
//!
//! A model is a small program on two or three threads that loom runs under every interleaving and every value
//! that the memory model lets a load return, up to the bound written in the model. Loom explores no
//! spurious failure of a weak compare-and-swap (the engine's shim adds them), no load buffering, and treats SeqCst
//! accesses as AcqRel (the engine has none).

#[cfg(not(catraca_loom))]
compile_error!("the models need `--cfg catraca_loom`: run `ci/loom.sh`");

#[cfg(catraca_loom)]
mod ghost;
#[cfg(catraca_loom)]
mod run;

#[cfg(catraca_loom)]
pub use ghost::{Ghost, Shared, ask, under};
#[cfg(catraca_loom)]
pub use run::{Bound, Outcomes, explore};
