"""What a node lacks for a pod."""
import collections
from fractions import Fraction

from truth.amounts import amounts, requests_today, requests_v116, whole
from truth.expected import Truth

ALWAYS = ("cpu", "memory", "ephemeral-storage")


def requests(question, pod, is_there):
    return requests_v116(pod) if question.exact else requests_today(pod, is_there)


def wanted(question):
    """The amounts that are checked, by resource."""
    asked = requests(question, question.pod, False)
    if question.today:
        return {name: one for name, one in asked.items() if one > 0}
    scalars = {name: one for name, one in asked.items() if name not in ALWAYS}
    if not scalars and not any(asked.values()):
        return {}
    return {**{name: asked.get(name, Fraction(0)) for name in ALWAYS}, **scalars}


def allocatable(node):
    status = node.get("status") or {}
    return {name: whole(name, one) for name, one in
            amounts(status.get("allocatable") or status.get("capacity")).items()}


def lacks(question, name):
    """The causes of a node: each resource of which less is free than the pod wants. What devices provide, the node may lack."""
    here = question.cluster.on[name]
    offered, used = allocatable(question.cluster.nodes[name]), {"pods": Fraction(len(here))}
    holders = collections.Counter(pods=len(here))
    for pod in here:
        for resource, one in requests(question, pod, True).items():
            used[resource] = used.get(resource, Fraction(0)) + one
            holders[resource] += one > 0
    for resource, one in {"pods": Fraction(1), **question.keep("wanted", wanted)}.items():
        there, taken = offered.get(resource, Fraction(0)), used.get(resource, Fraction(0))
        if not there and question.today and resource in question.cluster.provided:
            continue
        if one > there - taken:
            yield Truth("resource", {("heldBy",): None}, resource=resource, wanted=one, free=there - taken, allocatable=there,
                        requested=taken, pods=holders[resource])
