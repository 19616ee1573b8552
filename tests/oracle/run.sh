#!/bin/sh
# Compares Winnow's classic rules with upstream's own v1.16.15 code, linked as a library, on seeded random clusters. Runs on
# the host: needs Go, python3 and Docker, and `make test` before it for the binary. Exits 1 if anything differs.
# Usage: tests/oracle/run.sh FIRST-LAST [MODE]
#
#   generate.py   writes the clusters (MODE `quantities`: amounts alone; `known`: what is known to differ, see there)
#   classic/      answers with upstream's functions; winnow.sh with `winnow explain`; both as `-o json` has it
#   compare.py    holds the answers together (COVERAGE=1 counts every verdict, reason and score that occurred)
#
# Not compared: default predicates and priorities, alwaysCheckAllPredicates, nominated pods, ExactV116=false, HTTP.
set -eu
cd "$(dirname "$0")/../.."
first=${1%-*} last=${1#*-} mode=${2:-}
out=build/oracle
mkdir -p $out
(cd tests/oracle/classic && GOFLAGS=-mod=mod go build -o ../../../$out/classic .)
while [ "$first" -le "$last" ]; do
  count=$((last - first + 1)); [ $count -le 500 ] || count=500  # What one command line, and one disk, takes.
  rm -rf $out/clusters
  python3 tests/oracle/generate.py $out/clusters "$first" $count $mode
  $out/classic $out/clusters/*/ || true  # A pod that upstream panics at is left out, and counted below.
  docker run --rm -v "$PWD:/src" -u "$(id -u):$(id -g)" "${TOOLCHAIN:-winnow-toolchain}" \
    sh tests/oracle/winnow.sh build/release/winnow $out/clusters/*/
  python3 tests/oracle/compare.py $out/clusters/*/ || failed=1
  first=$((first + count))
done
[ -z "${failed:-}" ]
