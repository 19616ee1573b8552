#!/bin/bash
# Runs Winnow beside a real etcd, two real kube-apiservers and a real kube-scheduler, and checks where pods go. Builds those
# from their Go modules first, once. Needs Go; `make e2e` has it, and what winnow needs, in an image.
# Usage: tests/e2e/run.sh [--short] [FLAG…] [SCENARIO[/WAY]…]
#
#   --short  five minutes; without it everything but what runs only when named, half an hour
#   table    prints what a scheduling cycle costs, as Markdown: only when it is named
#   waiting, evictions
#            beside in-tree in the same run, under each of these conditions: idle, busy, lag-5, lag-20 and lag-100
#            (milliseconds that Winnow hears later). All 50 tries take hours: --tries 10, --parallel 4 (clusters at
#            once), --kinds 'uncordon,room made', --sides in-tree,best; waiting/lag-20 is one condition
#   WINNOW   how to run winnow [build/release/winnow]
#
# main.go lists the scenarios, ways.go the ways. Logs and data of the run stay in build/e2e/run.
set -euo pipefail
[ "${1:-}" != --help ] || { sed -n '2,14s/^# \?//p' "$0"; exit; }
cd "$(dirname "$0")/../.."
tests/e2e/components/build.sh build/e2e/bin
(cd tests/e2e && go build -o ../../build/e2e/e2e .)
exec build/e2e/e2e -winnow "${WINNOW:-build/release/winnow}" "$@"
