"""Ids and values in batches: rows of one person in any of them, and the same sample as from the whole."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpq_core import DataError, Domain, ParameterError, People, Sample
from dpq_core.people.takes import TAKES
from tests.people.test_ids import ANY_ID, partition

GRID = Domain(0, 99, 1)
CUTS = st.lists(st.integers(0, 12), max_size=4)
WAYS: list[dict[str, Any]] = [{"take": "share"}, {"most_rows": 2}, *({"take": take} for take in TAKES[:-1])]


def cut(column, cuts):
    return [column[a:b] for a, b in zip([0, *sorted(cuts)], [*sorted(cuts), len(column)], strict=True)]


@given(st.lists(ANY_ID, max_size=12), CUTS, st.booleans())
def test_rows_share_a_person_across_batches_as_in_the_whole(ids, cuts, somebody):
    whole = People.of(ids, missing_is_person=somebody)
    found = People.of_batches(cut(ids, cuts), missing_is_person=somebody)
    assert partition(found.codes.tolist()) == partition(whole.codes.tolist())
    assert (found.codes.tolist(), found.count) == (whole.codes.tolist(), whole.count)


@given(st.lists(st.sampled_from([3, -5, 7, 2**61, -(2**62)]), max_size=12), CUTS)
def test_numbers_have_the_codes_that_they_have_in_the_whole(ids, cuts):
    column = np.array(ids, np.int64)
    whole, found = People.of(column), People.of_batches(cut(column, cuts))
    assert (found.codes.tolist(), found.count) == (whole.codes.tolist(), whole.count)
    assert not found.codes.flags.writeable
    floats = People.of_batches([np.array([3.0, np.nan]), [], np.array([1.0, -0.0]), np.array([0])])
    assert floats.codes.tolist() == [2, -1, 1, 0, 0]


def test_batches_of_several_types_are_compared_as_one_column():
    found = People.of_batches([np.array([1, 2]), ["1 ", 1.0, None], np.array([2.0, np.nan]), np.array([" 1"])])
    assert found.codes.tolist() == [0, 1, 2, 0, -1, 1, -1, 2]
    assert (found.count, found.nobodys) == (3, 2)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_sample_from_batches_is_that_of_the_whole(way):
    rng = np.random.default_rng(0)
    ids, values = rng.integers(0, 30, 200), rng.normal(50, 30, 200)
    values[::17] = np.nan
    cuts = [0, 1, 64, 64, 199]
    people = People.of_batches(cut(ids, cuts))
    found = Sample.from_batches(cut(values, cuts), GRID, seed=3, people=people, **way)
    whole = Sample.from_values(values, GRID, seed=3, people=People.of(ids), **way)
    every = np.arange(100)
    assert (found.n, found.unit, found.dropped) == (whole.n, whole.unit, whole.dropped)
    assert found.cells.tolist() == whole.cells.tolist()
    assert found.count_below(every).tolist() == whole.count_below(every).tolist()
    assert (found.protects, found.most_rows) == ("person", way.get("most_rows"))


def test_a_whole_column_is_not_copied_and_other_lengths_are_refused():
    values, people = np.arange(5.0), People.of([1, 1, 2, 2, 3])
    assert Sample.from_batches([[], values, []], GRID, people=people, take="last").n == 3
    wrong: list[list[Any]] = [[values[:4]], [values, [1.0]], [values[:2], values], []]
    for batches in wrong:
        with pytest.raises(DataError, match="one id for each value"):
            Sample.from_batches(batches, GRID, people=people, take="last")
    with pytest.raises(ParameterError, match="`people` must be given"):
        Sample.from_batches([values], GRID, take="last")
