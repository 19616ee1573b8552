#!/bin/sh
# Checks, inside the toolchain, that the sources are formatted and pass clang-tidy. Exits 1 if not.
set -eu
sources=$(find cluster predicates priorities extender tests -name '*.h' -o -name '*.cc' | sort)
echo "$sources" | xargs clang-format-19 --dry-run --Werror

# clang-tidy reads how each file is compiled from a configured build.
[ -f build/debug/compile_commands.json ] || cmake --preset debug >/dev/null
units=$(echo "$sources" | grep '\.cc$' | grep -v '^tests/')
echo "$units" | xargs -P 2 -n 4 clang-tidy-19 --quiet -p build/debug
echo "sources: $(echo "$sources" | wc -l) files formatted, $(echo "$units" | wc -l) units pass clang-tidy"
