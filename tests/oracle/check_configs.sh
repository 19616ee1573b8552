#!/bin/bash
# Asks upstream's own loader, validation and scheduler.New, v1.37.0, about the table of KubeSchedulerConfiguration files
# that the unit tests read, and compares what it says with what is stored beside them. Needs make and Docker; exits 1 if it differs.
# Usage: tests/oracle/check_configs.sh [--update]    --update stores it
set -euo pipefail
cd "$(dirname "$0")/../.."
out=$PWD/build/oracle configs=tests/extender/config/scheduler_configs
mkdir -p "$out"
make --no-print-directory oracle PROGRAM=today
(cd $configs && LC_ALL=C && "$out/today" -check accepted/*.yaml refused/*.yaml 2> /dev/null) > "$out/configs.json"
if [ "${1:-}" = --update ]; then
  cp "$out/configs.json" $configs/upstream.json
else
  diff $configs/upstream.json "$out/configs.json"
fi
