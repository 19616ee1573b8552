#!/bin/bash
# Asks kube-scheduler's own loader, validation and scheduler.New whether they take what `winnow configure` makes: of each
# file of v1 that they take, for each way and release, kube-scheduler's new file and Winnow's rules. Beside it `winnow
# check` has to find no error in any. Needs make and Docker; exits 1 if a file is refused.
# Usage: tests/oracle/check_configured.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
made=build/oracle/configured
rm -rf "$made" && mkdir -p "$made"
make --no-print-directory oracle PROGRAM=today
docker run --rm -v "$PWD:/src" -u "$(id -u):$(id -g)" -w /src "${TOOLCHAIN:-winnow-toolchain}" \
  tests/oracle/configure_all.sh build/release/winnow "$made"
said=$(cd "$made" && LC_ALL=C ../today -check ./*.yaml 2> /dev/null)
taken=$(grep -c '"accepted":true' <<< "$said" || true)
if grep -v '"accepted":true' <<< "$said"; then
  echo "kube-scheduler refuses the files above"
  exit 1
fi
echo "configure: kube-scheduler takes all $taken files"
[ "$taken" -gt 300 ]
