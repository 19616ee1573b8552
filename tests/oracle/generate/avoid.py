"""The preferAvoidPods annotation: JSON inside JSON, with everything that Go's decoder takes or refuses."""
import json

TIMES = ["2016-05-18T01:23:45,5Z", "2016-02-30T01:23:45Z", "2016-02-29T01:23:45Z", "2016-05-18t01:23:45z",
         "2016-05-18T24:00:00Z", "2016-05-18T23:59:60Z", "2016-05-18T01:23:45+24:00", "2016-05-18T01:23:45+23:59",
         "2016-05-18T01:23:45.Z", "2016-05-18T01:23:45", "2016-05-18", "0000-01-01T00:00:00Z", "10000-01-01T00:00:00Z",
         "2016-05-18T01:23:45+0200", "2016-05-18T01:23:45.123456789012Z", "2016-05-18T01:23:45+02:60",
         " 2016-05-18T01:23:45Z"]
GOOD_TIMES = ["2016-05-18T01:23:45Z", "nonsense", None, "2016-05-18T01:23:45.5+02:00", 5, ""]


def _controller(m):
    kind = m.one(["ReplicaSet"] * 8 + ["ReplicationController", "StatefulSet", "replicaset"])
    c = {"kind": kind, "name": m.one(["web", "db"]), "uid": m.one(["u1", "u2", "u3", ""]), "apiVersion": "v1"}
    if m.p(.5):
        c["controller"] = m.one([True, False])
    if m.p(.05):
        c[m.one(["uid", "name", "kind", "controller"])] = m.one([None, 5, [], {}, "x"])
    return c


def _unknown_member(m, e):
    e[m.one(["unknown", "Reason", "podsignature", "x"] + (["pod\u017fignature"] if m.known else []))] = m.one(
        [{"x": [1, 2]}, 1e300, None, "\ud800" if m.known else "x", "caf\u00e9", True,
         {"podController": {"uid": "u1"}}, {"podController": {"KIND": "ReplicaSet"}}])


def _entry(m):
    e = {"podSignature": {"podController": _controller(m)}}
    if m.p(.3):
        e["evictionTime"] = m.one(GOOD_TIMES + TIMES + (["2016-05-18T1:23:45Z"] if m.known else []))
    if m.p(.3):
        e["reason"] = m.one(["because", 1, None])
    if m.p(.1):
        _unknown_member(m, e)
    if m.p(.08):  # The last ones kill upstream.
        e = m.one([[], "x"] + ([None, {}, {"podSignature": None}, {"podSignature": {}},
                                {"podSignature": {"podController": None}}] if m.p(.1) else []))
    if m.p(.08):
        e = {"PodSignature": {"PODCONTROLLER": _controller(m)}}
    return e


def _odd_inside(m, text):
    return m.one([
        text.replace('"u1"', '"\\u00751"'), text.replace('"uid"', '"u\\u0069d"'),
        text.replace('"u1"', '"u1\\ud800"' if m.known else '"u1\\ud83d\\ude00"'),
        text.replace('"u1"', "'u1'"), text.replace("}", ",}", 1), text.replace('"v1"', "01"),
        text.replace('"v1"', "1e999"), "/**/" + text, text.replace('"v1"', '"v\t1"'),
        text.replace("ReplicaSet", "ReplicaSet\\u0000"), "\t\r\n " + text, "\u00a0" + text, text.replace('"v1"', "-"),
        text.replace('"v1"', "NaN"), text + "\u0000",
        text.replace('"kind"', '"\u212aind"' if m.known else '"KIND"')])


def _odd_outside(m, text):
    return m.one([
        "", "{", "null", "[]", "{}", "5", '"x"', text + "x", text + " \n", text[:-1], text.replace('"uid"', '"UID"'),
        text.replace("preferAvoidPods", "PreferAvoidPods"), '{"preferAvoidPods":null}', '{"preferAvoidPods":{}}',
        '\ufeff' + text, text.replace(":", ": ", 3), text[:-1] + ',"preferAvoidPods":[]}'])


def annotation(m):
    """Mostly a list of controllers; at times not JSON, or JSON of another shape."""
    text = json.dumps({"preferAvoidPods": [_entry(m) for _ in range(m.between(0, 3))]})
    if m.p(.03):
        return _odd_inside(m, text)
    return _odd_outside(m, text) if m.p(.12) else text
