"""The changes of "What would help", made in the JSON of a pod or of a cluster."""
import copy

from undeparted import value

from truth.amounts import amount, whole
from truth.objects import containers
from truth.nodes import REQUIRED

HOSTNAME, NEW, NEW_IN_ANSWERS = "kubernetes.io/hostname", "0-new-node", "(a new node)"
OF_CLUSTER = ("label", "uncordon", "node")


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


OF_POD = {"request": ask_less, "toleration": tolerate, "requirement": drop, "maxSkew": allow}


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


def changed_items(items, suggestion):
    """The objects of the cluster after the change."""
    change = suggestion["change"]
    if change["kind"] == "node":
        like = next(one for one in items if one["kind"] == "Node" and one["metadata"]["name"] == change["like"])
        return items + [added_node(like)]
    items = list(items)
    place = next(i for i, one in enumerate(items)
                 if one["kind"] == "Node" and one["metadata"]["name"] == suggestion["node"])
    items[place] = node = copy.deepcopy(items[place])
    if change["kind"] == "uncordon":
        uncordon(node)
    else:
        node["metadata"]["labels"] = {**(node["metadata"].get("labels") or {}), change["key"]: change["value"]}
    return items


def missed(suggestion, answer):
    """What the answer about the changed objects has otherwise than the suggestion; "" if nothing."""
    node = NEW if suggestion["node"] == NEW_IN_ANSWERS else suggestion["node"]
    if "error" in answer:
        return f"fails: {answer['error']}"
    if node not in [one["name"] for one in answer["nodes"] if one["fits"]]:
        return f"does not fit on {node}"
    if answer["selected"] != node:
        return f"goes to {answer['selected']}"
    return "" if answer["feasible"] == suggestion["nodes"] else f"fits {answer['feasible']} nodes"
