"""Clusters at corners that mutations of the classic rules showed to be never reached: an ordinary cluster, changed in a place.

They are a share of the seeds from FIRST on, so that the clusters of older seeds stay what they were, and a subject.
"""
from generate import cluster, drivers
from generate.affinity import PREFERRED, REQUIRED, term
from generate.dice import Mood
from generate.selectors import BAD_LABEL_EXPRESSIONS, label_selector
from generate.words import HOSTNAME, INSTANCE, OLD_ZONE

SUBJECT, FIRST, SHARE = "corners", 1_000_000, .15
NITRO = ["m5.large", "c5d.18xlarge", "r5.metal", "t3.micro", "z1d.large"]


def chosen(subject, seed):
    return subject == SUBJECT or not subject and seed >= FIRST and Mood(f"{seed} {SUBJECT}", "general").p(SHARE)


def make(seed):
    """The files of the seed's cluster; each corner has its turn."""
    corner, subject = [(_full_nitro_nodes, "volumes"), (_empty_key_first, "affinity"), (_one_pod, "spread"),
                       (_nothing_runs, "affinity")][seed % 4]
    m = Mood(seed, subject)
    files = cluster.make(m)
    corner(m, files)
    return files


def _of_kind(files, kind):
    return [item for item in files["cluster"]["items"] if item["kind"] == kind]


def _asked(files):
    pending = [pod for pod in _of_kind(files, "Pod") if not pod["spec"].get("nodeName")]
    return pending + files["pods"]["items"]


def _keep(files, running):
    """Of the pods that run only the first so many."""
    others = [item for item in files["cluster"]["items"] if item["kind"] != "Pod" or not item["spec"].get("nodeName")]
    kept = [pod for pod in _of_kind(files, "Pod") if pod["spec"].get("nodeName", "nowhere") != "nowhere"][:running]
    for pod in kept:
        pod["status"] = {"phase": "Running"}
    files["cluster"]["items"] = others + kept


def _require(files, kind, name, **fields):
    rules = files["policy"].setdefault(kind, [])
    files["policy"][kind] = [rule for rule in rules if rule["name"] != name] + [{"name": name, **fields}]


def _disks(count, prefix):
    return [{"name": f"v{i}", **drivers.source("ebs", f"{prefix}-{i}")} for i in range(count)]


def _full_nitro_nodes(m, files):
    """Nodes with just the number of EBS disks that is theirs, one less and one more, where no allocatable says another."""
    _keep(files, 0)
    _require(files, "predicates", "MaxEBSVolumeCount")
    for node in _of_kind(files, "Node"):
        node["metadata"].setdefault("labels", {})[INSTANCE] = m.one(NITRO + ["m4.large"])
        if m.p(.9):
            node["status"]["allocatable"].pop("attachable-volumes-aws-ebs", None)
        name = node["metadata"]["name"]
        files["cluster"]["items"].append(
            {"kind": "Pod", "apiVersion": "v1", "status": {"phase": "Running"},
             "metadata": {"name": f"full-{name}", "namespace": "default", "uid": f"full-{name}"},
             "spec": {"nodeName": name, "containers": [{"name": "c", "image": "x"}],
                      "volumes": _disks(m.one([23, 24, 24, 25, 25, 38, 39]), name)}})
    for i, pod in enumerate(_asked(files)):
        pod["spec"]["volumes"] = _disks(m.one([1, 1, 2]), f"new-{i}") if m.p(.8) else _disks(1, m.one(["n0", "n1"]))


def _empty_key_first(m, files):
    """A required term without a topology key stands before one with a key; upstream refuses or errs by their order."""
    _require(files, "predicates", "MatchInterPodAffinity")
    for pod in _asked(files):
        labels = pod["metadata"].get("labels", {})
        terms = [term(m, labels, True, [""]), term(m, labels, True, [HOSTNAME, OLD_ZONE])]
        if m.p(.7):
            pod["spec"]["affinity"] = {m.one(["podAffinity", "podAffinity", "podAntiAffinity"]): {
                REQUIRED: terms if m.p(.8) else terms[::-1]}}


def _bad_selector(m):
    return {**label_selector(m, 0), "matchExpressions": [m.one(BAD_LABEL_EXPRESSIONS)]}


def _one_pod(m, files):
    """A spread selector that does not parse, and exactly one pod to hold against it, or none."""
    _keep(files, m.one([1, 1, 1, 0, 2]))
    _require(files, "predicates", "EvenPodsSpread")
    _require(files, "priorities", "EvenPodsSpreadPriority", weight=1)
    files["gates"]["EvenPodsSpread"] = True
    for pod in _asked(files):
        if m.p(.7):
            pod["spec"]["topologySpreadConstraints"] = [
                {"maxSkew": 1, "topologyKey": m.one([HOSTNAME, OLD_ZONE]), "labelSelector": _bad_selector(m),
                 "whenUnsatisfiable": m.one(["DoNotSchedule", "ScheduleAnyway"])}]


def _nothing_runs(m, files):
    """A preferred term that does not parse where no pod is that it could be held against, or one."""
    _keep(files, m.one([0, 0, 0, 1]))
    _require(files, "priorities", "InterPodAffinityPriority", weight=1)
    for pod in _asked(files):
        t = {"topologyKey": HOSTNAME, "labelSelector": _bad_selector(m)}
        if m.p(.7):
            pod["spec"]["affinity"] = {m.one(["podAffinity", "podAntiAffinity"]): {
                PREFERRED: [{"weight": m.between(1, 100), "podAffinityTerm": t}]}}
