#!/usr/bin/env python3
"""Writes manifests/sample-cluster.json: a small shop's cluster, to try Winnow on.

    python3 manifests/make_sample_cluster.py            writes the file
    python3 manifests/make_sample_cluster.py --check    exits 1 if the file is not what would be written

It is what this would print on a real cluster, with managedFields left out:

    kubectl get nodes,pods,namespaces,services,rc,rs,sts,pdb,pv,pvc,sc,csinodes,csidrivers,volumeattachments -A -o json

12 nodes in 3 zones, 60 running pods, 5 pending ones and one that is done. Every byte follows from this file:
uids, digests and name suffixes are hashes of names. What the pending pods are there to show:

    web, a ninth replica  spreads over nodes and zones; node-00007 asks to be spared its ReplicaSet
    encoder, a fifth      prefers spot nodes and tolerates them; more than node-00000 has left
    ledger-report         mounts the disk that the ledger on node-00004 has mounted
    cruncher              asks 12 cpus: only node-00005 is that large, and it is busy
    trainer               wants an accelerator that no node has
"""
import hashlib
import json
import pathlib
import sys

OUTPUT = pathlib.Path(__file__).with_name("sample-cluster.json")
WIDTH = 240  # What fits is written on one line.
CSI = "ebs.csi.aws.com"
NOT_READY = "node.kubernetes.io/not-ready"
UNREACHABLE = "node.kubernetes.io/unreachable"

# ---- small things ---------------------------------------------------------------------------------------------------


def digest(*parts):
    return hashlib.sha256("/".join(parts).encode()).hexdigest()


def uid(kind, namespace, name):
    """A version 4 uid, as the API server makes them."""
    h = digest("uid", kind, namespace, name)
    return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-{'89ab'[int(h[16], 16) % 4]}{h[17:20]}-{h[20:32]}"


def suffix(length, *parts):
    """Letters and digits as Kubernetes draws them for generated names: no vowels, no 0, 1, 3."""
    alphabet = "bcdfghjklmnpqrstvwxz2456789"
    return "".join(alphabet[b % len(alphabet)] for b in bytes.fromhex(digest("suffix", *parts))[:length])


def moment(minute):
    """A time that many minutes after the cluster was made, 2026-11-02T06:00:00Z; at most 24 days."""
    day, rest = divmod(6 * 60 + minute, 24 * 60)
    second = int(digest("second", str(minute))[:2], 16) % 60
    return f"2026-11-{2 + day:02}T{rest // 60:02}:{rest % 60:02}:{second:02}Z"


NOW = 18 * 24 * 60  # The minute at which the cluster was listed.


def toleration(key, effect="", value="", seconds=None):
    t = {"operator": "Equal" if value else "Exists"}
    if key:
        t["key"] = key
    if value:
        t["value"] = value
    if effect:
        t["effect"] = effect
    if seconds:
        t["tolerationSeconds"] = seconds
    return t


class Cluster:
    """Objects in the order of their making; each gets the next resourceVersion."""

    def __init__(self):
        self.objects = []

    def add(self, kind, name, namespace="", *, api="v1", minute=0, labels=None, annotations=None, owner=None,
            generate_name=None, generation=None, **fields):
        metadata = {"name": name, "uid": uid(kind, namespace, name), "creationTimestamp": moment(minute),
                    "resourceVersion": str(2041 + 37 * len(self.objects) + int(digest("rv", kind, name)[:2], 16) % 37)}
        for key, value in (("namespace", namespace), ("labels", labels), ("annotations", annotations),
                           ("generateName", generate_name), ("generation", generation),
                           ("ownerReferences", owner and [owner])):
            if value:
                metadata[key] = value
        made = {"apiVersion": api, "kind": kind, "metadata": metadata, **fields}
        self.objects.append(made)
        return made

    def of(self, kind):
        return [o for o in self.objects if o["kind"] == kind]


def owner_of(kind, namespace, name, api="apps/v1", block=True):
    return {"apiVersion": api, "kind": kind, "name": name, "uid": uid(kind, namespace, name), "controller": True,
            "blockOwnerDeletion": block}


# ---- what runs ------------------------------------------------------------------------------------------------------

MIB = 1024 * 1024
# Image: size in bytes on a node.
IMAGES = {
    "registry.k8s.io/pause:3.10": 319_850, "registry.k8s.io/kube-proxy:v1.33.5": 29_831_402,
    "registry.k8s.io/coredns/coredns:v1.12.0": 20_939_036,
    "registry.k8s.io/metrics-server/metrics-server:v0.7.2": 20_520_160,
    "registry.k8s.io/ingress-nginx/controller:v1.12.1": 113_903_192,
    "registry.k8s.io/sig-storage/csi-provisioner:v5.2.0": 30_284_117,
    "registry.k8s.io/provider-aws/aws-ebs-csi-driver:v1.41.0": 31_260_945,
    "registry.example.com/gateway:0.9.4": 64_188_930, "registry.example.com/web:3.14.2": 687_411_207,
    "registry.example.com/shop:1.2": 742_116_894, "registry.example.com/side:1": 18_220_471,
    "registry.example.com/api:2026.11.3": 268_904_113, "registry.example.com/worker:2026.11.3": 901_554_820,
    "registry.example.com/press:5.0.1": 1_204_336_128, "registry.example.com/encoder:7.1": 655_360_417,
    "registry.example.com/inference:24.10": 6_874_112_930, "registry.example.com/ledger:1.0.77": 412_070_011,
    "docker.io/library/postgres:17.2": 153_771_904, "docker.io/library/memcached:1.6.33": 32_440_881,
    "quay.io/prometheus/prometheus:v3.0.1": 117_402_883, "docker.io/grafana/grafana:11.4.0": 188_040_527,
}
# What nodes have left over from earlier: name without tag, tags, about how large.
LEFTOVERS = [
    ("registry.example.com/web", ["3.12.0", "3.13.1", "3.14.0", "3.14.1"], 651),
    ("registry.example.com/shop", ["1.0", "1.1"], 702),
    ("registry.example.com/api", ["2026.10.2", "2026.10.9", "2026.11.1"], 266),
    ("registry.example.com/worker", ["2026.10.9", "2026.11.1"], 880), ("registry.example.com/init", ["1"], 7),
    ("registry.example.com/sc", ["1"], 11), ("registry.example.com/migrate", ["41", "42", "43"], 74),
    ("registry.example.com/reindex", ["9"], 233), ("docker.io/library/busybox", ["1.36", "1.37"], 4),
    ("docker.io/library/nginx", ["1.27.2", "1.27.3"], 72), ("docker.io/library/redis", ["7.4.1"], 46),
    ("docker.io/library/python", ["3.12-slim"], 45), ("docker.io/library/postgres", ["16.4", "17.0"], 150),
    ("docker.io/curlimages/curl", ["8.11.0"], 9), ("docker.io/fluent/fluent-bit", ["3.2.2"], 37),
    ("quay.io/prometheus/node-exporter", ["v1.8.2"], 12), ("quay.io/prometheus/alertmanager", ["v0.27.0"], 33),
    ("quay.io/cilium/cilium", ["v1.16.4", "v1.16.5"], 221), ("ghcr.io/kedacore/keda", ["2.16.0"], 58),
    ("registry.k8s.io/kube-proxy", ["v1.33.1", "v1.33.3"], 29), ("registry.k8s.io/pause", ["3.9"], 1),
    ("registry.k8s.io/sig-storage/livenessprobe", ["v2.15.0"], 13),
    ("registry.k8s.io/sig-storage/csi-node-driver-registrar", ["v2.13.0"], 13),
]


def container(name, image, cpu="", memory="", limits=None, ports=(), extra=None, **more):
    requests = {k: v for k, v in {"cpu": cpu, "memory": memory, **(extra or {})}.items() if v}
    limits = {**(limits or {}), **(extra or {})}
    resources = {k: v for k, v in (("requests", requests), ("limits", limits)) if v}
    made = {"name": name, "image": image, "imagePullPolicy": "IfNotPresent", "resources": resources,
            "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File", **more}
    if ports:
        made["ports"] = [dict(port, protocol="TCP") for port in ports]
    return made


def port(number, name="http", host=None):
    return {"containerPort": number, "name": name, **({"hostPort": host} if host else {})}


def quality(spec):
    """The pod's quality-of-service class, good enough for the pods here (limits never equal all requests)."""
    containers = spec["containers"] + spec.get("initContainers", [])
    return "Burstable" if any(c["resources"] for c in containers) else "BestEffort"


NODE_ADDRESS = {}


def add_pod(cluster, name, namespace, labels, spec, node=None, *, owner=None, generate_name=None, minute=0,
            annotations=None, phase=None, message=None):
    """Spec gets what the API server and admission add; a node makes the pod a running one."""
    host = spec.get("hostNetwork", False)
    volume = f"kube-api-access-{suffix(5, 'token', namespace, name)}"
    every_node = any(t["operator"] == "Exists" and "key" not in t for t in spec.get("tolerations", []))
    spec = {"restartPolicy": "Always", "terminationGracePeriodSeconds": 30, "dnsPolicy": "ClusterFirst",
            "securityContext": {}, "schedulerName": "default-scheduler", "serviceAccount": "default",
            "serviceAccountName": "default", "enableServiceLinks": True, "priority": 0,
            "preemptionPolicy": "PreemptLowerPriority", **spec}
    if not every_node:
        spec["tolerations"] = spec.get("tolerations", []) + [toleration(NOT_READY, "NoExecute", seconds=300),
                                                             toleration(UNREACHABLE, "NoExecute", seconds=300)]
    token = {"name": volume, "projected": {"defaultMode": 420, "sources": [
        {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
        {"configMap": {"items": [{"key": "ca.crt", "path": "ca.crt"}], "name": "kube-root-ca.crt"}},
        {"downwardAPI": {"items": [{"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"},
                                    "path": "namespace"}]}}]}}
    spec["volumes"] = spec.get("volumes", []) + [token]
    mount = {"mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "name": volume, "readOnly": True}
    for list_name in ("initContainers", "containers"):
        if list_name in spec:
            spec[list_name] = [dict(c, volumeMounts=c.get("volumeMounts", []) + [mount]) for c in spec[list_name]]
    status = {"phase": "Pending", "qosClass": quality(spec)}
    if message:
        status["conditions"] = [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
                                 "message": message,
                                 "lastProbeTime": None, "lastTransitionTime": moment(minute)}]
    if node:
        spec["nodeName"] = node
        status = running_status(spec, namespace, name, node, minute, phase or "Running", host,
                                place=2 + 3 * sum(p["spec"].get("nodeName") == node for p in cluster.of("Pod")))
    return cluster.add("Pod", name, namespace, minute=minute, labels=labels, annotations=annotations, owner=owner,
                       generate_name=generate_name, generation=1, spec=spec, status=status)


def running_status(spec, namespace, name, node, minute, phase, host, place):
    done = phase == "Succeeded"
    ready = "False" if done or node == "gpu-00001" else "True"
    ip = NODE_ADDRESS[node] if host else f"10.244.{list(NODE_ADDRESS).index(node)}.{place}"
    conditions = [{"type": kind, "status": value, "lastProbeTime": None, "lastTransitionTime": moment(minute + after),
                   **({"reason": "PodCompleted"} if done and kind != "PodScheduled" else {})}
                  for kind, value, after in (("PodReadyToStartContainers", "False" if done else "True", 1),
                                             ("Initialized", "True", 1), ("Ready", ready, 2),
                                             ("ContainersReady", "False" if done else "True", 2),
                                             ("PodScheduled", "True", 0))]

    def state(c, over):
        running = {"running": {"startedAt": moment(minute + 1)}}
        ended = {"terminated": {"exitCode": 0, "reason": "Completed", "startedAt": moment(minute + 1),
                                "finishedAt": moment(minute + 2)}}
        return {"name": c["name"], "image": c["image"], "imageID": image_digest(c["image"]),
                "ready": not over or not done,
                "started": not over, "restartCount": 0, "lastState": {}, "state": ended if over else running,
                "containerID": f"containerd://{digest('container', namespace, name, c['name'])}"}

    status = {"phase": phase, "qosClass": quality(spec), "conditions": conditions, "hostIP": NODE_ADDRESS[node],
              "hostIPs": [{"ip": NODE_ADDRESS[node]}], "podIP": ip, "podIPs": [{"ip": ip}],
              "startTime": moment(minute), "containerStatuses": [state(c, done) for c in spec["containers"]]}
    if "initContainers" in spec:
        status["initContainerStatuses"] = [state(c, True) for c in spec["initContainers"]]
    return status


def image_digest(image):
    return f"{image.rsplit(':', 1)[0]}@sha256:{digest('image', image)}"


def add_set(cluster, deployment, namespace, labels, replicas, *, revision, minute, spec, ready=None):
    """A Deployment's ReplicaSet. Returns its name and the labels of its pods."""
    ready = replicas if ready is None else ready
    template_hash = suffix(10, "template", namespace, deployment, str(revision))
    labels = {**labels, "pod-template-hash": template_hash}
    status = {"observedGeneration": 2, "replicas": replicas}
    if replicas:
        status.update(fullyLabeledReplicas=replicas, readyReplicas=ready, availableReplicas=ready)
    cluster.add("ReplicaSet", f"{deployment}-{template_hash}", namespace, api="apps/v1", minute=minute, labels=labels,
                owner=owner_of("Deployment", namespace, deployment), generation=2,
                annotations={"deployment.kubernetes.io/revision": str(revision),
                             "deployment.kubernetes.io/desired-replicas": str(replicas),
                             "deployment.kubernetes.io/max-replicas": str(replicas + -(-replicas // 4))},
                spec={"replicas": replicas, "selector": {"matchLabels": labels},
                      "template": {"metadata": {"labels": labels}, "spec": {"containers": spec["containers"]}}},
                status=status)
    return f"{deployment}-{template_hash}", labels


def deploy(cluster, name, namespace, spec, nodes, *, labels=None, pending=0, revision=1, old={}, minute=0):
    """A Deployment's ReplicaSets, earlier ones scaled to 0 among them, and its pods: one on each of the nodes named
    and some that wait."""
    labels = labels or {"app": name}
    for number, tag in old.items():
        image = f"{spec['containers'][0]['image'].rsplit(':', 1)[0]}:{tag}"
        was = {**spec, "containers": [{**spec["containers"][0], "image": image}, *spec["containers"][1:]]}
        add_set(cluster, name, namespace, labels, 0, revision=number, minute=minute - 900 * (revision - number),
                spec=was)
    full_name, pod_labels = add_set(cluster, name, namespace, labels, len(nodes) + pending, revision=revision,
                                    minute=minute, spec=spec, ready=len(nodes))
    for number, node in enumerate(list(nodes) + [None] * pending):
        add_pod(cluster, f"{full_name}-{suffix(5, full_name, str(number))}", namespace, pod_labels, spec, node,
                owner=owner_of("ReplicaSet", namespace, full_name), generate_name=full_name + "-",
                minute=minute + number if node else NOW - 1)


def serve(cluster, name, namespace, selector, ports, *, minute=0, headless=False):
    h = int(digest("service", namespace, name)[:4], 16)
    ip = "None" if headless else "10.96.0.1" if name == "kubernetes" else f"10.96.{h % 200}.{2 + h // 256 % 250}"
    spec = {"clusterIP": ip, "clusterIPs": [ip], "internalTrafficPolicy": "Cluster", "ipFamilies": ["IPv4"],
            "ipFamilyPolicy": "SingleStack", "ports": ports, "sessionAffinity": "None", "type": "ClusterIP"}
    if selector:
        spec["selector"] = selector
    cluster.add("Service", name, namespace, minute=minute, labels=selector or {"component": "apiserver"}, spec=spec,
                status={"loadBalancer": {}})


def service_port(number, target, name="http"):
    return {"name": name, "port": number, "protocol": "TCP", "targetPort": target}


# ---- nodes ----------------------------------------------------------------------------------------------------------

# Instance type: cpus, allocatable millicpu, memory and allocatable memory in Ki, pods.
TYPES = {
    "m5.xlarge": (4, 3920, 16_069_616, 15_052_784, 58), "m5.2xlarge": (8, 7910, 32_362_480, 31_345_648, 58),
    "m5d.2xlarge": (8, 7910, 32_362_476, 31_345_644, 58), "m5d.4xlarge": (16, 15890, 65_022_940, 61_986_780, 110),
    "m6g.2xlarge": (8, 7910, 32_165_312, 31_148_480, 58), "c5.2xlarge": (8, 7910, 16_073_044, 15_056_212, 58),
    "g4dn.12xlarge": (48, 47810, 195_853_572, 192_817_412, 110),
}
CORDONED = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule", "timeAdded": moment(NOW - 45)}
NODES = {  # In the order of their making. The zone is the place in the list, modulo 3.
    "node-00000": dict(type="m5.xlarge", widgets=2),
    "node-00001": dict(type="m5d.2xlarge", widgets=4, beta=True, labels={"node.example.com/ssd": "nvme"},
                       pulled=["registry.example.com/shop:1.2"]),
    "node-00002": dict(type="m5.2xlarge", widgets=8, taints=[{"key": "dedicated", "value": "web",
                                                              "effect": "NoSchedule"}],
                       labels={"node.example.com/pool": "web"}),
    "node-00003": dict(type="m5.2xlarge", widgets=4, beta=True),
    "node-00004": dict(type="m6g.2xlarge", arch="arm64"),
    "node-00005": dict(type="m5d.4xlarge", beta=True, labels={"node.example.com/ssd": "nvme"}),
    "node-00006": dict(type="m5.2xlarge", taints=[CORDONED], labels={"node.example.com/retiring": "2026-12"}),
    "node-00007": dict(type="m5.2xlarge", avoids=("default", "web", 5)),
    "node-00008": dict(type="m5.xlarge", pressure=True, taints=[
        {"key": "node.kubernetes.io/memory-pressure", "effect": "NoSchedule", "timeAdded": moment(NOW - 12)}]),
    "spot-00000": dict(type="c5.2xlarge", taints=[
        {"key": "node.example.com/spot", "value": "true", "effect": "PreferNoSchedule"}],
        labels={"node.example.com/pool": "spot", "node.example.com/lifecycle": "spot"}),
    "gpu-00000": dict(type="g4dn.12xlarge", gpus=4),
    "gpu-00001": dict(type="g4dn.12xlarge", gpus=4, ready=False, taints=[
        {"key": NOT_READY, "effect": "NoSchedule", "timeAdded": moment(NOW - 4)},
        {"key": NOT_READY, "effect": "NoExecute", "timeAdded": moment(NOW - 4)}]),
}


def zone_of(name):
    return f"zone-{list(NODES).index(name) % 3}"


def node_labels(name, node):
    zone, arch = zone_of(name), node.get("arch", "amd64")
    labels = {"kubernetes.io/arch": arch, "kubernetes.io/os": "linux", "kubernetes.io/hostname": name,
              "node.kubernetes.io/instance-type": node["type"], "node.example.com/pool": "general",
              "topology.kubernetes.io/region": "region-1", "topology.kubernetes.io/zone": zone}
    if node.get("beta"):  # Joined before the labels were renamed, and kept both.
        labels.update({"beta.kubernetes.io/arch": arch, "beta.kubernetes.io/os": "linux",
                       "beta.kubernetes.io/instance-type": node["type"],
                       "failure-domain.beta.kubernetes.io/region": "region-1",
                       "failure-domain.beta.kubernetes.io/zone": zone})
    if node.get("gpus"):
        labels.update({"node.example.com/pool": "gpu", "node.example.com/accelerator": "nvidia-t4"})
    return {**labels, **node.get("labels", {})}


def node_annotations(node, instance):
    annotations = {"node.alpha.kubernetes.io/ttl": "0", "csi.volume.kubernetes.io/nodeid": f'{{"{CSI}":"{instance}"}}',
                   "volumes.kubernetes.io/controller-managed-attach-detach": "true"}
    if "avoids" in node:
        namespace, deployment, revision = node["avoids"]
        name = f"{deployment}-{suffix(10, 'template', namespace, deployment, str(revision))}"
        owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": name, "uid": uid("ReplicaSet", namespace, name),
                 "controller": True}
        annotations["scheduler.alpha.kubernetes.io/preferAvoidPods"] = json.dumps(
            {"preferAvoidPods": [{"podSignature": {"podController": owner}, "reason": "cache is cold after a repair",
                                  "evictionTime": moment(NOW - 600)}]}, separators=(",", ":"))
    return annotations


def node_conditions(node):
    ready, pressure = node.get("ready", True), node.get("pressure", False)
    rows = [("MemoryPressure", pressure, "KubeletHasInsufficientMemory" if pressure else "KubeletHasSufficientMemory",
             f"kubelet has {'insufficient' if pressure else 'sufficient'} memory available",
             NOW - 12 if pressure else 5),
            ("DiskPressure", False, "KubeletHasNoDiskPressure", "kubelet has no disk pressure", 5),
            ("PIDPressure", False, "KubeletHasSufficientPID", "kubelet has sufficient PID available", 5)]
    rows += [("Ready", True, "KubeletReady", "kubelet is posting ready status", 6)] if ready else [
        ("Ready", False, "KubeletNotReady", "container runtime network not ready: NetworkReady=false "
         "reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized", NOW - 4)]
    return [{"type": kind, "status": str(value), "reason": reason, "message": message,
             "lastHeartbeatTime": moment(NOW - 1), "lastTransitionTime": moment(since)}
            for kind, value, reason, message, since in rows]


def node_images(name, cluster):
    """The images of the pods there, and what earlier ones left; the largest first, as the kubelet reports them."""
    sizes = {image: IMAGES[image] for image in ["registry.k8s.io/pause:3.10", *NODES[name].get("pulled", [])]}
    for pod in cluster.of("Pod"):
        if pod["spec"].get("nodeName") == name:
            for c in pod["spec"]["containers"] + pod["spec"].get("initContainers", []):
                sizes[c["image"]] = IMAGES.get(c["image"]) or size_of(c["image"])
    for repository, tags, _ in LEFTOVERS:
        for tag in tags:
            image = f"{repository}:{tag}"
            if int(digest("left", name, image)[:2], 16) % 3 == 0:
                sizes[image] = size_of(image)
    return [{"names": [image_digest(image), image], "sizeBytes": size}
            for image, size in sorted(sizes.items(), key=lambda item: (-item[1], item[0]))]


def size_of(image):
    about = next(mib for repository, _, mib in LEFTOVERS if repository == image.rsplit(":", 1)[0])
    return about * MIB + int(digest("size", image)[:5], 16)


def add_node(cluster, name, node, minute):
    cpus, millicpu, memory, usable, pods = TYPES[node["type"]]
    instance = "i-0" + digest("instance", name)[:16]
    capacity = {"cpu": str(cpus), "memory": f"{memory}Ki", "ephemeral-storage": "83873772Ki", "pods": str(pods),
                "hugepages-1Gi": "0", "hugepages-2Mi": "0"}
    allocatable = {**capacity, "cpu": f"{millicpu}m", "memory": f"{usable}Ki", "ephemeral-storage": "76224326324"}
    for resource, count in (("example.com/widget", node.get("widgets")), ("nvidia.com/gpu", node.get("gpus"))):
        if count:
            capacity[resource] = allocatable[resource] = str(count)
    taints = node.get("taints", [])
    if node.get("gpus"):
        taints = [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}] + taints
    number = list(NODES).index(name)
    spec = {"podCIDR": f"10.244.{number}.0/24", "podCIDRs": [f"10.244.{number}.0/24"],
            "providerID": f"aws:///{zone_of(name)}/{instance}"}
    if taints:
        spec["taints"] = taints
    if CORDONED in taints:
        spec["unschedulable"] = True
    return cluster.add("Node", name, minute=minute, labels=node_labels(name, node),
                       annotations=node_annotations(node, instance), spec=spec, status={
        "capacity": capacity, "allocatable": allocatable, "conditions": node_conditions(node),
        "addresses": [{"address": NODE_ADDRESS[name], "type": "InternalIP"}, {"address": name, "type": "Hostname"}],
        "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}}, "images": [],
        "nodeInfo": {"architecture": node.get("arch", "amd64"), "operatingSystem": "linux",
                     "bootID": uid("boot", "", name), "machineID": digest("machine", name)[:32],
                     "systemUUID": uid("system", "", name), "containerRuntimeVersion": "containerd://2.0.5",
                     "kernelVersion": "6.12.48+deb13-cloud-amd64".replace("amd64", node.get("arch", "amd64")),
                     "kubeProxyVersion": "", "kubeletVersion": "v1.33.5", "osImage": "Debian GNU/Linux 13 (trixie)"}})


# ---- the cluster ----------------------------------------------------------------------------------------------------


def add_system(cluster):
    serve(cluster, "kubernetes", "default", None, [service_port(443, 6443, "https")])
    serve(cluster, "kube-dns", "kube-system", {"k8s-app": "kube-dns"}, [service_port(53, 53, "dns-tcp")])
    serve(cluster, "metrics-server", "kube-system", {"k8s-app": "metrics-server"},
          [service_port(443, "https", "https")])
    critical = {"priority": 2000000000, "priorityClassName": "system-cluster-critical"}
    for number, name in enumerate(NODES):  # A DaemonSet: tolerates everything, and is tied to its node by name.
        add_pod(cluster, f"kube-proxy-{suffix(5, 'kube-proxy', name)}", "kube-system",
                {"k8s-app": "kube-proxy", "controller-revision-hash": "6c9f5d7b8b", "pod-template-generation": "1"},
                {"containers": [container("kube-proxy", "registry.k8s.io/kube-proxy:v1.33.5", "100m",
                                          securityContext={"privileged": True})],
                 "hostNetwork": True, "nodeSelector": {"kubernetes.io/os": "linux"}, "tolerations": [
                     {"operator": "Exists"}, toleration(NOT_READY, "NoExecute"), toleration(UNREACHABLE, "NoExecute"),
                     *(toleration(f"node.kubernetes.io/{key}", "NoSchedule") for key in (
                         "disk-pressure", "memory-pressure", "pid-pressure", "unschedulable", "network-unavailable"))],
                 "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
                     {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [name]}]}]}}},
                 "priority": 2000001000, "priorityClassName": "system-node-critical"},
                name, owner=owner_of("DaemonSet", "kube-system", "kube-proxy"), generate_name="kube-proxy-",
                minute=10 + number)
    deploy(cluster, "coredns", "kube-system", {
        "containers": [container("coredns", "registry.k8s.io/coredns/coredns:v1.12.0", "100m", "70Mi",
                                 limits={"memory": "170Mi"}, ports=[port(53, "dns-tcp"), port(9153, "metrics")])],
        "tolerations": [toleration("CriticalAddonsOnly")], "dnsPolicy": "Default", **critical},
        ["node-00001", "node-00005"], labels={"k8s-app": "kube-dns"}, minute=40)
    deploy(cluster, "metrics-server", "kube-system", {
        "containers": [container("metrics-server", "registry.k8s.io/metrics-server/metrics-server:v0.7.2", "100m",
                                 "200Mi", ports=[port(10250, "https")])], **critical},
        ["node-00003"], labels={"k8s-app": "metrics-server"}, minute=45)
    deploy(cluster, "ebs-csi-controller", "kube-system", {
        "containers": [container("ebs-plugin", "registry.k8s.io/provider-aws/aws-ebs-csi-driver:v1.41.0", "10m", "40Mi",
                                 limits={"memory": "256Mi"}),
                       container("csi-provisioner", "registry.k8s.io/sig-storage/csi-provisioner:v5.2.0", "10m", "40Mi",
                                 limits={"memory": "256Mi"})], **critical},
        ["node-00004"], labels={"app": "ebs-csi-controller"}, minute=50)
    deploy(cluster, "ingress-nginx-controller", "ingress", {
        "containers": [container("controller", "registry.k8s.io/ingress-nginx/controller:v1.12.1", "100m", "90Mi",
                                 ports=[port(80, "http", 80), port(443, "https", 443)])]},
        ["node-00005", "node-00007"], labels={"app.kubernetes.io/name": "ingress-nginx"}, minute=70)
    serve(cluster, "ingress-nginx-controller", "ingress", {"app.kubernetes.io/name": "ingress-nginx"},
          [service_port(80, "http"), service_port(443, "https", "https")], minute=70)
    deploy(cluster, "prometheus", "monitoring", {
        "containers": [container("prometheus", "quay.io/prometheus/prometheus:v3.0.1", "1", "8Gi",
                                 limits={"memory": "12Gi"}, ports=[port(9090)])]}, ["node-00005"], minute=90)
    deploy(cluster, "grafana", "monitoring", {
        "containers": [container("grafana", "docker.io/grafana/grafana:11.4.0", "100m", "256Mi",
                                 ports=[port(3000)])]}, ["node-00004"], minute=91)
    serve(cluster, "prometheus", "monitoring", {"app": "prometheus"}, [service_port(9090, 9090)], minute=90)
    serve(cluster, "grafana", "monitoring", {"app": "grafana"}, [service_port(80, 3000)], minute=91)


def add_shop(cluster):
    serve(cluster, "web", "default", {"app": "web"}, [service_port(80, 8000)], minute=1440)
    deploy(cluster, "web", "default", {
        "containers": [container("web", "registry.example.com/web:3.14.2", "500m", "512Mi", limits={"memory": "1Gi"},
                                 ports=[port(8000)],
                                 readinessProbe={"httpGet": {"path": "/ready", "port": "http", "scheme": "HTTP"},
                                                 "failureThreshold": 3, "periodSeconds": 10, "successThreshold": 1,
                                                 "timeoutSeconds": 1})],
        "tolerations": [toleration("dedicated", "NoSchedule", "web")],
        "priority": 100000, "priorityClassName": "frontend"},
        ["node-00000", "node-00001", "node-00001", "node-00002", "node-00003", "node-00004", "node-00005",
         "node-00005"],
        pending=1, revision=5, old={3: "3.14.0", 4: "3.14.1"}, minute=21_000)
    serve(cluster, "shop", "default", {"app": "shop"}, [service_port(80, 80)], minute=1440)
    deploy(cluster, "shop", "default", {
        "initContainers": [container("migrate", "registry.example.com/migrate:43", "500m", "64Mi")],
        "containers": [container("main", "registry.example.com/shop:1.2", "200m", "448Mi", limits={"memory": "1Gi"},
                                 ports=[port(80)]),
                       container("side", "registry.example.com/side:1", "100m", "64Mi")],
        "affinity": {"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": 50, "podAffinityTerm": {"labelSelector": {"matchLabels": {"app": "db"}}, "namespaces": ["data"],
                                               "topologyKey": "topology.kubernetes.io/zone"}}]}},
        "priority": 100000, "priorityClassName": "frontend"},
        ["node-00003", "node-00005", "node-00006", "node-00007"], labels={"app": "shop", "tier": "front"},
        revision=2, old={1: "1.1"}, minute=15_000)
    serve(cluster, "api", "default", {"app": "api"}, [service_port(80, 8080)], minute=1440)
    deploy(cluster, "api", "default", {
        "containers": [container("api", "registry.example.com/api:2026.11.3", "500m", "1Gi",
                                 limits={"cpu": "2", "memory": "1536Mi"},
                                 ports=[port(8080)])],
        "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
            {"labelSelector": {"matchLabels": {"app": "api"}}, "topologyKey": "kubernetes.io/hostname"}]}},
        "topologySpreadConstraints": [{"labelSelector": {"matchLabels": {"app": "api"}}, "maxSkew": 1,
                                       "topologyKey": "topology.kubernetes.io/zone",
                                       "whenUnsatisfiable": "ScheduleAnyway"}]},
        ["node-00001", "node-00003", "node-00004", "node-00005", "node-00006", "node-00007"],
        revision=3, old={2: "2026.11.1"}, minute=22_000)
    deploy(cluster, "worker", "default", {
        "containers": [container("worker", "registry.example.com/worker:2026.11.3", "1", "2Gi",
                                 limits={"memory": "4Gi"})]},
        ["node-00000", "node-00004", "node-00005", "node-00007"], revision=3, old={2: "2026.11.1"}, minute=22_010)
    serve(cluster, "gateway", "default", {"app": "gateway"}, [service_port(8080, 8080)], minute=1500)
    deploy(cluster, "gateway", "default", {
        "containers": [container("gateway", "registry.example.com/gateway:0.9.4", "200m", "256Mi",
                                 ports=[port(8080, "http", 8080)])]}, ["node-00003", "node-00006"], minute=1500)
    serve(cluster, "memcached", "default", {"app": "memcached"}, [service_port(11211, 11211, "cache")],
          minute=1441, headless=True)
    deploy(cluster, "memcached", "default", {
        "containers": [container("memcached", "docker.io/library/memcached:1.6.33", "100m", "1Gi",
                                 limits={"memory": "1Gi"}, ports=[port(11211, "cache")])]},
           ["node-00001", "node-00008", "spot-00000"], minute=1441)
    deploy(cluster, "press", "default", {
        "containers": [container("press", "registry.example.com/press:5.0.1", "1500m", "1Gi",
                                 extra={"example.com/widget": "1"})]},
        ["node-00000", "node-00001", "node-00003"], minute=9000)
    cluster.add("PodDisruptionBudget", "web", "default", api="policy/v1", minute=1440, generation=1,
                spec={"maxUnavailable": 1, "selector": {"matchLabels": {"app": "web"}}},
                status={"conditions": [{"type": "DisruptionAllowed", "status": "False", "reason": "InsufficientPods",
                                        "message": "", "lastTransitionTime": moment(NOW - 1), "observedGeneration": 1}],
                        "currentHealthy": 8, "desiredHealthy": 8, "disruptionsAllowed": 0, "expectedPods": 9,
                        "observedGeneration": 1})


def add_database(cluster):
    serve(cluster, "db", "data", {"app": "db"}, [service_port(5432, "postgres", "postgres")], minute=1400,
          headless=True)
    labels = {"app": "db"}
    claim_spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "100Gi"}},
                  "storageClassName": "gp3", "volumeMode": "Filesystem"}
    template = {"containers": [container("postgres", "docker.io/library/postgres:17.2", "1", "4Gi",
                                         limits={"memory": "8Gi"},
                                         ports=[port(5432, "postgres")],
                                         volumeMounts=[{"mountPath": "/var/lib/postgresql/data", "name": "data"}])],
                "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
                    {"labelSelector": {"matchLabels": labels}, "topologyKey": "topology.kubernetes.io/zone"}]}},
                "priority": 1000000, "priorityClassName": "database"}
    cluster.add("StatefulSet", "db", "data", api="apps/v1", minute=1400, labels=labels, generation=1, spec={
        "replicas": 3, "serviceName": "db", "podManagementPolicy": "OrderedReady", "revisionHistoryLimit": 10,
        "selector": {"matchLabels": labels}, "updateStrategy": {"rollingUpdate": {"partition": 0},
                                                                "type": "RollingUpdate"},
        "template": {"metadata": {"labels": labels}, "spec": {"containers": template["containers"]}},
        "volumeClaimTemplates": [{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"},
                                  "spec": claim_spec, "status": {"phase": "Pending"}}]},
        status={"replicas": 3, "readyReplicas": 3, "availableReplicas": 3, "currentReplicas": 3, "updatedReplicas": 3,
                "currentRevision": "db-7f6d9c4b58", "updateRevision": "db-7f6d9c4b58", "observedGeneration": 1,
                "collisionCount": 0})
    for number, node in enumerate(["node-00001", "node-00003", "node-00005"]):
        add_volume(cluster, f"data-db-{number}", "data", claim_spec, node, minute=1401 + 3 * number)
        add_pod(cluster, f"db-{number}", "data",
                {**labels, "controller-revision-hash": "db-7f6d9c4b58",
                 "statefulset.kubernetes.io/pod-name": f"db-{number}",
                 "apps.kubernetes.io/pod-index": str(number)},
                {**template, "hostname": f"db-{number}", "subdomain": "db",
                 "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": f"data-db-{number}"}}]},
                node, owner=owner_of("StatefulSet", "data", "db"), generate_name="db-", minute=1402 + 3 * number)
    cluster.add("PodDisruptionBudget", "db", "data", api="policy/v1", minute=1400, generation=1,
                spec={"minAvailable": 2, "selector": {"matchLabels": labels}},
                status={"conditions": [{"type": "DisruptionAllowed", "status": "True", "reason": "SufficientPods",
                                        "message": "",
                                        "lastTransitionTime": moment(1410), "observedGeneration": 1}],
                        "currentHealthy": 3, "desiredHealthy": 2, "disruptionsAllowed": 1, "expectedPods": 3,
                        "observedGeneration": 1})


def add_volume(cluster, claim, namespace, claim_spec, node, minute):
    """A claim, the volume made for it in the node's zone, and its attachment."""
    volume = "pvc-" + uid("PersistentVolumeClaim", namespace, claim)
    made = cluster.add("PersistentVolumeClaim", claim, namespace, minute=minute, labels={"app": "db"}, annotations={
        "pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes",
        "volume.kubernetes.io/selected-node": node, "volume.kubernetes.io/storage-provisioner": CSI},
        spec={**claim_spec, "volumeName": volume},
        status={"accessModes": claim_spec["accessModes"], "capacity": {"storage": "100Gi"}, "phase": "Bound"})
    cluster.add("PersistentVolume", volume, minute=minute, annotations={"pv.kubernetes.io/provisioned-by": CSI}, spec={
        "accessModes": claim_spec["accessModes"], "capacity": {"storage": "100Gi"}, "storageClassName": "gp3",
        "volumeMode": "Filesystem", "persistentVolumeReclaimPolicy": "Delete",
        "claimRef": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "name": claim, "namespace": namespace,
                     "resourceVersion": made["metadata"]["resourceVersion"], "uid": made["metadata"]["uid"]},
        "csi": {"driver": CSI, "fsType": "ext4", "volumeHandle": "vol-0" + digest("volume", claim)[:16]},
        "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
            {"key": "topology.kubernetes.io/zone", "operator": "In", "values": [zone_of(node)]}]}]}}},
        status={"phase": "Bound", "lastPhaseTransitionTime": moment(minute)})
    cluster.add("VolumeAttachment", "csi-" + digest("attachment", volume, node), api="storage.k8s.io/v1",
                minute=minute + 1,
                spec={"attacher": CSI, "nodeName": node, "source": {"persistentVolumeName": volume}},
                status={"attached": True})


def add_batch(cluster):
    spot = "node.example.com/lifecycle"
    deploy(cluster, "encoder", "batch", {
        "containers": [container("encoder", "registry.example.com/encoder:7.1", "1500m", "2Gi",
                                 limits={"memory": "3Gi"})],
        "tolerations": [toleration("node.example.com/spot", "PreferNoSchedule", "true")],
        "affinity": {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": 80, "preference": {"matchExpressions": [{"key": spot, "operator": "In", "values": ["spot"]}]}},
            {"weight": 20, "preference": {"matchExpressions": [{"key": "node.example.com/ssd",
                                                                "operator": "Exists"}]}}]}},
        "priority": -10, "priorityClassName": "batch", "preemptionPolicy": "Never"},
        ["spot-00000", "spot-00000", "node-00005", "node-00008"], pending=1, revision=1, minute=20_000)
    deploy(cluster, "inference", "ml", {
        "containers": [container("server", "registry.example.com/inference:24.10", "4", "16Gi",
                                 extra={"nvidia.com/gpu": "1"}, ports=[port(8001, "grpc")])],
        "tolerations": [toleration("nvidia.com/gpu", "NoSchedule")]}, ["gpu-00000", "gpu-00001"], minute=12_000)
    serve(cluster, "inference", "ml", {"app": "inference"}, [service_port(8001, "grpc", "grpc")], minute=12_000)
    job = "reindex-29390460"  # Done: it holds nothing any more, whatever it asked for.
    add_pod(cluster, f"{job}-{suffix(5, job)}", "batch", {
        "batch.kubernetes.io/job-name": job, "batch.kubernetes.io/controller-uid": uid("Job", "batch", job),
        "job-name": job},
        {"containers": [container("reindex", "registry.example.com/reindex:9", "6", "8Gi")], "restartPolicy": "Never"},
        "node-00007", owner=owner_of("Job", "batch", job, api="batch/v1"), generate_name=job + "-", minute=25_500,
        phase="Succeeded")
    add_pod(cluster, "cruncher", "batch", {"app": "cruncher"}, {
        "containers": [container("cruncher", "registry.example.com/worker:2026.11.3", "12", "8Gi")],
        "restartPolicy": "Never"},
        minute=NOW - 30, message=CRUNCHER_WAITS)
    add_pod(cluster, "trainer", "ml", {"app": "trainer"}, {
        "containers": [container("trainer", "registry.example.com/inference:24.10", "2", "8Gi",
                                 extra={"nvidia.com/gpu": "1"})],
        "nodeSelector": {"node.example.com/accelerator": "nvidia-h100"},
        "tolerations": [toleration("nvidia.com/gpu", "NoSchedule")], "restartPolicy": "Never"},
        minute=NOW - 55, message=TRAINER_WAITS)


# What kube-scheduler last said of the two that fit nowhere (its own rules, not Winnow's: only the operator reads it).
CRUNCHER_WAITS = (
    "0/12 nodes are available: 1 node(s) had untolerated taint {dedicated: web}, 1 node(s) had untolerated taint "
    "{node.kubernetes.io/memory-pressure: }, 1 node(s) were unschedulable, 2 node(s) had untolerated taint "
    "{nvidia.com/gpu: present}, 7 Insufficient cpu. preemption: 0/12 nodes are available: 11 Preemption is not helpful "
    "for scheduling, 1 No preemption victims found for incoming pod.")
TRAINER_WAITS = (
    "0/12 nodes are available: 1 node(s) had untolerated taint {dedicated: web}, 1 node(s) had untolerated taint "
    "{node.kubernetes.io/memory-pressure: }, 1 node(s) had untolerated taint {node.kubernetes.io/not-ready: }, "
    "1 node(s) were unschedulable, 8 node(s) didn't match Pod's node affinity/selector. preemption: 0/12 nodes are available: "
    "12 Preemption is not helpful for scheduling.")


def add_legacy(cluster):
    """What predates Deployments and claims: a ReplicationController whose pod names its disk itself."""
    volume = "vol-0" + digest("volume", "ledger")[:16]
    disk = [{"name": "books", "awsElasticBlockStore": {"fsType": "ext4", "volumeID": volume}}]
    mounts = [{"mountPath": "/books", "name": "books"}]
    spec = {"containers": [container("ledger", "registry.example.com/ledger:1.0.77", "250m", "512Mi",
                                     ports=[port(7000)],
                                     volumeMounts=mounts)], "volumes": disk}
    cluster.add("ReplicationController", "ledger", "legacy", minute=1600, labels={"app": "ledger"}, generation=1,
                spec={"replicas": 1, "selector": {"app": "ledger"},
                      "template": {"metadata": {"labels": {"app": "ledger"}}, "spec": spec}},
                status={"replicas": 1, "fullyLabeledReplicas": 1, "readyReplicas": 1, "availableReplicas": 1,
                        "observedGeneration": 1})
    serve(cluster, "ledger", "legacy", {"app": "ledger"}, [service_port(7000, 7000)], minute=1600)
    add_pod(cluster, f"ledger-{suffix(5, 'ledger')}", "legacy", {"app": "ledger"}, spec, "node-00004", minute=1600,
            owner=owner_of("ReplicationController", "legacy", "ledger", api="v1"), generate_name="ledger-")
    add_pod(cluster, "ledger-report", "legacy", {"app": "ledger-report"}, {
        "containers": [container("report", "registry.example.com/ledger:1.0.77", "250m", "256Mi", volumeMounts=mounts)],
        "volumes": disk, "restartPolicy": "Never"}, minute=NOW - 1)


def add_storage(cluster):
    for name, mode, parameters, default in (("gp3", "WaitForFirstConsumer", {"type": "gp3"}, "true"),
                                            ("io2", "Immediate", {"iopsPerGB": "50", "type": "io2"}, "false")):
        cluster.add("StorageClass", name, api="storage.k8s.io/v1", provisioner=CSI, parameters=parameters,
                    reclaimPolicy="Delete", allowVolumeExpansion=True, volumeBindingMode=mode,
                    annotations={"storageclass.kubernetes.io/is-default-class": default})
    cluster.add("CSIDriver", CSI, api="storage.k8s.io/v1", spec={
        "attachRequired": True, "fsGroupPolicy": "ReadWriteOnceWithFSType", "podInfoOnMount": False,
        "requiresRepublish": False, "seLinuxMount": False, "storageCapacity": False,
        "volumeLifecycleModes": ["Persistent"]})
    for number, (name, node) in enumerate(NODES.items()):
        cluster.add("CSINode", name, api="storage.k8s.io/v1", minute=8 + number,
                    owner={"apiVersion": "v1", "kind": "Node", "name": name, "uid": uid("Node", "", name)},
                    spec={"drivers": [{"name": CSI, "nodeID": "i-0" + digest("instance", name)[:16],
                                       "allocatable": {"count": 3 if node.get("gpus") else 25},
                                       "topologyKeys": ["kubernetes.io/os", "topology.kubernetes.io/zone"]}]})


ORDER = ["Node", "Pod", "Namespace", "Service", "ReplicationController", "ReplicaSet", "StatefulSet",
         "PodDisruptionBudget", "PersistentVolume", "PersistentVolumeClaim", "StorageClass", "CSINode", "CSIDriver",
         "VolumeAttachment"]  # As the command above names them.


def make():
    cluster = Cluster()
    for name in ("default", "kube-system", "kube-public", "kube-node-lease", "ingress", "monitoring", "data", "batch",
                 "ml", "legacy"):
        cluster.add("Namespace", name, labels={"kubernetes.io/metadata.name": name},
                    spec={"finalizers": ["kubernetes"]},
                    status={"phase": "Active"})
    for number, name in enumerate(NODES):
        NODE_ADDRESS[name] = f"10.0.{16 * (number % 3) + 4}.{17 + 13 * number}"
    nodes = {name: add_node(cluster, name, node, minute=2 + number)
             for number, (name, node) in enumerate(NODES.items())}
    add_storage(cluster)
    for add in (add_system, add_shop, add_database, add_batch, add_legacy):
        add(cluster)
    for name, node in nodes.items():
        node["status"]["images"] = node_images(name, cluster)
        attached = [f"kubernetes.io/csi/{CSI}^{pv['spec']['csi']['volumeHandle']}"
                    for pv, where in attached_volumes(cluster) if where == name]
        if attached:
            node["status"]["volumesInUse"] = attached
            node["status"]["volumesAttached"] = [{"devicePath": "", "name": volume} for volume in attached]
    items = sorted(cluster.objects, key=lambda o: (ORDER.index(o["kind"]), o["metadata"].get("namespace", ""),
                                                   o["metadata"]["name"]))
    return {"apiVersion": "v1", "items": items, "kind": "List", "metadata": {"resourceVersion": ""}}


def attached_volumes(cluster):
    where = {a["spec"]["source"]["persistentVolumeName"]: a["spec"]["nodeName"] for a in cluster.of("VolumeAttachment")}
    return [(pv, where[pv["metadata"]["name"]]) for pv in cluster.of("PersistentVolume")]


def text(value, indent=0):
    """JSON with sorted keys, as kubectl writes it, but a value that fits on a line is on one."""
    line = json.dumps(value, sort_keys=True, ensure_ascii=False)
    if indent and len(line) + indent <= WIDTH or not isinstance(value, (dict, list)) or not value:
        return line
    pad = "\n" + " " * (indent + 1)
    if isinstance(value, list):
        return "[" + pad + ("," + pad).join(text(v, indent + 1) for v in value) + "\n" + " " * indent + "]"
    rows = (f"{json.dumps(key)}: {text(value[key], indent + 1)}" for key in sorted(value))
    return "{" + pad + ("," + pad).join(rows) + "\n" + " " * indent + "}"


def main():
    made = text(make()) + "\n"
    if sys.argv[1:] == ["--check"]:
        if OUTPUT.read_text(encoding="utf-8") != made:
            sys.exit(f"{OUTPUT}: not what {pathlib.Path(__file__).name} writes; run it without --check")
    elif not sys.argv[1:]:
        OUTPUT.write_text(made, encoding="utf-8")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
