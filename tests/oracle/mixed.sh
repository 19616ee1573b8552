#!/bin/bash
# Compares profiles that have today's plugins and those that upstream removed: Winnow is asked about the whole profile, v1.37.2
# about the plugins that it has, v1.22.17 about the others. Runs on the host; needs what run.sh needs. Exits 1 if anything
# differs, or if what was exercised misses a floor.
# Usage: tests/oracle/mixed.sh FIRST-LAST [generate's options]
#
#   1. each generation says which nodes fit, by its part of the profile
#   2. each scores the nodes that fit by both
#   3. mixed.py joins the two, compare.py holds Winnow's answers against that; what differs is in build/oracle/different-mixed
set -euo pipefail
cd "$(dirname "$0")/../.."
[[ ${1:-} =~ ^[0-9]+-[0-9]+$ ]] || { sed -n '5s/^# //p' "$0"; exit 2; }
first=${1%-*} last=${1#*-} out=build/oracle batch=500 failed=; shift
upstream() {  # upstream DIR…: each part by its program.
  local program
  for program in today removed; do
    printf '%s\0' "${@/%//$program}" | xargs -0 -P "$(nproc)" -n 50 $out/$program 2> >(grep -v ' 0 that differ' >&2)
  done
}

mkdir -p $out
for program in today removed; do make --no-print-directory oracle PROGRAM=$program; done
rm -rf $out/different-mixed $out/coverage-mixed.json
for ((; first <= last; first += batch)); do
  count=$((last - first + 1)); [ $count -le $batch ] || count=$batch
  rm -rf $out/mixed
  PYTHONPATH=tests/oracle python3 -m generate $out/mixed "$first" $count --mixed "$@"
  clusters=("$out"/mixed/*)
  tests/oracle/mixed.py parts "${clusters[@]}"
  upstream "${clusters[@]}"
  tests/oracle/mixed.py fits "${clusters[@]}"
  upstream "${clusters[@]}"
  tests/oracle/mixed.py join "${clusters[@]}"
  docker run --rm -v "$PWD:/src" -u "$(id -u):$(id -g)" "${TOOLCHAIN:-winnow-toolchain}" \
    tests/oracle/winnow.py build/release/winnow "${clusters[@]}"
  tests/oracle/compare.py --keep $out/different-mixed --coverage $out/coverage-mixed.json "${clusters[@]}" || failed=1
done
[ $# -gt 0 ] || python3 tests/oracle/coverage.py --mixed $out/coverage-mixed.json || failed=1
[ -z "$failed" ] || { echo FAILED; exit 1; }
