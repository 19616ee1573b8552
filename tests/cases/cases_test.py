#!/usr/bin/env python3
"""Runs Winnow's commands on inputs as people have them, and looks for what is right in what comes out.

    cases_test.py WINNOW [CASE]   runs the commands of tests/fixtures/cases/*/case.json in a copy of their folder
    cases_test.py --self-test     checks that a wrong exit code, a missing text and a forbidden one are told

A case.json has `what`, a sentence, and `commands`: the words behind `winnow`, the exit code, texts that standard output
or standard error has, and texts that neither has.
"""
import json
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

CASES = pathlib.Path(__file__).resolve().parents[1] / "fixtures" / "cases"


def differences(command, code, text):
    """What is wrong with the end of a command, a line each."""
    wrong = []
    if code != command.get("exit", 0):
        wrong.append(f"exit code {code}; expected {command.get('exit', 0)}")
    one_line = " ".join(text.split())
    wrong += [f"lacks: {part}" for part in command.get("has", []) if part not in one_line]
    wrong += [f"has: {part}" for part in command.get("lacks", []) if part in one_line]
    return wrong


def run(winnow, folder, words):
    done = subprocess.run([winnow, *shlex.split(words)], cwd=folder, capture_output=True, text=True, timeout=60,
                          stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout + done.stderr


def main(winnow, names):
    failed = 0
    for folder in sorted(path.parent for path in CASES.glob("*/case.json")):
        if names and folder.name not in names:
            continue
        case = json.loads((folder / "case.json").read_text())
        with tempfile.TemporaryDirectory() as copy:
            shutil.copytree(folder, copy, dirs_exist_ok=True)
            for command in case["commands"]:
                code, text = run(winnow, copy, command["words"])
                for line in differences(command, code, text):
                    failed += 1
                    print(f"{folder.name}: winnow {command['words']}: {line}\n{text}")
    left = [path.name for path in CASES.iterdir() if not (path / "case.json").exists()]
    for name in left:
        print(f"{name}: has no case.json")
    return 1 if failed or left else 0


def self_test():
    command = {"words": "x", "exit": 1, "has": ["two words"], "lacks": ["never"]}
    assert differences(command, 1, "two\n  words") == []
    assert differences(command, 0, "two words") == ["exit code 0; expected 1"]
    assert differences(command, 1, "one") == ["lacks: two words"]
    assert differences(command, 1, "two words, never") == ["has: never"]
    return 0


if __name__ == "__main__":
    sys.exit(self_test() if sys.argv[1] == "--self-test"
             else main(str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2:]))
