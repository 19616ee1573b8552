#!/usr/bin/env python3
"""Replays the recording of the sample cluster in tests/fixtures/recording: every answer must be the same.

    recording_test.py WINNOW           replays it; exit 1 if an answer has changed
    recording_test.py WINNOW --renew   records it anew, where answers are meant to change
    recording_test.py WINNOW --self-test   checks that an answer that is changed in the recording is found

The recording has two runs: classic rules over the sample's file, and today's plugins with --answer=best over an API
server of this script's, which has the same objects and tells of pods that are bound, deleted and new.
"""
import copy
import gzip
import http.server
import json
import pathlib
import queue
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FIXTURE = ROOT / "tests" / "fixtures" / "recording"
SAMPLE = ROOT / "manifests" / "sample-cluster.json"
TODAYS = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
KINDS = {kind.lower() + ("es" if kind.endswith("s") else "s"): kind
         for kind in ("Node", "Pod", "Namespace", "Service", "ReplicationController", "ReplicaSet", "StatefulSet",
                      "PodDisruptionBudget", "PersistentVolume", "PersistentVolumeClaim", "StorageClass", "CSINode",
                      "CSIDriver", "VolumeAttachment", "PriorityClass", "LimitRange", "DeviceClass", "RuntimeClass",
                      "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice", "DeviceTaintRule", "NodeMetrics")}
KINDS["csistoragecapacities"] = "CSIStorageCapacity"


class Api:
    """An API server: lists, and watches that tell what this script says."""

    def __init__(self, items):
        self.version = 1000
        self.items = {}
        for item in items:
            item = copy.deepcopy(item)
            item["metadata"]["resourceVersion"] = str(self.version)
            self.items.setdefault(item["kind"], []).append(item)
        self.pod_events = queue.Queue()
        api = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                url = urllib.parse.urlsplit(self.path)
                resource = url.path.rsplit("/", 1)[-1]
                if "watch=" in url.query:
                    self.watch(resource)
                else:
                    self.list(resource)

            def list(self, resource):
                kind = KINDS[resource]
                body = json.dumps({"kind": kind + "List", "apiVersion": "v1", "items": api.items.get(kind, []),
                                   "metadata": {"resourceVersion": str(api.version)}}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def watch(self, resource):
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                while True:
                    if resource == "pods":
                        line = (json.dumps(api.pod_events.get()) + "\n").encode()
                        self.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
                        self.wfile.flush()
                    else:
                        time.sleep(3600)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def tell(self, kind, pod):
        """Sends an event about a pod, in a new version."""
        self.version += 1
        pod["metadata"]["resourceVersion"] = str(self.version)
        self.pod_events.put({"type": kind, "object": copy.deepcopy(pod)})


class Winnow:
    """winnow serve, on a free port."""

    def __init__(self, winnow, *flags):
        with socket.socket() as finder:
            finder.bind(("127.0.0.1", 0))
            port = finder.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self.process = subprocess.Popen([winnow, "serve", f"--port={port}", *flags], stderr=subprocess.DEVNULL)
        until = time.monotonic() + 60
        while True:
            try:
                with urllib.request.urlopen(self.url + "/readyz") as answer:
                    answer.read()
                    return
            except OSError:
                if self.process.poll() is not None:
                    sys.exit(f"winnow serve has ended with code {self.process.returncode}")
                if time.monotonic() > until:
                    self.process.kill()
                    sys.exit(f"winnow serve does not become ready: {self.url}")
                time.sleep(0.05)

    def post(self, path, body):
        request = urllib.request.Request(self.url + path, json.dumps(body, separators=(",", ":")).encode(),
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        if self.process.wait() != 0:
            sys.exit("winnow serve has failed")


def pods_to_ask(items):
    """Some dozens of pods, as if they waited: those of the sample, without their nodes."""
    pods = []
    for item in items:
        if item["kind"] != "Pod":
            continue
        pod = copy.deepcopy(item)
        pod["spec"].pop("nodeName", None)
        pod["status"] = {"phase": "Pending"}
        pod["metadata"]["name"] += "-again"
        pod["metadata"]["uid"] = f"10000000-0000-4000-8000-{len(pods):012d}"
        pods.append(pod)
    return pods


def victims(nodes):
    return {node: {"Pods": [], "NumPDBViolations": 0} for node in nodes}


def record_classic(winnow, items, nodes, where):
    service = Winnow(winnow, "--cluster", str(SAMPLE), "--record", str(where), "--seed=7")
    for number, pod in enumerate(pods_to_ask(items)[:24]):
        args = {"Pod": pod, "Nodes": None, "NodeNames": nodes}
        service.post("/filter", args)
        service.post("/prioritize", args)
        if number % 3 == 0:
            service.post("/explain", {"Pod": pod})
        pod["spec"]["priority"] = 1000
        service.post("/preempt", {"Pod": pod, "NodeNameToMetaVictims": victims(nodes)})
    service.end()


def record_best(winnow, items, nodes, where, config):
    api = Api(items)
    service = Winnow(winnow, "--master", api.url, "--config", str(config), "--answer=best", "--allow-missing-rules",
                     "--record", str(where), "--seed=7")
    bound = []
    for number, pod in enumerate(pods_to_ask(items)[:36]):
        api.tell("ADDED", pod)
        args = {"Pod": pod, "Nodes": None, "NodeNames": nodes}
        answer = service.post("/filter", args)
        if number % 7 == 3:  # kube-scheduler did not take the node, and asks again.
            answer = service.post("/filter", args)
        given = answer["NodeNames"] or []
        if given and number % 3 != 2:  # The third is on its way for ever.
            pod["spec"]["nodeName"] = given[0]
            api.tell("MODIFIED", pod)
            bound.append(pod)
        if len(bound) > 20:
            api.tell("DELETED", bound.pop(0))
        if number % 6 == 0:
            service.post("/explain", {"Pod": pod})
    # The last events are to be in the recording: the watch is behind by a moment.
    time.sleep(1)
    service.end()


def renew(winnow):
    items = json.loads(SAMPLE.read_text())["items"]
    nodes = [item["metadata"]["name"] for item in items if item["kind"] == "Node"]
    with tempfile.TemporaryDirectory() as folder:
        config = pathlib.Path(folder) / "todays.yaml"
        config.write_text(TODAYS)
        where = pathlib.Path(folder) / "recording"
        record_classic(winnow, items, nodes, where)
        record_best(winnow, items, nodes, where, config)
        shutil.rmtree(FIXTURE, ignore_errors=True)
        shutil.copytree(where, FIXTURE)
        for file in FIXTURE.iterdir():
            file.chmod(0o644)


def self_test(winnow):
    """Changes a byte of one answer of each file. @return 0 if each is found."""
    with tempfile.TemporaryDirectory() as folder:
        for file in sorted(FIXTURE.iterdir()):
            lines = gzip.decompress(file.read_bytes()).decode().splitlines(keepends=True)
            changed = next(i for i, line in enumerate(lines) if line.startswith('{"answer"') and "FailedNodes" in line)
            lines[changed] = lines[changed].replace("FailedNodes", "FailedNodez", 1)
            (pathlib.Path(folder) / file.name).write_bytes(gzip.compress("".join(lines).encode()))
        made = subprocess.run([winnow, "replay", folder], capture_output=True, text=True)
        if made.returncode != 1 or f" {len(list(FIXTURE.iterdir()))} different," not in made.stdout:
            print(f"a changed answer is not found: code {made.returncode}\n{made.stdout}{made.stderr}", file=sys.stderr)
            return 1
    return 0


def main():
    winnow = sys.argv[1]
    if "--self-test" in sys.argv[2:]:
        return self_test(winnow)
    if "--renew" in sys.argv[2:]:
        renew(winnow)
    code = subprocess.run([winnow, "replay", str(FIXTURE)]).returncode
    if code == 1:
        print("An answer to the recorded calls is another now. If that is meant, record them anew:\n"
              f"    tests/recording/recording_test.py {winnow} --renew", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
