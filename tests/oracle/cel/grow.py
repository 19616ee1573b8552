"""Grows expressions by type, from the templates.

A type is a text: int, list(string), map(string,opt(int)). A variable of an environment has one, too.
"""
import re

import literals
import templates

CLASSES = {
    "T": ["int", "string", "bool", "double", "uint", "int", "string", "dyn", "list(int)", "map(string,int)", "bytes", "timestamp", "duration", "quantity", "list(string)",
          "semver", "ip", "cidr", "url", "null", "type", "opt(int)", "list(dyn)", "map(string,dyn)", "format"],
    "K": ["string", "string", "string", "int", "bool", "uint"],
    "O": ["int", "string", "double", "uint", "bool", "bytes", "timestamp", "duration"],
    "N": ["int", "uint", "double"],
}
CLASSES |= {"U": CLASSES["T"], "V": CLASSES["T"], "M": CLASSES["N"], "X": CLASSES["N"]}

# Texts of a kind: (those that are good, those that may be bad).
TEXTS = {
    "regex": (literals.REGEXES, literals.BAD_REGEXES), "booltext": (literals.BOOL_TEXTS[:2], literals.BOOL_TEXTS), "inttext": (literals.INT_TEXTS[:3], literals.INT_TEXTS),
    "uinttext": (literals.UINT_TEXTS[:2], literals.UINT_TEXTS), "doubletext": (literals.DOUBLE_TEXTS[:2], literals.DOUBLE_TEXTS), "durationtext": (literals.DURATIONS, literals.BAD_DURATIONS),
    "timestamptext": (literals.TIMESTAMPS, literals.BAD_TIMESTAMPS), "zone": (literals.ZONES, literals.BAD_ZONES), "quantitytext": (literals.QUANTITIES, literals.BAD_QUANTITIES),
    "semvertext": (literals.VERSIONS, literals.BAD_VERSIONS), "iptext": (literals.IPS, literals.BAD_IPS), "cidrtext": (literals.CIDRS, literals.BAD_CIDRS), "urltext": (literals.URLS, literals.BAD_URLS),
    "formatted": (literals.FORMATTED, literals.FORMATTED), "formatname": ([f"'{name}'" for name in literals.FORMATS], ["'none'", "''"]),
    "index": (["0", "1", "2", "0", "1"], ["-1", "3", "5", "100", "9223372036854775807"]), "name": (literals.NAMES, literals.NAMES),
    "clause": ([f"'{clause}'" for clause in literals.CLAUSES], [f"'{clause}'" for clause in literals.BAD_CLAUSES]),
}
LITERALS = {
    "int": (literals.INTS, literals.BAD_INTS), "uint": (literals.UINTS, literals.BAD_UINTS), "double": (literals.DOUBLES, literals.BAD_DOUBLES),
    "string": (literals.STRINGS, literals.BAD_STRINGS), "bytes": (literals.BYTES, literals.BYTES), "bool": (["true", "false"], ["true", "false"]), "null": (["null"], ["null"]),
    "format": ([f"format.{name}()" for name in literals.FORMATS], ["format.none()"]), "type": (["int", "string", "list"], ["nothing"]),
}
MADE_OF = {"duration": "durationtext", "timestamp": "timestamptext", "quantity": "quantitytext", "semver": "semvertext", "ip": "iptext", "cidr": "cidrtext", "url": "urltext"}
BY_TYPE = {"bool": templates.BOOL, "int": templates.INT, "uint": templates.UINT, "double": templates.DOUBLE, "string": templates.STRING, "bytes": templates.BYTES,
           "timestamp": templates.TIMESTAMP, "duration": templates.DURATION, "dyn": templates.DYN, "quantity": templates.QUANTITY, "semver": templates.SEMVER, "ip": templates.IP,
           "cidr": templates.CIDR, "type": templates.TYPE}
TOKEN = re.compile(r"«(.*?)»|\$([a-z])|@([a-z]):(\S+) ")


def split_parameters(of):
    """The parameters of list(…), map(…,…), opt(…)."""
    inner, depth, parts = of[of.index("(") + 1:-1], 0, [""]
    for c in inner:
        depth += {"(": 1, ")": -1}.get(c, 0)
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return parts


def lines(text):
    return [line for line in text.split("\n") if line]


def parsed(template):
    """The template as parts: texts, and ("hole", type), ("name", letter), ("known", letter, type)."""
    parts, at = [], 0
    for match in TOKEN.finditer(template):
        if match.start() > at:
            parts.append(template[at:match.start()])
        hole, name, known, of = match.groups()
        parts.append(("hole", hole) if hole is not None else ("name", name) if name else ("known", known, of))
        at = match.end()
    parts.append(template[at:])
    return parts


CAPITAL = re.compile(r"\b[TUVKONMX]\b")
CACHE = {}


def cached(key, make):
    if key not in CACHE:
        CACHE[key] = make()
    return CACHE[key]


def templates_of(of, has_bind):
    """The templates of a type, parsed; in those of list(int) T stands for int."""
    return cached(("templates", of, has_bind), lambda: make_templates(of, has_bind))


def make_templates(of, has_bind):
    own = []
    if of.startswith("list("):
        element = split_parameters(of)[0]
        own = [(line, {"T": element}) for line in lines(templates.LIST)] + [(line, {}) for line in lines(LIST_OF_OR_NONE.get(element, ""))]
    elif of.startswith("map(") or of.startswith("map1("):
        key, value = split_parameters(of)
        own = [(line, {"K": key, "V": value}) for line in lines(templates.MAP) + (lines(templates.MAP_INT) if key == "int" else [])]
    elif of.startswith("opt("):
        own = [(line, {"T": split_parameters(of)[0]}) for line in lines(templates.OPT)]
    elif of in BY_TYPE:
        own = [(line, {"X": of, "N": "int"} if "«X»" in line else {}) for line in lines(BY_TYPE[of])]
    generic = [(line, {"T": of}) for line in lines(templates.ANY)]
    # What is special of a type is wanted more often than what every type has.
    all_of_them = own * (1 if len(own) > 20 else 3) + generic
    return [(parsed(line.lstrip("!")), bound) for line, bound in all_of_them if has_bind or not line.startswith("!")]


LIST_OF_OR_NONE = templates.LIST_OF


class Grower:
    """Grows expressions for one seed. `scope` is a list of (name, type); `wrong` is how often a literal may be bad, `ill` how often a part
    has another type than it should."""

    def __init__(self, dice, variables, has_bind, extra=None):
        self.dice = dice
        self.random = dice.r.random
        self.scope = list(variables)
        self.has_bind = has_bind
        self.extra = extra or {}
        self.wrong = .03
        self.ill = 0
        self.fresh = 0

    def choose(self, values):
        return values[int(self.random() * len(values))]

    def literal(self, pair):
        return self.choose(pair[1] if self.random() < self.wrong else pair[0])

    def bind_capitals(self, of, bound):
        def of_letter(match):
            letter = match.group()
            if letter not in bound:
                bound[letter] = self.choose(CLASSES[letter])
            return bound[letter]
        return CAPITAL.sub(of_letter, of)

    def leaf(self, of):
        known = [name for name, its in self.scope if its == of]
        if known and self.random() < .65:
            return self.choose(known)
        if of in self.extra and self.random() < .6:
            return self.choose(self.extra[of])
        if of in LITERALS:
            return self.literal(LITERALS[of])
        if of in MADE_OF:
            return f"{of}({self.literal(TEXTS[MADE_OF[of]])})"
        if of == "dyn":
            return f"dyn({self.leaf(self.choose(['int', 'string', 'bool', 'double', 'uint', 'list(int)']))})"
        if of.startswith("list("):
            return "[" + ", ".join(self.leaf(split_parameters(of)[0]) for _ in range(self.dice.between(0, 3))) + "]"
        if of.startswith("map1("):
            key, value = split_parameters(of)
            return "{" + f"{self.leaf(key)}: {self.leaf(value)}" + "}"
        if of.startswith("map("):
            key, value = split_parameters(of)
            return "{" + ", ".join(f"{self.leaf(key)}: {self.leaf(value)}" for _ in range(self.dice.between(0, 2))) + "}"
        if of.startswith("opt("):
            return f"optional.of({self.leaf(split_parameters(of)[0])})"
        raise ValueError(of)

    def clauses(self):
        parts = [self.literal((literals.CLAUSES, literals.BAD_CLAUSES)) for _ in range(self.dice.between(1, 2))]
        return "'" + self.choose(["", "x=", "é "]) + self.choose([" ", "", ","]).join(parts) + "'"

    def text(self, kind, depth):
        if kind == "clauses":
            return self.clauses()
        if kind != "name" and self.random() < .12:
            return self.grow("int" if kind == "index" else "string", depth)
        return self.literal(TEXTS[kind])

    def grow(self, of, depth):
        if self.random() < self.ill:
            of = self.choose(CLASSES["T"])
        elif of not in ("dyn", "map1") and self.random() < .04:
            of = "dyn"
        if depth <= 0 or self.random() < .12:
            return self.leaf(of)
        parts, fixed = self.choose(templates_of(of, self.has_bind))
        return self.fill(parts, dict(fixed), depth - 1)

    def fill(self, parts, bound, depth):
        names, made, scope = {}, [], len(self.scope)
        for part in parts:
            if isinstance(part, str):
                made.append(part)
            elif part[0] == "name":
                if part[1] not in names:
                    self.fresh += 1
                    # Names are short, and some hide a variable of the environment.
                    names[part[1]] = self.choose(["i", "x", "s", "z"]) if self.random() < .05 else f"{part[1]}{self.fresh}"
                made.append(names[part[1]])
            elif part[0] == "known":
                self.scope.append((names[part[1]], self.bind_capitals(part[2], bound).replace("map1(", "map(")))
            else:
                made.append(self.hole(part[1], bound, depth))
        del self.scope[scope:]
        return "".join(made)

    def hole(self, of, bound, depth):
        if of in TEXTS or of == "clauses":
            return self.text(of, depth - 1)
        of = self.bind_capitals(of, bound)
        inner = self.grow(of, depth if self.random() < .75 else 0)
        # Without parentheses precedence may change what was meant, which is as good a case.
        return f"({inner})" if self.random() < .25 and not inner.isalnum() else inner
