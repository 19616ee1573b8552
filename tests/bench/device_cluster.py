#!/usr/bin/env python3
"""Writes a cluster of nodes with devices, and pods that claim some: device_cluster.py DIR [NODES=5000].

Each node has 8 GPUs, of which every second node's are allocated, each to a claim of a pod there. DIR gets cluster.json,
pods.json and config.json, as winnow_kinds and upstream's own code read them: see tests/oracle/time.sh --devices.
"""
import json
import os
import sys

DRIVER = "gpu.example.com"
GPUS = 8
V1 = "resource.k8s.io/v1"


def meta(name, namespace=""):
    return {"name": name, "uid": f"uid-{name}", **({"namespace": namespace} if namespace else {})}


def node(name, zone):
    labels = {"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": zone}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {**meta(name), "labels": labels}, "spec": {},
            "status": {"allocatable": {"cpu": "64", "memory": "512Gi", "pods": "110"},
                       "conditions": [{"type": "Ready", "status": "True"}]}}


def gpu(number, model, node_number):
    attributes = {"model": {"string": model}, "numa": {"int": number // 4}, "rail": {"int": 0},
                  "driverVersion": {"version": "550.54.15"}, "uuid": {"string": f"GPU-{node_number:08x}-{number}"}}
    return {"name": f"gpu-{number}", "attributes": attributes, "capacity": {"memory": {"value": "80Gi"}}}


def slice_of(name, number):
    model = "h100" if number % 4 == 0 else "a100"
    return {"apiVersion": V1, "kind": "ResourceSlice", "metadata": meta(f"{name}-gpu"),
            "spec": {"driver": DRIVER, "pool": {"name": name, "generation": 1, "resourceSliceCount": 1}, "nodeName": name,
                     "devices": [gpu(i, model, number) for i in range(GPUS)]}}


def claim(name, count):
    exactly = {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": count,
               "selectors": [{"cel": {"expression": f"device.attributes['{DRIVER}'].model == 'a100'"}}]}
    constraints = [{"matchAttribute": f"{DRIVER}/rail"}] if count > 1 else []
    return {"apiVersion": V1, "kind": "ResourceClaim", "metadata": meta(name, "default"),
            "spec": {"devices": {"requests": [{"name": "gpu", "exactly": exactly}], "constraints": constraints}}}


def pod(name, claimed, on=None):
    spec = {"containers": [{"name": "c", "image": "app", "resources": {"requests": {"cpu": "1", "memory": "2Gi"}}}]}
    if claimed:
        spec["resourceClaims"] = [{"name": "gpu", "resourceClaimName": claimed}]
    if on:
        spec["nodeName"] = on
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta(name, "default"), "spec": spec}


def held(node_name, number):
    """A claim that holds a device, and its pod."""
    name = f"held-{node_name}-{number}"
    made = claim(name, 1)
    result = {"request": "gpu", "driver": DRIVER, "pool": node_name, "device": f"gpu-{number}"}
    made["status"] = {"allocation": {"devices": {"results": [result]}},
                      "reservedFor": [{"resource": "pods", "name": f"pod-{name}", "uid": f"uid-pod-{name}"}]}
    return made, pod(f"pod-{name}", name, node_name)


def cluster(nodes):
    gpus = {"apiVersion": V1, "kind": "DeviceClass", "metadata": meta("gpu"),
            "spec": {"selectors": [{"cel": {"expression": f"device.driver == '{DRIVER}'"}}]}}
    items = [gpus, claim("one", 1), claim("eight", GPUS)]
    for i in range(nodes):
        name = f"node-{i:05}.example.com"
        items += [node(name, f"zone-{i % 3}"), slice_of(name, i)]
        for number in range(GPUS if i % 2 == 0 else 0):
            items += held(name, number)
    return items


def write(directory, name, value):
    with open(os.path.join(directory, name), "w", encoding="utf-8") as f:
        json.dump(value, f)


def main():
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__.splitlines()[0])
    directory, nodes = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5000
    os.makedirs(directory, exist_ok=True)
    pods = [pod("no-claim", None), pod("one-device", "one"), pod("eight-devices-alike", "eight")]
    write(directory, "cluster.json", {"apiVersion": "v1", "kind": "List", "items": cluster(nodes)})
    write(directory, "pods.json", {"apiVersion": "v1", "kind": "List", "items": pods})
    write(directory, "config.json", {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"})


if __name__ == "__main__":
    main()
