"""Nodes for the removed plugins: today's, with zones of either generation, limits of in-tree volumes, and pods to avoid."""
import json

from generate import avoid, pod_volumes
from generate.corners import NITRO
from generate.today import nodes as today
from generate.words import AVOID, INSTANCE, NEW_REGION, NEW_ZONE, OLD_REGION, OLD_ZONE

ZONES = [NEW_ZONE, NEW_REGION, OLD_ZONE, OLD_REGION]
NEW_INSTANCE = "node.kubernetes.io/instance-type"
HUGE = ["81Pi", "82Pi", "100P", "900Pi", "7Ei", "9E"]  # A hundred times so much passes 63 bits.
TYPES = NITRO + ["m4.large", "m4.large", "xt3", "am5.large", "m5", ""]


def _mix_zones(m, labels):
    """Zones as they should not be: of the two generations each its own, or a zone without a region, or the other way round."""
    for key in ZONES:
        labels.pop(key, None)
    for key in m.anew.subset(ZONES, .5):
        labels[key] = m.anew.one(["z1", "z2", "", "z1:z2"] if "zone" in key.rsplit("/", 1)[1] else ["r1", "r2", ""])


def _instance(m, labels):
    """Two labels that differ leave upstream a choice."""
    kind = m.anew.between(0, 9)
    if kind <= 5:
        labels[m.anew.one([INSTANCE, NEW_INSTANCE])] = m.anew.one(TYPES)
    elif kind <= 7:
        labels[INSTANCE] = labels[NEW_INSTANCE] = m.anew.one(TYPES)
    elif kind == 8 and m.anew.p(.5):
        labels[INSTANCE], labels[NEW_INSTANCE] = m.anew.one(TYPES), m.anew.one(TYPES)


def _plain_annotation(m):
    """One that says what it should, of controllers that pods have."""
    return json.dumps({"preferAvoidPods": [
        {"podSignature": {"podController": {"apiVersion": "v1", "kind": kind, "name": "x", "uid": uid, "controller": True}}}
        for kind in ("ReplicaSet", "ReplicationController") for uid in m.anew.subset(["u1", "u2", "u3", ""], .4)]})


def node(m, i):
    one = today.node(m, i)
    one["spec"].pop("taints", None)  # Nobody looks.
    return add_own(m, one)


def add_own(m, one):
    """What the removed plugins look at, on a node of today's."""
    meta = one["metadata"]
    if m.anew.p(m.rarely("services", .25, m.rarely("general", .3, .1))):
        _mix_zones(m, meta["labels"])
    if m.about("volumes"):
        _instance(m, meta["labels"])
    if m.anew.p(m.rarely("labels", .9, m.rarely("general", .6, .2))):
        meta["annotations"] = {AVOID: _plain_annotation(m) if m.anew.p(.4) else avoid.annotation(m)}
    if m.anew.p(.02):
        del meta["labels"]
    pod_volumes.node_limits(m, one)
    if m.about("resources") and m.anew.p(.02):
        one["status"]["allocatable"]["memory"] = m.anew.one(HUGE)
    return one
