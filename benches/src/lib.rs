//! What the benches share: keys to ask for, the floor to be held against, and the peers.

pub mod contestants;
pub mod keys;
