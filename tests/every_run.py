"""Which parameters of a test are tried in every run, and which in `make test-all` alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, groupby
from typing import Any

import pytest


def kept(values: Iterable[Any], *in_every_run: Any) -> list[Any]:
    """Return values for `parametrize`; those that are not `in_every_run` are tried in `make test-all`.

    A value that is kept but not there is a fault of the test, and fails its collection.
    """
    found = list(values)
    assert all(each in found for each in in_every_run), "what is kept in every run must be among the values"
    return [value if value in in_every_run else pytest.param(value, marks=pytest.mark.very_slow) for value in found]


def kept_rows(rows: Iterable[tuple[Any, ...]], *in_every_run: tuple[Any, ...]) -> list[Any]:
    """Return what `kept` does, for several arguments at once."""
    found = list(rows)
    assert all(each in found for each in in_every_run), "what is kept in every run must be among the rows"
    return [row if row in in_every_run else pytest.param(*row, marks=pytest.mark.very_slow) for row in found]


def mark_repeats(items: Iterable[pytest.Item]) -> None:
    """Mark as `repeated` what a test marked `covering(strength)` need not try in every run.

    Every run tries a covering array of that strength: with 1 each row of each `parametrize`, with 2 each pair of rows
    of two of them. `make test-all` tries all combinations.
    """
    tried = [each for each in items if isinstance(each, pytest.Function) and _strength(each)]
    for _, group in groupby(tried, key=lambda item: (item.path, item.originalname)):
        same = [each for each in group if not each.get_closest_marker("very_slow")]
        ids = [dict(enumerate(each.callspec._idlist)) for each in same]  # one for each `parametrize`
        chosen = covering_array(ids, _strength(same[0])) if same else []
        for at in set(range(len(same))).difference(chosen):
            same[at].add_marker("repeated")


def covering_array(tried: Sequence[Mapping[int, str]], strength: int) -> list[int]:
    """Return where combinations stand that have together whatever `strength` values occur together in any of them.

    Each is the first of those that add most: the same on all workers, and not many more than are needed.
    """
    values = [set(combinations(sorted(each.items()), min(strength, len(each)))) for each in tried]
    missing, chosen = set().union(*values), list[int]()
    while missing:
        chosen.append(max(range(len(values)), key=lambda at: len(values[at] & missing)))
        missing -= values[chosen[-1]]
    return chosen


def _strength(item: pytest.Item) -> int:
    marker = item.get_closest_marker("covering")
    return int(marker.args[0]) if marker else 0
