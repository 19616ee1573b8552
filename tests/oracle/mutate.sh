#!/bin/bash
# Mutates the rules' sources, one small step at a time, and shows which steps the comparison with upstream does not notice.
# Runs on the host; needs what run.sh needs. It can be stopped and called again: what is done is not done again.
# Usage: tests/oracle/mutate.sh [--today | --removed] [--jobs N] [--clusters FIRST-LAST] [--without RULE,…] [--fresh]
#                               [mutate's options]
#
#   --today         today's plugins with their clusters, instead of the classic rules with theirs
#   --removed       the plugins that upstream removed, with theirs
#   --files GLOB…   which sources [the rules, and the state that is there for them]
#   --per-file N    how many mutations of each [10]
#   --seed S        which [1]
#   --fresh         forgets the clusters and the outcomes so far
#
# Leaves results-*.jsonl and report.txt in build/mutate, with --today in build/mutate-today, with --removed in
# build/mutate-removed. CCACHE is a folder or volume of the compiler's cache [the one of tools/cache-dir.sh].
set -euo pipefail
cd "$(dirname "$0")/../.."
jobs=$(nproc) clusters=1-300 without= options=() out=$PWD/build/mutate program=classic made=() fresh=
while [ $# -gt 0 ]; do
  case $1 in
    --today | --removed) program=${1#--} out=$PWD/build/mutate-${1#--} made=("$1") options+=("$1") ;;
    --jobs) jobs=$2; shift ;;
    --clusters) clusters=$2; shift ;;
    --without) without=$2; shift ;;
    --fresh) fresh=yes ;;
    --help) sed -n '2,16s/^# \?//p' "$0"; exit ;;
    *) options+=("$1") ;;
  esac
  shift
done

[ -z "$fresh" ] || rm -rf "$out"/clusters "$out"/results-*.jsonl
[ -n "${CCACHE:-}" ] || CCACHE=$(tools/cache-dir.sh)/ccache
mkdir -p "$out"
if [ ! -d "$out/clusters" ]; then
  make --no-print-directory oracle PROGRAM=$program
  PYTHONPATH=tests/oracle python3 -m generate "$out/clusters.new" "${clusters%-*}" $((${clusters#*-} - ${clusters%-*} + 1)) \
    --without "$without" ${made[@]+"${made[@]}"}
  printf '%s\0' "$out"/clusters.new/*/ | xargs -0 -n 50 build/oracle/$program
  mv "$out/clusters.new" "$out/clusters"
fi

# The copy of the sources stands at /src, as the checkout does in the other containers: only so does the cache help.
in_toolchain() {  # in_toolchain I VERB…
  local i=$1; shift
  docker run --rm -u "$(id -u):$(id -g)" -e HOME=/tmp -e CCACHE_DIR=/ccache -e PYTHONPATH=/from/tests/oracle \
    -e PYTHONDONTWRITEBYTECODE=1 -v "$PWD:/from:ro" -v "$out/src-$i:/src" -v "$out:/out" -v "$CCACHE:/ccache" \
    "${TOOLCHAIN:-winnow-toolchain}" python3 -m mutate "$@"
}
mkdir -p "$out/src-0"
in_toolchain 0 prepare --from /from --clusters /out/clusters
pids=()
for ((i = 0; i < jobs; i++)); do
  [ "$i" = 0 ] || { rm -rf "$out/src-$i" && cp -a "$out/src-0" "$out/src-$i"; }
  rm -rf "$out/clusters-$i" && cp -r "$out/clusters" "$out/clusters-$i"  # Each writes its answers beside upstream's.
done
for ((i = 0; i < jobs; i++)); do
  in_toolchain $i run --clusters "/out/clusters-$i" --results "/out/results-$i.jsonl" --shard "$i/$jobs" \
    ${options[@]+"${options[@]}"} &
  pids+=($!)
done
failed=
for pid in "${pids[@]}"; do wait "$pid" || failed=1; done
PYTHONPATH=tests/oracle python3 -m mutate report "$out"/results-*.jsonl | tee "$out/report.txt" || failed=1
[ -z "$failed" ]
