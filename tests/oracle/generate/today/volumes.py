"""Today's PersistentVolumes: those that a claim is bound to, and those that one could be bound to."""
from generate.today import stores
from generate.today.node_affinity import term
from generate.words import DELETED, HOSTNAME, NEW_REGION, NEW_ZONE, OLD_REGION, OLD_ZONE

MODES = [["ReadWriteOnce"], ["ReadWriteOnce"], ["ReadWriteOnce", "ReadOnlyMany"], ["ReadWriteMany", "ReadWriteOnce"]]
ZONES = ["z1", "z1", "z2", "z1__z2", "z2__z3", "z3", "z1__z1"]
STATIC = ["csi-a", "csi-b", "local", "local", "nfs"]


def kinds(m, mood):
    """The stores of the cluster's volumes: in-tree ones are translated to CSI."""
    every = ["ebs", "gce", "azure", "cinder", "csi-a", "csi-a", "csi-b", "csi-c", "portworx", "local"]
    if mood == "limits":
        return m.r.sample(every[:-1], m.between(1, 3))
    return ["csi-a", "csi-b"] if mood == "capacity" else every


def _source(m, kind, serial):
    """The handles are few, so that volumes are the same at times; those of in-tree stores have a form of their own."""
    handle = f"vol-{m.between(0, 14)}" if m.p(.6) else f"vol-{serial}"
    return stores.source(kind, f"aws://z1/{handle}" if kind == "ebs" and m.p(.3) else handle)


def _required(m, storage):
    kind = m.between(0, 9)
    if kind <= 4:
        return [{"matchExpressions": [{"key": NEW_ZONE, "operator": "In", "values": m.some(["z1", "z2"], 1, 2)}]}]
    if kind <= 7:
        return [{"matchExpressions": [{"key": HOSTNAME, "operator": "In", "values": m.some(storage.node_names, 1, 4)}]}]
    if kind == 8:
        return [{"matchExpressions": [{"key": OLD_ZONE, "operator": "In", "values": ["z1"]}]}]
    return [term(m, False, len(storage.node_names)) for _ in range(m.between(1, 2))]


def _zone_labels(m, storage):
    chance = {"zones": .75, "limits": .03, "binding": .15}.get(storage.mood, .08)
    labels = {}
    if m.p(chance):
        labels[m.one([NEW_ZONE, NEW_ZONE, OLD_ZONE])] = m.one(ZONES)
    if m.p(chance / 3):
        labels[m.one([NEW_REGION, NEW_REGION, OLD_REGION])] = m.one(["r1", "r1", "r2", "r1__r2"])
    return labels


def _volume(m, storage, name, class_name, kind):
    meta = {"name": name, "uid": "uid-" + name, "resourceVersion": "1",
            "labels": {**_zone_labels(m, storage), **({"app": m.one(["web", "db"])} if m.p(.5) else {})}}
    if kind == "gce" and not {NEW_ZONE, OLD_ZONE} & set(meta["labels"]) and m.p(.98):
        meta["labels"][NEW_ZONE] = "z1"  # Without a zone it cannot be translated.
    spec = {"capacity": {"storage": storage.size(m)}, "accessModes": m.one(MODES), "persistentVolumeReclaimPolicy": "Retain",
            "storageClassName": class_name, "volumeMode": m.one(["Filesystem"] * 12 + ["Block"]),
            **_source(m, kind, storage.serial)}
    if m.p({"binding": .6, "limits": .05, "zones": .15}.get(storage.mood, .1)) or kind == "local":
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": _required(m, storage)}}
    return {"kind": "PersistentVolume", "apiVersion": "v1", "metadata": meta, "spec": spec, "status": {"phase": "Available"}}


def bound(m, storage, claim):
    """The volume that a claim names. Its class need not be the claim's, nor its store the class's."""
    meta = claim["metadata"]
    volume = _volume(m, storage, claim["spec"]["volumeName"], claim["spec"]["storageClassName"], m.one(storage.kinds))
    volume["spec"]["accessModes"] = claim["spec"]["accessModes"]
    volume["spec"]["claimRef"] = {"kind": "PersistentVolumeClaim", "apiVersion": "v1", "namespace": meta["namespace"],
                                  "name": meta["name"], "uid": meta["uid"]}
    volume["status"]["phase"] = m.one(["Bound"] * 9 + ["Released"])
    return volume


def _reserve(m, storage, volume):
    """Makes the volume one for a claim: this one, one of the same name that is gone, or one that nobody knows."""
    claim = m.one([c for c in storage.claims if not c["spec"].get("volumeName")] or storage.claims)
    meta, spec = claim["metadata"], claim["spec"]
    ref = {"kind": "PersistentVolumeClaim", "namespace": meta["namespace"], "name": meta["name"] if m.p(.9) else "unknown"}
    if m.p(.6):
        ref["uid"] = meta["uid"] if m.p(.7) else "other-uid"
    volume["spec"]["claimRef"] = ref
    if m.p(.8):
        volume["spec"]["storageClassName"] = spec["storageClassName"]


def _deface(m, volume):
    """What keeps a volume from being taken."""
    volume["status"]["phase"] = m.one(["Pending", "Released", "Failed", "Bound", "Available"])
    if m.p(.3):
        volume["metadata"]["deletionTimestamp"] = DELETED


def make_available(m, storage):
    """Volumes of the classes that claims wait for. Those of a local class are there or the pod waits."""
    for _ in range({"binding": m.between(6, 20), "capacity": 3, "limits": 2, "zones": 3}.get(storage.mood, 2)):
        waiting = [c["spec"]["storageClassName"] for c in storage.claims if not c["spec"].get("volumeName")]
        class_name = m.one(waiting) if waiting and m.p(.8) else m.one((storage.class_names() or ["ebs"]) + [""])
        volume = _volume(m, storage, f"pv-{storage.next()}", class_name, m.one(STATIC))
        if m.p(.2) and storage.claims:
            _reserve(m, storage, volume)
        if m.p(.08):
            _deface(m, volume)
        storage.volumes.append(volume)
