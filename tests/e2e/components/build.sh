#!/bin/bash
# Builds etcd, kube-apiserver, kube-scheduler and kubectl from their Go modules, once; later calls find them. Needs Go.
# kube-scheduler-asks-all is v1.37 with one line changed: it asks extenders about nodes without victims, as v1.38 does.
# The short run of the bed does without it. --etcd builds etcd alone.
# Usage: tests/e2e/components/build.sh FOLDER [--short|--etcd]
set -euo pipefail
[[ $# -ge 1 && ${2:---short} =~ ^--(short|etcd)$ ]] || { sed -n '5s/^# //p' "$0"; exit 2; }
mkdir -p "$1"
folder=$(realpath "$1")
cd "$(dirname "$0")"

[ -x "$folder/etcd" ] || (cd etcd && go build -mod=mod -ldflags '-s -w' -o "$folder/etcd" go.etcd.io/etcd/server/v3)
[ "${2:-}" != --etcd ] || exit 0

at=k8s.io/component-base/version
flags="-s -w -X $at.gitVersion=v1.37.2 -X $at.gitMajor=1 -X $at.gitMinor=37"
for name in kube-apiserver kube-scheduler kubectl; do
  [ -x "$folder/$name" ] || (cd kubernetes && go build -mod=mod -ldflags "$flags" -o "$folder/$name" "k8s.io/kubernetes/cmd/$name")
done

# asks_all FOLDER builds it. Go overlays no file of the module cache, so the module gets another name there, a link.
asks_all() {
  local file=pkg/scheduler/framework/preemption/preemption.go line='if status.IsSuccess() && len(pods) != 0 {'
  local module
  module=$(go list -mod=mod -m -f '{{.Dir}}' k8s.io/kubernetes)
  [ "$(grep -cF "$line" "$module/$file")" = 1 ] || { echo "$module/$file: expected one line with: $line" >&2; return 1; }
  rm -rf "$1"
  mkdir "$1"
  ln -s "$module" "$1/kubernetes"
  sed "s/$line/if status.IsSuccess() {/" "$module/$file" >"$1/changed.go"
  printf '{"Replace": {"%s": "%s"}}\n' "$1/kubernetes/$file" "$1/changed.go" >"$1/overlay.json"
  cp go.mod go.sum "$1"
  go mod edit -replace "k8s.io/kubernetes=$1/kubernetes" "$1/go.mod"
  go build -mod=mod -modfile "$1/go.mod" -overlay "$1/overlay.json" -ldflags "$flags" \
    -o "$folder/kube-scheduler-asks-all" k8s.io/kubernetes/cmd/kube-scheduler
  rm -r "$1"
}

[[ ${2:-} == --short || -x "$folder/kube-scheduler-asks-all" ]] || (cd kubernetes && asks_all "$folder/asks-all")
