"""C++ text as mutations see it: without what is not code, and cut into operands and statements."""
import re

OPENING, CLOSING = "([{", ")]}"
BLANK = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|^\s*#[^\n]*|\b(?:static_)?assert\([^;]*;'
                   r'|^(?:using|namespace|template)\b[^\n]*', re.DOTALL | re.MULTILINE)


def blanked(text):
    """The text with comments, literals, includes and asserts as blanks, every position kept. A number's separators stay."""
    return BLANK.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def closing(code, at):
    """Where the bracket at `at` is closed."""
    depth = 0
    for i in range(at, len(code)):
        depth += (code[i] in OPENING) - (code[i] in CLOSING)
        if not depth:
            return i
    return len(code)


def operand_end(code, at, stops):
    """Where the operand that begins at `at` ends: at one of the stops, or at the end of what is around it."""
    depth = 0
    for i in range(at, len(code)):
        if code[i] in OPENING:
            depth += 1
        elif code[i] in CLOSING:
            depth -= 1
        if depth < 0 or not depth and (code[i] in ";,?{" or any(code.startswith(stop, i) for stop in stops)):
            return i
    return len(code)


def operand_start(code, at, stops):
    """Where the operand that ends before `at` begins."""
    depth = 0
    for i in range(at - 1, -1, -1):
        if code[i] in CLOSING:
            depth += 1
        elif code[i] in OPENING:
            depth -= 1
        if depth < 0 or not depth and code[i] in ";,?:{}" and code[i - 1:i + 1] != "::" and code[i:i + 2] != "::":
            return i + 1
        for stop in (*stops, "return ", " = "):
            if not depth and code.startswith(stop, i) and i + len(stop) <= at:
                return i + len(stop)
    return 0


def statements(code):
    """(start, end) of what ends with a semicolon and stands in a body, its if or for before it included."""
    depth, start = 0, 0
    for i, c in enumerate(code):
        if c in "([":
            depth += 1
        elif c in ")]":
            depth -= 1
        elif c in "{}":
            start = i + 1
        elif c == ";" and not depth:
            begin = start + len(code[start:i]) - len(code[start:i].lstrip())
            yield begin, i + 1
            start = i + 1


def for_headers(code):
    """(start, end) of the parentheses of each for."""
    return [(found.end() - 1, closing(code, found.end() - 1)) for found in re.finditer(r"\bfor \(", code)]
