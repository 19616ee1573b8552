"""Pods for the removed plugins: today's, without what v1.22 does not know."""
from generate.removed.config import PLACES
from generate.today import pods as today

VALUES = ["a", "b", "c", "z1", "z2", "ssd", "r1", ""]


def forget_sums(spec):
    """Sidecars and pod-level resources came later, and v1.22 would count another sum."""
    spec.pop("resources", None)
    for container in spec.get("initContainers", []):
        container.pop("restartPolicy", None)


def _forget(spec):
    forget_sums(spec)
    for field in "hostUsers", "tolerations", "affinity":  # Nobody looks.
        spec.pop(field, None)


def _own(m, meta):
    """The controllers that nodes' annotations name go by few uids; some pods of one controller have another's."""
    for reference in meta.get("ownerReferences", []):
        if m.about("labels") and m.anew.p(.6):
            reference["kind"] = m.anew.one(["ReplicaSet", "ReplicaSet", "ReplicaSet", "ReplicationController"])
        if m.anew.p(.8):
            reference["uid"] = m.anew.one(["u1", "u2", "u3", ""])
        if m.anew.p(.03):
            reference["apiVersion"] = m.anew.one(["a/b/c", "v2", ""])
        if m.anew.p(.05):
            reference["controller"] = m.anew.p(.3)


def _select(m, spec):
    """A nodeSelector that has a label of the affinity says what its node must have, whatever other pods have."""
    if m.anew.p(m.rarely("services", .25, m.rarely("general", .2, .05))):
        spec["nodeSelector"] = {m.anew.one(PLACES): m.anew.one(VALUES) for _ in range(m.anew.between(1, 2))}


def pod(m, name, node=None, given=False, count=10):
    """A pod on a node, or pending. A given one stands outside the cluster; it may name its node all the same."""
    one = today.pod(m, name, node, given, count)
    _forget(one["spec"])
    if (given or not node) and m.form.p(.06):  # SelectorSpread leaves such a pod to others.
        one["spec"]["topologySpreadConstraints"] = [
            {"maxSkew": 1, "topologyKey": PLACES[0], "whenUnsatisfiable": m.form.one(["ScheduleAnyway", "DoNotSchedule"]),
             "labelSelector": {"matchLabels": {"app": "web"}}}]
    return add_own(m, one, given or not node)


def add_own(m, one, asked):
    """What the removed plugins look at, in a pod of today's."""
    spec, meta = one["spec"], one["metadata"]
    _own(m, meta)
    if asked:
        _select(m, spec)
    for volume in spec.get("volumes", []):
        if m.anew.p(.001) and "persistentVolumeClaim" in volume:
            volume["persistentVolumeClaim"]["claimName"] = ""  # No API server lets it through; fails whoever counts it.
    if m.about("services") and "app" in meta["labels"] and m.anew.p(.5):
        meta["labels"] = {"app": meta["labels"]["app"]}  # Others have all of its labels.
        if m.anew.p(.35 if asked else .15):  # Few others have it; of a lonely group none has a node.
            meta["labels"]["group"] = "lonely" if asked and m.anew.p(.75) else f"g{m.anew.between(0, 9)}"
    return one
