"""The small steps: each mutation replaces one stretch of a file's text."""
import collections
import re

from mutate.source import blanked, closing, for_headers, operand_end, operand_start, statements

Mutation = collections.namedtuple("Mutation", "kind start end text")

FLIPPED = {" == ": [" != "], " != ": [" == "], " < ": [" <= ", " >= "], " <= ": [" < ", " > "], " > ": [" >= ", " <= "],
           " >= ": [" > ", " < "]}
COMPARISONS = tuple(FLIPPED)
STOPS = {" && ": (" && ", " || "), " || ": (" || ",), " + ": (" + ", " - ", " && ", " || ", " << ", " : ", *COMPARISONS),
         " - ": (" + ", " - ", " && ", " || ", " << ", " : ", *COMPARISONS)}
NUMBER = re.compile(r"(?<![\w.'])(\d+)(?![\w.'])")
REASON = re.compile(r'"(?:node\(s\) |Insufficient )[^"]*"')
DOES = re.compile(r"(?:\+\+|--)?[\w.\[\]:>-]+(?:\([^;]*\)|\s*[-+|&^*]?=\s[^;]*|\+\+|--)?;", re.DOTALL)
LEAVES = re.compile(r"(?:return|continue|break)\b[^;]*;", re.DOTALL)


def comparisons(code):
    loops = for_headers(code)  # Past the end of a loop is undefined, not wrong.
    for op, others in FLIPPED.items():
        for found in re.finditer(re.escape(op), code):
            if not any(a < found.start() < b for a, b in loops):
                for other in others:
                    yield Mutation("comparison", found.start(), found.end(), other)


def terms(code):
    """A && B, A || B, A + B or A - B without A, or without B."""
    for op, stops in STOPS.items():
        for found in re.finditer(re.escape(op.rstrip()) + r"\s", code):
            end = operand_end(code, found.end(), stops)
            yield Mutation("right term dropped", found.start(), end, "")
            yield Mutation("left term dropped", operand_start(code, found.start(), stops), found.end(), " ")


def constants(code):
    for found in NUMBER.finditer(code):
        number = int(found[1])
        yield Mutation("constant", found.start(), found.end(), str(number + 1))
        if number:
            yield Mutation("constant", found.start(), found.end(), str(number - 1))


def conditions(code):
    """if (C) and C ? negated; of `if (init; C)` only the condition."""
    for found in re.finditer(r"\bif (?:constexpr )?\(", code):
        start, end = found.end(), closing(code, found.end() - 1)
        start += code[start:end].rfind(";") + 1
        yield Mutation("condition negated", start, end, f" !({code[start:end].strip()})")
    for found in re.finditer(r"\s\? ", code):
        start = operand_start(code, found.start(), ())
        yield Mutation("condition negated", start, found.start(), f" !({code[start:found.start()].strip()})")


def dropped(code):
    """Statements that do something, and early exits together with their condition."""
    for start, end in statements(code):
        rest = start
        guarded = False
        while found := re.match(r"(?:if|for|while) (?:constexpr )?\(", code[rest:end]):
            guarded = guarded or found[0].startswith("if")
            rest = closing(code, rest + found.end() - 1) + 1
            rest += len(code[rest:end]) - len(code[rest:end].lstrip())
        text = code[rest:end]
        if LEAVES.fullmatch(text) and (guarded or not text.startswith("return")):
            yield Mutation("statement dropped", start, end, "{}")
        elif DOES.fullmatch(text) and not text.startswith(("return", "friend", "default", "public", "private")):
            yield Mutation("statement dropped", rest, end, "{}")


def mutations(text):
    """All mutations of a file, in an order that is always the same."""
    code = blanked(text)
    found = [m for make in (comparisons, terms, constants, conditions, dropped) for m in make(code)]
    # The replaced text may hold literals, so it is taken from the text and not from the blanked code.
    found = [m._replace(text=f" !({text[m.start:m.end].strip()})") if m.kind == "condition negated" else m for m in found]
    found += [Mutation("reason", r.start(), r.end(), r[0][:-1] + ' changed"') for r in REASON.finditer(text)]
    return sorted(set(found))


def apply(text, mutation):
    return text[:mutation.start] + mutation.text + text[mutation.end:]


def line_of(text, mutation):
    """The number of the first line that changes, and the line before and after."""
    changed = apply(text, mutation)
    first = mutation.start + len(text[mutation.start:mutation.end]) - len(text[mutation.start:mutation.end].lstrip())
    number = text.count("\n", 0, first) + 1
    last = text.count("\n", 0, mutation.end) + 1
    kept = len(changed.split("\n")) - len(text.split("\n"))
    before = " ".join(line.strip() for line in text.split("\n")[number - 1:last])
    after = " ".join(line.strip() for line in changed.split("\n")[number - 1:max(number, last + kept)])
    return number, before, after
