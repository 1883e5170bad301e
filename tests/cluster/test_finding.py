"""Bounds that a release finds of a table on a cluster: the counts, the walk and the records of the table in memory."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

import dpq_core as dpq
from dpq_core import Domain
from dpq_core.above_threshold import Walk
from dpq_core.calibrations import Calibrated, mechanism_of
from dpq_core.cluster.blocks import SpreadGroups
from dpq_core.noise.fast import SeededSampler
from dpq_core.people.shares import WeightedCells
from dpq_core.steps import steps_with_bounds
from tests.cluster import frames
from tests.cluster.frames import below, spread
from tests.harness import Plan
from tests.narrowing import only

FOUND = dpq.FindBounds(step=1)
COLUMNS: dict[str, Any] = {"pay": FOUND, "age": (0, 120, 1)}
BY = {"ward": ["north", "nobody here", "south"]}
RULES: tuple[dict[str, Any], ...] = (
    {}, {"person": "id", "per_person": "mean"}, {"person": "id", "per_person": "weight"}, {"by": BY},
    {"by": BY, "person": "id", "per_person": "weight"},
    {"by": BY, "person": "id", "per_person": "max", "max_groups_per_person": 3},
)  # fmt: skip

KINDS = ["rows", "means", "shares", "groups", "shares of groups", "maxima of groups"]


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng, rows = np.random.default_rng(6), 3000
    made = pd.DataFrame(
        {
            "id": rng.integers(0, 400, rows),
            "pay": rng.normal(2000, 900, rows).round(),
            "age": rng.integers(18, 90, rows),
            "ward": rng.choice(["north", "south", "hidden"], rows),
        }
    )
    made.loc[::50, "pay"] = np.nan
    return made


def table_of(frame: Any, **rule: Any) -> Any:
    return frames.table_of(frame, COLUMNS, **rule)


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES, ids=KINDS)
def test_the_walk_reads_the_integers_of_the_table_in_memory(frame: pd.DataFrame, rule: dict[str, Any]) -> None:
    there, here = (table_of(each, **rule)["pay"] for each in (spread(frame), frame))
    assert np.array_equal(below(there.in_one_piece()), below(here.in_one_piece()))
    plan = dpq.Plan("quartiles", "indexp", epsilon=1)
    steps, expected = steps_with_bounds(there, plan), steps_with_bounds(here, plan)
    assert steps.guarantee == expected.guarantee
    assert steps.walk == expected.walk
    drawn = [
        each.walk.run(raw.in_one_piece(), SeededSampler(5, 20)) for each, raw in ((steps, there), (expected, here))
    ]
    assert np.array_equal(drawn[0], drawn[1])
    # In units the law of the plan's own noise takes minutes; that of little noise tells as well what a walk reads.
    rate = steps.walk.rate if there.in_one_piece().unit == 1 else Fraction(50_000)
    one, other, half = (Walk(FOUND, each * rate, steps.walk.unit) for each in (1, 1, 2))
    assert np.array_equal(one.law(there.in_one_piece()), other.law(here.in_one_piece()))
    assert not np.allclose(half.law(there.in_one_piece()), other.law(here.in_one_piece()), rtol=0, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES, ids=KINDS)
def test_the_second_step_reads_records_as_in_memory(client: Any, frame: pd.DataFrame, rule: dict[str, Any]) -> None:
    there, here = (table_of(each, **rule)["pay"] for each in (spread(frame), frame))
    domain = Domain(-1000, 5000, 1)
    one, other = there.on(domain), here.on(domain)
    if isinstance(one, SpreadGroups):
        blocks = client.gather(list(one.blocks))
        assert [name for block in blocks for name in block.names] == list(other.names)
        found = [block.column(at) for block in blocks for at in range(len(block.names))]
        assert [below(each).tolist() for each in found] == [
            below(other.column_of_group(name)).tolist() for name in BY["ward"]
        ]
        return
    assert (one.n, one.dropped, one.unit, one.protects) == (other.n, other.dropped > 0, other.unit, other.protects)
    assert np.array_equal(below(one), below(other))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mechanism", "options"), [("aq", {"draws": "one"}), ("indexp", {}), ("aggtree", {}), ("binhist", {})], ids=str
)
def test_answers_of_shares_between_found_bounds_are_the_same_function_of_records_and_noise(
    client: Any, frame: pd.DataFrame, mechanism: str, options: dict[str, Any]
) -> None:
    rule = {"person": "id", "per_person": "weight"}
    there, here = (table_of(each, **rule)["pay"] for each in (spread(frame), frame))
    plans = [Plan("quartiles", mechanism, epsilon=each, options=options) for each in (1, 1, 2)]
    steps, expected, half = (steps_with_bounds(raw, plan) for raw, plan in zip((there, here, here), plans, strict=True))
    (domain,), (same,) = steps.find(there, SeededSampler(5, 1)), expected.find(here, SeededSampler(5, 1))
    assert domain == same
    column, parameters = there.on(domain), only(Calibrated, steps.second).parameters
    assert parameters == only(Calibrated, expected.second).parameters
    ranges = client.gather(list(column.records.ranges))
    rows = np.concatenate([each.rows for each in ranges])
    weights = np.concatenate([np.diff(each.through) for each in ranges])
    in_memory = replace(column, records=WeightedCells.of(rows, weights, column.unit))
    assert np.array_equal(below(in_memory), below(here.on(domain)))
    drawn = [
        mechanism_of(own.plan).run(each, only(Calibrated, own.second).parameters, SeededSampler(3, 40))
        for each, own in ((column, steps), (in_memory, expected), (in_memory, half))
    ]
    assert np.array_equal(drawn[0], drawn[1])
    assert not np.array_equal(drawn[0], drawn[2])


@pytest.mark.slow
def test_bits_are_the_same_for_each_step_and_others_for_each_purpose() -> None:
    rows = pd.DataFrame({"id": np.repeat(np.arange(60), 5), "pay": np.arange(300) % 100, "age": 30})
    raw = table_of(spread(rows), person="id", per_person="random")["pay"]
    domain = FOUND.grid
    again = [raw.on(domain, 0) for _ in range(2)]
    assert np.array_equal(below(again[0]), below(again[1]))
    assert not np.array_equal(below(raw), below(again[0]))  # another row of 60 persons: alike below 1e-9
    other = table_of(spread(rows), person="id", per_person="random")["pay"].on(domain, 0)
    assert not np.array_equal(below(other), below(again[0]))


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES, ids=KINDS)
def test_a_release_finds_bounds_with_the_guarantee_of_one_in_memory(frame: pd.DataFrame, rule: dict[str, Any]) -> None:
    there, here = table_of(spread(frame), **rule), table_of(frame, **rule)
    plan = dpq.Plan("quartiles", "indexp", epsilon=40)
    one, other = dpq.release(there, plan), dpq.release(here, plan)
    assert one.guarantee == other.guarantee
    found = one["pay"].domain
    assert found.lower < 1400  # a walk that stops with 500 records beyond it: a chance below 1e-100
    assert found.upper > 2600
    assert one["pay"].find_bounds == FOUND
    study = dpq.simulate(table_of(spread(frame), seed=1, **rule), plan, trials=2, seed=3)
    assert study.rank_errors["pay"].max() < 60
    with pytest.raises(dpq.ParameterError, match="seed"):
        dpq.release(table_of(spread(frame), seed=1, **rule), plan)
