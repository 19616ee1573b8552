#!/usr/bin/env python3
"""Prints how long filter takes as a client sees it, alone and beside clients that read all the time.

The cluster has three pods on each node, and 200 pods that wait. The readers keep one request each in flight: /page/waiting,
/page/pods, /explain, /metrics, or a quarter of each. One client asks /filter about all nodes by name, another pod each time,
with a pause of 5 ms. Winnow and all clients share the cores that the script may use: give it two, as by taskset -c 0,1.
Usage: tests/bench/readers.py BUILD_DIR [NODES [CLIENTS [SECONDS]]]     (5000 100 20)
"""
import http.client
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from kept_http import NUMBER, POD, free_port
from simulate import TODAY, node

WAITING, PODS_A_NODE, PAUSE = 200, 3, 0.005


def pod(i, node_name=None):
    spec = {"containers": [{"name": "c", "resources": {"requests": {"cpu": "100m" if node_name else f"{40 + i % 20}"}}}]}
    if node_name:
        spec["nodeName"] = node_name
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"p-{i}", "namespace": "load", "uid": f"u{i}",
                                                            "labels": {"app": f"a{i % 50}"}},
            "spec": spec, "status": {"phase": "Running" if node_name else "Pending"}}


def cluster(nodes):
    items = [node(i) for i in range(nodes)]
    items += [pod(i, items[i % nodes]["metadata"]["name"]) for i in range(nodes * PODS_A_NODE)]
    return {"apiVersion": "v1", "kind": "List",
            "items": items + [pod(nodes * PODS_A_NODE + i) for i in range(WAITING)]}


def serve(winnow, folder, nodes):
    files = {name: os.path.join(folder, name) for name in ("cluster", "config")}
    pathlib.Path(files["cluster"]).write_text(json.dumps(cluster(nodes)))
    pathlib.Path(files["config"]).write_text(TODAY)
    port = free_port()
    service = subprocess.Popen([winnow, "serve", "--cluster", files["cluster"], "--config", files["config"], "--port",
                                str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(600):
        try:
            if ask(connect(port), "GET", "/readyz")[0] == 200:
                return service, port
        except OSError:
            pass
        time.sleep(0.1)
    sys.exit("readers.py: the service does not answer")


def connect(port):
    return http.client.HTTPConnection("127.0.0.1", port, timeout=60)


def ask(connection, method, path, body=None):
    connection.request(method, path, body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    return answer.status, answer.read()


def filter_times(port, nodes, seconds):
    """@return the sorted times of filter in ms, and how many were not answered with 200."""
    text = json.dumps({"Pod": POD, "NodeNames": [node(i)["metadata"]["name"] for i in range(nodes)]}, separators=(",", ":"))
    connection, times, failed = connect(port), [], 0
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        body = text.replace(NUMBER, f"{len(times):0{len(NUMBER)}}")
        begin = time.perf_counter()
        status, _ = ask(connection, "POST", "/filter", body)
        times.append(1000 * (time.perf_counter() - begin))
        failed += status != 200
        time.sleep(PAUSE)
    return sorted(times), failed


def readers(driver, port, folder, kinds, clients, seconds):
    body = os.path.join(folder, "asked")
    pathlib.Path(body).write_text(json.dumps({"Namespace": "load", "Name": "p-1"}))
    return [subprocess.Popen([driver, "--port", str(port), "--method", method, "--path", path, "--connections",
                              str(clients // len(kinds)), "--seconds", str(seconds)] + (["--body", body] if method == "POST" else []),
                             stdout=subprocess.PIPE, text=True) for method, path in kinds]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip().splitlines()[-1])
    build = pathlib.Path(sys.argv[1])
    nodes, clients, seconds = ([int(word) for word in sys.argv[2:]] + [5000, 100, 20][len(sys.argv) - 2:])
    alone = []
    waiting, pods, explain, metrics = ("GET", "/page/waiting"), ("GET", "/page/pods?text=p-1"), ("POST", "/explain"), ("GET", "/metrics")
    print(f"{'beside':>14} {'filters':>8} {'failed':>7} {'p50 ms':>8} {'p99 ms':>8} {'max ms':>8}  reads answered")
    with tempfile.TemporaryDirectory() as folder:
        service, port = serve(str(build / "winnow"), folder, nodes)
        try:
            for name, kinds in (("nobody", alone), ("/page/waiting", [waiting]), ("/page/pods", [pods]), ("/explain", [explain]),
                                ("/metrics", [metrics]), ("all of these", [waiting, pods, explain, metrics])):
                running = readers(str(build / "tests/bench/http_driver"), port, folder, kinds, clients, seconds + 2)
                time.sleep(1)
                times, failed = filter_times(port, nodes, seconds)
                read = sum(int(one.communicate()[0].split()[0] or 0) for one in running)
                print(f"{name:>14} {len(times):>8} {failed:>7} {times[len(times) // 2]:>8.2f} {times[len(times) * 99 // 100]:>8.2f} "
                      f"{times[-1]:>8.2f}  {read}", flush=True)
        finally:
            service.terminate()
            service.wait()


if __name__ == "__main__":
    main()
