"""Reads protobuf's text format, without its schema: a message is a dictionary of lists."""
import re

TOKEN = re.compile(r"\s+|#[^\n]*|(?P<string>\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')|(?P<word>[A-Za-z0-9_.+\-]+)|(?P<mark>[:{}\[\]<>,;/])", re.S)
ESCAPES = {"n": b"\n", "t": b"\t", "r": b"\r", "a": b"\a", "b": b"\b", "f": b"\f", "v": b"\v", "\\": b"\\", "'": b"'", '"': b'"', "?": b"?"}
ESCAPE = re.compile(r"\\(?:([0-7]{1,3})|[xX]([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.S)


def unquoted(token):
    """The bytes of a quoted string."""
    made, at, text = b"", 0, token[1:-1]
    for match in ESCAPE.finditer(text):
        octal, hexadecimal, four, eight, letter = match.groups()
        made += text[at:match.start()].encode()
        made += bytes([int(octal, 8)]) if octal else bytes([int(hexadecimal, 16)]) if hexadecimal else chr(int(four or eight, 16)).encode() if four or eight else ESCAPES[letter]
        at = match.end()
    return made + text[at:].encode()


class Parser:
    def __init__(self, text):
        self.tokens, at = [], 0
        while at < len(text):
            match = TOKEN.match(text, at)
            if not match:
                raise ValueError(f"unexpected {text[at:at + 20]!r}")
            if match.lastgroup:
                self.tokens.append(unquoted(match.group()) if match.lastgroup == "string" else match.group())
            at = match.end()
        self.at = 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def message(self, end=None):
        made = {}
        while self.peek() not in (end, None):
            name = self.name()
            if self.peek() == ":":
                self.take()
            made.setdefault(name, []).extend(self.values())
            if self.peek() in (",", ";"):
                self.take()
        if end:
            self.take()
        return made

    def name(self):
        if self.peek() != "[":
            return self.take()
        parts = [self.take()]
        while parts[-1] != "]":
            parts.append(self.take())
        return "".join(parts)

    def values(self):
        if self.peek() != "[":
            return [self.value()]
        self.take()
        made = []
        while self.peek() != "]":
            made.append(self.value())
            if self.peek() == ",":
                self.take()
        self.take()
        return made

    def value(self):
        token = self.take()
        if token == "{":
            return self.message("}")
        if not isinstance(token, bytes):
            return token
        while isinstance(self.peek(), bytes):
            token += self.take()
        return token


def parse(text):
    return Parser(text).message()
