#!/bin/bash
# Repeats the unit tests beside four busy loops, each time in another order: a test that fails by chance fails here.
# Every failure is a defect, of the test or of the code. Prints each failed run's seed and output; exits 1 if any failed.
# With --together all runs begin at once, and are each other's load: minutes less.
# Usage: tests/stress.sh [--together] [TIMES [PRESET [DOCTEST OPTION…]]]     (20, release; in the container: make stress)
set -euo pipefail
[ "${1:-}" != --help ] || { sed -n '2,5s/^# \?//p' "$0"; exit; }
cd "$(dirname "$0")/.."
together=
[ "${1:-}" != --together ] || { together=yes; shift; }
times=${1:-20} preset=${2:-release}
shift $(($# < 2 ? $# : 2))
[[ $times =~ ^[1-9][0-9]*$ ]] || { echo "stress: $times: expected how many times, 1 or more" >&2; exit 2; }

tests=build/$preset/tests/winnow_tests
[ -x "$tests" ] || { echo "stress: there is no $tests: build the preset $preset first" >&2; exit 2; }

output=$(mktemp -d) loops=()
trap 'kill "${loops[@]}" 2>/dev/null || true; rm -rf "$output"' EXIT
if [ -z "$together" ]; then
  for _ in 1 2 3 4; do
    while :; do :; done &
    loops+=($!)
  done
fi

first=$(date +%s) runs=() failed=0
begin() { "$tests" --order-by=rand --rand-seed="$1" "${@:2}" >"$output/$1" 2>&1; }
end() {  # end SEED STATUS: counts and shows a run that failed.
  [ "$2" -ne 0 ] || return 0
  failed=$((failed + 1))
  echo "=== $tests --order-by=rand --rand-seed=$1"
  grep -v '^time=' "$output/$1" || true
}
for ((seed = first; seed < first + times; seed++)); do
  status=0
  if [ -n "$together" ]; then
    begin "$seed" "$@" &
    runs+=($!)
  else
    begin "$seed" "$@" || status=$?
    end "$seed" "$status"
  fi
done
for i in "${!runs[@]}"; do
  status=0
  wait "${runs[i]}" || status=$?
  end $((first + i)) "$status"
done
echo "stress: $preset, $((times - failed)) of $times runs passed, seeds $first to $((first + times - 1))"
[ "$failed" -eq 0 ]
