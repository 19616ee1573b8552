#!/bin/bash
# Compares Winnow's classic rules with upstream's own v1.16.15 code, with --today its plugins of today with v1.37.2's, or with
# --removed those that later releases removed with v1.22.17's, linked as a library, on seeded random clusters. Runs on the host:
# needs make, python3 and Docker, and `make test` before it for the binary. Exits 1 if anything differs, or if what was exercised
# misses a floor.
# Usage: tests/oracle/run.sh FIRST-LAST [--today | --removed | --devices] [--large] [--subject NAME]
#                            [--defaults] [--mode known|quantities] [--without RULE,…] (of the classic ones)
#                            [--file v1|v1beta1|both] (of the removed ones: the version of their configuration)
#
#   generate/      writes the clusters; --large: ordinary ones of 1,000 nodes and 30,000 pods instead of small hard ones; --devices:
#                  about devices, for today's DynamicResources; with --today some have devices, too
#   undeparted.py  with --defaults: takes out what Winnow means to read otherwise, and asks Winnow without ExactV116
#   classic/, removed/, today/  answer with upstream's functions, winnow.py with `winnow explain`, all as `-o json` has it
#   common/        what these programs share: no release of upstream is its own, each program links it with one
#   compare.py     holds the answers together; what differs is kept in build/oracle/different/SEED
#   over_http.py   holds what `winnow serve` says over HTTP against upstream's answers, for every tenth cluster
#   coverage.py    what was exercised, and the floors; they hold for runs of 300 clusters and more
set -euo pipefail
cd "$(dirname "$0")/../.."
usage() { sed -n '2,9s/^# //p' "$0"; exit 2; }
[[ ${1:-} =~ ^[0-9]+-[0-9]+$ ]] || usage
first=${1%-*} last=${1#*-}; shift
out=build/oracle batch=500 every=10 http_pods=1000 failed=
options=() without= floors= defaults= program=classic generation=()
while [ $# -gt 0 ]; do
  case $1 in
    --today | --removed) program=${1#--} generation=("$1") options+=("$1") ;;
    --devices) program=today generation=("$1") options+=("$1") ;;
    --file) options+=("$1" "$2"); shift ;;
    --large) batch=$(nproc) every=1 http_pods=10 options+=(--nodes 1000 --pods 30000 --asked 100) floors=none ;;
    --defaults) defaults=yes floors=none ;;
    --mode | --subject) options+=("$1" "$2") floors=none; shift ;;
    --without) options+=("$1" "$2") without=$2; shift ;;
    *) usage ;;
  esac
  shift
done
jobs=$(nproc) pwd=$PWD

declare -A spent
stage() {  # stage NAME COMMAND…: runs it, and adds up its time.
  local name=$1 start=${EPOCHREALTIME/./} status=0; shift
  "$@" || status=$?
  spent[$name]=$(( ${spent[$name]:-0} + ${EPOCHREALTIME/./} - start ))
  return $status
}
in_toolchain() { docker run --rm -v "$pwd:/src" -u "$(id -u):$(id -g)" "${TOOLCHAIN:-winnow-toolchain}" "$@"; }
generate() { PYTHONPATH=tests/oracle python3 -m generate "$@"; }
upstream() {
  local each=$((($# + jobs - 1) / jobs))
  printf '%s\0' "$@" | xargs -0 -P "$jobs" -n $((each < 50 ? each : 50)) $out/$program 2> >(grep -v ' 0 that differ' >&2)
}
sample() { local i; for ((i = 1; i <= $#; i += every)); do printf '%s\n' "${!i}"; done; }

mkdir -p $out
make --no-print-directory oracle PROGRAM=$program
rm -rf $out/different $out/coverage.json
while [ "$first" -le "$last" ]; do
  count=$((last - first + 1)); [ $count -le $batch ] || count=$batch  # What one command line, and one disk, takes.
  rm -rf $out/clusters
  stage generate generate $out/clusters "$first" $count ${options[@]+"${options[@]}"}
  [ -z "$defaults" ] || stage generate python3 tests/oracle/undeparted.py $out/clusters/*/
  stage upstream upstream $out/clusters/*/ || failed=1
  stage winnow in_toolchain python3 tests/oracle/winnow.py build/release/winnow $out/clusters/*/
  stage compare python3 tests/oracle/compare.py --keep $out/different --coverage $out/coverage.json $out/clusters/*/ || failed=1
  mapfile -t sampled < <(sample $out/clusters/*/)
  stage http in_toolchain python3 tests/oracle/over_http.py --pods $http_pods build/release/winnow "${sampled[@]}" || failed=1
  first=$((first + count))
done
if [ -z "$floors" ]; then
  python3 tests/oracle/coverage.py ${generation[@]+"${generation[@]}"} --without "$without" $out/coverage.json || failed=1
fi
for name in generate upstream winnow compare http; do printf '%-9s %7d ms\n' $name $((spent[$name] / 1000)); done
printf '%-9s %7d s\n' all $SECONDS
[ ! -e $out/different ] || echo "what differs is in $out/different"
[ -z "$failed" ] || { echo FAILED; exit 1; }
