#!/usr/bin/env bash
# Unit, integration, property and documentation tests: with debug assertions, then as released.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo test --locked --workspace
cargo test --locked --workspace --release --lib --bins --tests
