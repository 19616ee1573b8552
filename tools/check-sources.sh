#!/bin/sh
# Checks, inside the toolchain, that the sources are formatted, that each file compiles by itself, that what a mutex guards
# is used with it, and that clang-tidy finds nothing. Exits 1 if not.
set -eu
sources=$(find cluster predicates priorities extender tests -name '*.h' -o -name '*.cc' | sort)
echo "$sources" | xargs clang-format-19 --dry-run --Werror

# Each file includes what it needs of the standard library. So what comes next has that in one precompiled header.
echo "$sources" | xargs python3 tools/std_includes.py

# A configured build: it makes headers, and says how files are compiled.
cmake --preset debug -B build/tidy -DWINNOW_MERGE=ON -DWINNOW_TESTS=OFF >/dev/null

# A header that has a .cc file is that file's first include, and needs no parse of its own. Fuzz targets are compiled alone.
# With PART=1/3 a third of the files is parsed, and a third of clang-tidy's units.
part=${PART:-0/1}
alone() {
  for file in $(echo "$sources" | grep -v '^tests/fuzz/' | awk -v n="${part%/*}" -v of="${part#*/}" 'i++ % of == n'); do
    case $file in *.h) [ -e "${file%.h}.cc" ] || echo "$file" ;; *) echo "$file" ;; esac
  done
}
mkdir -p build/tidy
grep -rhoE '^#include <[a-z_]+>' cluster predicates priorities extender | sort -u >build/tidy/standard.h
alone | xargs tools/parse_alone.py build/tidy/standard.h build/tidy

# clang-tidy reads most files by folder, so that headers are parsed once for all of a unit. PART holds here, too.
units() {
  sed -n 's/^ *"file": "\(.*\)",*$/\1/p' build/tidy/compile_commands.json | grep -v '/cmake_pch\.' | sort |
    awk -v n="${part%/*}" -v of="${part#*/}" 'i++ % of == n'
}
units | xargs -P 2 -n 1 clang-tidy-19 --quiet --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-unused-command-line-argument \
  -p build/tidy
echo "sources: $(echo "$sources" | wc -l) files formatted, $(alone | wc -l) compile by themselves," \
  "$(units | wc -l) units pass clang-tidy"
