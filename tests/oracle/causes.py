#!/usr/bin/env python3
"""Holds the causes that `winnow explain` tells against the truth, which truth/ works out from the JSON of clusters.

    causes.py --winnow WINNOW FIRST-LAST [--today] [--jobs N] [--most N] [--keep DIR]

The clusters are those of generate. Their pods are asked about by the rules of `--config classic`, or `default` with
--today; of the classic clusters a third under ExactV116, and a third under the gates that bring the rules of conditions
and EvenPodsSpread. Asked are the pending pods, those of pods.json, and some that run. Checked are, of every rule that
refuses a node:
- that there is a cause, unless the rule could not judge;
- that each cause is true, and for the rules in truth/rules.py WHOLE that none is left out.
Each suggestion is made in the JSON, and Winnow is asked again: the pod must go to the node named. (suggestions.sh asks upstream.)

Not worked out, and so not checked:
- which causes a node has that pods are nominated for, amounts that may leave 64 bits, and selectors that are not valid
  where they make a whole rule fail: counted as skipped;
- of noVolume why there is no volume: only that the claim waits, its class, and what it wants;
- of volumeAffinity of volumes that a CSI driver may have taken over, that the volume asks for it: only that the node
  does not meet it;
- what the rules of claims leave out of noVolume, volumeMissing, claim and driver;
- the words of a term that is not valid;
- of devices which are missing, and what a search, a capacity, a counter or a constraint excludes: only that what is named exists,
  and is as it is said to be;
- what a Policy or profiles bring: labelsPresence, serviceAffinity, NodeLabel, addedAffinity, default constraints.
Prints each difference, with the command that repeats it, how many causes of each kind were checked, and the number of
refusals and suggestions that were compared. Exit code 1 if anything differs, nothing was compared, or in LARGE_ENOUGH
clusters and more a kind of cause or of suggestion was not seen.
"""
import argparse
import collections
import copy
import json
import multiprocessing
import os
import random
import shutil
import subprocess
import sys
import tempfile

from answers import read_json
from truth import suggestions
from truth.expected import Unknown
from truth.objects import Cluster, Question, full_name
from truth.rules import check

HERE = os.path.dirname(os.path.abspath(__file__))
RUNNING = 5  # Of a cluster's running pods so many are asked about.
GATES = ["", "ExactV116=true", "TaintNodesByCondition=false,EvenPodsSpread=true"]
LARGE_ENOUGH = 400
BOTH = ["resource", "taint", "unschedulable", "label", "field", "term", "nodeName", "port", "spread", "spreadLabel",
        "affinity", "anti-affinity", "disk", "attachLimit", "volumeLabel", "volumeAffinity", "noVolume", "claim",
        "volumeMissing"]
KINDS = {False: BOTH + ["condition"], True: BOTH + ["feature", "claimInUse", "driver", "devices", "device", "claimElsewhere"]}
CHANGES = ["request", "toleration", "requirement", "label", "maxSkew", "uncordon", "node"]


class Winnow:
    """The program, for one cluster."""

    def __init__(self, program, where, today, gates):
        self.program, self.where = program, where
        self.rules = ["--config", "default" if today else "classic"]
        if gates:
            self.rules += ["--feature-gates", gates]

    def file_of(self, name, items):
        path = os.path.join(self.where, name)
        with open(path, "w", encoding="utf-8") as f:
            json.dump({"kind": "List", "apiVersion": "v1", "items": items}, f)
        return path

    def explain(self, items, pods=None, names=()):
        """The answers about the pods given, those named, or the pending ones."""
        command = [self.program, "explain", *names, "--cluster", self.file_of("cluster-now.json", items), *self.rules]
        if pods is not None:
            command += ["--pods", self.file_of("pods-now.json", pods)]
        done = subprocess.run([*command, "-o", "json"], capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            raise RuntimeError(f"{done.returncode}: {done.stderr[-400:]}")
        return [json.loads(line) for line in done.stdout.splitlines()]


class Result:
    """Of one cluster."""

    def __init__(self, seed):
        self.seed, self.found, self.counts = seed, [], collections.Counter()

    def report(self, pod, node, rule, what, told, truth):
        self.found.append({"pod": pod, "node": node, "rule": rule, "what": what, "winnow": told, "truth": truth})


def check_entry(result, question, answer, node, entry):
    """One rule that refuses one node."""
    causes = entry.get("causes", [])
    if not causes:
        result.report(answer["pod"], node, entry["rule"], "no cause", entry["reasons"], None)
        return
    if question.cluster.nominated.get(node):
        result.counts["skipped\tnodes that pods are nominated for"] += 1
        return
    try:
        found = list(check(question, node, entry["rule"], causes))
    except Unknown as why:
        result.counts[f"skipped\t{why}"] += 1
        return
    for what, told, truth in found:
        result.report(answer["pod"], node, entry["rule"], what, told, truth)
    result.counts["compared"] += 1
    for cause in causes:
        result.counts[f"cause\t{cause['kind']}"] += 1


def check_answer(result, question, answer):
    for node in answer["nodes"]:
        for entry in node["filters"]:
            if not entry["fits"] and "error" not in entry:
                check_entry(result, question, answer, node["name"], entry)


def check_suggestion(result, suggestion, answer):
    kind = "both" if "also" in suggestion else suggestion["change"]["kind"]
    result.counts["compared"] += 1
    result.counts[f"suggestion\t{kind}"] += 1
    if missed := suggestions.missed(suggestion, answer):
        what = "suggestion: " + missed.split(" ")[0]
        result.report(answer["pod"], suggestion["node"], kind, what, suggestion, missed)


def check_suggestions(result, winnow, items, asked):
    """@param asked: [(a pod, its suggestions)]. Changes of pods are asked about together: one of each pod at a time."""
    rounds = collections.defaultdict(list)
    for pod, found in asked:
        for i, suggestion in enumerate(found):
            try:
                now, changed = suggestions.changed(items, pod, suggestion)
            except Unknown as why:
                result.counts[f"skipped\t{why}"] += 1
                continue
            if now is items:
                rounds[i].append((suggestion, changed))
            else:
                check_suggestion(result, suggestion, winnow.explain(now, pods=[changed])[0])
    for some in rounds.values():
        for (suggestion, _), answer in zip(some, winnow.explain(items, pods=[pod for _, pod in some])):
            check_suggestion(result, suggestion, answer)


def unbound(pod):
    """The pod as if it were to be placed again."""
    made = copy.deepcopy(pod)
    del made["spec"]["nodeName"]
    return made


def same_profile(items):
    for item in items:
        if item["kind"] == "Pod":
            item["spec"].pop("schedulerName", None)
    return items


def check_cluster(result, winnow, directory, today, exact):
    items = same_profile(read_json(directory, "cluster.json")["items"])
    given = same_profile(read_json(directory, "pods.json")["items"])
    cluster = Cluster(items)
    asked = []
    for answer in winnow.explain(items):
        asked.append((cluster.pods[answer["pod"]], answer))
    if given:
        asked += zip(given, winnow.explain(items, pods=given))
    for pod, answer in asked:
        check_answer(result, Question(cluster, pod, today, exact), answer)
    check_suggestions(result, winnow, items, [(pod, answer.get("suggestions", [])) for pod, answer in asked])
    names = sorted(full_name(pod) for pod, _ in cluster.running)
    names = random.Random(result.seed).sample(names, min(RUNNING, len(names)))
    for answer in winnow.explain(items, names=names) if names else []:
        pod, without = unbound(cluster.pods[answer["pod"]]), cluster.without(answer["pod"])
        check_answer(result, Question(without, pod, today, exact), answer)
        check_suggestions(result, winnow, without.items, [(pod, answer.get("suggestions", []))])
    result.counts["clusters"] += 1


def check_seed(job):
    arguments, seed, where = job
    result = Result(seed)
    gates = "" if arguments.today else GATES[seed % len(GATES)]
    directory = os.path.join(where, f"{seed:06d}")
    try:
        check_cluster(result, Winnow(os.path.abspath(arguments.winnow), directory, arguments.today, gates), directory,
                      arguments.today, "ExactV116" in gates)
    except (RuntimeError, LookupError, TypeError, ValueError) as error:
        result.report("", "", "", "no answer that can be read", repr(error)[-400:], None)
    if result.found and arguments.keep:
        shutil.copytree(directory, os.path.join(arguments.keep, f"{seed:06d}"), dirs_exist_ok=True)
    return result


def parse_arguments():
    parser = argparse.ArgumentParser(prog="causes.py")
    parser.add_argument("--winnow", required=True)
    parser.add_argument("--today", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", metavar="DIR")
    parser.add_argument("--most", type=int, default=3, help="differences of a kind to print")
    parser.add_argument("seeds", metavar="FIRST-LAST")
    arguments = parser.parse_args()
    arguments.first, arguments.last = map(int, arguments.seeds.split("-"))
    return arguments


def generate(arguments, where):
    count = arguments.last - arguments.first + 1
    command = [sys.executable, "-m", "generate", where, str(arguments.first), str(count)]
    command += ["--today"] if arguments.today else []
    subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": HERE})


def missed_kinds(arguments, counts):
    if counts["clusters"] < LARGE_ENOUGH:
        return []
    return [f"{what} {kind}" for what, kinds in (("cause", KINDS[arguments.today]), ("suggestion", CHANGES))
            for kind in kinds if not counts[f"{what}\t{kind}"]]


def main():
    arguments = parse_arguments()
    counts, differences = collections.Counter(), collections.Counter()
    option = " --today" if arguments.today else ""
    with tempfile.TemporaryDirectory() as where, multiprocessing.Pool(arguments.jobs) as pool:
        generate(arguments, where)
        jobs = [(arguments, seed, where) for seed in range(arguments.first, arguments.last + 1)]
        for result in pool.imap(check_seed, jobs):
            counts += result.counts
            for found in result.found:
                kind = f"{found['rule']}: {found['what']}"
                differences[kind] += 1
                if differences[kind] <= arguments.most:
                    repeat = f"tests/oracle/causes.py --winnow {arguments.winnow} {result.seed}-{result.seed}{option}"
                    print(json.dumps({"seed": result.seed, **found, "repeat": repeat}, default=str), flush=True)
    for key in sorted(counts):
        print(f"{counts[key]:9}  {key.replace(chr(9), ' ')}")
    for kind, count in sorted(differences.items()):
        print(f"{count:9}  differ: {kind}")
    missed = missed_kinds(arguments, counts)
    for kind in missed:
        print(f"never seen: {kind}")
    print(f"causes: {counts['compared']} compared, {sum(differences.values())} differ")
    sys.exit(1 if differences or missed or not counts["compared"] else 0)


if __name__ == "__main__":
    main()
