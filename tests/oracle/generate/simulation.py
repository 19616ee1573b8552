"""Clusters whose pods are placed one after another, and find what those before them have taken.

Changes a cluster that is there, of either generation. All pods that are asked about wait in it, in a queue that their priorities
and ages make. Drawn apart from everything else: without it a seed's cluster is the same.
"""
import copy

from generate.affinity import REQUIRED
from generate.dice import Dice
from generate.nominated import has_service_affinity
from generate.ways import DRIVER, MAKE, Cluster, mount, part
from generate.words import HOSTNAME

WAYS = ["room", "room", "places", "ports", "apart", "joined", "spread", "disks", "claims", "limits", "kept"]
LATE = ["local", "made"]  # What becomes of a claim when its first pod is placed: a volume is taken, or one is promised.
SIZES = ["1Gi", "1Gi", "2Gi", "2Gi", "5Gi"]
PREDICATES = ["GeneralPredicates", "CheckVolumeBinding", "MatchInterPodAffinity", "NoDiskConflict", "MaxCSIVolumeCountPred",
              "EvenPodsSpread"]
PRIORITIES = ["LeastRequestedPriority", "InterPodAffinityPriority", "SelectorSpreadPriority", "EvenPodsSpreadPriority"]


def _have_wait(dice, files):
    """Who is asked about waits in the cluster, and with them some of those that had a node."""
    items = files["cluster"]["items"]
    for pod in items:
        if pod["kind"] == "Pod" and pod.get("status", {}).get("phase") not in ("Succeeded", "Failed") and dice.p(.15):
            pod["spec"].pop("nodeName", None)
            pod.get("status", {}).pop("startTime", None)
    for pod in files["pods"]["items"]:
        pod["spec"].pop("nodeName", None)
        pod.get("status", {}).pop("startTime", None)
    items.extend(files["pods"]["items"])
    files["pods"]["items"] = []


def _clear_the_way(dice, c):
    """What keeps pods away whoever came before becomes rare."""
    for node in c.nodes:
        if dice.p(.9):
            part(node, "spec", {}).pop("taints", None)
            node["spec"].pop("unschedulable", None)
    for pod in c.asked:
        spec = pod["spec"]
        if dice.p(.8):
            spec.pop("nodeSelector", None)
            if spec.get("affinity"):
                spec["affinity"].pop("nodeAffinity", None)
        if dice.p(.5) and spec.get("affinity"):
            for kind in ("podAffinity", "podAntiAffinity"):
                (spec["affinity"].get(kind) or {}).pop(REQUIRED, None)
        if dice.p(.75):
            spec.pop("volumes", None)


def _share_ports_fairly(c):
    """No two pods that run have one host port of a node: upstream forgets it with the first that leaves."""
    taken = set()
    for pod in c.running:
        for container in pod["spec"]["containers"] + (pod["spec"].get("initContainers") or []):
            kept = []
            for port in container.get("ports") or []:
                key = (pod["spec"]["nodeName"], port.get("hostPort"), port.get("protocol") or "TCP")
                if not port.get("hostPort") or key not in taken:
                    kept.append(port)
                taken.add(key)
            if "ports" in container:
                container["ports"] = kept


def _copies(dice, c):
    """Pods that are alike but for their names."""
    for pod in dice.subset(c.asked, .15):
        for i in range(dice.between(1, 4)):
            again = copy.deepcopy(pod)
            meta = again["metadata"]
            meta["name"] += f"-{i}"
            meta["uid"] = "uid-" + meta["name"]
            c.items.append(again)
            c.asked.append(again)


def _class(dice, c, kind):
    more = {}
    names = [node["metadata"]["name"] for node in c.nodes]
    if kind == "made" and dice.p(.4):
        more = {"allowedTopologies": [{"matchLabelExpressions": [{"key": HOSTNAME, "values": dice.some(names, 1, 4)}]}]}
    provisioner = DRIVER if kind == "made" else "kubernetes.io/no-provisioner"
    c.add("StorageClass", "storage.k8s.io/v1", "late-" + kind, provisioner=provisioner, reclaimPolicy="Delete",
          volumeBindingMode="WaitForFirstConsumer", **more)


def _volume(dice, c, i):
    spec = {"accessModes": ["ReadWriteOnce"], "capacity": {"storage": dice.one(SIZES)}, "local": {"path": f"/disks/{i}"},
            "persistentVolumeReclaimPolicy": "Retain", "storageClassName": "late-local", "volumeMode": "Filesystem"}
    hosts = [node["metadata"].get("labels", {}).get(HOSTNAME) for node in c.nodes]
    hosts = [host for host in hosts if host]
    if hosts and dice.p(.85):
        values = dice.some(hosts, 1, 2)
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": [
            {"matchExpressions": [{"key": HOSTNAME, "operator": "In", "values": values}]}]}}
    c.add("PersistentVolume", "v1", f"late-{i}", metadata={"resourceVersion": "1"}, spec=spec, status={"phase": "Available"})


def _late(dice, c):
    """Claims that wait for their first pod. Some have several pods; those of one pod differ in their class."""
    for kind in LATE:
        _class(dice, c, kind)
    for i in range(dice.between(2, 8)):
        _volume(dice, c, i)
    for namespace in ("default", "other"):
        for kind in LATE:
            for i in range(4):
                c.add("PersistentVolumeClaim", "v1", f"late-{kind}-{i}", namespace,
                      metadata={"uid": f"uid-{namespace}-late-{kind}-{i}", "resourceVersion": "1"},
                      spec={"accessModes": ["ReadWriteOnce"], "storageClassName": "late-" + kind,
                            "resources": {"requests": {"storage": dice.one(SIZES[:4])}}}, status={"phase": "Pending"})
    for pod in c.asked:
        if pod["metadata"]["namespace"] in ("default", "other") and dice.p(.5):
            for kind in dice.subset(LATE, .6):
                mount(pod, f"late-{kind}-{dice.between(0, 3)}")


def _friends(dice, c):
    """Pods that fit nowhere until one that comes later is there."""
    for i, pod in enumerate(dice.subset(c.asked, .12)):
        friend = dice.one(c.asked)
        part(friend["metadata"], "labels", {})[f"friend-{i}"] = "yes"
        friend["metadata"]["namespace"] = pod["metadata"]["namespace"]
        term = {"topologyKey": HOSTNAME, "labelSelector": {"matchLabels": {f"friend-{i}": "yes"}}}
        part(part(part(pod["spec"], "affinity", {}), "podAffinity", {}), REQUIRED, []).append(term)


def _queue(dice, c, has_priorities, policy):
    """Nominations are left out that upstream cannot read, and those of other schedulers, which it does not know."""
    ranked = dice.p(.6)
    for pod in c.asked:
        if has_service_affinity(policy) or pod["spec"].get("schedulerName") == "nobody":
            pod.get("status", {}).pop("nominatedNodeName", None)
        pod["metadata"]["creationTimestamp"] = f"2026-01-01T00:00:0{dice.between(0, 5)}Z"
        if has_priorities:
            continue
        pod["spec"].pop("priority", None)
        if ranked and dice.p(.6):
            pod["spec"]["priority"] = dice.one([0, 5, 5, 100, -3])


def _rules(dice, files):
    """The rules by which pods get into each other's way, more often than by chance."""
    if "config" in files:
        if dice.p(.5):
            for profile in files["config"].get("profiles") or []:
                profile.pop("plugins", None)
        return
    policy = files["policy"]
    if "predicates" not in policy or dice.p(.25):
        return
    named = {rule["name"] for rule in policy["predicates"] + policy.get("priorities", [])}
    policy["predicates"] += [{"name": name} for name in PREDICATES if name not in named]
    if "priorities" in policy:
        policy["priorities"] += [{"name": name, "weight": 1} for name in PRIORITIES if name not in named]
    files["gates"]["EvenPodsSpread"] = True


def _devices(dice, c):
    """Few devices. Some claims for one have several pods, and some pods request it as an extended resource."""
    driver = "late.example.com"
    resource, group = driver + "/device", "resource.k8s.io/v1"
    c.add("DeviceClass", group, "late", spec={"selectors": [{"cel": {"expression": f'device.driver == "{driver}"'}}],
                                               **({"extendedResourceName": resource} if dice.p(.6) else {})})
    for node in c.nodes:
        if dice.p(.7):
            name = node["metadata"]["name"]
            pool = {"name": name, "generation": 1, "resourceSliceCount": 1}
            devices = [{"name": f"dev-{i}"} for i in range(dice.one([1, 1, 2]))]
            c.add("ResourceSlice", group, "late-" + name, spec={"driver": driver, "pool": pool, "nodeName": name, "devices": devices})
    names = {f"{namespace}/late-{i}" for namespace in ("default", "other") for i in range(3)}
    for pod in c.asked:
        namespace, draw = pod["metadata"]["namespace"], dice.r.random()
        if draw < .15:
            resources = pod["spec"]["containers"][0].setdefault("resources", {})
            for part_of in ("requests", "limits"):
                part(resources, part_of, {})[resource] = "1"
        elif draw < .5:
            name = f"late-{dice.between(0, 2)}" if draw < .25 and namespace in ("default", "other") else pod["metadata"]["name"] + "-late"
            names.add(f"{namespace}/{name}")
            part(pod["spec"], "resourceClaims", []).append({"name": "late", "resourceClaimName": name})
    for full_name in sorted(names):
        namespace, name = full_name.split("/")
        request = {"name": "one", "exactly": {"deviceClassName": "late", "allocationMode": "ExactCount", "count": 1}}
        c.add("ResourceClaim", group, name, namespace, metadata={"uid": "uid-claim-" + full_name, "resourceVersion": "1"},
              spec={"devices": {"requests": [request]}})


def simulate(files, seed, has_priorities):
    """Changes the files of a seed."""
    dice = Dice(f"simulation {seed}")
    _have_wait(dice, files)
    c = Cluster(files)
    _clear_the_way(dice, c)
    if c.asked and dice.p(.4):
        _friends(dice, c)
    for way in dict.fromkeys(dice.some(WAYS, 1, 3)):
        if (way != "claims" or c.is_today) and c.nodes:
            MAKE[way](dice, c)
    _share_ports_fairly(c)
    if c.nodes and dice.p(.5):
        _late(dice, c)
    _copies(dice, c)
    _queue(dice, c, has_priorities, files.get("policy"))
    _rules(dice, files)
    if c.is_today and c.nodes and dice.p(.4):
        _devices(dice, c)
    return files
