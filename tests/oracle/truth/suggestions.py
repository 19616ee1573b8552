"""The changes of "What would help", made in the JSON of a pod or of a cluster."""
import copy

from undeparted import value

from truth.amounts import amount, whole
from truth.objects import containers, full_name
from truth.nodes import REQUIRED

HOSTNAME, NEW, NEW_IN_ANSWERS = "kubernetes.io/hostname", "0-new-node", "(a new node)"


def asked(part, resource):
    """The request of a container or a pod; a limit is one where there is none."""
    resources = part.get("resources") or {}
    return amount({**(resources.get("limits") or {}), **(resources.get("requests") or {})}[resource])


def ask_less(pod, change):
    resource, less = change["resource"], value(change["from"]) - value(change["to"])
    if "container" in change:
        part = next(one for one in containers(pod) if one["name"] == change["container"])
    else:
        part = pod["spec"]
    left = whole(resource, asked(part, resource)) - less
    part.setdefault("resources", {}).setdefault("requests", {})[resource] = \
        f"{left * 1000}m" if resource == "cpu" else str(left)


def tolerate(pod, change):
    key_and_value, _, effect = change["taint"].rpartition(":")
    key, is_equal, there = key_and_value.partition("=")
    made = {"key": key, "operator": "Equal", "value": there} if is_equal else {"key": key, "operator": "Exists"}
    pod["spec"]["tolerations"] = (pod["spec"].get("tolerations") or []) + [{**made, "effect": effect}]


def drop(pod, change):
    """Takes one requirement on nodes' labels away."""
    if change["from"] == "nodeSelector":
        del pod["spec"]["nodeSelector"][change["key"]]
        return
    affinity = pod["spec"]["affinity"]["nodeAffinity"]
    for term in affinity[REQUIRED]["nodeSelectorTerms"]:
        term["matchExpressions"] = [
            one for one in term.get("matchExpressions") or [] if (one["key"], one["operator"]) !=
            (change["key"], change["operator"]) or set(one.get("values") or []) != set(change.get("wanted", []))]
    left = [term for term in affinity[REQUIRED]["nodeSelectorTerms"]
            if term["matchExpressions"] or term.get("matchFields")]
    affinity[REQUIRED]["nodeSelectorTerms"] = left
    if not left:
        del affinity[REQUIRED]


def allow(pod, change):
    for one in pod["spec"]["topologySpreadConstraints"]:
        if (one["topologyKey"], one["whenUnsatisfiable"], one.get("maxSkew") or 1) == \
                (change["topologyKey"], "DoNotSchedule", change["from"]):
            one["maxSkew"] = change["to"]


def schedule_anyway(pod, change):
    """Makes the constraint that maxSkew is about a wish."""
    for one in pod["spec"]["topologySpreadConstraints"]:
        if (one["topologyKey"], one["whenUnsatisfiable"]) == (change["topologyKey"], "DoNotSchedule"):
            one["whenUnsatisfiable"] = "ScheduleAnyway"


def set_policy(pod, change):
    """Has nodes left out of a spreading that the pod cannot run on."""
    for one in pod["spec"]["topologySpreadConstraints"]:
        if (one["topologyKey"], one["whenUnsatisfiable"]) == (change["topologyKey"], "DoNotSchedule"):
            one[change["field"]] = change["to"]


def ask_for_value(pod, change):
    """Another value of a label, for one that was misspelt."""
    if change["from"] == "nodeSelector":
        pod["spec"]["nodeSelector"][change["key"]] = change["to"]
        return
    for term in pod["spec"]["affinity"]["nodeAffinity"][REQUIRED]["nodeSelectorTerms"]:
        for one in term.get("matchExpressions") or []:
            if (one["key"], one["operator"]) == (change["key"], "In"):
                one["values"] = [change["to"] if there == change["wanted"] else there for there in one["values"]]


def drop_host_port(pod, change):
    for one in containers(pod) + (pod["spec"].get("initContainers") or []):
        for port in one.get("ports") or []:
            if (port.get("hostPort"), port.get("protocol") or "TCP") == (change["port"], change["protocol"]):
                del port["hostPort"]


def drop_term(pod, change):
    del pod["spec"]["affinity"][change["from"]][REQUIRED][change["term"] - 1]


def look_in_namespace(pod, change):
    term = pod["spec"]["affinity"][change["from"]][REQUIRED][change["term"] - 1]
    term["namespaces"] = [change["to"]]
    term.pop("namespaceSelector", None)


def drop_label(pod, change):
    del pod["metadata"]["labels"][change["key"]]


def drop_volume(pod, change):
    namespace, name = pod["metadata"]["namespace"], pod["metadata"]["name"]

    def claim(volume):
        if "ephemeral" in volume:
            return f"{namespace}/{name}-{volume['name']}"
        return f"{namespace}/{(volume.get('persistentVolumeClaim') or {}).get('claimName')}"

    pod["spec"]["volumes"] = [one for one in pod["spec"]["volumes"] if claim(one) != change["claim"]]


OF_POD = {"request": ask_less, "toleration": tolerate, "requirement": drop, "maxSkew": allow,
          "scheduleAnyway": schedule_anyway, "spreadPolicy": set_policy, "value": ask_for_value,
          "hostPort": drop_host_port, "podTerm": drop_term, "namespaces": look_in_namespace, "podLabel": drop_label,
          "volume": drop_volume}


def changed_pod(pod, change):
    made = copy.deepcopy(pod)
    OF_POD[change["kind"]](made, change)
    return made


def uncordon(node):
    node["spec"].pop("unschedulable", None)
    node["spec"]["taints"] = [one for one in node["spec"].get("taints") or []
                              if one["key"] != "node.kubernetes.io/unschedulable"]


def added_node(node):
    """A new node of the same kind: nothing ails it."""
    made = copy.deepcopy(node)
    made["metadata"]["name"] = NEW
    made["metadata"].pop("uid", None)
    if HOSTNAME in (made["metadata"].get("labels") or {}):
        made["metadata"]["labels"][HOSTNAME] = NEW
    made["spec"].pop("unschedulable", None)
    made["spec"]["taints"] = [one for one in made["spec"].get("taints") or []
                              if not one["key"].startswith("node.kubernetes.io/")]
    made["status"]["conditions"] = []
    return made


def given_back(claim):
    """The claim when the pod that uses it has ended."""
    status = {key: value for key, value in (claim.get("status") or {}).items() if key not in ("allocation", "reservedFor")}
    return {**claim, "status": status}


def changed_items(items, suggestion):
    """The objects of the cluster after the change."""
    change = suggestion["change"]
    if change["kind"] == "node":
        like = next(one for one in items if one["kind"] == "Node" and one["metadata"]["name"] == change["like"])
        return items + [added_node(like)]
    if change["kind"] == "victims":
        return [one for one in items if one["kind"] != "Pod" or full_name(one) not in change["pods"]]
    if change["kind"] == "devices":
        return [given_back(one) if one["kind"] == "ResourceClaim" and full_name(one) == change["claim"] else one for one in items]
    items = list(items)
    place = next(i for i, one in enumerate(items)
                 if one["kind"] == "Node" and one["metadata"]["name"] == suggestion["node"])
    items[place] = node = copy.deepcopy(items[place])
    if change["kind"] == "uncordon":
        uncordon(node)
    else:
        node["metadata"]["labels"] = {**(node["metadata"].get("labels") or {}), change["key"]: change["value"]}
    return items


def changed(items, pod, suggestion):
    """(items, pod) after the change, or both where there are two. The items are the same object where only the pod changes."""
    for change in [suggestion["change"], *([suggestion["also"]] if "also" in suggestion else [])]:
        if change["kind"] in OF_POD:
            pod = changed_pod(pod, change)
        else:
            items = changed_items(items, {**suggestion, "change": change})
    return items, pod


def named(suggestion):
    """The node that the pod goes to, by the name that it has in the changed JSON."""
    return NEW if suggestion["node"] == NEW_IN_ANSWERS else suggestion["node"]


def missed(suggestion, answer):
    """What the answer about the changed objects has otherwise than the suggestion; "" if nothing. Of a suggestion without
    `nodes` only that the pod fits on its node is asked."""
    node = named(suggestion)
    if answer.get("error"):
        return f"fails: {answer['error']}"
    if node not in [one["name"] for one in answer["nodes"] or [] if one["fits"]]:
        return f"does not fit on {node}"
    if "nodes" not in suggestion:
        return ""
    if answer["selected"] != node:
        return f"goes to {answer['selected']}"
    return "" if answer["feasible"] == suggestion["nodes"] else f"fits {answer['feasible']} nodes"
