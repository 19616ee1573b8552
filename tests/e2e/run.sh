#!/bin/bash
# Runs Winnow beside a real etcd, two real kube-apiservers and a real kube-scheduler, and checks where pods go. Builds those
# and Helm from their Go modules first, once. Needs Go, and Prometheus for alerts; `make e2e` has them, and what winnow
# needs, in an image.
# Usage: tests/e2e/run.sh [--short] [FLAG…] [SCENARIO[/WAY]…]
#
#   --short  five minutes; without it everything but what runs only when named, half an hour
#   table    prints what a scheduling cycle costs, as Markdown: only when it is named; --kinds plain,spread are kinds of pods,
#            -table-nodes 5000 is one size, and -turns 3 has each way in turn, with medians at the end
#   nominate-full-speed
#            5,000 pods by nominations: only when it is named, minutes
#   held     the same for pods that kube-scheduler does not place: idle, and by name busy and lag-20; 20 tries
#   waiting, evictions
#            beside in-tree in the same run, under each of these conditions: idle, busy, lag-5, lag-20 and lag-100
#            (milliseconds that Winnow hears later). All 50 tries take hours: --tries 10, --parallel 4 (clusters at
#            once), --kinds 'uncordon,room made', --sides in-tree,best; waiting/lag-20 is one condition
#   outside-sample
#            only one node of 5,000 is right, and kube-scheduler's sample rarely has it: best and everything beside in-tree;
#            --tries 50 takes 12 minutes for each of idle, busy and lag-20
#   quality  how good the nodes are that pods get, of all nodes, by a shadow: kube-scheduler's sample beside best and nominations
#   load     pods go by what nodes really use: idle, and by name busy and lag-20; -metric-resolution 15s is metrics-server's
#   churn    needs what `make churn` gives it, for its networks; -churn 10m is its length, -every 1m the time between
#            faults, -seed N repeats its draws; without -apart programs are killed, and no network is cut
#   hold     starts the bed without Winnow, prints how to reach it, and holds it for -hold 1h, or until there is a file
#            build/e2e/run/stop: only when it is named; see `make bed`
#   WINNOW   how to run winnow [build/release/winnow]
#
# main.go lists the scenarios, ways.go the ways. Logs and data of the run stay in build/e2e/run.
set -euo pipefail
[ "${1:-}" != --help ] || { sed -n '2,28s/^# \?//p' "$0"; exit; }
cd "$(dirname "$0")/../.."
short=
for option in "$@"; do [ "$option" != --short ] || short=--short; done
tests/e2e/components/build.sh build/e2e/bin $short
tests/chart/build-helm.sh build/chart
(cd tests/e2e && go test ./truth ./churn ./devices ./usage && go build -o ../../build/e2e/e2e .)
(cd tests/scheduler_perf && go vet . ./setup && go test .)  # Seconds; what it measures is by hand.
exec build/e2e/e2e -winnow "${WINNOW:-build/release/winnow}" "$@"
