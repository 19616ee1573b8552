"""What upstream's answers mean on the wire: which nodes remain, which fail with which text, which are the best."""
import re

import expected_today
from answers import read_json
from differences import sorted_reasons
from expected import generation

BASIC_ERROR = re.compile(r'^persistentvolumeclaim ".*" (not found|is being deleted)$')
EARLY_ERROR = re.compile(r"^(running PreFilter plugin |profile not found for )")  # Of today's, before any node is looked at.


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


class ExpectedToday(Expected):
    """By today's plugins. All PreFilters come before the Filters: one that refuses does so for all nodes, whatever else
    these fail; and one that names nodes leaves the others no other reason."""

    def __init__(self, upstream, pod, silent):
        self.left = {rule: names for rule, names in named(pod).items() if rule not in silent}
        self.refusing = None
        if not self.left or set.intersection(*self.left.values()):
            self.refusing = next((entry["rule"] for entry in entries(upstream) if refuses(entry)), None)
        super().__init__(upstream, False)

    def early_errors(self, upstream):
        error = upstream.get("error", "")
        return [error] if EARLY_ERROR.match(error) else []

    def reached(self, node):
        failing = super().reached({"filters": [entry for entry in node["filters"] if self._speaks(entry, node["name"])]})
        return failing or super().reached(node)

    def _speaks(self, entry, name):
        """Whether the entry's PreFilter has the word on this node."""
        if self.refusing:
            return entry["rule"] == self.refusing
        return entry["rule"] in self.left and name not in self.left[entry["rule"]]

    def error(self, entry):
        return f'running "{entry["rule"]}" filter plugin: {entry["error"]}'


def entries(upstream):
    return [entry for node in upstream["nodes"] or [] for entry in node["filters"]]


def refuses(entry):
    """Whether it is a PreFilter's, about all nodes."""
    return any(expected_today.reason_class(reason) in expected_today.REFUSALS for reason in entry.get("reasons") or [])


def named(pod):
    """{plugin: names} of the nodes that PreFilters leave; without those that leave all."""
    spec = pod["spec"]
    out = {"NodeName": {spec["nodeName"]}} if spec.get("nodeName") else {}
    required = ((spec.get("affinity") or {}).get("nodeAffinity") or {}).get("requiredDuringSchedulingIgnoredDuringExecution")
    terms = [_named_by(term) for term in (required or {}).get("nodeSelectorTerms") or []]
    if terms and None not in terms and set.union(*terms):
        out["NodeAffinity"] = set.union(*terms)
    return out


def _named_by(term):
    fields = [set(field["values"]) for field in term.get("matchFields") or []
              if field["key"] == "metadata.name" and field["operator"] == "In"]
    return set.intersection(*fields) if fields else None


def silent(config, pod):
    """The plugins of which the pod's profile does not ask the PreFilter."""
    for profile in config.get("profiles") or []:
        if profile.get("schedulerName", "default-scheduler") == pod["spec"].get("schedulerName", "default-scheduler"):
            plugins = profile.get("plugins") or {}
            return {plugin["name"] for point in ("preFilter", "multiPoint")
                    for plugin in plugins.get(point, {}).get("disabled", [])}
    return set()


def is_today(directory):
    return generation(directory) is expected_today


def reading(directory):
    """How the directory's answers are to be read: a function of the pod and upstream's answer."""
    if is_today(directory):
        config = read_json(directory, "config.json")
        return lambda pod, upstream: ExpectedToday(upstream, pod, silent(config, pod))
    check_all = read_json(directory, "policy.json").get("alwaysCheckAllPredicates", False)
    return lambda _, upstream: Expected(upstream, check_all)
