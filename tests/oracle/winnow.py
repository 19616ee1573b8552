#!/usr/bin/env python3
"""Winnow's side of the comparison: DIR/winnow.json for each DIR, what it said besides in DIR/winnow.log.

    winnow.py WINNOW [--jobs N] DIR…

Asks about the pending pods of the cluster, then about the pods of pods.json: for today's plugins with config.json; for the
classic rules with policy.json, under ExactV116 and the gates of gates.json; winnow-gates.json (undeparted.py) has the last word.
"""
import argparse
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

from answers import path_of, read_json


def gates(directory):
    """The value of --feature-gates."""
    named = {"ExactV116": True, **read_json(directory, "gates.json", {}), **read_json(directory, "winnow-gates.json", {})}
    return ",".join(f"{name}={str(value).lower()}" for name, value in named.items())


def cluster_flags(directory):
    cluster = ["--cluster", path_of(directory, "cluster.json")]
    if config := path_of(directory, "config.json"):
        return [*cluster, "--config", config]
    return [*cluster, "--config", os.path.join(directory, "policy.json"), "--feature-gates", gates(directory)]


def explain(winnow, directory, timeout=None):
    """Writes DIR/winnow.json; what goes wrong is in DIR/winnow.log, and missed by whoever compares."""
    pods = path_of(directory, "pods.json")
    with open(os.path.join(directory, "winnow.json"), "wb") as out, open(os.path.join(directory, "winnow.log"), "wb") as log:
        for further in [], ["--pods", pods]:
            if further and not pods:
                continue
            try:
                subprocess.run([winnow, "explain", *cluster_flags(directory), *further, "--no-suggestions", "-o", "json"], stdout=out, stderr=log,
                               check=False, timeout=timeout)
            except subprocess.TimeoutExpired:
                log.write(b"no answer in time\n")


def explain_all(winnow, directories, jobs):
    with ThreadPoolExecutor(jobs) as pool:
        for _ in pool.map(lambda directory: explain(winnow, directory), directories):
            pass


def main():
    parser = argparse.ArgumentParser(prog="winnow.py")
    parser.add_argument("winnow")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("directories", nargs="+", metavar="DIR")
    arguments = parser.parse_args()
    explain_all(arguments.winnow, arguments.directories, arguments.jobs)


if __name__ == "__main__":
    main()
