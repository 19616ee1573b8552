"""Extended resources that other extenders manage, some of which kube-scheduler is to ignore.

Drawn apart from everything else: without it a seed's cluster is the same.
"""
from generate.dice import Dice
from generate.quantities import SCALARS

EXTENDED = ["example.com/gpu", "example.com/widget", "example.com/a_B.c", "absent.com/x"]
assert {*EXTENDED[:3]} <= {*SCALARS}


def manage(files, seed):
    """In a third of the clusters the policy has an extender or two that manage resources."""
    dice = Dice(f"managed {seed}")
    if not dice.p(.33) or not files.get("policy"):
        return
    names = dice.r.sample(EXTENDED, dice.between(1, len(EXTENDED)))
    managed = [{"name": name, "ignoredByScheduler": dice.p(.7)} for name in names]
    cut = dice.between(0, len(managed))
    files["policy"]["extenders"] = [{"urlPrefix": f"http://127.0.0.1:{port}/", "managedResources": part}
                                    for port, part in ((1, managed[:cut]), (2, managed[cut:]))]
