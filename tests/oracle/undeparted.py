#!/usr/bin/env python3
"""Makes clusters on which Winnow's defaults and v1.16.15 must agree: takes out whatever the two mean to read differently.

    undeparted.py DIR…

In place. Labels of today's zones and regions, restartable init containers, overhead, pod-level resources and the status
of resizes go, and what an init container asks for with 0; amounts that pods ask for are rounded up to what v1.16 counts in,
container by container. From then on
Winnow answers about the directory without ExactV116 (DIR/winnow-gates.json).
"""
import json
import os
import re
import sys
from fractions import Fraction

from answers import read_json
from generate.words import NEW_REGION, NEW_ZONE

SUFFIXES = {"n": Fraction(1, 10**9), "u": Fraction(1, 10**6), "m": Fraction(1, 1000), "": 1, "k": 10**3, "M": 10**6, "G": 10**9,
            "T": 10**12, "P": 10**15, "E": 10**18, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50, "Ei": 2**60}
QUANTITY = re.compile(r"([+-]?[0-9]*\.?[0-9]*)(?:[eE]([+-]?[0-9]+)|([numkKMGTPE]i?|))$")
MOST = 2**52  # Sums of these stay far from where 64 bits end.


def value(text):
    number, exponent, suffix = QUANTITY.match(str(text)).groups()
    return Fraction(number) * (Fraction(10) ** int(exponent) if exponent else SUFFIXES[suffix])


def rounded(resource, text):
    """The amount as v1.16 counts it: cpu in thousandths, all else in units, rounded up."""
    unit = 1000 if resource == "cpu" else 1
    amount = -(-value(text) * unit // 1)
    amount = max(0, min(amount, MOST))
    return f"{amount}m" if resource == "cpu" else str(amount)


def strip_pod(pod):
    spec = pod["spec"]
    spec.pop("overhead", None)
    spec.pop("resources", None)
    for container in spec.get("initContainers", []):
        asked = container.get("resources", {}).get("requests", {})
        for resource in [name for name in asked if name not in ("cpu", "memory") and value(asked[name]) <= 0]:
            del asked[resource]
    for container in spec.get("containers", []) + spec.get("initContainers", []):
        container.pop("restartPolicy", None)
        for amounts in container.get("resources", {}).values():
            for resource in amounts:
                amounts[resource] = rounded(resource, amounts[resource])
    status = pod.get("status", {})
    for field in "conditions", "containerStatuses", "initContainerStatuses", "allocatedResources", "resources":
        status.pop(field, None)


def strip(item):
    if item["kind"] == "Pod":
        strip_pod(item)
    if item["kind"] in ("Node", "PersistentVolume"):
        for label in NEW_ZONE, NEW_REGION:
            (item["metadata"].get("labels") or {}).pop(label, None)


def write(directory, name, what):
    with open(os.path.join(directory, name), "w", encoding="utf-8") as f:
        json.dump(what, f)


def main():
    for directory in sys.argv[1:]:
        for name in "cluster.json", "pods.json":
            items = read_json(directory, name)
            for item in items["items"]:
                strip(item)
            write(directory, name, items)
        write(directory, "winnow-gates.json", {"ExactV116": False})


if __name__ == "__main__":
    main()
