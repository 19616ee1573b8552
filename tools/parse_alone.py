#!/usr/bin/env python3
"""Parses each file by itself with clang, as CMakeLists.txt has it compiled: a merged build hides what a file does not
include. Usage: parse_alone.py STANDARD_HEADER FOLDER FILE…  FOLDER is for precompiled headers.

Most of the time goes into few headers that most files include. Those are compiled once. A file gets a precompiled header
only of what it includes anyway, and a file X.cc only of X.h and what that includes. That hides nothing: includes precede
code, and each header is parsed by itself, so none needs what another one happens to include before it."""
import concurrent.futures
import os
import re
import subprocess
import sys

CLANG = ["clang++-19", "-std=c++23", "-I.", "-fpch-instantiate-templates", "-Werror", "-Wall", "-Wextra", "-Wpedantic",
         "-Wshadow", "-Wconversion", "-Wnon-virtual-dtor", "-Wthread-safety", "-Wno-missing-field-initializers",
         "-Wno-pragma-once-outside-header"]
CLANG += [f'-DWINNOW_{name}=""' for name in ("VERSION", "REVISION", "FIXTURES", "ROOT", "CONFIG_INPUTS")]
GENERATED = "build/tidy/generated"  # Headers that CMake makes.
CLANG.append("-I" + GENERATED)
PRINTING = "tests/printing.h"  # CMakeLists.txt has each unit test include it first.
LIBRARY = 3000  # How many lines of ours a header of a library counts as. The standard library's counts nothing.
WORTH = 2000    # A header is compiled beforehand if that spares parsing so many lines.

INCLUDE = re.compile(r'^#include (?:"(.+)"|<(.+/.+|.+\.h.*)>)', re.M)
texts, closures = {}, {}


def text(file):
    if file not in texts:
        with open(file if os.path.exists(file) else os.path.join(GENERATED, file), encoding="utf-8") as source:
            texts[file] = source.read()
    return texts[file]


def is_unit_test(file):
    return file.endswith("_test.cc")


def includes(file):
    return [PRINTING] * is_unit_test(file) + [ours or f"<{library}>" for ours, library in INCLUDE.findall(text(file))]


def closure(file):
    """What the file includes, itself not counted."""
    if file not in closures:
        closures[file] = found = set()
        for name in includes(file):
            found.add(name)
            if not name.startswith("<"):
                found |= closure(name)
    return closures[file]


def lines(names):
    return sum(LIBRARY if name.startswith("<") else text(name).count("\n") for name in names)


def may_precompile(file):
    """The headers that may be compiled before the file. A header that has a .cc file is that file's first include, and
    is parsed there alone."""
    own = re.sub(r"\.cc$", ".h", file)
    names = closure(own) | {own} if os.path.exists(own) and own != file else closure(file)
    return {name for name in names if not name.startswith("<")}


def choose(files):
    """The header to compile before each file, or None."""
    allowed = {file: may_precompile(file) for file in files}
    weight = {header: lines(closure(header) | {header}) for header in set().union(*allowed.values())}
    chosen = dict.fromkeys(files)
    while weight:
        def spares(header):
            return sum(max(0, weight[header] - weight.get(chosen[file], 0))
                       for file in files if header in allowed[file]) - 2 * weight[header]
        best = max(sorted(weight), key=spares)
        if best in chosen.values() or spares(best) < WORTH:
            return chosen
        for file in files:
            if best in allowed[file] and weight[best] > weight.get(chosen[file], 0):
                chosen[file] = best
    return chosen


def main():
    standard, folder, files = sys.argv[1], sys.argv[2], sys.argv[3:]

    def precompiled(header):
        return os.path.join(folder, re.sub(r"\W", "_", header) + ".pch")

    def run(arguments):
        return subprocess.run(CLANG + arguments).returncode == 0

    def precompile(header):
        return run(["-include-pch", precompiled(standard), "-x", "c++-header", header, "-o", precompiled(header)])

    def parse(file):
        test = ["-include", PRINTING, "-Wno-sign-conversion"] if is_unit_test(file) else []
        return run(test + ["-include-pch", precompiled(chosen[file] or standard), "-x", "c++", "-fsyntax-only", file])

    chosen = choose(files)
    if not run(["-x", "c++-header", standard, "-o", precompiled(standard)]):
        return 1
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        if not all(list(pool.map(precompile, sorted(set(chosen.values()) - {None})))):
            return 1
        return 0 if all(list(pool.map(parse, files))) else 1


if __name__ == "__main__":
    sys.exit(main())
