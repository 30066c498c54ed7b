//! The properties on stable, over inputs that proptest makes up.

use catraca_fuzz::tally::Tally;
use catraca_fuzz::{bucket, quota, table, text};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng};

/// Cases of each property; `PROPTEST_CASES` says otherwise.
fn config() -> ProptestConfig {
    // What is found goes to `regressions/` by hand, where cargo-fuzz looks too.
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { ProptestConfig::default().cases } else { 1_000 };
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Bytes enough for some fifty steps.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..1_200)
}

/// Texts that are nearly right.
const NEARLY: &str = "[ ]?[0-9]{0,21}[.]?[0-9]{0,3}( per |/| / |per)[ ]?[0-9]{0,5}[ ]?\
    (ns|us|µs|ms|s|sec|seconds|min|m|hour|h|day|d|week|w|year|y|years|x|)[,]?( ?burst ?[+]?[0-9]{0,21})?[ ]?";

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_quota_holds_what_it_promises(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        quota::check_bytes(&bytes);
    }

    #[test]
    fn no_text_is_too_strange(text in prop_oneof![NEARLY, ".*"]) {
        let _ = text::check(&text);
    }

    #[test]
    fn a_bucket_is_its_oracle(bytes in bytes()) {
        bucket::check_bytes(&bytes);
    }

    #[test]
    fn a_table_is_its_model(bytes in bytes()) {
        table::check_bytes(&bytes);
    }
}

/// Sums up a property over inputs that are the same in every run.
fn census(cases: u32, longest: usize, check: fn(&[u8]) -> Option<Tally>) -> Tally {
    let mut random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut sum = Tally::default();
    for _ in 0..cases {
        let length = random.next_u64() as usize % longest;
        let bytes: Vec<u8> = (0..length).map(|_| random.next_u32() as u8).collect();
        sum += check(&bytes).unwrap_or_default();
    }
    sum
}

#[test]
fn quotas_of_both_kinds_are_made_up() {
    let sum = census(1_000, 64, quota::check_bytes);
    assert!(sum.accepted > 100 && sum.refused > 100, "{sum:?}");
}

#[test]
fn buckets_go_through_everything() {
    let sum = census(300, 1_200, bucket::check_bytes);
    assert!(sum.inputs > 200 && sum.allowed > 1_000 && sum.denied > 1_000, "{sum:?}");
    assert!(sum.exact > 1_000 && sum.bounded > 100 && sum.late > 0, "{sum:?}");
    assert!(sum.stale > 100 && sum.waits > 500, "{sum:?}");
    println!("{sum:?}");
}

#[test]
fn tables_go_through_everything() {
    let sum = census(600, 2_400, table::check_bytes);
    assert!(sum.inputs > 400 && sum.allowed > 1_000 && sum.denied > 1_000, "{sum:?}");
    assert!(sum.exact > 1_000 && sum.bounded > 100 && sum.stale > 100 && sum.waits > 1_000, "{sum:?}");
    assert!(sum.recycled > 100 && sum.inherited > 100 && sum.turned_away > 100 && sum.unlimited > 100, "{sum:?}");
}
