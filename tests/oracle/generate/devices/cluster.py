"""One seed's cluster with devices, and its configuration."""
from generate.devices.claims import Claims
from generate.devices.classes import classes
from generate.devices.fleet import Fleet
from generate.devices.pods import Pods
from generate.devices.words import GPU, HOSTNAME, IMPLICIT, NIC, ZONE

ABOUT = {"subject": "devices"}  # What compare.py looks for: a configuration does not tell.


def _node(m, name):
    room = {"cpu": m.one(["2", "8", "16", "16", "32"]), "memory": m.one(["4Gi", "32Gi", "64Gi", "64Gi"]), "pods": m.one(["110"] * 20 + ["1"])}
    for resource in (GPU, NIC):
        if m.p(m.rarely("extended", .35, .05)):
            room[resource] = m.one(["0", "1", "2", "8"])
    labels = {HOSTNAME: name}
    if m.p(.9):
        labels[ZONE] = m.one(["z1", "z2"])
    return {"kind": "Node", "apiVersion": "v1", "metadata": {"name": name, "uid": f"uid-{name}", "labels": labels},
            "status": {"capacity": dict(room), "allocatable": room}}


def _strategy(m):
    """Resources of devices may count in the scores of NodeResourcesFit and NodeResourcesBalancedAllocation."""
    resources = [{"name": "cpu", "weight": 1}]
    for name in (GPU, NIC, IMPLICIT + "gpu", IMPLICIT + "any"):
        if m.p(.4):
            resources.append({"name": name, "weight": m.between(1, 5)})
    return resources


def _balanced(m):
    """NodeResourcesBalancedAllocation can look at devices of a class without selectors. Of others upstream dies: it has no cache
    for compiled CEL there (resource_allocation.go deviceMatchesClass v1.37.2)."""
    return [GPU] if m.p(.02) else m.subset([IMPLICIT + "any"], .5)


def _config(m):
    plugin_config = []
    if m.p(m.rarely("extended", .7, .15)):
        kind = m.one(["LeastAllocated", "MostAllocated"])
        plugin_config.append({"name": "NodeResourcesFit", "args": {"scoringStrategy": {"type": kind, "resources": _strategy(m)}}})
        balanced = [{"name": name, "weight": 1} for name in ["cpu", "memory", *_balanced(m)]]
        plugin_config.append({"name": "NodeResourcesBalancedAllocation", "args": {"resources": balanced}})
    if m.p(.2):
        plugin_config.append({"name": "DynamicResources", "args": {"bindingTimeout": m.one(["1s", "60s", "86400s"])}})
    profile = {"schedulerName": "default-scheduler"}
    if plugin_config:
        profile["pluginConfig"] = plugin_config
    return {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "profiles": [profile]}


def make(m):
    """cluster.json, config.json and about.json of a mood."""
    names = [f"n{i}" for i in range(m.between(3, 8))]
    nodes = [_node(m, name) for name in names]
    fleet = Fleet(m, names)
    claims = Claims(m, fleet)
    pods = Pods(m, fleet, claims)
    pods.running(m.between(0, 4))
    pods.idle(m.between(0, 3) if m.p(m.rarely("claims", 1, .5)) else 0)
    pods.waiting(m.between(4, 10))
    items = nodes + classes(m) + fleet.slices + fleet.rules(m) + claims.items + pods.items
    if m.p(.3):
        m.r.shuffle(items)
    return {"cluster": {"kind": "List", "apiVersion": "v1", "items": items}, "config": _config(m), "about": ABOUT}
