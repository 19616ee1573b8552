"""Pods that wait for a node which is being made free for them, and the priorities that say who waits for whom.

Drawn apart from everything else: without it a seed's cluster is the same.
"""
from generate.dice import Dice

PRIORITIES = [None, 0, 0, 0, -5, 7, 7, 2000]


def has_service_affinity(policy):
    """v1.16 looks for the node that a nominated pod does not run on yet, and fails."""
    rules = (policy or {}).get("predicates") or []
    return any("serviceAffinity" in (rule.get("argument") or {}) for rule in rules if isinstance(rule, dict))


def nominate(files, seed):
    """In half of the clusters: pending pods wait for some of the nodes, and all that are asked about have priorities."""
    dice = Dice(f"nominated {seed}")
    if not dice.p(.5) or has_service_affinity(files.get("policy")):
        return
    items = files["cluster"]["items"]
    names = [item["metadata"]["name"] for item in items if item["kind"] == "Node"]
    pending = [item for item in items if item["kind"] == "Pod" and not item["spec"].get("nodeName")]
    wanted = dice.some(names, 1, 3) + ["nowhere"] if names else ["nowhere"]
    for pod in pending + files["pods"]["items"]:
        priority = dice.one(PRIORITIES)
        pod["spec"].pop("priority", None)
        if priority is not None:
            pod["spec"]["priority"] = priority
    for pod in pending:
        if dice.p(.6):
            pod.setdefault("status", {})["nominatedNodeName"] = dice.one(wanted)
