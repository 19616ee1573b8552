"""The changes of "What would help", one less than told: what must not help."""
from undeparted import value

from truth import suggestions


def one_more(resource, written):
    """The least that is more than the amount."""
    return f"{value(written) * 1000 // 1 + 1}m" if resource == "cpu" else str(value(written) // 1 + 1)


def other_taint(taint):
    key_and_value, _, effect = taint.rpartition(":")
    key, _, there = key_and_value.partition("=")
    return f"{key}={there}x:{effect}"


OTHER = {  # The fields that make another change of the kind, which misses by one.
    "request": lambda change: {"to": one_more(change["resource"], change["to"])},
    "toleration": lambda change: {"taint": other_taint(change["taint"])},
    "maxSkew": lambda change: {"to": change["to"] - 1},
    "label": lambda change: {"value": change["value"] + "x"},
    "value": lambda change: {"to": change["to"] + "x"},
    "hostPort": lambda change: {"port": change["port"] + 1},
    "victims": lambda change: {"pods": change["pods"][:-1]},
}


def altered(suggestion):
    """The suggestion with a change that misses by one; None for a kind that has no amount or name to miss."""
    change = suggestion["change"]
    if change["kind"] not in OTHER:
        return None
    return {**suggestion, "change": {**change, **OTHER[change["kind"]](change)}}


def changed_too_little(items, pod, suggestion):
    """(items, pod) after one less than the change: no requirement goes, no node is uncordoned, the new one is full, no claim
    gives back its devices. Of two
    changes the second is not made."""
    change = suggestion["change"]
    if "also" in suggestion:
        return suggestions.changed(items, pod, {"change": change, "node": suggestion["node"]})
    if other := altered(suggestion):
        return suggestions.changed(items, pod, other)
    if change["kind"] != "node":
        return items, pod
    items = suggestions.changed_items(items, suggestion)
    status = items[-1]["status"]
    status["allocatable"] = {**(status.get("allocatable") or {}), "pods": "0"}
    return items, pod
