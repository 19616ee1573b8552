"""Clusters in which pods must preempt: priorities, start times, budgets, and nodes that are full in one way or several.

Changes a cluster that is there, of either generation. Drawn apart from everything else: without it a seed's cluster is the
same.
"""
from generate.dice import Dice
from generate.ways import MAKE, Cluster, part
from generate.words import APPS, DELETED, TIERS

ASKED = [1000, 1000, 1000, 100, 10, 5, None]
RUNNING = [None, 0, 0, -10, 5, 5, 7, 10, 50, 100, 2000]
WAYS = ["room", "room", "places", "ports", "apart", "apart", "kept", "kept", "joined", "spread", "spread", "disks", "claims",
        "limits"]


def _set_priority(pod, priority):
    pod["spec"].pop("priority", None)
    if priority is not None:
        pod["spec"]["priority"] = priority


def _age(dice, c, pod):
    """Few start times, so that many are equal. A pod that has not started is as old as the question: v1.16 compares two of
    them by the order in which it asks the clock."""
    status = pod.setdefault("status", {})
    if not c.is_today or dice.p(.9):
        status["startTime"] = f"2026-01-01T00:00:{dice.between(0, 9):02d}Z"


def _end(dice, pod):
    pod["metadata"]["deletionTimestamp"] = DELETED
    if dice.p(.7):
        pod["status"]["conditions"] = [{"type": "DisruptionTarget", "status": dice.one(["True", "True", "False"]),
                                        "reason": dice.one(["PreemptionByScheduler", "EvictionByEvictionAPI"])}]


def _clear_the_way(dice, c):
    """What no eviction helps against becomes rare."""
    for node in c.nodes:
        if dice.p(.85):
            part(node, "spec", {}).pop("taints", None)
            node["spec"].pop("unschedulable", None)
    for pod in c.asked:
        spec = pod["spec"]
        spec.pop("nodeName", None)
        if dice.p(.75):
            spec.pop("nodeSelector", None)
            if spec.get("affinity"):
                spec["affinity"].pop("nodeAffinity", None)
        if dice.p(.75):
            spec.pop("volumes", None)


def _budgets(dice, c):
    for i in range(dice.between(0, 4)):
        selector = dice.one([{"matchLabels": {"app": dice.one(APPS)}}, {"matchLabels": {"app": dice.one(APPS)}},
                             {"matchLabels": {"tier": dice.one(TIERS)}}, {"matchExpressions": [{"key": "app", "operator": "Exists"}]},
                             {}, None])
        gone = [pod["metadata"]["name"] for pod in c.running if dice.p(.05)]
        status = {"disruptionsAllowed": dice.one([0, 0, 0, 1, 2]), "disruptedPods": {name: DELETED for name in gone}}
        spec = {"selector": selector} if selector is not None else {}
        c.add("PodDisruptionBudget", "policy/v1", f"pdb-{i}", dice.one(["default", "default", "other"]), spec=spec, status=status)


def _crowd(dice, c):
    """More pods on one node than Go's sort keeps in order: no two of them are equally important."""
    name = dice.one(c.nodes)["metadata"]["name"]
    for i in range(dice.between(14, 24)):
        pod = {"kind": "Pod", "apiVersion": "v1",
               "metadata": {"name": f"crowd-{i}", "namespace": "default", "uid": f"uid-crowd-{i}", "labels": {"app": dice.one(APPS)}},
               "spec": {"nodeName": name, "containers": [{"name": "c0", "image": "a"}], "priority": dice.one([-10, 0, 5])},
               "status": {"phase": "Running", "startTime": f"2026-01-02T00:{i:02d}:00Z"}}
        c.items.append(pod)
        c.running.append(pod)


def _make_alike(dice, c):
    """The first pods of all nodes are as important, and as large, as those of the others: so that equal nodes are many."""
    kinds = [(dice.one(RUNNING), f"2026-01-01T00:00:{dice.between(0, 9):02d}Z", dice.one(["250m", "500m", "1"])) for _ in range(9)]
    size = dice.one(["2", "4"])
    for node in c.nodes:
        if node["status"].get("allocatable") is not None:
            node["status"]["allocatable"]["cpu"] = size
        for pod, (priority, start, cpu) in zip(c.on(node), kinds):
            _set_priority(pod, priority)
            pod["status"]["startTime"] = start
            pod["spec"]["containers"][0]["resources"] = {"requests": {"cpu": cpu}}


def preempt(files, seed):
    """Changes the files of a seed."""
    dice = Dice(f"preemption {seed}")
    c = Cluster(files)
    _clear_the_way(dice, c)
    for pod in c.asked:
        _set_priority(pod, dice.one(ASKED))
        if dice.p(.03):
            pod["spec"]["preemptionPolicy"] = "Never" if c.is_today else "PreemptLowerPriority"
        if dice.p(.1) and c.nodes:
            pod.setdefault("status", {})["nominatedNodeName"] = dice.one(c.nodes)["metadata"]["name"]
    for pod in c.running:
        _set_priority(pod, dice.one(RUNNING))
        _age(dice, c, pod)
        if dice.p(.06):
            _end(dice, pod)
    _budgets(dice, c)
    if c.nodes and dice.p(.1):
        _crowd(dice, c)
    for way in dict.fromkeys(dice.some(WAYS, 1, 3)):
        if (way not in ("claims", "limits") or c.is_today) and c.nodes:
            MAKE[way](dice, c)
    if dice.p(.4):
        _make_alike(dice, c)
    return files
