#!/usr/bin/env python3
"""Compares Winnow's answers to CEL cases with cel-go's: verdict and type of the checker, value, kind of error, cost.

    compare.py CASES UPSTREAM WINNOW [--programs UPSTREAM-PROGRAM WINNOW-PROGRAM] [--show N] [--coverage FILE]

CASES, and files of answers to them. With the programs it asks upstream again where a map's order may have decided, and shrinks what
differs to a short expression. Prints a line for each difference, and exits with 1 if there is any.
"""
import argparse
import collections
import itertools
import json
import re
import subprocess
import sys

from kinds import kind_of

TRIES = 100  # A map of ten entries has ten that may come first.
ROUNDS, CANDIDATES = 10, 150
MOST = 60  # Of a kind of difference with many cases it is not worth asking about each.
# Names of types that the one or the other has.
TYPES = {"google.protobuf.Any": "any", "timestamp": "google.protobuf.Timestamp", "duration": "google.protobuf.Duration", "null": "null_type"}
TOKENS = re.compile(r"\s+|\"\"\".*?\"\"\"|'''.*?'''|[rRbB]{0,2}'(?:\\.|[^'\\])*'|[rRbB]{0,2}\"(?:\\.|[^\"\\])*\"|[A-Za-z_]\w*|\d+\.?\d*u?|&&|\|\||[=!<>]=|\.\?|\[\?|.", re.S)
MACRO = re.compile(r"\b(\w+)\(")
PAIRS = {"(": ")", "[": "]", "{": "}", "[?": "]"}


def type_text(text):
    for one, other in TYPES.items():
        text = re.sub(rf"(?<![\w.]){re.escape(one)}(?![\w.])", other, text)
    return text


def outcome(answer):
    """(what became of it, the details that must be equal, the details that are compared besides)"""
    if "panic" in answer:
        return "crash", None, None
    if "compile" in answer:
        return "compile", None, answer["at"]
    if "program" in answer:
        return "program", type_text(answer["type"]), None
    if "error" in answer:
        return "error " + kind_of(answer["error"]), type_text(answer["type"]), answer.get("cost")
    return "value", (type_text(answer["type"]), json.dumps(answer["value"], sort_keys=True)), answer.get("cost")


def difference(upstream, winnow):
    """What differs, in words; none if nothing does."""
    up, own = outcome(upstream), outcome(winnow)
    if up[0] == "crash" or "error internal" == up[0] and own[0] != "value":
        return None
    if up[0] == "program" and own[0] in ("program", "compile"):
        return None
    if up[0] != own[0]:
        return f"{told(upstream)} -> {told(winnow)}"
    if up[1] != own[1]:
        return f"{up[1]} -> {own[1]}"
    if up[2] != own[2]:
        if up[0] == "compile":
            # Where a parser gives up is its own affair; where the checker does is compared.
            return None if "yntax error" in upstream["compile"] else f"at {up[2]} {upstream['compile']} -> {own[2]} {winnow['compile']}"
        return f"{up[0]}: cost {up[2]} -> {own[2]}"
    return None


def told(answer):
    what = outcome(answer)[0]
    detail = answer.get("compile") or answer.get("error") or answer.get("program")
    return f"{what}: {detail}" if detail else f"value {json.dumps(answer.get('value'), ensure_ascii=False)}"


def signature(upstream, winnow):
    """Differences of one signature have, most likely, one cause."""
    up, own = outcome(upstream), outcome(winnow)
    if up[0] != own[0]:
        generic = lambda answer: re.sub(r"'[^']*'|\(.*\)|\d+", "_", answer.get("compile", ""))[:60]  # noqa: E731
        return up[0], own[0], generic(upstream), generic(winnow)
    return up[0], "cost" if up[1] == own[1] else "value or type"


class Programs:
    def __init__(self, upstream, winnow, inputs):
        self.upstream, self.winnow, self.inputs = upstream, winnow, inputs

    def run(self, program, cases):
        lines, last = [], None
        for case in cases:
            if case.get("with") != last:
                last = case.get("with")
                lines.append(self.inputs[last])
            lines.append(case)
        text = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines) + "\n"
        done = subprocess.run(program, input=text.encode(), capture_output=True)
        answers = [json.loads(line) for line in done.stdout.decode().splitlines()]
        if done.returncode != 0 and not answers:
            sys.exit(f"{program}: {done.stderr.decode()[:2000]}")
        return answers

    def both(self, cases):
        up, own = self.run([self.upstream], cases), self.run([self.winnow], cases)
        return list(zip(cases, up, own))

    def orders(self, differing):
        """The ids of cases where upstream, asked again, does not always say the same: there the order of a map decides."""
        answers = self.run([self.upstream, "-repeat", str(TRIES)], [case for case, _, _ in differing])
        return {case["id"] for i, (case, _, _) in enumerate(differing) if len(set(map(str, map(outcome, answers[i * TRIES:(i + 1) * TRIES])))) > 1}

    def shrink(self, firsts):
        """For each difference the shortest expression found that differs in the same way. All are shrunk in step: programs start slowly."""
        best, wanted, growing = list(firsts), [signature(up, own) for _, up, own in firsts], set(range(len(firsts)))
        for _ in range(ROUNDS):
            cases = []
            for i in sorted(growing):
                case = best[i][0]
                texts = [text for text in smaller(case["expr"]) if len(text) < len(case["expr"])][:CANDIDATES]
                cases += [{**case, "expr": text, "id": str(i)} for text in texts]
            growing = set()
            for one in self.both(cases):
                i = int(one[0]["id"])
                if len(one[0]["expr"]) < len(best[i][0]["expr"]) and difference(*one[1:]) and signature(*one[1:]) == wanted[i]:
                    best[i] = ({**one[0], "id": firsts[i][0]["id"]}, *one[1:])
                    growing.add(i)
            if not growing:
                break
        return best


def smaller(text):
    """Shorter texts: a group's inside or what stands around it, a part of a list of arguments, or a few tokens less."""
    tokens = TOKENS.findall(text)
    made, stack = [], []
    for i, token in enumerate(tokens):
        if token in PAIRS:
            stack.append(i)
        elif token in PAIRS.values() and stack:
            begin = stack.pop()
            made += parts(tokens, begin, i)
    for i, j in itertools.combinations(range(len(tokens) + 1), 2):
        if j - i <= 6 or j == len(tokens) or i == 0:
            made.append("".join(tokens[:i] + tokens[j:]))
    return sorted(set(made), key=len)


def parts(tokens, begin, end):
    inside = "".join(tokens[begin + 1:end])
    head, tail = "".join(tokens[:begin]), "".join(tokens[end + 1:])
    yield inside
    yield head + inside + tail
    yield head + tail
    arguments, depth = [[]], 0
    for token in tokens[begin + 1:end]:
        depth += (token in PAIRS) - (token in PAIRS.values())
        if token == "," and depth == 0:
            arguments.append([])
        else:
            arguments[-1].append(token)
    for i, argument in enumerate(arguments):
        yield "".join(argument)
        rest = ",".join("".join(one) for j, one in enumerate(arguments) if j != i)
        yield head + tokens[begin] + rest + tokens[end] + tail
    start = begin
    while start > 0 and (tokens[start - 1].isidentifier() or tokens[start - 1] == "."):
        start -= 1
    yield "".join(tokens[start:end + 1])
    for simple in ("1", "true", "''", "[]"):
        yield "".join(tokens[:start]) + simple + tail


def read_all(path):
    with open(path) as file:
        return [json.loads(line) for line in file.read().split("\n") if line]


def print_difference(count, case, upstream, winnow):
    limit = f" (limit {case['limit']})" if "limit" in case else ""
    print(f"{count:6} {case['env']} {case['id']}{limit}: {json.dumps(case['expr'], ensure_ascii=False)}: {difference(upstream, winnow)}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cases")
    parser.add_argument("upstream")
    parser.add_argument("winnow")
    parser.add_argument("--programs", nargs=2)
    parser.add_argument("--show", type=int, default=30, help="kinds of differences that are shown")
    parser.add_argument("--coverage", help="counts of outcomes are added to this file")
    options = parser.parse_args()

    lines = read_all(options.cases)
    inputs = {line["input"]: line for line in lines if "input" in line}
    cases = [line for line in lines if "id" in line]
    upstream, winnow = read_all(options.upstream), read_all(options.winnow)
    if not len(cases) == len(upstream) == len(winnow):
        sys.exit(f"{len(cases)} cases, {len(upstream)} answers of upstream's, {len(winnow)} of Winnow's")
    programs = Programs(*options.programs, inputs) if options.programs else None

    outcomes, found = collections.Counter(), collections.defaultdict(list)
    for case, up, own in zip(cases, upstream, winnow):
        outcomes[outcome(up)[0]] += 1
        if outcome(up)[0] == "value":
            outcomes.update({f"macro {name}" for name in MACRO.findall(case["expr"])})
        if difference(up, own) is not None:
            found[signature(up, own)].append((case, up, own))
    orders = programs.orders([one for group in found.values() for one in group[:MOST]]) if programs and found else set()
    groups = [[one for one in group if one[0]["id"] not in orders] for group in found.values()]
    groups = sorted(filter(None, groups), key=len, reverse=True)

    differ = sum(map(len, groups))
    print(f"{len(cases)} cases: {differ} differ, {len(orders)} hang on the order of a map; upstream: " + ", ".join(f"{what} {n}" for what, n in outcomes.items() if what in ("value", "compile")))
    firsts = [min(group, key=lambda one: len(one[0]["expr"])) for group in groups[:options.show]]
    for group, one in zip(groups, programs.shrink(firsts) if programs and firsts else firsts):
        print_difference(len(group), *one)
    if options.coverage:
        add_coverage(options.coverage, outcomes)
    sys.exit(1 if differ else 0)


def add_coverage(path, outcomes):
    try:
        with open(path) as file:
            outcomes.update(json.load(file))
    except FileNotFoundError:
        pass
    with open(path, "w") as file:
        json.dump(outcomes, file)


if __name__ == "__main__":
    main()
