"""Clusters that do nothing but compare amounts written in different ways.

Each resource of a node is one amount and each pod asks for nearly that, written otherwise: what fits tells which
integers both were read as.
"""
RESOURCES = ["cpu", "memory", "ephemeral-storage"] + [f"example.com/r{i}" for i in range(24)]
PRIORITIES = ["LeastRequestedPriority", "MostRequestedPriority", "BalancedResourceAllocation"]


def _near(m):
    return m.one([m.between(0, 10), m.between(0, 10**4), 10**m.between(0, 19), 2**m.between(0, 64),
                  int(10**m.r.uniform(0, 20)), 1024**m.between(0, 6) * m.between(1, 2000), 2**63 - 1, (2**63 - 1) // 1000])


def _exponent(m, sign, size):
    e = m.between(-12, 21)
    digits = str(size).rjust(40, "0")
    point = 40 - (3 + e)
    if point < 1 or point > 40:
        return f"{sign}{size}e-3"
    whole = (digits[:point].lstrip("0") or m.one(["0", ""])) if digits[point:] else digits[:point]
    return sign + whole + "." + digits[point:] + f"{m.one('eE')}{e}"


def _binary(m, sign, size):
    power = m.between(1, 6)
    unit = 1024**power * 1000
    whole, rest = divmod(size, unit)
    fraction = str(rest * 10**30 // unit).rjust(30, "0")[:m.between(0, 30)]
    return f"{sign}{whole}{'.' + fraction if fraction or m.p(.2) else ''}{['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'][power]}"


def _decimal(m, sign, size):
    power = m.between(1, 6)
    digits = str(size).rjust(40, "0")
    point = 40 - (3 + 3 * power)
    return f"{sign}{digits[:point].lstrip('0') or '0'}.{digits[point:]}{['', 'k', 'M', 'G', 'T', 'P', 'E'][power]}"


def spelled(m, number):
    """The number, or a little more or less, in some notation; `number` is in thousandths."""
    number = max(0, number + m.one([0, 0, 0, 1, -1, 1000, -1000, 999, -999, 500]))
    if m.p(.05):
        number = -number
    sign, size = ("-" if number < 0 else m.one(["", "", "", "+"])), abs(number)
    return m.one([
        lambda: f"{sign}{size}m",
        lambda: f"{sign}{size // 1000}",
        lambda: f"{sign}{size // 1000}.{size % 1000:03}" + "0" * m.between(0, 3),
        lambda: f"{sign}{size * 1000}u" if m.p(.5) else f"{sign}{size * 10**6}n",
        lambda: _exponent(m, sign, size),
        lambda: _binary(m, sign, size),
        lambda: _decimal(m, sign, size),
        lambda: f"{sign}{'0' * m.between(0, 3)}{size}e-{m.one(['3', '03'])}",
    ])()


def _container(m, name, numbers):
    return {"name": name, "image": "i", "resources": {"requests": {r: spelled(m, n) for r, n in numbers.items()}}}


def _pod(m, i, numbers):
    if i >= 20:  # What already runs, and is little.
        little = {name: m.between(0, 3000) for name in numbers}
        spec = {"containers": [_container(m, "c", little)], "nodeName": f"n{i - 20}"}
    else:
        spec = {"containers": [_container(m, "c", numbers)]}
        if m.p(.2):
            spec["containers"].append(_container(m, "d", dict.fromkeys(numbers, 0)))
        if m.p(.2):
            spec["initContainers"] = [_container(m, "e", numbers)]
    return {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": f"p{i}", "namespace": "default", "uid": f"u{i}"},
            "spec": spec, "status": {}}


def make(m):
    numbers = {name: _near(m) * 1000 + m.one([0, 0, 0, 1, 500, 999]) for name in RESOURCES}
    nodes = [{"kind": "Node", "apiVersion": "v1", "metadata": {"name": f"n{i}"}, "spec": {}, "status": {
        "allocatable": {**{name: spelled(m, number) for name, number in numbers.items()}, "pods": "100"}}} for i in range(6)]
    pods = [_pod(m, i, numbers) for i in range(24)]
    policy = {"kind": "Policy", "apiVersion": "v1", "predicates": [{"name": "PodFitsResources"}] if m.p(.7) else [],
              "priorities": [{"name": name, "weight": 1} for name in PRIORITIES]}
    return {"cluster": {"kind": "List", "apiVersion": "v1", "items": nodes + pods},
            "pods": {"kind": "List", "apiVersion": "v1", "items": pods[:1]}, "policy": policy, "gates": {}}
