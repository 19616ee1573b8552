#!/bin/bash
# Makes the files that check_configured.sh asks about, and holds them against `winnow check`. Runs in the toolchain.
# Usage: configure_all.sh WINNOW FOLDER
set -euo pipefail
winnow=$1 made=$2 failed=
declare -A start=([scores]="--answer=one --scheduler-filters=NodeResourcesFit,NodePorts" [everything]="--answer=one --scheduler-filters=NodeResourcesFit,NodePorts" [best]="--answer=best --scheduler-filters=NodeResourcesFit,NodePorts --enable-bind")
configs=tests/extender/config/scheduler_configs
for file in "$configs"/accepted/*.yaml; do
  # The stock kube-scheduler does not have the plugins of others.
  grep -q "\"accepted/$(basename "$file")\",\"accepted\":true" "$configs/upstream.json" || continue
  for way in nominate scores everything best; do
    for release in 1.37 1.38; do
      name=$made/$(basename "$file" .yaml)-$way-$release
      configure=("$winnow" configure --scheduler-config "$file" --way "$way" --for "$release")
      # What it will not make it says why: extenders that stand in the way, plugins that kube-scheduler has no more.
      "${configure[@]}" -o kube-scheduler > "$name.yaml" 2> "$name.log" || { rm "$name.yaml"; continue; }
      [ "$way" = nominate ] && continue
      "${configure[@]}" -o rules > "$name-rules.txt" 2> /dev/null
      # shellcheck disable=SC2086  # Several flags.
      "$winnow" check "$name-rules.txt" --scheduler-config "$name.yaml" --allow-missing-rules ${start[$way]} \
        > "$name.check" || { failed=1; cat "$name.check"; }
    done
  done
done
[ -z "$failed" ]
