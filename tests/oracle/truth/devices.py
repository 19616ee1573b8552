"""Devices that a pod lacks. The causes are held against the truth one by one, as far as no search is needed: see causes.py."""
from truth.nodes import affinity_failures
from truth.objects import full_name
from truth.resources import allocatable, wanted
from undeparted import value

OF_RESOURCES = "resource.kubernetes.io/extended-resource-claim"  # An annotation.

def _names(pod):
    """The names of the pod's claims."""
    statuses = (pod.get("status") or {}).get("resourceClaimStatuses") or []
    of_templates = {one["name"]: one.get("resourceClaimName") for one in statuses}
    for one in pod["spec"].get("resourceClaims") or []:
        yield one.get("resourceClaimName") or of_templates.get(one["name"])


def _is_made_for(claim, pod):
    """It is of an earlier attempt, for the pod's extended resources."""
    owners = [one["uid"] for one in claim["metadata"].get("ownerReferences") or []]
    return OF_RESOURCES in (claim["metadata"].get("annotations") or {}) and pod["metadata"]["uid"] in owners


def _claims(question):
    """{full name: claim} of the pod."""
    full = {f"{question.namespace}/{name}" for name in _names(question.pod)}
    return {name: claim for name, claim in question.cluster.kinds["ResourceClaim"].items()
            if name in full or _is_made_for(claim, question.pod)}


def _bodies(claim):
    """{request, as an allocation names it: what it asks for}"""
    out = {}
    for one in claim["spec"]["devices"].get("requests") or []:
        out[one["name"]] = one.get("exactly")
        out.update({f"{one['name']}/{sub['name']}": sub for sub in one.get("firstAvailable") or []})
    return out


def _devices(question):
    """{driver/pool/device: all that are published by this name}"""
    out = {}
    for item in question.cluster.kinds["ResourceSlice"].values():
        spec = item["spec"]
        for device in spec.get("devices") or []:
            out.setdefault(f"{spec['driver']}/{spec['pool']['name']}/{device['name']}", []).append(device)
    return out


def _holders(question, device):
    """The claims that have the device."""
    def has(claim):
        results = (claim.get("status") or {}).get("allocation", {}).get("devices", {}).get("results") or []
        return any(f"{one['driver']}/{one['pool']}/{one['device']}" == device for one in results)
    return {name for name, claim in question.cluster.kinds["ResourceClaim"].items() if has(claim)}


def _taints(question, device):
    there = [taint for one in question.keep("devices", _devices)[device] for taint in one.get("taints") or []]
    there += [rule["spec"]["taint"] for rule in question.cluster.kinds["DeviceTaintRule"].values()]
    return {taint["key"] + (f"={taint['value']}" if taint.get("value") else "") + f":{taint['effect']}" for taint in there}


def _selectors(question, body):
    of_class = question.cluster.kinds["DeviceClass"].get(body["deviceClassName"], {"spec": {}})["spec"]
    return [one["cel"]["expression"] for part in (body, of_class) for one in part.get("selectors") or [] if "cel" in one]


def _body(question, cause):
    """What the cause's request asks for; None of the claim for extended resources, which kube-scheduler makes."""
    claim = _claims(question).get(cause["claim"])
    return claim and _bodies(claim).get(cause["request"])


def check_elsewhere(question, name, causes):
    """A claim whose devices the node does not reach, or whose binding has failed or takes too long."""
    for cause in causes:
        claim = _claims(question).get(cause["claim"])
        allocation = claim and (claim.get("status") or {}).get("allocation")
        selector = allocation and allocation.get("nodeSelector")
        if not allocation or "why" not in cause and not (
                selector and affinity_failures(selector, question.cluster.nodes[name], "")):
            yield "is not true", cause, claim


def check_devices(question, _, causes):
    """How many devices a request is for, of which class."""
    for cause in causes:
        body = _body(question, cause)
        if body is None:
            continue
        wanted = None if body.get("allocationMode") == "All" else body.get("count", 1)
        if (cause.get("wanted"), cause["class"]) != (wanted, body["deviceClassName"]):
            yield "is not true", cause, body


def check_device(question, _, causes):
    """What keeps a device out."""
    for cause in causes:
        device, body = cause["device"], _body(question, cause)
        known = question.keep("devices", _devices)
        if device not in known:
            yield "is not true", cause, sorted(known)
        elif cause["why"] == "allocated" and "holder" in cause and cause["holder"] not in _holders(question, device):
            yield "is not true", cause, sorted(_holders(question, device))
        elif cause["why"] == "taint" and cause["taint"] not in _taints(question, device):
            yield "is not true", cause, sorted(_taints(question, device))
        elif cause["why"] == "selector" and body is not None and cause["selector"] not in _selectors(question, body):
            yield "is not true", cause, _selectors(question, body)


def check_pools(question, _, causes):
    """A pool of which slices are missing, or that contradicts itself."""
    for cause in causes:
        slices = [item["spec"] for item in question.cluster.kinds["ResourceSlice"].values()
                  if f"{item['spec']['driver']}/{item['spec']['pool']['name']}" == cause["pool"]]
        counts = {spec["pool"]["resourceSliceCount"] for spec in slices}
        if not slices or "wanted" in cause and (cause["wanted"] not in counts or cause["slices"] > len(slices)):
            yield "is not true", cause, [spec["pool"] for spec in slices]


def check_resources(question, name, causes):
    """An extended resource that no class provides, and the node has not."""
    there, asked = allocatable(question.cluster.nodes[name]), question.keep("wanted", wanted)
    for cause in causes:
        resource = cause["resource"]
        told = value(cause["wanted"]), value(cause["allocatable"])
        truth = asked.get(resource, 0), there.get(resource, 0)
        if told != truth or truth[0] <= truth[1] or resource in question.cluster.provided:
            yield "is not true", cause, list(map(str, truth))


def check_nothing(*_):
    """Words of upstream's, which run.sh compares."""
    return ()


BY_KIND = {"claimElsewhere": check_elsewhere, "devices": check_devices, "device": check_device, "pool": check_pools,
           "resource": check_resources, "claim": check_nothing, "error": check_nothing}
