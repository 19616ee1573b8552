"""What a cluster for the removed plugins is about."""
from generate.dice import Dice
from generate.today import mood as today

SUBJECTS = {"general": 14, "resources": 18, "services": 30, "volumes": 28, "labels": 10}


class Mood(today.Mood):
    """Today's, about a subject of the removed plugins. What v1.22 does not know is left out: resizes, features of nodes.

    anew          what today's clusters do not have is drawn here, apart from the rest
    form          how the file says what it says
    """

    known = False  # avoid.py: nothing that Winnow is known to read otherwise.

    def __init__(self, seed, subject=None):
        super().__init__(f"removed {seed}", subject or Dice(f"subject {seed}").weighted(SUBJECTS))
        self.features = self.resizes = False
        self.anew, self.form = Dice(f"anew {seed}"), Dice(f"form {seed}")
        # Of all but the general clusters few have pods that fit nowhere for what is not the subject.
        self.tight = self.tight and self.p(.5)
