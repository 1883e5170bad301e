"""Several searches for the smallest budget as the steps of one job."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from .costs import expected_seconds
from .search import Found, Question, Visit
from .search import steps as search_steps
from .shapes import Given

USUAL_TRIALS = 3000
"""About as many does a search take in all."""


def steps(
    questions: Sequence[Question], given: Given | None = None
) -> Iterator[tuple[float, tuple[int, Visit | Found]]]:
    """Yield the fraction of all work done, and the number of a question with its next Visit or what was Found.

    Raises ParameterError.
    """
    for number, question in enumerate(questions):
        for share, part in search_steps(question, given):
            yield (number + share) / len(questions), (number, part)


def expected_search_seconds(questions: Sequence[Question], records: int) -> float:
    """Return the seconds that the searches will take; `records` stands in where a configuration names no n."""
    return expected_seconds([replace(question.configuration, trials=USUAL_TRIALS) for question in questions], records)
