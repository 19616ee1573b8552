"""Claims, volumes, classes, CSI drivers, their capacities and CSINodes, made before the pods so that these can name them."""
from generate.today import capacity, stores, volumes
from generate.today.amounts import spelled
from generate.words import DELETED, HOSTNAME, NEW_REGION, NEW_ZONE, OLD_ZONE

COMPLETED, SELECTED = "pv.kubernetes.io/bind-completed", "volume.kubernetes.io/selected-node"
BETA_CLASS = "volume.beta.kubernetes.io/storage-class"
MOODS = ["limits", "limits", "binding", "binding", "capacity", "capacity", "capacity", "zones", "attached"]
KINDS = {  # What a claim is, by what the cluster's volumes are about.
    "limits": {"bound": 16, "waiting": 5, "gone": .7},
    "binding": {"bound": 4, "waiting": 16, "selected": 2, "gone": .8},
    "capacity": {"waiting": 16, "bound": 1},
    "zones": {"bound": 16, "waiting": 3, "gone": .7},
    "attached": {"bound": 12, "once": 10, "waiting": 1},
    "little": {"bound": 8, "once": 2, "waiting": 3}}
REFUSED = {"immediate": 6, "half": 3, "deleted": 4, "lost": 4, "classless": 3}  # Before any node is looked at.
FATAL = {"unclassed": 1, "nomode": 1}  # Fails the pod's whole cycle.


class Storage:
    """All of it; `usable`, `refused` and `fatal` list claim names by namespace."""

    def __init__(self, m, node_names, mood=None, kinds=None):
        self.mood = mood or (m.one(MOODS) if m.about("volumes") else "little")
        self.node_names, self.serial = node_names, 0
        self.kinds = kinds or volumes.kinds(m, self.mood)
        self.classes, self.claims, self.volumes = self._classes(m), [], []
        self.usable, self.refused, self.fatal = {}, {}, {}
        for namespace, count in (("default", 12), ("other", 4), ("bare", 2)):
            self._make_claims(m, namespace, count if m.about("volumes") else 4)
        volumes.make_available(m, self)

    def objects(self, m):
        return self.classes + self.claims + self.volumes + capacity.objects(m, self)

    def class_names(self):
        return [c["metadata"]["name"] for c in self.classes if c["metadata"]["name"] not in ("now", "nomode")]

    def next(self):
        self.serial += 1
        return self.serial

    def size(self, m):
        """No two are equal: which of equal volumes is taken hangs on the order of a Go map."""
        return spelled(m, "storage", m.between(1, 100) * 2**30 + self.next() * 2**20)

    def _classes(self, m):
        out = []
        for name, provisioner in stores.PROVISIONERS.items():
            c = {"kind": "StorageClass", "apiVersion": "storage.k8s.io/v1", "metadata": {"name": name, "uid": "class-" + name},
                 "provisioner": provisioner, "reclaimPolicy": "Delete",
                 "volumeBindingMode": "Immediate" if name == "now" else "WaitForFirstConsumer"}
            if m.p(.4 if self.mood == "binding" else .1):
                c["allowedTopologies"] = _topologies(m, self.node_names)
            out += [c] if m.p(.9) or self.mood == "capacity" else []
        nomode = {"kind": "StorageClass", "apiVersion": "storage.k8s.io/v1", "metadata": {"name": "nomode"},
                  "provisioner": "kubernetes.io/aws-ebs"}
        return out + [nomode] if m.p(.7) else out  # No API server gives it back like this.

    def _make_claims(self, m, namespace, count):
        for names in (self.usable, self.refused, self.fatal):
            names[namespace] = []
        for i in range(count):
            self._add_claim(m, f"c{i}", namespace, m.weighted(KINDS[self.mood]), self.usable)
        for i in range(3 if m.about("volumes") else 1):
            self._add_claim(m, f"refused-{i}", namespace, m.weighted(REFUSED), self.refused)
        self._add_claim(m, "fatal", namespace, m.weighted(FATAL), self.fatal)

    def _add_claim(self, m, name, namespace, kind, names):
        self.claims.append(self.claim(m, name, namespace, kind))
        names[namespace].append(name)

    def claim(self, m, name, namespace, kind):
        """A new claim, and the volume that it is bound to; not yet among the cluster's."""
        meta = {"name": name, "namespace": namespace, "uid": f"claim-{namespace}-{name}", "resourceVersion": "1"}
        spec = {"accessModes": ["ReadWriteOncePod"] if kind == "once" else m.one(
            [["ReadWriteOnce"]] * 9 + [["ReadWriteMany"], ["ReadOnlyMany", "ReadWriteOnce"], ["ReadWriteOncePod"]]),
                "resources": {"requests": {"storage": self.size(m)}}, "volumeMode": m.one(["Filesystem"] * 12 + ["Block"])}
        claim = {"kind": "PersistentVolumeClaim", "apiVersion": "v1", "metadata": meta, "spec": spec, "status": {
            "phase": "Lost" if kind == "lost" else "Bound" if kind in ("bound", "once", "gone") else "Pending"}}
        if kind == "waiting" and m.p(.12):
            spec["selector"] = {"matchLabels": {"app": m.one(["web", "db"])}}
        self._set_class(m, claim, kind)
        self._set_binding(m, claim, kind)
        return claim

    def _set_class(self, m, claim, kind):
        special = {"immediate": "now", "classless": "", "unclassed": "absent", "nomode": "nomode"}
        name = special.get(kind)
        if name is None:
            fitting = [name for name in self.class_names() if name in self.kinds] if self.mood in ("limits", "capacity") else []
            name = m.one(fitting or self.class_names() or ["ebs"])
        if m.p(.1) and name:  # The annotation outranks the field.
            claim["metadata"].setdefault("annotations", {})[BETA_CLASS] = name
            name = m.one([name, "ebs", "absent"])
        claim["spec"]["storageClassName"] = name

    def _set_binding(self, m, claim, kind):
        meta, spec = claim["metadata"], claim["spec"]
        if kind == "deleted":
            meta.update(deletionTimestamp=DELETED, finalizers=["kubernetes.io/pvc-protection"])
        if kind in ("bound", "once", "gone", "half", "deleted", "lost"):
            spec["volumeName"] = "gone" if kind in ("gone", "lost") else f"pv-{self.next()}"
        if kind in ("bound", "once", "gone", "deleted", "lost"):
            meta.setdefault("annotations", {})[COMPLETED] = "yes"
        if kind == "selected":
            meta.setdefault("annotations", {})[SELECTED] = m.one(self.node_names)
        if kind in ("bound", "once", "half", "deleted"):
            self.volumes.append(volumes.bound(m, self, claim))


def _topologies(m, node_names):
    def expression():
        return m.one([{"key": NEW_ZONE, "values": m.r.sample(["z1", "z2", "z3"], m.between(1, 2))},
                      {"key": NEW_ZONE, "values": ["z1", "z2"]}, {"key": NEW_REGION, "values": ["r1"]},
                      {"key": OLD_ZONE, "values": ["z1"]}, {"key": "disktype", "values": ["ssd"]},
                      {"key": HOSTNAME, "values": sorted(set(m.some(node_names, 1, 4)))}])
    def term():
        one, other = expression(), expression()
        return {"matchLabelExpressions": [one] if m.p(.7) or one["key"] == other["key"] else [one, other]}
    terms = [term(), term()] if m.p(.3) else [term()]
    return terms if terms[0] != terms[-1] else terms[:1]
