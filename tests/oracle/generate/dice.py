"""Seeded choices, and the mood of a cluster."""
import random

SUBJECTS = {"general": 28, "resources": 8, "affinity": 16, "spread": 12, "volumes": 26, "services": 10}


class Dice:
    """One seed's choices: the same on every machine."""

    def __init__(self, seed):
        self.r = random.Random(seed)

    def p(self, chance):
        return self.r.random() < chance

    def one(self, values):
        return self.r.choice(values)

    def some(self, values, least, most):
        """`least` to `most` of the values, perhaps one of them twice."""
        return [self.one(values) for _ in range(self.r.randint(least, most))]

    def subset(self, values, chance):
        return [value for value in values if self.p(chance)]

    def between(self, low, high):
        return self.r.randint(low, high)

    def weighted(self, table):
        return self.r.choices(list(table), weights=list(table.values()))[0]


class Mood(Dice):
    """What a cluster is about, so that not everything fails everywhere: rules are compared where pods still fit.

    subject       whose fields are frequent; the others' are rare
    trouble       0 to 1: how often nodes and pods carry what keeps them apart for reasons other than the subject
    roomy         most nodes have room
    calm          few broken things
    strange       quantities at the edges of int64
    pressed       nodes are under pressure
    disks         pods have disks that conflict
    scoring       (general) hardly any predicate fails, each priority has much to say
    known         also what is known to differ
    """

    def __init__(self, seed, subject=None, known=False):
        super().__init__(seed)
        self.known = known
        self.subject = subject or self.weighted(SUBJECTS)
        general = self.subject == "general"
        self.roomy = self.p(.6 if general else .93)
        self.calm = self.p(.5 if general else .85)
        self.strange = self.p(.12 if general else .02)
        self.scoring = general and self.roomy and self.p(.5)
        self.pressed = self.p(.08)
        self.disks = self.subject in ("general", "resources") and self.p(.2)
        self.trouble = 1 if general else self.one([0, .05, .1, .3])
        self.zones = self.one([[], ["z1"], ["z1", "z2"], ["z1", "z2", "z3", ""]] if general else
                              [["z1"], ["z1", "z2"], ["z1", "z2", "z3"], ["z1", "z2", ""]])
        self.scalar_chance = self.one([.01, .04]) if general else .005
        self.breaks_selectors = self.p(.12 if self.subject in ("affinity", "spread") else .03)
        self.bad_selector = None

    def about(self, subject):
        return self.subject == subject

    def rarely(self, subject, usual, else_):
        """`usual` where the cluster is about the subject."""
        return usual if self.subject == subject else else_
