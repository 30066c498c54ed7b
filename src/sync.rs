//! The only place that imports atomics.
//!
//! What the models explore is [`AtomicU64`]: the standard one, or under `cfg(catraca_loom)` loom's
//! with a witness. [`plain`] holds atomics that order nothing (statistics, clocks); no model explores them.

pub(crate) use std::sync::atomic::Ordering;

#[cfg(not(catraca_loom))]
pub(crate) use std::sync::atomic::AtomicU64;

#[cfg(catraca_loom)]
pub(crate) use crate::model::AtomicU64;

/// Atomics for which a relaxed access is enough: each is a lone number that publishes nothing else.
pub(crate) mod plain {
    pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64};
}
