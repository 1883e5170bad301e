"""Make each change of the table in a copy of the tree, run the tests that must fail, and name those that did not.

`python -m tests.mutants`, or `make mutants`; words choose changes: `python -m tests.mutants noise threshold`.
`--sample 10` takes ten of them, chosen by the date; `--day 2026-11-23` repeats the choice of another day.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from random import Random

from dpq_core.results import count_in_words
from tests.mutants.judging import AT_ONCE, copies_of_tree, failed_with, passes_unchanged
from tests.mutants.mutant import Mutant
from tests.mutants.table import MUTANTS

MOST_SECONDS = 300
"""What runs longer with a change is not caught: what makes its tests run on and on is no change for the table."""


def main(words: Sequence[str], sample: int | None, day: str) -> int:
    """Return how many survived, or failed to be judged."""
    chosen = [mutant for mutant in MUTANTS if all(word in mutant.what for word in words)]
    if sample is not None:
        chosen = Random(day).sample(chosen, min(sample, len(chosen)))
        print(f"{count_in_words(sample, 'change')} by the day; the same again: make mutants SAMPLE={sample} DAY={day}")
    survived, noticed = 0, dict[str, str]()
    with copies_of_tree() as judged:
        for mutant, (failed, seconds) in judged(failed_by, chosen):
            print(f"{'caught  ' if failed else 'SURVIVED'} {seconds:5.1f} s  {mutant.what}", flush=True)
            survived += not failed
            noticed |= dict.fromkeys(failed, mutant.caught_by)
        tests = sorted(noticed.items())
        halves = [dict(part) for start in range(AT_ONCE) if (part := tests[start::AT_ONCE])]
        unjudged = [half for half, passed in judged(passes_unchanged, halves) if not passed]
    for half in unjudged:
        print("unjudged: these do not all pass as the code stands:", *half, sep="\n  ")
    print(f"{count_in_words(len(chosen), 'change')}, {survived} survived")
    return survived + len(unjudged)


def failed_by(copy: Path, mutant: Mutant) -> tuple[list[str], float]:
    """Return the test that failed with the change, and the seconds; tests that cannot run do not count as failed."""
    before = (copy / mutant.file).read_text()
    assert before.count(mutant.old) == 1, f"{mutant.what}: {mutant.old!r} does not stand once in {mutant.file}"
    changed = before.replace(mutant.old, mutant.new)
    _, failed, seconds = failed_with(copy, mutant.file, changed, mutant.caught_by.split(" "), MOST_SECONDS)
    return failed, seconds


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description="Judge the tests by small changes.")
    parser.add_argument("words", nargs="*", help="all of them stand in what a change is called")
    parser.add_argument("--sample", type=int, metavar="N", help="take N changes, chosen by the day")
    parser.add_argument("--day", default=f"{datetime.now(UTC):%Y-%m-%d}", help="the day that chooses; today otherwise")
    said = parser.parse_args()
    sys.exit(min(main(said.words, said.sample, said.day), 1))
