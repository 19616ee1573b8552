#!/bin/bash
# Builds an oracle program. Needs Go: `make oracle PROGRAM=…` calls this in the image that has it, where upstream's packages
# are compiled as for tests/e2e, and so are found in the cache if that was there before.
# Usage: tests/oracle/build.sh cel|classic|removed|today|v1alpha|v1beta2|v1beta3 FILE
set -euo pipefail
[ $# -eq 2 ] || { sed -n '4s/^# //p' "$0"; exit 2; }
file=$(realpath -m "$2") flags=
cd "$(dirname "$0")/$1"
case $1 in cel | today)  # What a release's build sets. A plugin reads it, and CEL's environments hang on it.
  at=k8s.io/component-base/version
  flags="-X $at.gitVersion=v1.37.2 -X $at.gitMajor=1 -X $at.gitMinor=37" ;;
esac
go build -mod=mod -ldflags "$flags" -o "$file" .
# cel-spec's own tests lie beside the program.
[ "$1" != cel ] || { rm -rf "$file-spec"; cp -r "$(go list -m -f '{{.Dir}}' cel.dev/expr)/tests/simple/testdata" "$file-spec"; }
