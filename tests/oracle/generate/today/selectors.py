"""Label selectors that an API server would take."""
from generate.selectors import label_expression
from generate.words import APPS, TIERS


def label_selector(m, labels):
    """Often one that other pods match, or the pod's own labels; at times everything; None for no selector at all."""
    kind = m.between(0, 19)
    if kind <= 6:
        return {"matchLabels": {"app": m.one(APPS)}}
    if kind <= 11 and labels:
        key = m.one(sorted(labels))
        return {"matchLabels": {key: labels[key]}}
    if kind == 12:
        return {}
    if kind == 13:
        return None
    if kind == 14:
        return {"matchLabels": {"app": m.one(APPS), "tier": m.one(TIERS)}}
    if kind == 15 and "app" in labels:
        return {"matchLabels": {"app": labels["app"]}, "matchExpressions": [label_expression(m)]}
    return {"matchExpressions": [label_expression(m) for _ in range(m.between(1, 2))]}


def merged(selector, labels, keys, operator):
    """The selector after the API server merged the pod's values of these keys into it."""
    added = [{"key": key, "operator": operator, "values": [labels[key]]} for key in keys if key in labels]
    return {**selector, "matchExpressions": selector.get("matchExpressions", []) + added} if added else selector


def mentioned(selector):
    """The keys that the selector has: those that matchLabelKeys may not have."""
    return set(selector.get("matchLabels", {})) | {e["key"] for e in selector.get("matchExpressions", [])}
