#!/usr/bin/env python3
"""Holds Winnow's answers against upstream's.

    compare.py [--coverage FILE] [--keep DIR] [--jobs N] DIR…

Each DIR has policy.json or config.json, upstream.json and winnow.json (the last two also gzip'ed). Prints each difference as
one JSON object a line, with the command that repeats it, and counts at the end. --coverage adds what was exercised to FILE's
counts; --keep copies the directories that differ. Exit code 1 if anything differs or nothing was compared.
"""
import argparse
import collections
import json
import multiprocessing
import itertools
import os
import re
import shutil
import sys

import expected
import expected_devices
from answers import answers, read_text
from coverage import Coverage, count_forms, count_node
from differences import Differences

SHOWN = 3  # Of each kind of difference.


class Result:
    """One directory's comparison."""

    def __init__(self, directory):
        self.directory = directory
        self.coverage, self.counts, self.found = Coverage(), collections.Counter(), []

    def report(self, what, winnow=None, upstream=None, pod=""):
        self.found.append({"pod": pod, "node": "", "rule": "", "what": what, "winnow": winnow, "upstream": upstream})


def error_class(text):
    """An error's text without the names and scores in it."""
    text = re.sub(r'"[^"]*"', '"…"', re.sub(r"\S*/\S*", "…", text))
    text = re.sub(r"request [^\s,:]+", "request …", re.sub(r"for (slice|device) [^\s:]+", r"for \1 …", text))
    return re.sub(r"score -?\d+", "score …", text)[:100]


def compare_pod(result, winnow, upstream, rules, kinds):
    if upstream.get("panic"):
        result.counts["panics of upstream"] += 1
        return
    result.counts["pods with something ambiguous"] += bool(upstream.get("ambiguous"))
    for node in upstream["nodes"] or []:
        count_node(result.coverage, node, rules, kinds)
    differences = Differences(winnow, upstream)
    result.found += differences.found
    result.counts.update(differences.compared)
    result.counts["pods"] += 1
    if upstream.get("error"):
        result.coverage.add("error", getattr(rules, "error_class", error_class)(upstream["error"]))
        result.counts["errors"] += 1


def compare_directory(directory):
    """Reads both sides pod by pod: those of a large cluster do not fit into memory."""
    result = Result(directory)
    rules = expected.generation(directory)
    kinds = rules.kinds(directory)
    result.counts["clusters"] += 1
    w_count = u_count = 0
    try:
        for w, u in itertools.zip_longest(answers(directory, "winnow.json"), answers(directory, "upstream.json")):
            w_count, u_count = w_count + (w is not None), u_count + (u is not None)
            if w is not None and u is not None:
                compare_pod(result, w, u, rules, kinds)
    except (ValueError, KeyError) as error:  # A process that died leaves half a line.
        result.report("answer that cannot be read", repr(error)[:200])
    if w_count != u_count or not u_count:
        result.report("number of pods", f"{w_count} {read_text(directory, 'winnow.log')[-300:]}", u_count)
    if rules is expected_devices:
        count_forms(result.coverage, rules, directory)
    result.coverage.close_cluster()
    return result


class Report:
    """Prints differences as they come, a few of each kind, and keeps count."""

    def __init__(self, keep):
        self.keep, self.counts, self.kinds, self.coverage = keep, collections.Counter(), collections.Counter(), Coverage()

    def add(self, result):
        self.counts.update(result.counts)
        self.coverage += result.coverage
        seed = os.path.basename(result.directory.rstrip("/"))
        for found in result.found:
            kind = f"{found['rule'] or '-'}: {found['what']}"
            self.kinds[kind] += 1
            if self.kinds[kind] <= SHOWN:
                repeat = f"tests/oracle/run.sh {seed.lstrip('0')}-{seed.lstrip('0')}{expected.option(result.directory)}"
                print(json.dumps({"seed": seed, **found, "repeat": repeat}, ensure_ascii=False), flush=True)
        if result.found and self.keep:
            shutil.copytree(result.directory, os.path.join(self.keep, seed), dirs_exist_ok=True)


def compare(directories, keep=None, jobs=1):
    """Compares all of them, and prints the counts."""
    report = Report(keep)
    if jobs == 1:
        for directory in directories:
            report.add(compare_directory(directory))
    else:
        with multiprocessing.Pool(jobs) as pool:
            for result in pool.imap(compare_directory, directories, chunksize=4):
                report.add(result)
    print(json.dumps({"counts": report.counts, "different": report.kinds}), flush=True)
    return report


def main():
    parser = argparse.ArgumentParser(prog="compare.py")
    parser.add_argument("--coverage", metavar="FILE")
    parser.add_argument("--keep", metavar="DIR")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("directories", nargs="+", metavar="DIR")
    arguments = parser.parse_args()
    report = compare(arguments.directories, arguments.keep, arguments.jobs)
    if arguments.coverage:
        if os.path.exists(arguments.coverage):
            report.coverage += Coverage.read(arguments.coverage)
        report.coverage.write(arguments.coverage)
    if not report.counts["verdicts"]:
        sys.exit("compare: nothing was compared")
    sys.exit(1 if report.kinds else 0)


if __name__ == "__main__":
    main()
