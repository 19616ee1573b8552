#!/bin/bash
# Builds etcd, kube-apiserver and kube-scheduler from their Go modules, once; later calls find them. Needs Go.
# Usage: tests/e2e/components/build.sh FOLDER
set -euo pipefail
[ $# -eq 1 ] || { sed -n '3s/^# //p' "$0"; exit 2; }
mkdir -p "$1"
folder=$(realpath "$1")
cd "$(dirname "$0")"

at=k8s.io/component-base/version
flags="-s -w -X $at.gitVersion=v1.37.0 -X $at.gitMajor=1 -X $at.gitMinor=37"
for name in kube-apiserver kube-scheduler; do
  [ -x "$folder/$name" ] || (cd kubernetes && go build -mod=mod -ldflags "$flags" -o "$folder/$name" "k8s.io/kubernetes/cmd/$name")
done
[ -x "$folder/etcd" ] || (cd etcd && go build -mod=mod -ldflags '-s -w' -o "$folder/etcd" go.etcd.io/etcd/server/v3)
