"""The volumes of a pod, and pods that fill a node up to a limit."""
from generate import drivers

OTHERS = [{"emptyDir": {}}, {"configMap": {"name": "c"}}, {"hostPath": {"path": "/x", "type": ""}},
          {"csi": {"driver": drivers.CSI[0]}}]


def _shared(m):
    """Disks that conflict with one another."""
    ro = m.one([None, True, False, True])
    kind = m.between(0, 8)
    if kind <= 1:
        return drivers.source("gce", m.one(["d1", "d2", ""]), ro)
    if kind == 2:
        return drivers.source("ebs", m.one(["d1", "vol-2", "aws://z/vol-2"]), ro)
    extra = {} if ro is None else {"readOnly": ro}
    if kind <= 5:
        rbd = {"monitors": m.some(["m1", "m2", "m3"], 1, 3), "image": m.one(["i1", "i2"]), **extra}
        if m.p(.7):
            rbd["pool"] = m.one(["rbd", "p2", ""])
        return {"rbd": rbd}
    if kind <= 7:
        return {"iscsi": {"targetPortal": m.one(["1.2.3.4:3260", "5.6.7.8"]), "iqn": m.one(["iqn.a", "iqn.b"]),
                          "lun": m.one([0, 1]), **extra}}
    return m.one(OTHERS)


def _claim(m, namespace, asked):
    usable = m.storage.usable.get(namespace, [])
    broken = m.storage.broken.get(namespace, [])
    if not usable or m.p(.05 if asked else .12):
        return m.one(broken) if broken and m.p(.8) else "" if m.p(.05) else "missing"
    return m.one(usable)


def _volume(m, namespace, asked):
    csi = any(kind.startswith("csi") for kind in m.storage.kinds)
    claims = {"limits": .75 if csi else .4, "binding": .9, "zones": .9}.get(m.storage.mood, .12)
    if m.p(claims) and (m.storage.usable or m.p(.3)):
        return {"persistentVolumeClaim": {"claimName": _claim(m, namespace, asked)}}
    if m.storage.mood == "limits":
        kinds = [kind for kind in m.storage.kinds if kind in drivers.IN_TREE] or sorted(drivers.IN_TREE)
        return drivers.source(m.one(kinds), f"vol-{m.between(0, 30)}", m.one([None, True]))
    return m.one(OTHERS) if m.p(.15) else _shared(m)


def volumes(m, namespace, asked):
    chance = .85 if m.about("volumes") or m.disks else .3 * max(m.trouble, .1)
    if not m.p(chance):
        return []
    most = 6 if m.storage.mood == "limits" else 3
    return [{"name": f"v{i}", **_volume(m, namespace, asked)} for i in range(m.between(1, most))]


def node_limits(m, node):
    """Limits in the node's allocatable, small enough to be reached."""
    if m.storage.mood != "limits":
        return
    for key in drivers.LIMIT_KEYS:
        if m.p(.5):
            node["status"]["allocatable"][key] = str(m.between(0, 6) if m.p(.7) else m.between(5, 15))


def filler(m, name, node_name):
    """A pod whose volumes bring a node near the limit that stands where no allocatable says another."""
    kind = m.one([kind for kind in m.storage.kinds if kind in drivers.IN_TREE] or ["ebs", "gce", "azure"])
    count = m.one(drivers.DEFAULT_LIMITS[kind]) + m.between(-5, 1)
    spec = {"nodeName": node_name, "containers": [{"name": "c", "image": "x"}],
            "volumes": [{"name": f"v{i}", **drivers.source(kind, f"{name}-{i}")} for i in range(count)]}
    return {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": name, "namespace": "default", "uid": "uid-" + name},
            "spec": spec, "status": {"phase": "Running"}}
