"""One seed's cluster for today's plugins, its configuration, and the pods that are asked about beside the pending ones."""
from generate.today import config, devices
from generate.today.nodes import node
from generate.today.pods import pod
from generate.today.storage import Storage
from generate.today.workloads import workloads


def _pods(m, names):
    """Some of them pending; in tight clusters more for each node, in half of all clusters more on some nodes."""
    count, crowd = len(names), m.between(3, 6) if not m.tight else m.between(4, 8)
    pending, even = .2, m.p(.5)

    def place():
        return m.one(names) if even else min(m.one(names), m.one(names))
    return [pod(m, f"p{i}", None if m.p(pending) else place() if m.p(.99) else "nowhere", count=count)
            for i in range(min(100, count * crowd))]


def make(m):
    """cluster.json, pods.json and config.json of a mood."""
    names = [f"n{i}" for i in range(m.between(6, 20) if m.p(.7 if m.gentle else .4) else m.between(3, 9))]
    rules = config.config(m)
    m.storage = Storage(m, names)
    nodes = [node(m, i) for i in range(len(names))]
    named = m.rarely("nodes", .15, .3 * m.trouble)
    given = [pod(m, f"g{i}", m.one(names + ["nowhere"]) if m.p(named) else None, True, len(names)) for i in range(6)]
    pods = _pods(m, names)
    items = nodes + pods + workloads(m) + m.storage.objects(m) + devices.equip(m, nodes, pods + given, m.about("devices"))
    if m.p(.3):
        m.r.shuffle(items)
    return {"cluster": _list(items), "pods": _list(given), "config": rules}


def _list(items):
    return {"kind": "List", "apiVersion": "v1", "items": items}
