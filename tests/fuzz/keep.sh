#!/bin/bash
# Puts inputs into the corpus of their target. An input that still fails is made small first. The name of a file in
# build/fuzz/found begins with its target; other files are given as TARGET=FILE.
# Usage: tests/fuzz/keep.sh [TARGET=]FILE…     (in the container of `make fuzz-keep`, after `make fuzz`)
set -euo pipefail
case ${1:-} in "" | --help) sed -n '2,4s/^# \?//p' "$0"; exit ;; esac
cd "$(dirname "$0")/../.."
mkdir -p build/fuzz
work=$(mktemp -d build/fuzz/keep.XXXXXX)
trap 'rm -rf "$work"' EXIT
for input in "$@"; do
  file=${input#*=} target=${input%%=*}
  [ "$target" != "$input" ] || { target=${file##*/}; target=${target%%-*}; }
  program=build/${PRESET:-asan}/tests/fuzz/${target}_fuzz
  [ -f "$file" ] || { echo "fuzz: there is no $file" >&2; exit 2; }
  [ -e "tests/fuzz/${target}_fuzz.cc" ] || { echo "fuzz: $input: expected TARGET=FILE, or a file TARGET-…" >&2; exit 2; }
  [ -x "$program" ] || { echo "fuzz: there is no $program: build the preset asan first" >&2; exit 2; }
  options=(-timeout=20 -rss_limit_mb=2560)
  [ "$target" != memory ] || options+=(-malloc_limit_mb=256)
  kept=$file
  if ! "$program" "${options[@]}" -artifact_prefix="$work/" "$file" >"$work/log" 2>&1; then
    # It ends with an error where it finds nothing smaller.
    "$program" "${options[@]}" -minimize_crash=1 -runs=100000 -max_total_time=300 -artifact_prefix="$work/" \
      -exact_artifact_path="$work/small" "$file" >"$work/log" 2>&1 || true
    [ ! -s "$work/small" ] || kept=$work/small
    echo "fuzz: $file fails: $(stat -c %s "$kept") of its $(stat -c %s "$file") bytes are kept"
  fi
  tests/fuzz/corpus.py add "$target" "$kept"
  rm -f "$work/small"
done
