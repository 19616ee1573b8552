"""KubeSchedulerConfigurations of the removed plugins alone: sets, orders, weights, arguments; as files of v1, or of v1beta1."""
import expected_removed
from generate.dice import Dice
from generate.today.config import RESOURCES, SHAPES, WEIGHTS
from generate.today.words import SCHEDULERS
from generate.words import HOSTNAME, NEW_REGION, NEW_ZONE, OLD_REGION, OLD_ZONE, RACK

LIMITS = ["EBSLimits", "GCEPDLimits", "AzureDiskLimits", "CinderLimits"]
FILTERS, SCORES = expected_removed.FILTERS, list(expected_removed.SCORES)
RATIOS = ["NodeResourcesLeastAllocated", "NodeResourcesMostAllocated", "RequestedToCapacityRatio"]
SUBJECT_FILTERS = {"general": FILTERS, "resources": [], "services": ["ServiceAffinity"], "volumes": LIMITS,
                   "labels": ["NodeLabel"]}
SUBJECT_SCORES = {"general": SCORES, "resources": RATIOS, "services": ["SelectorSpread", "ServiceAffinity"], "volumes": [],
                  "labels": ["NodeLabel", "NodePreferAvoidPods"]}
LABELS = ["disktype", "num", "tier", "empty", RACK, "absent", OLD_ZONE, NEW_ZONE]
PLACES = [RACK, RACK, NEW_ZONE, NEW_ZONE, OLD_ZONE, "disktype", NEW_REGION, OLD_REGION, HOSTNAME, "tier", "absent"]
GROUP = "kubescheduler.config.k8s.io/"
DEFAULTED = ["preFilter", "filter", "postFilter", "preScore", "score", "reserve", "preBind"]
NEEDED = {"queueSort": "PrioritySort", "bind": "DefaultBinder"}


def _shape(m):
    points = m.one(SHAPES) if m.p(.6) else [(at, m.between(0, 10)) for at in sorted(m.r.sample(range(101), m.between(1, 5)))]
    return [{"utilization": at, "score": score} for at, score in points]


def _resources(m, weights):
    found = m.r.sample(RESOURCES, m.between(1, 4))
    if m.p(.5):
        found = ["cpu", "memory"] + [name for name in found if name not in ("cpu", "memory")][:2]
    if m.p(.03):
        found.append(found[0])  # The last weight counts.
    weighted = [(name, m.one(weights)) for name in found]
    return [{"name": name, **({} if weight is None else {"weight": weight})} for name, weight in weighted]


def _ratio(m):
    """Without a weight, or with 0, a resource has 1; more than 100 is taken here alone."""
    return {"shape": _shape(m), **({"resources": _resources(m, [1, 1, 2, 3, 5, 0, None, 1000])} if m.p(.8) else {})}


def _allocated(m):
    return {"resources": _resources(m, [1, 1, 2, 3, 5, 100])} if m.p(.85) else m.one([{}, {"resources": []}])


def _service_affinity(m):
    """Without labels of the one kind it judges nothing, without those of the other it scores nothing."""
    args = {}
    if m.p(.85):
        args["affinityLabels"] = m.some(PLACES, 0 if m.p(.1) else 1, 2)
    if m.p(.85):
        args["antiAffinityLabelsPreference"] = m.some(PLACES, 0 if m.p(.1) else 1, 3)
    return args


def _apart(m, present, absent, chance, most):
    """Labels that are to be there, and others that are not: none is of both kinds."""
    found, args = m.r.sample(LABELS, m.between(1, most)), {}
    cut = m.between(0, len(found))
    for field, labels in ((present, found[:cut]), (absent, found[cut:])):
        if labels and m.p(chance):
            args[field] = labels + ([labels[0]] if m.p(.05) else [])
    return args


def _node_label(m):
    return {**_apart(m, "presentLabels", "absentLabels", .9, 2),
            **_apart(m, "presentLabelsPreference", "absentLabelsPreference", .9, 5)}


ARGUMENTS = {"ServiceAffinity": _service_affinity, "NodeLabel": _node_label, "NodeResourcesLeastAllocated": _allocated,
             "NodeResourcesMostAllocated": _allocated, "RequestedToCapacityRatio": _ratio}


def arguments(m, names, version):
    """Those of the plugins that run, at times of one that does not; a ratio is nothing without a shape."""
    out = []
    for name, make in ARGUMENTS.items():
        if name == "RequestedToCapacityRatio" and name in names or m.p(.92 if name in names else .05):
            args = make(m)
            if m.p(.3):
                args = {"apiVersion": GROUP + version, "kind": name + "Args", **args}
            out.append({"name": name, "args": args})
    m.r.shuffle(out)
    return out


def _some(m, own, every):
    """Most of the subject's own, few others."""
    names = m.subset(own, .45 if m.about("general") else .92)
    names += m.subset([name for name in every if name not in own], .12)
    m.r.shuffle(names)
    return names


def _with(m, names, plugin):
    """The point that prepares for a plugin: without it the plugin has an error to tell."""
    return [plugin] if m.p(.96 if plugin in names else .05) else []


def sets_of(m):
    """{point: names}; of some plugin there is something."""
    filters, scores = _some(m, SUBJECT_FILTERS[m.subject], FILTERS), _some(m, SUBJECT_SCORES[m.subject], SCORES)
    if not filters and not scores:
        scores = ["SelectorSpread"]
    return {"preFilter": _with(m, filters, "ServiceAffinity"), "filter": filters,
            "preScore": _with(m, scores, "SelectorSpread"), "score": scores}


def enabled(m, point, names):
    return [{"name": name, **({"weight": m.one(WEIGHTS)} if point == "score" and m.p(.75) else {})} for name in names]


def _later(form, sets):
    """v1: multiPoint takes the default plugins away, and what a profile needs has to be named somewhere."""
    out = {"multiPoint": {"disabled": [{"name": "*"}]}}
    if form.together:
        out["multiPoint"]["enabled"] = [{"name": name} for name in NEEDED.values()]
    else:
        out.update({point: {"enabled": [{"name": name}]} for point, name in NEEDED.items()})
    return {**out, **{point: {"enabled": plugins} for point, plugins in sets.items() if plugins}}


def _earlier(form, sets):
    """v1beta1: each point by itself."""
    out = {point: {"disabled": [{"name": "*"}]} for point in DEFAULTED}
    for point, name in NEEDED.items():
        if form.p(.5):
            out[point] = {"enabled": [{"name": name}], "disabled": [{"name": "*"}]}
    for point, plugins in sets.items():
        if plugins:
            out[point]["enabled"] = plugins
    return out


def plugins_of(form, version, sets):
    return (_later if version == "v1" else _earlier)(form, sets)


def _profile(m, name, version):
    sets = sets_of(m)
    args = arguments(m, {plugin for found in sets.values() for plugin in found}, version)
    sets = {point: enabled(m, point, names) for point, names in sets.items()}
    profile = {"plugins": plugins_of(m.form, version, sets)}
    if name != "default-scheduler" or m.several or m.p(.6):
        profile["schedulerName"] = name
    if args or m.p(.1):
        profile["pluginConfig"] = args
    return profile


def file(version, profiles):
    return {"apiVersion": GROUP + version, "kind": "KubeSchedulerConfiguration", "profiles": profiles}


def config(m, version):
    """The file; m.schedulers are its profiles' names, for pods to choose from."""
    m.schedulers = m.r.sample(SCHEDULERS, m.one([1, 1, 1, 2, 3]))
    m.several = len(m.schedulers) > 1
    m.form.together = m.form.p(.5)  # All profiles sort the queue alike.
    if not m.several and m.p(.8):
        m.schedulers = SCHEDULERS[:1]
    return file(version, [_profile(m, name, version) for name in m.schedulers])


def ordinary(form, version, sets, args_of):
    """One profile of these plugins."""
    form.together = True
    return file(version, [{"plugins": plugins_of(form, version, sets),
                            "pluginConfig": [{"name": name, "args": args} for name, args in args_of.items()]}])


def version(seed, wanted):
    """The version of the file that the seed gets; `both`: of three files one is of v1beta1."""
    return wanted if wanted != "both" else Dice(f"file {seed}").one(["v1", "v1", "v1beta1"])
