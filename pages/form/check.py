"""Checks of what a link or a field may say: each raises ValueError for a text that is none of its kind."""

from __future__ import annotations

import re
from collections.abc import Callable

from dpq_core.audit.variants import MOST_CELLS
from dpq_core.domain.numbers import exact_number
from dpq_core.plan import parse_levels
from dpq_core.typed import parse_date

LONGEST_VALUE = 2000
LONGEST_LINE = 200
LONGEST_WORD = 40
"""Characters that a list, a number or a name, and a word may have, in a link as in a field."""
LONGEST_NAMES = 200_000
"""Characters of a list of groups; a longer one than `LONGEST_VALUE` is in no link."""
SIGNS = ("", "%", "€", "$", "£", "¥")


def one_of(*choices: str) -> Callable[[str], object]:
    """Return the check of a text that must be one of these."""
    return choices.index


def bound(text: str) -> object:
    """Take a number, a date, or nothing."""
    return text == "" or parse_date(text) is not None or exact_number(text, "bound")


def end(text: str) -> object:
    """Take a number above 0."""
    if exact_number(text, "end") <= 0:
        raise ValueError
    return True


def levels(text: str) -> object:
    """Take one level or several."""
    if not parse_levels(text):
        raise ValueError
    return True


def count(most: int, least: int = 1) -> Callable[[str], object]:
    """Return the check of a whole number from `least` to `most`."""
    return lambda text: range(least, most + 1).index(int(text))


def word(text: str) -> object:
    """Take letters, blanks and slashes, or one of the signs; or nothing."""
    letters = text.replace(" ", "").replace("/", "")
    if len(text) > LONGEST_WORD or not (letters.isalpha() or text in SIGNS):
        raise ValueError
    return True


def or_empty(check: Callable[[str], object]) -> Callable[[str], object]:
    """Return a check that takes what another one takes, or nothing."""
    return lambda text: text == "" or check(text)


def name(text: str) -> object:
    """Take one printable line without outer blanks; or nothing."""
    if text != text.strip() or not text.isprintable() or len(text) > LONGEST_LINE:
        raise ValueError
    return True


def answer(text: str) -> object:
    """Take the id of a release as a ledger may have it, alone or behind the number of its account; or nothing."""
    if not text.isprintable() or len(text.partition("/")[2] or text) > LONGEST_LINE:
        raise ValueError
    return True


grid_index = count(MOST_CELLS - 1, least=0)
"""Of the microscope."""


def grid_indices(text: str) -> object:
    """Take grid indices of the microscope, with commas, semicolons or blanks between them; or nothing."""
    return [grid_index(word) for word in re.split(r"[,;\s]+", text) if word]


def fits(check: Callable[[str], object], text: str) -> bool:
    """Return whether a check takes a text, which may be anything."""
    try:
        check(text[:LONGEST_VALUE])
    except (ValueError, ArithmeticError):
        return False
    return len(text) <= LONGEST_VALUE
