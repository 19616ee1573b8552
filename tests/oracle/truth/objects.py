"""A cluster by its parts, with the defaults that an API server would have set, and a question about a pod."""
import collections
import functools

TAINT_EFFECTS = ("NoSchedule", "NoExecute")
BETA_CLASS = "volume.beta.kubernetes.io/storage-class"
COMPLETED = "pv.kubernetes.io/bind-completed"


def full_name(item):
    return f"{item['metadata']['namespace']}/{item['metadata']['name']}"


def labels_of(item):
    return item["metadata"].get("labels") or {}


def is_over(pod):
    return (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")


def is_deleted(item):
    return bool(item["metadata"].get("deletionTimestamp"))


def containers(pod):
    return pod["spec"].get("containers") or []


def init_containers(pod):
    return pod["spec"].get("initContainers") or []


def is_sidecar(container):
    return container.get("restartPolicy") == "Always"


def class_of(claim):
    """The class of a claim; "" for none."""
    annotations = claim["metadata"].get("annotations") or {}
    return annotations[BETA_CLASS] if BETA_CLASS in annotations else claim["spec"].get("storageClassName") or ""


class Cluster:
    """The objects of a cluster."""

    def __init__(self, items):
        self.items = items
        self.kinds = collections.defaultdict(dict)
        for item in items:
            name = full_name(item) if "namespace" in item["metadata"] else item["metadata"]["name"]
            self.kinds[item["kind"]][name] = item
        self.nodes = self.kinds["Node"]
        self.pods = self.kinds["Pod"]
        self.claims, self.volumes = self.kinds["PersistentVolumeClaim"], self.kinds["PersistentVolume"]
        self.classes = self.kinds["StorageClass"]
        self.on = {name: [] for name in self.nodes}
        for pod in self.pods.values():
            node = pod["spec"].get("nodeName")
            if node in self.on and not is_over(pod):
                self.on[node].append(pod)

    def without(self, name):
        """The cluster without this pod."""
        return Cluster([item for item in self.items if item is not self.pods[name]])

    @functools.cached_property
    def running(self):
        """The pods on nodes, each with its node's name."""
        return [(pod, node) for node, pods in self.on.items() for pod in pods]

    @functools.cached_property
    def nominated(self):
        """The pending pods that are nominated for a node, by its name."""
        found = collections.defaultdict(list)
        for pod in self.pods.values():
            node = (pod.get("status") or {}).get("nominatedNodeName")
            if node and not pod["spec"].get("nodeName") and not is_over(pod):
                found[node].append(pod)
        return found

    @functools.cached_property
    def provided(self):
        """The extended resources that a DeviceClass provides."""
        named = {item["spec"].get("extendedResourceName") for item in self.kinds["DeviceClass"].values()}
        return named | {"deviceclass.resource.kubernetes.io/" + name for name in self.kinds["DeviceClass"]}

    def namespace_labels(self, name):
        """The labels of a namespace; none if there is no such object."""
        found = self.kinds["Namespace"].get(name)
        return {**labels_of(found), "kubernetes.io/metadata.name": name} if found else {}


class Question:
    """A pod that is asked about in a cluster, which does not have it on a node."""

    def __init__(self, cluster, pod, today, exact=False):
        self.cluster, self.pod, self.spec = cluster, pod, pod["spec"]
        self.today = today
        self.exact = exact  # The gate ExactV116.
        self.namespace, self.labels = pod["metadata"]["namespace"], labels_of(pod)
        self.kept = {}  # What the rules work out once, by rule.

    def keep(self, name, make):
        """What make(self) gives, made once."""
        if name not in self.kept:
            self.kept[name] = make(self)
        return self.kept[name]
