#!/usr/bin/env python3
"""Holds Winnow's answers against upstream's.

    compare.py DIR…      each with cluster.json, policy.json, upstream.json and winnow.json

Prints each difference as one JSON object for each line, and counts at the end. Exit code 1 if anything differs.
What is compared: error (there or not, and its text in a class of its own), feasible, selected; for every node and rule the
verdict, resolvable, reasons (those of scalar resources sorted), raw, score, weight; total; and answer against the totals.
"""
import collections
import json
import os
import sys

counts = collections.Counter()
different = collections.Counter()
trues = collections.Counter()


def report(seed, pod, node, rule, what, winnow, upstream):
    different[f"{rule or '-'}: {what}"] += 1
    if different[f"{rule or '-'}: {what}"] <= 5:
        print(json.dumps({"seed": seed, "pod": pod, "node": node, "rule": rule, "what": what, "winnow": winnow, "upstream": upstream},
                         ensure_ascii=False))


def reasons(entry):
    plain = {"Insufficient pods", "Insufficient cpu", "Insufficient memory", "Insufficient ephemeral-storage"}
    names = entry.get("reasons", [])
    scalars = sorted(r for r in names if r.startswith("Insufficient ") and r not in plain)
    fixed = [r for r in names if not (r.startswith("Insufficient ") and r not in plain)]
    at = sum(1 for r in fixed if r in plain)
    return fixed[:at] + scalars + fixed[at:]


def compare_node(seed, pod, w, u):
    name = u["name"]
    if w["name"] != name:
        return report(seed, pod, name, "", "node order", w["name"], name)
    if w["fits"] != u["fits"]:
        report(seed, pod, name, "", "fits", w["fits"], u["fits"])
    if [f["rule"] for f in w["filters"]] != [f["rule"] for f in u["filters"]]:
        return report(seed, pod, name, "", "filter rules", [f["rule"] for f in w["filters"]], [f["rule"] for f in u["filters"]])
    for a, b in zip(w["filters"], u["filters"]):
        counts["verdicts"] += 1
        trues[(b["rule"], b["fits"])] += 1
        for r in b.get("reasons", []):
            trues[("reason", r.split("/")[0])] += 1
        for what, x, y in [("fits", a["fits"], b["fits"]), ("resolvable", a.get("resolvable"), b.get("resolvable")),
                           ("reasons", reasons(a), reasons(b)), ("error", a.get("error"), b.get("error"))]:
            if x != y:
                report(seed, pod, name, a["rule"], what, x, y)
        if a.get("reasons", []) != reasons(a):
            report(seed, pod, name, a["rule"], "order of reasons", a["reasons"], reasons(a))
    ws, us = w.get("scores", []), u.get("scores", [])
    if [s["rule"] for s in ws] != [s["rule"] for s in us]:
        return report(seed, pod, name, "", "score rules", [s["rule"] for s in ws], [s["rule"] for s in us])
    for a, b in zip(ws, us):
        counts["scores"] += 1
        trues[(b["rule"], b["score"])] += 1
        for what in ("raw", "score", "weight"):
            if a.get(what) != b[what]:
                report(seed, pod, name, a["rule"], what, a.get(what), b[what])
    if us and (sum(x["score"] * x["weight"] for x in us) - u["total"]) % 2**64:  # Go wraps.
        report(seed, pod, name, "", "sum of upstream's scores is not its total", None, u["total"])
    if not ws and w.get("total") == 0 and "total" not in u:
        counts["total 0 where scoring failed (form only)"] += 1
    elif w.get("total") != u.get("total"):
        report(seed, pod, name, "", "total", w.get("total"), u.get("total"))


def compare_pod(seed, w, u):
    pod = u["pod"]
    if "panic" in u:
        counts["panics of upstream"] += 1
        return
    counts["pods"] += 1
    if w["pod"] != pod:
        return report(seed, pod, "", "", "pod", w["pod"], pod)
    if bool(w.get("error")) != bool(u.get("error")):
        report(seed, pod, "", "", "error", w.get("error"), u.get("error"))
    elif w.get("error") != u.get("error"):
        report(seed, pod, "", "", "error text", w.get("error"), u.get("error"))
    counts["errors"] += bool(u.get("error"))
    for what in ("feasible", "selected"):
        if w[what] != u[what]:
            report(seed, pod, "", "", what, w[what], u[what])
    if len(w["nodes"]) != len(u["nodes"]):
        return report(seed, pod, "", "", "number of nodes", len(w["nodes"]), len(u["nodes"]))
    for a, b in zip(w["nodes"], u["nodes"]):
        compare_node(seed, pod, a, b)
    totals = {n["name"]: n["total"] for n in u["nodes"] if "total" in n}
    low, high = min(totals.values(), default=0), max(totals.values(), default=0)
    for n in w["nodes"]:
        if n["name"] in totals and "answer" in n:
            expected = 10 if low == high else 10 * (totals[n["name"]] - low) // (high - low)
            if n["answer"] != expected:
                report(seed, pod, n["name"], "", "answer", n["answer"], expected)


def read(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def main():
    for directory in sys.argv[1:]:
        seed = os.path.basename(directory.rstrip("/"))
        counts["clusters"] += 1
        winnow, upstream = read(os.path.join(directory, "winnow.json")), read(os.path.join(directory, "upstream.json"))
        if len(winnow) != len(upstream):
            report(seed, "", "", "", "number of pods", len(winnow), len(upstream))
            if not winnow:
                continue
        for w, u in zip(winnow, upstream):
            compare_pod(seed, w, u)
    print(json.dumps({"counts": counts, "different": different}), file=sys.stderr)
    if os.environ.get("COVERAGE"):
        for key, n in sorted(trues.items(), key=str):
            print(f"{n:9} {key}", file=sys.stderr)
    if not counts["verdicts"]:
        sys.exit("compare: nothing was compared")
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
