//! `cargo fuzz run table`: see [`catraca_fuzz::table`]. Without cargo-fuzz this is an empty program.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = catraca_fuzz::table::check_bytes(bytes);
});

#[cfg(not(fuzzing))]
fn main() {}
