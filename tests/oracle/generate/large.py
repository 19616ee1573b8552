"""Large clusters as people have them: many applications with a few pods each, most nodes nearly alike."""
from generate import affinity
from generate import drivers
from generate.dice import Dice
from generate import policy as policies
from generate.policy import PREDICATES, PRIORITIES
from generate.words import HOSTNAME, INSTANCE, OLD_REGION, OLD_ZONE, RACK

KINDS = {"plain": 40, "effortless": 6, "selected": 10, "apart": 9, "rather-apart": 10, "rather-together": 6, "together": 3,
         "spread": 5, "rather-spread": 4, "inline": 3, "claims": 4}
ZONES = ["zone-a", "zone-b", "zone-c"]
GENTLE = [name for name in PREDICATES if name != "CheckNodeCondition"]


def node(d, i, zone_key=OLD_ZONE, region_key=OLD_REGION):
    labels = {HOSTNAME: f"node-{i:05}", zone_key: ZONES[i % 3], region_key: "region-1", RACK: f"rack-{i // 24}",
              INSTANCE: d.one(["m5.8xlarge", "m4.10xlarge", "r5.8xlarge"]), "disktype": d.one(["ssd", "ssd", "hdd"])}
    if d.p(.02):
        del labels[zone_key]
    spec = {}
    if d.p(.05):
        spec["taints"] = [{"key": "dedicated", "value": d.one(["a", "b"]), "effect": d.one(["NoSchedule", "PreferNoSchedule"])}]
    if d.p(.01):
        spec["unschedulable"] = True
    images = [{"names": [f"registry/app-{n}:v1"], "sizeBytes": (n + 1) * 9_000_000} for n in d.r.sample(range(200), 12)]
    status = {"allocatable": {"cpu": "32", "memory": "128Gi", "pods": "110", "ephemeral-storage": "200Gi"}, "images": images,
              "conditions": [{"type": "Ready", "status": "True"}]}
    return {"kind": "Node", "apiVersion": "v1", "metadata": {"name": labels[HOSTNAME], "labels": labels}, "spec": spec,
            "status": status}


def _terms(kind, zone_key, mine, other):
    """A pod's affinity by what its application wants."""
    def term(labels, key):
        return {"labelSelector": {"matchLabels": labels}, "topologyKey": key}

    def weighted(labels, *keys):
        return [{"weight": weight, "podAffinityTerm": term(labels, key)} for weight, key in zip((100, 40), keys)]
    return {
        "apart": {"podAntiAffinity": {affinity.REQUIRED: [term(mine, HOSTNAME)]}},
        "rather-apart": {"podAntiAffinity": {affinity.PREFERRED: weighted(mine, HOSTNAME, zone_key)}},
        "rather-together": {"podAffinity": {affinity.PREFERRED: weighted(other, HOSTNAME, zone_key)}},
        "together": {"podAffinity": {affinity.REQUIRED: [term(mine, zone_key)]}},
        "selected": {"nodeAffinity": {affinity.REQUIRED: {"nodeSelectorTerms": [
            {"matchExpressions": [{"key": "disktype", "operator": "In", "values": ["ssd"]}]}]},
            affinity.PREFERRED: [{"weight": 50, "preference": {
                "matchExpressions": [{"key": zone_key, "operator": "In", "values": ["zone-a"]}]}}]}},
    }.get(kind)


class App:
    """One application: the spec that all of its pods share."""

    kinds, zone_key = KINDS, OLD_ZONE

    def __init__(self, d, i, apps):
        self.d, self.name, self.namespace = d, f"app-{i}", f"team-{i % 25}"
        self.labels = {"app": self.name, "tier": d.one(["front", "back"])}
        self.kind = d.weighted(self.kinds)
        self.spec = {"containers": [{"name": "c", "image": f"registry/app-{i % 300}:v1", "resources": self._resources()}]}
        own = self.terms({"app": self.name}, {"app": f"app-{d.between(0, apps - 1)}"})
        if own:
            self.spec["affinity"] = own
        if "spread" in self.kind:
            self.spec["topologySpreadConstraints"] = self.constraints()
        if d.p(.1):
            self.spec["tolerations"] = [{"key": "dedicated", "operator": "Exists"}]

    def terms(self, mine, other):
        """The affinity, or nothing."""
        return _terms(self.kind, self.zone_key, mine, other)

    def constraints(self):
        effect = "DoNotSchedule" if self.kind == "spread" else "ScheduleAnyway"
        return [{"maxSkew": skew, "topologyKey": key, "whenUnsatisfiable": effect,
                 "labelSelector": {"matchLabels": {"app": self.name}}} for skew, key in ((1, self.zone_key), (3, HOSTNAME))]

    def _resources(self):
        if self.kind == "effortless":
            return {}
        amounts = {"cpu": self.d.one(["100m", "250m", "500m", "1"]), "memory": self.d.one(["128Mi", "512Mi", "1Gi", "2Gi"])}
        return {"requests": amounts, "limits": {"memory": amounts["memory"]}}

    def pod(self, i, node=None):
        name = f"{self.name}-{i}"
        meta = {"name": name, "namespace": self.namespace, "uid": "uid-" + name, "labels": self.labels,
                "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": self.name, "uid": self.name,
                                     "controller": True}]}
        spec = dict(self.spec)
        if node:
            spec["nodeName"] = node
        if self.kind == "inline":
            spec["volumes"] = [{"name": "v", **drivers.source("ebs", f"disk-{name}")}]
        if self.kind == "claims":
            spec["volumes"] = [{"name": "v", "persistentVolumeClaim": {"claimName": name}}]
        return {"kind": "Pod", "apiVersion": "v1", "metadata": meta, "spec": spec,
                "status": {"phase": "Running" if node else "Pending"}}

    def workloads(self):
        meta = {"name": self.name, "namespace": self.namespace}
        return [{"kind": "Service", "apiVersion": "v1", "metadata": meta, "spec": {"selector": {"app": self.name}}},
                {"kind": "ReplicaSet", "apiVersion": "apps/v1", "metadata": {**meta, "uid": self.name},
                 "spec": {"selector": {"matchLabels": self.labels}}}]

    def claim(self, i):
        """A claim bound to a volume of a zone, or one that waits for its pod."""
        name = f"{self.name}-{i}"
        claim = {"kind": "PersistentVolumeClaim", "apiVersion": "v1", "status": {"phase": "Pending"},
                 "metadata": {"name": name, "namespace": self.namespace, "uid": "claim-" + name, "resourceVersion": "1"},
                 "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "10Gi"}},
                          "storageClassName": "csi"}}
        if self.d.p(.3):
            return [claim]
        claim["metadata"]["annotations"] = {"pv.kubernetes.io/bind-completed": "yes"}
        claim["spec"]["volumeName"] = "pv-" + name
        zone = self.d.one(ZONES)
        in_zone = {"matchExpressions": [{"key": self.zone_key, "operator": "In", "values": [zone]}]}
        volume = {"kind": "PersistentVolume", "apiVersion": "v1", "status": {"phase": "Bound"},
                  "metadata": {"name": "pv-" + name, "labels": {self.zone_key: zone}, "resourceVersion": "1"},
                  "spec": {"capacity": {"storage": "10Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "csi",
                           "nodeAffinity": {"required": {"nodeSelectorTerms": [in_zone]}}, **drivers.source("csi-a", name)}}
        return [claim, volume]


def _policy(d):
    policy = {"kind": "Policy", "apiVersion": "v1"}
    if d.p(.7):
        policy["predicates"] = [{"name": name} for name in d.subset(GENTLE, .8)]
        policy["priorities"] = [{"name": name, "weight": d.one([1, 2, 5])} for name in PRIORITIES]
        policy["predicates"].append({"name": "CheckServiceAffinity", "argument": {"serviceAffinity": {"labels": [OLD_REGION]}}})
        policy["priorities"].append({"name": "anti", "weight": 1, "argument": {"serviceAntiAffinity": {"label": RACK}}})
    return policy


def place(d, nodes, apps, pod_count, asked):
    """(the cluster's items, the pods that are asked about)"""
    names = [node["metadata"]["name"] for node in nodes]
    items, given = list(nodes), []
    for i in range(pod_count + asked):
        app = d.one(apps)
        pod = app.pod(i, d.one(names) if i < pod_count else None)
        (items if i < pod_count else given).append(pod)
        if app.kind == "claims":
            items += app.claim(i)
    for app in apps:
        items += app.workloads()
    items.append({"kind": "StorageClass", "apiVersion": "storage.k8s.io/v1", "metadata": {"name": "csi"},
                  "provisioner": drivers.CSI[0], "volumeBindingMode": "WaitForFirstConsumer"})
    items += [{"kind": "CSINode", "apiVersion": "storage.k8s.io/v1", "metadata": {"name": name}, "spec": {"drivers": [
        {"name": drivers.CSI[0], "nodeID": name, "topologyKeys": [apps[0].zone_key],
         "allocatable": {"count": d.one([2, 3, 25])}}]}} for name in names]
    return items, given


def make(seed, node_count, pod_count, asked):
    d = Dice(seed)
    nodes = [node(d, i) for i in range(node_count)]
    apps = [App(d, i, pod_count // 9) for i in range(pod_count // 9)]
    items, given = place(d, nodes, apps, pod_count, asked)
    policy = _policy(d)
    return {"cluster": {"kind": "List", "apiVersion": "v1", "items": items},
            "pods": {"kind": "List", "apiVersion": "v1", "items": given}, "policy": policy,
            "gates": policies.gates(d, policy)}
