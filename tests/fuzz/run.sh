#!/bin/bash
# Runs the fuzz targets one after another, from the archives in tests/fuzz/corpus and, where there is one, TARGET.dict. Each
# gets its part of SECONDS. New inputs stay in build/fuzz/corpus, and are the start of the next run here. An input that fails
# is kept in build/fuzz/found, and shown with the commands that repeat it and keep it; exits 1 then.
# With PRESET=fuzz-coverage it is faster, and runs without sanitizers. SEED=N draws the same mutations each time, as far as
# the time goes; without it they are others each time. The seed is printed.
# Usage: tests/fuzz/run.sh [SECONDS [TARGET…]]     (60, all targets; in the container of `make fuzz`)
set -euo pipefail
[ "${1:-}" != --help ] || { sed -n '2,7s/^# \?//p' "$0"; exit; }
cd "$(dirname "$0")/../.."
seconds=${1:-60}
shift $(($# < 1 ? $# : 1))
[[ $seconds =~ ^[1-9][0-9]*$ ]] || { echo "fuzz: $seconds: expected how many seconds, 1 or more" >&2; exit 2; }
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
  for file in tests/fuzz/*_fuzz.cc; do file=${file##*/} targets+=("${file%_fuzz.cc}"); done
fi
seed=${SEED:-0}
[ "$seed" != 0 ] || seed=$((1 + $(od -An -N4 -tu4 /dev/urandom) / 2))
tests/fuzz/corpus.py unpack "${targets[@]}"
echo "fuzz: seed $seed"
each=$(((seconds + ${#targets[@]} - 1) / ${#targets[@]}))
log=$(mktemp)
trap 'rm -f "$log"' EXIT

failed=()
for target in "${targets[@]}"; do
  program=build/${PRESET:-asan}/tests/fuzz/${target}_fuzz grown=build/fuzz/corpus/$target found=build/fuzz/found
  [ -x "$program" ] || { echo "fuzz: there is no $program: build the preset asan first" >&2; exit 2; }
  mkdir -p "$grown" "$found"
  options=(-seed="$seed" -max_total_time="$each" -timeout=20 -rss_limit_mb=2560 -max_len=8192 -print_final_stats=1)
  [ ! -e "tests/fuzz/$target.dict" ] || options+=(-dict="tests/fuzz/$target.dict")
  [ "$target" != memory ] || options+=(-malloc_limit_mb=256)
  # Winnow's own log is no news here.
  if "$program" "${options[@]}" -artifact_prefix="$found/$target-" "$grown" "build/fuzz/seeds/$target" 2>&1 |
    grep -v '^time=' >"$log"; then
    count=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    covered=$(grep -o 'cov: [0-9]*' "$log" | tail -1)
    echo "fuzz: $target: $count inputs in $each s, ${covered:-cov: ?}, no failure"
  else
    failed+=("$target")
    tail -60 "$log"
    input=$(sed -n 's/.*Test unit written to //p' "$log" | tail -1)
    echo "fuzz: $target FAILED. To repeat it, in the container: $program ${input:-}"
    [ -z "$input" ] || echo "fuzz: To put it into the corpus: make fuzz-keep INPUTS=$input"
  fi
done
[ ${#failed[@]} -eq 0 ] || { echo "fuzz: ${#failed[@]} of ${#targets[@]} targets failed: ${failed[*]}"; exit 1; }
echo "fuzz: ${#targets[@]} targets, none failed"
