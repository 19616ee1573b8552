#!/usr/bin/env python3
"""Checks how the files of this repository hang together; one line for each violation, exit 1 if there is any.

    layering_test.py [ROOT]        checks the tree (default: the one that this file is in)
    layering_test.py --self-test   checks that each kind of violation is found, on small bad trees

- Includes: arrows go one way, cluster <- predicates, priorities (never each other) <- extender <- tests; a quoted
  include is written from the root and exists; a library's headers are included by the files listed here only.
- Lists: every test file stands in tests/CMakeLists.txt.
- Mentions: no file names a path of the machine it was written on, or a host that packages come from.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

# Folder: the folders whose files it may include.
ARROWS = {
    "cluster": {"cluster"},
    "predicates": {"cluster", "predicates"},
    "priorities": {"cluster", "priorities"},
    "extender": {"cluster", "predicates", "priorities", "extender"},
    "tests": {"cluster", "predicates", "priorities", "extender", "tests"},
}

# Library: how its headers are spelled, and the files that may include them. A header in a list passes the library on
# to everything that includes it: think twice. A file that stops including the library leaves the list. "tests/" at the
# end of a list allows every file in that folder.
LIBRARIES = {
    "rapidjson": (r"rapidjson/", [
        "cluster/decode/json.h",
        "cluster/decode/json.cc",
        "cluster/decode/reader.h",
        "cluster/feed/document.h",
        "cluster/feed/yaml_builder.h",
        "cluster/decode/json_scan.cc",
        "tests/",
    ]),
    "yaml-cpp": (r"yaml-cpp/", [
        "cluster/feed/document.cc",
        "cluster/feed/yaml_builder.h",
    ]),
    "zlib": (r"zlib\.h$", ["cluster/feed/source.cc", "tests/"]),
    "cpp-httplib": (r"httplib\.h$", ["cluster/live/http_exchange.cc"]),
    "prometheus-cpp": (r"prometheus/", [
        "extender/metrics/figure_series.h",
        "extender/metrics/live_metrics.cc",
        "extender/metrics/live_metrics_series.h",
        "extender/metrics/metrics.cc",
        "extender/metrics/request_series.h",
    ]),
    "spdlog": (r"spdlog/", ["extender/log/log.cc"]),
    "CLI11": (r"CLI/", ["extender/cli/flags.cc"]),
    "OpenSSL": (r"openssl/", [
        "cluster/live/connection.cc",
        "cluster/live/socket_bio.cc",
        "cluster/live/tls_context.cc",
        "cluster/state/attachable.cc",
        "extender/cli/config_in_force.cc",
        "tests/",
    ]),
    "doctest": (r"doctest/", ["tests/"]),
    "google-benchmark": (r"benchmark/", ["tests/"]),
}

# Headers of C and of the system. Those of C++ have no dot.
SYSTEM = re.compile(r"[a-z0-9_]+$|(arpa|linux|net|netinet|sys)/[a-z0-9_]+\.h$|"
                    r"(dirent|dlfcn|fcntl|getopt|malloc|netdb|poll|pthread|sched|signal|spawn|syslog|time|unistd)\.h$")

# Written so that none matches itself: this file is checked as well.
MENTIONS = {
    "a path of the machine it was written on": re.compile(
        r"(?<![\w.-])/(?:[w]ork/(?:main|shared)\b|[w]ork/|tmp/[b]ash_jobs|[h]ome/\w+/)"),
    "a host that packages come from": re.compile(
        r"\b[\w.-]*(?:[d]eb\.debian\.org|[a]rchive\.ubuntu\.com|proxy\.[g]olang\.org|[p]ypi\.org|[n]pmjs\.org)\b|"
        r"\bdeb (?:\[[^\]]*\] )?[h]ttps?://|\b(?:GOPROXY|[i]ndex-url|INDEX_URL)\b\s*[=:]\s*\"?[h]ttps?://"),
}

CODE = {".h", ".hh", ".hpp", ".inc", ".ipp", ".cc", ".cpp", ".cxx", ".c"}
INCLUDE = re.compile(r"\s*#\s*(?:include|include_next|import)\b\s*(?:<([^>]+)>|\"([^\"]+)\"|(.*))")


def includes(path):
    """Line number, header and whether it is quoted; a header of None for what cannot be read."""
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        if match := INCLUDE.match(line):
            system, quoted, _ = match.groups()
            yield number, system or quoted, quoted is not None


def library_of(header):
    return next((name for name, (spelling, _) in LIBRARIES.items() if re.match(spelling, header)), None)


def check_quoted(root, file, header):
    layer, target = file.parts[0], header.split("/")[0]
    if ".." in pathlib.PurePosixPath(header).parts or not (root / header).is_file():
        return f'"{header}" does not exist from the root'
    if target not in ARROWS[layer]:
        return f'"{header}": {layer} may include {", ".join(sorted(ARROWS[layer]))} only'
    return None


def check_library(file, header, library):
    for allowed in LIBRARIES[library][1]:
        if file.as_posix() == allowed or allowed.endswith("/") and file.as_posix().startswith(allowed):
            return None
    what = "header" if file.suffix.startswith(".h") else "file"
    return f"<{header}>: this {what} is not among those that may include {library}"


def check_includes(root):
    used = set()
    for file in code_files(root):
        for number, header, quoted in includes(root / file):
            if header is None:
                wrong = "an include that is not written out"
            elif library := library_of(header):
                used.add((library, file.as_posix()))
                wrong = check_library(file, header, library)
            elif quoted:
                wrong = check_quoted(root, file, header)
            else:
                wrong = None if SYSTEM.match(header) else f"<{header}>: of no library that is known here"
            if wrong:
                yield f"{file}:{number}: {wrong}"
    for library, (_, allowed) in LIBRARIES.items():
        for file in allowed:
            if not file.endswith("/") and (library, file) not in used:
                yield f"{file}: does not include {library}, yet is listed for it in {pathlib.Path(__file__).name}"


def code_files(root):
    for layer in ARROWS:
        for path in sorted((root / layer).rglob("*")):
            if path.suffix in CODE and path.is_file():
                yield path.relative_to(root)


def all_files(root):
    """Those that git tracks or would; all but builds where there is no git."""
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, capture_output=True, check=True).stdout.decode().split("\0")
        return sorted(name for name in listed if name and (root / name).is_file())
    except (OSError, subprocess.CalledProcessError):
        names = (path.relative_to(root) for path in root.rglob("*") if path.is_file())
        return sorted(n.as_posix() for n in names if not n.parts[0].startswith("build") and ".git" not in n.parts)


def check_mentions(root):
    for name in all_files(root):
        for number, line in enumerate((root / name).read_text(encoding="latin-1").split("\n"), 1):
            for what, pattern in MENTIONS.items():
                if match := pattern.search(line):
                    yield f"{name}:{number}: {match.group()!r} is {what}"


def check_listed(root):
    """A test that is not built passes for ever."""
    build = root / "tests" / "CMakeLists.txt"
    listed = set(build.read_text().split()) if build.is_file() else set()
    for file in code_files(root):
        if file.parts[0] == "tests" and file.name.endswith("_test.cc") and file.as_posix()[6:] not in listed:
            yield f"{file}: not listed in tests/CMakeLists.txt"


def check(root):
    return [*check_includes(root), *check_mentions(root), *check_listed(root)]


# ---- self-test: a tree that is right, made wrong in one place after another ------------------------------------------

GOOD = {
    "cluster/a.h": "#include <string>\n#include <sys/socket.h>\n",
    "predicates/b.cc": '#include "cluster/a.h"\n',
    "priorities/c.h": '#include "cluster/a.h"\n#include <cstdint>\n',
    "extender/d.cc": '  #  include "predicates/e.h"\n#include "priorities/c.h"\n',
    "predicates/e.h": "",
    "tests/f.cc": '#include "extender/g.h"\n#include <doctest/doctest.h>\n',
    "extender/g.h": "",
    "tests/a/g_test.cc": "",
    "tests/CMakeLists.txt": "set(TESTS\n  a/g_test.cc\n)\n",
    "README.md": "See /usr/share/doc and https://kubernetes.io.\n",
}
# File, its text, and the one line expected; none for an exception that is right.
BAD = [
    ("cluster/x.h", '#include "predicates/e.h"\n',
     'cluster/x.h:1: "predicates/e.h": cluster may include cluster only'),
    ("predicates/x.cc", '\n#include "priorities/c.h"\n',
     'predicates/x.cc:2: "priorities/c.h": predicates may include cluster, predicates only'),
    ("priorities/x.cc", '#include "predicates/e.h"\n',
     'priorities/x.cc:1: "predicates/e.h": priorities may include cluster, priorities only'),
    ("cluster/deep/x.cc", '#include "extender/g.h"\n',
     'cluster/deep/x.cc:1: "extender/g.h": cluster may include cluster only'),
    ("extender/x.hpp", '#include "tests/f.cc"\n',
     'extender/x.hpp:1: "tests/f.cc": extender may include cluster, extender, predicates, priorities only'),
    ("extender/x.cc", '#include "g.h"\n', 'extender/x.cc:1: "g.h" does not exist from the root'),
    ("extender/x.cc", '#include "extender/../predicates/e.h"\n',
     'extender/x.cc:1: "extender/../predicates/e.h" does not exist from the root'),
    ("extender/x.h", "#include <rapidjson/document.h>\n",
     "extender/x.h:1: <rapidjson/document.h>: this header is not among those that may include rapidjson"),
    ("predicates/x.cc", '#include "rapidjson/document.h"\n',
     "predicates/x.cc:1: <rapidjson/document.h>: this file is not among those that may include rapidjson"),
    ("cluster/x.cc", "#include <doctest/doctest.h>\n",
     "cluster/x.cc:1: <doctest/doctest.h>: this file is not among those that may include doctest"),
    ("tests/x.cc", "#include <httplib.h>\n",
     "tests/x.cc:1: <httplib.h>: this file is not among those that may include cpp-httplib"),
    ("cluster/x.cc", "#include <boost/any.hpp>\n",
     "cluster/x.cc:1: <boost/any.hpp>: of no library that is known here"),
    ("cluster/x.cc", "#include HEADER\n", "cluster/x.cc:1: an include that is not written out"),
    ("cluster/x.cc", "// #include <boost/any.hpp>\n", None),
    ("notes.txt", "built in /" + "work/main/build\n",
     "notes.txt:1: '/" + "work/main' is a path of the machine it was written on"),
    ("a/b.sh", "\ncd /" + "home/jo/src\n", "a/b.sh:2: '/" + "home/jo/' is a path of the machine it was written on"),
    ("Dockerfile", "RUN echo deb h" + "ttp://mirror/x\n",
     "Dockerfile:1: 'deb h" + "ttp://' is a host that packages come from"),
    ("go.env", "GOPROXY=h" + "ttps://mirror/go\n",
     "go.env:1: 'GOPROXY=h" + "ttps://' is a host that packages come from"),
    ("notes.txt", "net/work/main\n", None),
    ("tests/a/h_test.cc", "", "tests/a/h_test.cc: not listed in tests/CMakeLists.txt"),
]


def check_made(files):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        return check(root)


def self_test():
    failed = 0
    listed = {name: (spelling, allowed) for name, (spelling, allowed) in LIBRARIES.items()}
    for name, (spelling, allowed) in listed.items():
        LIBRARIES[name] = (spelling, [file for file in allowed if file.endswith("/")])
    cases = [({}, None), *(({file: text}, expected) for file, text, expected in BAD)]
    for changed, expected in cases:
        found, wanted = check_made({**GOOD, **changed}), [expected] if expected else []
        if found != wanted:
            failed += 1
            print(f"{changed}\n  found    {found}\n  expected {wanted}")
    LIBRARIES["zlib"] = (LIBRARIES["zlib"][0], ["cluster/a.h"])
    stale = ["cluster/a.h: does not include zlib, yet is listed for it in layering_test.py"]
    if (found := check_made(GOOD)) != stale:
        failed += 1
        print(f"a file listed in vain\n  found    {found}\n  expected {stale}")
    print(f"{len(cases) + 1} cases, {failed} failed")
    return failed


def main():
    arguments = sys.argv[1:]
    if arguments == ["--self-test"]:
        sys.exit(1 if self_test() else 0)
    if len(arguments) > 1 or arguments and arguments[0].startswith("-"):
        sys.exit(__doc__)
    root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).parents[2]).resolve()
    missing = [layer for layer in ARROWS if not (root / layer).is_dir()]
    violations = [f"{layer}/: there is no such folder" for layer in missing] + check(root)
    print("\n".join(violations) if violations else "every arrow points the right way")
    sys.exit(1 if violations else 0)


if __name__ == "__main__":
    main()
