#!/usr/bin/env python3
"""Prints what decisions that are kept cost a request as a client sees it: over HTTP, on the loopback.

Two services have the same cluster; one keeps 10,000 decisions, the other none. A client asks them in turn, with the names of
all nodes and another pod each time. The ring is full before the first round. The services run on the first core, the client
on the second. The ratio is the median of the rounds' ratios of the median time. Both services are started anew several
times, because two processes differ by some per cent in where their memory lies.
Usage: tests/bench/kept_http.py BUILD_DIR [NODES…]     (100 1000 5000)
"""
import json
import os
import pathlib
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time

from simulate import TODAY, node

STARTS, ROUNDS, REQUESTS, WARM = 9, 10, 300, 10_500
NUMBER = "00000000"
POD = {"apiVersion": "v1", "kind": "Pod",
       "metadata": {"name": "an-app-6d4cf56db6-" + NUMBER, "namespace": "load", "labels": {"app": "a"},
                    "uid": "3f2504e0-4f89-11d3-9a0c-0305" + NUMBER},
       "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "100m", "memory": "256Mi"}}}]}}


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Service:
    """A Winnow that runs while the block does."""

    def __init__(self, winnow, files, flags):
        self.port, self.asked = free_port(), 0
        self.process = subprocess.Popen([winnow, "serve", "--cluster", files["cluster"], "--config", files["config"], "--port",
                                         str(self.port), *flags], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        preexec_fn=lambda: os.sched_setaffinity(0, {0}))

    def __enter__(self):
        for _ in range(300):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return self
            time.sleep(0.1)
        sys.exit("kept_http.py: the service does not answer")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def median_time(self, driver, path, body, requests=REQUESTS):
        """@return the median time of a request in microseconds."""
        shown = subprocess.run([driver, "--port", str(self.port), "--path", path, "--body", body, "--requests", str(requests),
                                "--seconds", "60", "--number", NUMBER, "--first", str(self.asked)],
                               capture_output=True, text=True, check=True,
                               preexec_fn=lambda: os.sched_setaffinity(0, {1})).stdout
        self.asked += requests
        if " 0 failed" not in shown:
            sys.exit(f"kept_http.py: requests failed: {shown}")
        return float(re.search(r"p50 ([0-9.]+) us", shown)[1])


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip().splitlines()[-1])
    build = pathlib.Path(sys.argv[1])
    winnow, driver = str(build / "winnow"), str(build / "tests/bench/http_driver")
    print(f"{'nodes':>6} {'call':>11} {'answer':>9} {'kept us':>8} {'not us':>8} {'ratio':>6}")
    for nodes in [int(word) for word in sys.argv[2:]] or [100, 1000, 5000]:
        with tempfile.TemporaryDirectory() as folder:
            files = {name: os.path.join(folder, name) for name in ("cluster", "config", "body")}
            names = [node(i) for i in range(nodes)]
            pathlib.Path(files["cluster"]).write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": names}))
            pathlib.Path(files["config"]).write_text(TODAY)
            pathlib.Path(files["body"]).write_text(
                json.dumps({"Pod": POD, "NodeNames": [each["metadata"]["name"] for each in names]}, separators=(",", ":")))
            for answer, path in (("best", "/filter"), ("complete", "/filter"), ("complete", "/prioritize")):
                flags = ["--answer", answer]
                pairs = []
                for _ in range(STARTS):
                    with Service(winnow, files, flags) as keeps, \
                         Service(winnow, files, [*flags, "--keep-decisions=0"]) as others:
                        for side in (keeps, others):
                            side.median_time(driver, path, files["body"], WARM)
                        pairs += [tuple(side.median_time(driver, path, files["body"]) for side in (keeps, others))
                                  for _ in range(ROUNDS)]
                kept, plain = (statistics.median(side) for side in zip(*pairs))
                ratio = statistics.median(a / b for a, b in pairs)
                print(f"{nodes:>6} {path[1:]:>11} {answer:>9} {kept:>8.1f} {plain:>8.1f} {ratio:>6.3f}", flush=True)


if __name__ == "__main__":
    main()
