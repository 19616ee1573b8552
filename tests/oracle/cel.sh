#!/bin/bash
# Compares Winnow's CEL with cel-go in Kubernetes' environments, on expressions by seeds and on cel-spec's own tests. Runs on the
# host: needs make, python3 and Docker, and build/release/tests/winnow_cel (target winnow_cel; WINNOW_CEL=FILE takes another).
# Exits 1 if anything differs, or if what was exercised misses a floor.
# Usage: tests/oracle/cel.sh FIRST-LAST    a seed makes 20 expressions
#
#   1. cel/generate.py makes inputs and expressions, 1,000 seeds at a time
#   2. both programs answer
#   3. cel/compare.py prints the first differences, shrunk; cel/coverage.py looks at the floors,
#      which hold from 1,500 seeds on
set -euo pipefail
cd "$(dirname "$0")/../.."
[[ ${1:-} =~ ^[0-9]+-[0-9]+$ ]] || { sed -n '5s/^# //p' "$0"; exit 2; }
first=${1%-*} last=${1#*-} seeds=$((${1#*-} - ${1%-*} + 1)) out=build/oracle/cel-cases batch=1000 failed= upstream=build/oracle/cel
winnow=${WINNOW_CEL:-build/release/tests/winnow_cel}
in_toolchain() { docker run --rm -v "$PWD:/src" -w /src -u "$(id -u):$(id -g)" -e PYTHONDONTWRITEBYTECODE=1 "${TOOLCHAIN:-winnow-toolchain}" "$@"; }
answers() {  # answers NAME [-coverage FILE]: of build/oracle/cel-cases/NAME.json by both.
  local name=$1; shift
  $upstream "$@" < "$out/$name.json" > "$out/$name-upstream.json" &
  in_toolchain sh -c "$winnow < $out/$name.json > $out/$name-winnow.json"
  wait $!
}

make --no-print-directory oracle PROGRAM=cel
rm -rf $out
mkdir -p $out
python3 tests/oracle/cel/conformance.py cases $upstream-spec $out/spec.json
answers spec
python3 tests/oracle/cel/conformance.py compare $out/spec.json $out/spec-upstream.json $out/spec-winnow.json || failed=1
for ((; first <= last; first += batch)); do
  count=$((last - first + 1)); [ $count -le $batch ] || count=$batch
  python3 tests/oracle/cel/generate.py $out/cases.json "$first" $count
  answers cases -coverage "$out/overloads-$first.json"
  in_toolchain python3 tests/oracle/cel/compare.py $out/cases.json $out/cases-upstream.json $out/cases-winnow.json \
    --programs $upstream "$winnow" --coverage $out/outcomes.json || failed=1
done
[ "$seeds" -lt 1500 ] || python3 tests/oracle/cel/coverage.py $out/outcomes.json $out/overloads-*.json || failed=1
[ -z "$failed" ] || { echo FAILED; exit 1; }
