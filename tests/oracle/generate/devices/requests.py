"""What claims request: devices by count or all, with admin access, of alternatives; and what ties them together."""
from generate.devices.selectors import selector
from generate.devices.words import ASKED, CLASSES, NUMA, ROOT, TAINT_KEYS, UNREPRESENTABLE

WRONG = ["no form", "no class", "missing class", "mode", "constraint", "much", "huge"]


def _class(m):
    """Mostly one whose devices the cluster has."""
    of_cluster = [name for name, driver in CLASSES.items() if driver in m.drivers]
    return m.one(of_cluster * 6 + ["any"] * 4 + ["picky"] + list(CLASSES))


def _driver_of(m, name):
    return CLASSES.get(name) if m.p(.9) and name in CLASSES else m.one(m.drivers)


def toleration(m):
    out = {"key": m.one(TAINT_KEYS)} if m.p(.8) else {}
    if "key" not in out or m.p(.5):
        out["operator"] = "Exists"
    else:
        out.update(m.one([{}, {"operator": "Equal"}]))
        out["value"] = m.one(["yes", "no", ""])
    if m.p(.5):
        out["effect"] = m.one(["NoSchedule", "NoExecute"])
    return out


def _capacities(m):
    out = {}
    if m.p(m.rarely("capacity", .12, .03)):  # Devices that lack what is asked for are passed over, so it is not much.
        return {"requests": {m.one(list(ASKED)): m.one(UNREPRESENTABLE)}}
    for name, amounts in ASKED.items():
        if m.p(.35):
            out[name] = m.one(amounts)
    if m.p(.04):
        out["nosuch"] = "1"
    return {"requests": out} if out else {}


def _body(m, most):
    """What exact requests and alternatives have in common. @return: it, and how many devices it is for at least."""
    name = _class(m)
    out = {"deviceClassName": name}
    count = 1
    if m.p(m.rarely("pools", .3, .12)):
        out["allocationMode"] = "All"
    elif m.p(.95):
        count = min(m.one([1, 1, 1, 1, 2, 3]), most)
        out.update({"allocationMode": "ExactCount", "count": count})
    if m.p(m.rarely("selectors", .9, .2)):
        out["selectors"] = [selector(m, _driver_of(m, name)) for _ in range(m.one([1, 1, 1, 2]))]
    if m.p(m.rarely("taints", .5, .05)):
        out["tolerations"] = [toleration(m) for _ in range(m.between(1, 2))]
    if m.p(m.rarely("capacity", .7, .08)):
        out["capacity"] = _capacities(m)
    return out, count


def _request(m, i, most):
    if m.p(m.rarely("lists", .8, .1)):
        bodies = [_body(m, most) for _ in range(m.one([1, 2, 2, 3, 3, 4, 8]))]
        return {"name": f"req-{i}", "firstAvailable": [{"name": f"sub-{j}", **one} for j, (one, _) in enumerate(bodies)]}, \
            max(count for _, count in bodies)
    body, count = _body(m, most)
    if m.p(.08):
        body["adminAccess"] = m.p(.9)
    return {"name": f"req-{i}", "exactly": body}, count


def _names(m, requests):
    """Of requests, or of their alternatives."""
    out = []
    for one in m.subset(requests, .7):
        subs = one.get("firstAvailable")
        out.append(f"{one['name']}/{m.one(subs)['name']}" if subs and m.p(.4) else one["name"])
    return out


def _constraint(m, requests):
    driver = m.one(m.drivers)
    attribute = m.one([NUMA, NUMA, ROOT, f"{driver}/model", f"{driver}/index", f"{driver}/driverVersion", f"{driver}/healthy",
                       f"{driver}/mixed", f"{driver}/nosuch"])
    out = {"matchAttribute" if m.p(.6) else "distinctAttribute": attribute}
    names = _names(m, requests)
    if names and m.p(.6):
        out["requests"] = names
    return out


def _spoil(m, devices, how):
    """What no API server takes today, or what upstream refuses at once."""
    exact = [one["exactly"] for one in devices["requests"] if "exactly" in one]
    if how == "no form":
        devices["requests"].append({"name": "empty"})
    elif how == "constraint":
        devices["constraints"] = [{}]
    elif exact:
        one = m.one(exact)
        one.update({"no class": {"deviceClassName": ""}, "missing class": {"deviceClassName": "nosuch"},
                    "mode": {"allocationMode": "Some"}, "much": {"allocationMode": "ExactCount", "count": m.between(20, 40)},
                    "huge": {"allocationMode": "ExactCount", "count": 2**63 - 1}}[how])


def spec(m):
    """Of a claim. A search is long where many devices are sought among many, so the number sought is bounded."""
    most = 2 if m.many else 5
    requests = []
    for i in range(m.one([1, 1, 1, 1, 2, 3] if not m.about("constraints") else [1, 2, 2, 3])):
        if most > 0:
            one, count = _request(m, i, most)
            requests.append(one)
            most -= count
    if m.p(.01):
        requests = []
    devices = {"requests": requests}
    if requests and m.p(m.rarely("constraints", .85, .08)):
        devices["constraints"] = [_constraint(m, requests) for _ in range(m.one([1, 1, 2]))]
    if m.p(m.rarely("wrong", .4, .01)):
        _spoil(m, devices, m.one(WRONG))
    if requests and m.p(.05):
        devices["config"] = [{"requests": [requests[0]["name"]],
                              "opaque": {"driver": m.drivers[0], "parameters": {"kind": "Config"}}}]
    return {"devices": devices}
