#!/usr/bin/env python3
"""The comparison through HTTP: what kube-scheduler would be told, held against upstream's answers.

    over_http.py [--pods N] [--jobs N] WINNOW DIR…     each DIR with what run.sh
                                                   puts there

Starts `winnow serve` for each DIR, sends every pod (or the first N) to /filter and /prioritize as kube-scheduler does, with node
names and with full nodes, and checks:
- the nodes that remain are upstream's feasible ones, in the form asked;
- each other node is failed, in the map of its kind, with the reasons of its first failing predicate (of all of them under
  alwaysCheckAllPredicates) joined by ", "; where a plugin refuses before the nodes, all nodes with that plugin's, whatever else
  they fail;
- Error is upstream's error, where filtering makes one, or where no profile is for the pod;
- after prioritize over the feasible nodes, those with the highest answer are upstream's best by total, and have 10.
Pods and nodes are sent as an API server hands them out (stored.py). What has amounts that cannot be written is left out.
Exit code 1 if anything differs or nothing was asked.
"""
import argparse
import functools
import http.client
import itertools
import json
import multiprocessing
import os
import re
import subprocess
import sys

from answers import answers
from differences import plain
from expected import option
from on_the_wire import reading
from stored import is_sendable, stored_objects
from winnow import cluster_flags

SHOWN = 2  # Of each cluster.


class Server:
    """`winnow serve` of one directory, on a port of its choice."""

    def __init__(self, winnow, directory):
        self.process = subprocess.Popen([winnow, "serve", "--port", "0", *cluster_flags(directory)], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True)
        log = []
        for line in self.process.stderr:
            log.append(line)
            if found := re.search(r"msg=serving .*?port=(\d+)", line):
                self.connection = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=30)
                return
        raise RuntimeError("winnow serve: " + "".join(log)[-300:])

    def post(self, verb, value):
        self.connection.request("POST", "/" + verb, json.dumps(value), {"Content-Type": "application/json"})
        response = self.connection.getresponse()
        body = response.read()
        if response.status != 200:
            raise RuntimeError(f"{verb}: {response.status} {body[:200]}")
        return json.loads(body)

    def stop(self):
        self.process.terminate()
        self.process.stderr.close()
        self.process.wait()


def plain_error(error):
    """The error of a plugin, with the kind of what CEL says in place of its words."""
    before, found, said = error.partition(" filter plugin: ")
    return before + found + plain(said) if found else error


def arguments(pod, nodes, full):
    """ExtenderArgs in one of the two forms; `nodes` are objects."""
    return {"Pod": pod, "Nodes": {"metadata": {}, "items": nodes} if full else None,
            "NodeNames": None if full else [node["metadata"]["name"] for node in nodes]}


def check_filter(server, pod, nodes, full, expected):
    """Yields (what, winnow's, upstream's) of each difference."""
    answer = server.post("filter", arguments(pod, nodes, full))
    if plain_error(answer.get("Error") or "") not in [plain_error(error) for error in expected.errors or [""]]:
        yield "Error", answer.get("Error"), expected.errors
    if expected.errors:
        return
    if full:
        left = [item["metadata"]["name"] for item in answer["Nodes"]["items"] or []]
    else:
        left = answer["NodeNames"]
    if (answer.get("NodeNames") if full else answer.get("Nodes")) is not None:
        yield "form", sorted(answer), "the form asked"
    for what, winnow, upstream in [
            ("feasible", sorted(left), sorted(expected.feasible)),
            ("FailedNodes", answer.get("FailedNodes") or {}, expected.failed),
            ("FailedAndUnresolvableNodes", answer.get("FailedAndUnresolvableNodes") or {}, expected.unresolvable)]:
        if winnow != upstream:
            yield what, winnow, upstream


def check_prioritize(server, pod, nodes, full, expected):
    feasible = [node for node in nodes if node["metadata"]["name"] in expected.feasible]
    answer = server.post("prioritize", arguments(pod, feasible, full))
    scores = {entry["Host"]: entry["Score"] for entry in answer}
    if sorted(scores) != sorted(expected.feasible):
        yield "hosts", sorted(scores), sorted(expected.feasible)
    best = sorted(name for name in scores if scores[name] == max(scores.values()))
    if best != expected.best or scores[best[0]] != 10:
        yield "best", [best, scores], expected.best


def check_pod(server, pod, nodes, upstream, expected_of):
    """Both verbs in both forms; what upstream leaves open is not asked."""
    entries = [entry for node in upstream["nodes"] or [] for entry in node["filters"]]
    if upstream.get("panic") or any(entry.get("ambiguous") for entry in entries):
        return
    expected = expected_of(pod, upstream)
    score_open = any(entry.get("ambiguous") for node in upstream["nodes"] or [] for entry in node.get("scores") or [])
    for full in (False, True):
        if not is_sendable([pod, nodes if full else []]):
            continue
        checks = [check_filter]
        if expected.best and not expected.errors and not score_open:
            checks.append(check_prioritize)
        for check in checks:
            for what, ours, theirs in check(server, pod, nodes, full, expected):
                yield f"{what}, asked with {'nodes' if full else 'names'}", ours, theirs


def check_directory(winnow, most, directory):
    """Returns how many pods were asked about, and what differs."""
    nodes, pods = stored_objects(directory)
    expected_of = reading(directory)
    count, found = 0, []
    server = Server(winnow, directory)
    try:
        for pod, upstream in itertools.islice(zip(pods, answers(directory, "upstream.json")), most):
            count += 1
            found += [(upstream["pod"], *difference) for difference in check_pod(server, pod, nodes, upstream, expected_of)]
    finally:
        server.stop()
    return count, found


def outcome(winnow, most, directory):
    """As check_directory; a call that fails is a difference too."""
    try:
        return directory, *check_directory(winnow, most, directory)
    except (RuntimeError, OSError, ValueError, KeyError, http.client.HTTPException) as error:
        return directory, 0, [("", "call", repr(error)[:300], None)]


def main():
    parser = argparse.ArgumentParser(prog="over_http.py")
    parser.add_argument("--pods", type=int)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("winnow")
    parser.add_argument("directories", nargs="+", metavar="DIR")
    arguments = parser.parse_args()
    total = different = 0
    with multiprocessing.Pool(arguments.jobs) as pool:
        check = functools.partial(outcome, arguments.winnow, arguments.pods)
        for directory, count, found in pool.imap(check, arguments.directories):
            seed = os.path.basename(directory.rstrip("/")).lstrip("0")
            repeat = f"tests/oracle/run.sh {seed}-{seed}{option(directory)}"
            total += count
            different += len(found)
            for pod, what, ours, theirs in found[:SHOWN]:
                print(json.dumps({"seed": seed, "pod": pod, "what": what, "winnow": ours, "upstream": theirs,
                                  "repeat": repeat}, ensure_ascii=False))
    print(json.dumps({"http": {"clusters": len(arguments.directories), "pods": total, "different": different}}))
    sys.exit(1 if different or not total else 0)


if __name__ == "__main__":
    main()
