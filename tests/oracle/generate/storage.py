"""Claims, persistent volumes, classes and CSINodes of a cluster, made before its pods so that pods can name them."""
from generate import drivers
from generate import persistent
from generate.selectors import label_selector
from generate.words import DELETED, OLD_REGION, OLD_ZONE

BETA_CLASS = "volume.beta.kubernetes.io/storage-class"
SELECTED = "volume.kubernetes.io/selected-node"
COMPLETED = "pv.kubernetes.io/bind-completed"
KINDS = {  # What a claim is, by what the cluster's volumes are about.
    "limits": {"bound": 16, "waiting": 5, "lost": 1},
    "binding": {"bound": 4, "waiting": 16, "selected": 1, "lost": .2},
    "zones": {"bound": 16, "waiting": 3, "lost": .2},
    "little": {"bound": 8, "waiting": 3},
}
BROKEN = {"immediate": 4, "half": 3, "deleted": 3, "bare": 2, "unclassed": 4, "lost": 2}
# What makes an error of every pod that has it. The rest only changes what a limit counts.


class Storage:
    """All of it; `usable` and `broken` list claim names by namespace."""

    def __init__(self, m, node_names):
        self.mood = m.one(["limits", "limits", "binding", "binding", "zones"]) if m.about("volumes") else "little"
        self.node_names = node_names
        self.kinds = m.r.sample(persistent.KINDS[:8], m.between(1, 3)) if self.mood == "limits" else persistent.KINDS
        self.classes, self.claims, self.volumes = [], [], []
        self.usable, self.broken = {}, {}
        self.serial = 0
        if self.mood == "little" and not m.p(.6):
            return
        self._make_classes(m)
        for namespace, count in (("default", 12), ("other", 5)):
            self._make_claims(m, namespace, count if m.about("volumes") else 3)
        persistent.make_available(m, self)

    def objects(self):
        return self.classes + self.claims + self.volumes

    def class_names(self):
        return [c["metadata"]["name"] for c in self.classes if c["metadata"]["name"] not in ("now", "nomode")]

    def next(self):
        self.serial += 1
        return self.serial

    def _make_classes(self, m):
        for name, provisioner in drivers.PROVISIONERS.items():
            if not m.p(.8):
                continue
            c = {"kind": "StorageClass", "apiVersion": "storage.k8s.io/v1", "metadata": {"name": name},
                 "provisioner": provisioner, "reclaimPolicy": "Delete",
                 "volumeBindingMode": "Immediate" if name == "now" or m.p(.08) else "WaitForFirstConsumer"}
            if m.p(.35):
                c["allowedTopologies"] = _topologies(m, self.node_names)
            self.classes.append(c)
        if m.p(.3):
            self.classes.append({"kind": "StorageClass", "apiVersion": "storage.k8s.io/v1", "metadata": {"name": "nomode"},
                                 "provisioner": "kubernetes.io/aws-ebs"})

    def _make_claims(self, m, namespace, count):
        self.usable[namespace], self.broken[namespace] = [], []
        for i in range(count):
            usable = m.p(.85)
            kind = m.weighted(KINDS[self.mood] if usable else BROKEN)
            claim = self._claim(m, f"c{i}", namespace, kind)
            self.claims.append(claim)
            (self.usable if usable else self.broken)[namespace].append(claim["metadata"]["name"])

    def _claim(self, m, name, namespace, kind):
        meta = {"name": name, "namespace": namespace, "uid": f"claim-{namespace}-{name}", "resourceVersion": "1"}
        spec = {"accessModes": m.one([["ReadWriteOnce"]] * 4 + [["ReadWriteMany"], ["ReadOnlyMany", "ReadWriteOnce"]]),
                "resources": {"requests": {"storage": persistent.size(m)}}}
        claim = {"kind": "PersistentVolumeClaim", "apiVersion": "v1", "metadata": meta, "spec": spec,
                 "status": {"phase": "Bound" if kind in ("bound", "lost") else "Pending"}}
        if m.p(.6):
            spec["volumeMode"] = m.one(["Filesystem"] * 8 + ["Block"])
        if m.p(.12):
            spec["selector"] = label_selector(m, .02)
        self._set_class(m, claim, kind)
        self._set_binding(m, claim, kind)
        return claim

    def _set_class(self, m, claim, kind):
        if kind == "bare":
            return
        if kind == "immediate":
            name = "now"
        elif kind == "unclassed":
            name = m.one(["absent", "nomode"])
        else:
            fitting = [name for name in self.class_names() if name in self.kinds] if self.mood == "limits" else []
            name = m.one(fitting or self.class_names() or ["ebs"])
        by_annotation = m.p(.2)
        if by_annotation:
            claim["metadata"].setdefault("annotations", {})[BETA_CLASS] = name
        if not by_annotation or m.p(.3):
            claim["spec"]["storageClassName"] = name if not by_annotation else m.one(["ebs", "absent", ""])

    def _set_binding(self, m, claim, kind):
        annotations = claim["metadata"].setdefault("annotations", {})
        if kind == "deleted":
            claim["metadata"]["deletionTimestamp"] = DELETED
        if kind in ("bound", "lost", "half", "deleted"):
            claim["spec"]["volumeName"] = "gone" if kind == "lost" else f"pv-{self.next()}"
        if kind in ("bound", "lost", "deleted"):
            annotations[COMPLETED] = m.one(["yes", "yes", ""])
        if kind == "selected":
            annotations[SELECTED] = m.one(self.node_names + ["nowhere"])
        if kind in ("bound", "half", "deleted") and m.p(.97):
            self.volumes.append(persistent.bound(m, self, claim))


def _topologies(m, node_names):
    def expression():
        return m.one([{"key": OLD_ZONE, "values": m.some(["z1", "z2", "z3"], 1, 2)},
                      {"key": OLD_ZONE, "values": ["z1", "z2"]}, {"key": OLD_REGION, "values": ["r1"]},
                      {"key": "disktype", "values": ["ssd"]}, {"key": "tier", "values": ["not valid!", "a"]},
                      {"key": "kubernetes.io/hostname", "values": m.some(node_names, 1, 4)}])
    if m.p(.1):
        return m.one([[], [{}], [{"matchLabelExpressions": []}], [{"matchLabelExpressions": [{"key": OLD_ZONE, "values": []}]}]])
    return [{"matchLabelExpressions": [expression() for _ in range(m.one([1, 1, 2]))]} for _ in range(m.one([1, 1, 2]))]


def csi_nodes(m, node_names):
    """A CSINode for most nodes, with limits small enough to be reached."""
    out = []
    for name in node_names:
        if not m.p(m.rarely("volumes", .75, .1)):
            continue
        meta = {"name": name}
        if m.p(.1):  # Migration is off at default gates, so this changes nothing.
            meta["annotations"] = {"storage.alpha.kubernetes.io/migrated-plugins": "kubernetes.io/aws-ebs,kubernetes.io/gce-pd"}
        found = [_csi_driver(m, driver) for driver in drivers.CSI if m.p(.75)]
        out.append({"kind": "CSINode", "apiVersion": "storage.k8s.io/v1", "metadata": meta, "spec": {"drivers": found}})
    return out


def _csi_driver(m, name):
    driver = {"name": name, "nodeID": "x", "topologyKeys": None if m.p(.5) else [OLD_ZONE]}
    if m.p(.8):
        driver["allocatable"] = {} if m.p(.1) else {"count": m.one([0, 1, 2, 2, 3, 3, 4, 5, 20])}
    return driver
