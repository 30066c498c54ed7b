#!/usr/bin/env bash
# The one format, in every package.
set -euo pipefail
cd "$(dirname "$0")/.."
for manifest in Cargo.toml benches/Cargo.toml loom-tests/Cargo.toml loom-tests/mutants/Cargo.toml; do
  cargo fmt --manifest-path "$manifest" --all -- --check
done
