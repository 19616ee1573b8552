#!/bin/bash
# Holds the causes and the suggestions of `winnow explain` against the truth, on seeded random clusters: see causes.py.
# Runs on the host: needs Docker, and `make test` before it for the binary. Exits 1 if anything differs.
# Usage: tests/oracle/causes.sh FIRST-LAST [--today]
set -euo pipefail
cd "$(dirname "$0")/../.."
docker run --rm -v "$PWD:/src" -u "$(id -u):$(id -g)" -e PYTHONDONTWRITEBYTECODE=1 "${TOOLCHAIN:-winnow-toolchain}" \
  python3 tests/oracle/causes.py --winnow build/release/winnow "$@"
