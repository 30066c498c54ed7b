#!/usr/bin/env bash
# What the engine may depend on, and under which licences anything may come in.
set -euo pipefail
cd "$(dirname "$0")/.."
expected="ahash crossbeam-utils quanta"
actual=$(cargo tree --locked -p catraca -e normal --depth 1 --prefix none | tail -n +2 | cut -d' ' -f1 | sort | tr '\n' ' ')
if [ "${actual% }" != "$expected" ]; then
  echo "the engine depends on: ${actual}; only these were given a reason: $expected" >&2
  exit 1
fi
# The rims depend on the engine, never the other way round, and carry no loom.
if cargo tree --locked -p catraca -e normal --prefix none | grep -E '^(catraca-|loom)' >&2; then
  echo "an arrow runs back into the engine" >&2
  exit 1
fi
command -v cargo-deny >/dev/null || cargo install --locked --quiet cargo-deny --version 0.20.2
cargo deny --locked check bans licenses sources
