"""What the commands share: lines as they are typed, help with examples, a file read as text, a time in words."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..privacy.composition import GroupsPerPerson

NEGATIVE = re.compile(r"-[\d.,]")
"""How a value begins that argparse may take for an option, as in `--missing -1e6`."""


def joined(arguments: Sequence[str]) -> list[str]:
    """Return arguments with negative numbers joined to their options, none of which begins with a digit."""
    found: list[str] = []
    for argument in arguments:
        if NEGATIVE.match(argument) and found and re.fullmatch(r"--[a-z-]+", found[-1]):
            found[-1] += f"={argument}"
        else:
            found.append(argument)
    return found


class Parser(argparse.ArgumentParser):
    """Takes options as they are written, and no beginnings of them: an old `--groups` is no `--groups-per-person`."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(allow_abbrev=False, **settings)


def parser_with_examples(commands: Any, name: str, help: str, examples: str) -> argparse.ArgumentParser:
    """Return the parser of a command, whose help ends with examples."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=help, epilog=examples, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    return parser


def time_in_words(seconds: float) -> str:
    """Return a time as a terminal shows it while one waits."""
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def text_of(path: str) -> str:
    """Return the text of a file. Raises OSError, and ValueError for a file that is no text."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"the file {path} is not UTF-8 text.") from None


def guess_of(text: str) -> int | dict[str, int]:
    """Return one number of records, or that of each group by its name; raises what the parser of arguments says."""
    given: dict[str, int] = {}
    for part in text.split(","):
        name, _, number = part.rpartition("=")
        if not number.strip().isdecimal() or bool(name) is not ("=" in text) or name.strip() in given:
            raise argparse.ArgumentTypeError("must be a whole number, or one for each group: north=300,south=1000.")
        given[name.strip()] = int(number)
    return given.get("", given)


def groups_each_of(text: str) -> GroupsPerPerson:
    """Return in how many groups a person counts; raises what the parser of arguments says."""
    if text == "any":
        return "any"
    if not text.strip().isdecimal():
        raise argparse.ArgumentTypeError("must be a whole number such as 1, or any.")
    return int(text)
