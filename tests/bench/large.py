#!/usr/bin/env python3
"""Prints what answers about a large cluster cost that people read: explain, and what the page asks for.

The cluster is that of `winnow_kinds write`, read from its file. Each question is asked five times over one connection. Printed
are the answer's size, the time that its client waits, and the processor time that the service takes meanwhile; medians.
Usage: tests/bench/large.py BUILD_DIR [NODES PODS [FOLDER]]     (100000 1000000; a FOLDER keeps the cluster for the next run)
"""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from kept_http import free_port
from readers import ask, connect
from simulate import TODAY

TIMES = 5


def processor_seconds(service):
    """@return what all threads of the process have taken so far."""
    took = 0
    for task in pathlib.Path(f"/proc/{service.pid}/task").iterdir():
        took += int((task / "schedstat").read_text().split()[0])
    return took / 1e9


def start(winnow, folder):
    (folder / "config.yaml").write_text(TODAY)
    port = free_port()
    service = subprocess.Popen([winnow, "serve", "--cluster", folder / "cluster.json", "--config", folder / "config.yaml",
                                "--port", str(port), "--request-timeout", "60s"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while service.poll() is None:
        try:
            if ask(connect(port), "GET", "/readyz")[0] == 200:
                return service, connect(port)
        except OSError:
            pass
        time.sleep(0.2)
    sys.exit("large.py: the service does not start")


def measure(service, connection, method, path, body=None):
    waited, took, size = [], [], 0
    for _ in range(TIMES):
        before, begin = processor_seconds(service), time.perf_counter()
        status, answer = ask(connection, method, path, body)
        waited.append(1000 * (time.perf_counter() - begin))
        took.append(1000 * (processor_seconds(service) - before))
        size = len(answer)
        if status != 200:
            sys.exit(f"large.py: {path} is answered {status}: {answer[:200]}")
    print(f"{path:>40} {size / 1000:>10.0f} {statistics.median(waited):>9.0f} {statistics.median(took):>9.0f}", flush=True)


def measure_all(service, connection, folder):
    pod = json.loads((folder / "pods.json").read_text())["items"][0]
    hopeless = json.loads(json.dumps(pod))
    hopeless["spec"]["containers"][0]["resources"]["requests"]["cpu"] = "1000"
    names = json.loads(ask(connection, "GET", "/page/names?from=0")[1])["names"]
    print(f"{'question':>40} {'kB':>10} {'ms':>9} {'CPU ms':>9}")
    for what, one in (("a pod that fits", pod), ("a pod that fits nowhere", hopeless)):
        print(f"{what:>40}")
        body = json.dumps({"Pod": one})
        for path in ("/explain?limit=100", "/explain"):
            measure(service, connection, "POST", path, body)
    print(f"{'the page':>40}")
    for path in ("/page/overview", "/page/names?from=0", f"/page/node?name={names[0]}", "/page/pods?text=web"):
        measure(service, connection, "GET", path)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip().splitlines()[-1])
    build = pathlib.Path(sys.argv[1])
    nodes, pods = sys.argv[2:4] or ("100000", "1000000")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(sys.argv[4] if len(sys.argv) > 4 else temporary)
        if not (folder / "cluster.json").exists():
            folder.mkdir(parents=True, exist_ok=True)
            subprocess.run([build / "tests/bench/winnow_kinds", "write", folder, "today", nodes, pods], check=True)
        service, connection = start(build / "winnow", folder)
        try:
            measure_all(service, connection, folder)
        finally:
            service.terminate()
            service.wait()


if __name__ == "__main__":
    main()
