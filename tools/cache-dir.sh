#!/bin/sh
# Prints the folder of the caches, and makes it: ${XDG_CACHE_HOME:-$HOME/.cache}/winnow, which all checkouts of a user
# share, or build/cache of this checkout where that cannot be written. ccache/ has what the C++ compiler made, go-build/
# what Go's did, go-mod/ the modules that Go has downloaded.
set -eu
cd "$(dirname "$0")/.."

usable() {  # usable FOLDER
  for cache in ccache go-build go-mod; do
    mkdir -p "$1/$cache" 2>/dev/null && [ -w "$1/$cache" ] || return 1
  done
}

shared=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}/winnow own=$PWD/build/cache
case $shared in
  /*/*) ! usable "$shared" || { echo "$shared"; exit; } ;;
esac
usable "$own" || { echo "cache-dir: $own cannot be written" >&2; exit 1; }
echo "cache-dir: ${XDG_CACHE_HOME:-~/.cache}/winnow cannot be written: caches are in $own, for this checkout alone" >&2
echo "$own"
