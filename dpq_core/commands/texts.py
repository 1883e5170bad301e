"""What the commands share: lines as they are typed, help with examples, and what they say while they work."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from time import monotonic

from ..errors import DataError, LedgerError, Name, ParameterError, Remediable
from ..progress import Progress, unheard

NEGATIVE = re.compile(r"-[\d.,]")
"""How a value begins that argparse may take for an option, as in `--missing -1e6`."""
PATIENCE = 2.0
"""Seconds of work before a terminal shows how far it is."""
SHOWN_EVERY = 0.25
"""Seconds between two looks at it."""


def joined(arguments: Sequence[str]) -> list[str]:
    """Return arguments with negative numbers joined to their options, none of which begins with a digit."""
    found: list[str] = []
    for argument in arguments:
        if NEGATIVE.match(argument) and found and re.fullmatch(r"--[a-z-]+", found[-1]):
            found[-1] += f"={argument}"
        else:
            found.append(argument)
    return found


def say(chosen: argparse.Namespace, *sentences: str) -> None:
    """Print sentences on standard error, unless the line asks for quiet; a log on a full disk stops no release."""
    with suppress(OSError):
        for sentence in () if chosen.quiet else sentences:
            print(sentence, file=sys.stderr)


def refuse_without(chosen: argparse.Namespace, needed: str, *options: str) -> None:
    """Raise ParameterError for the first of these options that was given where the option `needed` was not."""
    values = {option: vars(chosen)[option[2:].replace("-", "_")] for option in (needed, *options)}
    given = [option for option, value in values.items() if value is not None and value is not False]  # 0 was given
    if given and given[0] != needed:
        raise ParameterError(given[0], ("must go with ", Name(needed), "."))


@contextmanager
def progress_of(chosen: argparse.Namespace, doing: str) -> Iterator[Progress]:
    """Give what hears how far work is: a terminal shows it in one line, once the work has taken two seconds."""
    if chosen.quiet or not sys.stderr.isatty():
        yield unheard
        return
    shares, begun, done = [0.0], monotonic(), Event()

    def show() -> None:
        while not done.wait(SHOWN_EVERY if monotonic() - begun >= PATIENCE else PATIENCE):
            share = shares[-1]
            left = f", {time_in_words((monotonic() - begun) * (1 - share) / share)} left" if share else ""
            print(f"\r\33[K{doing}: {100 * share:.0f} %{left}", end="", file=sys.stderr, flush=True)

    line = Thread(target=show, daemon=True)
    line.start()
    try:
        yield shares.append
    finally:
        done.set()
        line.join()
        if monotonic() - begun >= PATIENCE:
            print("\r\33[K", end="", file=sys.stderr, flush=True)


def time_in_words(seconds: float) -> str:
    """Return a time as a terminal shows it while one waits."""
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


@contextmanager
def about(file: str | None) -> Iterator[None]:
    """Name a file in every error about it. Raises DataError for a file that ends its reader."""
    try:
        yield
    except ValueError as error:
        found = error if isinstance(error, Remediable | LedgerError) else DataError(str(error))
        if file is not None:
            found.add_note(file)
        raise found from None


def text_of(path: str) -> str:
    """Return the text of a file. Raises OSError, and DataError for a file that is no text."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise DataError(f"the file {path} is not UTF-8 text.") from None


class Unwritten(ValueError):
    """Report a file, or the output, that could not be written."""


@contextmanager
def writing() -> Iterator[None]:
    """Raise Unwritten where a file cannot be written."""
    try:
        yield
    except OSError as error:
        raise Unwritten(os_sentence(error)) from None


def os_sentence(error: OSError) -> str:
    """Return which file cannot be used, and the reason."""
    what = f"the file {error.filename}" if error.filename else "the output"
    return f"{what} cannot be used: {(error.strerror or 'unknown reason').lower()}."
