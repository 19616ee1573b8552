"""Large clusters as people have them, scored and filtered by all of the removed plugins, or by some."""
import json

from generate import large
from generate.dice import Dice
from generate.removed import config
from generate.words import AVOID, NEW_REGION, NEW_ZONE, RACK

SHAPE = [{"utilization": 0, "score": 0}, {"utilization": 70, "score": 10}, {"utilization": 100, "score": 3}]
ARGUMENTS = {
    "ServiceAffinity": {"affinityLabels": [NEW_REGION], "antiAffinityLabelsPreference": [RACK, NEW_ZONE]},
    "NodeLabel": {"presentLabels": [NEW_ZONE], "absentLabels": ["retiring"], "presentLabelsPreference": ["disktype", RACK]},
    "NodeResourcesLeastAllocated": {"resources": [{"name": "cpu", "weight": 3}, {"name": "memory", "weight": 1}]},
    "RequestedToCapacityRatio": {"shape": SHAPE}}


class App(large.App):
    """Its pods' zones are today's."""

    zone_key = NEW_ZONE


def _avoid(d, node, apps):
    """A few nodes would rather be without an application."""
    controller = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "x", "uid": d.one(apps).name, "controller": True}
    if d.p(.05):
        entries = [{"podSignature": {"podController": controller}}]
        node["metadata"]["annotations"] = {AVOID: json.dumps({"preferAvoidPods": entries})}


def make(seed, node_count, pod_count, asked, version):
    d = Dice(f"removed {seed}")
    nodes = [large.node(d, i, NEW_ZONE, NEW_REGION) for i in range(node_count)]
    apps = [App(d, i, pod_count // 9) for i in range(pod_count // 9)]
    for node in nodes:
        _avoid(d, node, apps)
    items, given = large.place(d, nodes, apps, pod_count, asked)
    sets = {"preFilter": ["ServiceAffinity"], "filter": d.subset(config.FILTERS, .8), "preScore": ["SelectorSpread"],
            "score": d.subset(config.SCORES[:-1], .8) + config.SCORES[-1:]}
    sets = {point: [{"name": name} for name in names] for point, names in sets.items()}
    return {"cluster": {"kind": "List", "apiVersion": "v1", "items": items},
            "pods": {"kind": "List", "apiVersion": "v1", "items": given},
            "config": config.ordinary(d, version, sets, ARGUMENTS)}
