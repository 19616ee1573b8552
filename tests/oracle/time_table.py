#!/usr/bin/env python3
"""Sets times side by side: time_table.py WINNOW UPSTREAM, each with lines POD FILTER_NS PRIORITIZE_NS FEASIBLE, a turn after
the other. A pod's ratios are taken turn by turn, and of these the median. Exits with 1 where the two do not find the same
number of nodes."""
import statistics
import sys


def read(path):
    """{pod: [(filter, prioritize, feasible), …]}"""
    turns = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            pod, *numbers = line.split()
            turns.setdefault(pod, []).append(tuple(int(n) for n in numbers))
    return turns


def row(name, cells):
    return f"{name:26}" + "".join(f"{cell:>12}" for cell in cells)


def main():
    winnow, upstream = read(sys.argv[1]), read(sys.argv[2])
    print(row("pod", ["feasible", "upstream", "winnow", "first time", "ratio", "filter", "prioritize"]))
    different = []
    for pod, theirs in upstream.items():
        ours = winnow[pod]
        if {feasible for *_, feasible in ours} != {feasible for *_, feasible in theirs}:
            different.append(pod)
        first = statistics.median(f + p for f, p, _ in winnow[pod + "(first)"])

        def ratio(pick):
            ratios = [pick(t) / max(1, pick(o)) for o, t in zip(ours, theirs)]
            return f"{statistics.median(ratios):.0f}"
        both = statistics.median(f + p for f, p, _ in ours)
        print(row(pod.split("/")[-1], [ours[0][2], f"{statistics.median(f + p for f, p, _ in theirs) / 1e6:.1f}", f"{both / 1e6:.3f}",
                                       f"{first / 1e6:.3f}", ratio(lambda t: t[0] + t[1]), ratio(lambda t: t[0]),
                                       ratio(lambda t: t[1])]))
    for pod in different:
        print(f"{pod}: not the same number of nodes fit")
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
