"""Services, the controllers that own pods, and namespaces."""
from generate.today.words import LABELLED
from generate.words import APPS, TIERS

GROUP = {"ReplicationController": "v1", "ReplicaSet": "apps/v1", "StatefulSet": "apps/v1", "Job": "batch/v1"}
TEAMS = {"default": "a", "other": "b", "kube-system": None}


def _meta(name, namespace):
    return {"name": name, "namespace": namespace, "uid": f"uid-{namespace}-{name}"}


def _services(m):
    out = []
    for namespace in ("default", "other", "bare"):
        for app in sorted(set(APPS)):
            if m.p(m.rarely("spread", .55, .3)):
                out.append((f"s-{app}", namespace, {"app": app}))
        for i in range(m.between(0, 2)):
            selector = {"app": m.one(APPS), **({"tier": m.one(TIERS)} if m.p(.6) else {})} if m.p(.8) else {"tier": m.one(TIERS)}
            out.append((f"s{i}", namespace, selector if m.p(.85) else {}))
    return [{"kind": "Service", "apiVersion": "v1", "metadata": _meta(name, namespace),
             "spec": {"type": "ClusterIP", **({"selector": selector} if selector else {})}} for name, namespace, selector in out]


def _selector(m, kind, app):
    labels = {"app": app, **({"tier": m.one(TIERS)} if m.p(.15) else {})}
    if kind == "ReplicationController":
        return labels
    if m.p(.15):
        return {"matchLabels": {"app": app}, "matchExpressions": [{"key": "tier", "operator": "NotIn", "values": ["back"]}]}
    return {"matchLabels": labels}


def owner_names(kind):
    return [f"{app}-{kind.lower()}" for app in sorted(set(APPS))]


def _controllers(m):
    out = []
    for kind in ("ReplicationController", "ReplicaSet", "StatefulSet"):
        for namespace in ("default", "other", "bare"):
            for app in sorted(set(APPS)):
                if m.p(.5):
                    out.append({"kind": kind, "apiVersion": GROUP[kind], "metadata": _meta(f"{app}-{kind.lower()}", namespace),
                                "spec": {"replicas": 1, "selector": _selector(m, kind, app)}})
    return out


def owner_references(m, labels):
    """Mostly one controller, of the pod's app; at times of a kind, a version or a name that nobody has."""
    kind = m.one(["ReplicaSet"] * 4 + ["StatefulSet"] * 2 + ["ReplicationController"] * 2 + ["Job"])
    name = f"{labels.get('app', 'web')}-{kind.lower()}" if m.p(.85) else m.one(owner_names(kind) + ["gone"])
    version = GROUP[kind] if m.p(.95) else m.one(["apps/v1beta2", "extensions/v1beta1"])
    controller = {"apiVersion": version, "kind": kind, "name": name, "uid": f"uid-{name}"}
    if m.p(.95):
        controller["controller"] = True
    other = {"apiVersion": "v1", "kind": "ConfigMap", "name": "c", "uid": "uid-c"}
    return m.one([[controller], [controller], [controller], [other, controller], [other]])


def _namespace(name):
    labels = {"kubernetes.io/metadata.name": name, **({"team": TEAMS[name]} if TEAMS[name] else {})}
    return {"kind": "Namespace", "apiVersion": "v1", "metadata": {"name": name, "labels": labels}, "status": {"phase": "Active"}}


def workloads(m):
    return [_namespace(name) for name in LABELLED if m.p(.95)] + _services(m) + _controllers(m)
