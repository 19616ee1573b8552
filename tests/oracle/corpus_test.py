#!/usr/bin/env python3
"""Holds `winnow explain` against the stored corpus of upstream's answers.

    corpus_test.py WINNOW CORPUS_DIR

Needs python3 only. Exit code 1 if anything differs, or if nothing was compared.
"""
import os
import sys
import tempfile

sys.dont_write_bytecode = True

# pylint: disable=wrong-import-position
from compare import compare  # noqa: E402
from winnow import explain_all  # noqa: E402


def link(corpus, where):
    """A directory for each of the corpus, where answers can be written; returns them."""
    out = []
    for name in sorted(os.listdir(corpus)):
        source, target = os.path.join(corpus, name), os.path.join(where, name)
        os.mkdir(target)
        for file in os.listdir(source):
            os.symlink(os.path.abspath(os.path.join(source, file)), os.path.join(target, file))
        out.append(target)
    return out


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    winnow, corpus = sys.argv[1:]
    with tempfile.TemporaryDirectory() as where:
        directories = link(corpus, where)
        explain_all(winnow, directories, os.cpu_count())
        report = compare(directories)
    if not report.counts["verdicts"] or not report.counts["scores"]:
        sys.exit("corpus_test: nothing was compared")
    sys.exit(1 if report.kinds else 0)


if __name__ == "__main__":
    main()
