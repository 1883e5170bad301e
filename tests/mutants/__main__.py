"""Make each change of the table in a copy of the tree, run the tests that must fail, and name those that did not.

`python -m tests.mutants`, or `make mutants`; words choose changes: `python -m tests.mutants noise threshold`.
`--sample 10` takes ten of them, chosen by the date; `--day 2026-11-23` repeats the choice of another day.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from queue import SimpleQueue
from random import Random
from typing import TypeVar

from tests.mutants.mutant import Mutant
from tests.mutants.table import MUTANTS

T = TypeVar("T")
R = TypeVar("R")

ROOT = Path(__file__).parents[2]
NOT_COPIED = shutil.ignore_patterns(
    ".git", ".venv*", "__pycache__", ".*_cache", ".hypothesis", ".coverage*", "*.sqlite*"
)
AT_ONCE = 2
"""Copies of the tree in which changes are judged side by side."""
MOST_SECONDS = 120
"""What runs longer with a change is not caught: what makes its tests run on and on is no change for the table."""


def main(words: Sequence[str], sample: int | None, day: str) -> int:
    """Return how many survived, or failed to be judged."""
    chosen = [mutant for mutant in MUTANTS if all(word in mutant.what for word in words)]
    if sample is not None:
        chosen = Random(day).sample(chosen, min(sample, len(chosen)))
        print(f"{len(chosen)} changes chosen by the day; the same again: make mutants SAMPLE={sample} DAY={day}")
    with copies_of_tree() as judged:
        for tests, passed in judged(passes_unchanged, gathered({mutant.caught_by for mutant in chosen})):
            if not passed:
                print(f"unjudged: these do not all pass as the code stands: {tests}")
                return 1
        survived = 0
        for mutant, (caught, seconds) in judged(is_caught, chosen):
            print(f"{'caught  ' if caught else 'SURVIVED'} {seconds:5.1f} s  {mutant.what}", flush=True)
            survived += not caught
    print(f"{len(chosen)} changes, {survived} survived")
    return survived


@contextmanager
def copies_of_tree() -> Iterator[Callable[[Callable[[Path, T], R], Sequence[T]], Iterator[tuple[T, R]]]]:
    """Give a function that does work on many things, side by side, each with a copy of the tree for itself."""
    with tempfile.TemporaryDirectory() as folder:
        workers, free = ThreadPoolExecutor(AT_ONCE), SimpleQueue[Path]()
        for number in range(AT_ONCE):
            free.put(Path(shutil.copytree(ROOT, Path(folder) / str(number), ignore=NOT_COPIED)))

        def judged(work: Callable[[Path, T], R], things: Sequence[T]) -> Iterator[tuple[T, R]]:
            def on_a_copy(thing: T) -> R:
                copy = free.get()
                try:
                    return work(copy, thing)
                finally:
                    free.put(copy)

            return zip(things, workers.map(on_a_copy, things), strict=True)

        try:
            yield judged
        finally:
            workers.shutdown(cancel_futures=True)


def passes_unchanged(copy: Path, tests: str) -> bool:
    """Whether tests pass as the code stands."""
    return passes(copy, tests, None) is True


def is_caught(copy: Path, mutant: Mutant) -> tuple[bool, float]:
    """Whether the tests fail with the change, and the seconds; tests that cannot run do not count as failed."""
    file, started = copy / mutant.file, time.monotonic()
    before = file.read_text()
    assert before.count(mutant.old) == 1, f"{mutant.what}: {mutant.old!r} does not stand once in {mutant.file}"
    file.write_text(before.replace(mutant.old, mutant.new))
    try:
        return passes(copy, mutant.caught_by, MOST_SECONDS) is False, time.monotonic() - started
    finally:
        file.write_text(before)


def gathered(tests: set[str]) -> list[str]:
    """As few runs of pytest as there are copies, and one for each that has words for `-k`."""
    alone = sorted(each for each in tests if " -k " in each)
    together = sorted(tests.difference(alone))
    return [*(" ".join(part) for start in range(AT_ONCE) if (part := together[start::AT_ONCE])), *alone]


def passes(copy: Path, tests: str, seconds: float | None) -> bool | None:
    """Whether tests pass; None where they could not run, or not in so many seconds."""
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", "-m", ""]
    command += ["--assert=plain"]  # nobody reads what an assertion says, and a run takes half as long
    environment = {**os.environ, "CI": "true"}  # hypothesis tries the same examples each time
    try:
        ended = subprocess.run(
            [*command, *tests.split(" ")], cwd=copy, env=environment, capture_output=True, timeout=seconds,
            check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return None
    return {0: True, 1: False}.get(ended.returncode)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description="Judge the tests by small changes.")
    parser.add_argument("words", nargs="*", help="all of them stand in what a change is called")
    parser.add_argument("--sample", type=int, metavar="N", help="take N changes, chosen by the day")
    parser.add_argument("--day", default=f"{datetime.now(UTC):%Y-%m-%d}", help="the day that chooses; today otherwise")
    said = parser.parse_args()
    sys.exit(min(main(said.words, said.sample, said.day), 1))
