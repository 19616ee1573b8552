"""One mutant: built, and held against upstream's answers until the first difference."""
import filecmp
import os
import re
import shutil
import subprocess
import sys
import time

from answers import read_json
from compare import compare_directory
from winnow import explain

SKIPPED = {".git", "build", "__pycache__"}
PATIENCE = 300  # Seconds that a build may take.
# What a step may leave unused is no reason not to try it.
TOLERANT = " ".join(f'_Pragma("GCC diagnostic ignored \\"-W{name}\\"")' for name in (
    "unused-variable", "unused-parameter", "unused-but-set-variable", "unused-function", "unused-value", "empty-body",
    "parentheses", "conversion", "sign-compare")) + "\n"


class Tree:
    """A copy of the sources with a build of its own."""

    def __init__(self, path):
        self.path, self.build = path, os.path.join(path, "build", "release")
        self.winnow = os.path.join(self.build, "winnow")

    def sync(self, source):
        """Copies what differs, so that nothing else is built again."""
        for folder, names, files in os.walk(source):
            names[:] = [name for name in names if name not in SKIPPED]
            target = os.path.join(self.path, os.path.relpath(folder, source))
            os.makedirs(target, exist_ok=True)
            for file in files:
                a, b = os.path.join(folder, file), os.path.join(target, file)
                if not os.path.exists(b) or not filecmp.cmp(a, b, shallow=False):
                    shutil.copyfile(a, b)

    def write(self, file, text):
        with open(os.path.join(self.path, file), "w", encoding="utf-8") as f:
            f.write(text)

    def make(self, jobs, timeout=None, **environment):
        """Builds Winnow; returns whether that went well, and the compiler's words."""
        if not os.path.exists(os.path.join(self.build, "build.ninja")):
            subprocess.run(["cmake", "--preset", "release", "-DWINNOW_BENCH=OFF"], cwd=self.path, check=True,
                           stdout=subprocess.DEVNULL)
        run = subprocess.run(["ninja", "-C", self.build, "-j", str(jobs), "winnow"], capture_output=True, text=True, check=False,
                             env={**os.environ, **environment}, timeout=timeout)
        return run.returncode == 0, run.stdout[-2000:] + run.stderr[-2000:]


def bound_rules(tree, file):
    """The names of the rules whose records end the file, and of their arguments; none if it has no records."""
    with open(os.path.join(tree, file), encoding="utf-8") as f:
        text = f.read()
    start = text.find("constexpr Record ")
    arguments = re.findall(r'policy_argument<\w+>\(\s*"(\w+)"\)', text)
    return set(arguments + re.findall(r'\.name = "(\w+)"', text[start:])) if start >= 0 else set()


def names(directory):
    """The rules of a policy, and its arguments; "default" where it has the default provider's, or where it is not a policy:
    nearly all of today's configurations have every plugin."""
    policy, out = read_json(directory, "policy.json"), set()
    if policy is None:
        return {"default"}
    for kind in ("predicates", "priorities"):
        for rule in policy.get(kind, [{"name": "default"}]):
            out |= {rule["name"], *rule.get("argument", {})}
    return out


class Trial:
    """The clusters that mutants are held against."""

    def __init__(self, tree, clusters):
        self.tree = tree
        directories = sorted(os.path.join(clusters, name) for name in os.listdir(clusters))
        self.clusters = {directory: names(directory) for directory in directories}

    def check_baseline(self):
        """What is not mutated must build and be equal to upstream, or no mutant's outcome means anything."""
        built, words = self.tree.make(os.cpu_count())
        if not built:
            sys.exit("mutate: the sources do not build: " + words)
        for directory in self.clusters:
            if found := self.difference(directory):
                sys.exit(f"mutate: without any mutation {directory} differs: {found}")

    def relevant(self, file):
        """The clusters, those first that have a rule of the file: the others may notice what rules share."""
        rules = bound_rules(self.tree.path, file) | {"default"}
        return sorted(self.clusters, key=lambda directory: not self.clusters[directory] & rules)

    def difference(self, directory):
        """The first difference of a cluster, or None."""
        explain(self.tree.winnow, directory, timeout=20)
        found = compare_directory(directory).found
        return found[0] if found else None

    def run(self, file, text, mutant):
        """The outcome of one mutant, as fields of a result; the file is as before after it."""
        start = time.time()
        self.tree.write(file, TOLERANT + mutant)
        try:
            built, words = self.tree.make(1, PATIENCE, CCACHE_DISABLE="1")
            if not built:
                return {"outcome": "did not compile", "words": words[-300:], "seconds": round(time.time() - start, 1)}
            built_at = time.time()
            found, tried = self._first_difference(file)
        finally:
            self.tree.write(file, text)
        return {"outcome": "killed" if found else "survived", "by": found, "clusters": tried,
                "seconds": round(time.time() - start, 1), "building": round(built_at - start, 1)}

    def _first_difference(self, file):
        """What kills the mutant, or None; and how many clusters were tried."""
        tried = 0
        for directory in self.relevant(file):
            tried += 1
            if found := self.difference(directory):
                return f"{os.path.basename(directory)} {found['rule']} {found['what']}", tried
        return None, tried
