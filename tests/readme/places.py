"""Checks that the places exist which CONTRIBUTING.md and docs/architecture.md name. readme_test.py calls it.

What stands in backticks, and the text of a link that is a path, is looked at:

- a path: a file or folder of the repository has it, or ends in it. `*` and `…` stand for any text, `.*` for any ending;
- `make X`: the Makefile has the target;
- a name of code, as `kConstant`, `Type::member`, `function()`: a source has it, with all its parts.

Text in double quotes, as a test case's name, stands in some file. The tables that begin with the columns `command` and
`check` list each one once, and all tests of ctest stand in the second. MADE_UP and ANY are what recipes make up.
"""
import fnmatch
import functools
import pathlib
import re
import subprocess

DOCUMENTS = ("CONTRIBUTING.md", "docs/architecture.md")

MADE_UP = set("""my_rule MyRule my_rule_test.cc Mine mine MyPlugin MyPluginArgs kMyPluginArgs assumed hostPID host_pid
                 my_part my_story.go LikeThis like_this kLikeThis like_ _total""".split())
# Parts of paths that stand for any text.
ANY = re.compile(r"TARGET|VERSION|PRESET|\bX/y(?=_|$)")

SOURCES = {".h", ".cc", ".in", ".py", ".go", ".sh", ".cmake", ".js", ".json", ".yaml", ".tpl", ".txt", ".html", ""}
MOST_BYTES = 500_000  # Larger files are data.
ENDING = re.compile(r"\w\.(?:h|cc|in|py|go|sh|md|json|yaml|gz|dict|cmake|js|txt|Dockerfile|\*)$")
SPAN = re.compile(r"(?<!`)`([^`]+)`(?!`)")
JOINT = re.compile(r"::|\.|->")
NAME = re.compile(r"([A-Za-z_]\w*(?:(?:::|\.|->)[A-Za-z_]\w*)*)(?:\(.*\)|<.*>)?")


def all_files(root):
    """Those that git tracks or would; all where there is no git."""
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, capture_output=True)
    names = listed.stdout.decode().split("\0") if listed.returncode == 0 else \
        [path.relative_to(root).as_posix() for path in root.rglob("*")]
    return sorted(name for name in names if name and (root / name).is_file())


class Repository:
    def __init__(self, root):
        files = all_files(root)
        folders = {folder.as_posix() for file in files for folder in pathlib.PurePosixPath(file).parents}
        # With a slash before: what a place ends in begins at a name.
        self.places = {f"/{place}" for place in [*files, *folders]}
        self.tops = {file.split("/")[0] for file in files}
        texts = [(root / file).read_text(errors="replace") for file in files if self.is_source(root, file)]
        self.words = [frozenset(re.findall(r"\w+", text)) for text in texts]
        documents = [(root / file).read_text() for file in files if file.endswith(".md") and file not in DOCUMENTS]
        # Strings and comments that go on in the next line are one.
        self.text = " ".join(re.sub(r'"\s*\n\s*"|\n\s*(?://[/]?|#) ?', " ", "\n".join([*texts, *documents])).split())
        makefile = root / "Makefile"
        self.targets = set(re.findall(r"^([\w-]+):", makefile.read_text(), re.M)) if makefile.exists() else set()
        self.tests = {test for text in texts for test in re.findall(r"\b(?:add_test\(NAME |corpus_test\()([\w-]+)", text)}

    @staticmethod
    def is_source(root, file):
        path = pathlib.PurePosixPath(file)
        return path.suffix in SOURCES and not file.startswith("tests/readme/") and \
            (root / file).stat().st_size < MOST_BYTES

    @functools.cache
    def has_path(self, path):
        pattern = ANY.sub("*", path.replace("…", "*").rstrip("/"))
        return any(fnmatch.fnmatchcase(place, f"*/{pattern}") for place in self.places)

    @functools.cache
    def has_name(self, name):
        return any(words.issuperset(JOINT.split(name)) for words in self.words)


def is_path(word, repository):
    if re.search(r"[<>=|&$\"'();,\[\]{}~@]|://", word) or word.startswith(("-", "/", "build/")):
        return False
    return bool(ENDING.search(word)) or "/" in word and word.split("/")[0] in repository.tops


def wrong_span(span, repository):
    """What is wrong with what stands in backticks; None: nothing."""
    if span.startswith("//"):  # A comment of other code.
        return None
    make = re.match(r"make ([a-z][\w-]*)", span)
    if make and make.group(1) not in repository.targets:
        return "the Makefile has no such target"
    for word in span.split():
        if is_path(word, repository) and word.split("/")[-1] not in MADE_UP and not repository.has_path(word):
            return "no such file or folder" if word == span else f"{word}: no such file or folder"
    name = NAME.fullmatch(span)
    if name and not is_path(span, repository) and MADE_UP.isdisjoint(JOINT.split(name.group(1))) and \
            not repository.has_name(name.group(1)):
        return "no source has this name"
    return None


def wrong_spans(text, repository):
    """Yields position, words, and what is wrong or None, of each place."""
    for match in SPAN.finditer(text):
        span = " ".join(match.group(1).split())
        yield match.start(), span, wrong_span(span, repository)
    for match in re.finditer(r"\[([^\]`\s]+)\]\(([^)\s#]+)[^)]*\)", text):
        if ENDING.search(match.group(1)):
            leads = f"/{match.group(2)}".endswith(f"/{match.group(1)}")
            yield match.start(), match.group(1), None if leads else f"the link leads to {match.group(2)}"
    for match in re.finditer(r'"([^"\n]+(?:\n[^"\n]+)?)"', SPAN.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)):
        words = " ".join(match.group(1).split())
        yield match.start(), f'"{words}"', None if words in repository.text else "no file has this text"


def rows(text, column):
    """Yields position and cells of each row of the tables whose first column has this name."""
    for table in re.finditer(rf"^\| {column} \|.*\n\|[-|: ]*\n((?:\|.*\n)+)", text, re.M):
        for row in re.finditer(r"^\|(.*)\|$", table.group(1), re.M):
            yield table.start(1) + row.start(), [cell.strip() for cell in row.group(1).split("|")]


def wrong_rows(text, repository):
    listed = {"command": {}, "check": {}}
    for column, seen in listed.items():
        for position, cells in rows(text, column):
            names = SPAN.findall(cells[0]) or cells[0].split(", ")
            for one in names:
                one = names[0] + one[1:] if one.startswith("…") else one  # `some-check`, `…-today`
                one = re.match(r"make \S+|\S+", one).group() if column == "command" else one
                yield position, one, f"stands in the table of {column}s twice" if one in seen else None
                seen[one] = position
                if column == "check" and cells[1].startswith("`ctest`") and one not in repository.tests:
                    yield position, one, "ctest has no such test"
    if listed["check"]:
        yield from ((0, test, "a test of ctest that is not in the table of checks")
                    for test in sorted(repository.tests - listed["check"].keys()))


def wrong_places(root):
    """Returns how many places are named, and a line for each that does not exist."""
    repository, count, wrong = Repository(root), 0, []
    for name in DOCUMENTS:
        if not (root / name).exists():
            continue
        text = re.sub(r"^ *(```+).*?^ *\1 *$", lambda match: re.sub(r"[^\n]", " ", match.group()),
                      (root / name).read_text(), flags=re.M | re.S)
        found = [*wrong_spans(text, repository), *wrong_rows(text, repository)]
        count += len(found)
        wrong += [f"{name}:{text.count(chr(10), 0, position) + 1}: {words}: {why}"
                  for position, words, why in sorted(found, key=lambda place: place[0]) if why]
    return count, wrong
