"""What a cluster for today's plugins is about."""
from generate.dice import Dice

SUBJECTS = {"general": 12, "resources": 18, "nodes": 14, "affinity": 16, "spread": 18, "volumes": 26, "devices": 14}
ZONES = [["z1"], ["z1", "z2"], ["z1", "z2"], ["z1", "z2", "z3"], ["z1", "z2", ""]]


class Mood(Dice):
    """Chosen so that in most clusters pods still fit somewhere: only feasible nodes are scored.

    subject       whose fields are frequent; the others' are rare
    trouble       0 to 1: how often something keeps pods and nodes apart for reasons other than the subject
    gentle        hardly any filter fails, each score has much to say
    tight         nodes are nearly full
    zones         of the nodes
    features      pods need what nodes may not declare
    resizes       running pods are being resized
    broken        a cluster's share of things that fail a pod's whole cycle
    storage       made before pods and nodes, so that they can name what it has
    """

    def __init__(self, seed, subject=None):
        super().__init__(seed)
        self.subject = subject or self.weighted(SUBJECTS)
        self.trouble = 1 if self.about("general") else self.one([0, .05, .1, .3])
        self.gentle = self.p(.45)
        self.tight = self.p(self.gently(self.rarely("resources", .6, .4 if self.about("general") else .1)))
        self.zones = self.one(ZONES)
        self.features = self.p(self.rarely("nodes", .6, .08))
        self.resizes = self.p(self.rarely("resources", .6, .08))
        self.broken = self.one([0, 0, 0, .03, .15])
        self.storage = None

    def about(self, subject):
        return self.subject == subject

    def rarely(self, subject, usual, else_):
        """`usual` where the cluster is about the subject."""
        return usual if self.subject == subject else else_

    def gently(self, chance):
        """The chance of what makes a filter fail."""
        return chance * .2 if self.gentle else chance

    def mostly(self, subject, usual, else_=.05):
        """`usual` where the cluster is about the subject; in others in proportion to the trouble, at least `else_` of it."""
        return usual if self.subject == subject else usual * max(self.trouble * .6, else_)
