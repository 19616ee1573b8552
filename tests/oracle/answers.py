"""Reading a directory of the comparison, its files plain or gzip'ed."""
import gzip
import json
import os


def path_of(directory, name):
    """The file, or its gzip'ed form, or "" if there is neither."""
    for path in (os.path.join(directory, name), os.path.join(directory, name + ".gz")):
        if os.path.exists(path):
            return path
    return ""


def opened(directory, name):
    path = path_of(directory, name)
    if path.endswith(".gz"):
        return gzip.open(path, "rt", encoding="utf-8")
    return open(path, encoding="utf-8")


def read_json(directory, name, default=None):
    """The file's value; `default` if there is none."""
    if not path_of(directory, name):
        return default
    with opened(directory, name) as f:
        return json.load(f)


def answers(directory, name):
    """The explanations of a side, one after the other; none if the file is missing."""
    if path_of(directory, name):
        with opened(directory, name) as f:
            for line in f:
                yield json.loads(line)


def read_text(directory, name):
    if not path_of(directory, name):
        return ""
    with opened(directory, name) as f:
        return f.read()


def asked_pods(directory):
    """The pods that both sides are asked about, in their order: the cluster's pending ones, then those of pods.json."""
    def done(pod):
        return pod.get("status", {}).get("phase") in ("Succeeded", "Failed")
    pods = [item for item in read_json(directory, "cluster.json")["items"] if item["kind"] == "Pod"]
    pending = [pod for pod in pods if not pod["spec"].get("nodeName") and not done(pod)]
    pending.sort(key=lambda pod: (pod["metadata"]["namespace"], pod["metadata"]["name"]))
    return pending + read_json(directory, "pods.json", {"items": []})["items"]
