"""Services and controllers for the removed plugins: today's, and several for one pod."""
from generate.selectors import BAD_LABEL_EXPRESSIONS
from generate.today import workloads as today
from generate.words import APPS, TIERS


def _more_services(m):
    """Of several that a pod has, the first by name counts; an empty selector, which no API server gives back, is of all pods."""
    out = []
    for i in range(m.anew.between(0, 3)):
        selector = m.anew.one([{"app": m.anew.one(APPS)}, {"tier": m.anew.one(TIERS)}, {"version": m.anew.one(["1", "2"])},
                               {"app": m.anew.one(APPS), "version": m.anew.one(["1", "2"])}])
        if m.anew.p(.06):
            selector = m.anew.one([{}, None])
        out.append({"kind": "Service", "apiVersion": "v1", "spec": {} if selector is None else {"selector": selector},
                    "metadata": {"name": m.anew.one(["a", "s", "t", "z"]) + f"-more-{i}",
                                 "namespace": m.anew.one(["default", "default", "other", "bare"])}})
    return out


def _deface(m, item):
    """Selectors that say nothing, that cannot be read, or that contradict the Services of the controller's pods."""
    if item["kind"] not in ("ReplicationController", "ReplicaSet", "StatefulSet") or not m.anew.p(.08):
        return
    if item["kind"] == "ReplicationController":
        item["spec"]["selector"] = m.anew.one([{}, {"app": m.anew.one(APPS)}, {"tier": "none"}])
    else:
        item["spec"]["selector"] = m.anew.one([{}, {"matchExpressions": [m.anew.one(BAD_LABEL_EXPRESSIONS)]},
                                               {"matchLabels": {"app": m.anew.one(APPS)}}, None])
    if item["spec"]["selector"] is None:
        del item["spec"]["selector"]


def workloads(m):
    out = today.workloads(m) + _more_services(m)
    for item in out:
        _deface(m, item)
    return [item for item in out if item["kind"] != "Namespace"]
