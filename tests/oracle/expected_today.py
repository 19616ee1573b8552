"""What must occur in a run of the comparison with today's plugins: every plugin and reason that v1.37 has."""
import re

from answers import read_json

# The order of both lists counts: it decides what a seed of generate/today/config.py draws. A new rule is the last one.
FILTERS = ["NodeName", "NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodePorts", "NodeResourcesFit",
           "VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding", "VolumeZone", "PodTopologySpread", "InterPodAffinity",
           "NodeDeclaredFeatures", "DynamicResources"]

# How many different scores each must give.
SCORES = {"TaintToleration": 8, "NodeAffinity": 20, "NodeResourcesFit": 60, "VolumeBinding": 25, "PodTopologySpread": 40,
          "InterPodAffinity": 40, "NodeResourcesBalancedAllocation": 20, "ImageLocality": 30,
          "DynamicResources": 8}
MOST = 100

# Of PreFilters, about all nodes at once.
REFUSALS = [
    "pod affinity terms conflict", 'persistentvolumeclaim "…" not found', 'persistentvolumeclaim "…" is being deleted',
    'persistentvolumeclaim "…" bound to non-existent persistentvolume "…"',
    'waiting for ephemeral volume controller to create the persistentvolumeclaim "…"',
    "PVC … was not created for pod … (pod is not owner)", "pod has unbound immediate PersistentVolumeClaims",
    "PersistentVolumeClaim had no pv name and storageClass name", "PersistentVolume had no name",
    'persistentvolume "…" not found', 'storageclass.storage.k8s.io "…" not found',
    'pod "…": ResourceClaim not created yet', 'pod "…", spec.resourceClaim "…": none of the supported fields are set',
    'could not find ResourceClaim "…"', 'resourceclaim "…" is being deleted',
    "ResourceClaim … was not created for Pod … (Pod is not owner)", "request …: device class … does not exist"]

# "PersistentVolumeClaim had no name" and "parsing pod: …" are for pods that no API server takes.
REASONS = REFUSALS + [
    "node(s) didn't match the requested node name", "node(s) were unschedulable", "node(s) had untolerated taint(s)",
    "node(s) didn't match Pod's node affinity/selector", "node(s) didn't match scheduler-enforced node affinity",
    "node(s) didn't have free ports for the requested pod ports", "Too many pods", "Insufficient cpu", "Insufficient memory",
    "Insufficient ephemeral-storage", "Insufficient SCALAR", "node(s) had no available disk",
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
    "node(s) exceed max volume count", "… CSI driver is not installed on the node",
    'looking up PVC …: persistentvolumeclaim "…" not found', "node(s) didn't match PersistentVolume's node affinity",
    "node(s) didn't find available persistent volumes to bind", "node(s) did not have enough free storage",
    "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)", "node(s) had no available volume zone",
    "node(s) didn't match pod topology spread constraints",
    "node(s) didn't match pod topology spread constraints (missing required label)",
    "node(s) didn't satisfy existing pods anti-affinity rules", "node(s) didn't match pod affinity rules",
    "node(s) didn't match pod anti-affinity rules", "node(s) didn't match Pod's required features",
    "cannot allocate all claims", "resourceclaim not available on the node", "invalid resource pools were encountered",
    "cannot schedule extended resource claim", "cannot fit resource"]

NAMES = [(r'"[^"]*"', '"…"'), (r"\bPVC \S+/[^\s:]+", "PVC …"), (r"for pod \S+/\S+", "for pod …"),
         (r"^\S+ CSI driver", "… CSI driver"), (r"ResourceClaim \S+ was not created for Pod \S+", "ResourceClaim … was not created for Pod …"),
         (r"^request \S+: device class \S+ does", "request …: device class … does")]


def reason_class(reason):
    for pattern, text in NAMES:
        reason = re.sub(pattern, text, reason)
    return reason


def kinds(_):
    """Plugins have no other names."""
    return [{}, {}]


def forms(directory):
    """What can be said of the configuration itself."""
    profiles = read_json(directory, "config.json").get("profiles", [])
    yield f"profiles\t{len(profiles)}"
    for profile in profiles:
        for point, plugins in profile.get("plugins", {}).items():
            yield f"{point}\t{'all' if {'name': '*'} in plugins.get('disabled', []) else 'some'}"
        for configured in profile.get("pluginConfig", []):
            args = configured["args"]
            kind = args.get("defaultingType") or args.get("scoringStrategy", {}).get("type", "")
            yield f"{configured['name']}\t{kind or ','.join(sorted(set(args) - {'apiVersion', 'kind'}))}"
