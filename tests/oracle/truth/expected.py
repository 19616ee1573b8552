"""Causes as they should be, held against those that are told.

A true cause is a Truth: fields that must be as they are, and groups of fields of which one of several choices is right.
"""
import json
from fractions import Fraction

from undeparted import value

AMOUNTS = ("wanted", "free", "allocatable", "requested")


class Unknown(Exception):
    """The truth is not known here, for this reason."""


class Truth:
    def __init__(self, kind, choices=None, **fields):
        self.fields = {"kind": kind, **{name: one for name, one in fields.items() if one is not None}}
        self.choices = choices or {}  # {names of fields: a set of tuples, or None for anything}

    def key(self):
        return written(self.fields)

    def shown(self):
        return {**self.fields, **{",".join(names): sorted(map(str, some))[:4] if some else "?"
                                  for names, some in self.choices.items()}}


def written(fields):
    return json.dumps({name: str(one) if isinstance(one, Fraction) else one for name, one in fields.items()},
                      sort_keys=True)


def read(cause):
    """The cause with its amounts as numbers."""
    if cause["kind"] != "resource":
        return cause
    return {name: value(one) if name in AMOUNTS else one for name, one in cause.items()}


def compare(told, truths):
    """Yields (what, the cause told, the truth) of each difference. Repeated causes count once."""
    by_key = {}
    for truth in truths:
        by_key.setdefault(truth.key(), []).append(truth)
    found = set()
    for cause in map(read, told):
        kinds = [truth for truth in truths if truth.fields["kind"] == cause["kind"]]
        loose = {name for truth in kinds for names in truth.choices for name in names}
        key = written({name: one for name, one in cause.items() if name not in loose})
        if key not in by_key:
            yield "is not true", cause, [truth.shown() for truth in kinds or truths]
            continue
        found.add(key)
        wrong = [choice_missed(cause, truth) for truth in by_key[key]]
        if all(wrong):
            yield f"{wrong[0]} is not right", cause, [truth.shown() for truth in by_key[key]]
    for key, some in by_key.items():
        if key not in found:
            yield "is left out", told, some[0].shown()


def choice_missed(cause, truth):
    """The fields of the first choice that is not right; "" if all are."""
    for names, choices in truth.choices.items():
        if choices is not None and tuple(cause.get(name) for name in names) not in choices:
            return ",".join(names)
    return ""
