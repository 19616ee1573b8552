#!/usr/bin/env python3
"""Makes seeds of the fuzz targets from the fixtures, the manifests, and the texts in the unit tests.

    make_corpus.py FOLDER      writes FOLDER/TARGET/HASH; far too many: merge.sh keeps those that add something

The first byte of a seed selects the part of its target (see fuzz.h).
"""
import ast
import glob
import gzip
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LONGEST = 16000

# Test files, by a pattern of their paths: the targets and parts that their texts are for.
TEXTS = [
    (r"quantity_test", {"text": "a"}),
    (r"explain/decision", {"text": "o"}),
    (r"go_duration_test", {"text": "b"}),
    (r"base64_test", {"text": "c"}),
    (r"percent|query_test", {"text": "d"}),
    (r"printable|log_test|utf8|json_string", {"text": "ef", "json": "b"}),
    (r"selector", {"text": "gh"}),
    (r"object_name|resource_name|declared", {"text": "h"}),
    (r"server_url|access", {"text": "i", "access": "ab"}),
    (r"resource_version", {"text": "j"}),
    (r"gates|prefer|near_names|flags_test", {"text": "k"}),
    (r"check_sender", {"text": "l"}),
    (r"explain/.*json_test|kubectl_winnow", {"text": "n"}),
    (r"text/.*(json|yaml|document)", {"json": "abcdef", "watch": "bc"}),
    (r"cluster/expand/", {"files": "d"}),
    (r"what_if/re(cord|play)/", {"recording": "abcd"}),
    (r"files_test|source_test", {"files": "abc", "json": "def"}),
    (r"decode_test|decode_device|cache_sink", {"objects": "abcdefghijklmnopqrstuvwxy", "json": "a"}),
    (r"config/|check_command|explain_rules|config_in_force", {"config": "abcd"}),
    (r"watch|servers/", {"watch": "abcdefg"}),
    (r"protocol|service|verbs", {"requests": "abcdefghijklmno"}),
    (r"extender/service/http", {"http": "abcd"}),
]
KINDS = ("Node Pod Namespace Service ReplicationController ReplicaSet StatefulSet PodDisruptionBudget PersistentVolume "
         "PersistentVolumeClaim StorageClass CSINode CSIDriver CSIStorageCapacity VolumeAttachment PriorityClass LimitRange "
         "DeviceClass RuntimeClass ResourceClaim ResourceClaimTemplate ResourceSlice DeviceTaintRule NodeMetrics EndpointSlice").split()

TOKEN = re.compile(r'//[^\n]*|R"(?P<mark>\w*)\((?P<raw>.*?)\)(?P=mark)"|"(?P<plain>(?:\\.|[^"\\\n])*)"|'
                   r"'(?:\\.|[^'\\\n])'|(?P<other>[^\s\"'/])|/|\s+|'", re.DOTALL)


def plain(text):
    """The bytes of a C++ string literal. Octal and hexadecimal escapes are those of Python's byte strings."""
    text = text.encode().decode("latin-1")
    return ast.literal_eval('b"' + re.sub(r"[^\x00-\x7f]", lambda m: f"\\x{ord(m.group()):02x}", text) + '"')


def literals(source):
    """The string literals of C++ code; neighbours are one."""
    joined = None
    for token in TOKEN.finditer(source):
        if token["raw"] is not None or token["plain"] is not None:
            try:
                joined = (joined or b"") + (token["raw"].encode() if token["raw"] is not None else plain(token["plain"]))
            except (SyntaxError, ValueError):
                joined = None
        elif token["other"] and joined is not None:
            yield joined
            joined = None


def from_tests(add):
    for path in sorted((ROOT / "tests").rglob("*.cc")):
        name = path.relative_to(ROOT).as_posix()
        if name.startswith("tests/fuzz"):
            continue
        for pattern, targets in TEXTS:
            if not re.search(pattern, name):
                continue
            for text in literals(path.read_text(encoding="utf-8")):
                for target, parts in targets.items():
                    if target in ("objects", "requests") and b"{" not in text:
                        continue
                    for part in parts:
                        add(target, part, text)
            break


def objects_of(value):
    if isinstance(value, dict):
        yield value
        for item in value.get("items") or []:
            yield from objects_of(item)


def from_clusters(add):
    folders = sorted(glob.glob(str(ROOT / "tests/oracle/corpus*/*") + "/"))
    for folder in folders:
        for name in ("cluster.json.gz", "pods.json.gz"):
            with gzip.open(f"{folder}/{name}") as file:
                text = file.read()
            try:
                document = json.loads(text)
            except ValueError:
                continue
            found = list(objects_of(document)) if isinstance(document, dict) else [o for d in document for o in objects_of(d)]
            for number, one in enumerate(found[:60]):
                body = json.dumps(one, separators=(",", ":")).encode()
                if one.get("kind") in KINDS and "items" not in one:
                    add("objects", chr(97 + KINDS.index(one["kind"])), body)
                if one.get("kind") == "Pod" and number % 16 == 3:
                    args = b'{"Pod":' + body + b',"Nodes":null,"NodeNames":["node-00000","node-00001","a\\"b","x"]}'
                    for part in "abcfghklm":
                        add("requests", part, args)
                    victims = b'{"Pod":' + body + b',"NodeNameToMetaVictims":{"node-00000":{"Pods":[{"UID":"u0"}]}}}'
                    for part in "din":
                        add("requests", part, victims)
            add("files", "a", text[:LONGEST])
            small = json.dumps({"kind": "List", "items": found[1:6]}).encode()
            add("files", "a", small)
            add("files", "b", gzip.compress(small, mtime=0))
        for pattern in ("policy.json", "config.yaml", "config.json", "*.yaml"):
            for file in glob.glob(f"{folder}/{pattern}"):
                add("config", "a", pathlib.Path(file).read_bytes())


def from_files(add):
    for path in sorted((ROOT / "tests/extender/config/scheduler_configs").glob("*/*.yaml")):
        for part in "abc":
            add("config", part, (b"ExactV116=true\n" if part == "b" else b"") + path.read_bytes())
        add("json", "f", path.read_bytes())
    for path in sorted((ROOT / "manifests").glob("*")):
        if path.suffix in (".yaml", ".json"):
            for part in "ac":
                add("config", part, path.read_bytes())
                add("files", part, path.read_bytes())
            add("json", "e", path.read_bytes())
    for path in sorted((ROOT / "tests/fixtures").rglob("*")):
        if not path.is_file():
            continue
        text = path.read_bytes()
        for part in "abcdefghijklmno":
            if path.suffix == ".json":
                add("requests", part, text)
        if path.suffix == ".raw":
            add("http", "a", text)
        add("json", "c", text)
    add("objects", "b", (ROOT / "tests/fixtures/pod.json").read_bytes())


def from_recordings(add):
    """Short recordings: the lines that make the rules and a picture, some objects, and a call each."""
    for path in sorted((ROOT / "tests/fixtures/recording").glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            lines = file.read().splitlines()
        add("recording", "a", lines[0].encode())
        objects = sorted((line for line in lines if '"given":' in line or '"set":' in line), key=len)[:4]
        begin = [lines[0]] + [line for line in lines if line.startswith(('{"begins"', '{"rules"')) or '"accounting"' in line]
        answers = {re.match(r'{"answer":(\d+)', line)[1]: line for line in lines if line.startswith('{"answer"')}
        changes = [line for line in lines if '"gone":' in line or '"assumed":' in line or '"released":' in line][:3]
        for line in lines:
            call = re.match(r'{"look":(\d+)', line)
            if not call or call[1] not in answers:
                continue
            text = begin + objects + changes + [line, answers[call[1]]]
            text.append(json.dumps({"ends": len(text), "next": False}, separators=(",", ":")))
            whole = ("\n".join(text) + "\n").encode()
            for part in "cd" if len(whole) < 8000 else "":  # What run.sh feeds is not longer.
                add("recording", part, whole)


BY_HAND = {
    ("recording", "b"): ['{"notFollowed":{"n":2},"remark":"r","named":["n"],"believed":true,"refusedNominated":true,"promised":["m"],"refused":{"times":3,"seconds":1.5,"wouldFitOn":"n","wouldFitSeconds":0.25}}', "{}"],
    ("text", "a"): ["100m\n1.5Gi", "123456789012345678901234567890", "9223372036854775807Ki", "-1e-9\n1n", "1E\n1Ei", ".5"],
    ("text", "b"): ["1h15m30.918273645s", "-1.5h", "9223372036854775807ns", "1us1µs1ms", "0"],
    ("text", "g"): ["zone\nIn\na\nb", "example.com/x\nGt\n5", "k\nExists", "k\nDoesNotExist", "k\nNotIn\nv", "k\nLt\n-1"],
    ("text", "j"): ["5\n12", "12\n12", "007\n7"],
    ("text", "k"): ["ExactV116=true,PodOverhead=false", "A=b", '{"preferAvoidPods":[{"podSignature":{"podController":{"kind":"ReplicaSet","uid":"u"}}}]}',
                    "podfitsresources", "HostNam"],
    ("text", "l"): ["application/json\n\nlocalhost:10290", "text/plain\nhttp://x\nexample.com", "application/json; charset=utf-8\n\n[::1]:1"],
    ("json", "a"): ['{"a":[1,-0.5e+3,true,null,"\\u00e9\\ud83d\\ude00"],"b":{}}', "[" * 64 + "]" * 64, "18446744073709551615", "1e400", "5e-324"],
    ("json", "d"): ['{"kind":"List","items":[{"a":1},\n{"b":[]}],"x":1}', '{"items":[]}', '{"items":[1,2,],"a":1}', '{"items":[1]}x'],
    ("json", "e"): ["a: &x {b: 1, c: [yes, 010, 0x1F, 1_000, .inf, ~, 2001-01-01]}\nd: {<<: *x, e: 'q'}\n---\n- |\n  text\n- >-\n  folded\n",
                    "? [a]\n: b\n", "a: 1\na: 2\n", "- !!str 5\n- !!binary aGk=\n- \"\\x41\\u00e9\\U0001F600\"\n", "%YAML 1.1\n---\nx: 0b101\n...\n", "a: 190:20:30\nb: 1.5e3\nc: -.INF\nd: .NaN\n"],
    ("objects", "t"): ['{"metadata":{"name":"kubernetes","namespace":"default"},"endpoints":[{"addresses":["10.0.0.1"],"conditions":{"ready":true}}],"ports":[{"name":"https","port":6443}]}'],
    ("objects", "s"): ['{"metadata":{"name":"kata"},"handler":"kata-qemu","overhead":{"podFixed":{"cpu":"250m","memory":"120Mi"}},"scheduling":{"nodeSelector":{"vm":"yes"},"tolerations":[{"key":"vm","operator":"Exists"}]}}'],
    ("watch", "a"): ['{"type":"ADDED","object":{"kind":"Pod","metadata":{"name":"a","resourceVersion":"6"}}}\n{"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"9"}}}\n'],
    ("watch", "c"): ['{"kind":"PodList","metadata":{"resourceVersion":"7","continue":"a"},"items":[{"metadata":{"name":"a"}},{}]}'],
    ("watch", "d"): ['{"kind":"PodList","metadata":{"resourceVersion":"7","continue":"a"},"items":[{"metadata":{"name":"a"}},{}]}\n{"kind":"PodList","metadata":{"resourceVersion":"7"},"items":[{"x":1}]}'],
    ("watch", "e"): ['{"type":"ADDED","object":{"kind":"Pod","metadata":{"name":"a","resourceVersion":"6"}}}\n{"type":"MODIFIED","object":{"kind":"Pod","metadata":{"name":"a","resourceVersion":"7"}}}\n'
                     '{"type":"DELETED","object":{"kind":"Pod","metadata":{"name":"a","resourceVersion":"8"}}}\n{"type":"ODD","object":{}}\n{"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"9"}}}\n'
                     '{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired"}}\n'],
    ("watch", "f"): ['{"kind":"Status","status":"Failure","message":"too old","reason":"Expired","code":410,"details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],"retryAfterSeconds":1}}'],
    ("watch", "g"): [f'{{"addressType":"{family}","metadata":{{"name":"kubernetes"}},"endpoints":[{{"addresses":["10.0.0.1","fd00::1"]}}],"ports":[{{"name":"https","port":6443}}]}}' for family in ("IPv4", "IPv6", "FQDN")],
    ("watch", "h"): ['{"kind":"TokenReview","apiVersion":"authentication.k8s.io/v1","spec":{"token":"abc.def"},"status":{"authenticated":true,"user":{"username":"system:serviceaccount:a:b","uid":"u","groups":["system:authenticated"],"extra":{"k":["v","w"]}},"audiences":["x"]}}',
                     '{"kind":"TokenReview","status":{"user":{},"error":"[invalid bearer token, abc.def]"}}',
                     '{"kind":"SubjectAccessReview","apiVersion":"authorization.k8s.io/v1","status":{"allowed":true,"denied":false,"reason":"RBAC: allowed by ClusterRoleBinding \\"m\\""}}',
                     '{"kind":"SubjectAccessReview","status":{"allowed":true,"denied":true,"reason":"no"}}'],
    ("http", "a"): ["GET /a?b=c HTTP/1.1\r\nHost: x\r\n\r\nPOST /f HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello",
                    "POST /f HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nT: 1\r\n\r\nHEAD /g HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                    "POST /f HTTP/1.0\r\nContent-Length: 3\r\nConnection: keep-alive\r\n\r\nabcGET / HTTP/1.0\r\n\r\n",
                    "POST /f HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\nContent-Type: application/json\r\nOrigin: http://a\r\n\r\n{}",
                    "GET http://h/p?q HTTP/1.1\r\nHost: x\r\n\r\n", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n"],
    ("http", "c"): ["POST /f HTTP/1.1\r\nHost: x:1\r\nContent-Length: 5\r\nAccept: */*\r\n\r\n", "GET / HTTP/1.1\r\nHost: [::1]:80\r\nConnection: keep-alive, x\r\n\r\n"],
    ("http", "d"): ["5;a=b\r\nhello\r\n0\r\nT: 1\r\n\r\n", "a\r\n0123456789\r\n1;x=\"y\"\r\nz\r\n0\r\n\r\nrest", "fffffffff\r\n"],
    ("requests", "c"): ['{"Namespace":"default","Name":"waits"}', '{"Name":"web-0","NodeNames":["node-00000"]}'],
    ("requests", "d"): ['{"Pod":{"metadata":{"name":"waits","uid":"u2"},"spec":{"priority":10,"containers":[{"resources":{"requests":{"cpu":"2"}}}]}},"NodeNameToVictims":{"node-00000":{"Pods":[{"metadata":{"name":"web-0","uid":"u0"}}],"NumPDBViolations":1},"a\\"b":null}}'],
    ("requests", "e"): ['{"PodName":"waits","PodNamespace":"default","PodUID":"u2","Node":"node-00000"}', '{"podname":"%s","PODNAMESPACE":"a","Node":"n","PodUID":null}', '{"PodName":"a/b","PodNamespace":"..","Node":"n"}'],
    ("config", "d"): ['{"kind":"Policy","fingerprint":"0123456789abcdef","profiles":[{"schedulerName":"x","predicates":["A"],"priorities":[{"name":"P","weight":2}]}]}'],
    ("config", "b"): ['ExactV116=true,AttachVolumeLimit=false\n{"kind":"Policy","apiVersion":"v1","predicates":[{"name":"PodFitsResources"}],"priorities":[]}'],
    ("access", "a"): ['current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\nclusters: [{name: k, cluster: {server: "https://10.0.0.1:6443", insecure-skip-tls-verify: true}}]\nusers: [{name: u, user: {username: anna, password: secret-secret}}]\n',
                      '{"current-context":"c","contexts":[{"name":"c","context":{"cluster":"k","user":"u"}}],"clusters":[{"name":"k","cluster":{"server":"http://localhost:8001/x"}}],"users":[{"name":"u","user":{"token":"abcdefghijklmnop"}}]}',
                      'current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\nclusters: [{name: k, cluster: {server: "https://10.0.0.1:6443", extensions: [{name: client.authentication.k8s.io/exec, extension: {audience: [a, 1.5]}}]}}]\nusers: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: ./aws, args: [--region, eu], env: [{name: A, value: b}], installHint: Install it, provideClusterInfo: true, interactiveMode: IfAvailable}}}]\n'],
    ("access", "e"): ['{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"abcdefghijklmnop","expirationTimestamp":"2026-01-31T12:00:00Z"}}',
                      'kind: ExecCredential\napiVersion: client.authentication.k8s.io/v1\nstatus: {clientCertificateData: c, clientKeyData: k}\n'],
    ("access", "b"): ['d\ncontexts: [{name: d, context: {cluster: k}}]\nclusters: [{name: k, cluster: {server: "https://[fd00::1]:6443/p", certificate-authority-data: aGk=, tls-server-name: x}}]\n'],
}


def from_openssl(add):
    """A certificate and a key of each usual kind. They are made for this and are used for nothing."""
    kinds = {"ec": ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"], "ed25519": ["-newkey", "ed25519"]}
    for kind, options in kinds.items():
        with tempfile.TemporaryDirectory() as folder:
            command = ["openssl", "req", "-x509", *options, "-nodes", "-days", "36500", "-subj", f"/CN={kind}",
                       "-addext", "subjectAltName=DNS:a,IP:127.0.0.1", "-keyout", f"{folder}/k", "-out", f"{folder}/c"]
            if subprocess.run(command, capture_output=True, check=False).returncode != 0:
                continue
            key, certificate = pathlib.Path(f"{folder}/k").read_bytes(), pathlib.Path(f"{folder}/c").read_bytes()
        for part in "cd":
            for text in (certificate, certificate + key, key, certificate * 2, b"text\n" + certificate[:-40]):
                add("access", part, text)


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    count = 0

    def add(target, part, text):
        nonlocal count
        if len(text) > LONGEST:
            return
        seed = part.encode() + text
        path = folder / target / hashlib.sha1(seed).hexdigest()[:16]
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.write_bytes(seed)
            count += 1

    for (target, part), texts in BY_HAND.items():
        for text in texts:
            add(target, part, text.encode())
    from_tests(add)
    from_files(add)
    from_clusters(add)
    from_recordings(add)
    from_openssl(add)
    print(f"make_corpus: {count} seeds")


if __name__ == "__main__":
    main()
