#!/bin/bash
# Compares Winnow's preemptions with upstream's own: the classic rules with v1.16.15's Preempt(), or with --today today's plugins
# with v1.37.2's DryRunPreemption and SelectCandidate, linked as a library, on seeded random clusters whose pods must preempt.
# Runs on the host: needs make, python3 and Docker, and `make test` before it for the binary. Exits 1 if anything differs, or,
# from 10,000 clusters on, if what was exercised misses a floor.
# Usage: tests/oracle/preemptions.sh FIRST-LAST [--today]
set -euo pipefail
cd "$(dirname "$0")/../.."
[[ ${1:-} =~ ^[0-9]+-[0-9]+$ && ${2:---today} == --today ]] || { sed -n '6s/^# //p' "$0"; exit 2; }
first=${1%-*} last=${1#*-} today=${2:-} program=classic failed=
[ -z "$today" ] || program=today
out=build/oracle/preemptions/$program batch=500 jobs=$(nproc) enough=10000 clusters=$((last - first + 1))

in_toolchain() { docker run --rm -v "$PWD:/src" -u "$(id -u):$(id -g)" "${TOOLCHAIN:-winnow-toolchain}" "$@"; }

mkdir -p "$out"
make --no-print-directory oracle PROGRAM=$program
rm -rf "$out/different" "$out/counts.json"
while [ "$first" -le "$last" ]; do
  count=$((last - first + 1)); [ $count -le $batch ] || count=$batch  # What one command line, and one disk, takes.
  rm -rf "$out/clusters"
  PYTHONPATH=tests/oracle python3 -m generate "$out/clusters" "$first" $count $today --preemption
  printf '%s\0' "$out"/clusters/*/ | xargs -0 -P "$jobs" -n 50 build/oracle/$program -preempt || failed=1
  in_toolchain python3 tests/oracle/winnow_preempts.py build/release/tests/winnow_preempts "$out"/clusters/*/ || failed=1
  python3 tests/oracle/preemption.py $today --keep "$out/different" --counts "$out/counts.json" "$out"/clusters/*/ || failed=1
  first=$((first + count))
done
[ "$clusters" -lt $enough ] || python3 tests/oracle/preemption.py $today --floors "$out/counts.json" || failed=1
[ ! -e "$out/different" ] || echo "what differs is in $out/different"
[ -z "$failed" ] || { echo FAILED; exit 1; }
