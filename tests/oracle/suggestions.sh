#!/bin/bash
# Makes what `winnow explain` suggests for pods that fit nowhere, on seeded random clusters, and asks upstream's own code whether
# the pod fits then: v1.16.15's for the classic rules, or with --today v1.37.2's, linked as a library. It must; and with one less
# than suggested it must not.
# Runs on the host: needs make, python3 and Docker, and `make test` before it for the binary. Exits 1 if anything differs, or,
# from 100 clusters on, if a kind of suggestion was not tried.
# Usage: tests/oracle/suggestions.sh FIRST-LAST [--today]
set -euo pipefail
cd "$(dirname "$0")/../.."
[[ ${1:-} =~ ^[0-9]+-[0-9]+$ && ${2:---today} == --today ]] || { sed -n '7s/^# //p' "$0"; exit 2; }
first=${1%-*} last=${1#*-} today=${2:-} program=classic failed=
[ -z "$today" ] || program=today
out=build/oracle/suggestions/$program batch=200 jobs=$(nproc) enough=100 clusters=$((last - first + 1))

in_toolchain() {
  docker run --rm -v "$PWD:/src" -u "$(id -u):$(id -g)" -e PYTHONDONTWRITEBYTECODE=1 "${TOOLCHAIN:-winnow-toolchain}" "$@"
}

upstream() {  # upstream DIRECTORIES [FLAG]
  find "$out/clusters" -path "$1" -type d -print0 |
    xargs -0 -r -P "$jobs" -n 50 build/oracle/$program ${2:-} 2> >(grep -v ' 0 that differ' >&2)
}

mkdir -p "$out"
make --no-print-directory oracle PROGRAM=$program
rm -rf "$out/different" "$out/counts.json"
while [ "$first" -le "$last" ]; do
  count=$((last - first + 1)); [ $count -le $batch ] || count=$batch  # What one disk takes.
  rm -rf "$out/clusters"
  PYTHONPATH=tests/oracle python3 -m generate "$out/clusters" "$first" $count $today
  in_toolchain python3 tests/oracle/winnow_suggests.py build/release/winnow $today "$out"/clusters/*/ || failed=1
  upstream '*/changed/*' || failed=1
  upstream '*/preempting' -preempt || failed=1
  python3 tests/oracle/suggestion.py $today --keep "$out/different" --counts "$out/counts.json" "$out"/clusters/*/ || failed=1
  first=$((first + count))
done
[ "$clusters" -lt $enough ] || python3 tests/oracle/suggestion.py $today --floors "$out/counts.json" || failed=1
[ ! -e "$out/different" ] || echo "what differs is in $out/different"
[ -z "$failed" ] || { echo FAILED; exit 1; }
