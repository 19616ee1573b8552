#!/usr/bin/env python3
"""Holds what `winnow explain` suggests against upstream's answers about each DIR/changed/N, which winnow_suggests.py has made.

    suggestion.py [--today] [--keep DIR] [--counts FILE] DIR…

Upstream must say that the changed pod fits on the node named, that it goes there, and how many nodes it fits; and of the change
with one less, that it does not fit there. Where no empty node is said to hold the pod, an added one must not. --keep copies the
directories that differ. --counts adds what was exercised to FILE's counts. Exit code 1 if anything differs or nothing was compared.

    suggestion.py [--today] --floors FILE

prints the counts, and exits with 1 if a floor is missed.
"""
import glob
import os
import sys

import seeded
from answers import answers, read_json
from truth import suggestions

LEAST = {  # Of each kind of change, and of each with one less.
    "request": 8, "toleration": 2, "requirement": 15, "label": 15, "maxSkew": 1, "scheduleAnyway": 1, "uncordon": 1,
    "node": 30, "victims": 4, "hostPort": 5, "podTerm": 8, "podLabel": 1, "volume": 12}
# Of "value", "namespaces", "spreadPolicy" and "both" a hundred clusters have too few to count on: they are judged where made.


def difference(asked, answer):
    """(what, what upstream says) where the suggestion is not true; None where it is. One judge for what must help and for what
    must not: so each run shows that it can refuse."""
    missed = suggestions.missed(asked["suggestion"], answer)
    if asked["helps"]:
        return (asked["kind"] + " does not help", missed) if missed else None
    return None if missed.startswith(("does not fit", "fails")) else (asked["kind"] + " helps", answer["selected"])


def victims_of_upstream(directory):
    """{(pod, node): the victims that upstream's own dry run finds}, and the pods of which it finds one of several choices."""
    found, skipped = {}, set()
    for answer in answers(os.path.join(directory, "preempting"), "upstream-preempt.json"):
        if answer.get("skipped"):
            skipped.add(answer["pod"])
        for node in answer["nodes"] or []:
            found[answer["pod"], node["name"]] = sorted(node["victims"] or [])
    return found, skipped


def compare_directory(directory, counts):
    """Yields (pod, what, Winnow's, upstream's). Victims need not help where upstream's dry run has the same: it looks at their
    node alone, counts a ReadWriteOncePod claim of several pods as used once, and knows the least of a spreading by two domains."""
    counts["amounts that may leave 64 bits"] += read_json(os.path.join(directory, "changed"), "skipped.json", 0)
    victims, skipped = victims_of_upstream(directory)
    for changed in sorted(glob.glob(os.path.join(directory, "changed", "*", ""))):
        all_asked = read_json(changed, "asked.json")
        told = list(answers(changed, "upstream.json"))[-len(all_asked):]  # Nominated pods' come before.
        if len(told) != len(all_asked):
            yield "", "number of pods", len(all_asked), len(told)
            continue
        for asked, answer in zip(all_asked, told):
            found = difference(asked, answer)
            suggestion, vain_victims = asked["suggestion"], found and asked["kind"] == "victims"
            if answer.get("panic") or found and answer.get("ambiguous") or vain_victims and asked["pod"] in skipped:
                counts["left out"] += 1
                continue
            if vain_victims and victims.get((asked["pod"], suggestion["node"])) == sorted(suggestion["change"]["pods"]):
                counts["victims by upstream's dry run alone"] += 1
                continue
            counts["compared"] += 1
            counts[asked["kind"]] += 1
            if found:
                yield asked["pod"], found[0], {**suggestion, "in": changed}, found[1]


def main():
    arguments = seeded.arguments_parser("suggestion.py").parse_args()
    if arguments.floors:
        floors = {name: least for kind, least in LEAST.items() for name in (kind, kind + " by one less")}
        floors["fitsNoEmptyNode"] = LEAST["node"]
        sys.exit(seeded.check_floors(arguments.floors, floors))
    sys.exit(seeded.compare(arguments, "tests/oracle/suggestions.sh", compare_directory, "compared"))


if __name__ == "__main__":
    main()
