"""What must occur in a run of the classic comparison: every rule, reason and priority that v1.16.15 has."""

from answers import read_json

FILTERS = [
    "CheckNodeCondition", "CheckNodeUnschedulable", "GeneralPredicates", "HostName", "PodFitsHostPorts",
    "MatchNodeSelector", "PodFitsResources", "NoDiskConflict", "PodToleratesNodeTaints",
    "PodToleratesNodeNoExecuteTaints", "CheckNodeLabelPresence", "CheckServiceAffinity", "MaxEBSVolumeCount",
    "MaxGCEPDVolumeCount", "MaxCSIVolumeCountPred", "MaxAzureDiskVolumeCount", "MaxCinderVolumeCount",
    "CheckVolumeBinding", "NoVolumeZoneConflict", "CheckNodeMemoryPressure", "CheckNodePIDPressure",
    "CheckNodeDiskPressure", "EvenPodsSpread", "MatchInterPodAffinity"]

ALIASES = {"PodFitsPorts": "PodFitsHostPorts", "PodFitsHost": "HostName", "PodSelectorMatches": "MatchNodeSelector"}

BY_ARGUMENT = {"serviceAffinity": "CheckServiceAffinity", "labelsPresence": "CheckNodeLabelPresence"}

# How many different scores each must give: three, or all that it has.
SCORES = {
    "BalancedResourceAllocation": 3, "EqualPriority": 1, "EvenPodsSpreadPriority": 3, "ImageLocalityPriority": 3,
    "InterPodAffinityPriority": 3, "LeastRequestedPriority": 3, "MostRequestedPriority": 3, "NodeAffinityPriority": 3,
    "NodePreferAvoidPodsPriority": 2, "ResourceLimitsPriority": 2, "SelectorSpreadPriority": 3,
    "ServiceSpreadingPriority": 3, "TaintTolerationPriority": 3, "serviceAntiAffinity": 3, "labelPreference": 2,
    "RequestedToCapacityRatioPriority": 3, "requestedToCapacityRatioArguments": 3}
MOST = 10

# predicates/error.go. "node(s) had unknown conditions" is only for a NodeInfo without a node, which no feed can make.
REASONS = [
    "node(s) had no available disk", "node(s) had no available volume zone", "node(s) didn't match node selector",
    "node(s) didn't match pod affinity/anti-affinity", "node(s) didn't match pod affinity rules",
    "node(s) didn't match pod anti-affinity rules", "node(s) didn't satisfy existing pods anti-affinity rules",
    "node(s) had taints that the pod didn't tolerate", "node(s) didn't match the requested hostname",
    "node(s) didn't have free ports for the requested pod ports", "node(s) didn't have the requested labels",
    "node(s) didn't match service affinity", "node(s) exceed max volume count", "node(s) had memory pressure",
    "node(s) had disk pressure", "node(s) had pid pressure", "node(s) were not ready",
    "node(s) had unavailable network", "node(s) were unschedulable", "node(s) had volume node affinity conflict",
    "node(s) didn't find available persistent volumes to bind", "node(s) didn't match pod topology spread constraints",
    "Insufficient pods", "Insufficient cpu", "Insufficient memory", "Insufficient ephemeral-storage",
    "Insufficient SCALAR"]


def reason_class(reason):
    """There are no names in reasons."""
    return reason


def kinds(directory):
    """What those rules are that go by another name: aliases, and rules made by an argument. {name: kind} of the
    predicates and of the priorities."""
    policy = read_json(directory, "policy.json", {})
    made = [dict(ALIASES), {}]
    for names, rules in zip(made, (policy.get("predicates"), policy.get("priorities"))):
        for rule in rules or []:
            for argument in rule.get("argument") or {}:
                names[rule["name"]] = BY_ARGUMENT.get(argument, argument)
    return made


def forms(directory):
    """What can be said of the configuration itself."""
    policy = read_json(directory, "policy.json")
    for kind in ("predicates", "priorities"):
        yield f"{kind}\t{'absent' if kind not in policy else 'some' if policy[kind] else 'none'}"
    yield f"all\t{policy.get('alwaysCheckAllPredicates', False)}"
