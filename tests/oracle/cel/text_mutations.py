"""Changes an expression's text, so that it may not be read any more; and texts that no grammar makes."""
import re

TOKENS = re.compile(r"\s+|[A-Za-z_]\w*|\d+\.?\d*|'[^']*'|\"[^\"]*\"|.", re.S)
PIECES = list("()[]{}.,:?!<>=+-*/%&|'\"\\`$@#;~^ \t\n0aé") + ["==", "!=", "<=", ">=", "&&", "||", "in", "true", "null", "1", "1u", "1.0", "''", ".a", "[0]", "()", "?", ".?", "[?", "//c", "r'", "b'", "'''",
          "var", "if", "as", "break", "const", "for", "function", "import", "let", "loop", "package", "namespace", "return", "void", "while", "\x00", "\u200b", "😀", "\r\n", "and", "has", "cel.", "__x__", "dyn(", "`a`", "'\\"]
WORDS = ["size", "sizee", "contain", "contains", "startWith", "maps", "exist", "has", "all", "device", "devise", "i", "ii", "type", "int", "attributes", "foo", "optional", "map", "filter", "matches", "duration", "lists.rang"]


def mutate(dice, text):
    for _ in range(dice.one([1, 1, 1, 2, 3])):
        text = once(dice, text)
    return text


def once(dice, text):
    tokens = TOKENS.findall(text)
    if not tokens:
        return dice.one(PIECES)
    at = dice.between(0, len(tokens) - 1)
    way = dice.one(["drop", "insert", "repeat", "swap", "replace", "character", "cut", "rename", "blank"])
    if way == "drop":
        del tokens[at]
    elif way == "insert":
        tokens.insert(at, dice.one(PIECES))
    elif way == "repeat":
        tokens.insert(at, tokens[at])
    elif way == "swap":
        other = dice.between(0, len(tokens) - 1)
        tokens[at], tokens[other] = tokens[other], tokens[at]
    elif way == "replace":
        tokens[at] = dice.one(PIECES)
    elif way == "character":
        place = dice.between(0, len(text))
        return text[:place] + dice.one(PIECES) + text[place + dice.between(0, 1):]
    elif way == "cut":
        return text[:dice.between(0, len(text))]
    elif way == "rename":
        names = [i for i, token in enumerate(tokens) if token[0].isalpha()]
        if names:
            tokens[dice.one(names)] = dice.one(WORDS)
    else:
        tokens.insert(at, dice.one([" ", "\n", "\t", " // comment\n", "\f", "\r\n"]))
    return "".join(tokens)


def odd(dice):
    """Deep, long or empty texts."""
    depth = dice.one([5, 20, 60, 100, 240, 249, 250, 251, 300, 600])
    return dice.one([
        "", " ", "//only", "()", "[" * depth + "]" * depth, "(" * depth + "1" + ")" * depth, "!" * depth + "true", "-" * depth + "1", "a" + ".b" * depth, "{'a':" * depth + "1" + "}" * depth,
        " + ".join(["1"] * depth), " && ".join(["true"] * depth), "1" + "[0]" * depth, " ? ".join(["true"] * depth), "[1]" + ".map(x, x)" * min(depth, 60), "'" + "é" * depth * 10 + "'",
        "[" + ",".join(["1"] * depth) + "]", "true ? " * depth + "1" + " : 1" * depth, "size(" * depth + "[]" + ")" * depth, "[[1,2,3],[1,2,3]].all(x, " * min(depth, 20) + "true" + ")" * min(depth, 20),
        "msg{a: 1}", ".i", ".device.driver", "a.b.c.d", "1 .size()", "1.size()", "`a`", "x.`a b`", "{a: 1}", "{1: 2, 1: 3}", "{'a': 1, 'a': 2}", "[1, 2,]", "[,]", "{,}",
        "f(,)", "f(1,)", "has(i)", "has(a)", "has(a[0])", "[].all(1, true)", "[].all(a.b, true)", "[].map(x, y, z, w)", "[].exists(x)", "1 in", "in 1", "1 == 2 == 3", "1 < 2 < 3", "true ? false", "a ?? b", "i++",
        "1..2", "1.e3", ".", "..", "''''''", "\"\"\"\"\"\"", "b''", "'a' 'b'", "1 1", "x:y", "timestamp('2024-01-01T00:00:00Z').getFullYear('')", "dyn([1,2,3]).sum()", "[1, 'a']", "[1, 1.0, 1u]", "{1: 'a', 'b': 2}",
        "optional.of(1).optMap(x, x + 1).orValue(2)", "1u - 2u", "-9223372036854775808 / -1", "-9223372036854775808 % -1", "-(-9223372036854775808)", "9223372036854775807 + 1", "1 % 0", "1.0 / 0.0", "1u / 0u", "size(1)",
        "'\\ud83d\\ude00'", "timestamp('9999-12-31T23:59:59Z') + duration('1s')", "duration('2562047h') + duration('2562047h')", "[3,1,2].sort()", "[[3,1],[2]].sort()", "[3,1.0].sort()", "[1,2,3].sortBy(x, -x)",
        "cel.bind(a, 1, a + a)", "cel.bind(a.b, 1, 2)", "cel.block([1], 2)", "['a','b'].join(',')", "lists.range(5)", "lists.range(-1)", "lists.range(10000000)", "math.greatest(1,2)", "'abc'.reverse()", "base64.encode(b'a')",
        "type(type(1)) == type", "type(1) == int", "type(null) == null_type", "google.protobuf.Timestamp", "kubernetes.Quantity", "net.IP == type(ip('::1'))", "1 in [1u, 1.0]", "1.0 in {1: 'a'}", "{1u: 2}[1]", "{1: 2}[1.0]",
        "{1: 2}[1.5]", "{true: 1}[true]", "[1, 2][1.0]", "[1, 2][1u]", "[1,2][1.5]", "[1,2]['a']", "{null: 1}", "{1.5: 1}", "{[1]: 2}", "{dyn([1]): 2}"])
