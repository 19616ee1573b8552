"""KubeSchedulerConfigurations that kube-scheduler starts with: profiles, plugin sets, the arguments of every plugin."""
import expected_today
from generate.today.node_affinity import added_affinity
from generate.today.spread import default_constraints
from generate.today.words import EXTENDED, HUGE, SCHEDULERS

# Their order counts: it decides what a seed draws.
SUBJECTS = {"NodeName": "nodes", "NodeUnschedulable": "nodes", "TaintToleration": "nodes", "NodeAffinity": "nodes",
            "NodePorts": "nodes", "NodeResourcesFit": "resources", "VolumeRestrictions": "volumes", "NodeVolumeLimits": "volumes",
            "VolumeBinding": "volumes", "VolumeZone": "volumes", "PodTopologySpread": "spread", "InterPodAffinity": "affinity",
            "NodeDeclaredFeatures": "nodes", "NodeResourcesBalancedAllocation": "resources", "ImageLocality": "nodes",
            "DynamicResources": "devices"}
FILTERS, SCORES = expected_today.FILTERS, list(expected_today.SCORES)
NO_PRE_SCORE = ("ImageLocality", "DynamicResources")
WEIGHTS = [1, 1, 2, 3, 5, 10, 100, 10000]
RESOURCES = ["cpu", "memory", "ephemeral-storage", "pods", "absent.com/x", *EXTENDED, *HUGE]
SHAPES = [[(0, 0), (100, 10)], [(0, 10), (100, 0)], [(0, 0), (50, 10), (100, 0)], [(0, 10), (40, 3), (60, 7), (100, 10)],
          [(20, 5), (80, 10)], [(50, 5)], [(0, 1), (1, 9), (99, 2), (100, 4)], [(0, 0), (33, 3), (66, 8)]]


def _shape(m):
    points = m.one(SHAPES) if m.p(.6) else [(at, m.between(0, 10)) for at in sorted(m.r.sample(range(101), m.between(1, 5)))]
    return [{"utilization": at, "score": score} for at, score in points]


def _resources(m, weights):
    out = [{"name": name} for name in m.r.sample(RESOURCES, m.between(1, 4))]
    if m.p(.5):
        out = [{"name": name} for name in ("cpu", "memory")] + [one for one in out if one["name"] not in ("cpu", "memory")][:2]
    for one in out:
        if m.p(.8):  # 0 is as good as absent: 1.
            one["weight"] = m.one(weights)
    return out


def _fit(m):
    kind = m.one(["LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"])
    strategy = {"type": kind}
    if m.p(.75):
        strategy["resources"] = _resources(m, [1, 1, 2, 3, 5, 100, 0])
    if kind == "RequestedToCapacityRatio":
        strategy["requestedToCapacityRatio"] = {"shape": _shape(m)}
    args = {"scoringStrategy": strategy} if m.p(.85) else {}
    if m.p(.3):
        args["ignoredResources"] = m.r.sample(EXTENDED + ["absent.com/x"], m.between(0, 2))
    if m.p(.3):
        args["ignoredResourceGroups"] = m.r.sample(["example.com", "other.example.org", "com"], m.between(0, 2))
    return args


def _spread(m):
    if m.p(.35):
        return {"defaultingType": "System"} if m.p(.8) else {}
    return {"defaultingType": "List", **({"defaultConstraints": default_constraints(m)} if m.p(.9) else {})}


def _pod_affinity(m):
    args = {}
    if m.p(.8):
        args["hardPodAffinityWeight"] = m.one([0, 1, 2, 10, 50, 100, m.between(0, 100)])
    if m.p(.5):
        args["ignorePreferredTermsOfExistingPods"] = m.p(.7)
    return args


def _volume_binding(m):
    args = {"bindTimeoutSeconds": m.one([0, 30, 600])} if m.p(.5) else {}
    if m.p(.7):
        args["shape"] = _shape(m)
    return args


def _dynamic_resources(m):
    """Timeouts that no answer meets: filterTimeout is off, or long."""
    args = {"filterTimeout": m.one(["0s", "1h", "86400s"])} if m.p(.6) else {}
    if m.p(.6):
        args["bindingTimeout"] = m.one(["1s", "60s", "86400s", "876000h"])
    return args


ARGUMENTS = {
    "NodeResourcesFit": _fit,
    "NodeResourcesBalancedAllocation": lambda m: {"resources": _resources(m, [1, 0])} if m.p(.9) else {},
    "NodeAffinity": lambda m: {"addedAffinity": added_affinity(m)} if m.p(.9) else {},
    "PodTopologySpread": _spread, "InterPodAffinity": _pod_affinity, "VolumeBinding": _volume_binding,
    "DynamicResources": _dynamic_resources}


def arguments(m):
    out = []
    for name, make in ARGUMENTS.items():
        chance = m.rarely(SUBJECTS[name], .75, .15) if name != "NodeAffinity" else m.mostly("nodes", .45)
        if m.p(chance):
            args = make(m)
            if m.p(.3):
                args = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": name + "Args", **args}
            out.append({"name": name, "args": args})
    m.r.shuffle(out)
    return out


def _weighted(m, names):
    return [{"name": name, **({"weight": m.one(WEIGHTS)} if name in SCORES and m.p(.7) else {})} for name in names]


def _plain(_):
    return {}


def _other_weights(m):
    """Scores anew, under weights of their own: they stand where they stood, unless all were disabled before."""
    names = m.subset(SCORES, .5)
    m.r.shuffle(names)
    disabled = [{"name": "*"}] if m.p(.4) else [{"name": name} for name in names if m.p(.8)]
    return {"score": {"enabled": _weighted(m, names), "disabled": disabled}} if names else {}


def _all_points(m):
    """multiPoint: without `*` before it, what is named only changes its place and its weight."""
    names = m.subset(list(SUBJECTS), .5)
    m.r.shuffle(names)
    kept = [{"name": "PrioritySort"}, {"name": "DefaultBinder"}]
    if m.p(.5):
        return {"multiPoint": {"enabled": kept + _weighted(m, names), "disabled": [{"name": "*"}]}}
    disabled = [{"name": name} for name in SUBJECTS if m.p(.1)]
    return {"multiPoint": {"enabled": _weighted(m, [name for name in names if m.p(.4)]), "disabled": disabled}}


def _without_some(m):
    """Single extension points of a plugin less; a filter goes with its preFilter, or it would miss what that leaves."""
    filters, scores = m.subset(FILTERS, .15), m.subset(SCORES, .15)
    out = {"filter": {"disabled": [{"name": name} for name in filters]},
           "preFilter": {"disabled": [{"name": name} for name in filters]},
           "score": {"disabled": [{"name": name} for name in scores]}}
    if m.p(.5):
        out["preScore"] = {"disabled": [{"name": name} for name in scores if name not in NO_PRE_SCORE]}
    return {point: {"disabled": found["disabled"]} for point, found in out.items() if found["disabled"]}


def _filters_in_order(m):
    """Filters in an order of their own. Those that are not named come first: what multiPoint gave."""
    names = m.subset(FILTERS, .4)
    m.r.shuffle(names)
    disabled = [{"name": "*"}] if m.p(.4) else [{"name": name} for name in names]
    return {"filter": {"enabled": [{"name": name} for name in names], "disabled": disabled}}


def _halves(m):
    """A preFilter without its filter, or a filter without its preFilter; of devices, a filter without its score as well."""
    if m.about("devices") and m.p(.85):
        return {m.one(["preFilter", "preFilter", "filter", "score"]): {"disabled": [{"name": "DynamicResources"}]}}
    point = m.one(["preFilter", "filter"])
    return {point: {"disabled": [{"name": m.one(FILTERS)}]}}


def _plugins(m):
    make = m.weighted({_plain: 40, _other_weights: 22, _all_points: 14, _without_some: 12, _filters_in_order: 8, _halves: 14 if m.about("devices") else 3})
    return make(m)


def _profile(m, name):
    profile = {}
    if name != "default-scheduler" or m.several or m.p(.6):
        profile["schedulerName"] = name
    plugins, args = _plugins(m), arguments(m)
    if plugins or m.p(.1):
        profile["plugins"] = plugins
    if args or m.p(.1):
        profile["pluginConfig"] = args
    return profile


def config(m):
    """The file; m.schedulers are its profiles' names, for pods to choose from."""
    m.schedulers = m.r.sample(SCHEDULERS, m.one([1, 1, 2, 2, 3]))
    m.several = len(m.schedulers) > 1
    if not m.several and m.p(.8):
        m.schedulers = SCHEDULERS[:1]
    out = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
    if m.p(.15):
        m.schedulers = SCHEDULERS[:1]
        return out
    out["profiles"] = [_profile(m, name) for name in m.schedulers]
    return out
