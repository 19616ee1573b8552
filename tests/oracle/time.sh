#!/bin/bash
# How long one pod takes, filtered over all nodes and scored over those that fit: Winnow's engine beside upstream's own
# v1.16.15 code, or with --today, by today's plugins, beside v1.37.2's; both on one thread, on the same files, in turn. With
# --devices the cluster is that of tests/bench/device_cluster.py. Runs on the host: needs make, python3 and Docker, and a release
# build (`make bench` makes one). Upstream needs some 6 GB for 150,000 pods.
# Usage: tests/oracle/time.sh [--today|--devices] [NODES=5000] [PODS=150000] [TURNS=3]
set -euo pipefail
cd "$(dirname "$0")/../.."
program=classic sample=classic
case ${1:-} in
--today) program=today sample=today; shift ;;
--devices) program=today sample=devices; shift ;;
esac
nodes=${1:-5000} pods=${2:-150000} turns=${3:-3}
out=build/oracle/time-$sample pwd=$PWD
in_toolchain() { docker run --rm -v "$pwd:/src" -u "$(id -u):$(id -g)" "${TOOLCHAIN:-winnow-toolchain}" "$@"; }

mkdir -p $out
make --no-print-directory oracle PROGRAM=$program
if [ $sample = devices ]; then
  tests/bench/device_cluster.py $out/sample "$nodes"
  pods=$((nodes * 4))
else
  in_toolchain build/release/tests/bench/winnow_kinds write $out/sample $sample "$nodes" "$pods"
fi
rm -f $out/*.times
for ((turn = 0; turn < turns; turn++)); do
  in_toolchain build/release/tests/bench/winnow_kinds time $out/sample >>$out/winnow.times
  build/oracle/$program -time 5 $out/sample >>$out/upstream.times
done
echo "$nodes nodes, $pods pods, CPU per pod in ms, median of $turns turns"
python3 tests/oracle/time_table.py $out/winnow.times $out/upstream.times
