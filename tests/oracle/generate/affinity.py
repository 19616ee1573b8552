"""Pod (anti-)affinity and topology spread constraints."""
from generate.selectors import label_selector
from generate.words import APPS, HOSTNAME, NEW_ZONE, OLD_REGION, OLD_ZONE, RACK, TIERS

TOPOLOGIES = [HOSTNAME] * 4 + [OLD_ZONE] * 4 + [RACK] * 2 + ["disktype", "tier", NEW_ZONE, OLD_REGION, "absent"]
REQUIRED, PREFERRED = "requiredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution"


def _selector(m, labels, given):
    """Often one that other pods match; at times the pod's own labels, everything, nothing or (in a cluster that has
    them, and in incoming pods) one that does not parse."""
    kind = m.between(0, 19)
    if kind <= 5:
        return {"matchLabels": {"app": m.one(APPS)}}
    if kind <= 7 and labels:
        key = m.one(sorted(labels))
        return {"matchLabels": {key: labels[key]}}
    if kind == 8:
        return {}
    if kind == 9:
        return None
    if kind == 10:
        return {"matchLabels": {"app": m.one(APPS), "tier": m.one(TIERS)}}
    return label_selector(m, .04 if given else .03 * m.breaks_selectors)


def term(m, labels, given, topologies=None):
    """A PodAffinityTerm; in upstream's words: namespaces empty is the pod's own, a nil selector matches nothing."""
    t = {"topologyKey": m.one(topologies or TOPOLOGIES)}
    selector = _selector(m, labels, given)
    if selector is not None:
        t["labelSelector"] = selector
    if m.p(.25):
        t["namespaces"] = m.one([[], ["default"], ["other"], ["default", "other"], ["kube-system", "default", "absent"]])
    return t


def _weighted(m, labels, given, anti):
    topologies = TOPOLOGIES + [""] if anti and m.p(.1) else None
    weight = m.between(1, 100) if m.p(.96) else m.one([0, -5, 1000])
    return {"weight": weight, "podAffinityTerm": term(m, labels, given, topologies)}


def _kind(m, labels, given, anti, required):
    a = {}
    if m.p(required):
        # An empty topology key is an error of the required kind; no API server lets it through.
        topologies = [""] if m.p(.01) and given else [HOSTNAME] * 5 + TOPOLOGIES if anti else None
        a[REQUIRED] = [term(m, labels, given, topologies) for _ in range(0 if m.p(.04) else m.one([1, 1, 1, 2, 3]))]
    if m.p(.5):
        a[PREFERRED] = [_weighted(m, labels, given, anti) for _ in range(m.between(0 if m.p(.05) else 1, 3))]
    return a


def pod_affinity(m, labels, given):
    """The podAffinity and podAntiAffinity of a pod with these labels; {} for most pods. `given`: it is an incoming pod."""
    chance = m.rarely("affinity", .6, m.rarely("spread", .15, .02)) if given else m.rarely("affinity", .35, .02)
    if not m.p(chance):
        return {}
    out = {}
    if m.p(.6):
        out["podAffinity"] = _kind(m, labels, given, False, .45)
    if m.p(.6):
        out["podAntiAffinity"] = _kind(m, labels, given, True, .4 if given else .25)
    return out


def _constraint_selector(m, labels, given):
    if labels and m.p(.45):
        key = m.one(sorted(labels))
        return {"matchLabels": {key: labels[key]}}
    if m.p(.12):
        return m.one([None, {}])
    return label_selector(m, .06 if given else 0)


def spread_constraints(m, labels, given):
    """topologySpreadConstraints, unique by topology key and effect as validation wants them; [] for most pods."""
    if not m.p(m.rarely("spread", .8 if given else .2, m.rarely("affinity", .08, .02))):
        return []
    out = {}
    for _ in range(m.one([1, 1, 2, 2, 3])):
        c = {"maxSkew": m.one([1, 1, 1, 2, 2, 3, 5]), "topologyKey": m.one(TOPOLOGIES),
             "whenUnsatisfiable": m.one(["DoNotSchedule", "ScheduleAnyway"])}
        selector = _constraint_selector(m, labels, given)
        if selector is not None:
            c["labelSelector"] = selector
        out[(c["topologyKey"], c["whenUnsatisfiable"])] = c
    return list(out.values())
