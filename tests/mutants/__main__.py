"""Make each change of the table in a copy of the tree, run the tests that must fail, and name those that did not.

`python -m tests.mutants`, or `make mutants`; words choose changes: `python -m tests.mutants groups/bounding weigh`.
`--sample 10` takes ten of them, chosen by the date; `--day 2026-11-23` repeats the choice of another day.
"""

import argparse
import compileall
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from queue import SimpleQueue
from random import Random
from typing import TypeVar

from dpq_core.results.wording import count_in_words
from tests.mutants.mutant import Mutant
from tests.mutants.table import MUTANTS

T = TypeVar("T")
R = TypeVar("R")

ROOT = Path(__file__).parents[2]
NOT_COPIED = shutil.ignore_patterns(
    ".git", ".venv*", "__pycache__", ".*_cache", ".hypothesis", ".coverage*", "*.sqlite*", "mutants", "site"
)
AT_ONCE = 2
"""Copies of the tree in which changes are judged side by side."""
MOST_SECONDS = 300
"""What runs longer with a change is not caught: what makes its tests run on and on is no change for the table."""
PYTEST = (sys.executable, "-B", "-m", "pytest", "-q", "-x", "-n", "0", "-m", "", "--slow=with", "--assert=plain")


def main(words: Sequence[str], sample: int | None, day: str) -> int:
    """Return how many survived, or failed to be judged."""
    chosen = [mutant for mutant in MUTANTS if all(word in str(mutant) for word in words)]
    if sample is not None:
        chosen = Random(day).sample(chosen, min(sample, len(chosen)))
        print(f"{count_in_words(sample, 'change')} by the day; the same again: make mutants SAMPLE={sample} DAY={day}")
    survived, noticed = 0, dict[str, str]()
    with copies_of_tree() as on_copies:
        for mutant, (failed, seconds) in on_copies(failed_by, chosen):
            print(f"{'caught  ' if failed else 'SURVIVED'} {seconds:5.1f} s  {mutant}", flush=True)
            survived += not failed
            noticed |= dict.fromkeys(failed, mutant.caught_by)
        tests = sorted(noticed.items())
        halves = [dict(part) for start in range(AT_ONCE) if (part := tests[start::AT_ONCE])]
        unjudged = [half for half, passed in on_copies(passes_unchanged, halves) if not passed]
    for half in unjudged:
        print("unjudged: these do not all pass as the code stands:", *half, sep="\n  ")
    print(f"{count_in_words(len(chosen), 'change')}, {survived} survived")
    return survived + len(unjudged)


@contextmanager
def copies_of_tree() -> Iterator[Callable[[Callable[[Path, T], R], Sequence[T]], Iterator[tuple[T, R]]]]:
    """Give a function that does work on many things, side by side, each with a copy of the tree for itself.

    The package is compiled there, as no run keeps what it compiles: it could be that of a change made in this second.
    """
    with tempfile.TemporaryDirectory() as folder:
        workers, free = ThreadPoolExecutor(AT_ONCE), SimpleQueue[Path]()
        for number in range(AT_ONCE):
            copy = Path(shutil.copytree(ROOT, Path(folder) / str(number), ignore=NOT_COPIED))
            compileall.compile_dir(copy / "dpq_core", quiet=2)
            free.put(copy)

        def on_copies(work: Callable[[Path, T], R], things: Sequence[T]) -> Iterator[tuple[T, R]]:
            def on_a_copy(thing: T) -> R:
                copy = free.get()
                try:
                    return work(copy, thing)
                finally:
                    free.put(copy)

            return zip(things, workers.map(on_a_copy, things), strict=True)

        try:
            yield on_copies
        finally:
            workers.shutdown(cancel_futures=True)


def failed_by(copy: Path, mutant: Mutant) -> tuple[list[str], float]:
    """Return the test that failed with the change, and the seconds; tests that cannot run do not count as failed."""
    file, started = copy / mutant.file, time.monotonic()
    before = file.read_text(encoding="utf-8")
    assert before.count(mutant.old) == 1, f"this does not stand there once: {mutant}"
    file.write_text(before.replace(mutant.old, mutant.new), encoding="utf-8")
    try:
        _, failed = run(copy, mutant.caught_by.split(" "), MOST_SECONDS)
    finally:
        file.write_text(before, encoding="utf-8")
    return failed, time.monotonic() - started


def passes_unchanged(copy: Path, noticed: Mapping[str, str]) -> bool:
    """Whether the tests that failed pass as the code stands: without that, their failing says nothing of a change.

    A change may give a test another name: then all that were asked have to pass.
    """
    return run(copy, [*noticed])[0] or all(run(copy, asked.split(" "))[0] for asked in noticed.values())


def run(copy: Path, tests: Sequence[str], seconds: float | None = None) -> tuple[bool, list[str]]:
    """Run tests until one fails: whether all passed, and which failed."""
    environment = {**os.environ, "CI": "true"}  # hypothesis tries the same examples each time
    with tempfile.TemporaryDirectory() as kept:
        command = [*PYTEST, "-o", f"cache_dir={kept}", *tests]
        try:
            ended = subprocess.run(
                command, cwd=copy, env=environment, capture_output=True, timeout=seconds, check=False
            )
        except subprocess.TimeoutExpired:
            return False, []
        if ended.returncode != 1:
            return ended.returncode == 0, []
        return False, list(json.loads((Path(kept) / "v" / "cache" / "lastfailed").read_text()))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description="Judge the tests by small changes.")
    parser.add_argument("words", nargs="*", help="all of them stand in the file, the change or its test")
    parser.add_argument("--sample", type=int, metavar="N", help="per_person N changes, chosen by the day")
    parser.add_argument("--day", default=f"{datetime.now(UTC):%Y-%m-%d}", help="the day that chooses; today otherwise")
    said = parser.parse_args()
    sys.exit(min(main(said.words, said.sample, said.day), 1))
