"""PersistentVolumes: those that a claim is bound to, and those that one could be bound to."""
from generate import drivers
from generate.selectors import node_term
from generate.words import APPS, DELETED, HOSTNAME, OLD_REGION, OLD_ZONE

BETA_CLASS = "volume.beta.kubernetes.io/storage-class"
ZONES = ["z1", "z1", "z2", "z1__z2", "z2__z3", "z1__", "__z1", "", "z1__z1", "z9", " z1", "z1____z2", "z2__ z1", "z1_z2"]
MODES = [["ReadWriteOnce"], ["ReadWriteOnce"], ["ReadWriteOnce", "ReadOnlyMany"], ["ReadWriteMany", "ReadWriteOnce"],
         ["ReadOnlyMany"], []]
KINDS = ["ebs", "gce", "azure", "cinder", "csi-a", "csi-a", "csi-b", "csi-long", "local", "nfs"]  # Limits are of the first 8.


def size(m):
    """An amount of storage. Which of several equal volumes is taken hangs on the order of a Go map: few are equal."""
    if m.p(.1):
        return m.one(["10Gi", "5Gi", "1e9", "1500M", "0"])
    return m.one([f"{m.between(1, 100)}Gi", f"{m.between(100, 100000)}Mi", f"{m.between(1, 10**11)}"])


def _required(m, storage):
    kind = m.between(0, 9)
    if kind <= 3:
        return [{"matchExpressions": [{"key": OLD_ZONE, "operator": "In", "values": m.some(["z1", "z2", "z3"], 1, 2)}]}]
    if kind <= 6:
        return [{"matchExpressions": [{"key": HOSTNAME, "operator": "In", "values": m.some(storage.node_names, 1, 4)}]}]
    if kind == 7:
        return [{"matchExpressions": [{"key": "absent", "operator": "DoesNotExist"}]}]
    if kind == 8:
        return [node_term(m, m.p(.2)) for _ in range(m.between(1, 2))]
    return m.one([[], [{}], [{"matchExpressions": []}, {"matchExpressions": [{"key": HOSTNAME, "operator": "Exists"}]}]])


def _volume(m, storage, name, class_name):
    meta = {"name": name, "uid": "uid-" + name, "resourceVersion": "1"}
    spec = {"capacity": {"storage": size(m)}, "accessModes": m.one(MODES[:4]) if m.p(.9) else m.one(MODES),
            "persistentVolumeReclaimPolicy": "Retain"}
    if class_name is not None:
        if m.p(.85):
            spec["storageClassName"] = class_name
        else:
            meta["annotations"] = {BETA_CLASS: class_name}
    if m.p(.5):
        spec["volumeMode"] = m.one(["Filesystem"] * 10 + ["Block"])
    meta["labels"] = {**_zone_labels(m, storage), **({"app": m.one(APPS)} if m.p(.5) else {})}
    if m.p({"binding": .6, "limits": .05, "zones": .15}.get(storage.mood, .1)):
        spec["nodeAffinity"] = {} if m.p(.03) else {"required": {"nodeSelectorTerms": _required(m, storage)}}
    return {"kind": "PersistentVolume", "apiVersion": "v1", "metadata": meta, "spec": spec, "status": {"phase": "Available"}}


def _zone_labels(m, storage):
    chance = {"zones": .7, "limits": .03, "binding": .2}.get(storage.mood, .1)
    labels = {}
    if m.p(chance):
        labels[OLD_ZONE] = m.one(ZONES)
    if m.p(chance / 3):
        labels[OLD_REGION] = m.one(["r1", "r1", "r2", "r1__r2", "r1__"])
    return labels


def bound(m, storage, claim):
    """The volume that a claim names. Its class need not be the claim's, nor its store the class's."""
    meta = claim["metadata"]
    volume = _volume(m, storage, claim["spec"]["volumeName"], claim["spec"].get("storageClassName"))
    kind = m.one(storage.kinds)
    handle = "" if m.p(.02) else f"vol-{m.between(0, 14)}"
    volume["spec"].update(drivers.source(kind, handle))
    volume["spec"]["claimRef"] = {"namespace": meta["namespace"], "name": meta["name"], "uid": meta["uid"]}
    volume["status"]["phase"] = m.one(["Bound"] * 9 + ["Released"])
    return volume


def _reserve(m, storage, volume):
    """Makes the volume one for a claim: this one, one of the same name that is gone, or one that nobody knows. Mostly
    it is of the claim's class and near its size, else the claim never sees it."""
    claim = m.one([c for c in storage.claims if not c["spec"].get("volumeName")] or storage.claims)
    meta, spec = claim["metadata"], claim["spec"]
    ref = {"namespace": meta["namespace"], "name": meta["name"]}
    if m.p(.6):
        ref["uid"] = meta["uid"] if m.p(.7) else m.one(["other-uid", ""])
    if m.p(.1):
        ref["name"] = "unknown"
    volume["spec"]["claimRef"] = ref
    if m.p(.8):
        volume["metadata"].pop("annotations", None)
        volume["spec"]["storageClassName"] = meta["annotations"].get(BETA_CLASS, spec.get("storageClassName", ""))
    if m.p(.7):
        volume["spec"]["capacity"]["storage"] = m.one([spec["resources"]["requests"]["storage"], "200Gi", "1"])


def _deface(m, volume):
    """What keeps a volume from being taken."""
    volume["status"]["phase"] = m.one(["Pending", "Released", "Failed", "Bound", "Available"])
    if m.p(.3):
        volume["metadata"]["deletionTimestamp"] = DELETED


def make_available(m, storage):
    """Volumes of the classes that claims wait for."""
    for _ in range({"binding": m.between(4, 16), "limits": 2, "zones": 3}.get(storage.mood, 1)):
        name = f"pv-{storage.next()}"
        volume = _volume(m, storage, name, m.one((storage.class_names() or ["ebs"]) + ["", None]))
        volume["spec"].update(drivers.source(m.one(KINDS), name))
        if m.p(.25) and storage.claims:
            _reserve(m, storage, volume)
        if m.p(.1):
            _deface(m, volume)
        storage.volumes.append(volume)
