#!/usr/bin/env bash
# The benches compile. To run them, see BENCHMARKS.md.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo check --locked --manifest-path benches/Cargo.toml --all-targets --target-dir target/benches
