#!/usr/bin/env python3
"""Makes cases of cel-spec's own conformance tests, and holds Winnow's answers against what these expect.

    conformance.py cases FOLDER CASES                        FOLDER has the .textproto files of the Go module cel.dev/expr
    conformance.py compare CASES UPSTREAM WINNOW             compare.py is run besides

Where Kubernetes' environment is stricter than the specification (a list of mixed types does not compile, for example), cel-go's answer is
what is expected. What is left out, and why, is printed by `cases`.
"""
import base64
import collections
import json
import pathlib
import sys

import compare
import textproto

# Files that need what Kubernetes' environments do not have.
LEFT_OUT_FILES = {
    "block_ext": "cel.block is not in Kubernetes' environments", "encoders_ext": "base64 is not in Kubernetes' environments", "math_ext": "math is not in Kubernetes' environments",
    "network_ext": "the network library of cel-go is not in Kubernetes' environments", "proto2": "protobuf messages", "proto2_ext": "protobuf messages", "proto3": "protobuf messages",
    "enums": "protobuf enums", "wrappers": "protobuf messages", "unknowns": "unknown values; the file has no test",
}
PRIMITIVES = {"BOOL": "bool", "INT64": "int", "UINT64": "uint", "DOUBLE": "double", "STRING": "string", "BYTES": "bytes"}
WELL_KNOWN = {"TIMESTAMP": "timestamp", "DURATION": "duration", "ANY": None}


class LeftOut(Exception):
    """Why a test has no case."""


def only(message, name):
    return message[name][0] if message.get(name) else None


def text(of):
    return of.decode()


def type_of(message):
    """A declared type as a text that both programs read."""
    kind = next(iter(message))
    of = message[kind][0]
    if kind == "primitive":
        return PRIMITIVES[of]
    if kind == "well_known" and WELL_KNOWN.get(of):
        return WELL_KNOWN[of]
    if kind == "dyn":
        return "dyn"
    if kind == "null":
        return "null"
    if kind == "list_type":
        return f"list({type_of(only(of, 'elem_type')) if of else 'dyn'})"
    if kind == "map_type":
        return f"map({type_of(only(of, 'key_type'))},{type_of(only(of, 'value_type'))})"
    raise LeftOut(f"a variable of a type that is not Kubernetes' ({kind})")


def value_of(message):
    """A value as README.md has them."""
    kind = next(iter(message))
    of = message[kind][0]
    if kind == "null_value":
        return {"null": True}
    if kind == "bool_value":
        return {"bool": of == "true"}
    if kind in ("int64_value", "uint64_value"):
        return {kind[:-8]: str(int(of, 0))}
    if kind == "double_value":
        return {"double": double_text(float(of))}
    if kind == "string_value":
        return {"string": text(of)}
    if kind == "bytes_value":
        return {"bytes": base64.b64encode(of).decode()}
    if kind == "type_value":
        return {"type": text(of)}
    if kind == "list_value":
        return {"list": [value_of(item) for item in of.get("values", [])]}
    if kind == "map_value":
        entries = [[value_of(only(entry, "key")), value_of(only(entry, "value"))] for entry in of.get("entries", [])]
        return {"map": sorted(entries, key=lambda entry: json.dumps(entry[0], separators=(",", ":"), ensure_ascii=False))}
    if kind == "object_value":
        return object_of(of)
    raise LeftOut(f"a value of protobuf ({kind})")


def object_of(of):
    kind = next(iter(of))
    inner = of[kind][0]
    seconds, nanos = (int(only(inner, name) or 0) for name in ("seconds", "nanos")) if isinstance(inner, dict) else (0, 0)
    if kind == "[type.googleapis.com/google.protobuf.Timestamp]":
        return {"timestamp": [str(seconds), str(nanos)]}
    if kind == "[type.googleapis.com/google.protobuf.Duration]":
        return {"duration": str(seconds * 10**9 + nanos)}
    raise LeftOut("a protobuf message")


def double_text(number):
    """As Go and C++ print the shortest form with an exponent."""
    if number != number:
        return "NaN"
    if number in (float("inf"), float("-inf")):
        return "+Inf" if number > 0 else "-Inf"
    digits = repr(number)
    mantissa, _, exponent = digits.partition("e")
    sign, mantissa = ("-", mantissa[1:]) if mantissa.startswith("-") else ("", mantissa)
    whole, _, fraction = mantissa.partition(".")
    places = int(exponent or 0)
    all_digits = (whole + fraction).lstrip("0")
    if not all_digits:
        return sign + "0e+00"
    places += len(whole) - 1 if whole.strip("0") else -(len(fraction) - len(fraction.lstrip("0"))) - 1
    all_digits = all_digits.rstrip("0")
    return f"{sign}{all_digits[0]}{'.' + all_digits[1:] if len(all_digits) > 1 else ''}e{'+' if places >= 0 else '-'}{abs(places):02d}"


def case_of(file, section, test):
    expression = text(only(test, "expr"))
    if "container" in test and text(only(test, "container")):
        raise LeftOut("a container of names: Kubernetes has none")
    if any(word in expression for word in ("TestAllTypes", "google.protobuf.", "NestedEnum", "GlobalEnum", "proto.")) and "google.protobuf.Timestamp" != expression:
        raise LeftOut("a protobuf message or enum")
    declared, variables = {}, {}
    for declaration in test.get("type_env", []):
        if "ident" not in declaration:
            raise LeftOut("a function that the test declares")
        declared[text(only(declaration, "name"))] = type_of(only(only(declaration, "ident"), "type"))
    for binding in test.get("bindings", []):
        given = only(only(binding, "value"), "value")
        if given is None:
            raise LeftOut("an unknown value")
        variables[text(only(binding, "key"))] = value_of(given)
    case = {"id": f"{file}/{section}/{text(only(test, 'name'))}", "env": "spec", "expr": expression, "declare": declared}
    if "value" in test:
        case["expected"] = value_of(only(test, "value"))
    elif "typed_result" in test and "result" in only(test, "typed_result"):
        case["expected"] = value_of(only(only(test, "typed_result"), "result"))
    elif "eval_error" in test or "any_eval_errors" in test:
        case["expected"] = "error"
    elif "unknown" in test or "any_unknowns" in test:
        raise LeftOut("an unknown value")
    elif "typed_result" not in test:
        case["expected"] = {"bool": True}
    return case, variables


def make_cases(folder, path):
    left_out, count = collections.Counter(), 0
    with open(path, "w") as out:
        for file in sorted(pathlib.Path(folder).glob("*.textproto")):
            read = textproto.parse(file.read_text())
            for section in read.get("section", []):
                for test in section.get("test", []):
                    try:
                        if file.stem in LEFT_OUT_FILES:
                            raise LeftOut(f"{file.stem}: {LEFT_OUT_FILES[file.stem]}")
                        case, variables = case_of(file.stem, text(only(section, "name")), test)
                    except LeftOut as why:
                        left_out[str(why)] += 1
                        continue
                    count += 1
                    case["with"] = case["id"]
                    for line in ({"input": case["id"], "vars": variables}, case):
                        out.write(json.dumps(line, ensure_ascii=False) + "\n")
    print(f"{count} cases of cel-spec's; left out:")
    for why, n in sorted(left_out.items()):
        print(f"{n:6} {why}")


def agrees(expected, answer):
    if expected is None:
        return "compile" not in answer
    if expected == "error":
        return "value" not in answer
    return json.dumps(expected, sort_keys=True) == json.dumps(answer.get("value"), sort_keys=True)


def compare_answers(cases_path, upstream_path, winnow_path):
    cases = [line for line in compare.read_all(cases_path) if "id" in line]
    counts, wrong = collections.Counter(), []
    for case, up, own in zip(cases, compare.read_all(upstream_path), compare.read_all(winnow_path), strict=True):
        expected = case.get("expected")
        if agrees(expected, own):
            counts["as the specification expects"] += 1
        elif not agrees(expected, up) and compare.difference(up, own) is None:
            counts["as cel-go in Kubernetes' environment, which the specification does not expect"] += 1
        else:
            counts["wrong"] += 1
            wrong.append(f"{case['id']}: {json.dumps(case['expr'], ensure_ascii=False)}: expected {json.dumps(expected)}, {compare.told(own)}; cel-go {compare.told(up)}")
    print(", ".join(f"{n} {what}" for what, n in counts.items()))
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "cases":
        make_cases(*sys.argv[2:])
    elif len(sys.argv) == 5 and sys.argv[1] == "compare":
        sys.exit(compare_answers(*sys.argv[2:]))
    else:
        sys.exit(__doc__)
