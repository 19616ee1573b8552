#!/bin/bash
# Makes the files that check_configured.sh asks about, and holds them against `winnow check`. Runs in the toolchain.
# Usage: configure_all.sh WINNOW FOLDER
set -euo pipefail
winnow=$1 made=$2 failed=
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
      # The flags are those that it says to start Winnow with, as far as `winnow check` has them.
      mapfile -t start < <("${configure[@]}" 2> /dev/null | grep '^ *winnow serve ' |
        grep -oE -e '--(answer|scheduler-filters|enable-bind)[^ ]*')
      [ ${#start[@]} -gt 0 ] || { failed=1; echo "$name: no command to start Winnow with"; }
      "$winnow" check "$name-rules.txt" --scheduler-config "$name.yaml" --allow-missing-rules "${start[@]}" \
        > "$name.check" || { failed=1; cat "$name.check"; }
    done
  done
done
[ -z "$failed" ]
