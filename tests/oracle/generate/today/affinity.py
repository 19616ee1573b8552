"""Pod (anti-)affinity: namespaces and their selectors, keys that the API server merged, several terms."""
from generate.affinity import PREFERRED, REQUIRED
from generate.today.selectors import label_selector, mentioned, merged
from generate.words import HOSTNAME, NEW_REGION, NEW_ZONE, OLD_ZONE, RACK

TOPOLOGIES = [HOSTNAME] * 4 + [NEW_ZONE] * 5 + [RACK] * 3 + ["disktype", "tier", OLD_ZONE, NEW_REGION, "absent"]
APART = [HOSTNAME] * 6 + [RACK] * 2 + [NEW_ZONE]
NAMESPACE_SELECTORS = [
    {}, {}, {"matchLabels": {"team": "a"}}, {"matchLabels": {"team": "b"}}, {"matchLabels": {"team": "none"}},
    {"matchExpressions": [{"key": "team", "operator": "DoesNotExist"}]},
    {"matchExpressions": [{"key": "absent", "operator": "DoesNotExist"}]},
    {"matchExpressions": [{"key": "team", "operator": "NotIn", "values": ["a"]}]},
    {"matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["default", "bare"]}]},
    {"matchExpressions": [{"key": "team", "operator": "Exists"}]}]
NAMESPACES = [[], ["default"], ["other"], ["default", "other"], ["kube-system", "default", "absent"], ["bare"],
              ["default", "bare"]]


def _add_keys(m, t, labels):
    """matchLabelKeys and mismatchLabelKeys, which API servers merge into the selector, and which may not name a key of it."""
    free = [key for key in ("app", "tier", "version", "absent") if key not in mentioned(t["labelSelector"])]
    for field, operator in (("matchLabelKeys", "In"), ("mismatchLabelKeys", "NotIn")):
        if free and m.p(.5):
            t[field] = [free.pop(m.between(0, len(free) - 1))]
            t["labelSelector"] = merged(t["labelSelector"], labels, t[field], operator)


def term(m, labels, topologies):
    t = {"topologyKey": m.one(topologies)}
    selector = label_selector(m, labels)
    if selector is not None:
        t["labelSelector"] = selector
        if m.p(.2):
            _add_keys(m, t, labels)
    if m.p(.25):
        t["namespaces"] = m.one(NAMESPACES)
    if m.p(.25):
        t["namespaceSelector"] = m.one(NAMESPACE_SELECTORS)
    return t


def _own_term(m, labels):
    """One that the pod itself matches, and of a group perhaps no other pod: what the first of a group has."""
    key = "group" if "group" in labels else m.one(sorted(labels) or ["app"])
    t = {"topologyKey": m.one([HOSTNAME, NEW_ZONE, RACK, NEW_ZONE, "disktype", "absent"]),
         "labelSelector": {"matchLabels": {key: labels.get(key, "lonely")}}}
    if m.p(.15):
        t["namespaceSelector"] = m.one(NAMESPACE_SELECTORS)
    return t


def _required(m, labels, anti):
    """Of several terms a pod must match all to count, so that often they differ in nothing but the topology."""
    topologies = APART + TOPOLOGIES if anti else TOPOLOGIES
    first = _own_term(m, labels) if m.p(.7 if "group" in labels and not anti else .3) else term(m, labels, topologies)
    others = m.one([0, 0, 0, 1, 2])
    if m.p(.5):
        return [first] + [{**first, "topologyKey": m.one([HOSTNAME, NEW_ZONE, RACK])} for _ in range(others)]
    return [first] + [term(m, labels, topologies) for _ in range(others)]


def _kind(m, labels, anti, required):
    a = {}
    if m.p(required):
        a[REQUIRED] = _required(m, labels, anti)
    if m.p(.85 if m.gentle else .5):
        a[PREFERRED] = [{"weight": m.between(1, 100), "podAffinityTerm": term(m, labels, TOPOLOGIES)}
                        for _ in range(m.between(1, 3))]
    return a


def pod_affinity(m, labels, asked):
    """The podAffinity and podAntiAffinity of a pod with these labels; {} for most pods."""
    chance = m.rarely("affinity", .8, m.rarely("spread", .1, .04)) if asked else m.rarely("affinity", .3, .02)
    if not m.p(chance):
        return {}
    out = {}
    if m.p(.65):
        out["podAffinity"] = _kind(m, labels, False, m.gently(.65) if asked else .4)
    if m.p(.6):
        out["podAntiAffinity"] = _kind(m, labels, True, m.gently(.45 if asked else .25))
    return out
