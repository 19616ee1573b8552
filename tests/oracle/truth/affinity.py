"""Required affinity and anti-affinity between pods."""
from truth import labels
from truth.expected import Truth, Unknown
from truth.nodes import REQUIRED
from truth.objects import full_name, labels_of

ALL = None  # Every namespace.


def required(pod, kind):
    return ((pod["spec"].get("affinity") or {}).get(kind) or {}).get(REQUIRED) or []


class Term:
    """A term of a pod: the pods that it selects."""

    def __init__(self, cluster, pod, written, today, is_own):
        self.cluster, self.key = cluster, written["topologyKey"]
        self.selector = labels.selector(written.get("labelSelector"))
        self.namespaces = set(written.get("namespaces") or [])
        of_namespaces = written.get("namespaceSelector") if today else None
        if of_namespaces is None:
            self.namespaces = self.namespaces or {pod["metadata"]["namespace"]}
        self.of_namespaces = labels.selector(of_namespaces)
        if is_own and self.of_namespaces is not labels.NOTHING:
            self.resolve()

    def resolve(self):
        """An own term finds namespaces only by their objects; one that matches all labels takes every namespace."""
        if not self.of_namespaces:
            self.namespaces = ALL
        else:
            self.namespaces |= {name for name in self.cluster.kinds["Namespace"]
                                if labels.matches(self.of_namespaces, self.cluster.namespace_labels(name))}
            if not self.namespaces:
                self.selector = labels.NOTHING
        self.of_namespaces = labels.NOTHING

    def matches(self, pod):
        namespace = pod["metadata"]["namespace"]
        if self.namespaces is not ALL and namespace not in self.namespaces and \
                not labels.matches(self.of_namespaces, self.cluster.namespace_labels(namespace)):
            return False
        return labels.matches(self.selector, labels_of(pod))

    def same(self):
        """Terms with the same are one."""
        return self.key, frozenset(self.namespaces or ()), self.selector, self.of_namespaces

    def domain(self, name):
        return labels_of(self.cluster.nodes[name]).get(self.key)


def own_terms(question, kind):
    return [Term(question.cluster, question.pod, one, question.today, True) for one in required(question.pod, kind)]


def existing_terms(question):
    """[(a term, the pods that have it with their nodes)] of the anti-affinity that keeps the pod away."""
    found = {}
    for pod, name in question.cluster.running:
        try:
            terms = [Term(question.cluster, pod, one, question.today, False)
                     for one in required(pod, "podAntiAffinity")]
        except labels.Invalid:
            if question.today:
                continue  # None of the pod's terms counts then.
            raise Unknown("selectors that are not valid") from None
        for term in {term.same(): term for term in terms}.values():
            if term.matches(question.pod):
                found.setdefault(term.same(), (term, []))[1].append((pod, name))
    return list(found.values())


class Pairs:
    """The pods that the pod's own terms meet."""

    def __init__(self, question):
        try:
            self.wanted, self.forbidden = own_terms(question, "podAffinity"), own_terms(question, "podAntiAffinity")
        except labels.Invalid:
            raise Unknown("selectors that are not valid") from None
        if not question.today and has_invalid_spread(question):
            raise Unknown("selectors that are not valid")
        self.taken = existing_terms(question)
        running = question.cluster.running
        self.matching = [(pod, name) for pod, name in running if self.wanted and self.matches_all(pod)]
        self.met = [[(pod, name) for pod, name in running if term.matches(pod)] for term in self.forbidden]
        any_domain = any(term.domain(name) is not None for term in self.wanted for _, name in self.matching)
        self.is_first = bool(self.wanted) and not any_domain and self.matches_all(question.pod)

    def matches_all(self, pod):
        return all(term.matches(pod) for term in self.wanted)


def has_invalid_spread(question):
    """v1.16 works out both rules together, and neither where one fails."""
    try:
        for one in question.spec.get("topologySpreadConstraints") or []:
            if one.get("whenUnsatisfiable") == "DoNotSchedule":
                labels.selector(one.get("labelSelector"))
    except labels.Invalid:
        return True
    return False


def in_domain(term, pods, name):
    domain = term.domain(name)
    return [pod for pod, node in pods if domain is not None and term.domain(node) == domain]


def affinity(question, name):
    pairs = question.keep("pairs", Pairs)
    for term, pods in pairs.taken:
        if found := in_domain(term, pods, name):
            yield away("existing", term, name, found)
    for term in pairs.wanted:
        domain = term.domain(name)
        if in_domain(term, pairs.matching, name) or pairs.is_first and (domain is not None or not question.today):
            continue
        choices = {(full_name(pod), node) for pod, node in pairs.matching} or {(None, None)}
        # Where else such pods are, no rule says: suggestions look there, and are tried.
        yield Truth("affinity", {("with", "withOn"): choices, ("elsewhere", "elsewherePods"): None}, topologyKey=term.key,
                    domain=domain,
                    selector=labels.text(term.selector), namespaces=sorted(term.namespaces or ()) or None,
                    matching=len(pairs.matching))
    for term, pods in zip(pairs.forbidden, pairs.met):
        if found := in_domain(term, pods, name):
            yield away("own", term, name, found)


def away(whose, term, name, pods):
    return Truth("anti-affinity", {("with",): {(full_name(pod),) for pod in pods}}, whose=whose, topologyKey=term.key,
                 domain=term.domain(name), selector=labels.text(term.selector), pods=len(pods))
