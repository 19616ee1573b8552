#!/usr/bin/env python3
"""Holds the pictures in docs/images/rule-*.svg against what `winnow explain` prints by the rules in manifests/rules.

    python3 tests/manifests/rule_pictures.py WINNOW            exits 1 where a picture shows something else
    python3 tests/manifests/rule_pictures.py WINNOW --write    draws them

A picture shows a command of the folder manifests/rules, and its output at 80 columns.
"""
import importlib.util
import os
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
RULES = ROOT / "manifests" / "rules"
PICTURES = ROOT / "docs" / "images"
CLUSTER = "sample-load.yaml"
POD = "shop/checkout-3"


def terminal_svg():
    """tools/terminal-svg.py as a module: its name has a hyphen."""
    spec = importlib.util.spec_from_file_location("terminal_svg", ROOT / "tools" / "terminal-svg.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rules():
    return sorted(file for file in RULES.glob("*.yaml") if file.name != CLUSTER and not file.name.endswith("-queries.yaml"))


def drawn(winnow, rule):
    asked = ["explain", POD, "--cluster", CLUSTER, "--config", rule.name]
    done = subprocess.run([winnow, *asked], cwd=RULES, capture_output=True, text=True, timeout=60,
                          env={**os.environ, "COLUMNS": "80"})
    if done.returncode != 0:
        sys.exit(f"rule_pictures: winnow {' '.join(asked)}: exit code {done.returncode}\n{done.stderr}")
    return terminal_svg().svg(" ".join(["winnow", *asked]), [line.rstrip() for line in done.stdout.splitlines()])


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--write"]):
        sys.exit("usage: rule_pictures.py WINNOW [--write]")
    winnow = str(pathlib.Path(sys.argv[1]).resolve())
    wrong = []
    pictures = {PICTURES / f"rule-{rule.stem}.svg": drawn(winnow, rule) for rule in rules()}
    for picture, svg in pictures.items():
        if sys.argv[2:]:
            picture.write_text(svg, encoding="utf-8")
        elif not picture.exists() or picture.read_text(encoding="utf-8") != svg:
            wrong.append(f"{picture.relative_to(ROOT)}: shows what the rule does not print; rule_pictures.py --write")
    for picture in sorted(set(PICTURES.glob("rule-*.svg")) - set(pictures)):
        wrong.append(f"{picture.relative_to(ROOT)}: no file of manifests/rules is what it shows")
    print("\n".join([*wrong, f"rule_pictures: {len(pictures)} pictures, {len(wrong)} wrong"]))
    sys.exit(1 if wrong or not pictures else 0)


if __name__ == "__main__":
    main()
