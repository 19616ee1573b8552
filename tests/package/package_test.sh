#!/bin/bash
# Packs the static binary twice, and compares; installs the .deb on a machine that has nothing else, and runs what is in the
# tar.gz on another; reads the manual pages, krew's manifest and the bill of materials. Needs Docker, and what `make package`
# has built. Usage: tests/package/package_test.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
version=$(sed -n 's/^project(winnow VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
made=build/package/files again=build/package/again
count=0 failed=0
check() {  # check WHAT COMMAND…
  local what=$1
  shift
  count=$((count + 1))
  if "$@" >build/package/said 2>&1; then echo "ok     $what"; else failed=$((failed + 1)); echo "FAILED $what"; head -5 build/package/said; fi
}
in_image() { docker run --rm -v "$PWD:/src" -u "$(id -u):$(id -g)" -w /src -e SOURCE_DATE_EPOCH -e BASE_URL "${PACKAGE:-winnow-package}" "$@"; }
bare() { docker run --rm -v "$PWD/$made:/files:ro" debian:trixie-slim sh -euc "$1"; }

SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
revision=$(git rev-parse --short HEAD)
in_image tools/package/pack.py build/package/winnow "$version" "$revision" "$again" >/dev/null
check "two packings have the same hashes" cmp "$made/SHA256SUMS" "$again/SHA256SUMS"
check "the hashes are those of the files" bash -c "cd $made && sha256sum -c SHA256SUMS"
in_image tools/package/link-static.sh build/package/winnow-again "$revision" >/dev/null
check "two linkings have the same bytes" cmp build/package/winnow build/package/winnow-again
check "the binary needs no library" in_image sh -euc "readelf -lW build/package/winnow >build/package/headers
  grep -q LOAD build/package/headers && ! grep -q INTERP build/package/headers"
check "the .deb installs where nothing else is, and runs" bare "dpkg -i /files/winnow_${version}_amd64.deb >/dev/null
  winnow --version | grep -q '^winnow $version ($revision)' && kubectl-winnow --help | grep -q 'kubectl winnow' &&
  kubectl_complete-winnow pending --n | grep -q -- --namespace"
check "and goes again" bare "dpkg -i /files/winnow_${version}_amd64.deb >/dev/null && dpkg -r winnow >/dev/null && ! command -v winnow"
check "the tar.gz runs, and looks names up" bare "cd /tmp && tar xzf /files/winnow-$version-linux-amd64.tar.gz && cd winnow-*
  ln -s winnow kubectl-winnow && ./kubectl-winnow why --help | grep -q Usage && test -f man/winnow-serve.1
  ./winnow doctor --server http://localhost:1 2>&1 | grep -Eq 'Connection refused|Cannot assign requested address'  # The last is IPv6's."
rm -rf build/package/pages && mkdir build/package/pages
tar xzf "$made/winnow-$version-linux-amd64.tar.gz" -C build/package/pages --strip-components=2 --wildcards '*/man/*'
check "a page of the manual for each command" in_image sh -euc 'for page in build/package/pages/*.1; do
    said=$(LC_ALL=C.UTF-8 MANWIDTH=200 man --warnings -l "$page" 2>&1 >/dev/null); test -z "$said" || { echo "$page: $said"; exit 1; }
  done
  for command in serve explain check configure doctor withdraw; do test -f build/package/pages/winnow-$command.1; done
  for command in explain why nodes pending withdraw completion; do test -f build/package/pages/kubectl-winnow-$command.1; done'
check "krew's manifest has the hash of the tar.gz" grep -q "sha256: $(sha256sum "$made/winnow-$version-linux-amd64.tar.gz" | cut -d' ' -f1)" \
  "$made/winnow.krew.yaml"
check "krew can unpack the tar.gz, and finds the files of its manifest" python3 - "$made/winnow-$version-linux-amd64.tar.gz" "$made/winnow.krew.yaml" <<'END'
import re, sys, tarfile
with tarfile.open(sys.argv[1]) as tar:
    members = {member.name: member for member in tar}
assert all(member.isreg() or member.isdir() for member in members.values()), "krew refuses links"
manifest = open(sys.argv[2], encoding="utf-8").read()
moved = dict(re.findall(r"- from: (\S+)\n +to: (\S+)\n", manifest))
assert moved and set(moved) <= set(members), (moved, "a file of the manifest is not in the tar.gz, or has a wildcard")
program = re.search(r"^    bin: (\S+)$", manifest, re.M).group(1)
assert [members[name].mode for name, to in moved.items() if to == program] == [0o755], moved
assert re.search(r"^  version: v\d+\.\d+\.\d+$", manifest, re.M), manifest
END
check "the packages have the licences of what is linked" bare "dpkg -i /files/winnow_${version}_amd64.deb >/dev/null
  grep -q 'Milo Yip' /usr/share/doc/winnow/copyright && grep -q 'Apache License' /usr/share/doc/winnow/copyright
  tar xzOf /files/winnow-$version-linux-amd64.tar.gz --wildcards '*/THIRD-PARTY' >/tmp/licences && grep -q 'Milo Yip' /tmp/licences"
check "the bill of materials names what is linked" python3 - "$made/winnow-$version.spdx.json" <<'END'
import json, sys
bill = json.load(open(sys.argv[1], encoding="utf-8"))
names = {package["name"] for package in bill["packages"]}
assert bill["spdxVersion"] == "SPDX-2.3" and {"winnow", "openssl", "yaml-cpp", "rapidjson", "cpp-httplib", "glibc"} <= names, names
ids = {package["SPDXID"] for package in bill["packages"]} | {"SPDXRef-DOCUMENT"}
assert all(one[end] in ids for one in bill["relationships"] for end in ("spdxElementId", "relatedSpdxElement"))
assert all(package["versionInfo"] and package["licenseConcluded"] for package in bill["packages"])
END
echo "package: $((count - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
