"""Tolerations, with the few that only an old object or a gate brings."""
from generate.words import EFFECTS

DEFAULT = [{"key": f"node.kubernetes.io/{what}", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
           for what in ("not-ready", "unreachable")]
KEYS = ["dedicated", "dedicated", "gpu", "a", "b", "node.kubernetes.io/unschedulable", "node.kubernetes.io/not-ready", "num"]


def _toleration(m):
    t = {"key": m.one(KEYS), "operator": m.one(["Exists", "Exists", "Equal"])}
    if m.p(.03):
        t["operator"] = m.one(["Gt", "Lt"])  # Behind a gate that is off: tolerates nothing.
        t["value"] = m.one(["4", "5", "10"])
    elif m.p(.06):
        t = {"operator": "Exists"}
    elif m.p(.03):
        t = {"operator": "Equal", "value": m.one(["x", "y", "true"])}  # No API server lets it through; values alone count.
    elif t["operator"] == "Equal":
        t["value"] = m.one(["x", "y", "", "true", "5"])
    if m.p(.6):
        t["effect"] = m.one(EFFECTS)
        if t["effect"] == "NoExecute" and m.p(.4):
            t["tolerationSeconds"] = m.one([0, 300, -1])
    return t


def tolerations(m):
    out = [_toleration(m) for _ in range(m.between(1, 4))] if m.p(m.rarely("nodes", .6, .2)) else []
    return out + (DEFAULT if m.p(.8) else [])
