"""Writes seeded, hard, random clusters for the classic rules, DIR/SEED/{cluster,policy,pods,gates}.json, or with --today for
today's plugins, or with --removed for those that v1.22 still had, DIR/SEED/{cluster,config,pods}.json. With --preemption pods
have to preempt. With --simulation all wait in the cluster, and find what others before them have taken.

    generate DIR FIRST COUNT [--today] [--preemption] [--simulation] [--mode known|quantities] [--subject NAME] [--nodes N --pods N --asked N] [--jobs N]
    generate DIR FIRST COUNT --removed [--file v1|v1beta1|both] [--subject NAME] [--jobs N]
    generate DIR FIRST COUNT --devices [--subject NAME] [--jobs N]
    generate DIR FIRST COUNT --mixed [--subject NAME] [--jobs N]

With --devices clusters are about devices: DIR/SEED/{cluster,config,about}.json. With --today some have devices, too.
With --mixed a profile has plugins of both. DIR/SEED/today and DIR/SEED/removed have each generation's part of it.

Mode `known` adds what is known to differ, so that it hides nothing else by default; `quantities` makes clusters that
do nothing but compare amounts written in different ways. With --nodes the clusters are large and ordinary instead of
small and hard. Modes, and rules that are left out, are the classic ones'.

Everything is as an API server could return it or a little worse: values that validation lets through but that rules
read in unexpected ways are what this is for. One seed, one cluster: the same on every machine.
"""
import argparse
import json
import multiprocessing
import os

from generate import amounts, cluster, corners, large, managed, nominated, policy, preemption, simulation
from generate.devices import cluster as devices_cluster, mood as devices
from generate.dice import SUBJECTS, Mood
from generate.removed import cluster as removed_cluster, config as removed_config, large as removed_large, mixed, mood as removed
from generate.today import cluster as today_cluster, large as today_large, mood as today


def parse_arguments():
    parser = argparse.ArgumentParser(prog="generate")
    parser.add_argument("directory")
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--today", action="store_true")
    parser.add_argument("--removed", action="store_true")
    parser.add_argument("--mixed", action="store_true")
    parser.add_argument("--devices", action="store_true")
    parser.add_argument("--file", default="v1", choices=["v1", "v1beta1", "both"], help="the version of configurations")
    parser.add_argument("--preemption", action="store_true")
    parser.add_argument("--simulation", action="store_true")
    parser.add_argument("--mode", default="", choices=["", "known", "quantities"])
    parser.add_argument("--subject", choices=sorted({*SUBJECTS, *today.SUBJECTS, *removed.SUBJECTS, *devices.SUBJECTS, corners.SUBJECT}))
    parser.add_argument("--without", default="", metavar="RULE,…", help="leave these rules out of the policies")
    parser.add_argument("--nodes", type=int, default=0)
    parser.add_argument("--pods", type=int, default=30000)
    parser.add_argument("--asked", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    later = removed.SUBJECTS if arguments.removed or arguments.mixed else {*SUBJECTS, corners.SUBJECT}
    subjects = devices.SUBJECTS if arguments.devices else today.SUBJECTS if arguments.today else later
    if arguments.subject and arguments.subject not in subjects:
        parser.error(f"{arguments.subject} is no subject of this generation")
    return arguments


def make_today(arguments, seed):
    if arguments.nodes:
        return today_large.make(seed, arguments.nodes, arguments.pods, arguments.asked)
    return today_cluster.make(today.Mood(seed, arguments.subject))


def make_removed(arguments, seed):
    version = removed_config.version(seed, arguments.file)
    if arguments.nodes:
        return removed_large.make(seed, arguments.nodes, arguments.pods, arguments.asked, version)
    return removed_cluster.make(removed.Mood(seed, arguments.subject), version)


def make(arguments, seed):
    if arguments.devices:
        return devices_cluster.make(devices.Mood(seed, arguments.subject))
    if arguments.mixed:
        return mixed.make(seed, arguments.subject)
    if arguments.removed:
        return make_removed(arguments, seed)
    if arguments.today:
        return make_today(arguments, seed)
    if arguments.nodes:
        return large.make(seed, arguments.nodes, arguments.pods, arguments.asked)
    if not arguments.mode and corners.chosen(arguments.subject, seed):
        return corners.make(seed)
    m = Mood(seed, arguments.subject, known=arguments.mode == "known")
    if arguments.mode == "quantities" or not arguments.subject and m.p(.01):
        return amounts.make(m)
    return cluster.make(m)


def write(job):
    arguments, seed = job
    where = os.path.join(arguments.directory, f"{seed:06d}")
    os.makedirs(where, exist_ok=True)
    files = make(arguments, seed)
    if not arguments.nodes and not arguments.mixed and not arguments.devices:
        nominated.nominate(files, seed)
    if not arguments.nodes and "policy" in files:
        managed.manage(files, seed)
        policy.add_late(files["policy"], seed)
    if arguments.preemption:
        preemption.preempt(files, seed)
    if arguments.simulation:
        simulation.simulate(files, seed, arguments.preemption)
    if arguments.without and "policy" in files:
        files["policy"] = policy.without(files["policy"], set(arguments.without.split(",")))
        files["gates"] = {}
    for name, value in files.items():
        path = os.path.join(where, name + ".json")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(json.dumps(value))


def main():
    arguments = parse_arguments()
    jobs = [(arguments, seed) for seed in range(arguments.first, arguments.first + arguments.count)]
    with multiprocessing.Pool(arguments.jobs) as pool:
        pool.map(write, jobs, chunksize=max(1, min(16, len(jobs) // (4 * arguments.jobs))))


if __name__ == "__main__":
    main()
