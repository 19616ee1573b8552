"""Devices: attributes, capacities and their policies, counters, taints, conditions of binding."""
from generate.devices.words import (ATTACHED, CAPACITIES, EFFECTS, FAILED, HUGE, MODELS, NUMA, READY, ROOT, TAINT_KEYS,
                                    VERSIONS)

# Policies of a capacity that several claims share, by the capacity: no default outside of what is valid.
POLICIES = {
    "memory": [{"default": "1Gi"}, {"default": "4Gi", "validValues": ["1Gi", "4Gi", "8Gi", "16Gi"]},
               {"default": "2Gi", "validRange": {"min": "2Gi"}}, {"default": "2Gi", "validRange": {"min": "2Gi", "max": "10Gi"}},
               {"default": "1Gi", "validRange": {"min": "1Gi", "step": "1Gi"}},
               {"default": "1Gi", "validRange": {"min": "1Gi", "max": "12Gi", "step": "512Mi"}}],
    "cores": [{"default": "1"}, {"default": "1", "validValues": ["1", "2", "4"]}, {"default": "1", "validRange": {"min": "1"}},
              {"default": "1", "validRange": {"min": "1", "max": "4"}},
              {"default": "2", "validRange": {"min": "0", "max": "8", "step": "2"}},
              {"default": "500m", "validRange": {"min": "500m", "step": "500m"}}],
    "weight": [{"default": "0.5"}, {"default": "1", "validValues": ["0.5", "1", "2"]},
               {"default": "0.5", "validRange": {"min": "0.5", "max": "4", "step": "0.25"}},
               {"default": "0.3", "validRange": {"min": "0.1", "step": "0.2"}},
               {"default": "1", "validRange": {"min": "0.5", "max": "2.5"}}]}
HUGE_POLICIES = [{"default": "1", "validRange": {"min": "0", "max": HUGE, "step": "5E"}},
                 {"default": "1", "validRange": {"min": "1", "max": HUGE, "step": "1"}},
                 {"default": "0", "validRange": {"min": "0", "step": "9000000000000000"}},
                 {"default": "0.5", "validRange": {"min": "0.5", "step": "0.5"}}]


def attributes(m, driver, i):
    """Some names are qualified with the driver's own domain; some devices lack some."""
    own = driver + "/" if m.p(.2) else ""
    out = {}
    for name, chance, value in (("model", .95, {"string": m.one(MODELS)}), ("index", .95, {"int": i}),
                                ("healthy", .8, {"bool": m.p(.7)}), ("driverVersion", .8, {"version": m.one(VERSIONS)})):
        if m.p(chance):
            out[own + name] = value
    if m.p(.7):
        out[NUMA] = {"int": m.between(0, 1)}
    if m.p(.7):
        out[ROOT] = {"string": f"pci0000:0{m.between(0, 2)}"}
    if m.p(.5):
        out["mixed"] = m.one([{"int": 1}, {"int": 2}, {"string": "x"}, {"bool": True}, {"version": "1.0.0"}])
    return out


def _policy(m, name):
    return m.one(HUGE_POLICIES if m.p(m.rarely("capacity", .3, .03)) else POLICIES[name])


def capacity(m, multiple):
    out = {}
    for name, amounts in CAPACITIES.items():
        if m.p(.6 if name != "weight" else .3):
            out[name] = {"value": m.one(amounts)}
            if multiple and m.p(.7):
                out[name]["requestPolicy"] = _policy(m, name)
                if out[name]["requestPolicy"] in HUGE_POLICIES:
                    out[name]["value"] = HUGE
    if out and m.p(m.rarely("capacity", .01, .001)):
        out[m.one(sorted(out))] = {"value": "-1"}
    return out


def taints(m):
    out = {}
    for _ in range(m.between(1, 2)):
        taint = {"key": m.one(TAINT_KEYS), "effect": m.one(EFFECTS), "timeAdded": "2026-01-01T00:00:00Z"}
        if m.p(.6):
            taint["value"] = m.one(["yes", "no"])
        out[(taint["key"], taint["effect"])] = taint
    return list(out.values())


def device(m, driver, name, i):
    """One without counters, which belong to its pool, and without nodes of its own."""
    out = {"name": name, "attributes": attributes(m, driver, i)}
    multiple = m.p(m.rarely("capacity", .7, .12))
    if multiple:
        out["allowMultipleAllocations"] = True
    elif m.p(.1):
        out["allowMultipleAllocations"] = False
    if m.p(m.rarely("capacity", .95, .5)):
        out["capacity"] = capacity(m, multiple)
    if m.p(m.rarely("taints", .5, .05)):
        out["taints"] = taints(m)
    if m.p(m.rarely("binding", .5, .03)):
        out["bindingConditions"] = m.one([[READY], [READY, ATTACHED]])
        if m.p(.9):
            out["bindingFailureConditions"] = [FAILED]
        if m.p(.3):
            out["bindsToNode"] = True
    return out


def counter_sets(m):
    """{name: {counter: amount}}"""
    return {f"set-{i}": {"memory": m.one(["40Gi", "16Gi", "24Gi"]), "slots": m.one(["7", "3", "4"])}
            for i in range(m.one([1, 1, 2]))}


def consume(m, one, sets):
    """Lets the device consume counters, as a partition does."""
    out = []
    for name in sorted(sets):
        if m.p(.8 if name == "set-0" else .3):
            counters = {"memory": {"value": m.one(["8Gi", "16Gi", "24Gi", "5Gi"])}}
            if m.p(.7):
                counters["slots"] = {"value": m.one(["1", "2", "3"])}
            out.append({"counterSet": name, "counters": counters})
    if out:
        one["consumesCounters"] = out
