"""Today's pods, as an API server returns them; volumes, affinities and requests have files of their own."""
from generate.today import affinity, node_affinity, requests, spread, workloads
from generate.today.pod_volumes import volumes
from generate.today.tolerations import tolerations
from generate.today.words import NAMESPACES
from generate.words import APPS, DELETED, TIERS


def _ports(m, taken, on_host):
    """Ports of a container, each host port once in a pod; on the host's network they are the container's."""
    out = []
    for _ in range(m.between(1, 2)):
        port = {"containerPort": 80, "protocol": m.one(["TCP", "TCP", "TCP", "UDP", "SCTP"])}
        if m.p(.85) or on_host:
            port["hostPort"] = m.one([80, 80, 80, 443])
        if on_host:
            port["containerPort"] = port["hostPort"]
        if m.p(.4):
            port["hostIP"] = m.one(["0.0.0.0", "127.0.0.1", "::", "10.0.0.1"])
        key = (port.get("hostPort"), port["protocol"], port.get("hostIP"))
        if key not in taken:
            taken.add(key)
            out.append(port)
    return out


def _add_ports(m, spec):
    """Also of init containers: only those of sidecars count."""
    taken = set()
    for container in spec["containers"] + spec.get("initContainers", []):
        if m.p(m.gently(m.mostly("nodes", .25))):
            container["ports"] = _ports(m, taken, spec.get("hostNetwork"))


def _needs_features(m, spec):
    """Fields that only nodes with a feature understand; and their neighbours, which any node does."""
    if m.p(.35):
        rule = {"action": m.one(["RestartAllContainers", "RestartAllContainers", "Restart"]),
                "exitCodes": {"operator": "In", "values": [42]}}
        container = m.one(spec["containers"] + spec.get("initContainers", []))
        container.setdefault("restartPolicy", "Never")  # Of init containers only "Always" makes sidecars.
        container["restartPolicyRules"] = [rule]
    if m.p(.35):
        spec["hostUsers"] = m.p(.2)
        spec["hostNetwork"] = m.p(.7)
    if m.p(.35):
        spec.setdefault("volumes", []).append({"name": "scratch", "emptyDir": {}})
        mount = {"name": "scratch", "mountPath": "/scratch", **({"bindMountOptions": ["noexec"]} if m.p(.7) else {})}
        m.one(spec["containers"] + spec.get("initContainers", []))["volumeMounts"] = [mount]


def _labels(m):
    out = {}
    if m.p(.92):
        out["app"] = m.one(APPS)
    if m.p(.5):
        out["tier"] = m.one(TIERS)
    if m.p(.35):
        out["version"] = m.one(["1", "2"])
    if m.p(m.rarely("affinity", .3, .03)):
        out["group"] = f"g{m.between(0, 15)}"
    return out


def _metadata(m, name, asked):
    namespace = m.one(NAMESPACES if m.about("general") or m.about("affinity") else ["default"] * 9 + ["other", "bare"])
    labels = _labels(m)
    meta = {"name": name, "namespace": namespace, "uid": "uid-" + name, "labels": labels}
    if m.p(.02 if asked else .1):
        meta.update(deletionTimestamp=DELETED, deletionGracePeriodSeconds=30)
    if m.p(.6):
        meta["ownerReferences"] = workloads.owner_references(m, labels)
    return meta


def _add_affinity(m, spec, labels, asked, count):
    """Where it wants to be, and beside whom. Constraints look at the first, so that spread clusters have it too."""
    own = affinity.pod_affinity(m, labels, asked)
    if asked:
        if m.p(m.gently(m.rarely("spread", .25, m.mostly("nodes", .25)))):
            spec["nodeSelector"] = node_affinity.node_selector(m)
        if m.p(m.rarely("spread", .2, m.mostly("nodes", .65, .1))):
            own["nodeAffinity"] = node_affinity.node_affinity(m, count, spec.get("nodeName"))
    if own or m.p(.03):
        spec["affinity"] = own
    constraints = spread.spread_constraints(m, labels, asked)
    if constraints:
        spec["topologySpreadConstraints"] = constraints


def _scheduler(m, given):
    if given and m.schedulers and m.p(.03):
        return "nobody"
    return m.one(m.schedulers) if m.schedulers else "default-scheduler"


def pod(m, name, node=None, given=False, count=10):
    """A pod on a node, or pending. A given one stands outside the cluster; it may name its node all the same."""
    asked = given or not node
    meta, status = _metadata(m, name, asked), {"phase": "Running" if node and not given else "Pending"}
    spec = {"schedulerName": _scheduler(m, given), "restartPolicy": "Always", "priority": 0}
    containers, init_containers = requests.add_containers(m, spec)
    if node:
        spec["nodeName"] = node
    found = volumes(m, name, meta["namespace"], asked)
    if found:
        spec["volumes"] = found
    spec["tolerations"] = tolerations(m)
    if m.p(m.gently(.6) if m.features else 0):
        _needs_features(m, spec)
    _add_ports(m, spec)
    _add_affinity(m, spec, meta["labels"], asked, count)
    if m.resizes and m.p(.05 if asked else .6):
        requests.add_resize(m, spec, status, containers, init_containers)
    if node and not given and m.p(.04):
        status["phase"] = m.one(["Succeeded", "Failed", "Pending"])
    return {"kind": "Pod", "apiVersion": "v1", "metadata": meta, "spec": spec, "status": status}
