#!/bin/bash
# Compares the API server's defaults and refusals with v1.37.2's own code, on objects as people write them. Runs on the host:
# needs make, python3 and Docker, and `make test` before it for the binary. Exits 1 if anything differs.
# Usage: tests/oracle/defaults.sh FIRST-LAST [--store]    --store makes the stored objects of ctest, without a comparison
set -euo pipefail
cd "$(dirname "$0")/../.."
[[ ${1:-} =~ ^[0-9]+-[0-9]+$ && ${2:---store} == --store ]] || { sed -n '4s/^# //p' "$0"; exit 2; }
out=build/oracle/defaults stored=tests/oracle/corpus_defaults
mkdir -p "$out"
make --no-print-directory oracle PROGRAM=today
PYTHONPATH=tests/oracle python3 -m generate.unseen "$out/objects.json" "${1%-*}" $((${1#*-} - ${1%-*} + 1))
build/oracle/today -defaults "$out/objects.json" > "$out/upstream.json"
if [ "${2:-}" = --store ]; then
  mkdir -p $stored
  for file in objects upstream; do gzip -9nc "$out/$file.json" > $stored/$file.json.gz; done
  exit
fi
docker run --rm -v "$PWD:/src" -u "$(id -u):$(id -g)" "${TOOLCHAIN:-winnow-toolchain}" \
  python3 tests/oracle/defaults.py build/release/tests/winnow_defaults $out/objects.json $out/upstream.json
