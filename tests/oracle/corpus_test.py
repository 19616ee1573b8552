#!/usr/bin/env python3
"""Holds `winnow explain` against the stored corpus of upstream's answers.

    corpus_test.py WINNOW CORPUS_DIR

Needs python3 only. Exit code 1 if anything differs, if nothing was compared, or if upstream gives a reason that the
generation's REASONS lacks: no floor would be under it.
"""
import json
import os
import sys
import tempfile

sys.dont_write_bytecode = True

# pylint: disable=wrong-import-position
import expected  # noqa: E402
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


def without_floor(coverage, rules):
    """The reasons of upstream's that its generation's list lacks."""
    return sorted(set(coverage.names("reason")) - set(rules.REASONS))


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
    rules = expected.generation(os.path.join(corpus, sorted(os.listdir(corpus))[0]))
    unlisted = without_floor(report.coverage, rules)
    for reason in unlisted:
        print(f"tests/oracle/{rules.__name__}.py: REASONS lacks a reason of upstream's: write {json.dumps(reason, ensure_ascii=False)}")
    sys.exit(1 if report.kinds or unlisted else 0)


if __name__ == "__main__":
    main()
