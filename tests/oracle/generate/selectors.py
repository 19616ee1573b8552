"""Node selector terms, label selectors and plain label maps, with values that validation lets through."""
from generate.words import APPS, HOSTNAME, KEYS, NUMBERS, RACK, TIERS, VALUES

BAD_LABEL_EXPRESSIONS = [{"key": "app", "operator": "In", "values": []}, {"key": "app", "operator": "Gt", "values": ["1"]},
                         {"key": "app", "operator": "Exists", "values": ["x"]},
                         {"key": "app", "operator": "In", "values": ["not valid!"]},
                         {"key": "app", "operator": "in", "values": ["web"]},
                         {"key": "tier", "operator": "NotIn", "values": ["x" * 64]},
                         {"key": "tier", "operator": "NotIn"}, {"key": "bad key", "operator": "Exists"}]


def _node_values(m, e, wild):
    if e["operator"] in ("Gt", "Lt"):
        e["key"] = m.one(["num", "num", RACK, "absent"])
        e["values"] = [m.one(NUMBERS if wild else ["5", "08", "0", "9223372036854775807", "007", "10"])]
    elif e["operator"] in ("In", "NotIn"):
        e["values"] = m.some(VALUES, 1, 3)
        if e["key"] == HOSTNAME:
            e["values"] = [f"n{i}" for i in m.some(range(8), 1, 4)]


def node_expression(m, wild):
    """A node selector requirement; a wild one may be what upstream calls an error."""
    e = {"key": m.one(KEYS), "operator": m.one(["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"])}
    _node_values(m, e, wild)
    if wild and m.p(.08):
        e["values"] = m.one([[], ["a", "b"], ["not valid!"], ["x" * 64], None])
    if wild and m.p(.03):
        e["key"] = m.one(["", "bad key", "a/b/c", "UPPER.com/x"])
    if wild and m.p(.02):
        e["operator"] = m.one(["in", "", "Equals"])
    return {k: v for k, v in e.items() if v is not None}


def _match_field(m, wild):
    f = {"key": "metadata.name" if m.p(.9) else m.one(["metadata.namespace", "spec.x"]),
         "operator": m.one(["In", "NotIn"]) if m.p(.9) else m.one(["Exists", "Gt"]),
         "values": [m.one([f"n{i}" for i in range(6)] + [""])]}
    if wild and m.p(.2):
        f["values"] = m.one([[], ["n0", "n1"]])
    return f


def node_term(m, wild):
    t = {}
    if m.p(.9):
        t["matchExpressions"] = [node_expression(m, wild) for _ in range(m.between(0 if m.p(.2) else 1, 2))]
    if m.p(.2):
        t["matchFields"] = [_match_field(m, wild) for _ in range(m.between(1, 2))]
    return t


def label_map(m):
    """A selector of a service: it may be empty, or (rarely) what no label can be."""
    s = {}
    if m.p(.8):
        s["app"] = m.one(APPS)
    if m.p(.3):
        s["tier"] = m.one(TIERS)
    if m.p(.03 * m.trouble):
        s = m.one([{"app": "not valid!"}, {"bad key": "x"}])
    return s


def label_expression(m):
    op = m.one(["In", "In", "NotIn", "Exists", "DoesNotExist"])
    e = {"key": m.one(["app", "app", "tier", "version"]), "operator": op}
    if op in ("In", "NotIn"):
        e["values"] = m.some(["web", "db", "front", "1", ""], 1, 2)
    return e


def label_selector(m, bad=.03):
    """A LabelSelector: empty, labels, expressions or both; `bad` is how often upstream cannot parse it."""
    s = {}
    if m.p(.55):
        s["matchLabels"] = label_map(m)
    if m.p(.4):
        s["matchExpressions"] = [label_expression(m) for _ in range(m.between(1, 2))]
    if m.p(bad):
        s["matchExpressions"] = [bad_expression(m)]
    return s


def bad_expression(m):
    """The same in all of a cluster: which of several errors upstream reports hangs on the order of goroutines."""
    if m.bad_selector is None:
        m.bad_selector = m.one(BAD_LABEL_EXPRESSIONS)
    return m.bad_selector
