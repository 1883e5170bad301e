"""Several searches for the smallest budget as the steps of one job."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from .configuration import expected_seconds
from .search import BudgetSearch, SearchResult, TriedBudget
from .search import steps as search_steps
from .shapes import Given

USUAL_TRIALS = 3000
"""About as many does a search take in all."""


def steps(
    searches: Sequence[BudgetSearch], given: Given | None = None
) -> Iterator[tuple[float, tuple[int, TriedBudget | SearchResult]]]:
    """Yield the fraction of all work done, and the number of a search with its next TriedBudget or its SearchResult.

    Raises ParameterError.
    """
    for number, search in enumerate(searches):
        for share, part in search_steps(search, given):
            yield (number + share) / len(searches), (number, part)


def expected_search_seconds(searches: Sequence[BudgetSearch], records: int) -> float:
    """Return the seconds that the searches will take; `records` is used if a configuration names no n."""
    return expected_seconds([replace(search.configuration, trials=USUAL_TRIALS) for search in searches], records)
