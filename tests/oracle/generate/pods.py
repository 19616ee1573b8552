"""Pods: what they ask for, tolerate, prefer; volumes and affinities have files of their own."""
from generate import affinity
from generate import pod_volumes
from generate.quantities import requests
from generate.selectors import node_term
from generate.words import APPS, DELETED, EFFECTS, IMAGES, KEYS, NAMESPACES, TIERS, VALUES

OWNERS = ["ReplicaSet", "ReplicationController", "StatefulSet", "ReplicaSet"]
DEFAULT_TOLERATIONS = [{"key": f"node.kubernetes.io/{what}", "operator": "Exists", "effect": "NoExecute",
                        "tolerationSeconds": 300} for what in ("not-ready", "unreachable")]


def _ports(m):
    out = []
    for _ in range(m.between(1, 3)):
        port = {"containerPort": 80}
        if m.p(.75):
            port["hostPort"] = m.one([80, 80, 443, 8080, 0])
        if m.p(.6):
            port["protocol"] = m.one(["TCP", "UDP", "SCTP", "", "TCP"])
        if m.p(.5):
            port["hostIP"] = m.one(["", "0.0.0.0", "127.0.0.1", "::", "10.0.0.1"])
        out.append(port)
    return out


def _container(m, name, asks):
    c = {"name": name, "image": m.one(IMAGES)}
    if m.p(.65 * asks):
        c["resources"] = {"requests": requests(m)}
        if m.p(.3):
            c["resources"]["limits"] = requests(m)
    elif m.p(.1 if m.pressed else .5):
        c["resources"] = m.one([{}, {"requests": {}}, {"limits": {"cpu": "0"}}, {"limits": {"memory": "1Gi"}}])
    if m.p(m.rarely("resources", .5, 0)):
        c.setdefault("resources", {})["limits"] = m.one([{"cpu": "18"}, {"memory": "34Gi"}, {"cpu": "25", "memory": "1Gi"}, {}])
    if m.p(.25 * m.trouble):
        c["ports"] = _ports(m)
    return c


def _containers(m, spec):
    asks = m.one([1, 0, 0] if m.pressed else [1, 1, 1, 0])
    spec["containers"] = [_container(m, f"c{i}", asks) for i in range(m.between(1, 3))]
    if m.p(.2):
        spec["initContainers"] = [_container(m, f"i{i}", asks) for i in range(m.between(1, 2))]
        if m.p(.1):
            spec["initContainers"][0]["restartPolicy"] = "Always"


def _toleration(m):
    t = {}
    if m.p(.8):
        t["key"] = m.one(["dedicated", "gpu", "a", "b", "", "node.kubernetes.io/unschedulable",
                          "node.kubernetes.io/not-ready"])
    if m.p(.7):
        t["operator"] = m.one(["Exists", "Equal", "", "Exists", "Gt", "exists"])
    if m.p(.5):
        t["value"] = m.one(["x", "y", "", "true"])
    if m.p(.6):
        t["effect"] = m.one(EFFECTS + [""])
    if m.p(.1):
        t["tolerationSeconds"] = m.one([0, 300, -1])
    return t


def _node_affinity(m):
    a = {}
    if m.p(.5):
        wild = m.p(.5)
        a[affinity.REQUIRED] = {"nodeSelectorTerms": [node_term(m, wild) for _ in range(m.between(0 if m.p(.1) else 1, 3))]}
    if m.p(.6):
        wild = m.p(.15)
        a[affinity.PREFERRED] = [{"weight": m.one([1, 2, 3, 50, 100, 7] + ([0] if wild else [])),
                                  "preference": node_term(m, wild)} for _ in range(m.between(1, 4))]
    return a


def _preferred_only(m):
    return {affinity.PREFERRED: [{"weight": m.between(1, 100), "preference": node_term(m, False)}
                                 for _ in range(m.between(1, 6))]}


def _node_selector(m):
    if m.p(.06):
        return m.one([{"disktype": "not valid!"}, {"bad key": "x"}, {"disktype": "x" * 64}])
    return {m.one(KEYS): m.one(VALUES) for _ in range(m.between(0, 2))}


def _where(m, spec):
    """nodeSelector and nodeAffinity of an incoming pod."""
    if m.p(.2 * max(m.trouble, m.rarely("spread", .8, 0))) and not m.scoring:
        spec["nodeSelector"] = _node_selector(m)
    if m.about("spread") and m.p(.15):
        spec["nodeSelector"] = m.one([{"disktype": "ssd"}, {"tier": "a"}])
    if m.scoring:
        if m.p(.8):
            spec["affinity"] = {"nodeAffinity": _preferred_only(m)}
    elif m.p(.45 * max(m.trouble, .1)):
        spec["affinity"] = m.one([{}, {"nodeAffinity": {}}]) if m.p(.08) else {"nodeAffinity": _node_affinity(m)}


def labels(m):
    out = {}
    if m.p(.85):
        out["app"] = m.one(APPS)
    if m.p(.5):
        out["tier"] = m.one(TIERS)
    if m.p(.2):
        out["version"] = m.one(["1", "2"])
    if m.p(m.rarely("services", .75, 0)):  # So that few pods have all of a pod's labels.
        out["copy"] = str(m.between(0, 15))
    return out


def _metadata(m, name, given):
    spread_out = NAMESPACES if m.about("general") and not m.scoring else ["default"] * 9 + ["other"]
    meta = {"name": name, "namespace": m.one(spread_out), "uid": "uid-" + name}
    own = labels(m)
    if own or m.p(.5):
        meta["labels"] = own
    if m.p(.12 if not given else .02):
        meta["deletionTimestamp"] = DELETED
    if m.p(.5):
        meta["ownerReferences"] = [
            {"apiVersion": "apps/v1", "kind": m.one(OWNERS), "name": m.one(["web", "db"]), "uid": m.one(["u1", "u2", "u3", ""]),
             **m.one([{"controller": True}, {"controller": True}, {"controller": False}, {}])}
            for _ in range(m.between(1, 2))]
    return meta


def _later_fields(m, spec, status):
    """What today's pods have and v1.16 does not know."""
    if m.p(.06):
        spec["overhead"] = {"cpu": "250m", "memory": "64Mi"}
    if m.p(.03):
        spec["resources"] = {"requests": {"cpu": "500m", "memory": "1Gi"}}
    if m.p(.03):
        status["containerStatuses"] = [{"name": "c0", "allocatedResources": {"cpu": "700m"},
                                        "resources": {"requests": {"cpu": "900m"}}}]
    if m.p(.03):
        status["conditions"] = [{"type": "PodResizePending", "status": "True", "reason": "Infeasible"}]
    if m.p(.02):
        spec.update({k: None for k in ("volumes", "tolerations", "affinity", "nodeSelector") if k not in spec})


def pod(m, name, node=None, given=False):
    """A pod on a node, or pending. A given one stands outside the cluster; it may name its node all the same."""
    meta, spec = _metadata(m, name, given), {}
    asked = given or not node
    _containers(m, spec)
    if node:
        spec["nodeName"] = node
    volumes = pod_volumes.volumes(m, meta["namespace"], asked)
    if volumes:
        spec["volumes"] = volumes
    if m.p(.45):
        spec["tolerations"] = [_toleration(m) for _ in range(m.between(0, 4))] + (DEFAULT_TOLERATIONS if m.p(.2) else [])
    if asked:
        _where(m, spec)
    own = affinity.pod_affinity(m, meta.get("labels", {}), asked)
    if own:
        spec["affinity"] = {**spec.get("affinity", {}), **own}
    constraints = affinity.spread_constraints(m, meta.get("labels", {}), asked)
    if constraints:
        spec["topologySpreadConstraints"] = constraints
    status = {"phase": "Running" if node else "Pending"}
    _later_fields(m, spec, status)
    if node and not given and m.p(.06):
        status["phase"] = m.one(["Succeeded", "Failed", "Unknown", "Pending"])
    return {"kind": "Pod", "apiVersion": "v1", "metadata": meta, "spec": spec, "status": status}
