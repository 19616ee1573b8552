#!/bin/bash
# Compares users' expressions with upstream: Winnow's plugin Expression with cel-go over objects that upstream's own code makes of the
# same cluster; and fixed expressions with the plugins of v1.37.2 whose verdicts and scores they imitate. On seeded random clusters.
# Runs on the host: needs make, python3 and Docker, and build/release/tests/winnow_expressions (target winnow_expressions).
# Exits 1 if anything differs, or, from 100 clusters on, if what was exercised misses a floor.
# Usage: tests/oracle/expressions.sh FIRST-LAST    a seed makes a cluster and about ten expressions
#
#   1. expressions/generate.py makes clusters, expressions and configurations
#   2. today -expressions and winnow_expressions answer
#   3. expressions/compare.py prints the first differences of each kind
set -euo pipefail
cd "$(dirname "$0")/../.."
[[ ${1:-} =~ ^[0-9]+-[0-9]+$ && $# -eq 1 ]] || { sed -n '6s/^# //p' "$0"; exit 2; }
first=${1%-*} last=${1#*-} out=build/oracle/expressions batch=500 jobs=$(nproc) enough=100 failed=
clusters=$((last - first + 1)) winnow=${WINNOW_EXPRESSIONS:-build/release/tests/winnow_expressions}
in_toolchain() { docker run --rm -i -v "$PWD:/src" -u "$(id -u):$(id -g)" "${TOOLCHAIN:-winnow-toolchain}" "$@"; }
compare() { python3 tests/oracle/expressions/compare.py "$@"; }

mkdir -p $out
make --no-print-directory oracle PROGRAM=today
rm -rf $out/different $out/counts.json
while [ "$first" -le "$last" ]; do
  count=$((last - first + 1)); [ $count -le $batch ] || count=$batch  # What one command line, and one disk, takes.
  rm -rf $out/clusters
  python3 tests/oracle/expressions/generate.py $out/clusters "$first" $count
  printf '%s\0' $out/clusters/*/ | xargs -0 -P "$jobs" -n 50 build/oracle/today -expressions || failed=1
  printf '%s\0' $out/clusters/*/ | in_toolchain xargs -0 -P "$jobs" -n 50 "$winnow" || failed=1
  compare --upstream build/oracle/today --keep $out/different --counts $out/counts.json $out/clusters/*/ || failed=1
  first=$((first + count))
done
[ $clusters -lt $enough ] || compare --floors $out/counts.json || failed=1
[ ! -e $out/different ] || echo "what differs is in $out/different"
[ -z "$failed" ] || { echo FAILED; exit 1; }
