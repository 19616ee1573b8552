#!/usr/bin/env python3
"""Writes seeded, hard, random clusters for the classic rules: DIR/SEED/{cluster,policy,pods}.json.

    generate.py DIR FIRST COUNT [MODE]

MODE `known` adds what is known to differ (see KNOWN below), so that it hides nothing else by default; MODE `quantities`
makes clusters that do nothing but compare amounts written in different ways.

Everything is as an API server could return it or a little worse: values that validation lets through but that
rules read in unexpected ways are what this is for. One seed, one cluster: the same on every machine.
"""
import json
import os
import random
import sys

OLD_ZONE, OLD_REGION = "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region"
NEW_ZONE, NEW_REGION = "topology.kubernetes.io/zone", "topology.kubernetes.io/region"
AVOID = "scheduler.alpha.kubernetes.io/preferAvoidPods"
CPU = ["0", "100m", "1500u", "1", "1.5", "250m", "0.1", "500m", "2", "10m", "1n", "33m", "0m", "1e-1", "+1"]
MEMORY = ["0", "100m", "1.5Gi", "1e3", "200Mi", "1Gi", "512Mi", "100M", "0.5Gi", "1", "1500000k", "3e8", "129e6", "1Ki",
          "0.001", "64Mi", "1E", "1.0000001Gi"]
STORAGE = ["0", "1Gi", "10Gi", "1e9", "500m", "1k"]
SCALARS = ["example.com/gpu", "hugepages-2Mi", "example.com/widget", "kubernetes.io/batch", "attachable-volumes-aws-ebs",
           "foo", "requests.example.com/x", "example.com/-bad", "example.com/a_B.c", "storage", "hugepages-", "pods",
           "Example.com/gpu", "a/b/c", "x.kubernetes.io/y"]
COUNTS = ["0", "1", "2", "4", "8", "1e1", "500m", "1500m", "2Mi", "100Mi"]
KEYS = ["disktype", "num", "tier", "empty", "example.com/rack", OLD_ZONE, "absent", "kubernetes.io/hostname"]
VALUES = ["ssd", "hdd", "", "a", "b", "z1", "z2"]
NUMBERS = ["5", "08", "-3", "abc", "1.5", "", "9223372036854775807", "9223372036854775808", "+7", "0", "007", "10", "-0",
           "1e3", "0x10", "1_000", " 5"]
IMAGES = ["nginx", "nginx:1.17", "nginx:latest", "repo:5000/app", "repo:5000/app:latest", "repo:5000/app:v2",
          "busybox@sha256:abcd", "gcr.io/p/big", "gcr.io/p/big:latest", "a/b/c:x", "", ":", "x:", "Nginx:latest"]
EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"]
NAMESPACES = ["default", "default", "default", "other", "kube-system"]


STRANGE = ["-1", "-100m", "9223372036854775807", "8E", "9E", "10E", "1e19", "1e18", "7Ei", "8Ei", "9223372036854775808", "123456789012345678901n",
           "1e-7", ".5", "5.", "1e+3", "0.3Mi", "-0", "1u", "999999999999999999999999", "4611686018427387904", "1000000000000000001m",
           "00012", "-8Ei", "3.0000000000000000001", "1E3", "0.0000000001", "922337203685477580", "922337203685477581"]


KNOWN = False  # Adds what differs (annotation keys that only Unicode folds, lone surrogates) to what once did.
TIMES = ["2016-05-18T01:23:45,5Z", "2016-02-30T01:23:45Z", "2016-02-29T01:23:45Z", "2016-05-18t01:23:45z",
         "2016-05-18T24:00:00Z", "2016-05-18T23:59:60Z", "2016-05-18T01:23:45+24:00", "2016-05-18T01:23:45+23:59", "2016-05-18T01:23:45.Z",
         "2016-05-18T01:23:45", "2016-05-18", "0000-01-01T00:00:00Z", "10000-01-01T00:00:00Z", "2016-05-18T01:23:45+0200",
         "2016-05-18T01:23:45.123456789012Z", "2016-05-18T01:23:45+02:60", " 2016-05-18T01:23:45Z"]


class Maker:
    """One seed's choices. A cluster has a mood: `roomy` ones let most pods fit (so that scores are compared), `calm`
    ones have few broken things, `strange` ones have quantities at the edges of int64."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.roomy = self.r.random() < .6
        self.calm = self.r.random() < .5
        self.strange = self.r.random() < .12
        self.scoring = self.roomy and self.r.random() < .5
        self.zones, self.scalar_chance = [], 0

    def quantity(self, usual, millis=False):
        if self.strange and self.p(.25):
            return self.one(STRANGE)
        if self.p(.4):
            if millis:
                return f"{self.r.randint(0, 1500)}m"
            return self.one([f"{self.r.randint(0, 2 * 10**9)}", f"{self.r.randint(0, 2000)}Mi", f"{self.r.randint(0, 10**12)}m"])
        return self.one(usual)

    def p(self, chance):
        return self.r.random() < chance

    def one(self, values):
        return self.r.choice(values)

    def some(self, values, least, most):
        return [self.one(values) for _ in range(self.r.randint(least, most))]

    # ---- nodes ----

    def node_labels(self, i):
        labels = {}
        if self.p(.85):
            labels["kubernetes.io/hostname"] = f"n{i}"
        if self.zones and self.p(.8):
            labels[OLD_ZONE] = self.one(self.zones)
        if self.zones and self.p(.6):
            labels[OLD_REGION] = self.one(["r1", "r1", "r2", ""])
        if self.p(.4):
            labels[NEW_ZONE] = self.one(["z1", "z2", "z9"])
        if self.p(.3):
            labels[NEW_REGION] = self.one(["r1", "r9"])
        if self.p(.6):
            labels["disktype"] = self.one(["ssd", "hdd", "ssd"])
        if self.p(.6):
            labels["num"] = self.one(NUMBERS)
        if self.p(.4):
            labels["tier"] = self.one(VALUES)
        if self.p(.3):
            labels["empty"] = ""
        if self.p(.3):
            labels["example.com/rack"] = self.one(NUMBERS + VALUES)
        return labels

    def taint(self):
        t = {"key": self.one(["dedicated", "gpu", "node.kubernetes.io/unschedulable", "a", "b", "node.kubernetes.io/not-ready"]),
             "effect": self.one(EFFECTS + (["PreferNoSchedule"] * 6 if self.calm else []))}
        if self.p(.6):
            t["value"] = self.one(["x", "y", "", "true"])
        return t

    def conditions(self):
        out = []
        for kind, good in [("Ready", "True"), ("MemoryPressure", "False"), ("DiskPressure", "False"),
                           ("PIDPressure", "False"), ("NetworkUnavailable", "False"), ("Strange", "False")]:
            if self.p(.7):
                status = good if self.p(.985 if self.calm else .85) else self.one(["True", "False", "Unknown", "", "true"])
                out.append({"type": kind, "status": status})
                if KNOWN and self.p(.05):
                    out.append({"type": kind, "status": self.one(["True", "False", "Unknown"])})
        self.r.shuffle(out)
        return out

    def avoid(self):
        def controller():
            kind = self.one(["ReplicaSet"] * 8 + ["ReplicationController", "StatefulSet", "replicaset"])
            c = {"kind": kind, "name": self.one(["web", "db"]), "uid": self.one(["u1", "u2", "u3", ""]), "apiVersion": "v1"}
            if self.p(.5):
                c["controller"] = self.one([True, False])
            if self.p(.05):
                c[self.one(["uid", "name", "kind", "controller"])] = self.one([None, 5, [], {}, "x"])
            return c
        def entry():
            e = {"podSignature": {"podController": controller()}}
            if self.p(.3):
                e["evictionTime"] = self.one(["2016-05-18T01:23:45Z", "nonsense", None, "2016-05-18T01:23:45.5+02:00", 5, ""] + TIMES + (["2016-05-18T1:23:45Z"] if KNOWN else []))
            if self.p(.3):
                e["reason"] = self.one(["because", 1, None])
            if self.p(.1):
                e[self.one(["unknown", "Reason", "podsignature", "x"] + (["pod\u017fignature"] if KNOWN else []))] = self.one(
                    [{"x": [1, 2]}, 1e300, None, "\ud800" if KNOWN else "x", "caf\u00e9", True, {"podController": {"uid": "u1"}}, {"podController": {"KIND": "ReplicaSet"}}])
            if self.p(.08):
                e = self.one([[], "x"] + ([None, {}, {"podSignature": None}, {"podSignature": {}}, {"podSignature": {"podController": None}}]
                             if self.p(.1) else []))  # Those kill upstream.
            if self.p(.08):
                e = {"PodSignature": {"PODCONTROLLER": controller()}}
            return e
        text = json.dumps({"preferAvoidPods": [entry() for _ in range(self.r.randint(0, 3))]})
        if self.p(.03):
            text = self.one([text.replace('"u1"', '"\\u00751"'), text.replace('"uid"', '"u\\u0069d"'), text.replace('"u1"', '"u1\\ud800"' if KNOWN else '"u1\\ud83d\\ude00"'),
                             text.replace('"u1"', "'u1'"), text.replace("}", ",}", 1), text.replace('"v1"', "01"), text.replace('"v1"', "1e999"),
                             "/**/" + text, text.replace('"v1"', '"v\t1"'), text.replace("ReplicaSet", "ReplicaSet\\u0000"), "\t\r\n " + text,
                             "\u00a0" + text, text.replace('"v1"', "-"), text.replace('"v1"', "NaN"), text + "\u0000", text.replace('"kind"', '"\u212aind"' if KNOWN else '"KIND"')])
        elif self.p(.12):
            text = self.one(["", "{", "null", "[]", "{}", "5", '"x"', text + "x", text + " \n", text[:-1], text.replace('"uid"', '"UID"'),
                             text.replace("preferAvoidPods", "PreferAvoidPods"), '{"preferAvoidPods":null}', '{"preferAvoidPods":{}}',
                             '\ufeff' + text, text.replace(":", ": ", 3), text[:-1] + ',"preferAvoidPods":[]}'])
        return text

    def node(self, i):
        allocatable = {}
        if self.roomy and self.p(.9):
            allocatable["cpu"] = self.one(["16", "32", "24000m", f"{self.r.randint(8000, 40000)}m"])
            allocatable["memory"] = self.one(["32Gi", "64Gi", "1e11", f"{self.r.randint(10**10, 10**11)}", f"{self.r.randint(10**13, 10**14)}m"])
            if self.strange and self.p(.5):
                allocatable["memory"] = self.one(STRANGE)
            if self.strange and self.p(.2):
                allocatable["cpu"] = self.one(STRANGE)
        elif self.p(.95):
            allocatable["cpu"] = self.quantity(["4", "2", "0", "1500m", "8", "4000m", "3.3", "1500u", "16"])
            allocatable["memory"] = self.quantity(["4Gi", "8Gi", "0", "16Gi", "1.5Gi", "1e9", "32Gi", "100m", "4000000k"])
        if self.p(.93):
            allocatable["pods"] = self.one(["110", "10", "5", "2", "0", "1500m"]) if self.p(.1 if self.roomy else .5) else "110"
        if self.roomy or self.p(.7):
            allocatable["ephemeral-storage"] = self.one(["10Gi", "0", "100Gi", "1e9"])
        for name in SCALARS:
            if self.p(.25):
                allocatable[name] = self.one(COUNTS)
        images = []
        for _ in range(self.r.randint(0, 6)):
            names = self.some(IMAGES, 0 if self.p(.1) else 1, 2)
            images.append({"names": names, "sizeBytes": self.one([self.r.randint(10**7, 2 * 10**9), 0, 1, 24117248, 50_000_000, 300_000_000, 1_048_576_000, 2_000_000_000,
                                                                   123_456_789, 10**13])})
        meta = {"name": f"n{i}", "labels": self.node_labels(i)}
        if self.p(.8 if self.scoring else .35):
            meta["annotations"] = {AVOID: self.avoid()}
        spec = {}
        if self.scoring:
            spec["taints"] = [{**self.taint(), "effect": "PreferNoSchedule" if self.p(.97) else "NoSchedule"} for _ in range(self.r.randint(0, 5))]
        elif self.p(.55):
            spec["taints"] = [self.taint() for _ in range(self.r.randint(0, 3))]
        if self.p(.04 if self.calm else .12):
            spec["unschedulable"] = self.one([True, True, False])
        status = {"allocatable": allocatable, "capacity": {"cpu": "64", "memory": "64Gi", "pods": "500"},
                  "conditions": self.conditions(), "images": images}
        return {"kind": "Node", "apiVersion": "v1", "metadata": meta, "spec": spec, "status": status}

    # ---- pods ----

    def requests(self):
        out = {}
        if self.p(.6):
            out["cpu"] = self.quantity(CPU, millis=True)
        if self.p(.6):
            out["memory"] = self.quantity(MEMORY[:-2] if self.roomy else MEMORY)
        if self.p(.15):
            out["ephemeral-storage"] = self.quantity(STORAGE)
        for name in SCALARS:
            if self.p(self.scalar_chance):
                out[name] = self.one(COUNTS)
        return out

    def container(self, name):
        c = {"name": name, "image": self.one(IMAGES)}
        if self.p(.65 * self.asks):
            c["resources"] = {"requests": self.requests()}
            if self.p(.3):
                c["resources"]["limits"] = self.requests()
        elif self.p(.5):
            c["resources"] = self.one([{}, {"requests": {}}, {"limits": {"cpu": "0"}}, {"limits": {"memory": "1Gi"}}])
        if self.p(.25):
            c["ports"] = []
            for _ in range(self.r.randint(1, 3)):
                port = {"containerPort": 80}
                if self.p(.75):
                    port["hostPort"] = self.one([80, 80, 443, 8080, 0])
                if self.p(.6):
                    port["protocol"] = self.one(["TCP", "UDP", "SCTP", "", "TCP"])
                if self.p(.5):
                    port["hostIP"] = self.one(["", "0.0.0.0", "127.0.0.1", "::", "10.0.0.1"])
                c["ports"].append(port)
        return c

    def volume(self, name):
        v = {"name": name}
        ro = self.one([{}, {"readOnly": True}, {"readOnly": False}, {"readOnly": True}])
        kind = self.r.randint(0, 9)
        if kind <= 1:
            v["gcePersistentDisk"] = {"pdName": self.one(["d1", "d2", ""]), **ro}
        elif kind == 2:
            v["awsElasticBlockStore"] = {"volumeID": self.one(["d1", "vol-2", "aws://z/vol-2"]), **ro}
        elif kind <= 4:
            v["rbd"] = {"monitors": self.some(["m1", "m2", "m3"], 1, 3), "image": self.one(["i1", "i2"]), **ro}
            if self.p(.7):
                v["rbd"]["pool"] = self.one(["rbd", "p2", ""])
        elif kind <= 6:
            v["iscsi"] = {"targetPortal": self.one(["1.2.3.4:3260", "5.6.7.8"]), "iqn": self.one(["iqn.a", "iqn.b"]),
                          "lun": self.one([0, 1]), **ro}
        elif kind == 7:
            v["emptyDir"] = {}
        elif kind == 8:
            v["persistentVolumeClaim"] = {"claimName": self.one(["data", "data", "logs"] + (["gone", "missing"] if self.p(.3) else []))}
        else:
            v["configMap"] = {"name": "c"}
        return v

    def toleration(self):
        t = {}
        if self.p(.8):
            t["key"] = self.one(["dedicated", "gpu", "a", "b", "", "node.kubernetes.io/unschedulable", "node.kubernetes.io/not-ready"])
        if self.p(.7):
            t["operator"] = self.one(["Exists", "Equal", "", "Exists", "Gt", "exists"])
        if self.p(.5):
            t["value"] = self.one(["x", "y", "", "true"])
        if self.p(.6):
            t["effect"] = self.one(EFFECTS + [""])
        if self.p(.1):
            t["tolerationSeconds"] = self.one([0, 300, -1])
        return t

    def expression(self, wild):
        op = self.one(["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"])
        e = {"key": self.one(KEYS), "operator": op}
        if op in ("Gt", "Lt"):
            e["key"] = self.one(["num", "num", "example.com/rack", "absent"])
            e["values"] = [self.one(NUMBERS if wild else ["5", "08", "0", "9223372036854775807", "007", "10"])]
        elif op in ("In", "NotIn"):
            e["values"] = self.some(VALUES, 1, 3)
            if e["key"] == "kubernetes.io/hostname":
                e["values"] = [f"n{i}" for i in self.some(range(8), 1, 4)]
        if wild and self.p(.08):
            e["values"] = self.one([[], ["a", "b"], ["not valid!"], ["x" * 64], None])
        if wild and self.p(.03):
            e["key"] = self.one(["", "bad key", "a/b/c", "UPPER.com/x"])
        if wild and self.p(.02):
            e["operator"] = self.one(["in", "", "Equals"])
        return {k: v for k, v in e.items() if v is not None}

    def term(self, wild):
        t = {}
        if self.p(.9):
            t["matchExpressions"] = [self.expression(wild) for _ in range(self.r.randint(0 if self.p(.2) else 1, 2))]
        if self.p(.2):
            t["matchFields"] = []
            for _ in range(self.r.randint(1, 2)):
                f = {"key": "metadata.name" if self.p(.9) else self.one(["metadata.namespace", "spec.x"]),
                     "operator": self.one(["In", "NotIn"]) if self.p(.9) else self.one(["Exists", "Gt"]),
                     "values": [self.one([f"n{i}" for i in range(6)] + [""])]}
                if wild and self.p(.2):
                    f["values"] = self.one([[], ["n0", "n1"]])
                t["matchFields"].append(f)
        return t

    def node_affinity(self):
        a = {}
        if self.p(.5):
            wild = self.p(.5)
            a["requiredDuringSchedulingIgnoredDuringExecution"] = {
                "nodeSelectorTerms": [self.term(wild) for _ in range(self.r.randint(0 if self.p(.1) else 1, 3))]}
        if self.p(.6):
            wild = self.p(.15)
            a["preferredDuringSchedulingIgnoredDuringExecution"] = [
                {"weight": self.one([1, 2, 3, 50, 100, 7] + ([0] if wild else [])), "preference": self.term(wild)}
                for _ in range(self.r.randint(1, 4))]
        return a

    def pod_labels(self):
        labels = {}
        if self.p(.85):
            labels["app"] = self.one(["web", "web", "db", "cache"])
        if self.p(.5):
            labels["tier"] = self.one(["front", "back", ""])
        if self.p(.2):
            labels["version"] = self.one(["1", "2"])
        return labels

    def pod(self, name, node=None, given=False):
        meta = {"name": name, "namespace": self.one(NAMESPACES) if not self.scoring else self.one(["default"] * 9 + ["other"]), "uid": "uid-" + name}
        labels = self.pod_labels()
        if labels or self.p(.5):
            meta["labels"] = labels
        if self.p(.12 if not given else .02):
            meta["deletionTimestamp"] = "2026-01-01T00:00:00Z"
        if self.p(.5):
            meta["ownerReferences"] = [
                {"apiVersion": "apps/v1", "kind": self.one(["ReplicaSet", "ReplicationController", "StatefulSet", "ReplicaSet"]),
                 "name": self.one(["web", "db"]), "uid": self.one(["u1", "u2", "u3", ""]),
                 **self.one([{"controller": True}, {"controller": True}, {"controller": False}, {}])}
                for _ in range(self.r.randint(1, 2))]
        self.asks = self.one([1, 1, 1, 0])
        spec = {"containers": [self.container(f"c{i}") for i in range(self.r.randint(1, 3))]}
        if self.p(.2):
            spec["initContainers"] = [self.container(f"i{i}") for i in range(self.r.randint(1, 2))]
            if self.p(.1):
                spec["initContainers"][0]["restartPolicy"] = "Always"
        if node:
            spec["nodeName"] = node
        if self.p(.3):
            spec["volumes"] = [self.volume(f"v{i}") for i in range(self.r.randint(1, 3))]
        if self.p(.45):
            spec["tolerations"] = [self.toleration() for _ in range(self.r.randint(0, 4))]
        if not node or given:
            if self.p(.2):
                spec["nodeSelector"] = {self.one(KEYS): self.one(VALUES) for _ in range(self.r.randint(0, 2))}
                if self.p(.06):
                    spec["nodeSelector"] = self.one([{"disktype": "not valid!"}, {"bad key": "x"}, {"disktype": "x" * 64}])
            if self.scoring:
                spec.pop("nodeSelector", None)
                if self.p(.8):
                    spec["affinity"] = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
                        {"weight": self.r.randint(1, 100), "preference": self.term(False)} for _ in range(self.r.randint(1, 6))]}}
            elif self.p(.45):
                spec["affinity"] = self.one([{}, {"nodeAffinity": {}}]) if self.p(.08) else {"nodeAffinity": self.node_affinity()}
        if self.p(.03):
            spec["overhead"] = {"cpu": "250m", "memory": "64Mi"}
        if self.p(.03):
            spec["resources"] = {"requests": {"cpu": "500m", "memory": "1Gi"}}
        status = {"phase": "Running" if node else "Pending"}
        if self.p(.03):
            status["containerStatuses"] = [{"name": "c0", "allocatedResources": {"cpu": "700m"}, "resources": {"requests": {"cpu": "900m"}}}]
        if self.p(.03):
            status["conditions"] = [{"type": "PodResizePending", "status": "True", "reason": "Infeasible"}]
        if self.p(.02):
            spec.update({k: None for k in ("volumes", "tolerations", "affinity", "nodeSelector") if k not in spec})
        if node and not given and self.p(.06):
            status["phase"] = self.one(["Succeeded", "Failed", "Unknown", "Pending"])
        return {"kind": "Pod", "apiVersion": "v1", "metadata": meta, "spec": spec, "status": status}

    # ---- workloads ----

    def selector_map(self):
        s = {}
        if self.p(.8):
            s["app"] = self.one(["web", "web", "db", "cache"])
        if self.p(.3):
            s["tier"] = self.one(["front", "back", ""])
        if self.p(.03):
            s = self.one([{"app": "not valid!"}, {"bad key": "x"}])
        return s

    def label_selector(self):
        s = {}
        if self.p(.5):
            s["matchLabels"] = self.selector_map()
        if self.p(.5):
            s["matchExpressions"] = []
            for _ in range(self.r.randint(1, 2)):
                op = self.one(["In", "NotIn", "Exists", "DoesNotExist"])
                e = {"key": self.one(["app", "tier", "version"]), "operator": op}
                if op in ("In", "NotIn"):
                    e["values"] = self.some(["web", "db", "front", "1", ""], 1, 2)
                s["matchExpressions"].append(e)
        if self.p(.03):
            s["matchExpressions"] = [self.one([{"key": "app", "operator": "In", "values": []}, {"key": "app", "operator": "Gt", "values": ["1"]},
                                               {"key": "app", "operator": "Exists", "values": ["x"]},
                                               {"key": "app", "operator": "In", "values": ["not valid!"]}])]
        return s

    def workloads(self):
        out = []
        for i in range(self.r.randint(0, 5)):
            spec = {"selector": self.selector_map()} if self.p(.9) else {}
            if spec.get("selector") == {}:
                del spec["selector"]  # The API server drops it.
            out.append({"kind": "Service", "apiVersion": "v1", "metadata": {"name": f"s{i}", "namespace": self.one(NAMESPACES)}, "spec": spec})
        for i in range(self.r.randint(0, 2)):
            spec = {"selector": self.selector_map()}
            out.append({"kind": "ReplicationController", "apiVersion": "v1", "metadata": {"name": f"rc{i}", "namespace": self.one(NAMESPACES)},
                        "spec": spec})
        for kind in ("ReplicaSet", "StatefulSet"):
            for i in range(self.r.randint(0, 3)):
                spec = {} if self.p(.03) else {"selector": self.label_selector()}
                out.append({"kind": kind, "apiVersion": "apps/v1",
                            "metadata": {"name": f"{kind.lower()}{i}", "namespace": self.one(NAMESPACES)}, "spec": spec})
        for ns in ("default", "other"):
            for name in ("data", "logs", "gone"):
                if self.p(.85):
                    meta = {"name": name, "namespace": ns}
                    if name == "gone":
                        meta["deletionTimestamp"] = "2026-01-01T00:00:00Z"
                    out.append({"kind": "PersistentVolumeClaim", "apiVersion": "v1", "metadata": meta, "spec": {"volumeName": "pv"}})
        return out

    # ---- policy ----

    def policy(self):
        predicates = ["CheckNodeCondition", "CheckNodeUnschedulable", "GeneralPredicates", "HostName", "PodFitsHostPorts", "MatchNodeSelector",
                      "PodFitsResources", "NoDiskConflict", "PodToleratesNodeTaints", "PodToleratesNodeNoExecuteTaints",
                      "CheckNodeMemoryPressure", "CheckNodePIDPressure", "CheckNodeDiskPressure"]
        priorities = ["LeastRequestedPriority", "MostRequestedPriority", "BalancedResourceAllocation", "SelectorSpreadPriority",
                      "NodePreferAvoidPodsPriority", "NodeAffinityPriority", "TaintTolerationPriority", "ImageLocalityPriority", "EqualPriority"]
        if self.calm:
            predicates.remove("CheckNodeCondition")
        mode = self.r.randint(0, 9)
        if self.scoring:
            mode = 6
        if mode <= 5:  # Few nodes pass all predicates; so score mostly without the harsh ones.
            predicates = [p for p in predicates if self.p(.25)]
        elif mode <= 7:
            predicates = []
        if self.p(.02):
            priorities = []
        self.r.shuffle(predicates)
        self.r.shuffle(priorities)
        ps = [{"name": p} for p in predicates]
        if self.p(.4):
            ps.append({"name": "CheckNodeLabelPresence", "argument": {"labelsPresence": {
                "labels": self.some(["disktype", "num", "empty", "absent", OLD_ZONE], 0 if self.p(.1) else 1, 2), "presence": self.p(.5)}}})
        if self.p(.2):
            ps.append({"name": "OurOwnLabels", "argument": {"labelsPresence": {"labels": ["tier"], "presence": self.p(.5)}}})
        qs = [{"name": p, "weight": self.one([1, 2, 3, 10, 10000, 7])} for p in priorities if self.p(.9)]
        for i in range(self.r.randint(0, 2)):
            qs.append({"name": f"label-{i}", "weight": self.one([1, 5, 100]), "argument": {"labelPreference": {
                "label": self.one(["disktype", "num", "empty", "absent", ""]), "presence": self.p(.5)}}})
        if self.p(.03):
            qs = [q for q in qs if q["name"] != "LeastRequestedPriority"]
            qs.append({"name": "LeastRequestedPriority", "weight": 2, "argument": {"labelPreference": {"label": "num", "presence": True}}})
        if self.p(.03):
            name = self.one(["GeneralPredicates", "HostName", "PodToleratesNodeTaints", "CheckNodeUnschedulable", "NoDiskConflict"])
            ps = [p for p in ps if p["name"] != name]
            ps.append({"name": name, "argument": {"labelsPresence": {"labels": ["num"], "presence": self.p(.5)}}})
        if self.scoring:
            ps = [p for p in ps if "argument" not in p or self.p(.1)]
        if not priorities and self.p(.5):
            qs = []
        return {"kind": "Policy", "apiVersion": "v1", "predicates": ps, "priorities": qs,
                **self.one([{}, {"alwaysCheckAllPredicates": True}])}

    def cluster(self):
        self.zones = self.one([[], ["z1"], ["z1", "z2"], ["z1", "z2", "z3", ""]])
        self.scalar_chance = self.one([.01, .04])
        n = self.r.randint(3, 15)
        nodes = [self.node(i) for i in range(n)]
        names = [node["metadata"]["name"] for node in nodes]
        count = self.r.randint(30, 100)
        pods = []
        for i in range(count):
            where = None if self.p(.15) else (self.one(names) if self.p(.98) else "nowhere")
            pods.append(self.pod(f"p{i}", where))
        given = [self.pod(f"g{i}", self.one(names + ["nowhere"]) if self.p(.3) else None, given=True) for i in range(6)]
        items = nodes + pods + self.workloads()
        if self.p(.3):
            self.r.shuffle(items)
        return items, given


class QuantityMaker(Maker):
    """Each resource of a node is one amount and each pod asks for nearly that, written otherwise: what fits tells which
    integers both were read as."""

    RESOURCES = ["cpu", "memory", "ephemeral-storage"] + [f"example.com/r{i}" for i in range(24)]

    def near(self):
        r = self.r
        return self.one([r.randint(0, 10), r.randint(0, 10**4), 10**r.randint(0, 19), 2**r.randint(0, 64), int(10**r.uniform(0, 20)),
                         1024**r.randint(0, 6) * r.randint(1, 2000), 2**63 - 1, (2**63 - 1) // 1000])

    def spelled(self, number):
        """The number, or a little more or less, in some notation; `number` is in thousandths."""
        r = self.r
        number = max(0, number + self.one([0, 0, 0, 1, -1, 1000, -1000, 999, -999, 500]))
        if self.p(.05):
            number = -number
        sign, size = ("-" if number < 0 else self.one(["", "", "", "+"])), abs(number)
        kind = r.randint(0, 7)
        if kind == 0:
            return f"{sign}{size}m"
        if kind == 1:
            return f"{sign}{size // 1000}"
        if kind == 2:
            return f"{sign}{size // 1000}.{size % 1000:03}" + "0" * r.randint(0, 3)
        if kind == 3:
            return f"{sign}{size * 1000}u" if self.p(.5) else f"{sign}{size * 10**6}n"
        if kind == 4:
            e = r.randint(-12, 21)
            digits = str(size).rjust(40, "0")
            point = 40 - (3 + e)
            if point < 1 or point > 40:
                return f"{sign}{size}e-3"
            return sign + (digits[:point].lstrip("0") or self.one(["0", ""]) if digits[point:] else digits[:point]) + "." + digits[point:] + f"{self.one('eE')}{e}"
        if kind == 5:
            power = r.randint(1, 6)
            unit = 1024**power * 1000
            whole, rest = divmod(size, unit)
            fraction = str(rest * 10**30 // unit).rjust(30, "0")[:r.randint(0, 30)]
            return f"{sign}{whole}{'.' + fraction if fraction or self.p(.2) else ''}{['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'][power]}"
        if kind == 6:
            power = r.randint(1, 6)
            digits = str(size).rjust(40, "0")
            point = 40 - (3 + 3 * power)
            return f"{sign}{digits[:point].lstrip('0') or '0'}.{digits[point:]}{['', 'k', 'M', 'G', 'T', 'P', 'E'][power]}"
        return f"{sign}{'0' * r.randint(0, 3)}{size}e-{self.one(['3', '03'])}"

    def cluster(self):
        numbers = {name: self.near() * 1000 + self.one([0, 0, 0, 1, 500, 999]) for name in self.RESOURCES}
        nodes = []
        for i in range(6):
            allocatable = {name: self.spelled(number) for name, number in numbers.items()}
            nodes.append({"kind": "Node", "apiVersion": "v1", "metadata": {"name": f"n{i}"}, "spec": {},
                          "status": {"allocatable": {**allocatable, "pods": "100"}}})
        pods = []
        for i in range(24):
            containers = [{"name": "c", "image": "i", "resources": {"requests": {name: self.spelled(number) for name, number in numbers.items()}}}]
            if self.p(.2):
                containers.append({"name": "d", "image": "i", "resources": {"requests": {name: self.spelled(0) for name in numbers}}})
            spec = {"containers": containers}
            if self.p(.2):
                spec["initContainers"] = [{"name": "e", "image": "i", "resources": {
                    "requests": {name: self.spelled(number) for name, number in numbers.items()}}}]
            if i >= 20:
                for c in containers:
                    for name in numbers:
                        c["resources"]["requests"][name] = self.spelled(self.r.randint(0, 3000))
                spec.pop("initContainers", None)
                spec["nodeName"] = f"n{i - 20}"
            pods.append({"kind": "Pod", "apiVersion": "v1", "metadata": {"name": f"p{i}", "namespace": "default", "uid": f"u{i}"}, "spec": spec,
                         "status": {}})
        return nodes + pods, pods[:1]

    def policy(self):
        names = ["LeastRequestedPriority", "MostRequestedPriority", "BalancedResourceAllocation"]
        return {"kind": "Policy", "apiVersion": "v1", "predicates": [{"name": "PodFitsResources"}] if self.p(.7) else [],
                "priorities": [{"name": name, "weight": 1} for name in names]}


def write(path, value):
    with open(path, "w", encoding="utf-8") as f:
        json.dump(value, f)


def main():
    global KNOWN
    directory, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    mode = sys.argv[4] if len(sys.argv) > 4 else ""
    KNOWN = mode == "known"
    for seed in range(first, first + count):
        maker = (QuantityMaker if mode == "quantities" else Maker)(seed)
        items, given = maker.cluster()
        where = os.path.join(directory, f"{seed:06d}")
        os.makedirs(where, exist_ok=True)
        write(os.path.join(where, "cluster.json"), {"kind": "List", "apiVersion": "v1", "items": items})
        write(os.path.join(where, "pods.json"), {"kind": "List", "apiVersion": "v1", "items": given})
        write(os.path.join(where, "policy.json"), maker.policy())


if __name__ == "__main__":
    main()
