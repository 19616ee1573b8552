"""The ways in which nodes are full, or pods in each other's way: changes to the running pods of a cluster and to those that are
asked about.

Drawn apart from everything else: without it a seed's cluster is the same.
"""
from generate.affinity import REQUIRED
from generate.words import APPS, HOSTNAME, NEW_ZONE, RACK

KEYS = [HOSTNAME, HOSTNAME, NEW_ZONE, RACK]
DRIVER = "csi-a.example.com"
BOUND = {"pv.kubernetes.io/bind-completed": "yes"}


class Cluster:
    """The objects of a cluster, by what they are here."""

    def __init__(self, files):
        self.items = files["cluster"]["items"]
        self.is_today = "config" in files
        self.nodes = self.of("Node")
        pods = [pod for pod in self.of("Pod") if pod.get("status", {}).get("phase") not in ("Succeeded", "Failed")]
        self.running = [pod for pod in pods if pod["spec"].get("nodeName")]
        self.asked = [pod for pod in pods if not pod["spec"].get("nodeName")] + files["pods"]["items"]

    def of(self, kind):
        return [item for item in self.items if item["kind"] == kind]

    def add(self, kind, version, name, namespace=None, **fields):
        meta = {"name": name, "uid": "uid-" + name, **({"namespace": namespace} if namespace else {})}
        meta.update(fields.pop("metadata", {}))
        self.items.append({"kind": kind, "apiVersion": version, "metadata": meta, **fields})

    def on(self, node):
        return [pod for pod in self.running if pod["spec"]["nodeName"] == node["metadata"]["name"]]


def part(of, name, empty):
    """The part of this name, to be changed. One that is null in the file is made, too."""
    if of.get(name) is None:
        of[name] = empty
    return of[name]


def _room(dice, c):
    """Cpu in quarters, and now and then memory."""
    for node in c.nodes:
        for amounts in (node["status"].get("allocatable"), node["status"].get("capacity")):
            if amounts is not None:
                amounts["cpu"] = dice.one(["2", "4", "4"])
    memory = dice.p(.3)
    for pod in c.running + c.asked:
        asks = [250, 500, 1000] if pod in c.running else [1000, 1500, 2000, 3000]
        requests = {"cpu": f"{dice.one(asks)}m"}
        if memory:
            requests["memory"] = dice.one(["64Mi", "256Mi", "1Gi"])
        pod["spec"]["containers"][0]["resources"] = {"requests": requests}


def _places(dice, c):
    for node in c.nodes:
        if node["status"].get("allocatable") is not None:
            node["status"]["allocatable"]["pods"] = str(max(1, len(c.on(node)) + dice.one([-1, 0, 0, 0, 1])))


def _ports(dice, c):
    for pod in [pod for pod in c.running if dice.p(.5)] + [pod for pod in c.asked if dice.p(.8)]:
        pod["spec"]["containers"][0]["ports"] = [
            {"containerPort": 80, "hostPort": dice.one([80, 443]), "protocol": "TCP",
             **dice.one([{}, {}, {"hostIP": "127.0.0.1"}])} for _ in range(dice.one([1, 1, 2]))]


def _term(dice, app):
    return {"topologyKey": dice.one(KEYS), "labelSelector": {"matchLabels": {"app": app}}}


def _terms_of(pod, kind):
    return part(part(part(pod["spec"], "affinity", {}), kind, {}), REQUIRED, [])


def _apart(dice, c):
    for pod in c.asked:
        if dice.p(.8):
            _terms_of(pod, "podAntiAffinity").append(_term(dice, dice.one(APPS)))


def _kept(dice, c):
    for pod in c.running:
        if dice.p(.5):
            _terms_of(pod, "podAntiAffinity").append(_term(dice, dice.one(APPS)))


def _joined(dice, c):
    for pod in c.asked:
        if dice.p(.6):
            _terms_of(pod, "podAffinity").append(_term(dice, dice.one(APPS)))


def _spread(dice, c):
    for pod in c.asked:
        if dice.p(.85):
            app = dice.one([pod["metadata"].get("labels", {}).get("app", "web"), dice.one(APPS)])
            selector = dice.one([{"matchLabels": {"app": app}}] * 4 + [{"matchExpressions": [{"key": "app", "operator": "Exists"}]}, {}])
            pod["spec"]["topologySpreadConstraints"] = [
                {"maxSkew": dice.one([1, 1, 2]), "topologyKey": key, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": selector}
                for key in dice.subset([HOSTNAME, NEW_ZONE, RACK], .5)]


def _disks(dice, c):
    for pod in c.running + c.asked:
        if dice.p(.5):
            volume = dice.one([{"gcePersistentDisk": {"pdName": f"d{dice.between(0, 2)}", "readOnly": dice.p(.3)}},
                               {"awsElasticBlockStore": {"volumeID": f"d{dice.between(0, 2)}"}}])
            part(pod["spec"], "volumes", []).append({"name": "disk", **volume})


def _claim(c, namespace, name, modes):
    volume = f"pv-{namespace}-{name}"
    c.add("PersistentVolumeClaim", "v1", name, namespace, metadata={"annotations": BOUND},
          spec={"accessModes": modes, "volumeName": volume, "storageClassName": "", "resources": {"requests": {"storage": "1Gi"}}},
          status={"phase": "Bound"})
    c.add("PersistentVolume", "v1", volume, spec={
        "accessModes": modes, "capacity": {"storage": "1Gi"}, "csi": {"driver": DRIVER, "volumeHandle": volume},
        "claimRef": {"kind": "PersistentVolumeClaim", "namespace": namespace, "name": name, "uid": "uid-" + name},
        "persistentVolumeReclaimPolicy": "Retain", "storageClassName": "", "volumeMode": "Filesystem"}, status={"phase": "Bound"})


def mount(pod, claim):
    part(pod["spec"], "volumes", []).append({"name": claim, "persistentVolumeClaim": {"claimName": claim}})


def _claims(dice, c):
    """Claims for one pod only, in two namespaces, each used by a pod or two."""
    for namespace in ("default", "other"):
        for i in range(2):
            _claim(c, namespace, f"only-{i}", ["ReadWriteOncePod"])
    users = [pod for pod in c.running + c.asked if pod["metadata"]["namespace"] in ("default", "other")]
    for pod in users:
        if dice.p(.3):
            for claim in dice.subset(["only-0", "only-1"], .6):
                mount(pod, claim)


def _limits(dice, c):
    """Few volumes of a driver for each node, and pods that have some."""
    known = {item["metadata"]["name"]: item for item in c.of("CSINode")}
    for node in c.nodes:
        name = node["metadata"]["name"]
        driver = {"name": DRIVER, "nodeID": "x", "topologyKeys": None, "allocatable": {"count": dice.one([1, 2, 2, 3])}}
        if name not in known:
            c.add("CSINode", "storage.k8s.io/v1", name, spec={"drivers": [driver]})
        elif known[name]["spec"].get("drivers") is not None:
            drivers = [one for one in known[name]["spec"]["drivers"] if one["name"] != DRIVER]
            known[name]["spec"]["drivers"] = drivers + [driver]
    for namespace in ("default", "other"):
        for i in range(8):
            _claim(c, namespace, f"data-{i}", ["ReadWriteOnce"])
    for pod in c.running + c.asked:
        if pod["metadata"]["namespace"] in ("default", "other") and dice.p(.6):
            for i in sorted({dice.between(0, 7) for _ in range(dice.one([1, 1, 2]))}):
                mount(pod, f"data-{i}")


MAKE = {"room": _room, "places": _places, "ports": _ports, "apart": _apart, "kept": _kept, "joined": _joined, "spread": _spread,
        "disks": _disks, "claims": _claims, "limits": _limits}
