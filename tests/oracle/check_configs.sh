#!/bin/bash
# Asks upstream's own loader, validation and scheduler.New about tables of KubeSchedulerConfiguration files, and
# compares what it says with what is stored beside them. v1.37.2 says it of v1, and the last release that served an
# older version of that: v1.28.15 (v1beta3), v1.27.16 (v1beta2), v1.22.17 (v1beta1), v1.18.20 (v1alpha2 and v1alpha1).
# Needs make and Docker; exits 1 if it differs.
# Usage: tests/oracle/check_configs.sh [--update] [today|v1beta3|v1beta2|removed|v1alpha]
#   --update stores it; a name takes the program's tables alone, and removed is that of v1.22.17
set -euo pipefail
cd "$(dirname "$0")/../.."
out=$PWD/build/oracle failed= update= only=
[ "${1:-}" != --update ] || { update=--update; shift; }
only=${1:-}
check() {  # check PROGRAM TABLE…
  local program=$1 table said
  shift
  [ -z "$only" ] || [ "$only" = "$program" ] || return 0
  make --no-print-directory oracle PROGRAM="$program"
  for table; do
    said=$out/$table.json
    # One of v1.22's errors has an address of its memory, one of v1.18's tells of the network.
    (cd "tests/extender/config/$table" && LC_ALL=C &&
      "$out/$program" -check accepted/*.yaml refused/*.yaml 2> /dev/null) |
      sed -E 's/\(0x[0-9a-f]+\)/(0x0)/g; s/(couldn.t get policy config map [^:]*): .*"\}/\1"}/' > "$said"
    if [ -n "$update" ]; then
      cp "$said" "tests/extender/config/$table/upstream.json"
    else
      diff "tests/extender/config/$table/upstream.json" "$said" || failed=1
    fi
  done
}
mkdir -p "$out"
check today scheduler_configs
if [ "${only:-today}" = today ]; then  # The types that expressions see, too.
  "$out/today" -v1-fields | diff cluster/fields/v1_fields.inc - || failed=1
fi
check v1beta3 v1beta3_configs
check v1beta2 v1beta2_configs
check removed v1beta1_configs
check v1alpha v1alpha2_configs v1alpha1_configs
[ -z "$failed" ]
