#!/bin/bash
# Asks upstream's own loader, validation and scheduler.New about tables of KubeSchedulerConfiguration files, and compares what
# it says with what is stored beside them: v1.37.0 about those that the unit tests read, v1.22.17 about files of v1beta1 and
# v1beta2, which have the removed plugins, v1.28.15 about files of v1beta3. Needs make and Docker; exits 1 if it differs.
# Usage: tests/oracle/check_configs.sh [--update] [today|removed|v1beta3]    --update stores it; one of the tables instead of both
set -euo pipefail
cd "$(dirname "$0")/../.."
out=$PWD/build/oracle failed= update=
[ "${1:-}" != --update ] || { update=--update; shift; }
check() {  # check PROGRAM TABLE [--update]
  local program=$1 table=tests/extender/config/$2 said=$out/$2.json
  make --no-print-directory oracle PROGRAM="$program"
  (cd "$table" && LC_ALL=C && "$out/$program" -check accepted/*.yaml refused/*.yaml 2> /dev/null) |
    sed -E 's/\(0x[0-9a-f]+\)/(0x0)/g' > "$said"  # One of v1.22's errors has an address of its memory.
  if [ "${3:-}" = --update ]; then
    cp "$said" "$table/upstream.json"
  else
    diff "$table/upstream.json" "$said" || failed=1
  fi
}
mkdir -p "$out"
[ "${1:-today}" != today ] || check today scheduler_configs $update
[ "${1:-removed}" != removed ] || check removed removed_configs $update
[ "${1:-v1beta3}" != v1beta3 ] || check v1beta3 v1beta3_configs $update
[ -z "$failed" ]
