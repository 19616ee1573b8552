"""What pods ask for: containers, sidecars, pod-level resources, overhead; and what resizes in place leave in their status."""
from generate.today import amounts
from generate.today.words import EXTENDED, HUGE, IMAGES

RESIZES = [("PodResizePending", "Infeasible"), ("PodResizePending", "Infeasible"), ("PodResizePending", "Deferred"),
           ("PodResizeInProgress", ""), ("PodResizeInProgress", "Error")]
RESIZABLE = ("cpu", "memory")


def _requests(m):
    """The amounts that one container requests."""
    out = {}
    if m.p(.7):
        out["cpu"] = amounts.cpu(m)
    if m.p(.65):
        out["memory"] = amounts.memory(m)
    if m.p(.12):
        out["ephemeral-storage"] = amounts.memory(m) * m.one([1, 1, 10])
    for name in EXTENDED:
        if m.p(m.rarely("resources", .12, .02)):
            out[name] = m.one([0, 1, 1, 2, 4])
    if any(out.get(name) for name in RESIZABLE) and m.p(m.rarely("resources", .1, .01)):
        page, size = m.one(list(HUGE.items()))
        out[page] = m.one([1, 2, 32]) * size
    return out


def _limits(m, requests):
    """Extended resources and huge pages have limits equal to their requests; cpu and memory at least as large ones, and
    where only the limit was written the API server took it for the request too."""
    out = {name: amount for name, amount in requests.items() if "/" in name or name.startswith("hugepages-")}
    for name in RESIZABLE:
        if name in requests and m.p(.35):
            out[name] = requests[name] * m.one([1, 1, 2, 4])
    return {name: amount for name, amount in out.items() if amount or "/" in name}


class Container:
    """A container, with its amounts as numbers."""

    def __init__(self, m, name, asks):
        self.requests = _requests(m) if m.p(.85 * asks) else {}
        if any(name.startswith("hugepages-") for name in self.requests):
            self.requests = {name: amount for name, amount in self.requests.items() if amount}
        self.limits = _limits(m, self.requests)
        self.restartable = False
        self.written = {"name": name, "image": m.one(IMAGES), "imagePullPolicy": "IfNotPresent"}
        resources = {kind: amounts.written(m, found) for kind, found in (("requests", self.requests), ("limits", self.limits))
                     if found}
        if resources or m.p(.7):
            self.written["resources"] = resources

    def restart(self):
        self.restartable = True
        self.written["restartPolicy"] = "Always"


def _added(a, b):
    return {name: a.get(name, 0) + b.get(name, 0) for name in {**a, **b}}


def _larger(a, b):
    return {name: max(a.get(name, 0), b.get(name, 0)) for name in {**a, **b}}


def total(containers, init_containers):
    """What the containers need together, as the scheduler adds it up."""
    running, sidecars, starting = {}, {}, {}
    for container in containers:
        running = _added(running, container.requests)
    for container in init_containers:
        if container.restartable:
            sidecars = _added(sidecars, container.requests)
        starting = _larger(starting, sidecars if container.restartable else _added(sidecars, container.requests))
    return _larger(_added(running, sidecars), starting)


def _pod_level(m, spec, containers, init_containers):
    """spec.resources: not below what the containers need, nor its limits below theirs."""
    needed, requests, limits = total(containers, init_containers), {}, {}
    for name in RESIZABLE:
        if m.p(.7):
            requests[name] = needed.get(name, 0) + m.one([0, amounts.cpu(m) if name == "cpu" else amounts.memory(m)])
            if m.p(.3):
                most = max(c.limits.get(name, 0) for c in containers + init_containers)
                limits[name] = max(requests[name], most) * m.one([1, 2])
    for name in [name for name in needed if name.startswith("hugepages-")]:
        if m.p(.5) and requests:
            requests[name] = limits[name] = needed[name]
    if requests:
        spec["resources"] = {"requests": amounts.written(m, requests)}
        if any(limits.values()):
            spec["resources"]["limits"] = amounts.written(m, {name: n for name, n in limits.items() if n})


def _init_containers(m, asks):
    out = [Container(m, f"i{i}", asks) for i in range(m.between(1, 3))]
    for container in out:
        if m.p(.5):
            container.restart()
    return out


def add_containers(m, spec):
    """Containers, init containers, pod-level resources and overhead; returns the containers of each kind."""
    asks = m.one([1, 1, 1, 1, 0])
    containers = [Container(m, f"c{i}", asks) for i in range(m.between(1, 3))]
    init_containers = _init_containers(m, asks) if m.p(m.rarely("resources", .4, .15)) else []
    spec["containers"] = [c.written for c in containers]
    if init_containers:
        spec["initContainers"] = [c.written for c in init_containers]
    if m.p(m.rarely("resources", .25, .03)):
        _pod_level(m, spec, containers, init_containers)
    if m.p(m.rarely("resources", .12, .03)):
        spec["runtimeClassName"] = "sandboxed"
        spec["overhead"] = m.one([{"cpu": "250m", "memory": "64Mi"}, {"cpu": "1"}, {"memory": "512Mi"},
                                  {"cpu": "100m", "ephemeral-storage": "1Gi"}, {"example.com/gpu": "1"}])
    return containers, init_containers


def _changed(m, requests):
    """Requests as the node has them: some of them more, some less than the spec says."""
    out = {name: max(0, amount * m.one([1, 1, 2, 3]) // m.one([1, 1, 1, 2])) for name, amount in requests.items()
           if name in RESIZABLE or m.p(.9)}
    if m.p(.1):
        out["cpu"] = amounts.cpu(m)
    return amounts.written(m, out)


def _container_status(m, container):
    status = {"name": container.written["name"], "image": container.written["image"], "imageID": "x", "ready": True,
              "restartCount": 0}
    if m.p(.75):
        status["allocatedResources"] = _changed(m, container.requests)
    if m.p(.75):
        status["resources"] = {"requests": _changed(m, container.requests)} if m.p(.9) else {}
    return status


def _pod_level_status(m, spec, status):
    """What stands there only counts where both fields do."""
    asked = spec.get("resources", {}).get("requests", {})
    for field, wrap in (("allocatedResources", lambda found: found), ("resources", lambda found: {"requests": found})):
        if m.p(.8):
            found = {name: amounts.spelled(m, name, amounts.cpu(m) if name == "cpu" else amounts.memory(m)) for name in asked
                     if name in RESIZABLE and m.p(.9)}
            status[field] = wrap(found)


def add_resize(m, spec, status, containers, init_containers):
    """Status of containers whose resources were, are or cannot be changed."""
    status["containerStatuses"] = [_container_status(m, c) for c in containers if m.p(.9)]
    if init_containers:
        status["initContainerStatuses"] = [_container_status(m, c) for c in init_containers if m.p(.9)]
    if "resources" in spec:
        _pod_level_status(m, spec, status)
    if m.p(.5):
        kind, reason = m.one(RESIZES)
        status.setdefault("conditions", []).append(
            {"type": kind, "status": "True" if m.p(.9) else "False", **({"reason": reason} if reason else {})})
