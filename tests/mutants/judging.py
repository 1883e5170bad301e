"""What judges a change: copies of the tree, in which tests run with it and, where they failed, without it."""

from __future__ import annotations

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
from pathlib import Path
from queue import SimpleQueue
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

ROOT = Path(__file__).parents[2]
NOT_COPIED = shutil.ignore_patterns(
    ".git", ".venv*", "__pycache__", ".*_cache", ".hypothesis", ".coverage*", "*.sqlite*", ".mutants*"
)
AT_ONCE = 2
"""Copies of the tree in which changes are judged side by side."""


@contextmanager
def copies_of_tree(
    at_once: int = AT_ONCE,
) -> Iterator[Callable[[Callable[[Path, T], R], Sequence[T]], Iterator[tuple[T, R]]]]:
    """Give a function that does work on many things, side by side, each with a copy of the tree for itself.

    The package is compiled there, as no run keeps what it compiles: it could be that of a change made in this second.
    """
    with tempfile.TemporaryDirectory() as folder:
        workers, free = ThreadPoolExecutor(at_once), SimpleQueue[Path]()
        for number in range(at_once):
            copy = Path(shutil.copytree(ROOT, Path(folder) / str(number), ignore=NOT_COPIED))
            compileall.compile_dir(copy / "dpq_core", quiet=2)
            free.put(copy)

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


def passes_unchanged(copy: Path, noticed: Mapping[str, str]) -> bool:
    """Whether the tests that failed pass as the code stands: without that, their failing says nothing of a change.

    A change may give a test another name: then all that were asked have to pass.
    """
    return all_pass(copy, [*noticed]) or all(all_pass(copy, asked.split(" ")) for asked in noticed.values())


def all_pass(copy: Path, tests: Sequence[str]) -> bool:
    """Return whether tests pass, however long they take."""
    return run(copy, tests, None)[0] is True


def failed_with(
    copy: Path, name: str, changed: str, tests: Sequence[str], seconds: float
) -> tuple[bool | None, list[str], float]:
    """Return whether all tests passed with another text of a file, which one failed, and the seconds.

    None where they did not end in time; none failed where they could not run.
    """
    file, started = copy / name, time.monotonic()
    before = file.read_text(encoding="utf-8")
    file.write_text(changed, encoding="utf-8")
    try:
        passed, failed = run(copy, tests, seconds)
    finally:
        file.write_text(before, encoding="utf-8")
    return passed, failed, time.monotonic() - started


def run(copy: Path, tests: Sequence[str], seconds: float | None) -> tuple[bool | None, list[str]]:
    """Run tests until one fails: whether all passed, and which failed; None where they did not end in time."""
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-x", "-n", "0", "-m", ""]
    command += ["--assert=plain"]  # nobody reads what an assertion says, and a run takes half as long
    environment = {**os.environ, "CI": "true"}  # hypothesis tries the same examples each time
    with tempfile.TemporaryDirectory() as kept:
        try:
            ended = subprocess.run(
                [*command, "-o", f"cache_dir={kept}", *tests], cwd=copy, env=environment, capture_output=True,
                timeout=seconds, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return None, []
        if ended.returncode != 1:
            return ended.returncode == 0, []
        return False, list(json.loads((Path(kept) / "v" / "cache" / "lastfailed").read_text()))
