#!/bin/bash
# Puts those inputs of FOLDER/TARGET into tests/fuzz/corpus/TARGET.tar.gz that reach something new, the shortest first. With
# --anew the archive is made of FOLDER and itself from nothing: inputs that add nothing go. PRESET=fuzz-coverage is quicker.
# Usage: tests/fuzz/merge.sh [--anew] FOLDER [TARGET…]     (in the container of `make fuzz-keep`, after `make fuzz`)
set -euo pipefail
case ${1:-} in "" | --help) sed -n '2,4s/^# \?//p' "$0"; exit ;; esac
cd "$(dirname "$0")/../.."
anew=
[ "$1" != --anew ] || { anew=1; shift; }
[ $# -gt 0 ] || { echo "fuzz: expected a folder behind --anew" >&2; exit 2; }
folder=$1
shift
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
  for file in tests/fuzz/*_fuzz.cc; do file=${file##*/} targets+=("${file%_fuzz.cc}"); done
fi
mkdir -p build/fuzz/found
work=$(mktemp -d build/fuzz/merge.XXXXXX)
trap 'rm -rf "$work"' EXIT
for target in "${targets[@]}"; do
  program=build/${PRESET:-asan}/tests/fuzz/${target}_fuzz seeds=$work/seeds/$target into=$work/into/$target
  [ -x "$program" ] || { echo "fuzz: there is no $program: build the preset asan first" >&2; exit 2; }
  mkdir -p "$seeds" "$into" "$folder/$target"
  # A target without an archive is a new one.
  [ ! -e "tests/fuzz/corpus/$target.tar.gz" ] || tests/fuzz/corpus.py unpack --to "$work/seeds" "$target"
  before=$(find "$seeds" -type f | wc -l)
  more=("$folder/$target")
  if [ -n "$anew" ]; then more+=("$seeds"); else cp -r "$seeds/." "$into"; fi
  # Lines and branches count, and not how often they are run: thousands of seeds would differ in that.
  "$program" -merge=1 -artifact_prefix="build/fuzz/found/$target-" -use_counters=0 -max_len=16384 -timeout=20 \
    -rss_limit_mb=2560 "$into" "${more[@]}" >"$work/log" 2>&1 || { tail -5 "$work/log" >&2; exit 1; }
  echo "merge: $target: $before inputs before"
  tests/fuzz/corpus.py pack "$target" "$into"
done
