#!/usr/bin/env python3
"""Winnow's side of the comparison of preemptions: DIR/winnow-preempt.json for each DIR.

    winnow_preempts.py PROGRAM [--jobs N] DIR…     PROGRAM is build/release/tests/winnow_preempts
"""
import argparse
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from answers import path_of
from winnow import gates


def ask(program, directory):
    flags = [] if path_of(directory, "config.json") else ["--gates", gates(directory)]
    done = subprocess.run([program, *flags, directory], stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        print(f"{directory}: {done.stderr.decode()[-300:]}", file=sys.stderr)
    return done.returncode


def main():
    parser = argparse.ArgumentParser(prog="winnow_preempts.py")
    parser.add_argument("program")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("directories", nargs="+", metavar="DIR")
    arguments = parser.parse_args()
    with ThreadPoolExecutor(arguments.jobs) as pool:
        failed = sum(pool.map(lambda directory: ask(arguments.program, directory), arguments.directories))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
