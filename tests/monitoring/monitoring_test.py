#!/usr/bin/env python3
"""Holds manifests/monitoring against Prometheus itself: its promtool, and a Prometheus that scrapes a real Winnow.

    monitoring_test.py WINNOW      needs prometheus, promtool and PyYAML: `make monitoring` has them

- alerts.yaml: promtool takes the rules; each alert fires when it should, and is quiet before (alerts_test.yaml); each has
  its section in docs/operate.md.
- /metrics: promtool finds nothing to mend.
- A Winnow that asks for client certificates is scraped over TLS with one, and not without.
- dashboard.json: each query gives data, but where it is about a watch, which a Winnow with a cluster from a file has none of.
- Every metric that an alert or a query names is one of Winnow's, or of those that stand in OTHERS.
"""
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse
import urllib.request

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
MONITORING = ROOT / "manifests" / "monitoring"
OTHERS = {"up", "scheduler_schedule_attempts_total"}  # Prometheus' own, and kube-scheduler's.
ONLY_OF_WATCHES = {"winnow_watch_age_seconds", "winnow_watch_events_total", "winnow_watch_errors_total"}
LIMIT = 60  # Seconds to wait for what must come.


def alerts():
    groups = yaml.safe_load((MONITORING / "alerts.yaml").read_text(encoding="utf-8"))["spec"]["groups"]
    return [rule for group in groups for rule in group["rules"]]


def queries():
    """(panel's title, query) of the dashboard, with its variables filled in."""
    for panel in json.loads((MONITORING / "dashboard.json").read_text(encoding="utf-8"))["panels"]:
        for target in panel.get("targets", []):
            yield panel["title"], target["expr"].replace("$instance", ".*").replace("$__rate_interval", "5s")


def metrics_of(query):
    """The names of metrics, those of a histogram's series included."""
    return set(re.findall(r"\b(?:winnow|process|scheduler)_\w+", query)) | ({"up"} if re.search(r"\bup\{", query) else set())


def families(text):
    return set(re.findall(r"^# TYPE (\S+)", text, re.MULTILINE))


def family(metric):
    return re.sub(r"_(bucket|sum|count)$", "", metric)


def fetch(url, body=None):
    headers = {"Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=10) as answer:
        return answer.read().decode()


def until(found, what):
    """Waits until `found` gives something true, and gives it."""
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        try:
            if result := found():
                return result
        except OSError:
            pass
        time.sleep(.1)
    raise AssertionError(f"{what}: not within {LIMIT} s")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def openssl(folder, *arguments):
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


def make_certificates(folder):
    """ca.crt; server.crt and client.crt with their keys, of that authority. The server's name is localhost."""
    openssl(folder, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.crt", "-subj", "/CN=ca",
            "-days", "30")
    for name, extension in ("server", "subjectAltName=DNS:localhost"), ("client", "extendedKeyUsage=clientAuth"):
        openssl(folder, "req", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.csr",
                "-subj", f"/CN={name}")
        (pathlib.Path(folder) / f"{name}.ext").write_text(extension, encoding="utf-8")
        openssl(folder, "x509", "-req", "-in", f"{name}.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial",
                "-out", f"{name}.crt", "-days", "30", "-extfile", f"{name}.ext")


class Files(unittest.TestCase):
    """What stands in the files."""

    def test_each_alert_says_how_bad_it_is_what_it_is_and_where_its_section_is(self):
        document = (ROOT / "docs" / "operate.md").read_text(encoding="utf-8")
        sections = {line.lstrip("#").strip() for line in document.splitlines() if line.startswith("#")}
        for alert in alerts():
            with self.subTest(alert["alert"]):
                self.assertIn(alert["labels"]["severity"], ("warning", "critical"))
                self.assertTrue(alert["annotations"]["summary"].strip().endswith("."))
                self.assertEqual(alert["annotations"]["runbook"], f"docs/operate.md#{alert['alert'].lower()}")
                self.assertIn(alert["alert"], sections)

    def test_the_scrape_config_without_the_operator_finds_what_the_monitors_find(self):
        monitors = yaml.safe_load_all((ROOT / "manifests" / "servicemonitor.yaml").read_text(encoding="utf-8"))
        wanted = {one["spec"]["selector"]["matchLabels"]["app.kubernetes.io/name"] for one in monitors}
        block = (ROOT / "docs" / "operate.md").read_text(encoding="utf-8").split("```yaml\nscrape_configs:")[1].split("```")[0]
        (job,) = yaml.safe_load("scrape_configs:" + block)["scrape_configs"]
        self.assertEqual(set(job["relabel_configs"][0]["regex"].split("|")), wanted)

    def test_each_alert_is_tested_quiet_and_firing(self):
        groups = yaml.safe_load((ROOT / "tests/monitoring/alerts_test.yaml").read_text(encoding="utf-8"))["tests"]
        tests = [test for group in groups for test in group["alert_rule_test"]]
        for alert in alerts():
            outcomes = [bool(test["exp_alerts"]) for test in tests if test["alertname"] == alert["alert"]]
            with self.subTest(alert["alert"]):
                self.assertGreaterEqual(outcomes.count(False), 1)
                self.assertGreaterEqual(outcomes.count(True), 1)

    def test_each_alert_fires_when_it_should(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(ROOT / "tests/monitoring/alerts_test.yaml", folder)
            rules = yaml.safe_load((MONITORING / "alerts.yaml").read_text(encoding="utf-8"))["spec"]
            (pathlib.Path(folder) / "alerts.rules.yaml").write_text(yaml.safe_dump(rules), encoding="utf-8")
            for command in (["check", "rules", "--lint-fatal", "alerts.rules.yaml"], ["test", "rules", "alerts_test.yaml"]):
                run = subprocess.run(["promtool", *command], cwd=folder, capture_output=True, text=True, check=False)
                self.assertEqual(run.returncode, 0, run.stdout + run.stderr)


class Scraped(unittest.TestCase):
    """A Prometheus that scrapes a Winnow, which is asked about a pod again and again."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.winnow = f"http://127.0.0.1:{(port := free_port())}"
        cls.prometheus = f"http://127.0.0.1:{(own := free_port())}"
        cls.processes = [subprocess.Popen(
            [WINNOW, "serve", "--cluster", str(ROOT / "manifests/sample-cluster.json"), "--port", str(port)],
            stderr=subprocess.DEVNULL)]
        until(lambda: fetch(cls.winnow + "/readyz"), "Winnow is ready")
        make_certificates(cls.folder.name)
        at = lambda name: os.path.join(cls.folder.name, name)  # noqa: E731
        cls.processes.append(subprocess.Popen(
            [WINNOW, "serve", "--cluster", str(ROOT / "manifests/sample-cluster.json"), "--port", str(tls_port := free_port()),
             "--tls-cert-file", at("server.crt"), "--tls-private-key-file", at("server.key"), "--client-ca-file", at("ca.crt")],
            stderr=subprocess.DEVNULL))
        over_tls = {"scheme": "https", "static_configs": [{"targets": [f"127.0.0.1:{tls_port}"]}]}
        checks = {"ca_file": at("ca.crt"), "server_name": "localhost"}
        shows = {"cert_file": at("client.crt"), "key_file": at("client.key")}
        for _ in range(3):
            cls.ask()
        config = pathlib.Path(cls.folder.name) / "prometheus.yml"
        config.write_text(json.dumps({"global": {"scrape_interval": "1s"}, "scrape_configs": [
            {"job_name": "winnow", "static_configs": [{"targets": [f"127.0.0.1:{port}"]}]},
            {"job_name": "over-tls", "tls_config": {**checks, **shows}, **over_tls},
            {"job_name": "without-certificate", "tls_config": checks, **over_tls}]}), encoding="utf-8")
        cls.processes.append(subprocess.Popen(
            ["prometheus", f"--config.file={config}", f"--storage.tsdb.path={cls.folder.name}/data",
             f"--web.listen-address=127.0.0.1:{own}", "--log.level=error"]))
        until(lambda: cls.data("count_over_time(winnow_build_info[1m]) > 2"), "Prometheus has scraped Winnow three times")

    @classmethod
    def tearDownClass(cls):
        for process in reversed(cls.processes):
            process.terminate()
            process.wait(30)
        cls.folder.cleanup()

    @classmethod
    def ask(cls):
        pod = {"metadata": {"name": "asked", "namespace": "default", "uid": "asked"}, "spec": {"containers": [{"name": "c"}]}}
        nodes = [f"node-{i:05}" for i in range(8)]
        body = json.dumps({"Pod": pod, "NodeNames": nodes}).encode()
        fetch(cls.winnow + "/filter", body)
        fetch(cls.winnow + "/prioritize", body)

    @classmethod
    def data(cls, query):
        answer = json.loads(fetch(f"{cls.prometheus}/api/v1/query?{urllib.parse.urlencode({'query': query})}"))
        return answer["data"]["result"]

    def test_over_tls_a_client_certificate_is_needed(self):
        until(lambda: self.data('up{job="over-tls"} == 1'), "Prometheus scrapes over TLS with a client certificate")
        until(lambda: self.data('winnow_build_info{job="over-tls"}'), "and has metrics of it")
        until(lambda: self.data('up{job="without-certificate"} == 0'), "without a client certificate it does not")
        self.assertEqual(self.data('winnow_build_info{job="without-certificate"}'), [])

    def test_promtool_finds_nothing_to_mend(self):
        text = fetch(self.winnow + "/metrics")
        run = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stdout + run.stderr), (0, ""))

    def test_alerts_and_queries_name_metrics_that_there_are(self):
        known = families(fetch(self.winnow + "/metrics")) | OTHERS
        for source in ROOT.glob("extender/service/metrics/*.h"):
            known |= set(re.findall(r'"(winnow_(?:watch|node_metrics|expression)_\w+)"', source.read_text(encoding="utf-8")))
        for source in ROOT.glob("extender/service/metrics/*.cc"):
            known |= set(re.findall(r'"(winnow_(?:watch|node_metrics|expression)_\w+)"', source.read_text(encoding="utf-8")))
        for name, query in [*((alert["alert"], alert["expr"]) for alert in alerts()), *queries()]:
            with self.subTest(name, query=query):
                self.assertTrue(metrics_of(query))
                self.assertEqual({metric for metric in metrics_of(query) if family(metric) not in known}, set())

    def test_each_query_of_the_dashboard_gives_data(self):
        for title, query in queries():
            with self.subTest(title, query=query):
                def asked(query=query):
                    self.ask()
                    return self.data(query)
                if metrics_of(query) & ONLY_OF_WATCHES:
                    self.assertEqual(self.data(query), [])
                else:
                    until(asked, title)

    def test_prometheus_takes_each_alert(self):
        for alert in alerts():
            with self.subTest(alert["alert"]):
                self.assertEqual(self.data(alert["expr"]), [])


if __name__ == "__main__":
    if len(sys.argv) < 2 or not os.path.exists(sys.argv[1]):
        sys.exit(__doc__)
    WINNOW = sys.argv.pop(1)
    unittest.main()
