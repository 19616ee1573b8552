"""In which forms a cluster has devices and claims, and in which forms a node's devices are taken."""
PLACES = ("nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection")
FEATURES = ("consumesCounters", "taints", "bindingConditions", "bindsToNode", "allowMultipleAllocations")


def _forms_of(body):
    """Of an exact request, or of an alternative."""
    yield "all" if body.get("allocationMode") == "All" else "several" if body.get("count", 1) > 1 else "one"
    for key in ("selectors", "tolerations", "capacity"):
        if body.get(key):
            yield key
    if body.get("adminAccess"):
        yield "admin access"


def request_forms(items):
    """{claim: {request, as an allocation names it: its forms}}"""
    out = {}
    for claim in items:
        if claim["kind"] != "ResourceClaim":
            continue
        devices = claim["spec"]["devices"]
        forms = out[claim["metadata"]["name"]] = {}
        ties = {form for one in devices.get("constraints", []) for form in one if form != "requests"}
        if len(devices["requests"]) > 1:
            ties.add("several requests")
        for one in devices["requests"]:
            if "exactly" in one:
                forms[one["name"]] = {*_forms_of(one["exactly"]), *ties}
            for i, sub in enumerate(one.get("firstAvailable", [])):
                which = "alternative " + ("1", "2", "later")[min(i, 2)]
                forms[f"{one['name']}/{sub['name']}"] = {*_forms_of(sub), *ties, which}
    return out


def device_forms(items):
    """{(driver, pool, device): its forms}"""
    out = {}
    for item in items:
        if item["kind"] != "ResourceSlice":
            continue
        spec = item["spec"]
        place = next((key for key in PLACES if key in spec), "nothing")
        for device in spec.get("devices") or []:
            forms = {"device of a slice by " + place} | {"device: " + key for key in FEATURES if device.get(key)}
            out[(spec["driver"], spec["pool"]["name"], device["name"])] = forms
    return out


def taken_forms(node, claims, devices):
    """What an answer's node shows, of the claims of request_forms and the devices of device_forms."""
    for claim in node.get("devices") or []:
        of_claim = claims.get(claim["claim"], {})
        extended = claim["claim"] not in claims
        for request in sorted({one["request"] for one in claim["devices"]}):
            yield from sorted(of_claim.get(request, ()))
            if extended:
                yield "extended resource"
        yield from _result_forms(claim)
        for one in claim["devices"]:
            yield from sorted(devices.get((one["driver"], one["pool"], one["device"]), ()))


def _result_forms(claim):
    if not claim["devices"]:
        yield "no devices"
    for one in claim["devices"]:
        for key, form in (("shared", "share"), ("consumedCapacity", "consumed capacity"), ("adminAccess", "admin"),
                          ("bindingConditions", "binding conditions")):
            if one.get(key):
                yield form
    if len({one["driver"] for one in claim["devices"]}) > 1:
        yield "several drivers"
    if len({one["pool"] for one in claim["devices"]}) > 1:
        yield "several pools"
    terms = claim.get("nodeSelector", {}).get("nodeSelectorTerms", [{}])
    yield "selector of " + (" and ".join(sorted(terms[0])) or "no node")
    if claim.get("mappings"):
        yield "mappings"


def _slice_forms(spec):
    yield "slice of " + next((key for key in PLACES if key in spec), "nothing")
    if "sharedCounters" in spec:
        yield "shared counters"
    for device in spec.get("devices") or []:
        for key in FEATURES:
            if device.get(key):
                yield "device: " + key
        for value in (device.get("attributes") or {}).values():
            yield "attribute: " + next(iter(value))
        for value in (device.get("capacity") or {}).values():
            policy = value.get("requestPolicy")
            if policy:
                yield "policy: " + "+".join(sorted({*policy, *policy.get("validRange", {})} - {"validRange", "default"}))


def _claim_forms(claim):
    status = claim.get("status", {})
    allocation = status.get("allocation")
    yield "allocated" if allocation else "pending"
    for form in ("deletionTimestamp", "ownerReferences"):
        if form in claim["metadata"]:
            yield form
    if status.get("reservedFor"):
        yield "reserved for many" if len(status["reservedFor"]) > 100 else "reserved"
    if status.get("devices"):
        yield "conditions"
    if allocation and "allocationTimestamp" in allocation:
        yield "timestamp: past" if allocation["allocationTimestamp"] < "2026" else "timestamp: future"


def asked_forms(items):
    """The set of forms in a cluster."""
    out = set()
    for item in items:
        if item["kind"] == "ResourceSlice":
            out.update(_slice_forms(item["spec"]))
        elif item["kind"] == "DeviceTaintRule":
            out.add("taint rule" if item["spec"].get("deviceSelector") else "taint rule without selector")
        elif item["kind"] == "ResourceClaim":
            out.update("claim: " + form for form in _claim_forms(item))
        elif item["kind"] == "DeviceClass" and "extendedResourceName" in item["spec"]:
            out.add("class of an extended resource")
    for requests in request_forms(items).values():
        out.update("request: " + form for forms in requests.values() for form in forms)
    return out
