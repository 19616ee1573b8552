"""Shows whether the comparison with upstream notices mutations of the rules. Runs in the toolchain; mutate.sh calls it.

    mutate prepare --from TREE --clusters DIR [--tree COPY]
    mutate run --clusters DIR --results FILE [--tree COPY] [--today | --removed] [--files GLOB…] [--per-file N]
               [--seed S] [--shard I/N]
    mutate report FILE…

`prepare` copies TREE to COPY (/src, for the compiler's cache to help), builds Winnow there, and holds it against the
clusters. `run` makes one mutation of COPY at a time, builds, and compares until the first difference. Each outcome is a
line of FILE: killed, survived or did not compile. What is there already is not done again.

Which mutants are equivalent no machine can tell: each survivor is shown, to be explained or to be killed.
"""
import argparse
import glob
import json
import os
import random
import sys

from mutate.mutations import apply, line_of, mutations
from mutate.report import print_report, read_results
from mutate.trial import Tree, Trial

# The rules, and the state that exists for their sake. The order of records is the command line's business.
STATE = [f"cluster/state/{name}.cc" for name in ("attach_table", "attachable", "csi_migration", "pod_record", "node_table",
                                                 "pod_requests", "pod_groups", "pod_terms", "volumes", "workloads")]
FILES = ["predicates/*.cc", "priorities/*.cc", "cluster/rule/*.cc", "cluster/api/selector.cc", *STATE]
REMOVED = ["predicates/*.cc", "priorities/*.cc"]
NOT_RULES = {"predicates/records.cc", "priorities/records.cc"}


def parse_arguments():
    parser = argparse.ArgumentParser(prog="mutate")
    parser.add_argument("verb", choices=["prepare", "run", "report"])
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--from", dest="source")
    parser.add_argument("--tree", default="/src")
    parser.add_argument("--clusters")
    parser.add_argument("--results")
    generation = parser.add_mutually_exclusive_group()
    generation.add_argument("--today", dest="rules", action="store_const", const=FILES, default=FILES)
    generation.add_argument("--removed", dest="rules", action="store_const", const=REMOVED)
    parser.add_argument("--files", nargs="*")
    parser.add_argument("--per-file", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shard", default="0/1")
    return parser.parse_args()


def chosen(tree, patterns, per_file, seed):
    """[(file, mutation)], at random but always the same."""
    missing = [pattern for pattern in patterns if not glob.glob(os.path.join(tree, pattern))]
    if missing:
        sys.exit(f"mutate: there is no {', '.join(missing)}")
    files = sorted({os.path.relpath(path, tree) for pattern in patterns for path in glob.glob(os.path.join(tree, pattern))})
    out = []
    for file in files:
        if file in NOT_RULES:
            continue
        found = mutations(read(tree, file))
        random.Random(f"{seed} {file}").shuffle(found)
        out += [(file, mutation) for mutation in found[:per_file]]
    return out


def read(tree, file):
    with open(os.path.join(tree, file), encoding="utf-8") as f:
        return f.read()


def key(entry):
    return entry["file"], entry["line"], entry["kind"], entry["before"], entry["after"]


def run(arguments):
    index, count = map(int, arguments.shard.split("/"))
    mine = chosen(arguments.tree, arguments.files or arguments.rules, arguments.per_file, arguments.seed)[index::count]
    trial = Trial(Tree(arguments.tree), arguments.clusters)
    done = {key(entry) for entry in read_results([arguments.results])}
    for file, mutation in mine:
        text = read(arguments.tree, file)
        line, before, after = line_of(text, mutation)
        entry = {"file": file, "line": line, "kind": mutation.kind, "before": before, "after": after}
        if key(entry) in done:
            continue
        entry.update(trial.run(file, text, apply(text, mutation)))
        with open(arguments.results, "a", encoding="utf-8") as f:
            f.write(json.dumps(entry) + "\n")
        print(f"{entry['outcome']:16} {entry['seconds']:6.1f} s  {file}:{line} {mutation.kind}", flush=True)


def main():
    arguments = parse_arguments()
    if arguments.verb == "report":
        sys.exit(print_report(arguments.paths))
    if arguments.verb == "run":
        return run(arguments)
    tree = Tree(arguments.tree)
    tree.sync(arguments.source)
    Trial(tree, arguments.clusters).check_baseline()


if __name__ == "__main__":
    main()
