#!/usr/bin/env python3
"""Prints the processor time and memory of `winnow simulate`: pods of Deployments placed from empty, thirty for each node.

The nodes have 32 cores and 128 GiB and are in three zones. The pods of ten Deployments ask for a tenth to half a core, and
half of them spread over zones. Processor time is that of one core: a simulation has one thread that places.
Usage: tests/bench/simulate.py BUILD_DIR [NODES…]     (1000 5000 15000)
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

TODAY = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"


def node(i):
    name = f"node-{i:05}"
    labels = {"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": f"zone-{i % 3}"}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels},
            "status": {"allocatable": {"cpu": "32", "memory": "128Gi", "pods": "110"},
                       "conditions": [{"type": "Ready", "status": "True"}]}}


def deployment(i, replicas):
    labels = {"app": f"app-{i}"}
    spec = {"containers": [{"name": "c", "image": f"registry.example/app-{i}",
                            "resources": {"requests": {"cpu": f"{100 + 40 * i}m", "memory": f"{256 + 64 * i}Mi"}}}]}
    if i % 2:
        spec["topologySpreadConstraints"] = [{"maxSkew": 5, "topologyKey": "topology.kubernetes.io/zone",
                                              "whenUnsatisfiable": "ScheduleAnyway",
                                              "labelSelector": {"matchLabels": labels}}]
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": f"app-{i}", "namespace": "load"},
            "spec": {"replicas": replicas, "selector": {"matchLabels": labels},
                     "template": {"metadata": {"labels": labels}, "spec": spec}}}


def measured(command):
    """@return the processor time in seconds, and the most memory in MB, of the command."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"simulate.py: exit code {os.waitstatus_to_exitcode(status)}: {' '.join(command)}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip().splitlines()[-1])
    winnow = pathlib.Path(sys.argv[1]) / "winnow"
    print(f"{'nodes':>7} {'pods':>8} {'rules':>8} {'s':>7} {'ms a pod':>9} {'MB':>6}")
    for nodes in [int(word) for word in sys.argv[2:]] or [1000, 5000, 15000]:
        with tempfile.TemporaryDirectory() as folder:
            cluster, pods, today = (os.path.join(folder, name) for name in ("cluster.json", "pods.json", "today.yaml"))
            pathlib.Path(cluster).write_text(json.dumps({"kind": "List", "items": [node(i) for i in range(nodes)]}))
            pathlib.Path(pods).write_text(
                json.dumps({"kind": "List", "items": [deployment(i, nodes * 3) for i in range(10)]}))
            pathlib.Path(today).write_text(TODAY)
            for rules, config in (("v1.16", ["--config", "classic"]), ("v1.37", ["--config", today])):
                seconds, megabytes = measured([str(winnow), "simulate", "--cluster", cluster, "--pods", pods, *config])
                print(f"{nodes:>7,} {nodes * 30:>8,} {rules:>8} {seconds:>7.1f} {seconds / nodes / 30 * 1000:>9.2f} "
                      f"{megabytes:>6.0f}", flush=True)


if __name__ == "__main__":
    main()
