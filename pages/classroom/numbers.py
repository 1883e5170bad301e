"""The numbers that a lecturer brings into a room: a column of public data, with public bounds."""

from __future__ import annotations

import numpy as np

from dpq_core.domain.domain import Domain
from dpq_core.domain.finding import FindBounds
from dpq_core.results.data_set import PublicData
from dpq_core.sources.examples import Example

from ..settings import check

MOST_NUMBERS = 10_000
"""In a room. Everybody in it gets a copy."""
LONGEST_NAME = 60
KINDS = ("number", "money", "percent")


def why_not(data: PublicData, bounds: Domain | FindBounds | None, step: str) -> str:
    """Return why a room cannot use a column, with what to do; empty where it can. `step`: as it was typed."""
    if data.kind not in KINDS:
        return "A room uses numbers, and these are dates or durations. Choose a column of numbers."
    if data.person is not None:
        return "A room needs one number for each person. Choose a column in which every row is another person."
    if not isinstance(bounds, Domain) or not bounds.has_even_steps or not step.strip():
        return "First enter the lowest and the highest possible value, and the step between two values."
    count = int(np.count_nonzero(np.isfinite(data.values)))
    if not 1 <= count <= MOST_NUMBERS:
        return f"A room holds 1 to {MOST_NUMBERS:,} numbers, and these are {count:,}. Choose others."
    return ""


def example_of(data: PublicData, bounds: tuple[str, str, str], name: str, code: str) -> Example:
    """Return a column as an example of a room.

    Its words are plain, as everybody there sees them: nothing that a page could take for a link or a picture.

    `bounds`: lowest, highest and step, as they were typed; `name`: what the numbers are, as the lecturer says it;
    `code`: tells this example from those of other rooms.
    """
    numbers = data.values[np.isfinite(data.values)].copy()
    letters = "".join(each if each.isalnum() or each in " -" else " " for each in name)
    shown = " ".join(letters.split())[:LONGEST_NAME].strip() or "Numbers"
    one = data.one if check.fits(check.word, data.one) else "person"
    many = data.many if one == data.one else "people"
    lower, upper, step = (each.strip() for each in bounds)
    return Example(
        key=f"class-{code}", label=f"{shown}, of this class",
        unit=data.unit if check.fits(check.word, data.unit) else "",
        lower=lower, upper=upper, step=step, one_row=one, many_rows=many,
        source="Brought by the lecturer of this room", licence="public, as the lecturer says",
        read=numbers.copy,
    )  # fmt: skip
