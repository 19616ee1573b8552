"""Kinds of errors: what cel-go says at run time in many words, told in one. Winnow's messages are read by the same table."""
import re

KINDS = [(kind, re.compile(words)) for kind, words in [
    ("internal", r"^internal error|^panic"),
    ("cost limit", r"actual cost limit exceeded"),
    ("no such key", r"no such key"),
    ("no such field", r"no such field|no such attribute"),
    ("no such overload", r"no such overload"),
    ("overflow", r"integer overflow|duration overflow|timestamp overflow"),
    ("division by zero", r"(division|modulus) by zero"),
    ("index", r"^index|index '.*' out of range|index out of (range|bounds)|invalid substring range"),
    ("index type", r"unsupported index (type|value)|invalid qualifier type"),
    ("map key", r"unsupported key type|Failed with repeated key|[rR]epeated key|insert failed: key|duplicate key"),
    ("format", r"formatting|format(ted|ter)? |clause|precision|could(n't| not) convert|end of string"),
    ("semver", r"[Ii]nvalid character\(s\)|leading zeroes|No Major\.Minor|Version string empty|Prerelease is empty|Build meta data|short version|value out of range|strconv\.ParseUint|invalid syntax"),
    ("conversion", r"type conversion error|parsing time|invalid duration|strconv\.|invalid UTF-8|unknown unit|missing unit"),
    ("optional", r"optional\.none\(\) dereference|non-optional value|is not optional"),
    ("regex", r"error parsing regexp|Illegal regex|invalid regex"),
    ("range", r"unsupported comprehension range|expected iterable type"),
    ("empty list", r"called on empty list"),
    ("NaN", r"NaN values cannot be ordered"),
    ("zone", r"time zone|timezone|invalid location name|^invalid argument$"),
    ("quantity", r"quantities must match|unable to parse (numeric part of quantity|quantity's suffix)|cannot convert value to integer"),
    ("network", r"network address parse|IP Address|IP address|IPv4-mapped"),
    ("url", r"URL parse error"),
    ("lists", r"cannot slice|lists\.range|level must be|list elements must"),
    ("join", r"join: "),
    ("undefined type", r"reference to undefined type|unknown type"),
]]
PLACES = re.compile(r"'[^']*'|\"[^\"]*\"|-?\d+")


def kind_of(message):
    for kind, words in KINDS:
        if words.search(message):
            return kind
    return "? " + PLACES.sub("_", message)[:80]
