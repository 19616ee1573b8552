"""Clusters for a profile of today's plugins and removed ones: the profile, and each generation's part of it."""
from generate.removed import cluster, config, nodes, pods
from generate.removed.mood import Mood
from generate.removed.workloads import workloads
from generate.today import config as today, devices, mood as todays_mood, nodes as todays_nodes, pods as todays_pods
from generate.today.storage import Storage
from generate.today.words import SCHEDULERS

VERSION = "v1"


def _needed(m, names, all_of):
    """The point that prepares for these plugins; of few one is missing, and has an error to tell."""
    return [name for name in all_of if name in names and m.p(.995)]


def _todays_sets(m):
    """{point: names}: most of today's plugins, in an order of their own."""
    filters, scores = m.subset(today.FILTERS, .8), m.subset(today.SCORES, .75)
    filters += [name for name in ("VolumeBinding", "DynamicResources") if name in scores and name not in filters]
    m.r.shuffle(filters)
    m.r.shuffle(scores)
    pre_scores = [name for name in scores if name not in today.NO_PRE_SCORE]
    return {"preFilter": _needed(m, filters, filters), "filter": filters,
            "preScore": _needed(m, pre_scores, pre_scores), "score": scores}


def _interleaved(m, ours, theirs):
    """Both lists, each in its order."""
    ours, theirs, out = list(ours), list(theirs), []
    while ours or theirs:
        out.append((ours if not theirs or ours and m.p(len(ours) / (len(ours) + len(theirs))) else theirs).pop(0))
    return out


def _file(m, sets, arguments):
    profile = {"plugins": config.plugins_of(m.form, VERSION, sets)}
    if arguments:
        profile["pluginConfig"] = arguments
    return config.file(VERSION, [profile])


def _configs(m):
    """config.json, and the same of today's plugins alone and of the removed ones alone."""
    m.schedulers, m.several = SCHEDULERS[:1], False
    m.form.together = True
    old = config.sets_of(m)
    old_arguments = config.arguments(m, {name for names in old.values() for name in names}, VERSION)
    new, new_arguments = _todays_sets(m), today.arguments(m)
    old, new = ({point: config.enabled(m, point, names) for point, names in sets.items()} for sets in (old, new))
    both = {point: _interleaved(m, new[point], old[point]) for point in new}
    return {"config": _file(m, both, new_arguments + old_arguments), "today/config": _file(m, new, new_arguments),
            "removed/config": _file(m, old, old_arguments)}


class _Todays:
    """The mood is about a subject of today's for a while."""

    def __init__(self, m):
        self.m, self.own = m, m.subject

    def __enter__(self):
        self.m.subject = self.m.todays

    def __exit__(self, *_):
        self.m.subject = self.own


def _pod(m, name, node=None, given=False, count=10):
    """Today's, with what the removed plugins look at."""
    with _Todays(m):
        one = todays_pods.pod(m, name, node, given, count)
    pods.forget_sums(one["spec"])
    return pods.add_own(m, one, given or not node)


def _node(m, i):
    with _Todays(m):
        one = todays_nodes.node(m, i)
    return nodes.add_own(m, one)


def _storage(m, names):
    """Whether today's stores are there, or those of the in-tree limits."""
    if not m.todays == "volumes":
        cluster.stores(m, names)
        return False
    with _Todays(m):
        m.storage = Storage(m, names)
    return True


def make(seed, subject=None):
    """The files of a seed."""
    m = Mood(f"mixed {seed}", subject)
    m.todays = m.form.weighted(todays_mood.SUBJECTS)
    m.features = m.form.p(.5 if m.todays == "nodes" else .1)
    names = [f"n{i}" for i in range(m.between(6, 20) if m.p(.6) else m.between(2, 9))]
    configs = _configs(m)
    has_todays = _storage(m, names)
    nodes, pods_there = [_node(m, i) for i in range(len(names))], cluster.pods(m, names, _pod)
    items = nodes + pods_there + workloads(m)
    given = [_pod(m, f"g{i}", m.one(names + ["nowhere"]) if m.p(.1) else None, True, len(names)) for i in range(6)]
    items += m.storage.objects(m) if has_todays else cluster.store_objects(m) + cluster.csi_nodes(m, names)
    items += devices.equip(m, nodes, pods_there + given, m.todays == "devices")
    return {"cluster": cluster.as_list(items), "pods": cluster.as_list(given), **configs}
