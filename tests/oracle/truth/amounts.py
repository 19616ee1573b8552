"""Amounts, and what pods request: as kube-scheduler 1.37 counts it, and as v1.16 does.

Amounts that are below zero, or so large that sums might leave 64 bits, are Unknown.
"""
from fractions import Fraction

from undeparted import value

from truth.expected import Unknown
from truth.labels import is_key
from truth.objects import containers, init_containers, is_sidecar

MOST = 2**52


def amount(written):
    """As the API server keeps it: in thousandths, rounded up."""
    exact = value(written)
    if not 0 <= exact < MOST:
        raise Unknown("amounts that may leave 64 bits")
    return Fraction(-(-exact * 1000 // 1), 1000)


def whole(resource, exact):
    """As the scheduler counts it: cpu in thousandths, all else in units, rounded up."""
    return exact if resource == "cpu" else Fraction(-(-exact // 1))


def amounts(written):
    return {resource: amount(one) for resource, one in (written or {}).items()}


def is_scalar(resource):
    """Whether nodes count the resource beside cpu, memory and storage."""
    if resource.startswith(("hugepages-", "attachable-volumes-")) or "kubernetes.io/" in resource:
        return True
    return "/" in resource and not resource.startswith("requests.") and is_key("requests." + resource)


def is_counted(resource):
    return resource in ("cpu", "memory", "ephemeral-storage") or is_scalar(resource)


def requested(container):
    """A container's requests. A limit is a request where there is none."""
    resources = container.get("resources") or {}
    return {**amounts(resources.get("limits")), **amounts(resources.get("requests"))}


def added(one, other):
    return {name: one.get(name, 0) + other.get(name, 0) for name in {**one, **other}}


def larger(one, other):
    return {name: max(one[name], other[name]) if name in one and name in other else {**one, **other}[name]
            for name in {**one, **other}}


def together(pod, of_container):
    """What the containers need: the running ones and the sidecars, or the init container that needs most."""
    running, sidecars, most = {}, {}, {}
    for container in containers(pod):
        running = added(running, of_container(container))
    for container in init_containers(pod):
        own = of_container(container)
        if is_sidecar(container):
            sidecars = added(sidecars, own)
            most = larger(most, sidecars)
        else:
            most = larger(most, added(sidecars, own))
    return larger(added(running, sidecars), most)


class Resized:
    """What the status of a pod says of a resize in place."""

    def __init__(self, pod):
        self.status = pod.get("status") or {}
        self.containers = {}
        for name in ("containerStatuses", "initContainerStatuses"):
            for one in self.status.get(name) or []:
                self.containers.setdefault(one["name"], one)
        pending = [one for one in self.status.get("conditions") or [] if one["type"] == "PodResizePending"]
        self.is_infeasible = bool(pending) and pending[0].get("reason") == "Infeasible"

    def of_spec(self, container):
        return {} if self.is_infeasible else requested(container)

    def allocated(self, container):
        status = self.containers.get(container["name"], {})
        if status.get("allocatedResources") is not None:
            return amounts(status["allocatedResources"])
        return self.of_spec(container)

    def actual(self, container):
        resources = self.containers.get(container["name"], {}).get("resources") or {}
        if resources.get("requests") is not None:
            return amounts(resources["requests"])
        return self.allocated(container)

    def pod_level(self):
        """The pod's own two amounts; None where there is none."""
        return [None if found is None else amounts(found) for found in
                ((self.status.get("resources") or {}).get("requests"), self.status.get("allocatedResources"))]


def containers_today(pod, is_there):
    if not is_there:
        return together(pod, requested)
    resized = Resized(pod)
    found = {} if resized.is_infeasible else together(pod, requested)
    own = resized.pod_level()
    if None in own:
        own = [together(pod, resized.actual), together(pod, resized.allocated)]
    return larger(larger(found, own[0]), own[1])


def is_of_pod_level(resource):
    return resource in ("cpu", "memory") or resource.startswith("hugepages-")


def pod_level(pod, is_there):
    """The pod's own requests, that replace those of its containers; {} for none."""
    asked = amounts((pod["spec"].get("resources") or {}).get("requests"))
    if not any(map(is_of_pod_level, asked)):
        return {}
    resized = Resized(pod)
    if is_there and resized.status.get("resources") is not None:
        asked = {} if resized.is_infeasible else asked
        for own in resized.pod_level():
            asked = larger(asked, own or {})
    return {name: one for name, one in asked.items() if is_of_pod_level(name)}


def requests_today(pod, is_there):
    """@param is_there: the pod counts on a node; else it is to be placed."""
    found = {**containers_today(pod, is_there), **pod_level(pod, is_there)}
    found = added(found, amounts(pod["spec"].get("overhead")))
    return {name: whole(name, one) for name, one in found.items() if is_counted(name)}


def requests_v116(pod):
    """Each container's amounts are rounded up; sidecars are init containers, and overhead does not count."""
    found = {}
    for container in containers(pod):
        own = {name: whole(name, one) for name, one in requested(container).items() if is_counted(name)}
        found = added(found, own)
    for container in init_containers(pod):
        for name, one in requested(container).items():
            if is_counted(name) and whole(name, one) > found.get(name, 0):
                found[name] = whole(name, one)
    return found
