#!/usr/bin/env python3
"""Makes the stored corpus: clusters with upstream's answers, chosen so that every rule, reason and score occurs.

    corpus.py make PROGRAM SEEDS… [--today|--removed|--devices] [--to DIR] [--most N] [--bytes N] [--without RULE,…]

PROGRAM is the oracle's (tests/oracle/run.sh builds it: build/oracle/classic, or removed for this option, or today for the
others), SEEDS are FIRST-LAST, DIR is corpus/ beside this file, or corpus_today/, corpus_removed/ or corpus_devices/. Of these
clusters those are kept that show most that no other has shown, for their size, until all is shown or there is no room. DIR is
replaced; the same seeds and programs give the same files.
"""
import argparse
import collections
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile

import expected
import expected_devices
from answers import answers, path_of
from compare import error_class
from coverage import Coverage, count_node, scores_of

HERE = os.path.dirname(os.path.abspath(__file__))
PACKED, PLAIN = ["cluster.json", "pods.json", "upstream.json"], ["policy.json", "gates.json", "config.json", "about.json"]
# Clusters that show a thing.
WANTED = {"verdict": 5, "reason": 5, "score": 3, "error": 1, "balanced": 3, "form": 3, "node error": 2, "taken": 3}


def shows(directory):
    """What a cluster shows, as a set of keys; their first word is in WANTED."""
    rules, coverage = expected.generation(directory), Coverage()
    kinds = rules.kinds(directory)
    for answer in answers(directory, "upstream.json"):
        if answer.get("panic") or answer.get("ambiguous") and rules is not expected_devices:  # Any node's error may be the pod's.
            continue
        for node in answer["nodes"] or []:
            count_node(coverage, node, rules, kinds)
        if answer.get("error"):
            coverage.add("error", getattr(rules, "error_class", error_class)(answer["error"]))
    coverage.close_cluster()
    keys = {key for key in coverage.counts if key.split("\t")[0] in {*WANTED} - {"score", "form"}}
    keys |= {f"score\t{rule}\t{score}" for rule in coverage.names("score") for score in scores_of(coverage, rule, rules.MOST)}
    return keys | {f"form\t{form}" for form in rules.forms(directory)}


def packed(directory):
    """{name: bytes} of the files as they are stored; equal input gives equal bytes."""
    out = {}
    for name in PACKED + PLAIN:
        if not path_of(directory, name):
            continue
        with open(os.path.join(directory, name), "rb") as f:
            content = f.read()
        if name in PACKED:
            out[name + ".gz"] = gzip.compress(content, 9, mtime=0)
        elif content != b"{}":  # No gates.
            out[name] = content
    return out


def choose(shown, sizes, most, room):
    """Greedily: the directories that show most of what is still wanted, for their size. `shown` is {directory: keys}."""
    full = {key: WANTED[key.split("\t")[0]] for keys in shown.values() for key in keys}
    wanted = collections.Counter(full)
    chosen = []

    def gain(key):
        return 4 if wanted[key] == full[key] else wanted[key] > 0
    while len(chosen) < most:
        worth = {d: sum(map(gain, keys)) / sizes[d]**.5 for d, keys in shown.items() if d not in chosen and sizes[d] <= room}
        best = max(worth, key=worth.get, default=None)
        if best is None or not worth[best]:
            break
        chosen.append(best)
        room -= sizes[best]
        wanted.subtract(shown[best])
    return chosen, sorted(key for key, n in wanted.items() if n == full[key])


def store(chosen, files, target):
    shutil.rmtree(target, ignore_errors=True)
    for directory in chosen:
        where = os.path.join(target, os.path.basename(directory))
        os.makedirs(where)
        for name, content in files[directory].items():
            with open(os.path.join(where, name), "wb") as f:
                f.write(content)


def make_clusters(program, seeds, options, where):
    """Generates the seeds' clusters and asks upstream; returns their directories."""
    for span in seeds:
        first, last = map(int, span.split("-"))
        subprocess.run([sys.executable, "-m", "generate", where, str(first), str(last - first + 1), *options],
                       cwd=HERE, check=True)
    directories = sorted(os.path.join(where, name) for name in os.listdir(where))
    for at in range(0, len(directories), 100):
        subprocess.run([program, *directories[at:at + 100]], check=True)
    return directories


def main():
    parser = argparse.ArgumentParser(prog="corpus.py")
    parser.add_argument("verb", choices=["make"])
    parser.add_argument("program")
    parser.add_argument("seeds", nargs="+")
    parser.add_argument("--today", dest="generation", action="store_const", const="today")
    parser.add_argument("--removed", dest="generation", action="store_const", const="removed")
    parser.add_argument("--devices", dest="generation", action="store_const", const="devices")
    parser.add_argument("--to")
    parser.add_argument("--most", type=int, default=60)
    parser.add_argument("--bytes", type=int, default=1_400_000)
    parser.add_argument("--without", default="")
    arguments = parser.parse_args()
    generation = arguments.generation
    options = [f"--{generation}"] if generation else ["--without", arguments.without]
    target = arguments.to or os.path.join(HERE, f"corpus_{generation}" if generation else "corpus")
    with tempfile.TemporaryDirectory() as where:
        directories = make_clusters(os.path.abspath(arguments.program), arguments.seeds, options, where)
        shown = {d: shows(d) for d in directories}
        files = {d: packed(d) for d in directories}
        sizes = {d: sum(map(len, files[d].values())) for d in directories}
        chosen, missing = choose(shown, sizes, arguments.most, arguments.bytes)
        store(chosen, files, target)
    print(json.dumps({"clusters": len(chosen), "bytes": sum(sizes[d] for d in chosen), "shown by none of them": missing}))


if __name__ == "__main__":
    main()
