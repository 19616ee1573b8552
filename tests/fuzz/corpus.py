#!/usr/bin/env python3
"""Packs and unpacks the fuzz corpus. The inputs of a target are the archive tests/fuzz/corpus/TARGET.tar.gz.

    corpus.py unpack [--to FOLDER] [TARGET…]   writes FOLDER/TARGET, where it is not what the archive has
    corpus.py add TARGET FILE…                 adds inputs to the archive, named by their SHA-1
    corpus.py pack TARGET FOLDER               makes the archive of the files in FOLDER
    corpus.py check                            says which archive is missing, too many, or packed otherwise

FOLDER/TARGET holds nothing else afterwards. Without --to, FOLDER is build/fuzz/seeds; without TARGET, all are meant.
Equal inputs give equal archives. An archive that has these inputs already stays as it is.
"""
import argparse
import gzip
import hashlib
import io
import os
import pathlib
import shutil
import sys
import tarfile
import tempfile
import zlib

HERE = pathlib.Path(__file__).resolve().parent
ARCHIVES = HERE / "corpus"
UNPACKED = HERE.parents[1] / "build/fuzz/seeds"
MOST = 1_000_000  # Bytes of all inputs together.


class Failure(Exception):
    """What is said in one line."""


def all_targets():
    return sorted(file.name.removesuffix("_fuzz.cc") for file in HERE.glob("*_fuzz.cc"))


def archive_of(target):
    return ARCHIVES / f"{target}.tar.gz"


def tar_of(target, inputs):
    """The bytes of a tar file. They depend on the names and the inputs alone."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name in sorted(inputs):
            entry = tarfile.TarInfo(f"{target}/{name}")  # Owner 0, time 0.
            entry.mode, entry.size = 0o644, len(inputs[name])
            tar.addfile(entry, io.BytesIO(inputs[name]))
    return out.getvalue()


def tar_in(target):
    """The bytes of the tar file in a target's archive."""
    try:
        return gzip.decompress(archive_of(target).read_bytes())
    except FileNotFoundError:
        raise Failure(f"{archive_of(target)}: there is no such archive") from None
    except (OSError, EOFError, zlib.error) as error:
        raise Failure(f"{archive_of(target)}: {error}") from None


def inputs_in(target):
    """{name: input} of a target's archive."""
    inputs = {}
    try:
        with tarfile.open(fileobj=io.BytesIO(tar_in(target))) as tar:
            for entry in tar:
                folder, _, name = entry.name.partition("/")
                if not entry.isfile() or folder != target or "/" in name or name in ("", ".", "..") or name in inputs:
                    raise Failure(f"{archive_of(target)}: {entry.name!r}: expected files {target}/NAME, each once")
                inputs[name] = tar.extractfile(entry).read()
    except tarfile.TarError as error:
        raise Failure(f"{archive_of(target)}: {error}") from None
    return inputs


def store(target, inputs):
    """Makes the archive, unless it has these inputs."""
    tar, archive = tar_of(target, inputs), archive_of(target)
    if not archive.exists() or tar_in(target) != tar:
        out = io.BytesIO()
        # The header has no name and no time.
        with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=out, mtime=0) as file:
            file.write(tar)
        archive.parent.mkdir(exist_ok=True)
        fresh = archive.with_name(f"{archive.name}.{os.getpid()}")
        fresh.write_bytes(out.getvalue())
        fresh.replace(archive)
    print(f"corpus: {target}: {len(inputs)} inputs, {sum(map(len, inputs.values()))} bytes, "
          f"{archive.stat().st_size} packed")


def digest_of(target):
    try:
        return hashlib.sha256(archive_of(target).read_bytes()).hexdigest() + "\n"
    except FileNotFoundError:
        raise Failure(f"{archive_of(target)}: there is no such archive") from None


def is_unpacked(target, to):
    """Whether the folder was made of the archive as it is now. The mark beside it is the archive's digest."""
    mark = to / f"{target}.unpacked"
    return (to / target).is_dir() and mark.exists() and mark.read_text(encoding="utf-8") == digest_of(target)


def unpack(target, to):
    mark = to / f"{target}.unpacked"
    if not is_unpacked(target, to):
        digest, inputs = digest_of(target), inputs_in(target)
        to.mkdir(parents=True, exist_ok=True)
        fresh = pathlib.Path(tempfile.mkdtemp(prefix=f".{target}.", dir=to))
        fresh.chmod(0o755)
        for name, text in inputs.items():
            (fresh / name).write_bytes(text)
        mark.unlink(missing_ok=True)
        shutil.rmtree(to / target, ignore_errors=True)
        fresh.rename(to / target)
        mark.write_text(digest, encoding="utf-8")
    mark.touch()  # What builds compares times.


def add(target, files):
    inputs = inputs_in(target) if archive_of(target).exists() else {}
    known = set(inputs.values())
    for file in files:
        text = file.read_bytes()
        if text in known:
            print(f"corpus: {target} has {file} already")
        else:
            inputs[hashlib.sha1(text).hexdigest()] = text
            known.add(text)
    store(target, inputs)


def pack(target, folder):
    if folder.resolve() == UNPACKED / target and archive_of(target).exists() and not is_unpacked(target, UNPACKED):
        raise Failure(f"{folder}: the archive of {target} is another since this was unpacked; unpack it anew")
    inputs = {file.name: file.read_bytes() for file in folder.iterdir()}
    if not inputs:
        raise Failure(f"{folder}: expected a file at least")
    store(target, inputs)


def check():
    targets, wrong, size = all_targets(), [], 0
    for file in sorted(ARCHIVES.iterdir()):
        if file not in map(archive_of, targets):
            wrong.append(f"{file}: expected archives of targets only")
    for target in targets:
        try:
            inputs = inputs_in(target)
        except Failure as error:
            wrong.append(str(error))
            continue
        size += sum(map(len, inputs.values()))
        if tar_in(target) != tar_of(target, inputs):
            wrong.append(f"{archive_of(target)}: corpus.py packs these inputs otherwise")
    if size > MOST:
        wrong.append(f"the inputs have {size} bytes. expected {MOST} at most")
    if wrong:
        raise Failure("\ncorpus: ".join(wrong))
    print(f"corpus: {len(targets)} archives, {size} bytes in their inputs")


def arguments():
    parser = argparse.ArgumentParser(usage="corpus.py unpack|add|pack|check …", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True, prog="corpus.py", help=argparse.SUPPRESS)
    one = commands.add_parser("unpack")
    one.add_argument("--to", metavar="FOLDER", type=pathlib.Path, default=UNPACKED)
    one.add_argument("targets", metavar="TARGET", nargs="*")
    one = commands.add_parser("add")
    one.add_argument("targets", metavar="TARGET", nargs=1)
    one.add_argument("files", metavar="FILE", nargs="+", type=pathlib.Path)
    one = commands.add_parser("pack")
    one.add_argument("targets", metavar="TARGET", nargs=1)
    one.add_argument("folder", metavar="FOLDER", type=pathlib.Path)
    commands.add_parser("check").set_defaults(targets=[])
    return parser.parse_args()


def main():
    given = arguments()
    for target in given.targets:
        if target not in all_targets():
            raise Failure(f"{target}: there is no such target. expected one of {' '.join(all_targets())}")
    if given.command == "unpack":
        for target in given.targets or all_targets():
            unpack(target, given.to)
    elif given.command == "check":
        check()
    else:
        if given.command == "add":
            add(given.targets[0], given.files)
        else:
            pack(given.targets[0], given.folder)
        unpack(given.targets[0], UNPACKED)


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"corpus: {failure}")
    except OSError as failure:
        sys.exit(f"corpus: {failure.filename}: {failure.strerror}")
