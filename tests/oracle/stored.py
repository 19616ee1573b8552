"""Nodes and pods as an API server hands them out: as they are written, with the defaults of stored.json, which upstream's
program has made. Amounts stay as they are written, where they need no rounding: upstream answers by the amount itself, and
the text that Go makes of a strange one is another amount."""
from answers import asked_pods, read_json
from undeparted import QUANTITY, value


LISTS = ("limits", "requests", "overhead", "allocatable", "capacity", "allocatedResources")


def is_exact(text):
    return isinstance(text, (int, float)) or (QUANTITY.match(str(text)) and (value(text) * 1000).denominator == 1)


def amounts(written, stored, limits):
    """A resource list. `limits` is where amounts come from that are missing."""
    written = written or {}
    return {name: (written if name in written else limits).get(name, text)
            if is_exact(written.get(name, limits.get(name, "0"))) else text for name, text in stored.items()}


def merged(written, stored):
    """What is stored, with the amounts of what is written."""
    if isinstance(stored, list):
        return [merged(one, two) for one, two in zip(written or [None] * len(stored), stored)]
    if not isinstance(stored, dict):
        return stored
    written, out = written or {}, {}
    for key, field in stored.items():
        if key in LISTS and isinstance(field, dict):
            others = written.get({"requests": "limits", "allocatable": "capacity"}.get(key)) or {}
            out[key] = amounts(written.get(key), field, others)
        else:
            out[key] = merged(written.get(key), field)
    return out


def is_sendable(item):
    """Whether all amounts survive being written: those do not that 64 bits cannot hold, as 8Ei, or that need rounding."""
    if isinstance(item, list):
        return all(map(is_sendable, item))
    if not isinstance(item, dict):
        return True
    lists = [field for key, field in item.items() if key in LISTS and isinstance(field, dict)]
    return all(is_exact(text) and abs(value(text)) < 2**62 for amounts_ in lists for text in amounts_.values()) and \
        all(is_sendable(field) for key, field in item.items() if key not in LISTS)


def stored_objects(directory):
    """The cluster's nodes, and the pods that are asked about, in their order."""
    stored = read_json(directory, "stored.json")
    nodes = [item for item in read_json(directory, "cluster.json")["items"] if item["kind"] == "Node"]
    return [[merged(one, two) for one, two in zip(written, by_upstream, strict=True)]
            for written, by_upstream in ((nodes, stored["nodes"]), (asked_pods(directory), stored["pods"]))]
