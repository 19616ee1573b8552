#!/bin/bash
# Prints how many lines of the files that read input the fuzz corpus reaches: by folder, and the files that are below 90 %.
# Further arguments of the form TARGET=FOLDER add inputs. Builds the preset fuzz-coverage first.
# Usage: tests/fuzz/coverage.sh [TARGET=FOLDER…]     (in the container of `make fuzz-coverage`)
set -euo pipefail
[ "${1:-}" != --help ] || { sed -n '2,4s/^# \?//p' "$0"; exit; }
cd "$(dirname "$0")/../.."
cmake --preset fuzz-coverage >/dev/null
cmake --build --preset fuzz-coverage --target fuzz_targets
tests/fuzz/corpus.py unpack

build=build/fuzz-coverage profiles=build/fuzz-coverage/profiles
rm -rf "$profiles"
mkdir -p "$profiles"
objects=()
for file in tests/fuzz/*_fuzz.cc; do
  target=${file##*/} target=${target%_fuzz.cc}
  program=$build/tests/fuzz/${target}_fuzz inputs=("build/fuzz/seeds/$target")
  for more in "$@"; do [ "${more%%=*}" != "$target" ] || inputs+=("${more#*=}"); done
  LLVM_PROFILE_FILE=$profiles/$target.raw "$program" -runs=0 "${inputs[@]}" >/dev/null 2>"$profiles/$target.log" ||
    { tail -5 "$profiles/$target.log" >&2; exit 1; }
  [ ${#objects[@]} -eq 0 ] || objects+=(-object)
  objects+=("$program")
done
llvm-profdata merge -sparse "$profiles"/*.raw -o "$profiles/all"

llvm-cov export -summary-only -ignore-filename-regex='^/usr/' -instr-profile="$profiles/all" "${objects[@]}" >"$profiles/summary.json"
python3 - "$profiles/summary.json" "$build" <<'END'
import collections, json, os, re, sys
# What reads what others wrote.
READERS = re.compile(
    r"cluster/(text|api|files)/.*\.(cc|h)|cluster/client/access/(kubeconfig|server_url|tls_context)\.cc|"
    r"cluster/client/servers/api_status\.cc|cluster/client/watch/(watcher|lister|discovery|reflector_status)\.cc|"
    r"extender/(service/protocol|config)/.*\.(cc|h)|extender/service/http/(framing|connection|router)\.cc|"
    r"extender/service/recheck\.cc")
files = json.load(open(sys.argv[1]))["data"][0]["files"]
folders = collections.defaultdict(lambda: [0, 0])
low = []
for file in files:
    name, lines = os.path.relpath(os.path.join(sys.argv[2], file["filename"])), file["summary"]["lines"]
    if not READERS.fullmatch(name):
        continue
    for key in (os.path.dirname(name), "all"):
        folders[key][0] += lines["covered"]
        folders[key][1] += lines["count"]
    if lines["covered"] < 0.9 * lines["count"]:
        low.append((name, lines["covered"], lines["count"]))
for name, (covered, count) in sorted(folders.items(), key=lambda entry: (entry[0] == "all", entry[0])):
    print(f"{name:40} {covered:6} of {count:6} lines {100 * covered / max(count, 1):6.1f} %")
print("below 90 %:" if low else "no file is below 90 %")
for name, covered, count in sorted(low):
    print(f"  {name:60} {covered:4} of {count:4}")
END
