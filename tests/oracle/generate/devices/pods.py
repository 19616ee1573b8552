"""Pods with claims: running with devices that they have, and waiting for such that they need."""
from generate.devices.claims import delete, owner_reference, reserve
from generate.devices.words import CLASSES, GPU, IMPLICIT, NIC, NONE

MOST_RESERVED = 256


class Pods:
    """The pods of a cluster, with their claims."""

    def __init__(self, m, fleet, claims):
        self.m, self.fleet, self.claims = m, fleet, claims
        self.items = []

    def add(self, name, node=None):
        m = self.m
        pod = {"kind": "Pod", "apiVersion": "v1",
               "metadata": {"name": name, "namespace": "default", "uid": f"uid-{name}",
                            "creationTimestamp": f"2026-01-01T00:00:0{m.between(0, 9)}Z"},
               "spec": {"schedulerName": "default-scheduler", "containers": [self._container("c0")]}}
        pod["status"] = {"phase": "Running" if node else "Pending"}
        if node:
            pod["spec"]["nodeName"] = node
        for i in range(m.one([0, 0, 0, 1])):
            pod["spec"]["containers"].append(self._container(f"c{i + 1}"))
        self.items.append(pod)
        return pod

    def _container(self, name):
        m = self.m
        requests = {"cpu": m.one(["100m", "500m", "1", "2"])} if m.p(.6) else {}
        if m.p(.4):
            requests["memory"] = m.one(["100Mi", "1Gi", "4Gi"])
        return {"name": name, "image": "app", "resources": {"requests": requests} if requests else {}}

    def running(self, count):
        """They have the devices of their claims."""
        m = self.m
        for i in range(count):
            node = m.one(self.fleet.names)
            pod = self.add(f"r{i}", node)
            if m.p(.8):
                self.settle(pod, f"shared-{i}")

    def settle(self, pod, name):
        """Lets a pod that runs have the devices of a claim. Some leave one of this name behind that others may use."""
        m = self.m
        claim = self._own_claim(pod, "own") if m.p(.5) else self._named_claim(pod, name)
        self.claims.allocate(claim, pod["spec"]["nodeName"])
        reserve(claim, [pod] if m.p(.95) else [])

    def idle(self, count):
        """Claims with devices that nobody uses, or so many that no other may."""
        m = self.m
        for i in range(count):
            claim = self.claims.add(f"idle-{i}")
            self.claims.allocate(claim, m.one(self.fleet.names) if m.p(.75) else "")
            if m.p(.1):
                reserve(claim, [{"metadata": {"name": f"user-{i}", "uid": f"uid-user-{i}"}} for i in range(MOST_RESERVED)])

    def waiting(self, count):
        loose = self.claims.add("loose")
        for i in range(count):
            self._want(self.add(f"p{i}"), loose)

    def want(self, pods):
        """Lets pods that are there want devices."""
        loose = self.claims.add("loose")
        for pod in pods:
            self._want(pod, loose)

    def _want(self, pod, loose):
        m = self.m
        if m.p(m.rarely("extended", .85, .12)):
            self.extend(pod)
            if m.p(.65):
                return
        for j in range(m.one([1, 1, 1, 2, 2, 0])):
            self._claim(pod, f"claim-{j}", loose)

    def _claim(self, pod, entry, loose):
        """Lets the pod have one of all kinds of claims."""
        m = self.m
        draw = m.r.random()
        if draw < m.rarely("claims", .25, .55):
            claim = self._named_claim(pod, f"{pod['metadata']['name']}-{entry}", entry)
        elif draw < m.rarely("claims", .5, .85):
            claim = self._own_claim(pod, entry)
        elif draw < m.rarely("claims", .85, .98):
            others = [one for one in self.claims.items if "allocation" in one.get("status", {})
                      and one["metadata"]["namespace"] == pod["metadata"]["namespace"]] or [loose]
            claim = m.one(others + [loose])
            self._refer(pod, entry, claim["metadata"]["name"])
            if m.p(.15):
                reserve(claim, [pod])
            return
        else:
            self.odd(pod, entry)
            return
        if m.p(m.rarely("binding", .6, .06)):
            self.claims.allocate(claim, m.one(self.fleet.names))
            if m.p(.6):
                reserve(claim, [pod])
        if m.p(m.rarely("claims", .06, .01)):
            delete(claim)

    @staticmethod
    def _refer(pod, entry, name):
        pod["spec"].setdefault("resourceClaims", []).append({"name": entry, "resourceClaimName": name})
        Pods._mention(pod, entry)

    @staticmethod
    def _mention(pod, entry):
        pod["spec"]["containers"][0].setdefault("resources", {}).setdefault("claims", []).append({"name": entry})

    def _named_claim(self, pod, name, entry="claim"):
        self._refer(pod, entry, name)
        return self.claims.add(name, namespace=pod["metadata"]["namespace"])

    def _own_claim(self, pod, entry):
        """By a template: the pod's status has the name that a controller has given it."""
        name = f"{pod['metadata']['name']}-{entry}-x7k2p"
        self._of_template(pod, entry, {"name": entry, "resourceClaimName": name})
        return self.claims.add(name, pod, pod["metadata"]["namespace"])

    @staticmethod
    def _of_template(pod, entry, status):
        pod["spec"].setdefault("resourceClaims", []).append({"name": entry, "resourceClaimTemplateName": "template"})
        Pods._mention(pod, entry)
        if status:
            pod["status"].setdefault("resourceClaimStatuses", []).append(status)

    def odd(self, pod, entry):
        """What a pod has to wait for, or waits for in vain."""
        m = self.m
        name = f"{pod['metadata']['name']}-{entry}-odd"
        how = m.one(["missing", "no status", "not needed", "other's", "nobody's", "no form"])
        if how == "missing":
            self._refer(pod, entry, name)
        elif how == "no form":
            pod["spec"].setdefault("resourceClaims", []).append({"name": entry})
        elif how in ("no status", "not needed"):
            self._of_template(pod, entry, {"name": entry} if how == "not needed" else None)
        else:
            self._of_template(pod, entry, {"name": entry, "resourceClaimName": name})
            owner = {"metadata": {"name": pod["metadata"]["name"], "uid": "uid-before"}} if how == "other's" else None
            self.claims.add(name, owner, pod["metadata"]["namespace"])

    def extend(self, pod):
        """Extended resources, which devices or device plugins provide; perhaps a claim of an earlier attempt."""
        m, spec = self.m, pod["spec"]
        for i in range(0 if spec.get("initContainers") else m.one([0, 0, 1, 1, 2])):
            one = self._container(f"i{i}")
            if m.p(.4):
                one["restartPolicy"] = "Always"
            spec.setdefault("initContainers", []).append(one)
        for one in spec["containers"] + spec.get("initContainers", []):
            resources = one.setdefault("resources", {})
            for name in (GPU, NIC, IMPLICIT + m.one(list(CLASSES) + ["any", "nosuch"]), NONE):
                if m.p({GPU: .6, NIC: .25, NONE: .03}.get(name, .12)):
                    amount = m.one(["1", "1", "2", "3", "0"])
                    resources.setdefault("requests", {})[name] = amount
                    resources.setdefault("limits", {})[name] = amount
        if m.p(.05):
            claim = self.claims.add(f"{pod['metadata']['name']}-extended-resources-b4x1z", namespace=pod["metadata"]["namespace"])
            claim["metadata"]["annotations"] = {"resource.kubernetes.io/extended-resource-claim": "true"}
            claim["metadata"]["ownerReferences"] = [owner_reference(pod)]
            if m.p(.7):
                self.claims.allocate(claim, m.one(self.fleet.names))
                reserve(claim, [pod])
            # kube-scheduler makes none without requests.
            claim["spec"]["devices"]["requests"] = claim["spec"]["devices"].get("requests") or [
                {"name": "container-0-request-0", "exactly": {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1}}]
