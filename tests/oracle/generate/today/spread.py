"""Topology spread constraints, of pods and of profiles."""
from generate.today.selectors import label_selector, mentioned, merged
from generate.words import HOSTNAME, NEW_REGION, NEW_ZONE, OLD_ZONE, RACK

KEYS = [HOSTNAME] * 10 + [NEW_ZONE] * 10 + [RACK] * 8 + ["disktype", "disktype", "tier", OLD_ZONE, NEW_REGION, "absent"]
HARD, SOFT = "DoNotSchedule", "ScheduleAnyway"


def _selector(m, c, labels):
    """The API server merges matchLabelKeys into the selector; an older one did not, so that pods of both kinds exist."""
    selector = {"matchLabels": {"app": labels["app"]}} if "app" in labels and m.p(.45) else label_selector(m, labels)
    if m.p(.08):
        selector = m.one([{}, {}, None])
    if selector is None:
        return
    free = [key for key in ("app", "tier", "version", "absent") if key not in mentioned(selector)]
    if free and m.p(.25):
        c["matchLabelKeys"] = m.r.sample(free, m.between(1, min(2, len(free))))
        if m.p(.6):
            selector = merged(selector, labels, c["matchLabelKeys"], "In")
    c["labelSelector"] = selector


def _constraint(m, effect):
    c = {"maxSkew": m.one([1, 1, 1, 2, 2, 3, 5]), "topologyKey": m.one(KEYS), "whenUnsatisfiable": effect}
    if effect == HARD and m.p(.3):
        c["minDomains"] = m.one([1, 2, 2, 3, 4, 10])
    for field in "nodeAffinityPolicy", "nodeTaintsPolicy":
        if m.p(.45):
            c[field] = m.one(["Honor", "Ignore"])
    return c


def _unique(constraints):
    return list({(c["topologyKey"], c["whenUnsatisfiable"]): c for c in constraints}.values())


def spread_constraints(m, labels, asked):
    """topologySpreadConstraints, unique by topology key and effect; [] for most pods."""
    if not m.p(m.rarely("spread", .68, .05) if asked else m.rarely("spread", .15, .03)):
        return []
    effects = [SOFT] if m.p(.85 if m.gentle else .25) else m.one([[HARD, SOFT], [HARD, SOFT], [HARD]])
    out = [_constraint(m, m.one(effects)) for _ in range(m.one([1, 1, 2, 2, 3]))]
    for c in out:
        _selector(m, c, labels)
    return _unique(out)


def default_constraints(m):
    """A profile's; the selector is each pod's own, so that they have none."""
    hard = m.p(m.gently(.45))
    return _unique([_constraint(m, m.one([HARD, SOFT, SOFT] if hard else [SOFT])) for _ in range(m.one([1, 2, 2, 3]))])
