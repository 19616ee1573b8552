#!/bin/bash
# Runs upstream's own benchmark of kube-scheduler, test/integration/scheduler_perf of k8s.io/kubernetes, in-tree and with
# Winnow beside it, in turn, and prints ratios. It compiles upstream's package out of the module cache, and etcd, once: ten
# minutes on two cores. Needs Go; `make scheduler-perf` has it, and what winnow needs, in an image.
# Usage: tests/scheduler_perf/run.sh [FLAG…]
#
#   -turns 3                     each way in turn so often, with the medians at the end
#   -ways in-tree,best           also best-no-filters and nominate (by default), everything, scores, nominate-gate
#   -workloads SchedulingBasic,TopologySpreading
#                                cases of the default; CASE/WORKLOAD is any of upstream's
#   -nodes 500                   for a quick try: all numbers of a workload in proportion to that many nodes
#   -pods 2000                   at most so many pods are measured
#   -profile                     a CPU profile of upstream's process beside each measurement
#   WINNOW                       how to run winnow [build/release/winnow]
#
# Logs, data and profiles stay in build/scheduler_perf/run. One measurement at 5,000 nodes takes one to three minutes.
set -euo pipefail
[ "${1:-}" != --help ] || { sed -n '2,17s/^# \?//p' "$0"; exit; }
cd "$(dirname "$0")/../.."
tests/e2e/components/build.sh build/e2e/bin --etcd
mkdir -p build/scheduler_perf
at=k8s.io/component-base/version
flags="-s -w -X $at.gitVersion=v1.37.2 -X $at.gitMajor=1 -X $at.gitMinor=37"  # As components/build.sh: a plugin reads it.
(cd tests/scheduler_perf && go vet . ./setup && go test . && go build -o ../../build/scheduler_perf/scheduler_perf . &&
  go test -c -ldflags "$flags" -o ../../build/scheduler_perf/upstream.test ./upstream)
kubernetes=$(cd tests/scheduler_perf && go list -m -f '{{.Dir}}' k8s.io/kubernetes)
exec build/scheduler_perf/scheduler_perf -kubernetes "$kubernetes" -winnow "${WINNOW:-build/release/winnow}" "$@"
