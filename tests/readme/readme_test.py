#!/usr/bin/env python3
"""Runs the walk-throughs of README.md, docs/*.md and CONTRIBUTING.md as they stand, against the sample cluster, and
compares what the commands print; checks the links between these documents, and the places that two of them name.

    python3 tests/readme/readme_test.py                everything; needs docker, make, curl: no more than a reader
    python3 tests/readme/readme_test.py --links        links, headings, pictures, README's length; needs nothing
    python3 tests/readme/readme_test.py --places       files, names and targets: see places.py; needs nothing
    python3 tests/readme/readme_test.py --self-test    that this test finds what is wrong; needs bash

A fenced block marked `console` is a transcript: lines that begin with `$ ` are commands, a line that ends in a
backslash goes on in the next one, and what follows is their output; a line `…` stands for any lines. The service that
README starts with `make run` is started first and stopped at the end. README's commands come first, for what they show
of /metrics counts their own requests alone; then those of the others, by name.
"""
import html
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

sys.dont_write_bytecode = True  # places.py is beside this file, in the checkout.
import places

ROOT = pathlib.Path(__file__).resolve().parents[2]
READY = "http://127.0.0.1:10290/readyz"
README_LINES = 150  # At most.


def documents(root):
    found = [root / "README.md", *sorted((root / "docs").glob("*.md")), root / "CONTRIBUTING.md"]
    return [document for document in found if document.exists()]


def line_of(text, position):
    return text.count("\n", 0, position) + 1


# ---- transcripts ----------------------------------------------------------------------------------------------------


def transcripts(text):
    """Yields (line number, command, expected output) of every command in a console block."""
    for block in re.finditer(r"^```console\n(.*?)^```$", text, re.M | re.S):
        line = line_of(text, block.start()) + 1
        command, output, start = None, [], 0
        lines = iter(enumerate(block.group(1).splitlines(), line))
        for number, content in lines:
            if not content.startswith("$ "):
                output.append(content)
                continue
            if command is not None:
                yield start, command, output
            command, output, start = content[2:], [], number
            while command.endswith("\\"):
                command = command[:-1] + next(lines)[1].lstrip()
        if command is not None:
            yield start, command, output


def same(expected, actual):
    """Whether the lines agree, where a line `…` stands for any number of lines."""
    pattern = "".join(r"(?:[^\n]*\n)*" if line.strip() == "…" else re.escape(line.rstrip()) + "\n" for line in expected)
    return re.fullmatch(pattern, "".join(line.rstrip() + "\n" for line in actual)) is not None


def run(command, root):
    done = subprocess.run(["bash", "-c", command], cwd=root, capture_output=True, text=True, timeout=120,
                          env={**os.environ, "COLUMNS": "80"})
    return done.stdout.splitlines()


def wrong_transcripts(root):
    """Runs every command. Returns how many there are, and a text for each that prints something else."""
    count, wrong = 0, []
    for document in documents(root):
        text, name = document.read_text(), document.relative_to(root)
        for number, command, expected in transcripts(text):
            count += 1
            actual = run(command, root)
            if not same(expected, actual):
                wrong.append(f"{name}:{number}: $ {command}\n--- {name}\n" + "\n".join(expected) +
                             "\n--- printed\n" + "\n".join(actual))
        # Nobody would follow it.
        for block in re.finditer(r"^ +```console", text, re.M):
            wrong.append(f"{name}:{line_of(text, block.start())}: expected a console block without an indent")
    return count, wrong


# ---- links ----------------------------------------------------------------------------------------------------------


def blank(pattern, text):
    """The text with blanks for what matches, so that lines stay where they are."""
    return re.sub(pattern, lambda match: re.sub(r"[^\n]", " ", match.group()), text, flags=re.M | re.S)


def without_blocks(text):
    return blank(r"^ *(```+|~~~+).*?^ *\1[`~]* *$", text)


def anchors(text):
    """The fragments that GitHub gives the headings: lower case, blanks as hyphens, no other punctuation."""
    found, counts = set(), {}
    for heading in re.findall(r"^ {0,3}#{1,6} +(.*?)(?: +#+)? *$", without_blocks(text), re.M):
        shown = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        anchor = re.sub(r"[^\w\- ]", "", shown.lower()).replace(" ", "-")
        times = counts[anchor] = counts.get(anchor, -1) + 1
        found.add(f"{anchor}-{times}" if times else anchor)
    return found


def links(text):
    """Yields (line number, target) of every link and image: inline, or in a definition."""
    prose = blank(r"(?<!`)(`+)(?!`)(?:(?!\n\n).)+?(?<!`)\1(?!`)", without_blocks(text))
    inline, definition = r"""\]\(\s*<?([^\s)>]+)>?(?:\s+["'][^)]*)?\)""", r"^ {0,3}\[[^\]]+\]:\s+<?([^\s>]+)"
    for link in re.finditer(f"{inline}|{definition}", prose, re.M):
        yield line_of(prose, link.start()), link.group(1) or link.group(2)


def wrong_link(document, target, root):
    """What is wrong with a link of the document; None: nothing, or it leaves the checkout."""
    path, _, fragment = urllib.parse.unquote(target).partition("#")
    if re.match(r"[a-z][a-z0-9+.-]*:|//", path, re.I):
        return None
    file = document
    if path:
        file = pathlib.Path(os.path.normpath(root / path[1:] if path.startswith("/") else document.parent / path))
    if root != file and root not in file.parents:
        return "leads out of the checkout"
    if not file.exists():
        return "no such file"
    if fragment and file.suffix == ".md" and fragment not in anchors(file.read_text()):
        return "no such heading"
    return None


def stale_pictures(root):
    """A picture of a terminal shows what some console block prints. Yields a line for each that does not."""
    blocks = {tuple(line.rstrip() for line in output if line.strip())
              for document in documents(root) for _, _, output in transcripts(document.read_text())}
    for picture in sorted((root / "docs").glob("*.svg")):
        shown = [html.unescape(line) for line in re.findall(r"<text[^>]*>(.*)</text>", picture.read_text())]
        if tuple(shown[1:]) not in blocks:  # The first line is the command.
            yield f"{picture.relative_to(root)}: shows what no console block prints"


def wrong_links(root):
    """Returns how many links there are, and a line for each that is wrong; README's length is looked at, too."""
    count, wrong = 0, []
    for document in documents(root):
        for number, target in links(document.read_text()):
            count += 1
            why = wrong_link(document, target, root)
            if why:
                wrong.append(f"{document.relative_to(root)}:{number}: link to {target}: {why}")
    wrong += stale_pictures(root)
    lines = len((root / "README.md").read_text().splitlines())
    if lines > README_LINES:
        wrong.append(f"README.md:{README_LINES + 1}: {lines} lines, expected {README_LINES} at most")
    return count, wrong


# ---- the service ----------------------------------------------------------------------------------------------------


def is_ready():
    try:
        return urllib.request.urlopen(READY, timeout=1).status == 200
    except OSError:
        return False


def start_service():
    """make run, as README says; the container's name lets us stop it."""
    subprocess.run(["make", "image"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    if is_ready():
        sys.exit("readme: something answers on port 10290 already")
    service = subprocess.Popen(["make", "run"], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(600):
        if is_ready():
            return service
        if service.poll() is not None:
            break
        time.sleep(0.1)
    sys.exit("readme: `make run` did not become ready")


def stop_service(service):
    # Nobody had the port before us.
    ps = subprocess.run(["docker", "ps", "-q", "--filter", "publish=10290"], capture_output=True, text=True)
    subprocess.run(["docker", "stop", *ps.stdout.split()], stdout=subprocess.DEVNULL)
    service.wait(timeout=30)


# ---- that we find what is wrong -------------------------------------------------------------------------------------

GOOD = {
    "README.md": """# The *first* `--flag`, it's [here](docs/a.md)
```console
$ echo one \\
    two
one two
$ seq 5
1
…
5
```
[own](#the-first---flag-its-here), [file](docs/a.md "a title"), ![picture, its text
on two lines](docs/a%20b.svg), [heading](docs/a.md#twice-1), [folder](docs), [web](https://example.com/#none)
""",
    "docs/a.md": """# Twice
## Twice
### Größe_x: 5 % & more ###
[back](../README.md), [here](#größe_x-5---more), [root](/README.md), `[no](link)`, ``[no](`link`)``

```
# No heading
[no](link)
```
[defined]

[defined]: ../README.md#the-first---flag-its-here
```console
$ echo drawn
drawn
```
""",
    "docs/a b.svg": "<text>$ echo</text>\n<text>drawn</text>\n",
    "CONTRIBUTING.md": """[b](docs/a.md#twice)
`src/a.h`, `a.*`, `src/*.h`, [a.h](src/a.h), `kThing`, `Named::kept`, `asks(1)`, `make test FAST=1`, `MyRule`, "it is
so", `// b.go`

| command | what |
|---|---|
| `make test` | `src/TARGET.h` |

| check | part of |
|---|---|
| `unit`, `…-b` | `ctest` |
""",
    "Makefile": "test:\n\ttrue\n",
    "src/a.h": "struct Named { int kept; };\nconstexpr int kThing = 1;\nvoid asks(int);\n// it is so\n",
    "src/CMakeLists.txt": "# For ctest.\nadd_test(NAME unit)\nadd_test(NAME unit-b)\n",
}

# A document, what is put in place of what, and what must be said of it.
MUTATIONS = [
    ("README.md", '(docs/a.md "a', '(docs/b.md "a', "README.md:11: link to docs/b.md: no such file"),
    ("README.md", "lines](docs/a", "lines](docs/c", "README.md:12: link to docs/c%20b.svg: no such file"),
    ("README.md", "#twice-1", "#twice-2", "README.md:12: link to docs/a.md#twice-2: no such heading"),
    ("README.md", "(#the-first", "(#the-last", "README.md:11: link to #the-last---flag-its-here: no such heading"),
    ("docs/a.md", "# Twice\n## T", "# Twice\n## O", "README.md:12: link to docs/a.md#twice-1: no such heading"),
    ("docs/a.md", "(../README", "(../../READ", "docs/a.md:4: link to ../../READ.md: leads out of the checkout"),
    ("docs/a.md", "(/README", "(/READ", "docs/a.md:4: link to /READ.md: no such file"),
    ("docs/a.md", "(#größe_x-5---more)", "(#no-heading)", "docs/a.md:4: link to #no-heading: no such heading"),
    ("docs/a.md", "d]: ../README.md#the-first---flag-its-here", "d]: ../README.md#one", "docs/a.md:12: link to"
     " ../README.md#one: no such heading"),
    ("CONTRIBUTING.md", "#twice", "#thrice", "CONTRIBUTING.md:1: link to docs/a.md#thrice: no such heading"),
    ("CONTRIBUTING.md", "\n", "\n" * 200, None),
    ("docs/a b.svg", "drawn", "&lt;drawn", "docs/a b.svg: shows what no console block prints"),
    ("README.md", "picture,", "picture" + "\n" * 150, "README.md:151: 162 lines, expected 150 at most"),
    ("README.md", "one two\n", "one 2\n", "README.md:3: $ echo one two\n--- README.md\none 2\n--- printed\none two"),
    ("README.md", "…\n5", "…\n6", "README.md:6: $ seq 5\n--- README.md\n1\n…\n6\n--- printed\n1\n2\n3\n4\n5"),
    ("README.md", "…\n", "", "README.md:6: $ seq 5\n--- README.md\n1\n5\n--- printed\n1\n2\n3\n4\n5"),
    ("docs/a.md", "# Twice\n", "```console\n$ true\nx\n```\n# Twice\n", "docs/a.md:2: $ true\n--- docs/a.md\nx\n"
     "--- printed\n"),
    ("CONTRIBUTING.md", "`src/a.h`", "`src/b.h`", "CONTRIBUTING.md:2: src/b.h: no such file or folder"),
    ("CONTRIBUTING.md", "`a.*`", "`rc/a.*`", "CONTRIBUTING.md:2: rc/a.*: no such file or folder"),
    ("CONTRIBUTING.md", "src/*.h", "src/*.cc", "CONTRIBUTING.md:2: src/*.cc: no such file or folder"),
    ("CONTRIBUTING.md", "[a.h]", "[b.h]", "CONTRIBUTING.md:2: b.h: the link leads to src/a.h"),
    ("CONTRIBUTING.md", "kThing", "kThings", "CONTRIBUTING.md:2: kThings: no source has this name"),
    ("CONTRIBUTING.md", "::kept", "::lost", "CONTRIBUTING.md:2: Named::lost: no source has this name"),
    ("CONTRIBUTING.md", "asks(", "tells(", "CONTRIBUTING.md:2: tells(1): no source has this name"),
    ("CONTRIBUTING.md", "test FAST", "tests FAST", "CONTRIBUTING.md:2: make tests FAST=1: the Makefile has no such"
     " target"),
    ("CONTRIBUTING.md", "it is", "it was", 'CONTRIBUTING.md:2: "it was so": no file has this text'),
    ("CONTRIBUTING.md", "| `make test`", "| `make test` | |\n| `make test X=1`", "CONTRIBUTING.md:8: make test: stands in"
     " the table of commands twice"),
    ("CONTRIBUTING.md", "TARGET", "TARGETS", "CONTRIBUTING.md:7: src/TARGETS.h: no such file or folder"),
    ("CONTRIBUTING.md", ", `…-b`", "", "CONTRIBUTING.md:1: unit-b: a test of ctest that is not in the table of checks"),
    ("CONTRIBUTING.md", "…-b`", "…-b`, `kThing`", "CONTRIBUTING.md:11: kThing: ctest has no such test"),
    ("CONTRIBUTING.md", "[b", "  ```console\n  $ x\n  ```\n[b", "CONTRIBUTING.md:1: expected a console block without"
     " an indent"),
]


def findings(files):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve()
        for name, text in files.items():
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_text(text)
        return wrong_links(root)[1] + places.wrong_places(root)[1] + wrong_transcripts(root)[1]


def self_test():
    failed = 0
    for name, old, new, expected in [("README.md", "", "", None), *MUTATIONS]:
        assert old in GOOD[name], old
        found = findings({**GOOD, name: GOOD[name].replace(old, new, 1)})
        if found != ([expected] if expected else []):
            failed += 1
            print(f"self-test: {name}, {new!r} for {old!r}: expected {expected!r}, found {found!r}")
    print(f"readme: self-test, {len(MUTATIONS) + 1} cases, {failed} failed")
    return failed == 0


# ---- all of it ------------------------------------------------------------------------------------------------------


def check_links():
    count, wrong = wrong_links(ROOT)
    print("\n".join([*wrong, f"readme: {count} links, {len(wrong)} wrong"]))
    return not wrong


def check_places():
    count, wrong = places.wrong_places(ROOT)
    print("\n".join([*wrong, f"readme: {count} places, {len(wrong)} wrong"]))
    return not wrong


def check_transcripts():
    commands = sum(len(list(transcripts(document.read_text()))) for document in documents(ROOT))
    if commands < 5:
        sys.exit(f"readme: {commands} commands found, expected a walk-through")
    service = start_service()
    try:
        count, wrong = wrong_transcripts(ROOT)
    finally:
        stop_service(service)
    print("\n".join([*wrong, f"readme: {count} commands, {len(wrong)} wrong"]))
    return not wrong


def main():
    checks = {"--self-test": self_test, "--links": check_links, "--places": check_places, None: check_transcripts}
    asked = sys.argv[1:]
    if len(asked) > 1 or (asked and asked[0] not in checks):
        sys.exit("usage: readme_test.py [--links | --places | --self-test]")
    passed = [check() for word, check in checks.items() if not asked or word == asked[0]]
    sys.exit(0 if all(passed) else 1)


if __name__ == "__main__":
    main()
