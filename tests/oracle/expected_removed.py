"""What must occur in a run of the comparison with the plugins that later releases removed: all of v1.22 that are."""
from expected_today import forms, kinds

__all__ = ["FILTERS", "SCORES", "MOST", "REASONS", "reason_class", "kinds", "forms"]

# The order of both lists counts: it decides what a seed of generate/removed/config.py draws. A new rule is the last one.
FILTERS = ["ServiceAffinity", "NodeLabel", "EBSLimits", "GCEPDLimits", "AzureDiskLimits", "CinderLimits"]

# How many different scores each must give: of two prefer-avoid has no more.
SCORES = {"SelectorSpread": 50, "ServiceAffinity": 50, "NodeLabel": 8, "NodePreferAvoidPods": 2,
          "NodeResourcesLeastAllocated": 60, "NodeResourcesMostAllocated": 60, "RequestedToCapacityRatio": 60}
MOST = 100

REASONS = ["node(s) didn't match service affinity", "node(s) didn't have the requested labels",
           "node(s) exceed max volume count"]


def reason_class(reason):
    """There are no names in reasons."""
    return reason
