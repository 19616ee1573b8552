#!/usr/bin/env python3
"""Makes what `winnow explain` suggests: of each cluster DIR the directories DIR/changed/N, for upstream to judge.

    winnow_suggests.py WINNOW [--today] [--jobs N] DIR…

Asked about are the pending pods and those of pods.json, by the rules of `--config default` with --today, else by those of
`--config classic` under the gates of GATES. Each suggestion, and each preemption, is made in the JSON by
truth/suggestions.py, and once more with one less, by truth/altered.py. Where `fitsNoEmptyNode` is told, nodes like LIKES of the
cluster's are made, one at a time. A directory has cluster.json, pods.json with the changed pods, gates.json, and asked.json: for
each of these pods its suggestion, and whether it helps. DIR/preempting has the unchanged cluster, and the pods with victims.
"""
import argparse
import json
import multiprocessing
import os
import random
import shutil
import sys

from answers import read_json
from causes import Winnow, same_profile
from truth import altered, suggestions
from truth.expected import Unknown
from truth.objects import Cluster, full_name

GATES = [{}, {"TaintNodesByCondition": False, "EvenPodsSpread": True}]
LIKES = 3  # Of a cluster's nodes so many get one alike.


def told(answer):
    """All that the answer says of what would make the pod fit, as suggestions."""
    found = answer.get("suggestions", [])
    skews = [one for one in found if one["change"]["kind"] == "maxSkew" and "also" not in one]  # Whose text names the other way, too.
    found = found + [{"node": one["node"], "change": {**one["change"], "kind": "scheduleAnyway"}} for one in skews]
    preemption = answer.get("preemption", {})
    if "node" in preemption:
        found.append({"node": preemption["node"], "change": {"kind": "victims", "pods": preemption["victims"]}})
    return found


def write(where, name, value):
    os.makedirs(where, exist_ok=True)
    with open(os.path.join(where, name), "w", encoding="utf-8") as f:
        json.dump(value, f)


def is_waiting(item):
    return item["kind"] == "Pod" and not item["spec"].get("nodeName")


def without_waiting(items, name):
    """Without pending pods that no rule looks at: those without a nomination, and the one asked about."""
    return [item for item in items if not is_waiting(item) or full_name(item) != name and
            (item.get("status") or {}).get("nominatedNodeName")]


def as_list(items):
    return {"kind": "List", "apiVersion": "v1", "items": items}


class Changed:
    """The directories of a cluster. Pods that ask about the same objects share one."""

    def __init__(self, directory, seed, items, gates):
        self.where, self.items, self.gates = os.path.join(directory, "changed"), items, gates
        self.shared = {}  # By the change of the cluster, and the pod that it is without, for it is nominated.
        self.skipped = 0
        nodes = sorted(item["metadata"]["name"] for item in items if item["kind"] == "Node")
        self.likes = random.Random(seed).sample(nodes, min(LIKES, len(nodes)))

    def add(self, pod, suggestion, is_altered=False, helps=True, counted=""):
        """Makes the change, or one less. @param counted: what it is counted as, if not as its kind."""
        change = altered.changed_too_little if is_altered else suggestions.changed
        try:
            items, asked = change(self.items, pod, suggestion)
        except Unknown:
            self.skipped += 1
            return
        what = "" if items is self.items else \
            json.dumps([suggestion["node"], suggestion["change"], suggestion.get("also"), is_altered])
        name = full_name(pod) if (pod.get("status") or {}).get("nominatedNodeName") else ""
        told_as = "both" if "also" in suggestion else suggestion["change"]["kind"]
        kind = counted or told_as + (" by one less" if is_altered else "")
        _, entries = self.shared.setdefault((what, name), (without_waiting(items, name), []))
        entries.append((asked, {"pod": full_name(pod), "suggestion": suggestion, "kind": kind, "helps": helps}))

    def add_all(self, pod, answer):
        for suggestion in told(answer):
            self.add(pod, suggestion)
            self.add(pod, suggestion, is_altered=True, helps=False)
        if answer.get("fitsNoEmptyNode"):
            for like in self.likes:
                one_more = {"node": suggestions.NEW_IN_ANSWERS, "change": {"kind": "node", "like": like}}
                self.add(pod, one_more, helps=False, counted="fitsNoEmptyNode")

    def write(self):
        for i, (items, entries) in enumerate(self.shared.values()):
            where = os.path.join(self.where, str(i))
            write(where, "cluster.json", as_list(items))
            write(where, "pods.json", as_list([pod for pod, _ in entries]))
            write(where, "gates.json", self.gates)
            write(where, "asked.json", [entry for _, entry in entries])
        if self.skipped:
            write(self.where, "skipped.json", self.skipped)


def make(program, today, directory):
    seed = int(os.path.basename(directory.rstrip("/")))
    gates = {} if today else GATES[seed % len(GATES)]
    named = {} if today else {"ExactV116": True, **gates}
    flags = ",".join(f"{name}={str(value).lower()}" for name, value in named.items())
    winnow = Winnow(program, directory, today, flags)
    items = same_profile(read_json(directory, "cluster.json")["items"])
    given = same_profile(read_json(directory, "pods.json")["items"])
    cluster = Cluster(items)
    asked = [(cluster.pods[answer["pod"]], answer) for answer in winnow.explain(items)]
    asked += zip(given, winnow.explain(items, pods=given)) if given else []
    changed = Changed(directory, seed, items, gates)
    for pod, answer in asked:
        changed.add_all(pod, answer)
    changed.write()
    if preempting := [pod for pod, answer in asked if "node" in answer.get("preemption", {})]:
        where = os.path.join(directory, "preempting")
        write(where, "cluster.json", as_list(without_waiting(items, "")))
        write(where, "pods.json", as_list(preempting))
        write(where, "gates.json", gates)


def make_or_say(job):
    """@return: whether it failed."""
    for name in "changed", "preempting":
        shutil.rmtree(os.path.join(job[-1], name), ignore_errors=True)
    try:
        make(*job)
    except (RuntimeError, LookupError, TypeError, ValueError) as error:
        print(f"{job[-1]}: {error!r}", file=sys.stderr)
        return True
    return False


def main():
    parser = argparse.ArgumentParser(prog="winnow_suggests.py")
    parser.add_argument("winnow")
    parser.add_argument("--today", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("directories", nargs="+", metavar="DIR")
    arguments = parser.parse_args()
    jobs = [(os.path.abspath(arguments.winnow), arguments.today, directory) for directory in arguments.directories]
    with multiprocessing.Pool(arguments.jobs) as pool:
        sys.exit(1 if any(pool.map(make_or_say, jobs, chunksize=4)) else 0)


if __name__ == "__main__":
    main()
