#!/usr/bin/env python3
"""Writes seeded clusters and users' expressions about them: DIR/SEED/{cluster,pods,expressions,config,rules}.json. One seed makes the
same on every machine.

    generate.py DIR FIRST COUNT [--jobs N]

The clusters are those of `generate --today`. expressions.json has what is asked and about which pods, config.json the plugins of upstream
that fixed expressions imitate, rules.json these expressions (twins.py). `measured` adds what is measured of nodes.
"""
import argparse
import json
import multiprocessing
import os
import pathlib
import re
import sys
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1]), str(pathlib.Path(__file__).resolve().parents[1] / "cel")]
import forms  # noqa: E402
import grow  # noqa: E402
import text_mutations  # noqa: E402
import twins  # noqa: E402
from generate.dice import Dice  # noqa: E402
from generate.today import cluster, mood  # noqa: E402
from generate.today.words import EXTENDED, HUGE, IMAGES, NAMESPACES, VALUES  # noqa: E402
from generate.words import HOSTNAME, NEW_REGION, NEW_ZONE, RACK  # noqa: E402
from paths import NODE, POD, Paths, quoted  # noqa: E402

NOW = 1767225600
TIMES = ["2025-12-31T23:59:59Z", "2025-06-01T00:00:00Z", "2026-01-01T00:00:00Z", "2020-02-29T12:00:00Z"]
ABOUT = re.compile(r"\b(node|cluster)\b")
KEYS = ["disktype", "num", "tier", "empty", RACK, "absent", "kubernetes.io/os", "app"]
DOMAINS = [NEW_ZONE, NEW_ZONE, RACK, NEW_REGION, HOSTNAME, "disktype", "absent"]
RESOURCES = ["cpu", "memory", "ephemeral-storage", "pods", "absent.com/x", *EXTENDED, *HUGE]
TOPS = {"bool": 40, "double": 20, "int": 14, "string": 10, "": 16}


def annotate(dice, item):
    """What today's generator leaves out, since no plugin reads it."""
    metadata, notes = item["metadata"], {}
    if dice.p(.6):
        notes["example.com/cents-per-hour"] = dice.one(["12.5", "3", "99.99", "", "cheap", "1e2"])
    if dice.p(.4):
        notes["example.com/wish"] = dice.one(["fast", "ssd", "", "it's \"quoted\"", "é"])
    if dice.p(.4):
        notes["example.com/version"] = dice.one(["1.2.3", "1.10.0-rc.1", "v1", "2.0.0"])
        notes["example.com/size"] = dice.one(["40Gi", "1500m", "0", "2.5", "big"])
    if notes or dice.p(.1):
        metadata["annotations"] = notes
    if dice.p(.8):
        metadata["creationTimestamp"] = dice.one(TIMES)
    if item["kind"] == "Node":
        if dice.p(.5):
            item["spec"].update(providerID=f"cloud:///{metadata['name']}", podCIDR="10.0.0.0/24", podCIDRs=["10.0.0.0/24", "fd00::/64"])
        for condition in item["status"]["conditions"]:
            condition["lastTransitionTime"] = dice.one(TIMES)
        if dice.p(.5):
            item["status"]["conditions"].append({"type": "MemoryPressure", "status": dice.one(["True", "False", "Unknown"])})
    elif dice.p(.3):
        item["spec"]["priorityClassName"] = dice.one(["high", "low"])
        item["spec"]["priority"] = dice.one([0, 1000, -5, 2000000000])


def probe(dice, pod):
    """Fields of many types: a port that is an int or a text, commands, an environment."""
    for container in pod["spec"]["containers"]:
        if dice.p(.4):
            container["livenessProbe"] = {"httpGet": {"path": "/", "port": dice.one([8080, "http"])}, "periodSeconds": dice.between(1, 9)}
        if dice.p(.4):
            container.update(command=["run", "--fast"], env=[{"name": "MODE", "value": dice.one(["a", ""])}])
    if dice.p(.3):
        pod["spec"]["terminationGracePeriodSeconds"] = dice.one([0, 30])


def stamp(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def measured(dice, nodes, pods):
    """NodeMetrics of some nodes, and pods that have started before, within and after what these measure."""
    for pod in pods:
        if pod["spec"].get("nodeName") and pod["status"]["phase"] == "Running" and dice.p(.8):
            pod["status"]["startTime"] = stamp(NOW - dice.one([700, 620, 330, 310, 60, 31, 30, 29, 15, 1]))
            if dice.p(.5):
                pod["status"].setdefault("containerStatuses", []).append({"name": "started", "state": {"running": {
                    "startedAt": stamp(NOW - dice.one([600, 320, 45, 30, 10]))}}})
    made = []
    for node in nodes:
        if dice.p(.3):
            continue
        one = {"kind": "NodeMetrics", "apiVersion": "metrics.k8s.io/v1beta1", "metadata": {"name": node["metadata"]["name"]}}
        if dice.p(.85):
            one |= {"timestamp": stamp(NOW - dice.one([0, 0, 0, 15, 300])), "window": dice.one(["30s", "15s", "1m0.5s"]),
                    "usage": {"cpu": dice.one(["0", "250m", "1234567890n", "3"]), "memory": dice.one(["0", "512Mi", "8Gi", "1000001Ki"])}}
        if dice.p(.7):
            one["metrics"] = {name: dice.one([0, 0.25, 1, 97.5]) for name in ("gpu", "watts", "carbon-intensity") if dice.p(.6)}
        made.append(one)
    return made


def complete(pods):
    """All containers request cpu and memory, and none is being resized."""
    for pod in pods:
        for container in pod["spec"]["containers"] + pod["spec"].get("initContainers", []):
            resources = container.setdefault("resources", {})
            requests = resources.setdefault("requests", {})
            for name, amount in (("cpu", "100m"), ("memory", "64Mi")):
                requests.setdefault(name, resources.get("limits", {}).get(name, amount))
        pod["spec"].pop("resources", None)  # It may be less than the containers' now.
        for name in "containerStatuses", "initContainerStatuses", "resources", "allocatedResources", "conditions":
            pod["status"].pop(name, None)


def params(dice):
    made = {"zone": dice.one(["z1", "z2", ""]), "most": dice.one([0, 5, 2**40]), "strict": dice.p(.5), "age": dice.one(["1h", "30m", "x"]),
            "size": dice.one(["1Gi", "100m", "x"]), "list": dice.one([[1, 2, 3], [], ["a", 1, 2.5, None]]),
            "nested": {"inner": dice.one([1.5, "deep", [True], {"x": 1}])}}
    return {name: value for name, value in made.items() if dice.p(.85)}


class Maker:
    """Makes the expressions of a seed: leaves and rules of forms.py with the cluster's words, and what grows around them."""

    def __init__(self, dice, pods, nodes):
        self.dice, self.loose = dice, set()
        self.leaves = {False: {}, True: {}}
        for only_pod in (False, True):
            self.grower = grow.Grower(dice, [], True, self.leaves[only_pod])
            for of, text in forms.LEAVES.items():
                self.leaves[only_pod][of] = [made for line in text.split("\n") if line and (line.startswith("!") or not only_pod) for made in [self.filled(line)]]
        for variable, kinds, objects in (("pod", POD, pods), ("node", NODE, nodes)):
            for value in objects:
                self.add_paths(Paths(dice, variable, kinds, value).found, variable == "pod")

    def words(self):
        one = self.dice.one
        names = {"k": one(KEYS), "v": one(VALUES + ["web", "linux"]), "r": one(RESOURCES), "i": one(IMAGES), "n": one(NAMESPACES), "z": one(DOMAINS)}
        return {name: quoted(word) for name, word in names.items()}

    def filled(self, line, depth=1):
        loose = "~" in line[:2]
        text = self.grower.fill(grow.parsed(line.lstrip("!~").format(**self.words())), {}, depth)
        if loose:
            self.loose.add(text)
        return text

    def add_paths(self, found, of_pod):
        for path, of, presence, optional in self.dice.r.sample(found, min(30, len(found))):
            for only_pod in (False, True) if of_pod else (False,):
                leaves = self.leaves[only_pod]
                if of in grow.LITERALS or of.startswith(("map", "list(string)", "list(int)")) or of in ("timestamp", "dyn"):
                    leaves.setdefault(of, []).append(path)
                    if of in grow.LITERALS and of != "null":
                        leaves.setdefault(f"opt({of})", []).append(optional)
                if presence:
                    leaves.setdefault("bool", []).append(f"has({presence})")

    def expression(self):
        """(text, of the pod alone)"""
        dice = self.dice
        only_pod = dice.p(.12)
        self.grower = grow.Grower(dice, [], True, self.leaves[only_pod])
        self.grower.wrong = dice.one([0, 0, .02, .1])
        way = dice.weighted({"leaf": 25, "rule": 30, "grown": 38, "wrong": 3, "mutated": 4})
        if way == "wrong":
            return self.filled(dice.one(grow.lines(forms.WRONG))), only_pod
        if way == "leaf":
            leaves = self.leaves[only_pod]
            return dice.one(leaves[dice.one(list(leaves))]), only_pod
        top = dice.weighted(TOPS) or dice.one(grow.CLASSES["T"])
        if way == "rule" and top in forms.RULES and not only_pod:
            return self.filled(dice.one(grow.lines(forms.RULES[top])), dice.one([1, 2, 3])), only_pod
        made = self.grower.grow(top, dice.one([1, 2, 2, 3, 4]))
        return (text_mutations.mutate(dice, made) if way == "mutated" else made), only_pod

    def about(self):
        """An expression that reads something: nearly all do."""
        for _ in range(8):
            text, only_pod = self.expression()
            if ABOUT.search(text) or re.search(r"\b(pod|params|now)\b", text):
                break
        return text, only_pod


def cases(seed, dice, files, pods, nodes):
    maker = Maker(dice, pods, nodes)
    asked = []
    for number in range(dice.one([1, 2, 12, 12, 14])):
        text, only_pod = maker.about()
        case = {"id": f"{seed}-{number}", "expr": text}
        if only_pod:
            case["pod"] = True
        if any(part in text for part in maker.loose):
            case["loose"] = True
        asked.append(case)
    return {"now": [str(NOW), str(dice.one([0, 500000000]))], "params": params(dice), "expressions": asked,
            "pods": [f"{pod['metadata']['namespace']}/{pod['metadata']['name']}" for pod in pods]}


def make(seed):
    files = cluster.make(mood.Mood(seed))
    dice = Dice(f"expressions {seed}")
    items, given = files["cluster"]["items"], files["pods"]["items"]
    items[:] = [item for item in items if item["kind"] != "DeviceClass"]  # Devices may stand in for a resource: no expression reads them.
    nodes, pods = ([item for item in items if item["kind"] == kind] for kind in ("Node", "Pod"))
    for item in nodes + pods + given:
        annotate(dice, item)
    for pod in pods + given:
        probe(dice, pod)
    items += measured(dice, nodes, pods)
    is_complete = dice.p(.5)
    if is_complete:
        complete(pods + given)
    waiting = [pod for pod in pods if not pod["spec"].get("nodeName") and pod["status"]["phase"] == "Pending"]
    asked = dice.r.sample(waiting, min(1, len(waiting))) + dice.r.sample(given, 1)
    return {**files, "config": twins.upstream(is_complete), "rules": twins.winnow(is_complete), "expressions": cases(seed, dice, files, asked, dice.r.sample(nodes, 1))}


def write(job):
    directory, seed = job
    where = os.path.join(directory, f"{seed:06d}")
    os.makedirs(where, exist_ok=True)
    for name, value in make(seed).items():
        with open(os.path.join(where, name + ".json"), "w", encoding="utf-8") as file:
            file.write(json.dumps(value))


def main():
    parser = argparse.ArgumentParser(prog="generate.py")
    parser.add_argument("directory")
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    with multiprocessing.Pool(arguments.jobs) as pool:
        pool.map(write, [(arguments.directory, seed) for seed in range(arguments.first, arguments.first + arguments.count)], chunksize=4)


if __name__ == "__main__":
    main()
