#!/bin/bash
# Puts those inputs of FOLDER/TARGET into tests/fuzz/corpus/TARGET that reach something new, the shortest first. With --anew
# the corpus is made of FOLDER and itself from nothing: inputs that add nothing go. PRESET=fuzz-coverage is quicker.
# Usage: tests/fuzz/merge.sh [--anew] FOLDER [TARGET…]     (in the container of `make fuzz`, after it has built)
set -euo pipefail
case ${1:-} in "" | --help) sed -n '2,4s/^# \?//p' "$0"; exit ;; esac
cd "$(dirname "$0")/../.."
anew=
[ "$1" != --anew ] || { anew=1; shift; }
folder=$1
shift
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
  for file in tests/fuzz/*_fuzz.cc; do file=${file##*/} targets+=("${file%_fuzz.cc}"); done
fi
for target in "${targets[@]}"; do
  program=build/${PRESET:-asan}/tests/fuzz/${target}_fuzz corpus=tests/fuzz/corpus/$target
  mkdir -p "$corpus" "$folder/$target"
  before=$(find "$corpus" -type f | wc -l)
  into=$corpus
  [ -z "$anew" ] || into=$(mktemp -d)
  # Lines and branches count, and not how often they are run: thousands of seeds would differ in that.
  mkdir -p build/fuzz/found
  "$program" -merge=1 -artifact_prefix="build/fuzz/found/$target-" -use_counters=0 -max_len=16384 -timeout=20 -rss_limit_mb=2560 "$into" "$corpus" "$folder/$target" >/dev/null 2>&1
  if [ -n "$anew" ]; then
    rm -rf "$corpus"
    mv "$into" "$corpus"
    chmod 755 "$corpus"
  fi
  echo "merge: $target: $before inputs before, $(find "$corpus" -type f | wc -l) now, $(du -sb "$corpus" | cut -f1) bytes"
done
