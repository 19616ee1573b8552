#!/bin/sh
# Compiles the release, and puts into FOLDER what the image holds: the program and the libraries that it loads.
# In the toolchain. Usage: tools/image-root.sh FOLDER REVISION [OPTION of cmake…]
set -eu
cd "$(dirname "$0")/.."
folder=$1 revision=$2
shift 2
cmake --preset release -DWINNOW_REVISION="$revision" "$@"
cmake --build --preset release --target winnow
rm -rf "$folder"
install -D -s build/release/winnow "$folder/winnow"
ldd "$folder/winnow" | awk '/=> \// { print $3 } /ld-linux/ { print $1 }' | xargs cp -L --parents -t "$folder"
