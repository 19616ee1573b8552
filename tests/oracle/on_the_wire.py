"""What upstream's answers mean on the wire: which nodes remain, which fail with which text, which are the best."""
import re

import expected_classic
from answers import read_json
from differences import sorted_reasons
from expected import generation

BASIC_ERROR = re.compile(r'^persistentvolumeclaim ".*" (not found|is being deleted)$')
EARLY_ERROR = re.compile(r"^(running PreFilter plugin |profile not found for )")  # Of plugins, before any node is looked at.


class Expected:
    """One pod's, by the classic rules."""

    def __init__(self, upstream, check_all):
        self.check_all = check_all
        self.failed, self.unresolvable, self.feasible = {}, {}, []
        self.errors = self.early_errors(upstream)  # Of several nodes' upstream gives all, in any order; one of them is right.
        for node in upstream["nodes"] or []:
            self._add(node)
        totals = {node["name"]: node["total"] for node in upstream["nodes"] or [] if "total" in node}
        self.best = sorted(name for name in totals if totals[name] == max(totals.values()))

    def _add(self, node):
        reached = self.reached(node)
        if not reached:
            self.feasible.append(node["name"])
            return
        self.errors += [self.error(entry) for entry in reached if entry.get("error")][:1]
        unresolvable = any(entry.get("reasons") and entry["resolvable"] is False for entry in reached)
        text = ", ".join(reason for entry in reached for reason in sorted_reasons(entry))
        (self.unresolvable if unresolvable else self.failed)[node["name"]] = text

    def early_errors(self, upstream):
        """Those that stand before any rule."""
        error = upstream.get("error", "")
        return [error] if BASIC_ERROR.match(error) else []

    def reached(self, node):
        """Of the node's failing entries those that upstream comes to."""
        failing = [entry for entry in node["filters"] if not entry["fits"]]
        return failing if self.check_all else failing[:1]

    def error(self, entry):
        return entry["error"]


class ExpectedPlugins(Expected):
    """By plugins, today's or removed ones. All PreFilters come before the Filters: one that refuses does so for all nodes, whatever else
    these fail; and one that names nodes leaves the others no other reason. The answer says who decides."""

    def __init__(self, upstream):
        super().__init__(upstream, False)

    def early_errors(self, upstream):
        error = upstream.get("error", "")
        return [error] if EARLY_ERROR.match(error) else []

    def reached(self, node):
        return [entry for entry in node["filters"] if not entry["fits"] and entry["rule"] == node.get("decides")]

    def error(self, entry):
        return f'running "{entry["rule"]}" filter plugin: {entry["error"]}'


def reading(directory):
    """How the directory's answers are to be read: a function of the pod and upstream's answer."""
    if generation(directory) is not expected_classic:
        return lambda _, upstream: ExpectedPlugins(upstream)
    check_all = read_json(directory, "policy.json").get("alwaysCheckAllPredicates", False)
    return lambda _, upstream: Expected(upstream, check_all)
