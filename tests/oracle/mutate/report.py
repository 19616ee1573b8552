"""What became of the mutants."""
import collections
import json
import os

MOST_SURVIVORS = .05


def read_results(paths):
    out = []
    for path in paths:
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                out += [json.loads(line) for line in f]
    return out


def print_report(paths):
    """Prints a line for each file and each survivor; returns the exit code: 1 if there is nothing, or too much survives."""
    by_file = collections.defaultdict(collections.Counter)
    results = read_results(paths)
    for entry in results:
        by_file[entry["file"]][entry["outcome"]] += 1
    total = sum(by_file.values(), collections.Counter())
    print(f"{'file':58}{'killed':>8}{'survived':>10}{'did not compile':>17}")
    for file, counts in [*sorted(by_file.items()), ("all", total)]:
        print(f"{file:58}{counts['killed']:8}{counts['survived']:10}{counts['did not compile']:17}")
    for entry in sorted(results, key=lambda e: (e["file"], e["line"])):
        if entry["outcome"] == "survived":
            print(f"\nsurvived {entry['clusters']} clusters: {entry['file']}:{entry['line']} {entry['kind']}\n"
                  f"  - {entry['before']}\n  + {entry['after']}")
    tried = total["killed"] + total["survived"]
    if tried:
        print(f"\n{total['survived']} of {tried} survive ({100 * total['survived'] / tried:.1f} %)")
    return 0 if tried and total["survived"] <= MOST_SURVIVORS * tried else 1
