#!/usr/bin/env python3
"""Checks how the files of this repository hang together; one line for each violation, exit 1 if there is any.

    layering_test.py [ROOT]        checks the tree (default: the one that this file is in)
    layering_test.py --self-test   checks that each kind of violation is found, on small bad trees

- Includes: they follow the arrows listed below, from room to room; a quoted include is written from the root and
  exists; a library's headers are included by the files listed here only.
- Own includes: a header includes the standard headers of the names that it uses, as listed below.
- Circles: no two units include each other, directly or over others.
- Rooms: each folder with code is in a room of the list.
- Arrows: each one in the list is taken by an include.
- Names: no two headers define a type, or an inline function of tests, of one name in one namespace.
- Lists: every test file stands in the CMakeLists.txt of its folder, and every folder in that of its parent.
- Mentions: no file names a path of the machine it was written on, or a host that packages come from.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

# Room: the rooms whose headers its files may include, besides its own. A room is a folder with all that is in it, but for
# the folders that are rooms themselves. Tests may include everything.
ARROWS = {
    "cluster": "",
    "cluster/text": "cluster",
    "cluster/api": "cluster cluster/text",
    "cluster/cel": "cluster/api cluster/text",
    "cluster/fields": "cluster/api cluster/cel cluster/text",
    "cluster/devices": "cluster cluster/api cluster/cel cluster/text",
    "cluster/state": "cluster cluster/api cluster/devices cluster/fields cluster/text",
    "cluster/expressions": "cluster cluster/api cluster/cel cluster/fields cluster/state",
    "cluster/admission": "cluster/api cluster/state cluster/text",
    "cluster/files": "cluster cluster/admission cluster/api cluster/state cluster/text",
    "cluster/expand": "cluster cluster/admission cluster/api cluster/files cluster/state cluster/text",
    "cluster/client": "cluster cluster/api cluster/state cluster/text",
    "cluster/rule": "cluster cluster/api cluster/devices cluster/expressions cluster/state cluster/text",
    "predicates": "cluster cluster/api cluster/expressions cluster/rule cluster/state cluster/text",
    "priorities": "cluster cluster/api cluster/expressions cluster/rule cluster/state",
    "extender": "",
    "extender/reuse": "cluster cluster/api cluster/rule cluster/state cluster/text",
    "extender/engine": "cluster cluster/api cluster/devices cluster/rule cluster/state cluster/text extender/reuse predicates priorities",
    "extender/config": "cluster cluster/api cluster/rule cluster/state cluster/text "
                       "extender/engine predicates priorities",
    "extender/explain": "cluster cluster/api cluster/cel cluster/client cluster/devices cluster/expand cluster/expressions "
                        "cluster/rule cluster/state cluster/text extender/engine",
    "extender/service": "cluster cluster/admission cluster/api cluster/client cluster/devices cluster/expand cluster/rule cluster/state "
                        "cluster/text extender extender/config extender/engine extender/explain extender/reuse predicates",
    "extender/nominate": "cluster cluster/api cluster/client cluster/rule cluster/state cluster/text extender/config "
                         "extender/engine extender/explain extender/service",
    "extender/what_if": "cluster cluster/api cluster/cel cluster/expand cluster/files cluster/rule cluster/state "
                        "cluster/text extender extender/config extender/engine extender/explain extender/service",
    "extender/operate": "cluster cluster/api cluster/client cluster/rule cluster/state cluster/text extender/config "
                        "extender/engine extender/service predicates",
    "extender/cli": "cluster cluster/api cluster/client cluster/expand cluster/files cluster/state cluster/text "
                    "extender extender/config extender/engine extender/explain extender/nominate extender/operate "
                    "extender/reuse extender/service extender/what_if predicates",
}
# File: the header that CMake makes for it alone.
GENERATED = {"predicates/records.cc": "predicates/families.h", "priorities/records.cc": "priorities/families.h"}
LAYERS = ("cluster", "predicates", "priorities", "extender", "tests")

# Library: how its headers are spelled, and the files that may include them. A header in a list passes the library on
# to everything that includes it: think twice. A file that stops including the library leaves the list. "tests/" at the
# end of a list allows every file in that folder.
LIBRARIES = {
    "rapidjson": (r"rapidjson/", [
        "cluster/text/json.h",
        "cluster/text/json.cc",
        "cluster/text/json_document.h",
        "cluster/text/json_reader.h",
        "cluster/text/yaml_builder.h",
        "cluster/client/access/client_config.cc",
        "extender/config/kept_config.cc",
        "extender/what_if/replay/anonymize.cc",
        "extender/what_if/replay/replay.cc",
        "extender/what_if/replay/renaming.cc",
        "extender/what_if/replay/rename_object.cc",
        "tests/",
    ]),
    "yaml-cpp": (r"yaml-cpp/", [
        "cluster/text/json_document.cc",
        "cluster/text/yaml_builder.h",
    ]),
    "RE2": (r"re2/", ["cluster/cel/regex.cc"]),
    "zlib": (r"zlib\.h$", ["cluster/text/gzip_lines.cc", "cluster/text/source.cc", "tests/"]),
    "cpp-httplib": (r"httplib\.h$", [
        "cluster/client/transport/http_client.cc",
        "cluster/client/transport/wire.h",
        "extender/service/http/router.cc",
        "tests/extender/service/http/library_test.cc",
    ]),
    "prometheus-cpp": (r"prometheus/", [
        "extender/service/metrics/figure_series.h",
        "extender/service/metrics/figures.h",
        "extender/service/metrics/live_metrics.cc",
        "extender/service/metrics/live_metrics_series.h",
        "extender/service/metrics/metrics.cc",
        "extender/service/metrics/request_series.h",
    ]),
    "spdlog": (r"spdlog/", ["extender/service/log/log.cc"]),
    "CLI11": (r"CLI/", [
        "extender/cli/flags/flag_kinds.h",
        "extender/cli/flags/flags.cc",
        "extender/cli/flags/kubectl_flags.cc",
        "extender/cli/flags/flag_table.cc",
        "extender/cli/flags/serve_flags.cc",
        "extender/cli/flags/unknown_words.cc",
        "extender/cli/flags/why_flags.h",
    ]),
    "OpenSSL": (r"openssl/", [
        "cluster/client/transport/connection.cc",
        "cluster/client/transport/sockets.cc",
        "cluster/client/access/tls_context.cc",
        "cluster/client/access/tls_context.h",
        "cluster/state/attachable.cc",
        "cluster/text/keyed_hash.cc",
        "extender/cli/serve/config_source.cc",
        "extender/service/http/transport.cc",
        "tests/",
    ]),
    "gperftools": (r"gperftools/", ["extender/service/profiler.cc"]),
    "doctest": (r"doctest/", ["tests/"]),
    "google-benchmark": (r"benchmark/", ["tests/"]),
}

# Headers of C and of the system. Those of C++ have no dot.
SYSTEM = re.compile(r"[a-z0-9_]+$|(arpa|linux|net|netinet|sys)/[a-z0-9_]+\.h$|"
                    r"(dirent|dlfcn|fcntl|fnmatch|getopt|malloc|netdb|poll|pthread|sched|signal|spawn|syslog|time|unistd)\.h$")

# Standard header: the names that a header of ours may not use without it. Those that are common and have one home.
STANDARD = {
    "algorithm": "all_of any_of clamp find find_if max max_element min min_element none_of sort",
    "array": "array",
    "atomic": "atomic atomic_bool atomic_flag memory_order memory_order_acquire memory_order_relaxed "
              "memory_order_release",
    "bitset": "bitset",
    "chrono": "chrono",
    "compare": "partial_ordering strong_ordering weak_ordering",
    "concepts": "convertible_to derived_from floating_point integral invocable same_as",
    "condition_variable": "condition_variable condition_variable_any",
    "cstddef": "byte max_align_t nullptr_t ptrdiff_t size_t",
    "cstdint": "int8_t int16_t int32_t int64_t intptr_t uint8_t uint16_t uint32_t uint64_t uintptr_t",
    "deque": "deque",
    "exception": "exception exception_ptr terminate",
    "expected": "expected unexpect unexpected",
    "filesystem": "filesystem",
    "format": "format format_to formatter",
    "functional": "function hash invoke less move_only_function",
    "initializer_list": "initializer_list",
    "limits": "numeric_limits",
    "list": "list",
    "map": "map multimap",
    "memory": "addressof enable_shared_from_this make_shared make_unique shared_ptr unique_ptr weak_ptr",
    "mutex": "call_once lock_guard mutex once_flag recursive_mutex scoped_lock unique_lock",
    "numeric": "accumulate iota",
    "optional": "make_optional nullopt nullopt_t optional",
    "queue": "priority_queue queue",
    "random": "mt19937 mt19937_64 uniform_int_distribution",
    "semaphore": "binary_semaphore counting_semaphore",
    "set": "multiset set",
    "shared_mutex": "shared_lock shared_mutex",
    "span": "dynamic_extent span",
    "stop_token": "stop_callback stop_source stop_token",
    "string": "getline stod stoi stol stoul string to_string u32string",
    "string_view": "string_view",
    "system_error": "errc error_code",
    "thread": "jthread this_thread thread",
    "tuple": "make_tuple tie tuple tuple_element tuple_size",
    "type_traits": "bool_constant conditional_t decay_t enable_if_t false_type invoke_result_t is_const_v is_enum_v "
                   "is_same_v remove_const_t remove_cvref_t true_type type_identity underlying_type_t",
    "unordered_map": "unordered_map unordered_multimap",
    "unordered_set": "unordered_set",
    "utility": "as_const declval exchange forward in_place make_pair move pair swap to_underlying unreachable",
    "variant": "get_if holds_alternative monostate variant visit",
    "vector": "vector",
}
HEADER_OF = {name: header for header, names in STANDARD.items() for name in names.split()}
STANDARD_NAME = re.compile(r"\bstd::(?:ranges::)?(\w+)")
NO_CODE = re.compile(r"//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\\n])'|\"(?:\\.|[^\"\\\n])*\"", re.DOTALL)

# Written so that none matches itself: this file is checked as well.
MENTIONS = {
    "a path of the machine it was written on": re.compile(
        r"(?<![\w.-])/(?:[w]ork/(?:main|shared)\b|[w]ork/|tmp/[b]ash_jobs|[h]ome/\w+/)"),
    "a host that packages come from": re.compile(
        r"\b[\w.-]*(?:[d]eb\.debian\.org|[a]rchive\.ubuntu\.com|proxy\.[g]olang\.org|[p]ypi\.org|[n]pmjs\.org)\b|"
        r"\bdeb (?:\[[^\]]*\] )?[h]ttps?://|\b(?:GOPROXY|[i]ndex-url|INDEX_URL)\b\s*[=:]\s*\"?[h]ttps?://"),
}

NAMESPACE = re.compile(r"(?:inline )?namespace(?: ([\w:]+))? \{$")
TYPE = re.compile(r"(?:struct|class|union|enum(?: class| struct)?)(?: WINNOW_\w+)? (\w+)(?: final)?(?: :[^:].*)? \{")
FUNCTION = re.compile(r"inline [^=]*?\b(\w+\([^{]*\))(?: const)?(?: noexcept)? \{")

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


def room_of(path):
    """The innermost room that holds the file; its folder where none does."""
    folders = [folder.as_posix() for folder in pathlib.PurePosixPath(path).parents]
    return next((folder for folder in folders if folder in ARROWS), folders[0])


def check_quoted(root, file, header):
    if GENERATED.get(file.as_posix()) == header:
        return None
    if ".." in pathlib.PurePosixPath(header).parts or not (root / header).is_file():
        return f'"{header}" does not exist from the root'
    here, there = room_of(file), room_of(header)
    if file.parts[0] == "tests" or here == there or there in ARROWS.get(here, "").split():
        return None
    return f'"{header}": no arrow leads from {here} to {there}'


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


def check_own_includes(root):
    """What a header gets from others' includes goes as these change. Of .cc files the compiler tells."""
    for file in code_files(root):
        if file.suffix == ".h" and file.parts[0] != "tests":
            yield from (f"{file}: uses std::{name} without <{header}>" for header, name in missing_headers(root / file))


def missing_headers(path):
    """Each standard header that the file needs and does not include, with the first name that it is needed for."""
    included = {header for _, header, quoted in includes(path) if not quoted}
    missing = {}
    for name in STANDARD_NAME.findall(NO_CODE.sub("", path.read_text(encoding="utf-8", errors="replace"))):
        header = HEADER_OF.get(name)
        if header and header not in included:
            missing.setdefault(header, name)
    return sorted(missing.items())


def check_rooms(root):
    """A room that nobody listed, and one that is listed and gone."""
    rooms = {room_of(file) for file in code_files(root) if file.parts[0] != "tests"}
    yield from (f"{room}/: a room without a line in ARROWS" for room in sorted(rooms - ARROWS.keys()))
    yield from (f"{room}/: stands in ARROWS, and has no files" for room in sorted(ARROWS.keys() - rooms))


def check_unused(root, arrows):
    """An arrow that no include takes lets in what nobody has thought of."""
    taken = {(room_of(file), room_of(header)) for file in code_files(root) if file.parts[0] != "tests"
             for _, header, quoted in includes(root / file) if quoted and header}
    for room, targets in arrows.items():
        yield from (f"{room}: the arrow to {target} is taken by no include" for target in targets.split()
                    if (room, target) not in taken)


def check_circles(root):
    """A unit is a header and its .cc file. Units that include each other, over any number of steps, are one unit."""
    arrows = {}
    for file in code_files(root):
        unit = file.with_suffix("").as_posix()
        targets = {pathlib.PurePosixPath(header).with_suffix("").as_posix()
                   for _, header, quoted in includes(root / file) if quoted and header}
        arrows.setdefault(unit, set()).update(targets - {unit})
    done = set()
    for start in sorted(arrows):
        yield from circles_from(start, arrows, done)


def circles_from(start, arrows, done):
    """Walks depth first; `done` are the units of which all is known."""
    path, rest = [start], [iter(sorted(arrows[start]))]
    while path and start not in done:
        step = next(rest[-1], None)
        if step is None:
            done.add(path.pop())
            rest.pop()
        elif step in path:
            circle = path[path.index(step):]
            yield " -> ".join([*circle, step]) + ": a circle of units"
        elif step in arrows and step not in done:
            path.append(step)
            rest.append(iter(sorted(arrows[step])))


def code_files(root):
    for layer in LAYERS:
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
    def words_of(folder):
        build = root / folder / "CMakeLists.txt"
        return re.findall(r"[^\s()]+", build.read_text(encoding="utf-8")) if build.is_file() else []

    def is_added(folder):
        return len(folder.parts) == 1 or (is_added(folder.parent) and folder.name in words_of(folder.parent))

    for file in code_files(root):
        if file.parts[0] == "tests" and file.name.endswith("_test.cc"):
            if file.name not in words_of(file.parent):
                yield f"{file}: not listed in {file.parent}/CMakeLists.txt"
            elif not is_added(file.parent):
                yield f"{file}: no add_subdirectory leads to its folder"


def check_mutexes(root):
    """Clang checks what a Mutex guards, and knows nothing of a std::mutex."""
    for file in code_files(root):
        if file.parts[0] != "tests" and file.as_posix() != "cluster/mutex.h":
            text = NO_CODE.sub("", (root / file).read_text(encoding="utf-8", errors="replace"))
            yield from (f"{file}: {match}, where clang checks a Mutex of cluster/mutex.h" for match in
                        sorted(set(re.findall(r"std::(?:mutex|recursive_mutex|lock_guard|scoped_lock)\b", text))))


# Who may write to standard error: what others say passes through the first, and the second shows numbers.
STDERR = ("extender/cli/flags/flag_kinds.h", "extender/cli/simulate_inputs.cc")


def check_stderr(root):
    """Texts of others may steer a terminal."""
    for file in code_files(root):
        if file.parts[0] != "tests" and file.as_posix() not in STDERR:
            text = NO_CODE.sub("", (root / file).read_text(encoding="utf-8", errors="replace"))
            yield from (f"{file}: {match}, where lines go through stderr_line() of {STDERR[0]}" for match in
                        sorted(set(re.findall(r"std::(?:cerr|clog)\b", text))))


def definitions(text, is_test):
    """The line number and the full name of each type at the left margin; of tests also each inline function, with its
    parameters. Namespaces are followed by their first and last lines, as clang-format writes them."""
    inside = []
    for number, line in enumerate(text.splitlines(), 1):
        if match := NAMESPACE.match(line):
            inside.append(match.group(1) or "")
        elif line.startswith("}  // namespace"):
            inside = inside[:-1]
        elif match := TYPE.match(line) or (FUNCTION.match(line) if is_test else None):
            if "" not in inside:
                yield number, "::".join([*inside, match.group(1)])


def check_names(root):
    """Two of one name are one for the linker, which takes either. Neither compiler nor linker tells."""
    first = {}
    for file in code_files(root):
        if file.suffix == ".h":
            text = (root / file).read_text(encoding="utf-8", errors="replace")
            for number, name in definitions(text, file.parts[0] == "tests"):
                if name in first:
                    yield f"{file}:{number}: {name} is defined in {first[name]} too"
                else:
                    first[name] = file


def check_all(root):
    checks = [check_includes, check_own_includes, check_circles, check_mentions, check_listed, check_mutexes,
              check_stderr, check_names]
    return [violation for one in checks for violation in one(root)]


# ---- self-test: a tree that is right, made wrong in one place after another ------------------------------------------

GOOD = {
    "cluster/a.h": "#include <string>\n#include <sys/socket.h>\n",
    "cluster/state/h.h": "",
    "cluster/state/j.h": '#include "cluster/state/h.h"\n',
    "cluster/client/watch/i.h": "",
    "predicates/b.cc": '#include "cluster/a.h"\n',
    "predicates/k.h": '#include "predicates/l.h"\n',
    "predicates/l.h": '#include "predicates/e.h"\n',
    "priorities/c.h": '#include "cluster/a.h"\n#include <cstdint>\n',
    "extender/config/d.cc": '  #  include "predicates/e.h"\n#include "priorities/c.h"\n',
    "predicates/e.h": "",
    "tests/f.cc": '#include "extender/g.h"\n#include <doctest/doctest.h>\n',
    "extender/g.h": "",
    "extender/nominate/m.h": "",
    "extender/service/log/g.h": "",
    "tests/a/g_test.cc": "",
    "cluster/n.h": "namespace winnow {\nstruct Named {\n  int a;\n};\n}  // namespace winnow\n",
    "tests/m.h": "namespace winnow {\ninline int named(const A& a) { return 1; }\n}  // namespace winnow\n",
    "tests/CMakeLists.txt": "add_subdirectory(a)\n",
    "tests/a/CMakeLists.txt": "other_tests(\n  g_test.cc\n)\n",
    "README.md": "See /usr/share/doc and https://kubernetes.io.\n",
}
# File, its text, and the one line expected; none for an exception that is right.
BAD = [
    ("cluster/x.h", '#include "predicates/e.h"\n',
     'cluster/x.h:1: "predicates/e.h": no arrow leads from cluster to predicates'),
    ("predicates/x.cc", '\n#include "priorities/c.h"\n',
     'predicates/x.cc:2: "priorities/c.h": no arrow leads from predicates to priorities'),
    ("priorities/x.cc", '#include "predicates/e.h"\n',
     'priorities/x.cc:1: "predicates/e.h": no arrow leads from priorities to predicates'),
    ("cluster/state/x.cc", '#include "cluster/client/watch/i.h"\n',
     'cluster/state/x.cc:1: "cluster/client/watch/i.h": no arrow leads from cluster/state to cluster/client'),
    ("extender/service/http/x.cc", '#include "extender/service/log/g.h"\n', None),
    ("extender/service/http/x.cc", '#include "extender/nominate/m.h"\n',
     'extender/service/http/x.cc:1: "extender/nominate/m.h": no arrow leads from extender/service to extender/nominate'),
    ("cluster/client/watch/x.cc", '#include "cluster/state/h.h"\n', None),
    ("extender/x.hpp", '#include "tests/f.cc"\n',
     'extender/x.hpp:1: "tests/f.cc": no arrow leads from extender to tests'),
    ("cluster/state/h.cc", '#include "cluster/state/j.h"\n',
     "cluster/state/h -> cluster/state/j -> cluster/state/h: a circle of units"),
    ("predicates/e.cc", '#include "predicates/k.h"\n',
     "predicates/e -> predicates/k -> predicates/l -> predicates/e: a circle of units"),
    ("predicates/e.cc", '#include "predicates/e.h"\n#include "predicates/b.cc"\n', None),
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
    ("cluster/x.h", "#include <vector>\nstd::vector<std::string> a;\n",
     "cluster/x.h: uses std::string without <string>"),
    ("predicates/x.h", '#include "cluster/a.h"\nstd::string a;\n',
     "predicates/x.h: uses std::string without <string>"),
    ("priorities/x.h", "#include <string>\nstd::string a;  // no std::vector\n", None),
    ("extender/x.h", 'auto a = f("std::vector");\n', None),
    ("extender/x.h", "int a = std::ranges::min(b);\n", "extender/x.h: uses std::min without <algorithm>"),
    ("extender/x.h", "int a = std::something_else(b);\n", None),
    ("extender/x.cc", "std::vector<int> a;\n", None),
    ("tests/x.h", "std::vector<int> a;\n", None),
    ("notes.txt", "built in /" + "work/main/build\n",
     "notes.txt:1: '/" + "work/main' is a path of the machine it was written on"),
    ("a/b.sh", "\ncd /" + "home/jo/src\n", "a/b.sh:2: '/" + "home/jo/' is a path of the machine it was written on"),
    ("Dockerfile", "RUN echo deb h" + "ttp://mirror/x\n",
     "Dockerfile:1: 'deb h" + "ttp://' is a host that packages come from"),
    ("go.env", "GOPROXY=h" + "ttps://mirror/go\n",
     "go.env:1: 'GOPROXY=h" + "ttps://' is a host that packages come from"),
    ("notes.txt", "net/work/main\n", None),
    ("cluster/x.cc", "std::mutex a;  // std::lock_guard\n",
     "cluster/x.cc: std::mutex, where clang checks a Mutex of cluster/mutex.h"),
    ("tests/x.cc", "std::mutex a;\n", None),
    ("extender/x.cc", "std::cerr << 1;  // std::clog\n",
     "extender/x.cc: std::cerr, where lines go through stderr_line() of extender/cli/flags/flag_kinds.h"),
    ("tests/x.cc", "std::cerr << 1;\n", None),
    ("tests/a/h_test.cc", "", "tests/a/h_test.cc: not listed in tests/a/CMakeLists.txt"),
    ("tests/b/g_test.cc", "", "tests/b/g_test.cc: not listed in tests/b/CMakeLists.txt"),
    ("tests/CMakeLists.txt", "", "tests/a/g_test.cc: no add_subdirectory leads to its folder"),
    ("predicates/x.h", "namespace winnow {\nenum class Named : int {};\n}  // namespace winnow\n",
     "predicates/x.h:2: winnow::Named is defined in cluster/n.h too"),
    ("tests/x.h", "namespace winnow {\nstruct Named {\n};\n}  // namespace winnow\n",
     "tests/x.h:2: winnow::Named is defined in cluster/n.h too"),
    ("predicates/x.h", "namespace winnow::predicates {\nstruct Named {};\n}  // namespace winnow::predicates\n", None),
    ("predicates/x.h", "namespace winnow {\nstruct Named;\nstruct A {\n  struct Named {};\n};\n"
     "}  // namespace winnow\n", None),
    ("predicates/x.cc", "namespace winnow {\nnamespace {\nstruct Named {};\n}  // namespace\n}  // namespace winnow\n",
     None),
    ("tests/x.h", "namespace winnow {\ninline int named(const A& a) { return 2; }\n}  // namespace winnow\n",
     "tests/x.h:2: winnow::named(const A& a) is defined in tests/m.h too"),
    ("tests/x.h", "namespace winnow {\ninline int named(const B& b) { return 2; }\n}  // namespace winnow\n", None),
]


def check_made(files, check=None):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        return list((check or check_all)(root))


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
    arrows = {"predicates": "cluster priorities", "priorities": "cluster"}
    unused = ["predicates: the arrow to priorities is taken by no include"]
    if (found := check_made(GOOD, lambda root: check_unused(root, arrows))) != unused:
        failed += 1
        print(f"an arrow listed in vain\n  found    {found}\n  expected {unused}")
    print(f"{len(cases) + 2} cases, {failed} failed")
    return failed


def main():
    arguments = sys.argv[1:]
    if arguments == ["--self-test"]:
        sys.exit(1 if self_test() else 0)
    if len(arguments) > 1 or arguments and arguments[0].startswith("-"):
        sys.exit(__doc__)
    root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).parents[2]).resolve()
    missing = [layer for layer in LAYERS if not (root / layer).is_dir()]
    violations = [f"{layer}/: there is no such folder" for layer in missing] + check_all(root)
    violations += [*check_rooms(root), *check_unused(root, ARROWS)]
    print("\n".join(violations) if violations else "every arrow points the right way")
    sys.exit(1 if violations else 0)


if __name__ == "__main__":
    main()
