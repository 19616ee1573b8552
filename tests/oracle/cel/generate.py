#!/usr/bin/env python3
"""Writes cases for cel-go and Winnow, as README.md has them. One seed makes one input and its expressions: the same on every machine.

    generate.py FILE FIRST COUNT [--each N]
"""
import argparse
import base64
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import grow  # noqa: E402
import literals  # noqa: E402
import text_mutations  # noqa: E402
from generate.dice import Dice  # noqa: E402

ENVIRONMENTS = {"pod": 5, "dra": 4, "dra-any": 1}
POD_VARIABLES = [("d", "dyn"), ("e", "dyn"), ("i", "int"), ("j", "int"), ("u", "uint"), ("v", "uint"), ("x", "double"), ("y", "double"), ("s", "string"), ("t", "string"),
                 ("b", "bytes"), ("p", "bool"), ("q", "bool"), ("li", "list(int)"), ("ls", "list(string)"), ("ld", "list(dyn)"), ("mi", "map(string,int)"), ("ms", "map(string,string)"),
                 ("md", "map(string,dyn)"), ("mn", "map(int,string)"), ("ts", "timestamp"), ("tt", "timestamp"), ("du", "duration"), ("dv", "duration")]
DRIVERS = ["gpu.example.com", "nic.example.org", "dra.cpu"]
DOMAINS = DRIVERS + ["kubernetes.io", "missing.example"]
ATTRIBUTES = {"model": "string", "index": "int", "healthy": "bool", "driverVersion": "version", "numa": "int", "uuid": "string", "sizes": "ints", "names": "strings", "flags": "bools", "versions": "versions"}
CAPACITIES = ["memory", "cores", "bandwidth"]
AMOUNTS = ["40Gi", "80Gi", "0", "1", "1500m", "2.5Gi", "10M", "100", "1n", "12345678901234567890", "-1"]
SELECTORS = ["device.driver == «string»", "«quantity».compareTo(quantity('40Gi')) >= 0", "device.attributes['gpu.example.com'].model == «string»",
             "'model' in device.attributes['gpu.example.com']", "has(device.attributes['gpu.example.com'].model)", "device.attributes['gpu.example.com'].?model.orValue(«T») == «T»",
             "!cel.bind($a, device.attributes['gpu.example.com'], @a:map(string,dyn) «bool»)", "device.attributes.exists($d, @d:string «bool»)", "device.attributes['gpu.example.com'].sizes.includes(«int»)",
             "device.attributes['gpu.example.com'].sizes.exists($a, @a:int «bool»)", "device.allowMultipleAllocations == «bool»", "device.attributes['gpu.example.com'].driverVersion.isGreaterThan(«semver»)",
             "device == «dyn»", "«string» in device.attributes", "'missing.example' in device.capacity", "'gpu.example.com' in device.attributes && «bool»", "device.capacity['gpu.example.com'].memory == «quantity»", "device.attributes[device.driver].index == «int»", "type(device) == «type»",
             "«quantity».isGreaterThan(«quantity»)", "device.attributes['gpu.example.com'].all($k, $v, @k:string @v:dyn «bool»)", "device.nothing", "has(device.driver)", "size(device.attributes) == «int»",
             "device.capacity['gpu.example.com'].map($k, @k:string «T») == «list(T)»", "device.attributes['nic.example.org'] == «map(string,dyn)»"]


# Functions that Winnow's environments have, and a new expression of 1.36's compatibility does not.
NOT_IN_ANY = ["includes"]


def quoted(text):
    return {"string": text}


def some_string(dice):
    return dice.one(["", "a", "abc", "hello world", "é", "日本語", "a,b", "x", "5", "true", "10.0.0.1", "1.2.3", "40Gi", "foo.bar", "  pad ", "A" * 40, "😀", "(", "a**", "x["])


def some_int(dice):
    return dice.one([0, 1, -1, 2, 3, 5, 7, 42, 100, 2**31, 2**63 - 1, -2**63])


def some_scalar(dice):
    kind = dice.one(["int", "string", "bool", "double", "uint", "null", "bytes", "int", "string"])
    return {"int": lambda: {"int": str(some_int(dice))}, "string": lambda: quoted(some_string(dice)), "bool": lambda: {"bool": dice.p(.5)},
            "double": lambda: {"double": dice.one(["1.5", "0", "-0", "1e308", "NaN", "+Inf", "-2.25", "3", "42"])}, "uint": lambda: {"uint": str(dice.one([0, 1, 5, 42, 2**64 - 1]))},
            "null": lambda: {"null": True}, "bytes": lambda: {"bytes": base64.b64encode(dice.one([b"", b"abc", b"\xff\x00"])).decode()}}[kind]()


def some_dynamic(dice, depth):
    """A value as an API's object has it: maps have one entry, for their order is not the same each time."""
    if depth == 0 or dice.p(.4):
        return some_scalar(dice)
    if dice.p(.5):
        return {"list": [some_dynamic(dice, depth - 1) for _ in range(dice.between(0, 3))]}
    return {"map": [[quoted(dice.one(literals.NAMES)), some_dynamic(dice, depth - 1)] for _ in range(dice.between(0, 1))]}


def entries(dice, most, key, value):
    made = {}
    for _ in range(dice.between(0, most)):
        one = key()
        made[json.dumps(one)] = [one, value()]
    return {"map": list(made.values())}


def some_time(dice):
    return {"timestamp": [str(dice.one([0, 1706704496, -86400, 253402300799, -62135596800, 1719389289])), str(dice.one([0, 0, 1, 500000000, 999999999]))]}


def some_duration(dice):
    return {"duration": str(dice.one([0, 1, 1500000000, 3600 * 10**9, -60 * 10**9, 2**63 - 1, -2**63]))}


def pod_input(dice):
    name = lambda: quoted(dice.one(literals.NAMES))  # noqa: E731
    text = lambda: quoted(some_string(dice))  # noqa: E731
    number = lambda: {"int": str(some_int(dice))}  # noqa: E731
    several = lambda make: {"list": [make() for _ in range(dice.between(0, 3))]}  # noqa: E731
    double = lambda: {"double": dice.one(["1.5", "0", "-0", "NaN", "+Inf", "-Inf", "-2.25", "1e300", "42"])}  # noqa: E731
    uint = lambda: {"uint": str(dice.one([0, 1, 5, 42, 2**64 - 1]))}  # noqa: E731
    return {"d": some_dynamic(dice, 3), "e": some_dynamic(dice, 2), "i": number(), "j": number(), "u": uint(), "v": uint(), "x": double(), "y": double(), "s": text(), "t": text(),
            "b": {"bytes": base64.b64encode(dice.one([b"", b"abc", b"\xff\x00", b"caf\xc3\xa9"])).decode()}, "p": {"bool": dice.p(.5)}, "q": {"bool": dice.p(.5)},
            "li": several(number), "ls": several(text), "ld": several(lambda: some_dynamic(dice, 1)), "mi": entries(dice, 3, name, number), "ms": entries(dice, 2, name, text),
            "md": entries(dice, 2, name, lambda: some_dynamic(dice, 2)), "mn": entries(dice, 2, number, text), "ts": some_time(dice), "tt": some_time(dice), "du": some_duration(dice), "dv": some_duration(dice)}


def attribute_value(dice, kind):
    version = lambda: dice.one(literals.VERSIONS).strip("'")  # noqa: E731
    one = {"string": lambda: some_string(dice), "int": lambda: some_int(dice), "bool": lambda: dice.p(.5), "version": version}
    if kind.endswith("s"):
        return {kind: [one[kind[:-1]]() for _ in range(dice.between(1, 3))]}
    return {kind: one[kind]()}


def device_input(dice, lists):
    driver = dice.one(DRIVERS[:2])
    made = {"driver": driver, "attributes": {}, "capacity": {}}
    if dice.p(.5):
        made["allowMultipleAllocations"] = dice.p(.5)
    for domain in DRIVERS + ["kubernetes.io"]:
        prefix = "" if domain == driver and dice.p(.5) else domain + "/"
        for name, kind in ATTRIBUTES.items():
            if dice.p(.65) and (lists or not kind.endswith("s")):
                # Now and then an attribute has another type than its driver's others.
                made["attributes"][prefix + name] = attribute_value(dice, kind if dice.p(.9) else dice.one(["string", "int", "bool", "version"]))
        for name in CAPACITIES:
            if dice.p(.6):
                made["capacity"][prefix + name] = dice.one(AMOUNTS)
    return made


def device_parts(dice):
    """What stands for a type in a device's environment."""
    domain = lambda: dice.one(DOMAINS + DRIVERS[:1] * 6)  # noqa: E731
    attribute = lambda: f"device.attributes['{domain()}'].{dice.one(list(ATTRIBUTES))}"  # noqa: E731
    dynamic = [attribute() for _ in range(4)] + [f"device.attributes['{domain()}']['{dice.one(list(ATTRIBUTES))}']" for _ in range(2)]
    quantities = [f"device.capacity['{domain()}'].{dice.one(CAPACITIES)}" for _ in range(3)] + [f"device.capacity['{domain()}']['{dice.one(CAPACITIES)}']"]
    return {"dyn": dynamic, "quantity": quantities, "string": ["device.driver"] + dynamic[:2], "bool": ["device.allowMultipleAllocations", dynamic[0]], "int": dynamic[:1], "semver": dynamic[1:2],
            "list(int)": dynamic[2:3], "list(string)": dynamic[3:4], "map(string,dyn)": [f"device.attributes['{domain()}']"], "map(string,quantity)": [f"device.capacity['{domain()}']"],
            "opt(dyn)": [f"device.attributes['{domain()}'].?{dice.one(list(ATTRIBUTES))}", f"device.attributes[?'{domain()}'].?{dice.one(list(ATTRIBUTES))}"]}


def expression(dice, grower, env):
    grower.ill = 0
    grower.wrong = dice.one([0, .03, .03, .1, .3])
    depth = dice.one([1, 2, 2, 3, 3, 4, 5])
    way = dice.weighted({"typed": 70, "ill": 12, "mutated": 16, "odd": 2})
    if way == "odd":
        return text_mutations.odd(dice)
    if way == "ill":
        grower.ill = dice.one([.05, .15])
    if env != "pod" and dice.p(.35):
        template = dice.one(SELECTORS)
        made = grower.fill(grow.parsed(template.lstrip("!")), {}, depth)
    else:
        made = grower.grow("bool" if dice.p(.4) else dice.one(grow.CLASSES["T"]), depth)
    return text_mutations.mutate(dice, made) if way == "mutated" else made


def cases_of(seed, each):
    dice = Dice(f"cel {seed}")
    env = dice.weighted(ENVIRONMENTS)
    if env == "pod":
        yield {"input": f"{seed}", "vars": pod_input(dice)}
        grower = grow.Grower(dice, POD_VARIABLES, False)
    else:
        yield {"input": f"{seed}", "device": device_input(dice, env == "dra")}
        grower = grow.Grower(dice, [], True, device_parts(dice))
    for number in range(each):
        text = expression(dice, grower, env)
        if env == "dra-any" and any(word in text for word in NOT_IN_ANY):
            continue
        made = {"id": f"{seed}-{number}", "env": env, "expr": text, "with": f"{seed}"}
        if dice.p(.04):
            made["limit"] = dice.one([1, 3, 5, 10, 20, 50])
        yield made


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--each", type=int, default=20, help="expressions of a seed")
    options = parser.parse_args()
    with options.file.open("w") as file:
        for seed in range(options.first, options.first + options.count):
            for line in cases_of(seed, options.each):
                file.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
