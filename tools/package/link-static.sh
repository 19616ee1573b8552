#!/bin/sh
# Compiles the release, and links it into one file that needs no library. In the image of tools/package.Dockerfile.
# Usage: tools/package/link-static.sh FILE REVISION
set -eu
cd "$(dirname "$0")/../.."
file=$1 revision=$2
mkdir -p "$(dirname "$file")"
cmake --preset release -DWINNOW_REVISION="$revision" >/dev/null
cmake --build --preset release --target winnow
work=$(mktemp -d)
g++ -O2 -ffile-prefix-map="$PWD"=. -c tools/package/static_names.cc -o "$work/static_names.o"
built=build/release
# The linker warns of getaddrinfo, which static_names.cc is about.
g++ -static -O2 -s -Wl,--build-id=none -o "$file" "$built/CMakeFiles/winnow.dir/extender/cli/main.cc.o" "$work/static_names.o" \
  -Wl,--start-group "$built"/libwinnow_*.a /opt/static/*.a -Wl,--end-group \
  -lyaml-cpp -lssl -lcrypto -lbrotlienc -lbrotlidec -lbrotlicommon -lzstd -lz \
  $(pkg-config --static --libs re2) 2>"$work/said" || { cat "$work/said" >&2; exit 1; }
rm -r "$work"
