#!/usr/bin/env bash
# Every fuzz target for a short while, from the committed regressions on. For longer: ci/fuzz.sh 600
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-15}
command -v cargo-fuzz >/dev/null || cargo install --locked --quiet cargo-fuzz --version 0.13.2
# A nightly toolchain if there is one; else the stable compiler, told to accept the sanitizer's flags.
if cargo +nightly --version >/dev/null 2>&1; then
  fuzz=(cargo +nightly fuzz run)
else
  export RUSTC_BOOTSTRAP=1
  fuzz=(cargo fuzz run -s none)
fi
for target in quota text bucket table; do
  corpus="target/fuzz-corpus/$target"
  log="target/fuzz-corpus/$target.log"
  mkdir -p "$corpus"
  if ! "${fuzz[@]}" --target-dir target/fuzz "$target" "$corpus" "fuzz/regressions/$target" -- \
    -max_total_time="$seconds" -print_final_stats=1 >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    exit 1
  fi
  echo "fuzz $target: $(grep -E '^Done' "$log")"
done
