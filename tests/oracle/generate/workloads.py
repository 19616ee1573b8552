"""Services and controllers, with selectors that overlap."""
from generate.selectors import label_map, label_selector
from generate.words import APPS, NAMESPACES


def _namespace(m):
    return m.one(NAMESPACES) if m.about("general") else m.one(["default"] * 4 + ["other"])


def _service(m, i):
    spec = {"selector": label_map(m)} if m.p(.9) else {}
    if spec.get("selector") == {}:
        del spec["selector"]  # The API server drops it.
    return {"kind": "Service", "apiVersion": "v1", "metadata": {"name": f"s{i}", "namespace": _namespace(m)}, "spec": spec}


def _one_service_an_app(m):
    """So that a pod has one service, and upstream no choice."""
    return [{"kind": "Service", "apiVersion": "v1", "metadata": {"name": f"s-{app}", "namespace": namespace},
             "spec": {"selector": {"app": app}}}
            for app in sorted(set(APPS)) for namespace in ("default", "other") if m.p(.8)]


def _services(m):
    if m.about("services") and m.p(.7):
        return _one_service_an_app(m)
    return [_service(m, i) for i in range(m.between(0, 5))]


def _controllers(m):
    out = []
    for i in range(m.between(0, 2)):
        out.append({"kind": "ReplicationController", "apiVersion": "v1",
                    "metadata": {"name": f"rc{i}", "namespace": _namespace(m)}, "spec": {"selector": label_map(m)}})
    for kind in ("ReplicaSet", "StatefulSet"):
        for i in range(m.between(0, 3)):
            spec = {} if m.p(.03) else {"selector": label_selector(m, .03 * m.trouble)}
            out.append({"kind": kind, "apiVersion": "apps/v1",
                        "metadata": {"name": f"{kind.lower()}{i}", "namespace": _namespace(m)}, "spec": spec})
    return out


def workloads(m):
    return _services(m) + _controllers(m)
