#!/usr/bin/env python3
"""Holds Winnow's simulations against upstream's own scheduling: upstream-simulate.json, winnow-simulate.json and
winnow-simulated.json of each DIR.

    simulation.py [--today] [--preemption] [--keep DIR] [--counts FILE] DIR…

Compared are, at each attempt to place a pod: the number of nodes that fit, whether Winnow's is among upstream's best and has its
total, or else why there is none; the volumes that the pod takes and the claims that it promises; with --preemption who is
evicted, and where the pod goes then. And of the whole run: the order of the first attempts, that who fits nowhere was tried
after the last change, and that `winnow simulate` ends as these attempts do. --keep copies the directories that differ. --counts
adds what was exercised to FILE's counts. Exit code 1 if anything differs or nothing was compared.

    simulation.py [--today] [--preemption] --floors FILE

prints the counts, and exits with 1 if a floor is missed.
"""
import sys

import seeded
from answers import answers, asked_pods, read_json

TURNED = {  # The rules by which earlier pods keep later ones away, by the name that a configuration has for them.
    True: ["NodePorts", "NodeResourcesFit", "VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding", "PodTopologySpread",
           "InterPodAffinity", "DynamicResources"],
    False: ["GeneralPredicates", "PodFitsResources", "PodFitsHostPorts", "NoDiskConflict", "MaxCSIVolumeCountPred",
            "CheckVolumeBinding", "MatchInterPodAffinity", "EvenPodsSpread"]}
SELDOM = ["MaxEBSVolumeCount", "MaxGCEPDVolumeCount", "MaxAzureDiskVolumeCount", "MaxCinderVolumeCount",
          "CheckServiceAffinity"]  # Classic ones by which it happens too seldom for a floor.
OTHERS = {"attempts that earlier pods changed": 1000, "attempts that find no node": 1000, "attempts with ties": 1000,
          "pods placed when tried again": 50, "volumes taken": 200, "claims promised": 200}
PREEMPTIONS = {"preemptions": 500, "victims placed by the run": 20}
TIMES_TURNED = 100


def told_by(reasons):
    """What follows "0/5 nodes are available" in upstream's words, for these reasons. One that a pod is refused for before any node
    is looked at comes without a number."""
    return [", ".join(sorted(f"{nodes} {reason}" for reason, nodes in reasons.items())) + ".", ", ".join(reasons) + "."]


def chosen(winnow, upstream):
    """Yields (what, winnow's, upstream's) of one choice."""
    if bool(winnow["node"]) != bool(upstream["best"]):
        yield "fits", winnow["node"] or winnow["message"], upstream["best"] or upstream["message"]
    elif not winnow["node"]:
        if winnow["message"] != upstream.get("message"):
            yield "message", winnow["message"], upstream.get("message")
        elif winnow["message"].startswith("0/") and winnow["message"].split(": ", 1)[1] not in told_by(winnow["reasons"]):
            yield "reasons", winnow["reasons"], upstream["message"]
    elif winnow["node"] not in upstream["best"]:
        yield "node", winnow["node"], upstream["best"]
    else:
        if winnow["node"] != min(upstream["best"]):
            yield "first", winnow["node"], upstream["best"]
        if winnow["feasible"] != upstream["feasible"]:
            yield "feasible", winnow["feasible"], upstream["feasible"]
        if upstream["feasible"] > 1 and winnow["total"] != upstream.get("total", 0):
            yield "total", winnow["total"], upstream.get("total")


def evicted(winnow, upstream):
    """Yields the differences of the victims: Winnow's are those of one of the nodes that upstream may choose."""
    preemption = upstream.get("preemption") or {"nodes": [], "best": []}
    if preemption.get("skipped"):
        return
    best = {node["name"]: node["victims"] or [] for node in preemption["nodes"] or [] if node["name"] in (preemption["best"] or [])}
    if not winnow["victims"] and not best:
        return
    if winnow["victims"] != best.get(min(best, default="")):
        yield "victims", winnow["victims"], best


def differences(winnow, upstream, vain):
    """@param vain: the pod has preempted in vain before, and so preempts nobody any more."""
    if winnow["pod"] != upstream["pod"]:
        yield "pod", winnow["pod"], upstream["pod"]
        return
    if upstream.get("skipped"):
        if upstream["skipped"].startswith("unproven"):
            yield "unproven", "", upstream["skipped"]
        return
    if winnow["victims"] or upstream.get("preemption") and not vain:
        yield from evicted(winnow, upstream)
    yield from chosen(winnow, upstream.get("after") or upstream)
    if winnow["claims"] != upstream["claims"]:
        yield "claims", winnow["claims"], upstream["claims"]


def count(counts, winnow, upstream, tried):
    counts["attempts"] += 1
    if upstream.get("skipped"):
        counts["attempts left out"] += 1
        return
    counts["attempts that earlier pods changed"] += bool(upstream.get("turned") or upstream.get("rescored"))
    counts["attempts that find no node"] += not winnow["node"]
    counts["attempts with ties"] += len(upstream["best"]) > 1
    counts["pods placed when tried again"] += bool(winnow["node"]) and tried and not winnow["victims"]
    counts["volumes taken"] += upstream.get("volumes", 0)
    counts["claims promised"] += upstream.get("promised", 0)
    left_out = (upstream.get("preemption") or {}).get("skipped")
    counts["preemptions"] += bool(winnow["victims"]) and not left_out
    counts["preemptions left out"] += bool(winnow["victims"]) and bool(left_out)
    for kind in "turned", "rescored":
        for rule in upstream.get(kind) or []:
            counts[f"{kind}: {rule}"] += 1


def whole_run(directory, attempts, preempts):
    """Yields (pod, what, winnow's, upstream's) of the order and of the end."""
    last = {attempt["pod"]: (i, attempt) for i, attempt in enumerate(attempts)}
    queue = {f"{pod['metadata']['namespace']}/{pod['metadata']['name']}":
             (-(pod["spec"].get("priority") or 0), pod["metadata"]["creationTimestamp"]) for pod in asked_pods(directory)
             if not pod["spec"].get("schedulingGates")}
    first = list(dict.fromkeys(attempt["pod"] for attempt in attempts))
    if not preempts and [queue.get(name) for name in first] != sorted(queue.values()):
        yield "", "order", first, sorted(queue, key=queue.get)
    changed = max((i for i, attempt in enumerate(attempts) if attempt["node"]), default=-1)
    for name, (i, attempt) in last.items():
        if not attempt["node"] and i < changed:
            yield name, "tried", i, changed
    end = {pod["pod"]: pod.get("node", "") for pod in read_json(directory, "winnow-simulated.json")["pods"]
           if pod["result"] not in ("gated", "notRemade")}
    here = {name: attempt["node"] for name, (_, attempt) in last.items() if name in end}
    if end != here:
        yield "", "end", sorted(end.items() - here.items()), sorted(here.items() - end.items())


def compare_directory(directory, counts, preempts):
    """Yields (pod, what, winnow's, upstream's)."""
    ours, theirs = list(answers(directory, "winnow-simulate.json")), list(answers(directory, "upstream-simulate.json"))
    if len(ours) != len(theirs):
        yield "", "number of attempts", len(ours), len(theirs)
        return
    tried, placed, vain = set(), set(), set()
    for winnow, upstream in zip(ours, theirs):
        count(counts, winnow, upstream, winnow["pod"] in tried)
        counts["victims placed by the run"] += len(placed.intersection(winnow["victims"]))
        tried.add(winnow["pod"])
        placed.add(winnow["pod"])
        for found in differences(winnow, upstream, winnow["pod"] in vain):
            yield upstream["pod"], *found
        if winnow["victims"] and not winnow["node"]:
            vain.add(winnow["pod"])
            counts["preemptions in vain"] += 1
    yield from whole_run(directory, ours, preempts)


def main():
    parser = seeded.arguments_parser("simulation.py")
    parser.add_argument("--preemption", action="store_true")
    arguments = parser.parse_args()
    if arguments.floors:
        floors = {**{"turned: " + rule: TIMES_TURNED for rule in TURNED[arguments.today]}, **OTHERS}
        sys.exit(seeded.check_floors(arguments.floors, PREEMPTIONS if arguments.preemption else floors))
    sys.exit(seeded.compare(arguments, "tests/oracle/simulations.sh",
                            lambda directory, counts: compare_directory(directory, counts, arguments.preemption), "attempts"))


if __name__ == "__main__":
    main()
