"""What the comparisons of preemptions and of simulations share: directories of seeds, differences shown and kept, counts of
what was exercised, and the least of each."""
import argparse
import collections
import json
import os
import shutil

SHOWN = 3  # Of each kind of difference.


def arguments_parser(program):
    parser = argparse.ArgumentParser(prog=program)
    parser.add_argument("--today", action="store_true")
    parser.add_argument("--keep")
    parser.add_argument("--counts")
    parser.add_argument("--floors", metavar="FILE")
    parser.add_argument("directories", nargs="*", metavar="DIR")
    return parser


def compare(arguments, script, compare_directory, compared):
    """@param script: what repeats a seed, as `SCRIPT SEED-SEED FLAGS`.
    @param compare_directory: called with a directory and the counts, yields (pod, what, winnow's, upstream's).
    @param compared: the count that is 0 where nothing was compared.
    @return: the exit code."""
    counts, kinds = collections.Counter(), collections.Counter()
    flags = "".join(f" --{flag}" for flag in ("today", "preemption") if getattr(arguments, flag, False))
    for directory in arguments.directories:
        name = os.path.basename(directory.rstrip("/"))
        seed = name.lstrip("0")
        counts["clusters"] += 1
        found = list(compare_directory(directory, counts))
        for pod, what, ours, theirs in found:
            kind = what.split()[0]
            kinds[kind] += 1
            if kinds[kind] <= SHOWN:
                print(json.dumps({"seed": seed, "pod": pod, "what": what, "winnow": ours, "upstream": theirs,
                                  "repeat": f"{script} {seed}-{seed}{flags}"}))
        if found and arguments.keep:
            shutil.copytree(directory, os.path.join(arguments.keep, name), dirs_exist_ok=True)
    print(json.dumps({"counts": counts, "different": kinds}), flush=True)
    if arguments.counts:
        add_counts(arguments.counts, counts)
    return 1 if kinds or not counts[compared] else 0


def add_counts(path, counts):
    if os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            counts = counts + collections.Counter(json.load(f))
    with open(path, "w", encoding="utf-8") as f:
        json.dump(counts, f)


def check_floors(path, floors):
    """Prints the counts. @return: the exit code: 1 if one is below its floor."""
    with open(path, encoding="utf-8") as f:
        counts = collections.Counter(json.load(f))
    for what in sorted(set(counts) | set(floors)):
        print(f"{counts[what]:10}  {what}" + (f"  (at least {floors[what]})" if what in floors else ""))
    missed = [what for what, least in floors.items() if counts[what] < least]
    for what in missed:
        print(f"floor missed: {what}")
    return 1 if missed else 0
