"""Amounts as users write them, and as only the API server could think of."""
CPU = ["0", "100m", "1500u", "1", "1.5", "250m", "0.1", "500m", "2", "10m", "1n", "33m", "0m", "1e-1", "+1"]
MEMORY = ["0", "100m", "1.5Gi", "1e3", "200Mi", "1Gi", "512Mi", "100M", "0.5Gi", "1", "1500000k", "3e8", "129e6", "1Ki",
          "0.001", "64Mi", "1E", "1.0000001Gi"]
STORAGE = ["0", "1Gi", "10Gi", "1e9", "500m", "1k"]
SCALARS = ["example.com/gpu", "hugepages-2Mi", "example.com/widget", "kubernetes.io/batch", "attachable-volumes-aws-ebs",
           "foo", "requests.example.com/x", "example.com/-bad", "example.com/a_B.c", "storage", "hugepages-", "pods",
           "Example.com/gpu", "a/b/c", "x.kubernetes.io/y"]
COUNTS = ["0", "1", "2", "4", "8", "1e1", "500m", "1500m", "2Mi", "100Mi"]
STRANGE = ["-1", "-100m", "9223372036854775807", "8E", "9E", "10E", "1e19", "1e18", "7Ei", "8Ei", "9223372036854775808",
           "123456789012345678901n", "1e-7", ".5", "5.", "1e+3", "0.3Mi", "-0", "1u", "999999999999999999999999",
           "4611686018427387904", "1000000000000000001m", "00012", "-8Ei", "3.0000000000000000001", "1E3",
           "0.0000000001", "922337203685477580", "922337203685477581"]


def quantity(m, usual, millis=False):
    """One of the usual ones, or any; in a strange cluster also one at the edge of what fits."""
    if m.strange and m.p(.25):
        return m.one(STRANGE)
    if m.p(.4):
        if millis:
            return f"{m.between(0, 1500)}m"
        return m.one([f"{m.between(0, 2 * 10**9)}", f"{m.between(0, 2000)}Mi", f"{m.between(0, 10**12)}m"])
    return m.one(usual)


def requests(m):
    """A container's `requests` or `limits`."""
    out = {}
    if m.p(.6):
        out["cpu"] = quantity(m, CPU, millis=True)
    if m.p(.6):
        out["memory"] = quantity(m, MEMORY[:-2] if m.roomy else MEMORY)
    if m.p(.15):
        out["ephemeral-storage"] = quantity(m, STORAGE)
    for name in SCALARS:
        if m.p(m.scalar_chance):
            out[name] = m.one(COUNTS)
    return out


def _roomy_allocatable(m):
    out = {"cpu": m.one(["16", "32", "24000m", f"{m.between(8000, 40000)}m"]),
           "memory": m.one(["32Gi", "64Gi", "1e11", f"{m.between(10**10, 10**11)}", f"{m.between(10**13, 10**14)}m"])}
    if m.strange and m.p(.5):
        out["memory"] = m.one(STRANGE)
    if m.strange and m.p(.2):
        out["cpu"] = m.one(STRANGE)
    return out


def allocatable(m):
    """A node's allocatable."""
    out = {}
    if m.roomy and m.p(.9):
        out = _roomy_allocatable(m)
    elif m.p(.95):
        out["cpu"] = quantity(m, ["4", "2", "0", "1500m", "8", "4000m", "3.3", "1500u", "16"])
        out["memory"] = quantity(m, ["4Gi", "8Gi", "0", "16Gi", "1.5Gi", "1e9", "32Gi", "100m", "4000000k"])
    if m.p(.93 if m.about("general") else .99):
        few = .1 * m.trouble if m.roomy else .5
        out["pods"] = m.one(["110", "10", "5", "2", "0", "1500m"]) if m.p(few) else "110"
    if m.roomy or m.p(.7):
        out["ephemeral-storage"] = m.one(["10Gi", "0", "100Gi", "1e9"]) if m.p(m.trouble) else "100Gi"
    for name in SCALARS:
        if m.p(.25):
            out[name] = m.one(COUNTS)
    return out
