"""Holds one pod's answer of Winnow against upstream's.

Compared are error (there or not, and its text in a class of its own), feasible, selected; for every node and rule the
verdict, resolvable, reasons (those of scalar resources sorted), raw, score, weight; the totals, and answer against them.

Where upstream's answer hangs on the order of a Go map its entry says so ("ambiguous"). Such entries are left out, and
what follows from them: an ambiguous verdict leaves the pod's fits, feasible, error, selected, scores, totals and answers open,
an ambiguous score the totals, answers and selected.
"""
from expected import PLAIN_RESOURCES


class Differences:
    """The differences of one pod, as dicts; and what was compared, by kind."""

    def __init__(self, winnow, upstream):
        self.w, self.u = winnow, upstream
        self.found, self.compared = [], {"verdicts": 0, "scores": 0, "ambiguous": 0}
        filters = [e for node in upstream["nodes"] or [] for e in node["filters"]]
        scores = [e for node in upstream["nodes"] or [] for e in node.get("scores") or []]
        self.open_fit = any(e.get("ambiguous") for e in filters)
        self.open_total = self.open_fit or any(e.get("ambiguous") for e in scores)
        self._compare()

    def _report(self, what, winnow, upstream, node="", rule=""):
        self.found.append({"pod": self.u["pod"], "node": node, "rule": rule, "what": what, "winnow": winnow,
                           "upstream": upstream})

    def _compare(self):
        if self.w["pod"] != self.u["pod"]:
            return self._report("pod", self.w["pod"], self.u["pod"])
        if not self.open_fit:
            self._compare_error()
            self._compare_fields(self.w, self.u, ["feasible"])
        if not self.open_total:
            self._compare_fields(self.w, self.u, ["selected"])
        w_names, u_names = ([node["name"] for node in side["nodes"] or []] for side in (self.w, self.u))
        if w_names != u_names:
            return self._report("nodes", w_names, u_names)
        for w, u in zip(self.w["nodes"], self.u["nodes"] or []):
            self._compare_node(w, u)
        if not self.open_total:
            self._compare_answers()

    def _compare_fields(self, w, u, fields, node="", rule=""):
        for field in fields:
            if w.get(field) != u.get(field):
                self._report(field, w.get(field), u.get(field), node, rule)

    def _compare_error(self):
        w, u = self.w.get("error"), self.u.get("error")
        if w != u:
            self._report("error" if bool(w) != bool(u) else "error text", w, u)

    def _compare_node(self, w, u):
        name = u["name"]
        if not self.open_fit:
            self._compare_fields(w, u, ["fits"], name)
        pairs = self._pairs("filters", w, u)
        for a, b in pairs:
            self.compared["verdicts"] += 1
            self._compare_fields(a, b, ["fits", "resolvable", "error"], name, b["rule"])
            if sorted_reasons(a) != sorted_reasons(b):
                self._report("reasons", sorted_reasons(a), sorted_reasons(b), name, b["rule"])
            elif (a.get("reasons") or []) != sorted_reasons(a):
                self._report("order of reasons", a["reasons"], sorted_reasons(a), name, b["rule"])
        if not self.open_fit:
            self._compare_scores(w, u)

    def _compare_scores(self, w, u):
        for a, b in self._pairs("scores", w, u):
            self.compared["scores"] += 1
            # A priority without a map has no raw score.
            self._compare_fields(a, b, ["raw", "score", "weight"], u["name"], b["rule"])
        if self.open_total or not u.get("scores") and w.get("total") == 0 and "total" not in u:
            return  # Scoring failed, or there are no priorities; which form a total then has is of no matter.
        self._compare_fields(w, u, ["total"], u["name"])

    def _pairs(self, what, w, u):
        """Both sides' entries rule by rule, without the ambiguous ones."""
        ws, us = w.get(what) or [], u.get(what) or []
        w_rules, u_rules = [e["rule"] for e in ws], [e["rule"] for e in us]
        if w_rules != u_rules:
            self._report(f"{what[:-1]} rules", w_rules, u_rules, u["name"])
            return []
        sure = [(a, b) for a, b in zip(ws, us) if not b.get("ambiguous")]
        self.compared["ambiguous"] += len(us) - len(sure)
        return sure

    def _compare_answers(self):
        """--score-scale=best over upstream's totals."""
        totals = {node["name"]: node["total"] for node in self.u["nodes"] or [] if "total" in node}
        low, high = min(totals.values(), default=0), max(totals.values(), default=0)
        for node in self.w["nodes"]:
            if node["name"] not in totals or "answer" not in node:
                continue
            expected = 10 if low == high else 10 * (totals[node["name"]] - low) // (high - low)
            if node["answer"] != expected:
                self._report("answer", node["answer"], expected, node["name"])


def sorted_reasons(entry):
    """The reasons with those of scalar resources, whose order is a Go map's, sorted behind the plain resources."""
    names = entry.get("reasons") or []
    scalars = sorted(r for r in names if r.startswith("Insufficient ") and r not in PLAIN_RESOURCES)
    fixed = [r for r in names if r not in scalars]
    at = sum(1 for r in fixed if r in PLAIN_RESOURCES)
    return fixed[:at] + scalars + fixed[at:]
