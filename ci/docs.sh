#!/usr/bin/env bash
# The documentation, private items included, without a broken link.
set -euo pipefail
cd "$(dirname "$0")/.."
RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps --document-private-items
