"""Devices in a cluster of today's: small fleets with classes and slices, and claims of pods that are there.

They are drawn behind everything else: without them a seed's cluster is the same. generate/devices has what is hard about devices.
"""
from generate.devices.claims import Claims, delete
from generate.devices.classes import classes
from generate.devices.fleet import Fleet
from generate.devices.mood import Mood
from generate.devices.pods import Pods

# Of generate/devices those by which most pods still fit.
SUBJECTS = {"general": 6, "lists": 20, "extended": 12, "claims": 6, "capacity": 3, "counters": 2, "taints": 2, "constraints": 2, "nodes": 3,
            "binding": 3, "pools": 7}
DRIVERS = 2
MOST_RUNNING, MOST_IDLE = 6, 3


def _mood(m):
    """The choices have a stream of their own: how many there are tells nothing else."""
    own = Mood(f"of today's {m.between(0, 2**32)}")
    own.subject = own.weighted(SUBJECTS)
    own.many = False
    own.drivers = own.drivers[:DRIVERS]
    return own


def _settle(m, own, pods, running):
    for i, pod in enumerate(running):
        if m.p(.4):
            pods.settle(pod, f"shared-{i}")
        if own.p(.1):
            pods.extend(pod)


def _want(m, own, pods, pending, share):
    """What refuses a pod before any node is more frequent than in generate/devices."""
    wanting = [pod for pod in pending if m.p(share)]
    pods.want(wanting)
    for pod in wanting:
        if own.p(.07):
            pods.odd(pod, "odd")
        if own.p(.1):
            pods.extend(pod)


def equip(m, nodes, pods, about):
    """Lets some of the pods want devices, or have some. @param about: whether the cluster is about devices.
    @return: the objects to add; none in most clusters that are about something else."""
    if not m.p(1 if about else .35 if m.about("general") else .1):
        return []
    own = _mood(m)
    names = [node["metadata"]["name"] for node in nodes]
    fleet = Fleet(own, names)
    claims = Claims(own, fleet)
    of_pods = Pods(own, fleet, claims)
    running = [pod for pod in pods if pod["spec"].get("nodeName") in names and pod["status"]["phase"] == "Running"]
    _settle(m, own, of_pods, m.r.sample(running, min(len(running), MOST_RUNNING)))
    of_pods.idle(own.between(0, MOST_IDLE))
    _want(m, own, of_pods, [pod for pod in pods if pod["status"]["phase"] == "Pending"], .85 if about else .4)
    for claim in claims.items:
        if own.p(.015):
            delete(claim)
        # Requests in no form are left to --devices.
        devices = claim["spec"]["devices"]
        devices["requests"] = [one for one in devices["requests"] if "exactly" in one or "firstAvailable" in one]
    return [one for one in classes(own) if own.p(.96)] + fleet.slices + fleet.rules(own) + claims.items
