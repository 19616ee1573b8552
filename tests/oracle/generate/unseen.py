"""Writes objects as people write them: without what an API server fills in, and with what it refuses. An object a line.

    python3 -m generate.unseen FILE FIRST COUNT

One seed, one object: the same on every machine. Nine in ten are pods.
"""
import json
import sys

from generate.dice import Dice

KEYS = ["app", "tier", "example.com/team", "app", "tier", "bad key", "", "a/b/c", "-x", "x" * 64, "Upper.example/X", "ok/" + "y" * 63]
GOOD_KEYS = ["app", "tier", "example.com/team", "pod-template-hash"]
VALUES = ["web", "db", "", "1", "web", "not valid!", "x" * 64, "-a", "ok_1.2"]
NAMES = ["a", "b", "main", "a", "Upper", "", "x" * 64, "dots.in.name", "-a"]
AMOUNTS = ["1", "2", "100m", "1500m", "1Gi", "512Mi", "0", "-1", "0.5", "1e3", "100u", "1n", "0.0001", "1.5", "4Gi", "3", "2Mi", "6Mi",
           "1000000000001u", "9223372036854775807", "1.5Gi", "0.1Mi", "9E"]
COMPUTE = ["cpu", "memory", "cpu", "memory", "ephemeral-storage"]
RESOURCES = COMPUTE + ["hugepages-2Mi", "hugepages-1Gi", "example.com/gpu", "nvidia.com/gpu", "hugepages-x", "pods", "bad name", "storage",
                       "kubernetes.io/odd", "requests.example.com/x", "a/b/c", "example.com/" + "z" * 60]
OPERATORS = ["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "in", ""]
EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute", "", "Never"]
PORTS = [80, 443, 0, 8080, -1, 65535, 65536, 70000]
REQUIRED, PREFERRED = "requiredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution"


class Writer(Dice):
    """Somebody who writes objects. `care` is how often a field is good."""

    def __init__(self, seed):
        super().__init__(f"unseen {seed}")
        self.care = self.one([1, .98, .9, .6])

    def good(self):
        return self.p(self.care)

    def key(self):
        return self.one(GOOD_KEYS) if self.good() else self.one(KEYS)

    def value(self):
        return self.one(["web", "db", "", "1"]) if self.good() else self.one(VALUES)

    def labels(self, most=3):
        return {self.key(): self.value() for _ in range(self.between(0, most))}

    def name(self, good):
        return good if self.good() else self.one(NAMES)

    def perhaps(self, where, key, chance, make):
        if self.p(chance):
            where[key] = make()

    def maybe(self, good, others):
        """A field's value: often a good one."""
        return self.one(good) if self.good() else self.one(others)


def amounts(w, names=COMPUTE):
    return {w.one(names) if w.good() else w.one(RESOURCES): w.one(AMOUNTS[:7] if w.good() else AMOUNTS)
            for _ in range(w.between(0, 3))}


def requirements(w):
    names = COMPUTE + w.one([[], [], ["hugepages-2Mi", "example.com/gpu"]])
    out = {}
    w.perhaps(out, "limits", .6, lambda: amounts(w, names))
    w.perhaps(out, "requests", .6, lambda: amounts(w, names))
    for name, amount in list(out.get("limits", {}).items()):
        if "requests" in out and w.p(.5):
            out["requests"][name] = amount
    return out


def port(w):
    out = {"containerPort": w.maybe([80, 443, 8080], PORTS)}
    w.perhaps(out, "hostPort", .5, lambda: out["containerPort"] if w.p(.5) else w.maybe([80, 443], PORTS))
    w.perhaps(out, "protocol", .4, lambda: w.maybe(["TCP", "UDP", "SCTP"], ["tcp", "", "HTTP"]))
    w.perhaps(out, "hostIP", .2, lambda: w.one(["", "0.0.0.0", "127.0.0.1"]))
    return out


def container(w, name):
    out = {"name": w.name(name), "image": w.maybe(["nginx", "example.com/app:v1"], ["", " ", "a ", "\tb"])}
    w.perhaps(out, "ports", .3, lambda: [port(w) for _ in range(w.between(0, 2))])
    w.perhaps(out, "resources", .6, lambda: requirements(w))
    w.perhaps(out, "restartPolicy", .1, lambda: w.maybe(["Always", "Never", "OnFailure"], ["always", "Sometimes"]))
    w.perhaps(out, "volumeMounts", .05, lambda: [{"name": "v0", "mountPath": "/x", "bindMountOptions": ["noexec"]}])
    return out


def expression(w, operators):
    op = w.one(operators[:4]) if w.good() else w.one(OPERATORS)
    if w.good():
        values = [w.value() for _ in range(w.between(1, 2))] if op in ("In", "NotIn") else ["5"] if op in ("Gt", "Lt") else None
    else:
        values = [w.value() for _ in range(w.between(0, 2))]
    return {"key": w.key(), "operator": op, **({} if values is None else {"values": values})}


def selector(w):
    out = {}
    w.perhaps(out, "matchLabels", .7, lambda: w.labels(2))
    w.perhaps(out, "matchExpressions", .4, lambda: [expression(w, OPERATORS) for _ in range(w.between(0, 2))])
    return out


def label_keys(w, where, mismatch):
    free = [key for key in GOOD_KEYS if key not in where.get("labelSelector", {}).get("matchLabels", {})]
    w.perhaps(where, "matchLabelKeys", .3, lambda: [w.one(free or KEYS) if w.good() else w.key() for _ in range(w.between(0, 2))])
    if mismatch:
        w.perhaps(where, "mismatchLabelKeys", .2, lambda: [w.key() for _ in range(w.between(0, 2))])


def node_term(w):
    out = {}
    w.perhaps(out, "matchExpressions", .8, lambda: [expression(w, OPERATORS[:6]) for _ in range(w.between(0, 2))])
    w.perhaps(out, "matchFields", .2, lambda: [
        {"key": w.maybe(["metadata.name"], ["spec.x", ""]), "operator": w.maybe(["In", "NotIn"], OPERATORS),
         "values": w.maybe([["n1"]], [[], ["n1", "n2"], ["Bad Name"]])} for _ in range(w.between(1, 2))])
    return out


def weight(w):
    return w.maybe([1, 50, 100], [0, -1, 101, 1000])


def pod_term(w):
    out = {"topologyKey": w.maybe(["kubernetes.io/hostname", "zone"], ["", "bad key"])}
    w.perhaps(out, "labelSelector", .85, lambda: selector(w))
    w.perhaps(out, "namespaces", .2, lambda: [w.maybe(["default", "shop"], ["", "Shop", "a.b", "x" * 64])])
    w.perhaps(out, "namespaceSelector", .2, lambda: selector(w))
    label_keys(w, out, True)
    return out


def pod_affinity(w):
    out = {}
    w.perhaps(out, REQUIRED, .6, lambda: [pod_term(w) for _ in range(w.between(0, 2))])
    w.perhaps(out, PREFERRED, .5, lambda: [{"weight": weight(w), "podAffinityTerm": pod_term(w)} for _ in range(w.between(0, 2))])
    return out


def affinity(w):
    out, node = {}, {}
    w.perhaps(node, REQUIRED, .6, lambda: {"nodeSelectorTerms": [node_term(w) for _ in range(w.between(1 if w.good() else 0, 2))]})
    w.perhaps(node, PREFERRED, .5, lambda: [{"weight": weight(w), "preference": node_term(w)} for _ in range(w.between(0, 2))])
    w.perhaps(out, "nodeAffinity", .5, lambda: node)
    w.perhaps(out, "podAffinity", .4, lambda: pod_affinity(w))
    w.perhaps(out, "podAntiAffinity", .4, lambda: pod_affinity(w))
    return out


def toleration(w):
    out = {}
    w.perhaps(out, "key", .8, w.key)
    w.perhaps(out, "operator", .7, lambda: w.maybe(["Exists", "Equal"], ["", "Gt", "Lt", "exists"]))
    w.perhaps(out, "value", .3, w.value)
    w.perhaps(out, "effect", .6, lambda: w.maybe(EFFECTS[:4], EFFECTS))
    w.perhaps(out, "tolerationSeconds", .2, lambda: w.one([0, 300, -1]))
    return out


def constraint(w):
    out = {}
    w.perhaps(out, "maxSkew", .5 + w.care / 2, lambda: w.maybe([1, 2], [0, -1]))
    w.perhaps(out, "topologyKey", .5 + w.care / 2, lambda: w.maybe(["zone", "kubernetes.io/hostname"], ["", "bad key"]))
    w.perhaps(out, "whenUnsatisfiable", .5 + w.care / 2,
              lambda: w.maybe(["DoNotSchedule", "ScheduleAnyway"], ["", "donotschedule"]))
    w.perhaps(out, "labelSelector", .8, lambda: selector(w))
    w.perhaps(out, "minDomains", .2, lambda: w.maybe([1, 3], [0, -2]))
    for policy in "nodeAffinityPolicy", "nodeTaintsPolicy":
        w.perhaps(out, policy, .2, lambda: w.maybe(["Honor", "Ignore"], ["honor", "No"]))
    label_keys(w, out, False)
    return out


SOURCES = [
    lambda w: {},
    lambda w: {"emptyDir": {}},
    lambda w: {"persistentVolumeClaim": {"claimName": w.maybe(["data", "p-v0", "p-v1"], [""])}},
    lambda w: {"rbd": {"monitors": ["m1"], "image": "disk", **w.one([{}, {"pool": "fast"}])}},
    lambda w: {"azureDisk": {"diskName": "d", **w.one([
        {"diskURI": "https://blob/d"}, {"diskURI": "https://blob/d", "readOnly": True}, {"diskURI": "/subscriptions/s", "kind": "Managed"}])}},
    lambda w: {"iscsi": {"targetPortal": "1.2.3.4", "iqn": "iqn.2001-04.com.example:a", "lun": 1}},
    lambda w: {"gcePersistentDisk": {"pdName": "disk"}},
    lambda w: {"ephemeral": {"volumeClaimTemplate": {"spec": {
        "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, **w.one([{}, {"storageClassName": "fast"}])}}}},
    lambda w: {"image": {"reference": "example.com/model:v1"}},
]


def volumes(w):
    return [{"name": w.name(f"v{i}"), **w.one(SOURCES)(w)} for i in range(w.between(1, 3))]


def owners(w):
    return [{"apiVersion": w.maybe(["apps/v1", "v1"], ["", "a/b/c", "apps/"]), "kind": w.maybe(["ReplicaSet"], ["", "Event"]),
             "name": w.maybe(["web"], [""]), "uid": w.maybe(["u1"], [""]), **w.one([{}, {"controller": True}, {"controller": False}])}
            for _ in range(w.between(1, 2))]


def metadata(w, name):
    out = {"name": name if w.good() else w.one(["Bad_Name", "x" * 254, "-a", "dots.are.fine"])}
    w.perhaps(out, "namespace", .4, lambda: w.maybe(["default", "shop"], ["Shop", "a.b"]))
    w.perhaps(out, "labels", .7, w.labels)
    return out


def pod(w):
    spec = {"containers": [container(w, f"c{i}") for i in range(w.between(1 if w.good() else 0, 3))]}
    w.perhaps(spec, "initContainers", .25, lambda: [container(w, f"i{i}") for i in range(w.between(1, 2))])
    w.perhaps(spec, "volumes", .35, lambda: volumes(w))
    w.perhaps(spec, "hostNetwork", .2, lambda: w.one([True, True, False]))
    w.perhaps(spec, "hostUsers", .1, lambda: w.one([True, False]))
    w.perhaps(spec, "resources", .25, lambda: requirements(w))
    w.perhaps(spec, "overhead", .1, lambda: {"cpu": w.one(AMOUNTS), **amounts(w)})
    w.perhaps(spec, "nodeSelector", .3, lambda: w.labels(2))
    w.perhaps(spec, "affinity", .4, lambda: affinity(w))
    w.perhaps(spec, "tolerations", .3, lambda: [toleration(w) for _ in range(w.between(0, 3))])
    w.perhaps(spec, "topologySpreadConstraints", .35, lambda: [constraint(w) for _ in range(w.between(0, 3))])
    w.perhaps(spec, "schedulingGates", .15, lambda: [{"name": w.key()} for _ in range(w.between(0, 2))])
    w.perhaps(spec, "nodeName", .15, lambda: w.maybe(["n1"], ["Bad Name", "-n"]))
    w.perhaps(spec, "schedulerName", .2, lambda: w.one(["", "mine"]))
    w.perhaps(spec, "preemptionPolicy", .1, lambda: w.maybe(["Never", "PreemptLowerPriority"], ["never"]))
    w.perhaps(spec, "ephemeralContainers", 0 if w.good() else .1, lambda: [container(w, "e0")])
    meta = metadata(w, "p")
    w.perhaps(meta, "ownerReferences", .2, lambda: owners(w))
    return {"kind": "Pod", "apiVersion": "v1", "metadata": meta, "spec": spec}


def node(w):
    status = {}
    w.perhaps(status, "capacity", .8, lambda: {"pods": "110", **amounts(w)})
    w.perhaps(status, "allocatable", .5, lambda: {"pods": "100", **amounts(w)})
    return {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "n"}, "status": status}


def controller(w):
    spec = {"template": {"metadata": w.one([{}, {"labels": {"app": "web"}}, {"labels": {}}]),
                         "spec": {"containers": [{"name": "c", "image": "x"}]}}}
    w.perhaps(spec, "selector", .5, lambda: w.one([{}, {"app": "db"}]))
    return {"kind": "ReplicationController", "apiVersion": "v1", "metadata": metadata(w, "rc"),
            "spec": w.one([spec, spec, spec, {"selector": {"app": "a"}}])}


def claim(w):
    spec = {"resources": {"requests": {"storage": w.one(AMOUNTS)}}, "accessModes": ["ReadWriteOnce"]}
    w.perhaps(spec, "volumeMode", .3, lambda: "Block")
    w.perhaps(spec, "storageClassName", .5, lambda: w.one(["", "fast"]))
    return {"kind": "PersistentVolumeClaim", "apiVersion": "v1", "metadata": {"name": "c"}, "spec": spec,
            **w.one([{}, {"status": {"phase": "Bound"}}])}


def volume(w):
    source = w.one([{"rbd": {"monitors": ["m"], "image": "i"}}, {"azureDisk": {"diskName": "d", "diskURI": "u"}}, {"hostPath": {"path": "/x"}},
                    {"csi": {"driver": "d", "volumeHandle": "h"}}])
    spec = {"capacity": {"storage": w.one(AMOUNTS)}, **source}
    w.perhaps(spec, "volumeMode", .3, lambda: "Block")
    return {"kind": "PersistentVolume", "apiVersion": "v1", "metadata": {"name": "v"}, "spec": spec,
            **w.one([{}, {"status": {"phase": "Available"}}])}


def attachment(w):
    source = w.one([{"persistentVolumeName": "v"}, {"inlineVolumeSpec": {"azureDisk": {"diskName": "d", "diskURI": "u"}}},
                    {"inlineVolumeSpec": {"rbd": {"monitors": ["m"], "image": "i"}}}])
    return {"kind": "VolumeAttachment", "apiVersion": "storage.k8s.io/v1", "metadata": {"name": "a"},
            "spec": {"attacher": "x", "nodeName": "n", "source": source}}


def plain(kind, version, **fields):
    return lambda w: {"kind": kind, "apiVersion": version, "metadata": metadata(w, "x"), **fields}


OTHERS = [
    node, node, controller, controller, claim, volume, attachment,
    plain("Namespace", "v1"),
    plain("StorageClass", "storage.k8s.io/v1", provisioner="x"),
    plain("StorageClass", "storage.k8s.io/v1", provisioner="x", volumeBindingMode="WaitForFirstConsumer"),
    plain("CSIDriver", "storage.k8s.io/v1", spec={}),
    plain("Service", "v1", spec={"selector": {"app": "web"}, "ports": [{"port": 80}]}),
    plain("ReplicaSet", "apps/v1", spec={"selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}}}}),
    plain("StatefulSet", "apps/v1", spec={"template": {"metadata": {"labels": {"app": "web"}}}}),
    plain("PodDisruptionBudget", "policy/v1", spec={"maxUnavailable": 1, "selector": {}}),
]


def make(seed):
    w = Writer(seed)
    return pod(w) if w.p(.9) else w.one(OTHERS)(w)


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    file, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    with open(file, "w", encoding="utf-8") as out:
        for seed in range(first, first + count):
            out.write(json.dumps(make(seed)) + "\n")


if __name__ == "__main__":
    main()
