#!/usr/bin/env python3
"""What a comparison exercised, counted over upstream's answers, and the floors under it.

    coverage.py FILE [--today | --removed | --mixed | --devices] [--without RULE,…] [--count DIR…]

Prints the table of a run, and exits with 1 if a floor is missed. --count makes FILE of the upstream.json of directories; nothing
of Winnow's is needed.

A rule that is never exercised is a hole, not a success. The floors hold from LARGE_ENOUGH clusters on, those of devices from more:
- each filter, in some cluster, passes and fails at least a tenth of the nodes that it is asked about there;
- each score has as many different values as expected_classic.py, expected_removed.py or expected_today.py says;
- each reason text occurs at least ENOUGH times;
- of devices, what expected_devices.py says besides.
"""
import argparse
import collections
import json
import sys

import expected
import expected_classic
import expected_devices
import expected_mixed
import expected_removed
import expected_today
from answers import answers

LARGE_ENOUGH = 300
ENOUGH = 20
SHARE = .1
ASKED_ENOUGH = 20  # Of a cluster with fewer answers a tenth says nothing.


class Coverage:
    """Counts of one or many clusters; `+=` adds."""

    def __init__(self, counts=None):
        self.counts = collections.Counter(counts or {})

    def __iadd__(self, other):
        self.counts.update(other.counts)
        return self

    def add(self, *key):
        self.counts["\t".join(key)] += 1

    def get(self, *key):
        return self.counts["\t".join(key)]

    def find(self, what, name):
        """{the rest of the key: count} of the keys that begin so."""
        start = f"{what}\t{name}\t"
        return {key[len(start):]: n for key, n in self.counts.items() if key.startswith(start)}

    def names(self, what):
        return sorted({key.split("\t")[1] for key in self.counts if key.split("\t")[0] == what})

    def close_cluster(self):
        """Of one cluster's counts: notes which predicates were hit both ways."""
        for rule in self.names("verdict"):
            passed, failed = self.get("verdict", rule, "passed"), self.get("verdict", rule, "failed")
            if passed + failed >= ASKED_ENOUGH and min(passed, failed) >= SHARE * (passed + failed):
                self.add("balanced", rule)
        self.add("clusters")

    @classmethod
    def read(cls, path):
        with open(path, encoding="utf-8") as f:
            return cls(json.load(f))

    def write(self, path):
        with open(path, "w", encoding="utf-8") as f:
            json.dump(self.counts, f)


def count_node(coverage, node, rules, kinds):
    """One node of one of upstream's answers. `rules` is expected.generation(directory), `kinds` its kinds(directory)."""
    for entry in node["filters"]:
        rule = kinds[0].get(entry["rule"], entry["rule"])
        outcome = "error" if entry.get("error") else "passed" if entry["fits"] else "failed"
        coverage.add("verdict", rule, outcome)
        if entry.get("skipped"):
            coverage.add("skipped", rule)
        for reason in entry.get("reasons") or []:
            coverage.add("reason", expected.reason_class(rules, reason))
    for entry in node.get("scores") or []:
        if entry.get("skipped"):
            coverage.add("skipped score", entry["rule"])
            continue
        coverage.add("score", kinds[1].get(entry["rule"], entry["rule"]), str(entry["score"]))
    if hasattr(rules, "count"):
        rules.count(coverage, node, kinds)


def count_directory(directory):
    """What upstream's answers of a directory exercise."""
    rules, coverage = expected.generation(directory), Coverage()
    kinds = rules.kinds(directory)
    for answer in answers(directory, "upstream.json"):
        for node in answer["nodes"] or []:
            count_node(coverage, node, rules, kinds)
    if rules is expected_devices:
        count_forms(coverage, rules, directory)
    coverage.close_cluster()
    return coverage


def count_forms(coverage, rules, directory):
    """How many clusters have each form."""
    for form in rules.forms(directory):
        coverage.add("form", form)


def scores_of(coverage, rule, most):
    """{score: count}; what quantities beyond int64 make of a score is not counted."""
    found = {int(score): n for score, n in coverage.find("score", rule).items()}
    return {score: n for score, n in found.items() if 0 <= score <= most}


def shown(scores):
    """How often each score; of many only how many there are."""
    if len(scores) <= 11:
        return " ".join(f"{score}:{n}" for score, n in sorted(scores.items()))
    return f"{len(scores)} different ones, 0:{scores.get(0, 0)} 100:{scores.get(100, 0)}"


def table(coverage, rules):
    """The lines of the table."""
    yield f"{'filter':34}{'nodes asked':>12}{'passed':>9}{'skipped':>9}{'failed':>9}{'errors':>8}  clusters hit both ways"
    for rule in rules.FILTERS:
        passed, failed, errors = (coverage.get("verdict", rule, outcome) for outcome in ("passed", "failed", "error"))
        yield (f"{rule:34}{passed + failed + errors:12}{passed:9}{coverage.get('skipped', rule):9}{failed:9}{errors:8}"
               f"{coverage.get('balanced', rule):9}")
    yield f"{'score':34}{'scored':>12}{'skipped':>9}  how often each score"
    for rule in rules.SCORES:
        scores = scores_of(coverage, rule, rules.MOST)
        yield f"{rule:34}{sum(scores.values()):12}{coverage.get('skipped score', rule):9}  {shown(scores)}"
    yield "reason"
    for reason in rules.REASONS + sorted(set(coverage.names("reason")) - set(rules.REASONS)):
        yield f"{coverage.get('reason', reason):10}  {reason}"
    for what in ("error", "node error", "form", "taken"):
        if not coverage.names(what):
            continue
        yield what
        for text in coverage.names(what):
            yield f"{coverage.get(what, text):10}  {text}"


def _short_filters(coverage, rules):
    for rule in rules.FILTERS:
        if not coverage.find("verdict", rule):
            yield f"{rule} was never asked"
        elif not coverage.get("balanced", rule):
            yield f"{rule} passes and fails a tenth in no cluster"


def _short_scores(coverage, rules):
    for rule, least in rules.SCORES.items():
        scores = len(scores_of(coverage, rule, rules.MOST))
        if scores < least:
            yield f"{rule} gave {scores} different scores, expected are {least}"


def missed_floors(coverage, rules, without=()):
    """What the run should have exercised and did not. `without` names rules that are left out on purpose; with such,
    reasons may be missing altogether."""
    without = [rule for rule in without if rule]
    unknown = set(coverage.names("verdict")) - set(rules.FILTERS) | set(coverage.names("score")) - set(rules.SCORES)
    unknown -= getattr(rules, "OTHERS", set())
    missed = [f"{rule} is not expected" for rule in sorted(unknown)]
    missed += [*_short_filters(coverage, rules), *_short_scores(coverage, rules)]
    missed += [f"{coverage.get('reason', reason)} times: {reason}" for reason in rules.REASONS
               if bool(without) <= coverage.get("reason", reason) < ENOUGH]
    missed += rules.missed(coverage) if hasattr(rules, "missed") else []
    return [line for line in missed if not any(rule in line for rule in without)]


def main():
    parser = argparse.ArgumentParser(prog="coverage.py")
    parser.add_argument("file")
    parser.add_argument("--today", dest="rules", action="store_const", const=expected_today, default=expected_classic)
    parser.add_argument("--removed", dest="rules", action="store_const", const=expected_removed)
    parser.add_argument("--mixed", dest="rules", action="store_const", const=expected_mixed)
    parser.add_argument("--devices", dest="rules", action="store_const", const=expected_devices)
    parser.add_argument("--without", default="")
    parser.add_argument("--count", nargs="+", metavar="DIR")
    arguments = parser.parse_args()
    if arguments.count:
        counted = Coverage()
        for directory in arguments.count:
            counted += count_directory(directory)
        counted.write(arguments.file)
    coverage, rules = Coverage.read(arguments.file), arguments.rules
    print("\n".join(table(coverage, rules)))
    clusters = coverage.get("clusters")
    large = getattr(rules, "LARGE_ENOUGH", LARGE_ENOUGH)
    if clusters < large:
        print(f"no floors: {clusters} clusters, they hold from {large} on")
        return
    missed = missed_floors(coverage, rules, arguments.without.split(","))
    for line in missed:
        print(f"floor missed: {line}")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
