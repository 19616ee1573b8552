"""What upstream's plugins say, as expressions, and the configurations that hold one against the other.

Both have the profiles `filters` and `scores`: a score is asked for every node. A plugin of upstream's config.json has in
Winnow's rules.json the rule Expression/PLUGIN.
"""
TOLERATIONS = "pod.?spec.?tolerations.orValue([])"
# Gt and Lt are behind a gate that is off. Then they tolerate nothing.
TOLERATES = ("(!has(o.effect) || o.effect == '' || o.effect == {effect}) && (!has(o.key) || o.key == '' || o.key == {key}) && "
             "(o.?operator.orValue('') == 'Exists' || o.?operator.orValue('') in ['', 'Equal'] && o.?value.orValue('') == {value})")


def tolerated(key, value, effect):
    return f"{TOLERATIONS}.exists(o, {TOLERATES.format(key=key, value=value, effect=effect)})"


# Upstream takes no value with a sign. A text that is no int fails the expression, unless another term matches: `onError: refuse`
# says then what upstream says.
REQUIREMENT = ("e.operator == 'In' ? e.key in {labels} && {labels}[e.key] in e.values : "
               "e.operator == 'NotIn' ? !(e.key in {labels} && {labels}[e.key] in e.values) : "
               "e.operator == 'Exists' ? e.key in {labels} : "
               "e.operator == 'DoesNotExist' ? !(e.key in {labels}) : "
               "e.values[0].matches('^[0-9]') && e.key in {labels} && "
               "(e.operator == 'Gt' ? int({labels}[e.key]) > int(e.values[0]) : int({labels}[e.key]) < int(e.values[0]))")
LABELS = "node.metadata.labels"
FIELD = "(e.operator == 'In') == (node.metadata.name in e.values)"
TERM = (f"(t.?matchExpressions.orValue([]).size() + t.?matchFields.orValue([]).size() > 0) && "
        f"t.?matchFields.orValue([]).all(e, {FIELD}) && t.?matchExpressions.orValue([]).all(e, {REQUIREMENT.format(labels=LABELS)})")
REQUIRED = "pod.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"
NODE_AFFINITY = (f"pod.?spec.?nodeSelector.orValue({{}}).all(k, k in {LABELS} && {LABELS}[k] == pod.spec.nodeSelector[k]) && "
                 f"(!(has(pod.spec.affinity) && has(pod.spec.affinity.nodeAffinity) && has({REQUIRED})) || {REQUIRED}.nodeSelectorTerms.exists(t, {TERM}))")

MILLIS = "int({} * 1000.0 + 0.5)"
CPU_FITS = f"pod.requests.cpu == 0.0 || {MILLIS.format('pod.requests.cpu')} <= {MILLIS.format('node.allocatable.cpu')} - {MILLIS.format('node.requested.cpu')}"
FITS = (f"node.requested.pods + 1.0 <= node.allocatable.pods && ({CPU_FITS}) && "
        "pod.requests.all(r, r == 'cpu' || pod.requests[r] == 0.0 || pod.requests[r] <= node.allocatable[?r].orValue(0.0) - node.requested[?r].orValue(0.0))")

TAGGED = "({0}.lastIndexOf(':') <= {0}.lastIndexOf('/') ? {0} + ':latest' : {0})"
SCALED = "(i in node.images ? int(double(node.images[i].size) * (double(node.images[i].nodes) / double(cluster.nodes))) : 0)"
IMAGES = (f"pod.?spec.?initContainers.orValue([]).map(c, {TAGGED.format('c.image')}) + pod.spec.containers.map(c, {TAGGED.format('c.image')}) + "
          f"pod.?spec.?volumes.orValue([]).filter(v, has(v.image)).map(v, {TAGGED.format('v.image.reference')})")
LEAST_IMAGE, MOST_IMAGE = 23 * 1024 * 1024, 1000 * 1024 * 1024
IMAGE_LOCALITY = (f"cel.bind(images, {IMAGES}, cel.bind(most, {MOST_IMAGE} * images.size(), cel.bind(sum, images.map(i, {SCALED}).sum(), "
                  f"100 * ((sum < {LEAST_IMAGE} ? {LEAST_IMAGE} : sum > most ? most : sum) - {LEAST_IMAGE}) / (most - {LEAST_IMAGE}))))")


def _room(resource, unit):
    """The score of one resource, and whether it counts, as a list of none or one."""
    has = f"int(node.allocatable.{resource} * {unit} + 0.5)"
    wants = f"int(node.requested.{resource} * {unit} + 0.5) + int(pod.requests.{resource} * {unit} + 0.5)"
    return f"({has} == 0 ? [] : {wants} > {has} ? [0] : [({has} - ({wants})) * 100 / {has}])"


LEAST_ALLOCATED = f"cel.bind(all, {_room('cpu', '1000.0')} + {_room('memory', '1.0')}, all.size() == 0 ? 0 : all.sum() / all.size())"

FILTERS = {
    "NodeName": "pod.?spec.?nodeName.orValue('') in ['', node.metadata.name]",
    "NodeUnschedulable": f"!node.?spec.?unschedulable.orValue(false) || {tolerated(repr('node.kubernetes.io/unschedulable'), repr(''), repr('NoSchedule'))}",
    "TaintToleration": f"node.?spec.?taints.orValue([]).all(t, t.effect == 'PreferNoSchedule' || {tolerated('t.key', 't.?value.orValue(' + repr('') + ')', 't.effect')})",
    "NodeAffinity": NODE_AFFINITY,
    "NodeResourcesFit": FITS,
}
# LeastAllocated takes a part of what is requested for granted where a container requests nothing: it is compared where all
# containers request both.
SCORES = {"ImageLocality": IMAGE_LOCALITY, "NodeResourcesFit": LEAST_ALLOCATED}
API = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}


def _profile(name, point, plugins, args=()):
    off = {"disabled": [{"name": "*"}]}
    kept = {"enabled": [{"name": "PrioritySort"}, {"name": "DefaultBinder"}], **off}
    return {"schedulerName": name, "plugins": {"multiPoint": kept, **{one: {"enabled": [{"name": plugin} for plugin in plugins]} for one in point}},
            "pluginConfig": list(args)}


def upstream(complete):
    """@param complete: all containers request cpu and memory."""
    scores = [name for name in SCORES if complete or name != "NodeResourcesFit"]
    pre_filters = ["NodeAffinity", "NodeResourcesFit"]
    filters = _profile("filters", ["filter"], FILTERS)
    filters["plugins"]["preFilter"] = {"enabled": [{"name": name} for name in pre_filters]}
    rated = _profile("scores", ["score"], scores)
    if complete:
        rated["plugins"]["preScore"] = {"enabled": [{"name": "NodeResourcesFit"}]}
    return {**API, "profiles": [filters, rated]}


def winnow(complete):
    scores = [name for name in SCORES if complete or name != "NodeResourcesFit"]
    args = [{"name": f"Expression/{name}", "args": {"filter": text, "onError": "refuse"}} for name, text in FILTERS.items()]
    rated = [{"name": f"Expression/{name}", "args": {"score": SCORES[name]}} for name in scores]
    return {**API, "profiles": [_profile("filters", ["filter"], [f"Expression/{name}" for name in FILTERS], args),
                                _profile("scores", ["score"], [f"Expression/{name}" for name in scores], rated)]}
