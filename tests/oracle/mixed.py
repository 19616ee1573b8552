#!/usr/bin/env python3
"""Upstream's answers about profiles with plugins of two generations. Each is asked about its own part of the profile.

    mixed.py parts DIR…   completes DIR/today and DIR/removed, with a fits.json of no nodes: scores come later
    mixed.py fits DIR…    writes fits.json there: the nodes that fit each pod by both upstream.json
    mixed.py join DIR…    writes DIR/upstream.json of both, in the order of the profile, as compare.py reads it

What follows from both is worked out here: which nodes fit, the totals, and the node with the highest. An error of one part
is the answer's where the other part leaves all nodes. Where it does not, or where both have one, the pod is left open:
verdicts are compared, and nothing else.
"""
import json
import os
import sys

from answers import answers, read_json

PARTS = ["today", "removed"]


def write_fits(directory, names):
    for part in PARTS:
        with open(os.path.join(directory, part, "fits.json"), "w", encoding="utf-8") as f:
            json.dump(names, f)


def parts(directory):
    for part in PARTS:
        for name in "cluster.json", "pods.json":
            path = os.path.join(directory, part, name)
            if not os.path.lexists(path):
                os.symlink(os.path.join("..", name), path)
    write_fits(directory, [])


def both(directory):
    """Pairs of answers about the same pod."""
    sides = [list(answers(os.path.join(directory, part), "upstream.json")) for part in PARTS]
    if [one["pod"] for one in sides[0]] != [one["pod"] for one in sides[1]]:
        sys.exit(f"mixed: {directory}: the parts were not asked about the same pods")
    return zip(*sides)


def nodes_of(pair):
    """Pairs of answers about the same node."""
    return list(zip(*(side["nodes"] or [] for side in pair)))


def fits(directory):
    write_fits(directory, [[nodes[0]["name"] for nodes in nodes_of(pair) if all(node["fits"] for node in nodes)]
                           for pair in both(directory)])


def enabled(directory, point):
    """The plugins of the only profile, in order."""
    plugins = read_json(directory, "config.json")["profiles"][0]["plugins"]
    return [plugin["name"] for plugin in plugins.get(point, {}).get("enabled", [])]


def orders(directory):
    """The places of filters and scores in an answer. What only has a PreFilter stands behind the filters."""
    filters, scores = enabled(directory, "filter") + enabled(directory, "preFilter"), enabled(directory, "score")
    return {"filters": {name: filters.index(name) for name in filters}, "scores": {name: scores.index(name) for name in scores}}


def joined_node(nodes, places):
    """One node's answer, without its total."""
    out = {"name": nodes[0]["name"], "fits": all(node["fits"] for node in nodes)}
    for what, place in places.items():
        entries = [entry for node in nodes for entry in node.get(what) or []]
        out[what] = sorted(entries, key=lambda entry: place[entry["rule"]])
    out.update({"devices": node["devices"] for node in nodes if "devices" in node})
    return out


def add_totals(answer):
    """The totals of the nodes that fit, and the first of the best."""
    best = None
    for node in answer["nodes"]:
        if node["fits"]:
            node["total"] = sum(entry["score"] * entry["weight"] for entry in node["scores"])
            best = node if best is None or node["total"] > best["total"] else best
    answer["selected"] = best and best["name"]


def refuses(side):
    """Whether a part refuses nodes, so that an error of the other part may not be reached."""
    return not all(node["fits"] for node in side["nodes"] or [])


def is_scored(pair):
    """Whether both parts have scored what fits. Of a single node an error says nothing: upstream does not score it."""
    return all(any("total" in node for node in side["nodes"] or []) for side in pair)


def leave_open(answer):
    first = next((entry for node in answer["nodes"] for entry in node["filters"]), None)
    if first:
        first["ambiguous"] = True  # Whatever follows from it is open.
    else:
        answer["panic"] = "both parts fail, and no filter says which does first"


def add_error(answer, pair):
    """The error of one part, or an answer that is left open."""
    failing = [side for side in pair if side.get("error")]
    others = [side for side in pair if not side.get("error")]
    if len(failing) == 1 and not refuses(others[0]):
        answer.update(error=failing[0]["error"], feasible=0, selected=None)
    else:
        leave_open(answer)


def add_scores(answer, pair):
    if is_scored(pair):
        return add_totals(answer)
    answer["selected"] = next((node["name"] for node in answer["nodes"] if node["fits"]), None)
    for node in answer["nodes"]:
        node["scores"] = []


def join_pair(pair, places):
    panics = [side["panic"] for side in pair if side.get("panic")]
    if panics:
        return {"pod": pair[0]["pod"], "panic": panics[0], "feasible": 0, "selected": None, "nodes": []}
    answer = {"pod": pair[0]["pod"], "nodes": [joined_node(nodes, places) for nodes in nodes_of(pair)]}
    answer["feasible"] = sum(node["fits"] for node in answer["nodes"])
    answer["ambiguous"] = any(side.get("ambiguous") for side in pair)
    add_scores(answer, pair)
    if any(side.get("error") for side in pair):
        add_error(answer, pair)
    return answer


def join(directory):
    places = orders(directory)
    with open(os.path.join(directory, "upstream.json"), "w", encoding="utf-8") as f:
        for pair in both(directory):
            f.write(json.dumps(join_pair(pair, places)) + "\n")


def main():
    verbs = {"parts": parts, "fits": fits, "join": join}
    if len(sys.argv) < 3 or sys.argv[1] not in verbs:
        sys.exit(__doc__)
    for directory in sys.argv[2:]:
        verbs[sys.argv[1]](directory)


if __name__ == "__main__":
    main()
