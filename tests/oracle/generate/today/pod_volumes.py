"""The volumes of a pod: claims, disks inline, ephemeral ones, images."""
from generate.today import stores
from generate.today.words import IMAGES

OTHERS = [{"emptyDir": {}}, {"configMap": {"name": "c"}}, {"hostPath": {"path": "/x", "type": ""}},
          {"csi": {"driver": stores.CSI[0]}}, {"azureFile": {"secretName": "s", "shareName": "f"}},
          {"vsphereVolume": {"volumePath": "[d] v", "fsType": "ext4"}}]


def _shared(m):
    """Disks that conflict with one another; with the defaults that the API server gives them."""
    ro = {"readOnly": True} if m.p(.45) else {}
    kind = m.between(0, 7)
    if kind <= 1:
        return {"gcePersistentDisk": {"pdName": m.one(["d1", "d2"]), **ro}}
    if kind <= 3:
        return {"awsElasticBlockStore": {"volumeID": m.one(["vol-1", "vol-2", "aws://z/vol-2"]), **ro}}
    if kind <= 5:
        return {"rbd": {"monitors": m.some(["m1", "m2", "m3"], 1, 2), "image": m.one(["i1", "i2"]),
                        "pool": m.one(["rbd", "rbd", "p2"]), "user": "admin", "keyring": "/etc/ceph/keyring", **ro}}
    return {"iscsi": {"targetPortal": m.one(["1.2.3.4:3260", "5.6.7.8"]), "iqn": "iqn.2001-04.com.example:" + m.one("ab"),
                      "iscsiInterface": "default", "lun": m.one([0, 1]), **ro}}


def _claim(m, namespace, asked):
    names = m.storage.usable.get(namespace, [])
    if m.p(m.broken):
        names = m.storage.fatal.get(namespace) or names
    elif m.p(.06 if m.about("volumes") else .02) or not asked and m.p(.1):
        names = m.storage.refused.get(namespace, []) + ["missing"]
    return m.one(names or ["missing"])


def _inline(m):
    """Of a store that the cluster has: it counts by its driver."""
    kinds = [kind for kind in m.storage.kinds if kind in stores.IN_TREE] or sorted(stores.IN_TREE)
    return stores.source(m.one(kinds), f"vol-{m.between(0, 30)}", m.one([None, True]))


def _ephemeral(m, pod_name, name, namespace, asked):
    """A claim that is made from a template, of the pod's name and the volume's: the pod's own, another's, or not there yet."""
    template = {"metadata": {}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}},
                                         "volumeMode": "Filesystem"}}
    if m.p(.9 if m.storage.mood == "limits" else .75):
        kind = m.one(["bound", "waiting"]) if m.p(.85) or not asked else "lost"
        claim = m.storage.claim(m, f"{pod_name}-{name}", namespace, kind)
        owned = m.p(.88) if asked else m.p(1 - m.broken)
        owner = pod_name if owned else m.one(["someone", ""])
        if owner:
            claim["metadata"]["ownerReferences"] = [{"apiVersion": "v1", "kind": "Pod", "name": owner, "uid": "uid-" + owner,
                                                     "controller": True, "blockOwnerDeletion": True}]
        m.storage.claims.append(claim)
    return {"ephemeral": {"volumeClaimTemplate": template}}


def _volume(m, pod_name, name, namespace, asked):
    mood = m.storage.mood
    if m.p(m.rarely("nodes", .5, .06)):
        return {"image": {"reference": m.one(IMAGES), "pullPolicy": "IfNotPresent"}}
    if m.p(.1 if m.about("volumes") else .03):
        return _ephemeral(m, pod_name, name, namespace, asked)
    if m.p({"limits": .7, "binding": .9, "capacity": .95, "zones": .9, "attached": .8}.get(mood, .2)):
        return {"persistentVolumeClaim": {"claimName": _claim(m, namespace, asked)}}
    return _inline(m) if mood == "limits" else m.one(OTHERS) if m.p(.15) else _shared(m)


def volumes(m, pod_name, namespace, asked):
    if not m.p(.85 if m.about("volumes") else m.rarely("nodes", .3, .3 * max(m.trouble, .1))):
        return []
    out = []
    for i in range(m.between(1, 5 if m.storage.mood == "limits" else 2)):
        name = f"v{i}"
        out.append({"name": name, **_volume(m, pod_name, name, namespace, asked)})
    return out
