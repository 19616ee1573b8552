#!/usr/bin/env python3
"""Holds the comparison's lists of rules against the rules' records: each rule that upstream has is generated, asked and
expected, and no other.

    lists_test.py WINNOW_RECORDS               one line for each rule that a list lacks, or has too many; exit 1 if there is any
    lists_test.py WINNOW_RECORDS --self-test   checks that a rule is missed in each list, and that one without a record is found

WINNOW_RECORDS prints the records. A rule that docs/rules.md calls Winnow's own has no upstream: no list has it.
"""
import collections
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True

# pylint: disable=wrong-import-position
import expected_classic  # noqa: E402
import expected_removed  # noqa: E402
import expected_today  # noqa: E402
import preemption  # noqa: E402
import simulation  # noqa: E402
from generate import dice, policy  # noqa: E402
from generate.removed import config as removed_config  # noqa: E402
from generate.today import config as today_config  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
# file: below tests/oracle. line: what to write there, of a name. there: the names that it has; wanted: those it shall have.
List = collections.namedtuple("List", "file name line there wanted")
RELEASES = {"today": "1.37", "removed": "1.22"}  # Of upstream's code in today/ and removed/.
POLICIES = 400  # Enough for each argument to be drawn.


def own_rules():
    """The names, or the arguments, of the classic rules that docs/rules.md calls Winnow's own."""
    with open(os.path.join(HERE, "../../docs/rules.md"), encoding="utf-8") as f:
        rows = [[cell.strip(" `") for cell in line.split("|")[1:-1]] for line in f if line.startswith("|")]
    return {name for row in rows if len(row) == 7 and row[1] == "Winnow" for name in (row[0], row[4]) if name}


def named_in_go(file):
    """The names in the map `rules` of a Go program."""
    with open(os.path.join(HERE, file), encoding="utf-8") as f:
        found = re.search(r"^var rules = map\[string\]bool\{\n(.*?)^\}", f.read(), re.MULTILINE | re.DOTALL)
    return set(re.findall(r'"(\w+)": true', found[1]))


def drawn_arguments():
    """The arguments of rules that the seeds' policies have. {kind: names}"""
    out = {"predicates": set(), "priorities": set()}
    for seed in range(POLICIES):
        drawn = policy.policy(dice.Mood(seed))
        for kind, names in out.items():
            names.update(argument for rule in drawn.get(kind) or [] for argument in rule.get("argument") or {})
    return out


def plugin_lists(records, origin, expected, config, go_file):
    plugins = [plugin for plugin in records["plugins"] if plugin["origin"] == origin and plugin.get("in_" + RELEASES[origin])]

    def having(*parts):
        return {plugin["name"] for plugin in plugins if any(plugin.get(part) for part in parts)}
    generator = f"generate/{origin}/config.py"
    yield List(f"expected_{origin}.py", "FILTERS", '"{}"', set(expected.FILTERS), having("filters"))
    yield List(f"expected_{origin}.py", "SCORES", '"{}": N, with N different scores at least', set(expected.SCORES),
               having("scores"))
    yield List(generator, "ARGUMENTS", '"{}": a function that draws its arguments', set(config.ARGUMENTS), having("arguments"))
    yield List(go_file, "rules", '"{}": true', named_in_go(go_file), having("filters", "scores"))
    if origin == "today":
        yield List(generator, "SUBJECTS", '"{}": a subject of generate/today/mood.py', set(config.SUBJECTS),
                   having("filters", "scores"))
        yield List("preemption.py", "TURNED[True]", '"{}"', set(preemption.TURNED[True]), having("turned"))
        yield List("simulation.py", "TURNED[True]", '"{}"', set(simulation.TURNED[True]), having("turned", "reserves"))


def classic_lists(records, own):
    predicates, priorities = ([rule for rule in records[kind] if not own & {rule["name"], rule.get("argument")}]
                              for kind in ("predicates", "priorities"))
    drawn = drawn_arguments()
    yield List("expected_classic.py", "FILTERS", '"{}"', set(expected_classic.FILTERS), {rule["name"] for rule in predicates})
    yield List("expected_classic.py", "ALIASES", '"{}": the name of its record', set(expected_classic.ALIASES),
               {rule["alias"] for rule in predicates if "alias" in rule})
    yield List("expected_classic.py", "BY_ARGUMENT", '"{}": the name of its record', set(expected_classic.BY_ARGUMENT),
               {rule["argument"] for rule in predicates if "argument" in rule})
    yield List("expected_classic.py", "SCORES", '"{}": N, with N different scores at least', set(expected_classic.SCORES),
               {rule["name"] or rule["argument"] for rule in priorities})
    yield List("preemption.py", "TURNED[False] or SELDOM", '"{}"', {*preemption.TURNED[False], *preemption.SELDOM},
               {rule["name"] for rule in predicates if "turned" in rule})
    yield List("simulation.py", "TURNED[False] or SELDOM", '"{}"', {*simulation.TURNED[False], *simulation.SELDOM},
               {rule["name"] for rule in predicates if "turned" in rule or "reserves" in rule})
    yield List("generate/policy.py", "PREDICATES", '"{}"', set(policy.PREDICATES),
               {rule["name"] for rule in predicates if "argument" not in rule})
    yield List("generate/policy.py", "LATE_PRIORITIES", '"{}"', {*policy.PRIORITIES, *policy.LATE_PRIORITIES},
               {rule["name"] for rule in priorities if rule["name"]})
    yield List("generate/policy.py", "_argued_predicates", 'a rule with the argument "{}"', drawn["predicates"],
               {rule["argument"] for rule in predicates if "argument" in rule})
    yield List("generate/policy.py", "_argued_priorities", 'a rule with the argument "{}"', drawn["priorities"],
               {rule["argument"] for rule in priorities if "argument" in rule})


def lists(records, own):
    yield from classic_lists(records, own)
    yield from plugin_lists(records, "today", expected_today, today_config, "today/scheduler.go")
    yield from plugin_lists(records, "removed", expected_removed, removed_config, "removed/scheduler.go")


def complaints(found):
    for one in found:
        for name in sorted(one.wanted - one.there):
            yield f"tests/oracle/{one.file}: {one.name} lacks a rule that has a record: write {one.line.format(name)}"
        for name in sorted(one.there - one.wanted):
            yield f"tests/oracle/{one.file}: {one.name} has {name}, and no record says so: remove it, or mend the record"


PLANTED = {"predicates": {"name": "Planted", "alias": "Planted", "argument": "Planted"},
           "priorities": {"name": "Planted"},
           "plugins": {"name": "Planted", "filters": True, "scores": True, "arguments": True, "turned": True}}


def self_test(records, own):
    """What the check does not notice."""
    planted = {kind: rules + [PLANTED[kind]] for kind, rules in records.items() if kind != "plugins"}
    planted["predicates"].append({"name": "Planted", "turned": True})
    planted["priorities"].append({"name": "", "argument": "Planted"})
    planted["plugins"] = records["plugins"] + [{**PLANTED["plugins"], "origin": origin, "in_" + release: True}
                                               for origin, release in RELEASES.items()]
    for right, wrong in zip(lists(records, own), lists(planted, own)):
        if list(complaints([wrong])) == list(complaints([right])):
            yield f"{right.file}: {right.name}: a rule that it lacks"
    for one in lists({kind: [] for kind in records}, own):
        if not list(complaints([one])):
            yield f"{one.file}: {one.name}: rules without a record"
    if list(complaints(lists(planted, own | {"Planted"}))) == list(complaints(lists(planted, own))):
        yield "a rule that docs/rules.md calls Winnow's own"


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--self-test"]):
        sys.exit(__doc__)
    printed = subprocess.run([sys.argv[1]], capture_output=True, check=True, text=True).stdout
    records, own = json.loads(printed), own_rules()
    found = list(self_test(records, own) if sys.argv[2:] else complaints(lists(records, own)))
    for line in found:
        print(f"not noticed: {line}" if sys.argv[2:] else line)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
