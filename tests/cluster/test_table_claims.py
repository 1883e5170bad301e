"""What the claims of a table on a cluster rest on: persons, bits, budgets and noise of every partition and block."""

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

import dpq_core as dpq
from dpq_core import DataError, Infeasible, ParameterError
from dpq_core.asked_of import question_of
from dpq_core.schedule import schedule_of
from tests.cluster.frames import Received, blocks_of, dataframe, spread, table_of
from tests.harness import Plan

WIDE = {"x": (0, 1_000_000, 1)}
NAMES = [f"g{at}" for at in range(8)]


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    """Rows of 60 persons in 8 groups, whose values are the rows' numbers."""
    rng, rows = np.random.default_rng(4), 1200
    persons, groups = rng.integers(0, 60, rows), rng.choice(NAMES, rows)
    return pd.DataFrame({"id": persons, "g": groups, "x": np.arange(rows)})


def records_of(client: Any, groups: Any) -> np.ndarray:
    """The grid values of all records of groups in blocks."""
    cells = np.concatenate([block.cells for block in blocks_of(client, groups)])
    return np.asarray(cells >> groups.tie_bits)


@pytest.mark.slow
def test_bits_without_a_seed_are_others_each_time(frame: pd.DataFrame) -> None:
    one, other = (table_of(spread(frame), WIDE)["x"] for _ in range(2))
    rows = np.arange(one.n)
    assert np.array_equal(one.records[rows] >> one.tie_bits, other.records[rows] >> other.tie_bits)
    assert (one.records[rows] != other.records[rows]).any()
    seeded = [table_of(spread(frame), WIDE, seed=3)["x"].records[rows] for _ in range(2)]
    assert np.array_equal(*seeded)


@pytest.mark.slow
def test_a_person_is_in_as_many_groups_as_asked_and_keeps_as_many_rows(client: Any, frame: pd.DataFrame) -> None:
    rule = {"by": {"g": NAMES}, "person": "id", "max_rows_per_person": 2, "max_groups_per_person": 3}
    kept = frame.set_index("x").loc[records_of(client, table_of(spread(frame), WIDE, **rule)["x"])]
    assert (kept.groupby(["id", "g"]).size() <= 2).all()
    assert (kept.groupby("id")["g"].nunique() == 3).all()
    one = {"by": {"g": NAMES}, "person": "id", "per_person": "random", "max_groups_per_person": 1}
    kept = frame.set_index("x").loc[records_of(client, table_of(spread(frame), WIDE, **one)["x"])]
    assert (kept.groupby("id").size() == 1).all()
    both = rule | {"max_groups_per_person": "any"}
    kept = frame.set_index("x").loc[records_of(client, table_of(spread(frame), WIDE, **both)["x"])]
    assert (kept.groupby("id").size() == 2).all()


GROUPED = {"by": {"g": NAMES}}
RULES: tuple[dict[str, Any], ...] = (
    {}, {"person": "id", "per_person": "mean"}, {"person": "id", "per_person": "weight"},
    {"person": "id", "max_rows_per_person": 3}, GROUPED,
    GROUPED | {"person": "id", "per_person": "mean", "max_groups_per_person": 4},
    GROUPED | {"person": "id", "per_person": "weight"},
    GROUPED | {"person": "id", "max_rows_per_person": 3, "max_groups_per_person": 2},
    GROUPED | {"person": "id", "max_rows_per_person": 3, "max_groups_per_person": "any"},
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES, ids=str)
def test_plans_are_calibrated_as_for_the_table_in_memory(frame: pd.DataFrame, rule: dict[str, Any]) -> None:
    there, here = (table_of(each, WIDE, **rule) for each in (spread(frame), frame))
    plans = [dpq.Plan("quartiles", "indexp", epsilon=1), dpq.Plan("median", "aggtree", rho=0.1)]
    singly = {"draws": "one"}  # as AQ draws shares on a cluster
    plans += [Plan("median", "aq", epsilon=1, intervals=0.9, about_n=each, options=singly) for each in ("noisy", 500)]
    for plan in plans:
        found, expected = (schedule_of(each.columns, plan) for each in (there, here))
        assert found.guarantee == expected.guarantee
        shown = [re.sub(r"<function \w+ at \w+>", "", repr(each)) for each in (found, expected)]  # what draws singly
        assert shown[0] == shown[1], "all units, parts of the budget and parameters"
    assert there["x"].protects == here["x"].protects


def numbers_in(received: Any) -> set[int]:
    """Return all whole numbers in what a client received."""
    if isinstance(received, dict | tuple | list | set):
        return {number for each in received for number in numbers_in(each)}
    if isinstance(received, np.ndarray):
        return set(received.ravel().tolist()) if received.dtype.kind in "iu" else set()
    return {int(received)} if isinstance(received, int | np.integer) else set()


@pytest.mark.slow(keep="listed")
@pytest.mark.parametrize(
    "by", [{}, {"by": {"g": ["a", "b", "c"]}}, {"by": {"g": dpq.FindGroups()}}], ids=["whole", "listed", "found"]
)
def test_the_client_receives_no_numbers_and_no_sizes(by: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Four partitions of 1000 rows: each leaves out another number of rows, and each group has another size."""
    lost, sizes = [211, 307, 401, 503], [701, 1301, 1998]
    rows = np.arange(4000)
    frame = pd.DataFrame({"x": rows % 997, "y": rows % 991, "g": np.repeat(["a", "b", "c"], sizes)}).astype(
        {"x": float}
    )
    for part, count in enumerate(lost):
        frame.loc[1000 * part : 1000 * part + count - 1, "x"] = np.nan
    received = Received(monkeypatch).answers
    table = table_of(spread(frame), {"x": (0, 999, 1), "y": (0, 999, 1)}, **by)
    own = set(frame.groupby("g")["x"].count())
    if by:
        dpq.release(table, dpq.Plan("median", "aq", epsilon=4, delta=1e-6))
        assert not numbers_in(received) & {*sizes, *own, len(frame), len(frame) - sum(lost)}
    else:  # docs/large-data.md says which numbers of whole columns it receives
        assert (table["x"].n, table["y"].n) == (len(frame) - sum(lost), len(frame))
    assert not numbers_in(received) & {*lost, *(1000 - count for count in lost), sum(lost)}
    assert received


@pytest.mark.slow
def test_rows_are_not_left_out_where_their_number_is_public(frame: pd.DataFrame) -> None:
    holed = frame.assign(x=frame["x"].where(frame["x"] % 100 > 0))
    plan = dpq.Plan("median", "aq", epsilon=1, adjacency="replaced")
    words = []
    for each in (spread(holed), holed):
        with pytest.raises((DataError, ParameterError)) as refused:
            dpq.release(table_of(each, WIDE), plan)
        words.append(str(refused.value))
    assert words[0] == words[1]


@pytest.mark.slow
def test_blocks_are_drawn_by_noise_of_their_own() -> None:
    """All groups have the same records, and hardly any budget: an answer is almost uniform, and follows the noise."""
    same = pd.DataFrame({"x": np.zeros(800), "g": np.repeat(NAMES, 100)})
    table = table_of(spread(same), WIDE, **GROUPED)
    assert len(table["x"].blocks) == 4
    plan = dpq.Plan("median", "aq", epsilon=1e-6)
    drawn = np.concatenate([list(dpq.release(table, plan).values["x"].values()) for _ in range(2)])
    apart = np.diff(np.sort(drawn.ravel()))
    assert apart.min() > 0  # 16 of 10^6 values: two are alike with a chance of 1.2e-4
    values = dpq.simulate(table, plan, trials=3, seed=1).values["x"][..., 0]
    for trial in values:
        assert np.diff(np.sort(trial)).min() > 2


@pytest.mark.slow
def test_no_group_is_answered_where_one_block_has_no_answer(frame: pd.DataFrame) -> None:
    small = pd.concat([frame, pd.DataFrame({"id": [1], "g": ["small"], "x": [5]})])
    plan = dpq.Plan("quartiles", "slice", epsilon=20, delta=1e-5)
    whole = dpq.release(table_of(spread(frame), {"x": (0, 1200, 1)}, **GROUPED), plan)
    assert len(whole.values["x"]) == len(NAMES)
    table = table_of(spread(small), {"x": (0, 1200, 1)}, by={"g": [*NAMES, "small"]})
    with pytest.raises(Infeasible) as refused:
        dpq.release(table, plan)
    assert refused.value.charged == 20


SOME = 200
STAFF = pd.DataFrame(
    {
        "pay": np.arange(SOME) % 90, "age": np.arange(SOME) % 50, "id": np.arange(SOME) // 2,
        "ward": np.where(np.arange(SOME) % 2, "north", "south"), "sex": np.where(np.arange(SOME) % 3, "f", "m"),
    }
)  # fmt: skip
ONE, FOUND = {"pay": (0, 100, 1)}, {"pay": dpq.FindBounds(step=1)}
PERSON = {"person": "id", "missing_is_person": True}
LISTED = {"by": {"ward": ["north", "south"], "sex": ["f", "m"]}}
ASKED = [
    {"columns": ONE},
    {"columns": {**ONE, "age": dpq.FindBounds(step=1)}, **PERSON, "max_rows_per_person": 2},
    {"columns": FOUND, **PERSON, "per_person": "weight", "missing": 3},
    {"columns": ONE, **LISTED, **PERSON, "per_person": "mean", "max_groups_per_person": 2},
    {"columns": FOUND, **LISTED, **PERSON, "per_person": "weight"},
    {"columns": ONE, "by": {"ward": ["north"]}, "other": "rest"},
    {
        "columns": ONE,
        "by": {"ward": dpq.FindGroups()},
        **PERSON,
        "max_rows_per_person": 2,
        "max_groups_per_person": "any",
    },
]


@pytest.mark.slow
@pytest.mark.parametrize("rule", ASKED, ids=range(len(ASKED)))
def test_the_question_is_that_of_the_table_in_memory(rule: dict[str, Any]) -> None:
    plan = dpq.Plan("median", "indexp", epsilon=1, delta=1e-6)

    here, there = (
        dpq.Table.from_frame(frame, **rule) for frame in (STAFF, dataframe.from_pandas(STAFF, npartitions=3))
    )
    assert question_of(there, plan) == question_of(here, plan)
