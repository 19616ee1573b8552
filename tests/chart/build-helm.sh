#!/bin/bash
# Builds Helm from its Go module. Needs Go: `make chart` calls this in the image that has it.
# Usage: tests/chart/build-helm.sh FOLDER
set -euo pipefail
version=v3.19.0
folder=$(realpath -m "${1:?}")
[ "$("$folder/helm" version --template '{{.Version}}' 2>/dev/null)" != $version ] || exit 0
mkdir -p "$folder"
cd "$(dirname "$0")"
GOBIN=$folder go install -ldflags "-X helm.sh/helm/v3/internal/version.version=$version" helm.sh/helm/v3/cmd/helm@$version
