"""Groups to be found on two workers: the persons and draws of the table in memory, and no other name leaves them."""

from __future__ import annotations

import pickle
from dataclasses import replace
from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np
import pandas as pd
import pytest

import dpq_core as dpq
from dpq_core import ParameterError, draw
from dpq_core.groups.finding import PartitionSelection
from dpq_core.groups.names import names_in
from dpq_core.noise.exact import ExactEntropy
from dpq_core.schedule import schedule_of
from tests.cluster.frames import Received, Unread, below, blocks_of, spread, table_of, task_texts

COLUMNS = {"pay": (0, 100, "0.1"), "days": (-5, 5, "0.01")}
FIND = dpq.FindGroups("1/2")
BY = {"ward": FIND}
PLAN = dpq.Plan("median", "indexp", epsilon=2, delta=1e-6)


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    """Rows of 300 persons in groups called by texts, in other spellings too, and by whole numbers of any type."""
    rng, rows = np.random.default_rng(6), 3000
    made = pd.DataFrame(
        {
            "id": [f"secret-{each}" for each in rng.integers(0, 300, rows)],
            "pay": rng.normal(50, 25, rows).round(1),
            "days": rng.normal(0, 2, rows),
            "ward": rng.choice(np.array(["north", " north", "east", 7, 7.0, "7", 7.5, None], dtype=object), rows),
            "sex": rng.choice(["f", "m"], rows),
        }
    )
    made.loc[::40, "pay"] = np.nan
    made.loc[::70, "id"] = None
    made.loc[5, "ward"] = "of one row"
    made.loc[1500:, "ward"] = made["ward"][1500:].where(made["ward"] != "east")  # in some partitions alone
    made.loc[2250:, "ward"] = None  # a partition without any
    return made


RULES: tuple[dict[str, Any], ...] = (
    {}, {"person": "id", "per_person": "mean", "max_groups_per_person": 12}, {"person": "id", "per_person": "weight"},
    {"person": "id", "max_rows_per_person": 1000, "max_groups_per_person": "any"},
)  # fmt: skip

KINDS = ["rows", "means", "shares", "all rows"]


@pytest.mark.slow
@pytest.mark.parametrize("by", [BY, {"ward": FIND, "sex": FIND}], ids=["one", "two"])
@pytest.mark.parametrize("rule", RULES, ids=KINDS)
def test_groups_have_the_records_and_persons_of_the_table_in_memory(
    client: Any, frame: pd.DataFrame, rule: dict[str, Any], by: dict[str, Any]
) -> None:
    there, here = (table_of(each, COLUMNS, by=by, **rule) for each in (spread(frame), frame))
    for name in COLUMNS:
        one, other = there[name], here[name]
        assert (one.names, one.by, one.finding, one.dropped) == ((), other.by, other.finding, 0)
        found = {}
        for block in blocks_of(client, one):
            persons, sizes = block.people_in.tolist(), block.sizes.tolist()
            for at, group in enumerate(block.names):
                assert group not in found
                found[group] = persons[at], sizes[at]
                assert np.array_equal(below(block.column(at)), below(other.column_of_group(group)))
        persons, sizes = other.people_in.tolist(), other.sizes.tolist()
        assert found == {group: (persons[at], sizes[at]) for at, group in enumerate(other.names)}


def of_sizes(sizes: dict[str, int]) -> pd.DataFrame:
    """A row for each person of groups of these sizes, in any order."""
    names = np.repeat(list(sizes), list(sizes.values()))
    rows = np.random.default_rng(3).permutation(len(names))
    return pd.DataFrame({"ward": names[rows], "pay": 50.0, "days": 0.0})


def naming_of(table: Any) -> PartitionSelection:
    """Who is named, as the plan is calibrated for the table."""
    naming = schedule_of(table.columns, PLAN).naming
    assert naming is not None, "found once for all columns"
    return naming


def chance_of(naming: PartitionSelection, persons: int) -> float:
    return naming.chances(persons)[persons] / (1 << naming.bits)


@pytest.mark.slow
def test_groups_near_the_threshold_are_named_as_often_as_in_memory() -> None:
    """400 groups of one size in one release: independent coins, each with the chance that the rule gives."""
    count = 400
    naming = naming_of(table_of(of_sizes({"a": 1}), COLUMNS, by=BY))
    persons = next(size for size in range(1, 1000) if chance_of(naming, size) > 0.3)
    chance = chance_of(naming, persons)
    table = table_of(spread(of_sizes({f"g{at}": persons for at in range(count)})), COLUMNS, by=BY)
    named = len(dpq.release(table, PLAN).values["pay"])
    off = 6 * sqrt(count * chance * (1 - chance))  # by chance below 1e-8
    assert abs(named - count * chance) < off
    half_the_noise = PartitionSelection(Fraction(2), naming.delta)
    assert count * abs(chance_of(half_the_noise, persons) - chance) > 2 * off


class Noted(ExactEntropy):
    """Coins whose chances are noted, and all of which say yes."""

    def __init__(self) -> None:
        super().__init__()
        self.chances: list[tuple[int, int]] = []

    def bernoulli(self, numerator: int, denominator: int) -> bool:
        self.chances.append((numerator, denominator))
        return True


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES, ids=KINDS)
def test_each_group_has_the_coin_of_the_table_in_memory(
    client: Any, frame: pd.DataFrame, rule: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    there, here = (table_of(each, COLUMNS, by=BY, **rule) for each in (spread(frame), frame))
    naming = naming_of(there)

    def coins(groups: Any) -> dict[Any, tuple[int, int]]:
        noted = Noted()
        monkeypatch.setattr(draw, "ExactEntropy", lambda: noted)
        named = draw.names_of_part(groups, 0, naming=naming)
        return dict(zip(named, noted.chances, strict=True))

    assert repr(naming_of(here).chances(300)) == repr(naming.chances(300))
    found = {name: coin for block in blocks_of(client, there["pay"]) for name, coin in coins(block).items()}
    assert found == coins(here["pay"])
    assert len({coin for coin in found.values()}) > 1


@pytest.mark.slow
def test_all_columns_have_the_names_that_were_found_once_in_the_order_of_memory(frame: pd.DataFrame) -> None:
    rule = {"by": {"ward": FIND, "sex": FIND}, "person": "id", "per_person": "weight"}
    there, here = (table_of(each, COLUMNS, **rule) for each in (spread(frame), frame))
    plan = dpq.Plan("quartiles", "aq", epsilon=9, delta=1e-9)
    one, other = dpq.release(there, plan), dpq.release(here, plan)
    assert one.guarantee == other.guarantee
    assert repr(schedule_of(there.columns, plan).guarantee) == repr(schedule_of(here.columns, plan).guarantee)
    assert list(one.values["pay"]) == list(other.values["pay"])  # large ones, each missed with less than 1e-9
    assert len(one.values["pay"]) >= 4
    assert list(one.to_frame().columns) == list(other.to_frame().columns)
    small = of_sizes({f"g{at}": 14 for at in range(60)})
    both = dpq.release(table_of(spread(small), COLUMNS, by=BY), PLAN).values
    assert 0 < len(both["pay"]) < 60
    assert list(both["pay"]) == list(both["days"])  # by chance below 1e-15 if each column found its own
    assert list(both["pay"]) == sorted(both["pay"])


@pytest.mark.slow
def test_one_column_finds_its_groups_counts_them_and_has_intervals(frame: pd.DataFrame) -> None:
    groups = table_of(spread(frame), {"pay": COLUMNS["pay"]}, by=BY)
    plan = dpq.Plan("median", "aq", epsilon=9, delta=1e-9, intervals=0.9, about_n="noisy")
    for released in (dpq.release(groups["pay"], plan), dpq.release(groups, plan)):
        (answers,), (ends,) = released.values.values(), released.intervals.values()
        assert list(answers) == list(ends) == [7, "7", "7.5", "east", "north"]
        (note,) = (note for note in released.notes if note.startswith("Noisy counts"))
        assert note.index("7: ") < note.index("east: ") < note.index("north: ")
        assert "of one row" not in note


@pytest.mark.slow
def test_bounds_are_found_beside_names(frame: pd.DataFrame) -> None:
    columns = {"pay": dpq.FindBounds(), "days": COLUMNS["days"]}
    plan = dpq.Plan("median", "indexp", epsilon=9, delta=1e-9)
    there, here = (table_of(each, columns, by=BY, person="id", per_person="weight") for each in (spread(frame), frame))
    one, other = dpq.release(there, plan), dpq.release(here, plan)
    assert one.guarantee == other.guarantee
    assert list(one.values["pay"]) == list(one.values["days"]) == list(other.values["pay"])
    assert all(30 < value[0] < 70 for value in one.values["pay"].values())


@pytest.mark.slow
def test_a_person_counts_for_as_many_names_as_asked(client: Any, frame: pd.DataFrame) -> None:
    rule = {"person": "id", "per_person": "mean", "max_groups_per_person": 2}
    held = table_of(spread(frame), COLUMNS, by=BY, **rule)
    persons = sum(int(block.people_in.sum()) for block in blocks_of(client, held["pay"]))
    groups = frame.dropna(subset="id").groupby("id")["ward"].apply(names_of)
    assert persons == groups.clip(upper=2).sum()


def names_of(cells: pd.Series[Any]) -> int:
    return len(names_in(cells.to_numpy(dtype=object)))


HIDDEN = [f"hiddenward{at}" for at in range(40)]


@pytest.mark.slow
def test_nothing_of_a_group_that_is_not_named_leaves_the_workers(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of one person each are found with a chance below 1e-8 in all."""
    plan = replace(PLAN, privacy=dpq.ApproxDP(2, 1e-10))
    received = Received(monkeypatch)
    sizes = dict.fromkeys(HIDDEN, 1) | {"large": 300, "larger": 400}
    frame = of_sizes(sizes).assign(id=[f"secret-{at}" for at in range(740)])
    table = table_of(spread(frame, 2), COLUMNS, by=BY, person="id", per_person="weight")
    assert all(isinstance(part, int | bool) for part in received.each())
    received.answers.clear()
    assert list(dpq.release(table, plan).values["pay"]) == ["large", "larger"]
    names, *drawn = received.answers
    assert sorted(name for part in names for name in part) == ["large", "larger"]
    assert {type(each).__name__ for part in drawn for each in part} == {"Drawn"}
    assert sum(each.values.size for part in drawn for each in part) == len(COLUMNS) * 2
    assert b"hiddenward" not in pickle.dumps(received.answers)
    dpq.release(table["pay"], plan)
    assert b"hiddenward" not in pickle.dumps(received.answers)
    assert [hidden for hidden in ("hiddenward", "secret-") if hidden in task_texts(client)] == []
    assert not any(hidden in repr(held) for held in (table, *table.columns.values()) for hidden in ("ward1", "large"))


@pytest.mark.slow
def test_a_simulation_is_refused_which_would_show_all_names(frame: pd.DataFrame) -> None:
    with pytest.raises(ParameterError, match="list the groups of a table on a cluster to simulate it") as refused:
        table_of(Unread(), {"x": (0, 9, 1)}, by={"g": FIND}, seed=1)  # a seed is for simulations
    assert refused.value.name == "by"
    columns = {"pay": COLUMNS["pay"], "days": dpq.FindBounds()}
    table = table_of(spread(frame), columns, by=BY)
    for each in (table, table["pay"]):
        with pytest.raises(ParameterError, match="list the groups"):
            dpq.simulate(each, PLAN, trials=2)
