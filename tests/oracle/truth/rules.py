"""Which rule refuses a node for which causes."""
from truth import claims, devices, nodes
from truth.affinity import affinity
from truth.attached import attached, check_attached
from truth.expected import compare
from truth.resources import lacks
from truth.spread import spread

# Rules whose causes are all worked out: what is told must be that, no more and no less.
WHOLE = {
    "GeneralPredicates": (lacks, nodes.node_name, nodes.ports, nodes.requirements),
    "CheckNodeUnschedulable": (nodes.cordon,),
    "CheckNodeCondition": (nodes.bad_conditions,),
    "CheckNodeMemoryPressure": (nodes.memory_pressure,),
    "CheckNodeDiskPressure": (nodes.pressure("DiskPressure"),),
    "CheckNodePIDPressure": (nodes.pressure("PIDPressure"),),
    "PodToleratesNodeTaints": (nodes.taints,),
    "EvenPodsSpread": (spread,),
    "MatchInterPodAffinity": (affinity,),
    **{name: (attached(name),) for name in (
        "MaxEBSVolumeCount", "MaxGCEPDVolumeCount", "MaxAzureDiskVolumeCount", "MaxCSIVolumeCountPred")},
    "NodeUnschedulable": (nodes.cordon,),
    "NodeName": (nodes.node_name,),
    "TaintToleration": (nodes.taints,),
    "NodeAffinity": (nodes.requirements,),
    "NodePorts": (nodes.ports,),
    "NodeResourcesFit": (lacks,),
    "NodeDeclaredFeatures": (nodes.features,),
    "PodTopologySpread": (spread,),
    "InterPodAffinity": (affinity,),
}
# Rules whose causes are held against the cluster one by one, by their kind.
BY_KIND = {
    "NoDiskConflict": {"disk": claims.check_disks},
    "VolumeRestrictions": {"disk": claims.check_disks, "claimInUse": claims.check_in_use, "claim": claims.check_claims},
    "NodeVolumeLimits": {"driver": claims.check_drivers, "attachLimit": check_attached, "claim": claims.check_claims},
    "NoVolumeZoneConflict": {"volumeLabel": claims.check_zones},
    "VolumeZone": {"volumeLabel": claims.check_zones, "claim": claims.check_claims,
                   "volumeMissing": claims.check_missing},
    "CheckVolumeBinding": {},
    "VolumeBinding": {},
    "DynamicResources": devices.BY_KIND,
}
for binding in "CheckVolumeBinding", "VolumeBinding":
    BY_KIND[binding] = {"claim": claims.check_claims, "volumeMissing": claims.check_missing,
                        "volumeAffinity": claims.check_volume_affinity, "noVolume": claims.check_no_volume}

COMPLETE = ("disk", "claimInUse", "volumeLabel", "attachLimit")  # All that are true must be told.


def check(question, node, rule, causes):
    """Yields (what, the causes told, the truth) of each difference."""
    if rule in WHOLE:
        yield from compare(causes, [truth for find in WHOLE[rule] for truth in find(question, node)])
        return
    if rule not in BY_KIND:
        yield "is a rule that nothing is known of", rule, sorted([*WHOLE, *BY_KIND])
        return
    by_kind = {}
    for cause in causes:
        by_kind.setdefault(cause["kind"], []).append(cause)
    for kind, some in by_kind.items():
        if kind not in BY_KIND[rule]:
            yield "is of a kind that the rule does not have", some, sorted(BY_KIND[rule])
    for kind, check_kind in BY_KIND[rule].items():
        if kind in by_kind or kind in COMPLETE:
            yield from check_kind(question, node, by_kind.get(kind, []))
