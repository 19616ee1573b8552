"""Where pods want to be: nodeSelector, node affinity, and the affinity that a profile adds."""
from generate.affinity import PREFERRED, REQUIRED
from generate.today.words import NUMBERS, VALUES
from generate.words import HOSTNAME, NEW_ZONE, RACK

KEYS = ["disktype", "disktype", "num", "tier", "empty", RACK, NEW_ZONE, NEW_ZONE, "absent", HOSTNAME]
UNPARSABLE = ["x", "-1", "1.5", "", "9223372036854775808", "-9223372036854775808"]  # Of Gt and Lt.


def expression(m, wild=False):
    """A requirement; a wild one has a value that the API server takes and the scheduler cannot read."""
    e = {"key": m.one(KEYS), "operator": m.one(["In", "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"])}
    if wild and m.p(.3):
        e["operator"] = m.one(["Gt", "Lt"])
    if e["operator"] in ("Gt", "Lt"):
        e["key"] = m.one(["num", "num", RACK, "absent"])
        e["values"] = [m.one(UNPARSABLE) if wild and m.p(.7) else m.one(["5", "08", "0", "9223372036854775807", "007", "6"])]
    elif e["operator"] in ("In", "NotIn"):
        e["values"] = m.some(["z1", "z2"] if e["key"] == NEW_ZONE else ["a", "b", "c"] if e["key"] == RACK else
                             NUMBERS if e["key"] == "num" else VALUES, 1, 3)
        if e["key"] == HOSTNAME:
            e["values"] = [f"n{i}" for i in m.some(range(8), 1, 4)]
    return e


def _field(m, count):
    """metadata.name, In or NotIn, one value: nothing else is valid."""
    return {"key": "metadata.name", "operator": "In" if m.p(.8) else "NotIn", "values": [f"n{m.between(0, count)}"]}


def term(m, wild=False, count=10):
    t = {}
    if m.p(.85):
        t["matchExpressions"] = [expression(m, wild) for _ in range(m.between(1, 2))]
    if m.p(.08) or not t and m.p(.5):
        t["matchFields"] = [_field(m, count) for _ in range(m.one([1, 1, 2]))]
    return t


def _by_names(m, count, name):
    """Every term names its node: the scheduler then looks at these only. Two names in one term conflict; with `name`, which
    is the pod's spec.nodeName, they may leave nothing."""
    def one():
        fields = [{"key": "metadata.name", "operator": "In", "values": [name if name and m.p(.4) else f"n{m.between(0, count)}"]}
                  for _ in range(m.one([1, 1, 1, 2]))]
        if m.p(.1):
            fields.append({"key": "metadata.name", "operator": "NotIn", "values": ["n0"]})
        more = {"matchExpressions": [expression(m)]} if m.p(.25) else {}
        return {"matchFields": fields, **more}
    return [one() for _ in range(m.one([1, 2, 2, 3, 4]))]


def _preferred(m, wild, least=1):
    return [{"weight": m.one([1, 2, 3, 50, 100, 7, m.between(1, 100)]), "preference": term(m, wild) if m.p(.98) else {}}
            for _ in range(m.between(least, 5))]


def node_affinity(m, count, name=None):
    out = {}
    if m.p(m.gently(.6)):
        wild = m.p(.4)
        terms = _by_names(m, count, name) if m.p(.6 if name else .2) else [term(m, wild, count) for _ in range(m.between(1, 3))]
        out[REQUIRED] = {"nodeSelectorTerms": terms}
    if m.p(.9 if m.gentle else .6):
        out[PREFERRED] = _preferred(m, m.p(m.broken))
    return out


def node_selector(m):
    return m.one([{"disktype": "ssd"}, {"disktype": "ssd"}, {"tier": m.one(VALUES)}, {RACK: m.one("abc")}, {"absent": "x"},
                  {NEW_ZONE: "z1"}, {"disktype": "hdd", RACK: "a"}, {"empty": ""}])


def added_affinity(m):
    """What a profile adds for all its pods: what does not parse is refused at start, and an empty term matches nothing."""
    out = {}
    if m.p(m.gently(.75)):
        out[REQUIRED] = {"nodeSelectorTerms": m.one([
            [{"matchExpressions": [{"key": "disktype", "operator": "In", "values": ["ssd", "hdd"]}]}],
            [{"matchExpressions": [{"key": RACK, "operator": "NotIn", "values": ["c"]}]}],
            [{"matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["n1"]}]}],
            [{"matchExpressions": [expression(m)]}, {"matchExpressions": [{"key": HOSTNAME, "operator": "Exists"}]}],
            [{}, {"matchExpressions": [{"key": "num", "operator": "Gt", "values": ["4"]}]}]])}
    if m.p(.6):
        out[PREFERRED] = _preferred(m, False)
    return out
