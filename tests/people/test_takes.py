"""One record for each person, or some rows of each: from that person's rows alone, whoever else is in the table."""

from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpq_core import Column, DataError, Domain, ParameterError, People, Plan, PureDP, release
from dpq_core.people import takes
from dpq_core.people.takes import MOST_ROWS, WAYS_PER_PERSON, some_rows, take_one
from dpq_core.privacy.budgets import Adjacency

GRID = Domain(-100, 100)
DETERMINED = [per_person for per_person in WAYS_PER_PERSON[:-1] if per_person != "random"]
VALUES = st.one_of(st.floats(-200, 200), st.sampled_from([0.1, 0.2, 0.3, 1e308, -1e308, 5e-324, np.nan, np.inf, 100.0]))
TABLES = st.lists(st.tuples(st.sampled_from("abcde"), VALUES), max_size=30)


def taken(rows, per_person, seed=0):
    """What is taken of each person, by id, as exact bits."""
    ids, values = [row[0] for row in rows], np.array([row[1] for row in rows], float)
    people = People.of(ids)
    numbers = take_one(values, people, per_person, GRID, seed)
    return {ids[np.flatnonzero(people.codes == code)[0]]: numbers[code].tobytes() for code in range(people.count)}


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("per_person", DETERMINED)
@given(rows=TABLES)
def test_a_person_gives_the_same_bits_alone_and_among_others(per_person, rows):
    found = taken(rows, per_person)
    assert set(found) == {row[0] for row in rows}
    for person, bits in found.items():
        assert taken([row for row in rows if row[0] == person], per_person) == {person: bits}


@pytest.mark.slow(one_in=5)
@pytest.mark.parametrize("per_person", DETERMINED)
@given(rows=TABLES, gone=st.sampled_from("abcde"))
def test_who_leaves_takes_one_record_along_and_moves_no_other(per_person, rows, gone):
    before, after = taken(rows, per_person), taken([row for row in rows if row[0] != gone], per_person)
    assert after == {person: bits for person, bits in before.items() if person != gone}


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("per_person", DETERMINED)
@given(rows=TABLES)
def test_what_is_taken_is_what_its_name_says(per_person, rows):
    for person, bits in taken(rows, per_person).items():
        own = [value for each, value in rows if each == person and np.isfinite(value)]
        number = np.frombuffer(bits)[0]
        if not own:
            assert np.isnan(number)
            continue
        clipped = [min(max(value, -100.0), 100.0) for value in own]
        expected = {
            "mean": float(sum(map(Fraction, clipped)) / len(clipped)), "median": sorted(clipped)[(len(own) - 1) // 2],
            "min": min(own), "max": max(own), "first": own[0], "last": own[-1],
        }[per_person]  # fmt: skip
        tolerance = {"mean": 1e-12, "median": 200 / 2**40}.get(per_person, 0)
        assert abs(number - expected) <= tolerance


@given(rows=TABLES, seed=st.integers(0, 3))
def test_a_random_row_is_one_of_the_persons_own(rows, seed):
    for person, bits in taken(rows, "random", seed).items():
        own = [np.float64(value).tobytes() for each, value in rows if each == person and np.isfinite(value)]
        assert bits in own or (not own and np.isnan(np.frombuffer(bits)[0]))


def test_a_seeded_choice_is_a_function_of_the_seed_and_the_persons_place():
    """More rows of others, more persons behind, and other values move no choice."""
    ids = np.repeat(np.arange(50), 7)
    rows = some_rows(People.of(ids).codes, 50, 1, seed=4) % 7
    more = np.concatenate([ids, np.repeat(np.arange(50, 90), 3)])
    assert np.array_equal(some_rows(People.of(more).codes, 90, 1, seed=4)[:50] % 7, rows)
    fewer = ids[20:]  # persons 0 and 1 have gone, and person 2 has one row left
    kept = some_rows(People.of(fewer).codes + np.int32(2), 50, 1, seed=4)
    assert np.array_equal((kept[1:] + 20) % 7, rows[3:])
    assert len(set(rows.tolist())) > 1
    assert not np.array_equal(some_rows(People.of(ids).codes, 50, 1, seed=5) % 7, rows)


def test_without_a_seed_rows_come_from_the_operating_system(monkeypatch):
    asked = []

    def give(count):
        asked.append(count)
        return b"\x05" * count

    monkeypatch.setattr("os.urandom", give)
    people = People.of(np.repeat(np.arange(10), 4))
    column = Column.from_values(np.arange(40) % 4, Domain(0, 3, 1), people=people, per_person="random", tie_bits=0)
    assert asked == [80]
    assert column.seed is None
    word = int.from_bytes(b"\x05" * 8, "little")
    assert column.cells.tolist() == [word % 4] * 10


@pytest.mark.parametrize(("size", "most"), [(1, 1), (4, 1), (4, 2), (4, 3), (4, 4), (3, 5)])
def test_every_set_of_rows_is_as_likely(monkeypatch, size, most):
    """Along every outcome of the words: each set of `most` rows is reached by as many of them."""
    reached = []
    turns = [range(size - turn) for turn in range(min(size, most) if size > most else 0)]
    for words in product(*turns):
        monkeypatch.setattr(
            takes, "words_for", lambda places, seed, turn, words=words: np.array([words[turn]], np.uint64)
        )
        reached.append(tuple(sorted(some_rows(np.zeros(size, np.int32), 1, most, None).tolist())))
    sets = list(combinations(range(size), min(size, most)))
    assert sorted(set(reached)) == sets
    assert len({reached.count(each) for each in sets}) == 1


def test_nobody_has_more_rows_than_most_rows_and_nobody_loses_one_without_need():
    ids = np.repeat(np.arange(30), np.arange(30))
    codes = People.of(ids).codes
    rows = some_rows(codes, 29, 5, seed=None)
    assert np.bincount(codes[rows]).tolist() == [min(size, 5) for size in range(1, 30)]
    assert len(set(rows.tolist())) == rows.size


def test_a_missing_row_takes_no_place_of_a_row_with_a_value():
    values, ids = [float("nan")] * 99 + [5.0], ["a"] * 100
    assert Column.from_values(values, Domain(0, 9, 1), people=People.of(ids), max_rows_per_person=1).n == 1
    how: dict[str, Any] = {"people": People.of(ids), "max_rows_per_person": 1}
    for how["max_groups_per_person"] in (1, "any"):
        assert Column.from_values(values, Domain(0, 9, 1), groups=ids, names=["a"], **how).sizes.tolist() == [1]


def test_a_wide_grid_and_many_people_need_no_packing(monkeypatch):
    wide = Domain(0, 2**61, 1)
    rows = [("a", 5.0), ("b", 2.0**60), ("a", 7.0), ("a", 6.0)]
    people = People.of([row[0] for row in rows] + list(range(10)))
    values = np.array([row[1] for row in rows] + [1.0] * 10)
    assert take_one(values, people, "median", wide, 0)[:2].tolist() == [6.0, 2.0**60]


def test_a_person_without_a_value_counts_as_missing_or_is_dropped():
    people = People.of(["a", "b", "b", None, "c"])
    given_values = [np.nan, 1, 3, 5, 7]
    dropped = Column.from_values(given_values, Domain(0, 9, 1), people=people, per_person="mean", tie_bits=0)
    assert (dropped.cells.tolist(), dropped.dropped, dropped.protects) == ([2, 7], 2, "person")
    counted = Column.from_values(given_values, Domain(0, 9, 1), people=people, per_person="mean", missing=4, tie_bits=0)
    assert (counted.cells.tolist(), counted.dropped) == ([2, 4, 7], 1)


@pytest.mark.parametrize(("ids", "missing", "refused"), [
    (["a", "b", "b", "c"], 5, False), (["a", "b", "b", "c"], None, True), (["a", "b", "b", None], 5, True),
])  # fmt: skip
def test_where_one_is_replaced_everybody_has_a_record_and_every_row_somebody(ids, missing, refused):
    column = Column.from_values(
        [np.nan, 1, 3, 7], Domain(0, 9, 1), people=People.of(ids), per_person="max", missing=missing
    )
    plan = Plan(["1/2"], "aq", PureDP(1.0), Adjacency.REPLACE_ONE)
    if not refused:
        assert release(column, plan).guarantee.protects == "person"
        return
    with pytest.raises(DataError, match="some values or ids are missing"):
        release(column, plan)
    assert release(column, Plan(["1/2"])).guarantee.protects == "person"


def test_rows_without_an_id_may_each_be_somebody():
    people = People.of(["a", None, "a", None], missing_is_person=True)
    column = Column.from_values([1, 2, 3, 4], Domain(0, 9, 1), people=people, per_person="last", tie_bits=0)
    assert (column.cells.tolist(), column.dropped) == ([2, 3, 4], 0)


def test_rows_that_are_kept_take_the_stand_in_row_by_row():
    people = People.of(["a", "a", "b", None])
    values = [np.nan, 2, 3, 4]
    column = Column.from_values(values, Domain(0, 9, 1), people=people, max_rows_per_person=2, missing=9, tie_bits=0)
    assert column.cells.tolist() == [2, 3, 9]
    column = Column.from_values(values, Domain(0, 9, 1), people=people, max_rows_per_person=2, tie_bits=0)
    assert (column.cells.tolist(), column.max_rows_per_person) == ([2, 3], 2)


@pytest.mark.parametrize(("settings", "name"), [
    ({"per_person": "shares"}, "per_person"), ({"per_person": "mode"}, "per_person"), ({"per_person": 3}, "per_person"),
    ({}, "per_person"), ({"per_person": "mean", "max_rows_per_person": 2}, "per_person"),
    ({"max_rows_per_person": 0}, "max_rows_per_person"),
    ({"max_rows_per_person": MOST_ROWS + 1}, "max_rows_per_person"),
    ({"max_rows_per_person": 1.5}, "max_rows_per_person"), ({"max_rows_per_person": True}, "max_rows_per_person"),
])  # fmt: skip
def test_bad_settings_are_refused_by_name_with_what_there_is(settings, name):
    with pytest.raises(ParameterError) as refused:
        Column.from_values([1.0], GRID, people=People.of(["a"]), **settings)
    assert refused.value.name == name
    if name == "per_person":
        assert all(
            per_person in str(refused.value)
            for per_person in ("mean", "median", "min", "max", "first", "last", "random")
        )


@pytest.mark.parametrize("settings", [{"per_person": "mean"}, {"max_rows_per_person": 2}])
def test_rows_are_taken_of_people_only(settings):
    with pytest.raises(ParameterError, match="`people` must be given"):
        Column.from_values([1.0], GRID, **settings)


@pytest.mark.parametrize("people", [People.of(["a", "b"]), ["a"]])
def test_people_are_people_with_an_id_for_each_value(people):
    with pytest.raises(DataError, match="one id for each value"):
        Column.from_values([1.0], GRID, people=people, per_person="mean")
