#!/usr/bin/env bash
# Breaks the protocol in every way listed in loom-tests/mutants/mutants.toml; a model must notice each.
#   ci/mutants.sh                 all
#   ci/mutants.sh open-stores     by name
set -euo pipefail
cd "$(dirname "$0")/.."
cargo run --locked --quiet --manifest-path loom-tests/mutants/Cargo.toml --target-dir target/mutants-tool -- "$@"
