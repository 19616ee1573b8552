"""Selectors of labels: what is valid, what matches, and a selector as a text."""
import re

LABEL, FULL = 63, 253
NAME = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")
DOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
OPERATORS = ["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"]
NUMBER = re.compile(r"[+-]?[0-9]+")

NOTHING = None  # The selector that matches no object. All others are sets of requirements.


class Invalid(Exception):
    """A requirement or a selector that upstream refuses."""


def is_key(text):
    *prefix, name = text.split("/")
    if len(prefix) > 1 or len(name) > LABEL or not NAME.fullmatch(name):
        return False
    return not prefix or len(prefix[0]) <= FULL and bool(DOMAIN.fullmatch(prefix[0]))


def is_value(text):
    return not text or len(text) <= LABEL and bool(NAME.fullmatch(text))


def number(text):
    """The number that a label's value is for Gt and Lt, or None."""
    if not NUMBER.fullmatch(text) or not -2**63 <= int(text) < 2**63:
        return None
    return int(text)


def requirement(key, operator, values, of_nodes):
    """(key, operator, values) in order, each value once."""
    if operator not in (OPERATORS if of_nodes else OPERATORS[:4]) or not is_key(key):
        raise Invalid(key)
    values = tuple(sorted(set(values or [])))
    many = {"In": bool(values), "NotIn": bool(values), "Exists": not values, "DoesNotExist": not values}
    if not many.get(operator, len(values) == 1 and number(values[0] if values else "") is not None):
        raise Invalid(key)
    if not all(map(is_value, values)):
        raise Invalid(key)
    return key, operator, values


def node_requirement(written):
    values = written.get("values") or []
    if written.get("operator") in ("Gt", "Lt") and len(values) != 1:
        raise Invalid(written["key"])
    return requirement(written.get("key", ""), written.get("operator", ""), values, True)


def holds(one, labels):
    key, operator, values = one
    there, has = labels.get(key), key in labels
    if operator == "In":
        return has and there in values
    if operator == "NotIn":
        return not has or there not in values
    if operator in ("Exists", "DoesNotExist"):
        return has == (operator == "Exists")
    amount, bound = number(there) if has else None, number(values[0])
    return amount is not None and (amount > bound if operator == "Gt" else amount < bound)


def selector(written):
    """Of a LabelSelector; NOTHING of none."""
    if written is None:
        return NOTHING
    found = {requirement(key, "In", [one], False) for key, one in (written.get("matchLabels") or {}).items()}
    for one in written.get("matchExpressions") or []:
        found.add(requirement(one.get("key", ""), one.get("operator", ""), one.get("values"), False))
    return frozenset(found)


def matches(chosen, labels):
    return chosen is not NOTHING and all(holds(one, labels) for one in chosen)


def text(chosen):
    """As causes write a selector."""
    if chosen is NOTHING:
        return "nothing"
    parts = []
    for key, operator, values in sorted(chosen, key=lambda one: (one[0], OPERATORS.index(one[1]), one[2])):
        joined = ",".join(values)
        parts.append({"Exists": key, "DoesNotExist": "!" + key,
                      "In": f"{key}={joined}" if len(values) == 1 else f"{key} in ({joined})",
                      "NotIn": f"{key}!={joined}" if len(values) == 1 else f"{key} notin ({joined})"}[operator])
    return ",".join(parts) or "everything"
