#!/usr/bin/env python3
"""Winnow's side of the comparison of simulations, for each DIR: each attempt, in DIR/winnow-simulate.json by winnow_simulates, and
the end, in DIR/winnow-simulated.json by `winnow simulate -o json`.

    winnow_simulates.py PROGRAM WINNOW [--preemption] [--jobs N] DIR…     as build/release/tests/winnow_simulates build/release/winnow
"""
import argparse
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from answers import path_of
from winnow import cluster_flags, gates


def failed(directory, command, fine, out=subprocess.DEVNULL):
    done = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, check=False)
    if done.returncode not in fine:
        print(f"{directory}: {done.stderr.decode()[-300:]}", file=sys.stderr)
    return done.returncode not in fine


def ask(arguments, directory):
    preemption = ["--preemption"] if arguments.preemption else []
    rules = [] if path_of(directory, "config.json") else ["--gates", gates(directory)]
    with open(os.path.join(directory, "winnow-simulated.json"), "wb") as out:
        end = [arguments.winnow, "simulate", *cluster_flags(directory), *preemption, "-o", "json"]
        return failed(directory, [arguments.program, *rules, *preemption, directory], [0]) + failed(directory, end, [0, 1], out)


def main():
    parser = argparse.ArgumentParser(prog="winnow_simulates.py")
    parser.add_argument("program")
    parser.add_argument("winnow")
    parser.add_argument("--preemption", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("directories", nargs="+", metavar="DIR")
    arguments = parser.parse_args()
    with ThreadPoolExecutor(arguments.jobs) as pool:
        wrong = sum(pool.map(lambda directory: ask(arguments, directory), arguments.directories))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
