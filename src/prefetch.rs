//! A hint to fetch memory ahead of its use: the one place in the engine with `unsafe`.
//!
//! Reading the TSC holds back the loads that follow it. Asking for a bucket's lines before the clock
//! is read hides most of a cache miss behind that read; `BENCHMARKS.md` has the figures.

/// Asks for the two cache lines of a 128-byte value. Changes nothing that a program can observe.
#[inline(always)]
#[allow(unsafe_code)]
pub(crate) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let line = std::ptr::from_ref(value).cast::<i8>();
        // SAFETY: a prefetch of any address whatever neither faults nor changes memory.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(line);
            _mm_prefetch::<_MM_HINT_T0>(line.wrapping_add(64));
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
