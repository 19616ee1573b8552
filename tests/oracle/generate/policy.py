"""Policies: which rules, with which weights and arguments."""
import expected_classic
from generate.dice import Dice
from generate.words import HOSTNAME, OLD_REGION, OLD_ZONE, RACK

OLD_PREDICATES = ["CheckNodeCondition", "CheckNodeUnschedulable", "GeneralPredicates", "HostName", "PodFitsHostPorts",
                  "MatchNodeSelector", "PodFitsResources", "NoDiskConflict", "PodToleratesNodeTaints",
                  "PodToleratesNodeNoExecuteTaints", "CheckNodeMemoryPressure", "CheckNodePIDPressure",
                  "CheckNodeDiskPressure"]
PRESSURE = OLD_PREDICATES[-3:]
LIMITS = ["MaxEBSVolumeCount", "MaxGCEPDVolumeCount", "MaxCSIVolumeCountPred", "MaxAzureDiskVolumeCount",
          "MaxCinderVolumeCount"]
PREDICATES = OLD_PREDICATES + LIMITS + ["CheckVolumeBinding", "NoVolumeZoneConflict", "EvenPodsSpread",
                                        "MatchInterPodAffinity"]
OLD_PRIORITIES = ["LeastRequestedPriority", "MostRequestedPriority", "BalancedResourceAllocation",
                  "SelectorSpreadPriority", "NodePreferAvoidPodsPriority", "NodeAffinityPriority",
                  "TaintTolerationPriority", "ImageLocalityPriority", "EqualPriority"]
LATE_PRIORITIES = ["RequestedToCapacityRatioPriority"]  # See add_late. A new one leaves the other seeds as they are.
PRIORITIES = OLD_PRIORITIES + ["ServiceSpreadingPriority", "InterPodAffinityPriority", "EvenPodsSpreadPriority",
                               "ResourceLimitsPriority"]
SUBJECT_PREDICATES = {"general": [], "resources": [], "affinity": ["MatchInterPodAffinity"], "spread": ["EvenPodsSpread"],
                      "volumes": LIMITS + ["CheckVolumeBinding", "NoVolumeZoneConflict"], "services": []}
SUBJECT_PRIORITIES = {"general": OLD_PRIORITIES, "resources": ["ResourceLimitsPriority", "LeastRequestedPriority"],
                      "affinity": ["InterPodAffinityPriority"], "spread": ["EvenPodsSpreadPriority"], "volumes": [],
                      "services": ["SelectorSpreadPriority", "ServiceSpreadingPriority"]}
SHAPES = [[(0, 0), (100, 10)], [(0, 10), (100, 0)], [(0, 0), (50, 10), (100, 0)], [(0, 10), (40, 3), (60, 7), (100, 10)],
          [(20, 5), (80, 10)], [(50, 5)], [(0, 1), (1, 9), (99, 2), (100, 4)], [(0, 0), (33, 3), (66, 8)]]
RATIO_RESOURCES = ["cpu", "memory", "ephemeral-storage", "example.com/gpu", "example.com/widget", "absent.com/x", "pods"]
ALIASES = {name: alias for alias, name in expected_classic.ALIASES.items()}
GATED = {"EvenPodsSpread": ["EvenPodsSpread", "EvenPodsSpreadPriority"],
         "ResourceLimitsPriorityFunction": ["ResourceLimitsPriority"]}
WEIGHTS = [1, 2, 3, 10, 10000, 7]


def _plain_predicates(m):
    if m.about("general"):
        names = [p for p in PREDICATES if p != "CheckNodeCondition" or not m.calm]
        if m.scoring:
            return []
        mode = m.between(0, 9)  # Few nodes pass all predicates; so score mostly without the harsh ones.
        return [] if mode >= 8 else m.subset(names, .25) if mode <= 5 else m.subset(names, .7)
    names = m.subset(SUBJECT_PREDICATES[m.subject] + (PRESSURE if m.pressed else [])
                     + (["NoDiskConflict"] if m.disks else []), .9)
    return names + m.subset([p for p in PREDICATES if p not in names], .12)


def _labels_presence(m, labels):
    return {"labelsPresence": {"labels": labels, "presence": m.p(.5)}}


def _argued_predicates(m):
    out = []
    harsh = .4 * m.trouble * (.1 if m.scoring else 1)
    if m.p(harsh):
        labels = m.some(["disktype", "num", "empty", "absent", OLD_ZONE], 0 if m.p(.1) else 1, 2)
        out.append({"name": "CheckNodeLabelPresence", "argument": _labels_presence(m, labels)})
    if m.p(harsh / 2):
        out.append({"name": "OurOwnLabels", "argument": _labels_presence(m, ["tier"])})
    if m.p(m.rarely("services", .85, .03)):
        name = "CheckServiceAffinity" if m.p(.85) else "OurOwnAffinity"
        labels = m.some([OLD_ZONE, OLD_ZONE, OLD_REGION, RACK, RACK, "disktype", "absent", HOSTNAME], 0 if m.p(.05) else 1, 2)
        out.append({"name": name, "argument": {"serviceAffinity": {"labels": labels}}})
    return out


def _predicates(m):
    names = _plain_predicates(m)
    aliased = [ALIASES[p] for p in names if p in ALIASES and m.p(.15)]
    names = [p for p in names if ALIASES.get(p) not in aliased or m.p(.3)] + aliased
    m.r.shuffle(names)
    out = [{"name": p} for p in names] + _argued_predicates(m)
    if m.p(.03) and m.about("general"):
        name = m.one(["GeneralPredicates", "HostName", "PodToleratesNodeTaints", "CheckNodeUnschedulable", "NoDiskConflict"])
        out = [p for p in out if p["name"] != name]
        out.append({"name": name, "argument": _labels_presence(m, ["num"])})
    return out


def _capacity_ratio(m):
    shape = m.one(SHAPES)
    if m.p(.3):
        points = sorted(m.r.sample(range(101), m.between(1, 5)))
        shape = [(point, m.between(0, 10)) for point in points]
    argument = {"shape": [{"utilization": u, "score": s} for u, s in shape]}
    if m.p(.7):
        argument["resources"] = [{"name": name, "weight": m.one([1, 1, 2, 3, 5, 0])}
                                 for name in m.r.sample(RATIO_RESOURCES, m.between(0 if m.p(.1) else 1, 4))]
    return {"requestedToCapacityRatioArguments": argument}


def _argued_priorities(m):
    out = []
    for i in range(m.between(0, 2)):
        label = m.one(["disktype", "num", "empty", "absent", ""])
        out.append((f"label-{i}", {"labelPreference": {"label": label, "presence": m.p(.5)}}))
    for i in range(m.between(1, 2) if m.about("services") else m.p(.05)):
        label = m.one([OLD_ZONE, OLD_ZONE, RACK, HOSTNAME, "tier", "absent", OLD_REGION])
        out.append((f"anti-{i}", {"serviceAntiAffinity": {"label": label}}))
    for i in range(m.between(1, 3) if m.about("resources") else m.p(.05)):
        out.append((m.one(["RequestedToCapacityRatioPriority", f"ratio-{i}"]), _capacity_ratio(m)))
    if m.p(.03) and m.about("general"):
        out.append(("LeastRequestedPriority", {"labelPreference": {"label": "num", "presence": True}}))
    return [{"name": name, "weight": m.one([1, 5, 100]), "argument": argument} for name, argument in dict(out).items()]


def _priorities(m):
    own = m.subset(SUBJECT_PRIORITIES[m.subject], .92)
    names = own + m.subset([p for p in PRIORITIES if p not in own], .3 if m.about("general") else .25)
    m.r.shuffle(names)
    argued = _argued_priorities(m)
    taken = {q["name"] for q in argued}
    return [{"name": name, "weight": m.one(WEIGHTS)} for name in names if name not in taken] + argued


def policy(m):
    """Absent predicates or priorities are the default provider's."""
    out = {"kind": "Policy", "apiVersion": "v1"}
    if not m.p(.12):
        out["predicates"] = [] if m.p(.04) else _predicates(m)
    if not m.p(.12):
        out["priorities"] = [] if m.p(.02) else _priorities(m)
    if m.p(m.rarely("affinity", .7, .1)):
        out["hardPodAffinitySymmetricWeight"] = m.one([0, 1, 2, 10, 50, 100, m.between(1, 100)])
    if m.p(.5):
        out["alwaysCheckAllPredicates"] = m.p(.9)
    return out


def add_late(policy, seed):
    """At times one of LATE_PRIORITIES, without its argument. It is drawn apart, so that all else of the seed stays what it was."""
    dice = Dice(f"late priorities {seed}")
    names = [name for name in dice.subset(LATE_PRIORITIES, .15) if name not in rule_names(policy)]
    if policy.get("priorities"):
        policy["priorities"] += [{"name": name, "weight": dice.one(WEIGHTS)} for name in names]


def gates(m, policy):
    """Upstream's feature gates: those without which it does not know a rule that the policy names, at times one that
    adds a rule to the default provider or changes what a rule reads."""
    out = {}
    for gate, rules in GATED.items():
        if set(rules) & set(rule_names(policy)) or m.p(.1):
            out[gate] = True
    if m.p(.12):
        out["PodOverhead"] = True
    if m.p(.06):
        out["TaintNodesByCondition"] = False
    if m.p(.04):
        out["AttachVolumeLimit"] = False
    return out


def rule_names(policy):
    return [rule["name"] for kind in ("predicates", "priorities") for rule in policy.get(kind) or []]


def without(policy, names):
    """The policy less these rules, and without the default provider's: for a Winnow that does not have them yet."""
    for kind, usual in (("predicates", OLD_PREDICATES[1:]), ("priorities", OLD_PRIORITIES)):
        rules = policy.get(kind, [{"name": name, **({"weight": 1} if kind == "priorities" else {})} for name in usual])
        policy[kind] = [rule for rule in rules if rule["name"] not in names and not set(rule.get("argument", [])) & names]
    return policy
