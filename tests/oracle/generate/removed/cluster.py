"""One seed's cluster for the removed plugins, its configuration, and the pods that are asked about beside the pending ones."""
from generate import drivers, pod_volumes
from generate.removed import config
from generate.removed.nodes import node
from generate.removed.pods import pod
from generate.removed.workloads import workloads
from generate.today.capacity import MIGRATED
from generate.today.storage import Storage


def csi_nodes(m, names):
    """What a node says is migrated. Of the in-tree stores the release believes it of Cinder alone."""
    out = []
    for name in names:
        if not m.anew.p(.6):
            continue
        meta, plugins = {"name": name}, m.anew.subset(list(drivers.IN_TREE.values()), .4)
        if m.anew.p(.85):
            meta["annotations"] = {MIGRATED: m.anew.one([",", ",", ",", ", "]).join(plugins)}
        out.append({"kind": "CSINode", "apiVersion": "storage.k8s.io/v1", "metadata": meta, "spec": {"drivers": []}})
    return out


def pods(m, names, pod):
    """Some of them pending; in half of all clusters more on some nodes; in some nodes that are nearly full of volumes."""
    even = m.p(.5)

    def place():
        return m.one(names) if even else min(m.one(names), m.one(names))
    out = [pod(m, f"p{i}", None if m.p(.2) else place() if m.p(.99) else "nowhere", count=len(names))
           for i in range(min(100, len(names) * m.between(3, 7)))]
    if m.storage.mood == "limits" and m.anew.p(.5):
        out += [pod_volumes.filler(m, f"fill-{i}", name) for i, name in enumerate(names) if m.anew.p(.5)]
    return out


def stores(m, names):
    """The volumes' storage, mostly for limits where volumes are what it is about; and its objects."""
    limits = m.about("volumes") or m.about("general") and m.p(.5)
    kinds = m.r.sample(sorted(drivers.IN_TREE), m.between(1, 3)) + m.anew.subset(["csi-a"], .2)
    m.storage = Storage(m, names, "limits", kinds) if limits else Storage(m, names, "little")


def store_objects(m):
    return m.storage.classes + m.storage.claims + m.storage.volumes


def make(m, version):
    """cluster.json, pods.json and config.json of a mood."""
    names = [f"n{i}" for i in range(m.between(6, 20) if m.p(.6) else m.between(2, 9))]
    rules = config.config(m, version)
    stores(m, names)
    nodes = [node(m, i) for i in range(len(names))]
    given = [pod(m, f"g{i}", m.one(names + ["nowhere"]) if m.p(.1) else None, True, len(names)) for i in range(6)]
    storage = store_objects(m)  # Before pods make claims of their own, of which some stay unknown.
    items = nodes + pods(m, names, pod) + workloads(m) + storage + csi_nodes(m, names)
    if m.p(.3):
        m.r.shuffle(items)
    return {"cluster": as_list(items), "pods": as_list(given), "config": rules}


def as_list(items):
    return {"kind": "List", "apiVersion": "v1", "items": items}
