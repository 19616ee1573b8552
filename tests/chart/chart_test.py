#!/usr/bin/env python3
"""Holds manifests/chart against Helm itself, and against the plain manifests, which it renders with values put in.

    chart_test.py HELM      needs PyYAML: `make chart` has both

- Each way, with the values that the plain manifest has, renders the plain manifest's objects, and nothing else.
- Each value changes what it says. Values that are misspelt, missing or wrong are refused, with their name.
- Helm's lint finds nothing, and the packaged chart renders as the folder does.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHART = ROOT / "manifests" / "chart"
IMAGE = ["image.repository=REGISTRY/winnow", "image.tag=TAG"]


def helm(*arguments):
    return subprocess.run([HELM, *arguments], capture_output=True, text=True, check=False,
                          env={**os.environ, "HOME": tempfile.gettempdir()})


def template(*values, namespace="kube-system", chart=CHART, more=()):
    sets = [word for value in (*IMAGE, *values) for word in ("--set", value)]
    return helm("template", "winnow", str(chart), "--namespace", namespace, "--kube-version", "1.37.2", *sets, *more)


def by_name(text):
    """{kind/namespace/name: object}"""
    found = {}
    for one in yaml.safe_load_all(text):
        if one:
            meta = one["metadata"]
            key = f"{one['kind']}/{meta.get('namespace', '')}/{meta['name']}"
            assert key not in found, f"{key} is there twice"
            found[key] = one
    return found


def rendered(*values, **options):
    run = template(*values, **options)
    assert run.returncode == 0, run.stderr
    return by_name(run.stdout)


def plain(*names):
    return by_name("\n---\n".join((ROOT / "manifests" / f"{name}.yaml").read_text(encoding="utf-8") for name in names))


def one(objects, kind):
    """The only object of a kind."""
    found = [value for key, value in objects.items() if key.startswith(kind + "/")]
    assert len(found) == 1, f"{len(found)} of {kind}"
    return found[0]


def pod(objects):
    return one(objects, "Deployment")["spec"]["template"]


def hooks(objects):
    """What Helm runs at the end of a release, and does not install."""
    return {key: value for key, value in objects.items() if "helm.sh/hook" in value["metadata"].get("annotations", {})}


def winnow(objects):
    return next(container for container in pod(objects)["spec"]["containers"] if container["name"] == "winnow")


class Ways(unittest.TestCase):
    maxDiff = None

    def test_each_way_is_its_plain_manifest(self):
        for values, names in (
                (["way=nominate"], ["rbac", "nominator"]),
                (["way=second"], ["rbac", "second-scheduler"]),
                (["way=scores"], ["rbac", "standalone"]),
                (["way=scores", "tls.enabled=true"], ["rbac", "standalone-tls", "token-reviews"])):
            with self.subTest(values):
                expected, found = plain(*names), rendered(*values)
                self.assertEqual(set(found) - set(hooks(found)), set(expected))
                for key, value in expected.items():
                    if value["kind"] == "Deployment":  # The order of flags has no meaning.
                        winnow({key: value})["args"].sort()
                        winnow({key: found[key]})["args"].sort()
                    self.assertEqual(found[key], value, key)

    def test_the_gate_is_its_plain_manifest_and_its_flag(self):
        objects = rendered("gate.enabled=true")
        for key, value in plain("nominator-gate").items():
            self.assertEqual(objects[key], value, key)
        self.assertIn("--nominate-gate=winnow.dev/nominate", winnow(objects)["args"])
        self.assertNotIn("--nominate-gate=winnow.dev/nominate", winnow(rendered())["args"])

    def test_the_rights_to_read_measurements_are_those_of_the_plain_manifest(self):
        self.assertFalse([key for key in rendered() if "node-metrics" in key])
        for way, name in (("nominate", "winnow-nominator"), ("second", "winnow-scheduler"), ("scores", "winnow")):
            objects = rendered(f"way={way}", "nodeMetrics.metricsServer=true")
            expected = plain("node-metrics")
            binding = expected["ClusterRoleBinding//winnow-node-metrics"]
            binding["subjects"] = [subject for subject in binding["subjects"] if subject["name"] == name]
            with self.subTest(way):
                self.assertEqual(len(binding["subjects"]), 1)
                self.assertEqual(binding["subjects"][0]["name"], pod(objects)["spec"]["serviceAccountName"])
                for key, value in expected.items():
                    self.assertEqual(objects[key], value, key)
                self.assertIn("--node-metrics=metrics-server", winnow(objects)["args"])

    def test_what_is_run_when_it_is_removed_is_its_plain_manifest(self):
        expected, found = plain("withdraw"), hooks(rendered("gate.enabled=true"))
        self.assertEqual(set(found), set(expected))
        for key, value in expected.items():
            annotations = found[key]["metadata"].pop("annotations")
            self.assertEqual(annotations["helm.sh/hook"], "post-delete")
            self.assertEqual(annotations["helm.sh/hook-weight"], "1" if value["kind"] == "Job" else "0", "rights come first")
            self.assertEqual(found[key], value, key)

    def test_without_a_gate_its_rights_are_not_there_at_the_end(self):
        found = hooks(rendered())
        self.assertEqual(set(found), {key for key in plain("withdraw") if not key.endswith("-gate")})
        self.assertEqual(one(found, "Job")["spec"]["template"]["spec"]["containers"][0]["args"], ["withdraw", "--wait=60s"])
        for values in (["withdraw=false"], ["way=second"], ["way=scores"]):
            self.assertFalse(hooks(rendered(*values)))

    def test_monitors_and_alerts_are_their_plain_manifests(self):
        expected = {**plain("servicemonitor"), **by_name((ROOT / "manifests/monitoring/alerts.yaml").read_text(encoding="utf-8"))}
        for way, name in (("nominate", "winnow-nominator"), ("second", "winnow-scheduler"), ("scores", "winnow")):
            objects = rendered(f"way={way}", "serviceMonitor.enabled=true", "prometheusRule.enabled=true")
            with self.subTest(way):
                self.assertEqual(one(objects, "ServiceMonitor"), expected[f"ServiceMonitor/kube-system/{name}"])
                self.assertEqual(one(objects, "PrometheusRule"), expected["PrometheusRule/kube-system/winnow"])


class Values(unittest.TestCase):

    def test_another_namespace_is_meant_everywhere(self):
        for values in (["way=nominate", "gate.enabled=true"], ["way=second"], ["way=scores", "tls.enabled=true"]):
            objects = rendered(*values, "serviceMonitor.enabled=true", "prometheusRule.enabled=true", namespace="tools")
            gates = [value for key, value in objects.items() if key.startswith("MutatingAdmissionPolicy/")]
            for gate in gates:
                expressions = gate["spec"]["matchConstraints"]["namespaceSelector"]["matchExpressions"]
                self.assertEqual(expressions.pop(0)["values"], ["kube-system", "tools"])
            with self.subTest(values):
                self.assertNotIn("kube-system", yaml.safe_dump_all(objects.values()))

    def test_each_value_changes_what_it_says(self):
        objects = rendered(
            "image.repository=r.example/w", "image.tag=v9", "image.pullPolicy=Always", "imagePullSecrets[0].name=key", "replicas=3",
            "resources.limits.memory=2Gi", "priorityClassName=high", "nodeSelector.pool=infra", "tolerations[0].key=infra",
            "affinity.nodeAffinity.x=y", "podLabels.team=a", "podAnnotations.note=b", "topologySpread=false",
            "extraArgs[0]=--v=2", "rules=kind: Policy")
        spec, meta, container = pod(objects)["spec"], pod(objects)["metadata"], winnow(objects)
        self.assertEqual(one(objects, "Deployment")["spec"]["replicas"], 3)
        self.assertEqual((container["image"], container["imagePullPolicy"]), ("r.example/w:v9", "Always"))
        self.assertEqual(container["resources"]["limits"], {"memory": "2Gi"})
        self.assertEqual(container["args"][-1], "--v=2")
        self.assertEqual((spec["priorityClassName"], spec["nodeSelector"]), ("high", {"pool": "infra"}))
        self.assertEqual((spec["imagePullSecrets"], spec["tolerations"]), ([{"name": "key"}], [{"key": "infra"}]))
        self.assertEqual((spec["affinity"], meta["annotations"]), ({"nodeAffinity": {"x": "y"}}, {"note": "b"}))
        self.assertEqual(meta["labels"], {"app.kubernetes.io/name": "winnow-nominator", "team": "a"})
        self.assertNotIn("topologySpreadConstraints", spec)
        self.assertEqual(one(objects, "ConfigMap")["data"], {"rules.yaml": "kind: Policy"})
        job = one(objects, "Job")["spec"]["template"]["spec"]
        for field in ("priorityClassName", "nodeSelector", "imagePullSecrets", "tolerations", "affinity"):
            self.assertEqual(job[field], spec[field])
        self.assertEqual((job["containers"][0]["image"], job["containers"][0]["imagePullPolicy"]), ("r.example/w:v9", "Always"))

    def test_a_budget_is_there_where_it_helps(self):
        self.assertTrue(one(rendered(), "PodDisruptionBudget"))
        for values in (["podDisruptionBudget=false"], ["replicas=1"]):
            self.assertFalse([key for key in rendered(*values) if key.startswith("PodDisruptionBudget")])

    def test_the_second_scheduler_keeps_its_own_file(self):
        objects = rendered("way=second", "rules=kind: Policy", "kubeScheduler.image=r.example/k:v1.36.1")
        data = one(objects, "ConfigMap")["data"]
        self.assertEqual(data["rules.yaml"], "kind: Policy")
        self.assertIn("KubeSchedulerConfiguration", data["kube-scheduler.yaml"])
        self.assertEqual(pod(objects)["spec"]["containers"][0]["image"], "r.example/k:v1.36.1")

    def test_winnow_binds_where_that_is_asked_for(self):
        for value, verb in (("bind=false", None), ("bind=true", "bind")):
            objects = rendered("way=second", value)
            file = yaml.safe_load(one(objects, "ConfigMap")["data"]["kube-scheduler.yaml"])
            self.assertEqual(file["extenders"][0].get("bindVerb"), verb)
            self.assertEqual("--enable-bind" in winnow(objects)["args"], verb is not None)
            roles = [value["roleRef"]["name"] for key, value in objects.items() if "RoleBinding/" in key]
            self.assertNotIn("winnow-bind", roles, "its account may bind already")

    def test_prometheus_gets_its_queries_as_a_file(self):
        url, query = "nodeMetrics.prometheusURL=http://prometheus:9090", "nodeMetrics.queries.busy.query=max by (node) (x)"
        for more, sources in (([], ""), (["nodeMetrics.metricsServer=true"], "metrics-server,")):
            objects = rendered(url, query, *more)
            args = winnow(objects)["args"]
            self.assertIn(f"--node-metrics={sources}prometheus=http://prometheus:9090", args)
            self.assertIn("--node-metrics-queries=/etc/winnow/node-metrics.yaml", args)
            data = one(objects, "ConfigMap")["data"]
            self.assertEqual(yaml.safe_load(data["node-metrics.yaml"]), {"queries": {"busy": {"query": "max by (node) (x)"}}})
            self.assertIn("rules.yaml", data)
        for values, name in (([url], "nodeMetrics.queries"), ([query], "nodeMetrics.prometheusURL")):
            run = template(*values)
            self.assertNotEqual(run.returncode, 0)
            self.assertIn(f"needs {name}", run.stderr)

    def test_tls_takes_a_given_secret(self):
        objects = rendered("way=scores", "tls.enabled=true", "tls.certManager=false", "tls.secretName=mine", "tls.tokens=false",
                           "tls.allowedClientNames={a,b}", "serviceMonitor.enabled=true")
        self.assertFalse([key for key in objects if key.split("/")[0] in ("Issuer", "Certificate")])
        self.assertFalse([key for key in objects if "auth-delegator" in key])
        self.assertIn({"name": "tls", "secret": {"secretName": "mine"}}, pod(objects)["spec"]["volumes"])
        args = winnow(objects)["args"]
        self.assertIn("--allowed-client-names=a,b", args)
        self.assertNotIn("--authorization-webhook=apiserver", args)
        endpoint = one(objects, "ServiceMonitor")["spec"]["endpoints"][0]
        self.assertEqual((endpoint["port"], endpoint["scheme"]), ("https", "https"))
        self.assertEqual(endpoint["tlsConfig"]["ca"]["secret"], {"name": "mine", "key": "ca.crt"})

    def test_the_gate_names_the_schedulers(self):
        objects = rendered("gate.enabled=true", "gate.schedulerNames={a,b}")
        conditions = one(objects, "MutatingAdmissionPolicy")["spec"]["matchConditions"]
        self.assertIn({"name": "is-decided-by-winnow", "expression": 'object.spec.schedulerName in ["a","b"]'}, conditions)

    def test_a_network_policy_is_for_the_port_of_the_way(self):
        for way, port in (("nominate", 10291), ("second", 10291), ("scores", 10290)):
            objects = rendered(f"way={way}", "networkPolicy.enabled=true", "networkPolicy.from[0].ipBlock.cidr=10.0.0.0/8")
            policy = one(objects, "NetworkPolicy")["spec"]
            labels = pod(objects)["metadata"]["labels"]
            self.assertEqual(policy["podSelector"]["matchLabels"], labels)
            self.assertEqual(policy["ingress"], [{"ports": [{"port": port}], "from": [{"ipBlock": {"cidr": "10.0.0.0/8"}}]}])

    def test_the_dashboard_is_the_file(self):
        made = one({k: v for k, v in rendered("dashboard.enabled=true").items() if "dashboard" in k}, "ConfigMap")
        self.assertEqual(made["metadata"]["labels"], {"app.kubernetes.io/name": "winnow", "grafana_dashboard": "1"})
        self.assertEqual(made["data"]["winnow.json"], (ROOT / "manifests/monitoring/dashboard.json").read_text(encoding="utf-8"))


class BadValues(unittest.TestCase):

    def refused(self, says, *values):
        run = template(*values)
        with self.subTest(values):
            self.assertNotEqual(run.returncode, 0)
            self.assertIn(says, run.stderr)

    def test_each_is_refused_with_its_name(self):
        self.refused("image.repository is required", "image.repository=")
        self.refused("image.tag is required", "image.tag=")
        self.refused("way", "way=extender")
        self.refused("replica", "replica=2")
        self.refused("enable", "tls.enable=true")
        self.refused("replicas", "replicas=two")
        self.refused("pullPolicy", "image.pullPolicy=Sometimes")
        self.refused("extraArgs", "extraArgs[0]=verbose")
        self.refused("gate.enabled is for the way nominate alone", "way=second", "gate.enabled=true")
        self.refused("gate.enabled is for the way nominate alone", "way=scores", "gate.enabled=true")
        self.refused("tls.enabled is for the way scores alone", "way=nominate", "tls.enabled=true")
        self.refused("tls.enabled is for the way scores alone", "way=second", "tls.enabled=true")
        self.refused("bind is for the way second alone", "way=nominate", "bind=true")
        self.refused("bind is for the way second alone", "way=scores", "bind=true")
        self.refused("withdraw", "withdraw=yes")
        self.refused("schedulerNames", "gate.schedulerNames=null", "gate.schedulerNames={}")


class Helm(unittest.TestCase):

    def test_lint_finds_nothing(self):
        run = helm("lint", str(CHART), "--strict", "--set", ",".join(IMAGE))
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_the_package_has_all_files(self):
        with tempfile.TemporaryDirectory() as folder:
            run = helm("package", str(CHART), "--destination", folder)
            self.assertEqual(run.returncode, 0, run.stderr)
            packed = next(pathlib.Path(folder).glob("winnow-*.tgz"))
            everything = ["gate.enabled=true", "serviceMonitor.enabled=true", "prometheusRule.enabled=true", "dashboard.enabled=true"]
            self.assertEqual(rendered(*everything, chart=packed), rendered(*everything))

    def test_the_chart_has_winnows_version(self):
        chart = yaml.safe_load((CHART / "Chart.yaml").read_text(encoding="utf-8"))
        project = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
        self.assertIn(f"project(winnow VERSION {chart['version']} ", project)
        self.assertEqual(chart["appVersion"], chart["version"])


if __name__ == "__main__":
    if len(sys.argv) < 2 or not os.path.exists(sys.argv[1]):
        sys.exit(__doc__)
    HELM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
