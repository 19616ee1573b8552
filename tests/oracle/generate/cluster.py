"""One seed's cluster, its policy, and the pods that are asked about beside the pending ones."""
from generate import policy
from generate.nodes import node
from generate.pods import pod
from generate.pod_volumes import filler, node_limits
from generate.storage import Storage, csi_nodes
from generate.workloads import workloads


def _pods(m, names):
    count = m.between(30, 100) if m.about("general") else m.between(15, 60)
    pending = .15 if m.about("general") else .2
    out = [pod(m, f"p{i}", None if m.p(pending) else m.one(names) if m.p(.98) else "nowhere") for i in range(count)]
    if m.storage.mood == "limits" and m.p(.6):
        out += [filler(m, f"fill-{i}", name) for i, name in enumerate(names) if m.p(.5)]
    return out


def make(m):
    """cluster.json, pods.json, policy.json and gates.json of a mood."""
    count = m.between(3, 15) if m.about("general") else m.between(3, 10)
    names = [f"n{i}" for i in range(count)]
    m.storage = Storage(m, names)
    nodes = [node(m, i) for i in range(count)]
    for one in nodes:
        node_limits(m, one)
    given = [pod(m, f"g{i}", m.one(names + ["nowhere"]) if m.p(.3 * m.trouble) else None, given=True) for i in range(6)]
    items = nodes + _pods(m, names) + workloads(m) + m.storage.objects() + csi_nodes(m, names)
    if m.p(.3):
        m.r.shuffle(items)
    rules = policy.policy(m)
    return {"cluster": _list(items), "pods": _list(given), "policy": rules, "gates": policy.gates(m, rules)}


def _list(items):
    return {"kind": "List", "apiVersion": "v1", "items": items}
