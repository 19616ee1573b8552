"""Claims: waiting for devices, or with devices that they have; whose they are, and who may use them."""
from generate.devices import requests
from generate.devices.pools import zone_selector
from generate.devices.words import ATTACHED, FAILED, FUTURE, HUGE, PAST, READY, ZONE


class Claims:
    """All claims of a cluster. Each is made for a pod, which may share it."""

    def __init__(self, m, fleet):
        self.m, self.fleet = m, fleet
        self.items, self.taken = [], set()

    def add(self, name, owner=None, namespace="default"):
        """A claim that waits. @param owner: the pod that a template's claim is for."""
        number = len(self.items)
        meta = {"name": name, "namespace": namespace, "uid": f"uid-claim-{number}", "resourceVersion": str(number + 1)}
        if owner is not None:
            meta["ownerReferences"] = [owner_reference(owner)]
        claim = {"kind": "ResourceClaim", "apiVersion": "resource.k8s.io/v1", "metadata": meta, "spec": requests.spec(self.m)}
        self.items.append(claim)
        return claim

    def allocate(self, claim, node):
        """Gives it devices that the node can reach, of those that are left. node: "" for a network's alone."""
        m = self.m
        results = []
        for one in claim["spec"]["devices"]["requests"][:3]:
            found = self._devices(node, m.one([1, 1, 1, 2]))
            name = one["name"]
            if one.get("firstAvailable"):
                name += "/" + m.one(one["firstAvailable"])["name"]
            admin = (one.get("exactly") or {}).get("adminAccess", False)
            results += [self._result(name, device, admin) for device in found]
        if m.p(.03):
            results.append({"request": "req-0", "driver": m.one(m.drivers), "pool": "gone", "device": "dev-0"})
        allocation = {"devices": {"results": results}}
        selector = self._selector(node)
        if selector:
            allocation["nodeSelector"] = selector
        status = {"allocation": allocation}
        if any("bindingConditions" in one for one in results):
            self._bind(status)
        claim["status"] = status

    def _devices(self, node, count):
        m = self.m
        free = [one for one in self.fleet.reachable(node)
                if one[2].get("allowMultipleAllocations") or self._key(one) not in self.taken or m.p(.02)]
        return [m.one(free) for _ in range(count)] if free else []

    @staticmethod
    def _key(one):
        return (one[0], one[1], one[2]["name"])

    def _result(self, request, one, admin):
        m, (driver, pool, device, _) = self.m, one
        out = {"request": request, "driver": driver, "pool": pool, "device": device["name"]}
        if admin:
            out["adminAccess"] = True
        else:
            self.taken.add(self._key(one))
        if device.get("allowMultipleAllocations"):
            out["shareID"] = f"00000000-0000-4000-8000-{len(self.items):06d}{m.between(0, 999999):06d}"
            consumed = {name: m.one([value["value"], "1", "2Gi", "500m"] if value["value"] != HUGE else ["1"])
                        for name, value in (device.get("capacity") or {}).items() if m.p(.8)}
            if consumed:
                out["consumedCapacity"] = consumed
        for key in ("bindingConditions", "bindingFailureConditions"):
            if key in device:
                out[key] = device[key]
        if m.p(.002):
            out["skipNodeOperations"] = ["*"]
        return out

    def _selector(self, node):
        m = self.m
        if m.p(m.rarely("wrong", .2, .02)):  # Upstream cannot read it.
            return {"nodeSelectorTerms": [{"matchExpressions": [{"key": ZONE, "operator": "Gt", "values": ["much"]}]}]}
        if node and m.p(.9):
            return {"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}]}
        return zone_selector(m.one([["z1"], ["z2"]])) if m.p(.5) else None

    def _bind(self, status):
        """How far the binding of devices is, by their drivers' words."""
        m = self.m
        if m.p(.85):
            status["allocation"]["allocationTimestamp"] = PAST if m.p(.5) else FUTURE
        devices = []
        for one in {(r["driver"], r["pool"], r["device"]): r for r in status["allocation"]["devices"]["results"]}.values():
            conditions = [{"type": kind, "status": m.one(["True", "True", "False", "Unknown"]), "reason": "Said", "message": "so",
                           "lastTransitionTime": "2026-01-01T00:00:00Z"} for kind in m.subset([READY, ATTACHED], .85)]
            if m.p(.2):
                conditions.append({"type": FAILED, "status": "True" if m.p(.8) else "False", "reason": "Broken", "message": "it is",
                                   "lastTransitionTime": "2026-01-01T00:00:00Z"})
            if m.p(.9):
                devices.append({"driver": one["driver"], "pool": one["pool"], "device": one["device"], "conditions": conditions,
                                **({"shareID": one["shareID"]} if "shareID" in one and m.p(.9) else {})})
        if devices:
            status["devices"] = devices


def owner_reference(pod):
    meta = pod["metadata"]
    return {"apiVersion": "v1", "kind": "Pod", "name": meta["name"], "uid": meta["uid"], "controller": True}


def delete(claim):
    """Lets it wait for those who use it."""
    claim["metadata"].update({"deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": ["resource.kubernetes.io/delete-protection"]})


def reserve(claim, pods):
    """Lets the pods use the claim."""
    status = claim.setdefault("status", {})
    status.setdefault("reservedFor", [])
    status["reservedFor"] += [{"resource": "pods", "name": pod["metadata"]["name"], "uid": pod["metadata"]["uid"]} for pod in pods]
