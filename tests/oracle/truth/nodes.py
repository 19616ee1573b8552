"""What a node has that keeps a pod away: taints, conditions, its name, its labels, its features, and ports in use."""
from truth import labels
from truth.amounts import amount
from truth.expected import Truth
from truth.objects import TAINT_EFFECTS, containers, full_name, init_containers, is_sidecar, labels_of

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
UNSCHEDULABLE = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}


# Taints.

def tolerates(toleration, taint):
    if toleration.get("effect") and toleration["effect"] != taint["effect"]:
        return False
    if toleration.get("key") and toleration["key"] != taint["key"]:
        return False
    operator = toleration.get("operator") or "Equal"
    return operator == "Exists" or operator == "Equal" and same_value(toleration, taint)


def same_value(toleration, taint):
    return (toleration.get("value") or "") == (taint.get("value") or "")


def is_tolerated(spec, taint):
    return any(tolerates(toleration, taint) for toleration in spec.get("tolerations") or [])


def untolerated(spec, node):
    return [taint for taint in node["spec"].get("taints") or []
            if taint["effect"] in TAINT_EFFECTS and not is_tolerated(spec, taint)]


def taint_text(one):
    text = one.get("key") or ""
    if one.get("value"):
        text += "=" + one["value"]
    return f"{text}:{one['effect']}" if one.get("effect") else text


def differences(toleration, taint):
    """The fields in which a toleration of the taint's key differs from it. Of Kubernetes' own taints nothing is told."""
    if toleration.get("key") != taint["key"] or taint["key"].startswith("node.kubernetes.io/"):
        return
    if toleration.get("effect") and toleration["effect"] != taint["effect"]:
        yield "effect"
    operator = toleration.get("operator") or "Equal"
    if operator not in ("Equal", "Exists"):
        yield "operator"
    if operator == "Equal" and not same_value(toleration, taint):
        yield "value"


def taints(question, name):
    for taint in untolerated(question.spec, question.cluster.nodes[name]):
        near = {(taint_text(one), field) for one in question.spec.get("tolerations") or []
                for field in differences(one, taint)}
        yield Truth("taint", {("toleration", "differs"): near or {(None, None)}}, taint=taint_text(taint))


# What the node says of itself.

def is_cordoned(node):
    return bool(node["spec"].get("unschedulable"))


def cordon(question, name):
    if is_cordoned(question.cluster.nodes[name]) and not is_tolerated(question.spec, UNSCHEDULABLE):
        yield Truth("unschedulable")


def conditions(node):
    return {(one["type"], one["status"]) for one in (node.get("status") or {}).get("conditions") or []}


def bad_conditions(question, name):
    """Of CheckNodeCondition, which no toleration turns."""
    node = question.cluster.nodes[name]
    if any(kind == "Ready" and status != "True" for kind, status in conditions(node)):
        yield Truth("condition", condition="Ready")
    if any(kind == "NetworkUnavailable" and status != "False" for kind, status in conditions(node)):
        yield Truth("condition", condition="NetworkUnavailable")
    if is_cordoned(node):
        yield Truth("unschedulable")


def pressure(condition):
    def find(question, name):
        if (condition, "True") in conditions(question.cluster.nodes[name]):
            yield Truth("condition", condition=condition)
    return find


def has_no_requests(question):
    """Whether the pod is BestEffort."""
    parts = [one.get("resources") or {} for one in containers(question.pod) + init_containers(question.pod)]
    if not question.exact:
        parts.append(question.spec.get("resources") or {})
    return not any(amount((part.get(kind) or {}).get(name, 0)) for part in parts for kind in ("requests", "limits")
                   for name in ("cpu", "memory"))


def memory_pressure(question, name):
    if has_no_requests(question):
        yield from pressure("MemoryPressure")(question, name)


def node_name(question, name):
    asked = question.spec.get("nodeName")
    if asked and asked != name:
        yield Truth("nodeName", wanted=asked)


# Features.

def needed_features(spec):
    all_containers = [one for kind in ("containers", "initContainers", "ephemeralContainers")
                      for one in spec.get(kind) or []]
    if any(rule.get("action") == "RestartAllContainers" for one in all_containers
           for rule in one.get("restartPolicyRules") or []):
        yield "RestartAllContainersOnContainerExits"
    if spec.get("hostNetwork") and spec.get("hostUsers") is False:
        yield "UserNamespacesHostNetworkSupport"
    if any(mount.get("bindMountOptions") for one in all_containers for mount in one.get("volumeMounts") or []):
        yield "VolumeBindMountOptions"


def features(question, name):
    declared = (question.cluster.nodes[name].get("status") or {}).get("declaredFeatures") or []
    for feature in needed_features(question.spec):
        if feature not in declared:
            yield Truth("feature", feature=feature)


# Labels.

def is_empty(term):
    return not term.get("matchExpressions") and not term.get("matchFields")


def field_holds(field, name):
    """Of fields other than metadata.name nothing is known, and they read as empty."""
    values = field.get("values") or []
    if field.get("operator") not in ("In", "NotIn") or len(values) != 1:
        return False
    return ((name if field["key"] == "metadata.name" else "") == values[0]) == (field["operator"] == "In")


def never(common, why):
    """A term that holds nowhere. @param why: the texts that may say so; None: some text."""
    return Truth("term", {("why",): why}, **common)


def term_failures(term, node, common):
    """What a node does not meet of a term: nothing if the term holds."""
    name, there = node["metadata"]["name"], labels_of(node)
    if is_empty(term):
        yield never(common, {("is empty",)})
    try:
        for one in sorted({labels.node_requirement(one) for one in term.get("matchExpressions") or []}):
            if not labels.holds(one, there):
                yield Truth("label", key=one[0], operator=one[1], wanted=list(one[2]) or None,
                            value=there.get(one[0]), **common)
    except labels.Invalid:
        yield never(common, None)
    for field in term.get("matchFields") or []:
        if not field_holds(field, name):
            yield Truth("field", field=field["key"], operator=field.get("operator"), wanted=field.get("values") or [],
                        value=name if field["key"] == "metadata.name" else None, **common)


def affinity_failures(selector, node, source):
    """What a node does not meet of a NodeSelector, one of whose terms must hold."""
    terms = selector.get("nodeSelectorTerms") or []
    if not terms:
        return [never({"from": source}, {("has no terms",)})]
    found = []
    for i, term in enumerate(terms):
        number = {"term": i + 1} if len(terms) > 1 else {}
        failures = list(term_failures(term, node, {"from": source, **number}))
        if not failures:
            return []
        found += failures
    return found


def pod_selector(spec, today):
    """The pod's nodeSelector. v1.16 takes one that is not valid for everything."""
    asked = spec.get("nodeSelector") or {}
    if not today and not all(labels.is_key(key) and labels.is_value(one) for key, one in asked.items()):
        return {}
    return asked


def requirements(question, name):
    node = question.cluster.nodes[name]
    there = labels_of(node)
    for key, one in pod_selector(question.spec, question.today).items():
        if there.get(key) != one:
            yield Truth("label", key=key, operator="In", wanted=[one], value=there.get(key), **{"from": "nodeSelector"})
    required = ((question.spec.get("affinity") or {}).get("nodeAffinity") or {}).get(REQUIRED)
    if required is not None:
        yield from affinity_failures(required, node, "nodeAffinity")


def may_run_on(question, name):
    """Whether the pod's nodeSelector and node affinity let it run there."""
    return not list(requirements(question, name))


# Ports.

def host_ports(pod, today):
    """(port, protocol, address) of each host port."""
    found = []
    on_host = pod["spec"].get("hostNetwork")
    for container in containers(pod) + [one for one in init_containers(pod) if today and is_sidecar(one)]:
        for port in container.get("ports") or []:
            number = port.get("hostPort") or (port.get("containerPort") if on_host else 0)
            if number:
                found.append((number, port.get("protocol") or "TCP", port.get("hostIP") or "0.0.0.0"))
    return found


def conflict(one, other):
    return one[:2] == other[:2] and ("0.0.0.0" in (one[2], other[2]) or one[2] == other[2])


def ports(question, name):
    asked, holders = host_ports(question.pod, question.today), {}
    for pod in question.cluster.on[name]:
        for port in host_ports(pod, question.today):
            if any(conflict(port, one) for one in asked):
                holders.setdefault(port, set()).add((full_name(pod),))
    for (port, protocol, address), pods in holders.items():
        yield Truth("port", {("heldBy",): pods}, port=port, protocol=protocol,
                    address=None if address == "0.0.0.0" else address)
