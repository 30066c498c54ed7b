#!/usr/bin/env bash
# Clippy, warnings denied, in every package and under every cfg.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo clippy --locked --workspace --all-targets -- -D warnings
cargo clippy --locked --manifest-path benches/Cargo.toml --all-targets --target-dir target/benches -- -D warnings
cargo clippy --locked --manifest-path loom-tests/mutants/Cargo.toml --target-dir target/mutants-tool -- -D warnings
RUSTFLAGS="--cfg catraca_loom" \
  cargo clippy --locked --manifest-path loom-tests/Cargo.toml --all-targets --target-dir target/loom -- -D warnings
