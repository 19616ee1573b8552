#!/usr/bin/env python3
"""Holds Winnow's answers to users' expressions against cel-go's, and fixed expressions against the plugins that they imitate.

    compare.py [--upstream PROGRAM] [--keep DIR] [--counts FILE] DIR…

Of an expression the verdict and the type of the checker must be equal; of each pod and node the value, or the kind of error, for most
kinds its text, and the cost (where no map is gone through: it has no order). Of a fixed expression its verdict or score must be the
plugin's on every node. --upstream is asked again where the order of a map may have decided. --keep copies the directories that differ.
--counts adds what was exercised to FILE's counts. Exit code 1 if anything differs.

    compare.py --floors FILE

prints the counts, and exits with 1 if a floor is missed.
"""
import collections
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
# `compare` is cel's, of values; this file is no module.
sys.path = [str(HERE.parent / "cel"), str(HERE.parent)] + [path for path in sys.path if pathlib.Path(path or ".").resolve() != HERE]
import seeded  # noqa: E402
from answers import answers, read_json  # noqa: E402
from compare import difference, outcome  # noqa: E402
from kinds import kind_of  # noqa: E402

SCRIPT = "tests/oracle/expressions.sh"
READS = {  # What an expression may read, as a pattern of its text.
    "pod.metadata": r"pod\.\??metadata", "pod.spec": r"pod\.\??spec", "pod.requests": r"pod\.requests", "node.metadata": r"node\.\??metadata",
    "node.spec": r"node\.\??spec", "node.status.conditions": r"node\.status\.conditions", "node.capacity": r"node\.capacity",
    "node.allocatable": r"node\.allocatable", "node.requested": r"node\.requested", "node.images": r"node\.images", "node.pods": r"node\.pods\b",
    "node.usage": r"node\.usage", "node.metrics": r"node\.metrics", "node.podsMatching": r"node\.podsMatching", "node.domain": r"node\.domain\(", "domain.podsMatching": r"node\.domain\([^)]*\)\.podsMatching",
    "domain.requested": r"node\.domain\([^)]*\)\.requested", "domain.allocatable": r"node\.domain\([^)]*\)\.allocatable",
    "cluster.nodes": r"cluster\.nodes", "cluster.pods": r"cluster\.pods\b", "cluster.domains": r"cluster\.domains", "cluster.podsMatching": r"cluster\.podsMatching",
    "params": r"\bparams\b", "now": r"\bnow\b", "has()": r"\bhas\(", "optional syntax": r"\.\?|\[\?", "cel.bind": r"cel\.bind\(", "quantity": r"\bquantity\(",
    "exists": r"\.exists\(", "all": r"\.all\(", "map": r"\.map\(", "filter": r"\.filter\(",
}
LEAST = {  # In a hundred clusters: evaluations with a value that read it; kinds of errors; verdicts and scores.
    **{f"reads {what}": 20 for what in READS}, "error no such key": 500, "error conversion": 20, "error index": 20, "compile": 20,
    "of the pod alone": 20,
    **{f"{plugin} refuses": 20 for plugin in ("NodeName", "NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodeResourcesFit")},
    **{f"{plugin} fits": 100 for plugin in ("NodeName", "NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodeResourcesFit")},
    "ImageLocality scores": 50, "NodeResourcesFit scores": 200,
}


def by_expression(directory, name):
    """{id of an expression: {(pod, node): answer}}; what does not compile is of no pod."""
    found = collections.defaultdict(dict)
    for answer in answers(directory, name):
        found[answer["id"]][answer.get("pod", ""), answer.get("node", "")] = answer
    return found


def compare_directory(upstream):
    """@param upstream: the program that has answered, "": none is asked again.
    @return: what yields (pod, what, Winnow's, upstream's) of a directory."""
    def compare_one(directory, counts):
        yield from in_order(directory, upstream, list(compare_expressions(directory, counts)), counts)
        yield from compare_plugins(directory, counts)
    return compare_one


def in_order(directory, upstream, found, counts):
    """The differences without those where upstream, asked again, does not always say the same: there the order of a map decides."""
    first, changing = by_expression(directory, UPSTREAM), set()
    for _ in range(TRIES if found and upstream else 0):
        subprocess.run([upstream, "-expressions", directory], check=True)
        again = by_expression(directory, UPSTREAM)
        changing |= {expression for expression, answers_ in first.items() if again[expression] != answers_}
    for expression, one in found:
        if expression in changing:
            counts["hang on the order of a map"] += 1
        else:
            yield one


def compare_expressions(directory, counts):
    """Yields (id of an expression, (pod, what, Winnow's, upstream's))."""
    ours, theirs = by_expression(directory, "winnow-expressions.json"), by_expression(directory, UPSTREAM)
    for case in read_json(directory, "expressions.json")["expressions"]:
        own, up = ours[case["id"]], theirs[case["id"]]
        counts["expressions"] += 1
        if "panic" in up.get(NOWHERE, {}):  # The checker itself.
            counts["crash"] += 1
        elif own.keys() != up.keys() or not up:
            here, there = (dict(sorted(side.items())[:1]) for side in (own, up))
            texts = (short(*side.values()) if side else None for side in (here, there))
            yield case["id"], ("", f"answers to {case['expr']}: {len(own)} -> {len(up)}", *texts)
        else:
            for one in compare_answers(case, own, up, counts):
                yield case["id"], one


def compare_answers(case, ours, theirs, counts):
    """Yields the first difference between answers to one expression."""
    shown = False
    for (pod, node), up in theirs.items():
        own = ours[pod, node]
        count(case, up, counts)
        if case.get("loose"):
            own, up = ({name: value for name, value in answer.items() if name != "cost"} for answer in (own, up))
        found = difference(up, own) or text_difference(up, own)
        if found and not shown:
            shown = True
            yield pod, f"{outcome(up)[0].split()[0]} on {node}: {case['expr']}: {found}", short(own), short(up)


def text_difference(upstream, winnow):
    """What differs in the text of an error, of those kinds whose text is cel-go's; none if nothing does."""
    up, own = upstream.get("error", ""), winnow.get("error", "")
    return f"{up} -> {own}" if up != own and up and kind_of(up) in SAME_TEXT else None


def short(answer):
    return {name: value for name, value in answer.items() if name not in ("id", "pod", "node")}


def count(case, answer, counts):
    counts["evaluations"] += 1
    counts[outcome(answer)[0]] += 1
    if "value" in answer:
        counts["of the pod alone"] += "pod" in case
        counts.update(f"reads {what}" for what, pattern in PATTERNS.items() if pattern.search(case["expr"]))


NOWHERE = ("", "")
UPSTREAM = "upstream-expressions.json"
TRIES = 20
SAME_TEXT = {"no such key", "conversion", "division by zero", "empty list", "index", "optional", "overflow", "semver"}
PATTERNS = {what: re.compile(pattern) for what, pattern in READS.items()}


def compare_plugins(directory, counts):
    ours, theirs = (list(answers(directory, name)) for name in ("winnow-plugins.json", "upstream-plugins.json"))
    if len(ours) != len(theirs) or not ours:
        yield "", "number of answers about plugins", len(ours), len(theirs)
    for own, up in zip(ours, theirs):
        if up.get("panic"):
            counts["upstream died"] += 1
            continue
        if own.get("error") or up.get("error"):
            yield up["pod"], "error of a cycle", own.get("error"), up.get("error")
        yield from compare_nodes(up["pod"], own, up, counts)


def compare_nodes(pod, own, up, counts):
    ours = {node["name"]: node for node in own["nodes"]}
    for node in up["nodes"] or []:
        said = {one["rule"].removeprefix("Expression/"): one for list_ in ("filters", "scores") for one in ours[node["name"]][list_]}
        for one in node.get("filters") or []:
            counts[f"{one['rule']} {'fits' if one['fits'] else 'refuses'}"] += 1
            if said[one["rule"]]["fits"] != one["fits"]:
                yield pod, f"{one['rule']} on {node['name']}", said[one["rule"]]["fits"], one
        for one in node.get("scores") or []:
            counts[f"{one['rule']} scores"] += one["score"] > 0
            if said[one["rule"]]["score"] != one["score"]:
                yield pod, f"{one['rule']}'s score on {node['name']}", said[one["rule"]]["score"], one["score"]


def main():
    parser = seeded.arguments_parser("compare.py")
    parser.add_argument("--upstream", default="", metavar="PROGRAM")
    arguments = parser.parse_args()
    if arguments.floors:
        return seeded.check_floors(arguments.floors, LEAST)
    return seeded.compare(arguments, SCRIPT, compare_directory(arguments.upstream), "evaluations")


if __name__ == "__main__":
    sys.exit(main())
