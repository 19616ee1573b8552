"""What must occur in a run of the comparison about devices: each form of a request, and each text of DynamicResources and its
allocator that v1.37 can reach with its default feature gates."""
import re

import expected_today
from answers import read_json
from device_forms import asked_forms, device_forms, request_forms, taken_forms

__all__ = ["FILTERS", "SCORES", "MOST", "REASONS", "reason_class", "kinds", "forms"]

FILTERS = ["NodeResourcesFit", "DynamicResources"]
SCORES = {"DynamicResources": 15, "NodeResourcesFit": 60, "NodeResourcesBalancedAllocation": 20}
# Those of the default profile that have little to say here.
OTHERS = {*expected_today.FILTERS, *expected_today.SCORES}
MOST = 100
LARGE_ENOUGH = 1500  # Clusters, for all floors here.
SELDOM = 3  # Nodes with an error.

# Of PreFilter, about all nodes at once.
REFUSALS = [
    "pod …: ResourceClaim not created yet", "pod …, spec.resourceClaim …: none of the supported fields are set",
    "could not find ResourceClaim …", "resourceclaim … is being deleted",
    "ResourceClaim … was not created for Pod … (Pod is not owner)",
    "request …: device class … does not exist", "resource claim …, request …: unknown request type"]

REASONS = REFUSALS + [
    "cannot allocate all claims", "resourceclaim not available on the node", "invalid resource pools were encountered",
    "cannot schedule extended resource claim", "cannot fit resource", "Insufficient cpu", "Insufficient memory",
    "Insufficient SCALAR", "Too many pods"]

# "…" is a name, "N" a number. Missing are texts of gates that are off, as DRAFractionalCapacityRange is where the control plane
# may be of v1.36; of what another thread does meanwhile: "… is in the process of being allocated", "timed out trying to allocate
# devices", "could not retrieve device class …"; of what cannot be: "resourceclaim in use", "exact count … is too large", "missing
# device class name"; and "failed to parse node selector …" alone, which chance brings seldom: of a device behind one that matches.
ERRORS = [
    "request …: unsupported request type",
    "claim …, request …, selector #N: CEL expression empty (unsupported selector type?)",
    "claim …, request …: asks for all devices, but resource pool … is currently being updated",
    "claim …, request …: asks for all devices, but resource pool … is currently invalid",
    "claim …, request …: unsupported count mode …",
    "claim …, request …: adding N devices exceeds the claim limit of N, with N already accounted for",
    "claim …, constraint #N: empty constraint (unsupported constraint type?)",
    "claim …, request …: cannot add device … because a claim constraint would not be satisfied",
    "class …: selector #N: CEL compile error", "claim …: selector #N: CEL compile error",
    "class …: selector #N on device …: CEL runtime error", "claim …: selector #N on device …: CEL runtime error",
    "claim …, request …: checking capacity for device …: capacity …: capacity request cannot be represented in the device's range "
    "arithmetic: request … exceeds MaxInt64",
    "claim …, request …: checking capacity for device …: capacity …: capacity request cannot be represented in the device's range "
    "arithmetic: rounding request … up to the next step passes MaxInt64",
    "claim …, request …: checking capacity for device …: capacity …: capacity value is negative",
    "gather pool information: failed to perform node selection for slice …: failed to parse node selector …",
    "gather pool information: failed to perform node selection for device … in slice …: failed to parse node selector …",
    "nodeSelectorTerms[0].matchExpressions[0].values[0]: Invalid value: \"much\": for 'Gt', 'Lt' operators, the value must be an integer",
    "create NodeSelector for claim …: unsupported ResourceSlice.NodeSelector with N terms"]

# A third of what 1,500 seeds show: how many clusters ask in each form, and how many nodes give devices for it, in a run of LARGE_ENOUGH clusters.
ASKED = {"attribute: bool": 400, "attribute: int": 400, "attribute: string": 400, "attribute: version": 400,
    "claim: allocated": 400, "claim: conditions": 80, "claim: deletionTimestamp": 40, "claim: ownerReferences": 400,
    "claim: pending": 500, "claim: reserved": 400, "claim: reserved for many": 30, "claim: timestamp: future": 40,
    "claim: timestamp: past": 40, "class of an extended resource": 300, "device: allowMultipleAllocations": 400,
    "device: bindingConditions": 300, "device: bindsToNode": 100, "device: consumesCounters": 200, "device: taints": 300,
    "policy: ": 100, "policy: max+min": 100, "policy: max+min+step": 100, "policy: min": 100, "policy: min+step": 100,
    "policy: validValues": 100, "request: admin access": 200, "request: all": 400, "request: alternative 1": 300,
    "request: alternative 2": 300, "request: alternative later": 200, "request: capacity": 300,
    "request: distinctAttribute": 100, "request: matchAttribute": 200, "request: one": 500, "request: selectors": 400,
    "request: several": 400, "request: several requests": 400, "request: tolerations": 300, "shared counters": 200,
    "slice of allNodes": 100, "slice of nodeName": 400, "slice of nodeSelector": 80, "slice of nothing": 20,
    "slice of perDeviceNodeSelection": 60, "taint rule": 30, "taint rule without selector": 9}
TAKEN = {"admin": 300, "admin access": 200, "all": 200, "alternative 1": 600, "alternative 2": 100, "alternative later": 80,
    "binding conditions": 200, "capacity": 100, "consumed capacity": 700, "device of a slice by allNodes": 100,
    "device of a slice by nodeName": 6000, "device of a slice by nodeSelector": 100,
    "device of a slice by perDeviceNodeSelection": 90, "device: allowMultipleAllocations": 1000,
    "device: bindingConditions": 200, "device: bindsToNode": 80, "device: consumesCounters": 300, "device: taints": 100,
    "distinctAttribute": 80, "extended resource": 700, "mappings": 500, "matchAttribute": 100, "no devices": 90, "one": 2000,
    "selector of matchExpressions": 40, "selector of matchFields": 3000, "selector of no node": 100, "selectors": 600,
    "several": 800, "several drivers": 400, "several pools": 500, "several requests": 1000, "share": 1000,
    "tolerations": 300}

NAMES = [(r"\A(running \"\w+\" filter plugin|running PreFilter plugin \"\w+\"): ", ""), (r"(CEL (?:compile|runtime) error).*", r"\1"),
         (r"(failed to parse node selector) .*", r"\1 …"), (r"for device &?\{?.*(?= in slice)", "for device …"),
         (r"\b(pool|device class|Pod|ResourceClaim|device|class|resource claim|claim|request|slice|mode|capacity|pod|spec\.resourceClaim|"
          r"find ResourceClaim|resourceclaim) (?:\"[^\"]*\"|[^\s,:]*[\d/-][^\s,:]*|gpu|nic|empty|accel|any|picky|nosuch|better-gpu|loose|Some|"
          r"(?<=mode )\w+)(?=[,: ]|$)", r"\1 …"),
         (r"(?<=#)\d+|(?<=adding )\d+|(?<=limit of )\d+|(?<=with )\d+", "N")]


def _class_of(text):
    for pattern, replacement in NAMES:
        text = re.sub(pattern, replacement, text, flags=re.DOTALL)
    return text


def reason_class(reason):
    return _class_of(reason)


def error_class(error):
    return _class_of(error)


def kinds(directory):
    """Plugins have no other names. The third is the forms of requests, and of devices."""
    items = read_json(directory, "cluster.json")["items"]
    return [{}, {}, (request_forms(items), device_forms(items))]


def forms(directory):
    """What can be said of the cluster itself."""
    return asked_forms(read_json(directory, "cluster.json")["items"])


def count(coverage, node, made):
    """What expected.generation's other modules have no need of: the errors of a node, and the devices taken there."""
    for entry in node["filters"]:
        if entry["rule"] == "DynamicResources" and entry.get("error"):
            coverage.add("node error", error_class(entry["error"]))
    for form in taken_forms(node, *made[2]):
        coverage.add("taken", form)


def missed(coverage):
    """The floors that only devices have."""
    for text in ERRORS:
        if coverage.get("node error", text) < SELDOM:
            yield f"{coverage.get('node error', text)} times: {text}"
    for what, floors in (("form", ASKED), ("taken", TAKEN)):
        for form, least in floors.items():
            if coverage.get(what, form) < least:
                yield f"{coverage.get(what, form)} of {least} times {what}: {form}"
