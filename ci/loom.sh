#!/usr/bin/env bash
# The models of the protocol, under every interleaving up to the bound written in each.
#   ci/loom.sh                      all
#   ci/loom.sh --test insert two    one file, by name
set -euo pipefail
cd "$(dirname "$0")/.."
RUSTFLAGS="--cfg catraca_loom" cargo test --locked --manifest-path loom-tests/Cargo.toml --target-dir target/loom "$@"
