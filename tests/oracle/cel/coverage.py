#!/usr/bin/env python3
"""Whether the cases of a run reached every function, macro and kind of error.

    coverage.py OUTCOMES OVERLOADS…

OUTCOMES counts kinds of answers (compare.py) and macros; OVERLOADS are counts of upstream's overloads, of each batch. Prints what misses its
floor, and exits with 1 if something does. The floors hold from LARGE_ENOUGH cases on.
"""
import collections
import json
import sys

LARGE_ENOUGH = 100_000
ENOUGH = 20
# Functions without a variable that they are for: the authorizer's, which selectors and rules of Winnow do not have.
AUTHORIZER = {"authorizer_", "authorizationdecision", "decision_", "pathcheck_", "groupcheck_", "resourcecheck_", "fieldselector", "labelselector", "field_selector", "label_selector"}
# Overloads that no expression names.
INTERNAL = {"not_strictly_false", "__not_strictly_false__"}
KINDS = ["no such key", "no such overload", "overflow", "division by zero", "index", "index type", "map key", "conversion", "optional", "regex", "range", "empty list", "NaN", "zone", "quantity", "network",
         "url", "semver", "lists", "format", "cost limit"]
MACROS = ["has", "all", "exists", "exists_one", "existsOne", "map", "filter", "transformList", "transformMap", "transformMapEntry", "optMap", "optFlatMap", "sortBy", "bind"]


def main(outcomes_path, paths):
    with open(outcomes_path) as file:
        outcomes = collections.Counter(json.load(file))
    reached = collections.defaultdict(lambda: [0, 0])
    for path in paths:
        with open(path) as file:
            for overload, counts in json.load(file).items():
                reached[overload][0] += counts["evaluated"]
                reached[overload][1] += counts["valued"]
    cases = sum(n for what, n in outcomes.items() if not what.startswith("macro "))
    missed = [f"overload {overload}: evaluated {evaluated}, with a value {valued}" for overload, (evaluated, valued) in sorted(reached.items())
              if (evaluated < ENOUGH or valued == 0) and overload not in INTERNAL and not any(overload.startswith(start) for start in AUTHORIZER)]
    missed += [f"error {kind}: {outcomes[f'error {kind}']}" for kind in KINDS if outcomes[f"error {kind}"] < ENOUGH]
    missed += [f"macro {macro}: {outcomes[f'macro {macro}']}" for macro in MACROS if outcomes[f"macro {macro}"] < ENOUGH]
    print(f"{cases} cases reach {sum(counts[0] > 0 for counts in reached.values())} of {len(reached)} overloads")
    if cases < LARGE_ENOUGH:
        return 0
    print("".join(f"below its floor: {line}\n" for line in missed), end="")
    return 1 if missed else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:]))
