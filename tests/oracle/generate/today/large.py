"""Large clusters as people have them, with what today's pods use."""
from generate import affinity, large
from generate.dice import Dice
from generate.today.spread import HARD, SOFT
from generate.today.workloads import TEAMS
from generate.words import HOSTNAME, NEW_REGION, NEW_ZONE

TERMS = {"everywhere": affinity.PREFERRED, "revision": affinity.REQUIRED}


class App(large.App):
    """Some applications spread each revision, or keep away from those of other namespaces."""

    kinds = {**large.KINDS, "revision-spread": 4, "rather-revision-spread": 3, "everywhere": 3, "revision": 2}
    zone_key = NEW_ZONE

    def __init__(self, d, i, apps):
        super().__init__(d, i, apps)
        self.labels["pod-template-hash"] = f"hash-{i}"
        self.spec.update(schedulerName="default-scheduler", restartPolicy="Always")
        if d.p(.08):
            self.spec["initContainers"] = [{"name": "proxy", "image": "registry/proxy:v1", "restartPolicy": "Always",
                                            "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}}}]

    def terms(self, mine, other):
        if self.kind not in TERMS:
            return super().terms(mine, other)
        term = {"labelSelector": {"matchLabels": mine}, "topologyKey": HOSTNAME}
        if self.kind == "everywhere":
            term["namespaceSelector"] = {"matchLabels": {"team": "a"}}
            return {"podAntiAffinity": {TERMS[self.kind]: [{"weight": 100, "podAffinityTerm": term}]}}
        revision = {"key": "pod-template-hash", "operator": "In", "values": [f"hash-{self.name.split('-')[1]}"]}
        term["labelSelector"] = {"matchLabels": mine, "matchExpressions": [revision]}
        return {"podAntiAffinity": {TERMS[self.kind]: [{**term, "matchLabelKeys": ["pod-template-hash"]}]}}

    def constraints(self):
        out = super().constraints()
        for c in out:
            c["whenUnsatisfiable"] = SOFT if self.kind.startswith("rather") else HARD
            if "revision" in self.kind:
                c.update(matchLabelKeys=["pod-template-hash"], nodeTaintsPolicy="Honor")
        return out

    def workloads(self):
        service, owner = super().workloads()
        owner["spec"]["selector"] = {"matchLabels": {"app": self.name}}
        return [service, owner]


def _namespaces(apps):
    return [{"kind": "Namespace", "apiVersion": "v1", "metadata": {"name": name, "labels": {
        "kubernetes.io/metadata.name": name, "team": [*TEAMS.values()][i % 2]}}} for i, name in
        enumerate(sorted({app.namespace for app in apps}))]


def _config(d):
    """Mostly upstream's default; at times other weights, strategies and constraints."""
    out = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
    if d.p(.6):
        return out
    constraints = [{"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": SOFT} for key in (NEW_ZONE, HOSTNAME)]
    arguments = {
        "NodeResourcesFit": {"scoringStrategy": {"type": "MostAllocated", "resources": [
            {"name": "cpu", "weight": 3}, {"name": "memory", "weight": 1}]}},
        "PodTopologySpread": {"defaultingType": "List", "defaultConstraints": constraints},
        "InterPodAffinity": {"hardPodAffinityWeight": 10, "ignorePreferredTermsOfExistingPods": d.p(.5)},
        "NodeAffinity": {"addedAffinity": {affinity.PREFERRED: [{"weight": 10, "preference": {
            "matchExpressions": [{"key": "disktype", "operator": "In", "values": ["ssd"]}]}}]}}}
    out["profiles"] = [{
        "plugins": {"score": {"enabled": [{"name": "ImageLocality", "weight": 5}], "disabled": [{"name": "ImageLocality"}]}},
        "pluginConfig": [{"name": name, "args": arguments[name]} for name in d.subset(list(arguments), .7)]}]
    return out


def make(seed, node_count, pod_count, asked):
    d = Dice(seed)
    nodes = [large.node(d, i, NEW_ZONE, NEW_REGION) for i in range(node_count)]
    apps = [App(d, i, pod_count // 9) for i in range(pod_count // 9)]
    items, given = large.place(d, nodes, apps, pod_count, asked)
    return {"cluster": {"kind": "List", "apiVersion": "v1", "items": items + _namespaces(apps)},
            "pods": {"kind": "List", "apiVersion": "v1", "items": given}, "config": _config(d)}
