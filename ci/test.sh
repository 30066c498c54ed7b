#!/usr/bin/env bash
# Every check there is, each a script of its own beside this one, with the time it took.
#   ci/test.sh            all of them
#   ci/test.sh unit loom  these
set -euo pipefail
cd "$(dirname "$0")/.."

steps=("$@")
[ ${#steps[@]} -gt 0 ] || steps=(fmt clippy unit loom mutants fuzz docs benches deps)

summary=()
for step in "${steps[@]}"; do
  printf '\n== %s\n' "$step"
  start=$SECONDS
  bash "ci/$step.sh"
  summary+=("$(printf '%-8s %4d s' "$step" $((SECONDS - start)))")
done
printf '\n== all passed\n'
printf '%s\n' "${summary[@]}"
