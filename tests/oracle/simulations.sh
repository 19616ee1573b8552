#!/bin/bash
# Compares `winnow simulate` with upstream's own scheduling: the classic rules with v1.16.15's Schedule(), or with --today today's
# plugins with v1.37.2's SchedulePod, linked as a library, on seeded random clusters. At each attempt to place a pod upstream is
# asked in the same state; then it assumes what Winnow did. With --preemption pods are evicted, too.
# Runs on the host: needs make, python3 and Docker, and `make test` before it for the binaries. Exits 1 if anything differs, or,
# from 1,000 clusters on, if what was exercised misses a floor.
# Usage: tests/oracle/simulations.sh FIRST-LAST [--today] [--preemption]
set -euo pipefail
cd "$(dirname "$0")/../.."
usage() { sed -n '7s/^# //p' "$0"; exit 2; }
[[ ${1:-} =~ ^[0-9]+-[0-9]+$ ]] || usage
first=${1%-*} last=${1#*-} today='' preempt='' program=classic failed=
for flag in "${@:2}"; do
  case $flag in
    --today) today=$flag program=today ;;
    --preemption) preempt=$flag ;;
    *) usage ;;
  esac
done
out=build/oracle/simulations/$program$preempt batch=500 jobs=$(nproc) enough=1000 clusters=$((last - first + 1)) built=build/release

in_toolchain() { docker run --rm -v "$PWD:/src" -u "$(id -u):$(id -g)" "${TOOLCHAIN:-winnow-toolchain}" "$@"; }

mkdir -p "$out"
make --no-print-directory oracle PROGRAM=$program
rm -rf "$out/different" "$out/counts.json"
while [ "$first" -le "$last" ]; do
  count=$((last - first + 1)); [ $count -le $batch ] || count=$batch  # What one command line, and one disk, takes.
  rm -rf "$out/clusters"
  PYTHONPATH=tests/oracle python3 -m generate "$out/clusters" "$first" $count --simulation $today $preempt
  in_toolchain python3 tests/oracle/winnow_simulates.py $built/tests/winnow_simulates $built/winnow $preempt "$out"/clusters/*/ || failed=1
  printf '%s\0' "$out"/clusters/*/ | xargs -0 -P "$jobs" -n 50 build/oracle/$program -simulate ${preempt:+-preempt} || failed=1
  python3 tests/oracle/simulation.py $today $preempt --keep "$out/different" --counts "$out/counts.json" "$out"/clusters/*/ || failed=1
  first=$((first + count))
done
[ "$clusters" -lt $enough ] || python3 tests/oracle/simulation.py $today $preempt --floors "$out/counts.json" || failed=1
[ ! -e "$out/different" ] || echo "what differs is in $out/different"
[ -z "$failed" ] || { echo FAILED; exit 1; }
