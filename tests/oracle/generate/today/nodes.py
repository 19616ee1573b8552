"""Today's nodes: labels of both generations, taints, room, images, the features that they declare."""
from generate.today import amounts
from generate.today.words import EXTENDED, FEATURES, HUGE, IMAGES, NUMBERS, OTHER_FEATURES, VALUES
from generate.words import EFFECTS, HOSTNAME, NEW_REGION, NEW_ZONE, OLD_REGION, OLD_ZONE, RACK

MIB = 2**20
SIZES = [0, 1, 23 * MIB - 1, 23 * MIB, 23 * MIB + 1, 30 * MIB, 50_000_000, 300_000_000, 700_000_000, 1000 * MIB - 1, 1000 * MIB,
         1000 * MIB + 1, 2000 * MIB, 3000 * MIB, 10**13]
UNSCHEDULABLE = "node.kubernetes.io/unschedulable"


def _zone_labels(m, labels):
    """Today's labels, the old ones, both, or none."""
    zone, region = m.one(m.zones), m.one(["r1", "r1", "r2"])
    new, old = m.one([(1, 0), (1, 0), (1, 1), (1, 1), (0, 1), (0, 0)] if m.about("volumes") or m.about("general") else
                     [(1, 0)] * 12 + [(1, 1)] * 6 + [(0, 1), (0, 0)])
    if new:
        labels[NEW_ZONE] = zone
        if m.p(.8):
            labels[NEW_REGION] = region
    if old:
        labels[OLD_ZONE] = zone if m.p(.9) else m.one(m.zones)
        if m.p(.8):
            labels[OLD_REGION] = region


def _labels(m, i):
    labels = {"kubernetes.io/os": "linux"}
    if m.p(.9 if m.about("general") else .96):
        labels[HOSTNAME] = f"n{i}" if m.p(.93 if m.about("spread") else .98) else "n0"
    _zone_labels(m, labels)
    if m.p(.7):
        labels["disktype"] = m.one(["ssd", "hdd", "ssd"])
    if m.p(.7):
        labels["num"] = m.one(NUMBERS)
    if m.p(.4):
        labels["tier"] = m.one(VALUES)
    if m.p(.3):
        labels["empty"] = ""
    if m.p(.85):
        labels[RACK] = m.one(["a", "b", "c"])
    return labels


def taint(m):
    t = {"key": m.one(["dedicated", "dedicated", "gpu", "a", "b", "node.kubernetes.io/not-ready", "num"])}
    t["effect"] = "PreferNoSchedule" if m.p(1 - m.gently(.4)) else m.one(EFFECTS)
    if m.p(.7):
        t["value"] = m.one(["x", "y", "true", "5", "10"])
    return t


def _spec(m):
    """Taints are unique by key and effect; that of an unschedulable node comes from a controller, a moment later."""
    spec, taints = {}, {}
    if m.p(m.rarely("spread", .3, m.mostly("nodes", .65))):
        for one in [taint(m) for _ in range(m.between(1, 3 if m.about("spread") else 6))]:
            taints[(one["key"], one["effect"])] = one
    if m.p(m.gently(m.mostly("nodes", .25))):
        spec["unschedulable"] = True
    if m.p(.85 if spec else .01):
        taints[UNSCHEDULABLE] = {"key": UNSCHEDULABLE, "effect": "NoSchedule"}
    if taints:
        spec["taints"] = list(taints.values())
    return spec


def _allocatable(m):
    if m.tight:
        room = {"cpu": m.one([0, 1000, 2000, 4000, 8000, m.between(500, 16000)]),
                "memory": m.one([0, 2**30, 4 * 2**30, 8 * 2**30, m.between(10**8, 16 * 10**9)]),
                "ephemeral-storage": m.one([0, 10**9, 10 * 2**30, 100 * 2**30]), "pods": m.one([0, 2, 4, 8, 10, 110, 110, 110])}
    else:
        room = {"cpu": m.one([16000, 32000, 24500, m.between(8000, 40000)]),
                "memory": m.one([32 * 2**30, 64 * 2**30, 10**11, m.between(10**10, 10**11)]),
                "ephemeral-storage": 100 * 2**30, "pods": m.one([110] * 30 + [5])}
    for name in EXTENDED:
        if m.p(.45):
            room[name] = m.one([0, 1, 2, 4, 8])
    for name in HUGE:
        if m.p(.4):
            room[name] = m.one([0, 2**30, 2 * 2**30, 32 * 2**30])
    return {name: amount for name, amount in room.items() if m.p(.995)}


def _images(m):
    names = m.subset(IMAGES, m.one([0, .2, .5, .8] if m.about("nodes") else [0, .1, .3]))
    return [{"names": [name] + ([m.one(IMAGES)] if m.p(.1) else []),
             "sizeBytes": m.one([m.between(23 * MIB, 3000 * MIB)] + SIZES) if m.p(.7) else m.between(200, 1000) * MIB}
            for name in names]


def _declared(m):
    """Sorted and unique, as validation wants it."""
    return sorted(set(m.subset(FEATURES, m.one([.3, .6, .9])) + m.subset(OTHER_FEATURES, .2)))


def node(m, i):
    room = amounts.written(m, _allocatable(m))
    status = {"allocatable": room, "capacity": {**room}, "images": _images(m),
              "conditions": [{"type": "Ready", "status": "True"}]}
    if m.p(.8 if m.features else .3):
        status["declaredFeatures"] = _declared(m)
    return {"kind": "Node", "apiVersion": "v1", "metadata": {"name": f"n{i}", "uid": f"node-{i}", "labels": _labels(m, i)},
            "spec": _spec(m), "status": status}
