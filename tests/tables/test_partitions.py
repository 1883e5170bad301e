"""What a worker does with one partition of a table: the persons, records and bits of a table in memory."""

import datetime
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dpq_core import Column, DataError, Domain, FindGroups
from dpq_core.cluster.blocks import _block, _ends, _sizes_of, _with_places
from dpq_core.cluster.cells import _sorted
from dpq_core.cluster.found import DIGEST, _groups_of_block, _with_persons, rows_of_groups
from dpq_core.cluster.ids import is_whole, words_of
from dpq_core.cluster.rows import Wanted, persons_of, read_partition
from dpq_core.cluster.shuffle import Hidden
from dpq_core.cluster.taking import Records, Rule, Taken, take
from dpq_core.grouping import grouping_of, groups_in
from dpq_core.groups.names import codes_of, names_in
from dpq_core.noise.tie_breaking import Key
from dpq_core.people.ids import People
from dpq_core.people.shares import UNIT, WeightedCells
from dpq_core.sources.frames import read_frame

KEY, OTHER = Key(b"k" * 32), Key(b"o" * 32)
NOON = datetime.time(12)
IDS: tuple[list[Any], ...] = (
    [1, 1.0, "1", "1/1", Decimal("1.00"), "1.0", b"1", 2, "2", float("inf"), "inf"],
    [("ab", "c"), ("a", "bc"), ("abtc",), "ab", ("ab",), "ab", None, float("nan"), ""],
    [NOON, NOON.replace(tzinfo=datetime.UTC), datetime.time(13, tzinfo=datetime.timezone(datetime.timedelta(hours=1))),
     "12:00:00", NOON.replace(minute=1)],
    [2**63 - 1, 2**63, -(2**63), 2.0**63, 2**64 + 1, 1], ["\ud800", "a\x00", "a", " a", "A", "a\x00b", b"a"],
)  # fmt: skip


def same(classes: Any) -> np.ndarray:
    """Which rows belong together, (rows, rows)."""
    values = np.asarray(classes)
    one = values[:, None] == values[None, :]
    return np.asarray(one if values.ndim == 1 else one.all(axis=2))


@pytest.mark.parametrize("ids", IDS, ids=lambda each: str(len(each)))
def test_two_rows_have_equal_words_exactly_if_they_are_one_persons_in_memory(ids: list[Any]) -> None:
    apart = [pd.Series([each], dtype=object) for each in ids]  # each in a partition of its own
    words = np.concatenate([words_of(each, at + 1, KEY, whole=False) for at, each in enumerate(apart)])
    together = words_of(pd.Series(ids, dtype=object), 1, KEY, whole=False)
    assert np.array_equal(words, together)
    people = People.of(pd.Series(ids, dtype=object), missing_is_person=True)
    alone = words[:, -1] > 0
    assert np.array_equal(same(words) & ~alone, same(people.codes) & ~alone)
    assert np.array_equal(alone, [each is None or each == "" or each != each for each in ids])
    assert np.unique(words[alone], axis=0).shape[0] == np.count_nonzero(alone)


def test_words_follow_from_the_secret_key_alone() -> None:
    names = pd.Series(["ada", "bob"], dtype=object)
    one, other = (words_of(names, 1, key, whole=False) for key in (KEY, OTHER))
    assert np.array_equal(one, words_of(names, 9, KEY, whole=False))
    assert not (one[:, :-1] == other[:, :-1]).any()


CELLS = pd.Series(["north", " north", 7, 7.0, "7", 7.5, None, "a · b", float("inf"), True, 1, 2**70], dtype=object)


def test_two_rows_have_one_digest_exactly_if_they_are_in_one_group_in_memory() -> None:
    apart = [rows_of_groups(CELLS[at : at + 1], KEY) for at in range(len(CELLS))]  # each in a partition of its own
    digests = np.array([[each[own][0] for own in DIGEST] for each in apart])
    codes = codes_of(CELLS, names_in(CELLS), pooled=False)
    assert np.array_equal(same(digests), same(codes))
    assert np.array_equal(digests[:, 0] == 0, codes < 0)
    together = rows_of_groups(CELLS, KEY)
    assert np.array_equal(digests, np.stack([together[own] for own in DIGEST], axis=1))
    pairs = grouping_of(["g", "h"], FindGroups())
    both = [pd.DataFrame({"g": [one], "h": [other]}) for one, other in (("a", "bc"), ("ab", "c"), ("a", "bc"))]
    of_pairs = [rows_of_groups(groups_in(pairs, read_frame(each)), KEY)[DIGEST[0]][0] for each in both]
    assert of_pairs[0] == of_pairs[2] != of_pairs[1]


def test_digests_of_groups_follow_from_the_secret_key_alone() -> None:
    one, other = (rows_of_groups(CELLS, key) for key in (KEY, OTHER))
    grouped = one[DIGEST[0]] != 0
    assert all(not (one[own] == other[own])[grouped].any() for own in DIGEST)
    read = [read_partition(pd.DataFrame({"g": CELLS, "x": 1.0}), at, KEY, wanted_of_found()) for at in range(2)]
    assert np.array_equal(read[0][DIGEST], read[1][DIGEST])  # equal ones meet, wherever they were read
    assert not (read[0][DIGEST].to_numpy() == np.stack([one[own] for own in DIGEST], axis=1))[grouped].any()


def wanted_of_found() -> Wanted:
    return Wanted(("x",), None, False, grouping_of({"g": FindGroups()}, None), (), pooled=False)


def test_a_group_has_its_name_and_the_persons_of_all_partitions() -> None:
    wanted = wanted_of_found()
    rule = Rule(wanted, {"x": Domain(0, 9, 1)}, {"x": None}, False, {"max_groups_per_person": 1})
    cells = [["north", 7, "north"], [7, None, "east", 7], [None]]
    taken = [
        take(read_partition(pd.DataFrame({"g": pd.Series(own, dtype=object), "x": np.nan}), at, KEY, wanted), KEY, rule)
        for at, own in enumerate(cells)
    ]
    parts = [each.groups for each in taken]
    block = _groups_of_block(pd.concat([_with_persons(each, 1) for each in parts if each is not None]))
    assert block.names == (7, "east", "north")
    assert block.persons.tolist() == [3, 1, 2]  # also where values are missing
    assert [each.columns["x"].cells.size for each in taken] == [0, 0, 0]
    for held in (block, *parts, taken[0]):
        assert not any(hidden in repr(held) for hidden in ("north", "east"))


def test_which_groups_of_a_person_count_for_names_follows_from_the_key() -> None:
    """60 persons have rows in two groups, and count in one: for names, and for the column, by bits of their own."""
    wanted = replace(wanted_of_found(), person="id", whole_ids=True)
    counted = {"max_groups_per_person": 1, "per_person": "first", "max_rows_per_person": None}
    rule = Rule(wanted, {"x": Domain(0, 9, 1)}, {"x": None}, False, counted)
    frame = pd.DataFrame({"id": np.repeat(np.arange(60), 2), "g": ["a", "b"] * 60, "x": 1.0})
    rows = read_partition(frame, 0, KEY, wanted)

    def persons(key: Key) -> list[int]:
        groups = take(rows, key, rule).groups
        assert groups is not None
        return [int(each) for each in groups.persons]

    assert persons(KEY) == persons(KEY)
    keys = [Key(bytes([at]) * 32) for at in range(20)]
    assert all(sum(persons(key)) == 60 for key in keys)
    assert len({tuple(persons(key)) for key in keys}) > 5
    of_column = [_sizes_of(take(rows, key, rule).columns["x"]).tolist() for key in keys]
    assert sum(persons(key) == own for key, own in zip(keys, of_column, strict=True)) < 12  # of 20: below 1e-6


def test_whole_numbers_are_their_own_words_where_all_fit() -> None:
    numbers = np.array([3, -1, 2**62], np.int64)
    assert is_whole(numbers)
    assert not is_whole(numbers.astype(np.uint64))  # 2^64 - 1 and -1 would be one
    assert not is_whole(numbers.astype(np.float64))
    assert words_of(numbers, 5, KEY, whole=True).tolist() == [[3, 0], [-1, 0], [2**62, 0]]
    with pytest.raises(DataError, match="one type"):
        words_of(np.array([1.5]), 1, KEY, whole=True)


FRAME = pd.DataFrame(
    {
        "id": ["a", "b", None, "a", None, "c", "b", "a"],
        "x": [1.0, 2, 3, 4, 5, 6, 7, 8],
        "y": [1.0, 2, 3, 4, 5, 6, 7, 8],
        "g": ["n", "s", "n", "s", "s", "n", "n", "s"],
    }
)


def wanted_of(frame: pd.DataFrame, *, grouped: bool = False) -> Wanted:
    grouping = grouping_of({"g": ["n", "s"]}, None) if grouped else None
    return Wanted.of(frame.iloc[:0], ("x", "y"), "id", grouping, ("n", "s") if grouped else (), pooled=False)


def rows_of(frame: pd.DataFrame, wanted: Wanted, parts: int) -> pd.DataFrame:
    """The rows of all partitions, as a shuffle could bring them to one."""
    cut = np.array_split(np.arange(len(frame)), parts)
    read = [read_partition(frame.iloc[own], at, KEY, wanted) for at, own in enumerate(cut)]
    return pd.concat(read)


def rule_of(wanted: Wanted, counted: dict[str, Any], *, missing_is_person: bool = False) -> Rule:
    domain = Domain(0, 9, 1)
    return Rule(wanted, {"x": domain, "y": domain}, {"x": None, "y": None}, missing_is_person, counted)


@pytest.mark.parametrize("parts", [1, 2, 8])
@pytest.mark.parametrize("missing_is_person", [False, True])
def test_persons_after_a_shuffle_are_those_of_the_whole_table(parts: int, missing_is_person: bool) -> None:
    wanted = wanted_of(FRAME)
    found = persons_of(rows_of(FRAME, wanted, parts), wanted, missing_is_person=missing_is_person)
    here = People.of(FRAME["id"], missing_is_person=missing_is_person)
    assert found is not None
    assert found.count == here.count
    known = here.codes >= 0
    assert np.array_equal(found.codes >= 0, known)
    assert np.array_equal(same(found.codes)[known][:, known], same(here.codes)[known][:, known])


def test_ids_that_differ_in_one_word_are_two_persons() -> None:
    wanted = wanted_of(FRAME)
    rows = rows_of(FRAME, wanted, 1).iloc[[0] * 6].reset_index(drop=True)
    for at, name in enumerate(wanted.id_columns[:-1]):
        rows.loc[at, name] += 1
    found = persons_of(rows, wanted, missing_is_person=False)
    assert found is not None
    assert found.count == 5
    assert found.codes[4] == found.codes[5]


@pytest.mark.parametrize("counted", [
    {"per_person": "random"}, {"per_person": "weight"}, {"max_rows_per_person": 2}, {"per_person": "first"},
], ids=str)  # fmt: skip
def test_records_do_not_depend_on_the_order_in_which_rows_arrive(counted: dict[str, Any]) -> None:
    wanted = wanted_of(FRAME)
    rows, rule = rows_of(FRAME, wanted, 3), rule_of(wanted, counted)
    taken = [
        take(rows.iloc[order], KEY, rule) for order in (np.arange(8), np.arange(8)[::-1], [3, 1, 4, 0, 5, 2, 7, 6])
    ]
    for each in taken[1:]:
        assert records_equal(each, taken[0])


def records_equal(one: Taken, other: Taken) -> bool:
    pairs: Sequence[tuple[Records, Records]] = [(one.columns[name], other.columns[name]) for name in one.columns]
    weights = [(np.asarray(each.weights), np.asarray(also.weights)) for each, also in pairs]
    return all(np.array_equal(each.cells, also.cells) for each, also in pairs) and all(
        np.array_equal(each, also) for each, also in weights
    )


def test_bits_are_a_function_of_a_secret_key_and_of_each_column() -> None:
    wanted = wanted_of(FRAME)
    rows, rule = rows_of(FRAME, wanted, 1), rule_of(wanted, {"per_person": "first"})
    one, again, other = (take(rows, key, rule) for key in (KEY, KEY, OTHER))
    assert records_equal(one, again)
    assert not np.array_equal(one.columns["x"].cells, other.columns["x"].cells)
    assert not np.array_equal(one.columns["x"].cells, one.columns["y"].cells)  # the same values


def test_a_persons_rows_weigh_one_together_and_rows_of_nobody_nothing() -> None:
    wanted = wanted_of(FRAME)
    rows = rows_of(FRAME, wanted, 2)
    for missing_is_person, persons in ((False, 3), (True, 5)):
        rule = rule_of(wanted, {"per_person": "weight"}, missing_is_person=missing_is_person)
        records = take(rows, KEY, rule).columns["x"]
        assert records.weights is not None
        assert int(records.weights.sum()) == persons * UNIT
        assert records.dropped == (0 if missing_is_person else 2)
        ordered = _sorted(pd.DataFrame({"cell": records.cells, "weight": records.weights}).iloc[::-1], UNIT)
        assert isinstance(ordered, WeightedCells)
        assert np.array_equal(np.diff(ordered.through), records.weights)


def test_groups_of_a_block_are_those_of_all_partitions_with_their_weights() -> None:
    wanted = wanted_of(FRAME, grouped=True)
    rule = rule_of(wanted, {"per_person": "weight", "max_groups_per_person": 1})
    records = take(rows_of(FRAME, wanted, 2), KEY, rule).columns["x"]
    assert records.starts is not None
    assert records.weights is not None
    sizes = np.diff(records.starts)
    assert sizes.tolist() == [3, 3]
    empty = Column.from_values(
        [], Domain(0, 9, 1), groups=[], names=["n", "s"], people=People(np.empty(0, np.int32), 0), per_person="weight"
    )
    for ends, expected in (([2], [["n", "s"]]), ([1, 2], [["n"], ["s"]])):
        placed = _with_places(records, np.array(ends)).sample(frac=1, random_state=1)
        made = [_block(placed[placed["place"] == at], at, np.array(ends), empty) for at in range(len(ends))]
        assert [list(each.names) for each in made] == expected
        assert np.concatenate([each.sizes for each in made]).tolist() == [3, 3]
        assert np.array_equal(np.concatenate([each.cells for each in made]), records.cells)
        assert np.array_equal(np.concatenate([np.asarray(each.weights) for each in made]), records.weights)


def test_blocks_end_between_groups_and_have_about_as_many_records() -> None:
    sizes = np.array([5, 0, 0, 30, 5, 5, 5, 5, 5])
    ends = _ends(sizes, 3)
    assert ends.tolist() == sorted(ends.tolist())
    assert ends[-1] == sizes.size
    own = np.add.reduceat(sizes, np.concatenate([[0], ends[:-1]]).clip(max=sizes.size - 1))
    assert own.max() <= 40
    assert _ends(sizes, 2).tolist()[-1] == sizes.size


def test_nothing_private_is_in_the_text_of_what_a_worker_holds() -> None:
    wanted = wanted_of(FRAME, grouped=True)
    taken = take(rows_of(FRAME, wanted, 1), KEY, rule_of(wanted, {"per_person": "first", "max_groups_per_person": 2}))
    texts = [repr(each) for each in (Hidden(77125), taken, taken.columns["x"], wanted, KEY)]
    assert not any(hidden in text for text in texts for hidden in ("77125", "array", "'n'", "kkk"))


def test_a_worker_knows_how_much_memory_records_take() -> None:
    """Otherwise it would not move them to its disk."""
    sizeof = pytest.importorskip("dask.sizeof").sizeof
    cells, weights = np.arange(10_000), np.ones(10_000, np.int32)
    records = Records(cells, weights, None, 0)
    segments = replace(Column.from_values([], Domain(0, 9, 1), groups=[], names=["n"]), records=cells)
    for held in (records, Taken({"x": records}, 0), WeightedCells.of(cells, weights), segments):
        assert 80_000 < sizeof(held) < 170_000


class Quoting:
    """A frame whose columns raise errors that quote cells, as those of libraries do."""

    columns, iloc = ("x", "y", "id"), None

    def __getitem__(self, name: str) -> Any:
        raise KeyError(f"{name}: cell 'unspeakable' cannot be read")


def test_an_error_of_a_library_is_a_sentence_without_the_cell() -> None:
    with pytest.raises(DataError, match="partition of the table cannot be read") as refused:
        read_partition(Quoting(), 0, KEY, wanted_of(FRAME))
    assert "unspeakable" not in str(refused.value)
    assert refused.value.__cause__ is refused.value.__context__ is None
