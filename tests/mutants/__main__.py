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
AT_ONCE = 2
"""Copies of the tree in which changes are judged side by side."""
MOST_SECONDS = 120
"""What runs longer is not judged: a change that makes its tests run on and on is no change for the table."""


def main(words: Sequence[str], sample: int | None, day: str) -> int:
    """Return how many survived, or failed to be judged."""
    chosen = [mutant for mutant in MUTANTS if all(word in mutant.what for word in words)]
    if sample is not None:
        chosen = Random(day).sample(chosen, min(sample, len(chosen)))
        print(f"{len(chosen)} changes chosen by the day; the same again: make mutants SAMPLE={sample} DAY={day}")
    with copies_of_tree() as judged:
        for tests, passed in judged(tests_pass, gathered({mutant.caught_by for mutant in chosen})):
            if passed is not True:
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
            copy_tree(Path(folder) / str(number))
            free.put(Path(folder) / str(number))

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


def copy_tree(copy: Path) -> None:
    """What git knows, and what is new, as it stands."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)


def is_caught(copy: Path, mutant: Mutant) -> tuple[bool, float]:
    """Whether the tests fail with the change, and the seconds; tests that cannot run do not count as failed."""
    file, started = copy / mutant.file, time.monotonic()
    before = file.read_text()
    assert before.count(mutant.old) == 1, f"{mutant.what}: {mutant.old!r} does not stand once in {mutant.file}"
    file.write_text(before.replace(mutant.old, mutant.new))
    try:
        return tests_pass(copy, mutant.caught_by) is False, time.monotonic() - started
    finally:
        file.write_text(before)


def gathered(tests: set[str]) -> list[str]:
    """As few runs of pytest as there are copies, and one for each that has words for `-k`."""
    alone = sorted(each for each in tests if " -k " in each)
    together = sorted(tests.difference(alone))
    return [*alone, *(" ".join(part) for start in range(AT_ONCE) if (part := together[start::AT_ONCE]))]


def tests_pass(copy: Path, caught_by: str) -> bool | None:
    """Whether the tests pass; None where they could not run."""
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", "-m", ""]
    command += ["--assert=plain"]  # nobody reads what an assertion says, and a run takes half as long
    environment = {**os.environ, "CI": "true"}  # hypothesis tries the same examples each time
    try:
        ended = subprocess.run(
            [*command, *caught_by.split(" ")], cwd=copy, env=environment, capture_output=True, timeout=MOST_SECONDS,
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
