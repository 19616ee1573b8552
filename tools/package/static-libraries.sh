#!/bin/sh
# Compiles libraries that Debian has as shared objects alone into archives in FOLDER, of the versions that are installed:
# cpp-httplib, prometheus-cpp-core, spdlog and fmt. They come from the upstream tarballs of Debian's source packages, with
# the hashes that its index has. Debian's own patches are not applied.
# As root, in the toolchain, with deb-src entries. Usage: static-libraries.sh FOLDER
set -eu
folder=$1
mkdir -p "$folder"
work=$(mktemp -d)
cd "$work"

# fetch SOURCE: its upstream tarball, unpacked into a folder of that name.
fetch() {
  apt-get source --print-uris -qq "$1" | grep -F .orig.tar >line
  read -r uri file _ sum <line
  uri=${uri#\'} uri=${uri%\'}
  curl -fsSL "$uri" -o "$file"
  echo "${sum#SHA256:}  $file" | sha256sum -c --quiet
  mkdir "${1%%/*}"
  tar xf "$file" -C "${1%%/*}" --strip-components=1
}

compile() { g++ -std=c++20 -O2 -DNDEBUG -ffile-prefix-map="$work"=/usr/src "$@"; }

archive() {
  ar rcsD "$folder/lib$1.a" "$1"-*.o
}

fetch cpp-httplib/trixie-backports
(cd cpp-httplib && python3 split.py -o split >/dev/null)
# The definitions of Debian's cpp-httplib.pc, for classes differ by them.
# shellcheck disable=SC2046
compile $(pkg-config --cflags-only-other cpp-httplib) -Icpp-httplib/split -c cpp-httplib/split/httplib.cc -o cpp-httplib-1.o
cmp cpp-httplib/split/httplib.h /usr/include/httplib.h || echo "note: Debian's httplib.h is not the one that was split here"
archive cpp-httplib

fetch prometheus-cpp
for file in prometheus-cpp/core/src/*.cc prometheus-cpp/core/src/detail/*.cc; do
  [ -e "$file" ] || continue
  compile -Iprometheus-cpp/core/include -Iprometheus-cpp/core/src -I/usr/include -c "$file" \
    -o "prometheus-cpp-core-$(basename "$file" .cc).o"
done
archive prometheus-cpp-core

fetch spdlog
for file in spdlog stdout_sinks color_sinks file_sinks async cfg; do
  compile -DSPDLOG_COMPILED_LIB -DSPDLOG_FMT_EXTERNAL -Ispdlog/include -c "spdlog/src/$file.cpp" -o "spdlog-$file.o"
done
archive spdlog

fetch fmtlib
compile -Ifmtlib/include -c fmtlib/src/format.cc -o fmt-1.o
archive fmt
rm -rf "$work"
