#!/usr/bin/env python3
"""Prints how the sources are cut into files: a Markdown table, with the aims beside it. Tests are left out.

Usage: tools/house.py [--files]     (--files: also the files of at most 30 lines, and the headers with one user)
"""
import pathlib
import re
import statistics
import sys

ROOMS = ("cluster", "predicates", "priorities", "extender")
SMALL = 30
TYPE = re.compile(r"^\s*(?:template\s*<.*>\s*)?(?:enum class|enum|class|struct|union)\s+(?:\[\[.*?\]\]\s*)?\w[\w:<>]*[^;()=]*\{")
INCLUDE = re.compile(r'^#include "([^"]+)"')


def read(root):
    """The lines of each source file, by its path from the root."""
    paths = [path for room in ROOMS for path in (root / room).rglob("*") if path.suffix in (".h", ".cc")]
    return {str(path.relative_to(root)): path.read_text(encoding="utf-8").splitlines() for path in sorted(paths)}


def includes_of(files):
    return {name: [found[1] for line in lines if (found := INCLUDE.match(line)) and found[1] in files]
            for name, lines in files.items()}


def reach(includes):
    """For each file the number of headers that it pulls, and the length of the longest chain of them."""
    pulled, depth = {}, {}

    def visit(name):
        if name in pulled:
            return
        pulled[name], depth[name] = set(), 0  # A circle, which the layering test refuses, ends here.
        for header in includes[name]:
            visit(header)
            pulled[name] |= {header} | pulled[header]
            depth[name] = max(depth[name], 1 + depth[header])

    for name in includes:
        visit(name)
    return pulled, depth


def comment_share(files, suffix):
    lines = [line for name, text in files.items() if name.endswith(suffix) for line in text if line.strip()]
    return round(100 * sum(line.lstrip().startswith("//") for line in lines) / len(lines))


def main():
    if sys.argv[1:] not in ([], ["--files"]):
        sys.exit(__doc__)
    files = read(pathlib.Path(__file__).resolve().parent.parent)
    includes = includes_of(files)
    pulled, depth = reach(includes)
    sources = [name for name in files if name.endswith(".cc")]
    lengths = {name: len(lines) for name, lines in files.items()}
    small = [name for name, length in lengths.items() if length <= SMALL]
    users = {name: sum(name in of for user, of in includes.items() if user[:-3] != name[:-2])  # But for its own .cc.
             for name in files if name.endswith(".h")}
    single = [name for name, count in users.items() if count == 1]
    types = sum(bool(TYPE.match(line)) for lines in files.values() for line in lines)
    folders = {str(pathlib.PurePath(name).parent) for name in files}
    rows = [
        ("source files", len(files), "≤ 600"),
        ("folders", len(folders), ""),
        ("lines", sum(lengths.values()), ""),
        ("lines of a file, median", round(statistics.median(lengths.values())), "100 to 150"),
        (f"files of at most {SMALL} lines", f"{100 * len(small) / len(files):.0f} %", "≤ 8 %"),
        ("include depth", max(depth[name] for name in sources), "≤ 14"),
        ("headers that a median .cc pulls", round(statistics.median(len(pulled[name]) for name in sources)), "≤ 20"),
        ("headers with one user", len(single), ""),
        ("types a thousand lines", f"{1000 * types / sum(lengths.values()):.1f}", "≤ 8"),
        ("comment lines of .h, .cc", f"{comment_share(files, '.h')}, {comment_share(files, '.cc')} %", "30, 9 %"),
    ]
    print("| | now | aim |\n|---|--:|--:|")
    for what, now, aim in rows:
        print(f"| {what} | {now:,} | {aim} |" if isinstance(now, int) else f"| {what} | {now} | {aim} |")
    if sys.argv[1:]:
        print(f"\nAt most {SMALL} lines:", *sorted(small), sep="\n  ")
        print("\nHeaders with one user:", *sorted(single), sep="\n  ")


if __name__ == "__main__":
    main()
