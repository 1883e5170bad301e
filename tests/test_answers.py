"""Releases and studies of all shapes are read alike: part by part, a part for each column with all its groups."""

from typing import Any

import numpy as np
import pytest

import dpq_core as dpq
from tests.narrowing import present

AGES, PAY = dpq.Domain(0, 100, 1), dpq.Domain(0, 500, 10)
ROWS = 40
FRAME: dict[str, Any] = {"age": np.arange(ROWS), "pay": 10 * np.arange(ROWS), "sex": ["f", "m"] * (ROWS // 2)}
BY = {"sex": ["f", "m"]}
PLAN = dpq.Plan("quartiles", "indexp", epsilon=8, intervals=0.5, about_n=ROWS // 2)


def asked(shape: str, seed: int | None = None) -> Any:
    """One column, its groups, or the columns of a table in groups."""
    if shape == "column":
        return dpq.Sample.from_values(FRAME["age"], AGES, seed=seed)
    if shape == "groups":
        return dpq.Groups.from_values(FRAME["age"], FRAME["sex"], AGES, names=["f", "m"], seed=seed)
    by = BY if shape == "table in groups" else None
    return dpq.Table.from_frame(FRAME, {"age": AGES, "pay": PAY}, by=by, seed=seed)


SHAPES: dict[str, list[tuple[str | None, tuple[str, ...] | None]]] = {
    "column": [(None, None)],
    "groups": [(None, ("f", "m"))],
    "table": [("age", None), ("pay", None)],
    "table in groups": [("age", ("f", "m")), ("pay", ("f", "m"))],
}
of_every_shape = pytest.mark.parametrize("shape", SHAPES)


@of_every_shape
def test_a_release_of_every_shape_is_read_part_by_part(shape: str) -> None:
    found = dpq.release(asked(shape), PLAN)
    assert isinstance(found, dpq.Release)
    assert [(part.column, part.groups) for part in found.parts] == SHAPES[shape]
    frame = found.to_frame()
    assert [value for part in found.parts for row in part.values for value in row] == frame["value"].tolist()
    ends = [low for part in found.parts for row in part.intervals for low, _ in row]
    shown = frame["low"].tolist()
    assert len(ends) == len(shown) == 3 * sum(len(groups or "1") for _, groups in SHAPES[shape])
    assert all(low == there or there == -np.inf for low, there in zip(ends, shown, strict=True))
    assert all(part.basis is not None and part.domain in {AGES, PAY} for part in found.parts)
    assert sum(part.guarantee.epsilon for part in found.parts) == pytest.approx(found.guarantee.epsilon)


@of_every_shape
def test_a_study_of_every_shape_is_read_part_by_part(shape: str) -> None:
    found = dpq.simulate(asked(shape, seed=0), PLAN, trials=5)
    assert [(part.column, part.groups) for part in found.parts] == SHAPES[shape]
    for part in found.parts:
        groups = len(part.groups or "1")
        assert part.values.shape == part.signed_rank_errors.shape == (5, groups, 3)
        assert present(part.intervals).shape == (5, groups, 3, 2)
    in_rows = np.concatenate([part.values.reshape(5, -1) for part in found.parts], axis=1)
    assert found.to_frame()["value"].tolist() == in_rows.ravel().tolist()


def test_a_part_has_its_own_share_of_the_budget_and_says_how_its_bounds_were_found() -> None:
    table = dpq.Table.from_frame(FRAME, {"age": AGES, "pay": dpq.FindBounds(step=10)}, by=BY)
    found = dpq.release(table, dpq.Plan("median", "indexp", epsilon=8, weights={"age": 1, "pay": 3}))
    age, pay = found.parts
    assert (age.plan.privacy, pay.plan.privacy) == (dpq.PureDP(2.0), dpq.PureDP(6.0))
    assert (age.find_bounds, pay.find_bounds) == (None, dpq.FindBounds(step=10))
    assert (age.by, pay.by) == (("sex",), ("sex",))
    assert found.releases["pay"].parts[0].values == pay.values
