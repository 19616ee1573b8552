#!/bin/bash
# Repeats the unit tests beside four busy loops, each time in another order: a test that fails by chance fails here.
# Every failure is a defect, of the test or of the code. Prints each failed run's seed and output; exits 1 if any failed.
# Usage: tests/stress.sh [TIMES [PRESET [DOCTEST OPTION…]]]     (20, release; in the toolchain's container: make stress)
set -euo pipefail
[ "${1:-}" != --help ] || { sed -n '2,4s/^# \?//p' "$0"; exit; }
cd "$(dirname "$0")/.."
times=${1:-20} preset=${2:-release}
shift $(($# < 2 ? $# : 2))
[[ $times =~ ^[1-9][0-9]*$ ]] || { echo "stress: $times: expected how many times, 1 or more" >&2; exit 2; }

tests=build/$preset/tests/winnow_tests
[ -x "$tests" ] || { echo "stress: there is no $tests: build the preset $preset first" >&2; exit 2; }

loops=()
output=$(mktemp)
trap 'kill "${loops[@]}" 2>/dev/null; rm -f "$output"' EXIT
for _ in 1 2 3 4; do
  while :; do :; done &
  loops+=($!)
done

first=$(date +%s) failed=0
for ((i = 0; i < times; i++)); do
  seed=$((first + i))
  "$tests" --order-by=rand --rand-seed="$seed" "$@" >"$output" 2>&1 && continue
  failed=$((failed + 1))
  echo "=== $tests --order-by=rand --rand-seed=$seed"
  grep -v '^time=' "$output" || true
done
echo "stress: $preset, $((times - failed)) of $times runs passed, seeds $first to $((first + times - 1))"
[ "$failed" -eq 0 ]
