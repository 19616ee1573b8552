#!/usr/bin/env python3
"""Holds Winnow's preemptions against upstream's: upstream-preempt.json and winnow-preempt.json of each DIR.

    preemption.py [--today] [--keep DIR] [--counts FILE] DIR…

Compared are, for each pod that fits nowhere: the nodes that evictions free, the victims of each in their order, the
violations of budgets, and the node that is chosen among all. --keep copies the directories that differ. --counts adds what
was exercised to FILE's counts. Exit code 1 if anything differs or nothing was compared.

    preemption.py [--today] --floors FILE

prints the counts, and exits with 1 if a floor is missed.
"""
import sys

import seeded
from answers import answers

TURNED = {  # The rules that evictions can turn, by the name that a configuration has for them.
    True: ["NodePorts", "NodeResourcesFit", "VolumeRestrictions", "NodeVolumeLimits", "PodTopologySpread", "InterPodAffinity"],
    False: ["GeneralPredicates", "PodFitsResources", "PodFitsHostPorts", "NoDiskConflict", "MatchInterPodAffinity", "EvenPodsSpread"]}
SELDOM = ["MaxEBSVolumeCount", "MaxGCEPDVolumeCount", "MaxAzureDiskVolumeCount", "MaxCinderVolumeCount", "MaxCSIVolumeCountPred",
          "CheckServiceAffinity"]  # Classic ones that evictions turn too seldom for a floor.
OTHERS = {"pods with violated budgets": 500, "pods with ties": 500, "pods that several rules refuse": 500,
          "pods with candidates": 2000}
PODS_TURNED = 200


def count(counts, upstream):
    nodes = upstream["nodes"] or []
    if not nodes:
        return
    counts["pods with candidates"] += 1
    counts["candidates"] += len(nodes)
    counts["victims"] += sum(len(node["victims"] or []) for node in nodes)
    counts["pods with violated budgets"] += any(node["violations"] for node in nodes)
    counts["pods with ties"] += len(upstream["best"]) > 1
    counts["pods that several rules refuse"] += any(len(node.get("turned") or []) > 1 for node in nodes)
    for rule in {rule for node in nodes for rule in node.get("turned") or []}:
        counts["turned: " + rule] += 1


def differences(winnow, upstream):
    """Yields (what, winnow's, upstream's)."""
    if winnow["pod"] != upstream["pod"]:
        yield "pod", winnow["pod"], upstream["pod"]
        return
    if bool(winnow.get("fitting")) != bool(upstream.get("fits")):
        yield "fits", winnow.get("fitting"), upstream.get("fits")
    if upstream.get("fits"):
        return
    if upstream.get("message") and winnow.get("message") != upstream["message"]:
        yield "message", winnow.get("message"), upstream["message"]
    ours = {node["name"]: node for node in winnow["nodes"]}
    theirs = {node["name"]: node for node in upstream["nodes"] or []}
    if sorted(ours) != sorted(theirs):
        yield "candidates", sorted(ours), sorted(theirs)
        return
    for name, node in theirs.items():
        for what in ("victims", "violations"):
            if ours[name][what] != (node[what] if node[what] is not None else []):
                yield f"{what} on {name}", ours[name][what], node[what]
    best = min(upstream["best"] or [""])
    if winnow["best"] != best:
        yield "best", winnow["best"], upstream["best"]


def compare_directory(directory, counts):
    """Yields (pod, what, winnow's, upstream's)."""
    ours, theirs = list(answers(directory, "winnow-preempt.json")), list(answers(directory, "upstream-preempt.json"))
    if len(ours) != len(theirs):
        yield "", "number of pods", len(ours), len(theirs)
        return
    for winnow, upstream in zip(ours, theirs):
        counts["pods"] += 1
        if upstream.get("skipped"):
            counts["pods left out"] += 1
            continue
        count(counts, upstream)
        for found in differences(winnow, upstream):
            yield upstream["pod"], *found


def main():
    arguments = seeded.arguments_parser("preemption.py").parse_args()
    if arguments.floors:
        floors = {**{"turned: " + rule: PODS_TURNED for rule in TURNED[arguments.today]}, **OTHERS}
        sys.exit(seeded.check_floors(arguments.floors, floors))
    sys.exit(seeded.compare(arguments, "tests/oracle/preemptions.sh", compare_directory, "candidates"))


if __name__ == "__main__":
    main()
