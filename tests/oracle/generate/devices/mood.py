"""What a cluster with devices is about."""
from generate.dice import Dice

SUBJECTS = {"general": 16, "capacity": 14, "counters": 12, "taints": 8, "lists": 10, "constraints": 12, "extended": 16,
            "pools": 14, "nodes": 10, "binding": 10, "claims": 16, "selectors": 10, "wrong": 8}


class Mood(Dice):
    """The choices have a stream of their own, whatever the other generators draw.

    subject       whose fields are frequent; the others' are rare
    many          many devices a node, and claims for few of them: a search tries them in all orders
    drivers       those of the cluster
    """

    def __init__(self, seed, subject=None):
        super().__init__(f"devices {seed}")
        self.subject = subject or self.weighted(SUBJECTS)
        self.many = self.about("general") and self.p(.3)
        self.drivers = DRIVERS[:self.between(1, 3)]
        self.r.shuffle(self.drivers)

    def about(self, subject):
        return self.subject == subject

    def rarely(self, subject, usual, else_):
        """`usual` where the cluster is about the subject."""
        return usual if self.about(subject) else else_


DRIVERS = ["gpu.example.com", "nic.example.com", "a.example.com"]
