#!/usr/bin/env python3
"""Compares what Winnow makes of objects that no API server has seen with what upstream's own code makes of them.

    defaults.py [--most N] WINNOW_DEFAULTS OBJECTS UPSTREAM

OBJECTS has an object a line (generate/unseen.py), UPSTREAM a line for each (`today -defaults`), WINNOW_DEFAULTS is
build/release/tests/winnow_defaults. Checked are:
- the object: all fields that Winnow holds are as the API server would store them;
- that its defaults leave an object as it is that has them;
- the fields of a pod that are refused: the same paths, but for those of NOT_CHECKED.
Exit code 1 if anything differs, or nothing was compared.
"""
import argparse
import collections
import gzip
import json
import re
import subprocess
import sys
import tempfile

# What upstream refuses and Winnow does not look at: no rule reads it, or not in a way in which this matters.
NOT_CHECKED = re.compile("|".join([
    r"spec\.ephemeralContainers\[\d+\]\..*",         # They are forbidden in a new pod.
    r"spec\.(init)?[cC]ontainers\[\d+\]\.volumeMounts\[.*",
    r"spec\.volumes\[\d+\]\.(?!name$|persistentVolumeClaim\.claimName$).*",  # Sources.
]))


def lines(path):
    opened = gzip.open(path, "rt", encoding="utf-8") if path.endswith(".gz") else open(path, encoding="utf-8")
    with opened as file:
        return file.read().splitlines()


def ask(program, objects, upstream):
    """Winnow's line for each object."""
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as ours, \
         tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as theirs:
        for file, content in (ours, objects), (theirs, upstream):
            file.writelines(line + "\n" for line in content)
            file.flush()
        done = subprocess.run([program, ours.name, theirs.name], stdout=subprocess.PIPE, check=True)
    return done.stdout.decode().splitlines()


def paths(refused):
    return {one["path"] for one in refused if not NOT_CHECKED.fullmatch(one["path"])}


def differences(written, upstream, winnow):
    """Yields what differs about one object."""
    if not winnow["same"]:
        yield "defaults", f"upstream: {json.dumps(upstream['object'])}"
    if not winnow["settled"]:
        yield "defaults set twice", f"upstream: {json.dumps(upstream['object'])}"
    ours, theirs = paths(winnow["refused"]), paths(upstream["refused"])
    for path in sorted(ours ^ theirs):
        texts = [one["text"] for one in upstream["refused"] + winnow["refused"] if one["path"] == path]
        yield f"refused by {'upstream' if path in theirs else 'Winnow'} alone", texts[0]


def main():
    parser = argparse.ArgumentParser(prog="defaults.py")
    parser.add_argument("--most", type=int, default=10, help="differences to print")
    parser.add_argument("program")
    parser.add_argument("objects")
    parser.add_argument("upstream")
    arguments = parser.parse_args()
    objects, upstream = lines(arguments.objects), lines(arguments.upstream)
    winnow = ask(arguments.program, objects, upstream)
    if not objects or not len(objects) == len(upstream) == len(winnow):
        sys.exit(f"defaults: {len(objects)} objects, {len(upstream)} lines of upstream, {len(winnow)} of Winnow")
    found, counts = [], collections.Counter()
    for written, theirs, ours in zip(objects, map(json.loads, upstream), map(json.loads, winnow)):
        counts[theirs["object"]["kind"]] += 1
        counts["refused fields"] += len(paths(theirs["refused"]))
        found += [(what, detail, written) for what, detail in differences(written, theirs, ours)]
    for what, detail, written in found[:arguments.most]:
        print(f"{what}: {detail}\n  of {written}")
    print(f"{json.dumps(counts)}, {len(found)} differences")
    sys.exit(1 if found or not counts["Pod"] or not counts["refused fields"] else 0)


if __name__ == "__main__":
    main()
