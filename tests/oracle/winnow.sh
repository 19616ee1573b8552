#!/bin/sh
# winnow.sh WINNOW DIR…: Winnow's side of the comparison, DIR/winnow.json.
winnow=$1; shift
for d; do
  : > "$d/winnow.json"
  for pods in "" "--pods $d/pods.json"; do
    "$winnow" explain --cluster "$d/cluster.json" $pods --config "$d/policy.json" --feature-gates ExactV116=true -o json \
      >> "$d/winnow.json" 2> "$d/winnow.log"
    [ $? -le 1 ] || { echo "$d: $(tail -1 "$d/winnow.log")" >&2; }
  done
done
