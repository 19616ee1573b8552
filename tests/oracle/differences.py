"""Holds one pod's answer of Winnow against upstream's.

Compared are error (there or not, and its text in a class of its own), feasible, selected; for every node and rule the
verdict, resolvable, reasons (those of scalar resources sorted), raw, score, weight; the totals, and answer against them.
Beside an error resolvable and reasons say nothing: upstream drops them. Where several priorities err, in whatever order,
one of their errors will do; where a pod is marked as ambiguous (several nodes fail a priority, each in its own way), any text.

Where upstream's answer hangs on the order of a Go map, or in which two DeviceClasses came, its entry says so ("ambiguous"). Such entries are left out, and
what follows from them: an ambiguous verdict leaves the pod's fits, feasible, error, selected, scores, totals and answers open,
an ambiguous score the totals, answers and selected.

What a selector's CEL says at fault is its kind of error alone (cel/kinds.py). Where upstream cannot read the node selector of a
device, its error has the whole device as Go prints it, with addresses of its memory: of that only the name is compared.
Where DynamicResources lets a pod onto a node, the devices that it takes there are compared, claim by claim: requests, devices,
capacities by their amount, the node selector; not which container gets which of the extended resources' requests.

A rule that was skipped fits and scores 0; which rules are skipped is each side's own business, and such have no raw score.
A pod that no profile is for has an error and no nodes.
"""
import os
import re
import sys

from expected import PLAIN_RESOURCES
from undeparted import value

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "cel"))
from kinds import kind_of  # noqa: E402  pylint: disable=wrong-import-position

PRINTED = re.compile(r"(?<=failed to perform node selection for device )&Device\{Name:([^,]*),.*\}(?= in slice )", re.DOTALL)
CEL = re.compile(r"(.*CEL (?:compile|runtime) error): (.*)", re.DOTALL)


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
        """Verdicts, then scores, then what follows from both: a difference is reported without its consequences."""
        w_names, u_names = ([node["name"] for node in side["nodes"] or []] for side in (self.w, self.u))
        if self.w["pod"] == self.u["pod"] and not u_names and self.u.get("error"):
            return self._compare_error()
        if (self.w["pod"], w_names) != (self.u["pod"], u_names):
            return self._report("pod or nodes", [self.w["pod"], w_names], [self.u["pod"], u_names])
        nodes = list(zip(self.w["nodes"], self.u["nodes"] or []))
        for w, u in nodes:
            self._compare_verdicts(w, u)
        if self.found or self.open_fit:
            return
        self._compare_error()
        self._compare_fields(self.w, self.u, ["feasible"])
        for w, u in nodes:
            self._compare_fields(w, u, ["fits"], u["name"])
            self._compare_scores(w, u)
        if self.found or self.open_total:
            return
        self._compare_fields(self.w, self.u, ["selected"])
        self._compare_totals(nodes)

    def _compare_fields(self, w, u, fields, node="", rule=""):
        for field in fields:
            if w.get(field) != u.get(field):
                self._report(field, w.get(field), u.get(field), node, rule)

    def _compare_error(self):
        w, u = plain(self.w.get("error")), plain(self.u.get("error"))
        several = bool(w) and bool(u) and u.startswith("[") and w in u  # In the order in which goroutines end.
        any_text = self.u.get("ambiguous") and bool(w) == bool(u)  # Of the errors of several nodes upstream gives any.
        if w != u and not several and not any_text:
            self._report("error" if bool(w) != bool(u) else "error text", w, u)

    def _compare_verdicts(self, w, u):
        for a, b in self._pairs("filters", w, u):
            self.compared["verdicts"] += 1
            self._compare_verdict(a, b, u["name"])
        if u.get("devices") is not None and not self.found:
            self._compare_devices(w, u)

    def _compare_verdict(self, w, u, node):
        rule, said = u["rule"], [plain(side.get("error")) or sorted_reasons(side) or "fits" for side in (w, u)]
        if w["fits"] != u["fits"] or bool(w.get("error")) != bool(u.get("error")) or said[0] != said[1]:
            self._report("verdict", *said, node, rule)
        elif not w.get("error"):
            self._compare_fields(w, u, ["resolvable"], node, rule)
            if (w.get("reasons") or []) != sorted_reasons(w):
                self._report("order of reasons", w["reasons"], sorted_reasons(w), node, rule)

    def _compare_devices(self, w, u):
        ours, theirs = ({one["claim"]: measured(one) for one in side.get("devices") or []} for side in (w, u))
        self.compared["devices"] = self.compared.get("devices", 0) + len(theirs)
        for claim in sorted({*ours, *theirs}):
            if ours.get(claim) != theirs.get(claim):
                self._report("devices of a claim", ours.get(claim), theirs.get(claim), u["name"], "DynamicResources")

    def _compare_scores(self, w, u):
        for a, b in self._pairs("scores", w, u):
            self.compared["scores"] += 1
            # A priority without a map has no raw score.
            raw = [] if a.get("skipped") or b.get("skipped") else ["raw"]
            self._compare_fields(a, b, [*raw, "score", "weight"], u["name"], b["rule"])

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

    def _compare_totals(self, nodes):
        """The totals, and what --score-scale=best makes of upstream's."""
        totals = [u["total"] for _, u in nodes if "total" in u]
        low, high = min(totals, default=0), max(totals, default=0)
        for w, u in nodes:
            if "total" not in u and not w.get("total"):
                continue  # Scoring failed: which form its total has is of no matter.
            self._compare_fields(w, u, ["total"], u["name"])
            expected = 10 if low == high else 10 * (u.get("total", 0) - low) // (high - low)
            if "answer" in w and w["answer"] != expected:
                self._report("answer", w["answer"], expected, u["name"])


def plain(error):
    """The error with a device's name in place of Go's struct, and with the kind of what CEL says in place of its words."""
    if not error:
        return error
    error = PRINTED.sub(r"\1", error)
    found = CEL.match(error)
    if not found:
        return error
    return found[1] if "compile" in found[1] else f"{found[1]}: {kind_of(found[2])}"


def measured(claim):
    """A claim's devices, with amounts in place of their texts, and without what of it each container gets."""
    devices = [{**one, "consumedCapacity": {name: str(value(text)) for name, text in one.get("consumedCapacity", {}).items()}}
               for one in claim["devices"]]
    return {**{key: there for key, there in claim.items() if key != "mappings"}, "devices": devices}


def sorted_reasons(entry):
    """The reasons with those of scalar resources, whose order is a Go map's, sorted behind the plain resources."""
    names = entry.get("reasons") or []
    scalars = sorted(r for r in names if r.startswith("Insufficient ") and r not in PLAIN_RESOURCES)
    fixed = [r for r in names if r not in scalars]
    at = sum(1 for r in fixed if r in PLAIN_RESOURCES)
    return fixed[:at] + scalars + fixed[at:]
