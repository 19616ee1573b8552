"""Nodes: labels, taints, conditions, room, images."""
from generate import avoid
from generate.quantities import allocatable
from generate.words import (AVOID, EFFECTS, HOSTNAME, IMAGES, INSTANCE, NEW_REGION, NEW_ZONE, NUMBERS, OLD_REGION, OLD_ZONE, RACK,
                   VALUES)

INSTANCES = ["m5.large", "c5d.18xlarge", "r5.metal", "t3.micro", "z1d.large", "m4.large", "xt3", "am5.large", "m5", ""]
SIZES = [0, 1, 24117248, 50_000_000, 300_000_000, 1_048_576_000, 2_000_000_000, 123_456_789, 10**13]


def _zone_labels(m, labels):
    sure = .8 if m.about("general") else m.one([.8, .97, 1])
    if m.zones and m.p(sure):
        labels[OLD_ZONE] = m.one(m.zones)
    if m.zones and m.p(.6):
        labels[OLD_REGION] = m.one(["r1", "r1", "r2", ""])
    if m.p(.4):
        labels[NEW_ZONE] = m.one(["z1", "z2", "z9"])
    if m.p(.3):
        labels[NEW_REGION] = m.one(["r1", "r9"])


def _labels(m, i):
    labels = {}
    if m.p(.85 if m.about("general") else .97):
        labels[HOSTNAME] = f"n{i}" if m.p(.98) else "n0"
    _zone_labels(m, labels)
    if m.p(.6):
        labels["disktype"] = m.one(["ssd", "hdd", "ssd"])
    if m.p(.6):
        labels["num"] = m.one(NUMBERS)
    if m.p(.4):
        labels["tier"] = m.one(VALUES)
    if m.p(.3):
        labels["empty"] = ""
    if m.p(.3 if m.about("general") else .8):
        labels[RACK] = m.one(NUMBERS + VALUES if m.about("general") else ["a", "b", "c"])
    if m.p(m.rarely("volumes", .5, .05)):
        labels[INSTANCE] = m.one(INSTANCES)
    return labels


def _taint(m):
    t = {"key": m.one(["dedicated", "gpu", "node.kubernetes.io/unschedulable", "a", "b", "node.kubernetes.io/not-ready"]),
         "effect": m.one(EFFECTS + (["PreferNoSchedule"] * 6 if m.calm else []))}
    if m.p(.6):
        t["value"] = m.one(["x", "y", "", "true"])
    return t


def _spec(m):
    spec = {}
    if m.scoring:
        spec["taints"] = [{**_taint(m), "effect": "PreferNoSchedule" if m.p(.97) else "NoSchedule"}
                          for _ in range(m.between(0, 5))]
    elif m.p(.55 * m.trouble):
        spec["taints"] = [_taint(m) for _ in range(m.between(0, 3))]
    if m.p((.04 if m.calm else .12) * m.trouble):
        spec["unschedulable"] = m.one([True, True, False])
    return spec


def _conditions(m):
    out = []
    bad = (.015 if m.calm else .15) * m.trouble + (.4 if m.pressed else 0)
    for kind, good in [("Ready", "True"), ("MemoryPressure", "False"), ("DiskPressure", "False"),
                       ("PIDPressure", "False"), ("NetworkUnavailable", "False"), ("Strange", "False")]:
        if m.p(.7):
            status = good if not m.p(bad) or kind == "Ready" and m.pressed else m.one(
                ["True"] * (8 if m.pressed else 1) + ["False", "Unknown", "", "true"])
            out.append({"type": kind, "status": status})
            if m.known and m.p(.05):
                out.append({"type": kind, "status": m.one(["True", "False", "Unknown"])})
    m.r.shuffle(out)
    return out


def _images(m):
    return [{"names": m.some(IMAGES, 0 if m.p(.1) else 1, 2), "sizeBytes": m.one([m.between(10**7, 2 * 10**9)] + SIZES)}
            for _ in range(m.between(0, 6))]


def node(m, i):
    meta = {"name": f"n{i}"}
    if m.p(.98):
        meta["labels"] = _labels(m, i)
    if m.p(.8 if m.scoring else .35 if m.about("general") else .1):
        meta["annotations"] = {AVOID: avoid.annotation(m)}
    status = {"allocatable": allocatable(m), "capacity": {"cpu": "64", "memory": "64Gi", "pods": "500"},
              "conditions": _conditions(m), "images": _images(m)}
    return {"kind": "Node", "apiVersion": "v1", "metadata": meta, "spec": _spec(m), "status": status}
