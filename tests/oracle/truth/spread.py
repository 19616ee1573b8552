"""Topology spread constraints that keep a pod away: today's, and v1.16's EvenPodsSpread."""
from truth import labels
from truth.expected import Truth, Unknown
from truth.nodes import may_run_on, untolerated
from truth.objects import is_deleted, labels_of


class Constraint:
    """One constraint, with the number of pods in each domain that counts."""

    def __init__(self, question, written):
        self.key = written["topologyKey"]
        self.max_skew = written.get("maxSkew") or 1
        self.min_domains = (written.get("minDomains") or 1) if question.today else 1
        self.by_affinity = not question.today or written.get("nodeAffinityPolicy") != "Ignore"
        self.by_taints = question.today and written.get("nodeTaintsPolicy") == "Honor"
        self.selector = labels.selector(written.get("labelSelector"))
        if question.today and self.selector is not labels.NOTHING:
            own = {(key, "In", (question.labels[key],)) for key in written.get("matchLabelKeys") or []
                   if key in question.labels}
            self.selector = self.selector | own
        self.matches_itself = labels.matches(self.selector, question.labels)
        self.nodes, self.pods = {}, {}  # By domain.

    def counts(self, question, name):
        """Whether the pods of a node that has all keys count."""
        if self.by_affinity and not may_run_on(question, name):
            return False
        return not self.by_taints or not untolerated(question.spec, question.cluster.nodes[name])

    def count(self, question, name):
        domain = labels_of(question.cluster.nodes[name])[self.key]
        self.nodes.setdefault(domain, []).append(name)
        self.pods[domain] = self.pods.get(domain, 0) + sum(
            1 for pod in question.cluster.on[name] if self.is_counted(question, pod))

    def is_counted(self, question, pod):
        """Today a pod that is being deleted does not count, nor any pod where all would match."""
        if pod["metadata"]["namespace"] != question.namespace:
            return False
        if question.today and (is_deleted(pod) or not self.selector):
            return False
        return labels.matches(self.selector, labels_of(pod))

    def least(self):
        """The least count of a domain, and the domains that have it."""
        if len(self.nodes) < self.min_domains or not self.nodes:
            return 0, [None]
        least = min(self.pods.values())
        return least, [domain for domain, pods in self.pods.items() if pods == least]

    def counts_by(self, question, domain):
        """The policies by which a domain counts that the pod can run on no node of."""
        nodes = self.nodes.get(domain, [])
        if nodes and not self.by_taints and question.today and \
                all(untolerated(question.spec, question.cluster.nodes[name]) for name in nodes):
            yield "nodeTaintsPolicy: Ignore"
        if nodes and not self.by_affinity and not any(may_run_on(question, name) for name in nodes):
            yield "nodeAffinityPolicy: Ignore"

    def breach(self, question, domain):
        """The cause for a node of this domain, or None."""
        pods, (least, leasts) = self.pods.get(domain, 0), self.least()
        if pods + self.matches_itself - least <= self.max_skew:
            return None
        choices = {(one, by) for one in leasts for by in (list(self.counts_by(question, one)) or [None])}
        return Truth("spread", {("leastDomain", "leastCountsBy"): choices}, topologyKey=self.key, domain=domain,
                     count=pods, least=least, maxSkew=self.max_skew, matchesItself=int(self.matches_itself),
                     domains=len(self.nodes), minDomains=self.min_domains if self.min_domains > 1 else None)


def hard_constraints(question):
    """The default ones are all soft."""
    return [one for one in question.spec.get("topologySpreadConstraints") or []
            if one.get("whenUnsatisfiable") == "DoNotSchedule"]


def constraints(question):
    """The hard constraints of the pod, counted."""
    found = [Constraint(question, one) for one in hard_constraints(question)]
    for name, node in question.cluster.nodes.items():
        if not all(one.key in labels_of(node) for one in found):
            continue
        for one in found:
            if one.counts(question, name):
                one.count(question, name)
    return found


def spread(question, name):
    there = labels_of(question.cluster.nodes[name])
    lacking = sorted({one["topologyKey"] for one in hard_constraints(question)} - there.keys())
    for key in lacking:
        yield Truth("spreadLabel", topologyKey=key)
    try:
        found = question.keep("constraints", constraints)
    except labels.Invalid:
        if lacking:
            return  # v1.16 reads no selector then.
        raise Unknown("selectors that are not valid") from None
    for one in found:
        if one.key in there and (breach := one.breach(question, there[one.key])):
            yield breach
