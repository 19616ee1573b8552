#!/usr/bin/env python3
"""Runs README's walk-through as it stands, against the sample cluster, and compares what the commands print.

A fenced block marked `console` is a transcript: lines that begin with `$ ` are commands, a line that ends in a
backslash goes on in the next one, and what follows is their output; a line `…` stands for any lines. The service that
README starts with `make run` is started first and stopped at the end. Needs docker, make, curl; no more than a reader.
"""
import os
import pathlib
import re
import subprocess
import sys
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
READY = "http://127.0.0.1:10290/readyz"


def transcripts(text):
    """Yields (line number, command, expected output) of every command in a console block."""
    for block in re.finditer(r"^```console\n(.*?)^```$", text, re.M | re.S):
        line = text.count("\n", 0, block.start()) + 2
        command, output, start = None, [], 0
        lines = iter(enumerate(block.group(1).splitlines(), line))
        for number, content in lines:
            if not content.startswith("$ "):
                output.append(content)
                continue
            if command is not None:
                yield start, command, output
            command, output, start = content[2:], [], number
            while command.endswith("\\"):
                command = command[:-1] + next(lines)[1].lstrip()
        if command is not None:
            yield start, command, output


def same(expected, actual):
    """Whether the lines agree, where a line `…` stands for any number of lines."""
    pattern = "".join(r"(?:[^\n]*\n)*" if line.strip() == "…" else re.escape(line.rstrip()) + "\n" for line in expected)
    return re.fullmatch(pattern, "".join(line.rstrip() + "\n" for line in actual)) is not None


def is_ready():
    try:
        return urllib.request.urlopen(READY, timeout=1).status == 200
    except OSError:
        return False


def start_service():
    """make run, as README says; the container's name lets us stop it."""
    subprocess.run(["make", "image"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    if is_ready():
        sys.exit("readme: something answers on port 10290 already")
    service = subprocess.Popen(["make", "run"], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(600):
        if is_ready():
            return service
        if service.poll() is not None:
            break
        time.sleep(0.1)
    sys.exit("readme: `make run` did not become ready")


def stop_service(service):
    # Nobody had the port before us.
    ids = subprocess.run(["docker", "ps", "-q", "--filter", "publish=10290"], capture_output=True, text=True).stdout.split()
    subprocess.run(["docker", "stop", *ids], stdout=subprocess.DEVNULL)
    service.wait(timeout=30)


def run(command):
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, timeout=120,
                          env={**os.environ, "COLUMNS": "80"})
    return done.stdout.splitlines()


def main():
    text = README.read_text()
    commands = list(transcripts(text))
    if len(commands) < 5:
        sys.exit(f"readme: {len(commands)} commands found, expected a walk-through")
    wrong = 0
    service = start_service()
    try:
        for number, command, expected in commands:
            actual = run(command)
            if same(expected, actual):
                continue
            wrong += 1
            print(f"README.md:{number}: $ {command}\n--- README\n" + "\n".join(expected) + "\n--- printed\n" + "\n".join(actual))
    finally:
        stop_service(service)
    print(f"readme: {len(commands)} commands, {wrong} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
