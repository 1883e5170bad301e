"""Every mechanism and shape of a table with the fewest groups, levels, records and persons: answered, or refused first.

What is refused is refused by `calibrate`, before anything is charged; only `slice` may find out after a draw, and says
what that has spent. Anything else that is raised later would be paid for and not answered.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import dpq_core as dpq
from dpq_core.calibrations import Calibrated
from dpq_core.ledger.charging import charged_release
from dpq_core.people.takes import PerPerson
from dpq_core.schedule import schedule_of
from tests.harness import Plan as SmallPlan
from tests.harness import calibrate_grouped
from tests.ledger.alone import opened

JOINS, REPLACED = dpq.Adjacency
GRID = dpq.Domain(0, 9, 1)
LEVELS = ((), ("0",), ("1/2",), ("1/2", "1/2"), ("1/10", "1/2", "3/4"))
OPTIONS: dict[str, dict[str, Any]] = {
    "slice": {"merge_close": True, "half_width": 1}, "gkexp": {"alpha": 0.2, "n_max": 8}, "binhist": {"bins": 2},
    "normal": {"sigma": 1000.0, "mean_bound": 1000.0},
}  # fmt: skip
SMALL = OPTIONS | {"aggtree": {"branching": 2, "height": 3}}
"""The usual tree has 20,000 nodes, each with exact noise."""
BUDGET = dpq.ApproxDP(0.8, 1e-3)
ONE, OF_ONE_GROUP, OF_TWO = [(5.0, "a")], [(5.0, "a"), (7.0, "a")], [(5.0, "a"), (7.0, "b")]
RECORDS, ONE_PERSON, EACH_A_PERSON, ONE_SHARED, EACH_SHARED = (
    "records", "one person", "a person each", "the shares of one", "the shares of each"
)  # fmt: skip
Rows = list[tuple[float, str]]


@dataclass(frozen=True)
class Shape:
    """A table of the fewest rows: how it is made, with a seed or without, and which group of it is explained."""

    name: str
    made: Callable[[int | None], Any]
    group: str | None = None


def persons(kind: str, rows: int) -> dpq.People | None:
    return None if kind == RECORDS else dpq.People.of([1] * rows if kind in (ONE_PERSON, ONE_SHARED) else range(rows))


def column(rows: Rows, kind: str, seed: int | None) -> dpq.Column:
    shared: PerPerson = "weight" if kind in (ONE_SHARED, EACH_SHARED) else "median"
    people = persons(kind, len(rows))
    values = [value for value, _ in rows]
    return dpq.Column.from_values(
        values, GRID, people=people, per_person=None if people is None else shared, seed=seed, missing=3
    )  # fmt: skip


def grouped(rows: Rows, kind: str, seed: int | None, **how: Any) -> dpq.Column:
    people, labels = persons(kind, len(rows)), [label for _, label in rows]
    return dpq.Column.from_values(
        [value for value, _ in rows], GRID, groups=labels, people=people, seed=seed, missing=3, **how
    )


def several(seed: int | None, **columns: Callable[[int | None], Any]) -> dict[str, Any]:
    return {name: made(seed) for name, made in columns.items()}


def shapes() -> Iterator[Shape]:
    """Yield tables of no rows, one and two, of records, one person and two, in one piece and in one group or two."""
    for rows, kind in product(([], ONE, OF_TWO), (RECORDS, ONE_PERSON, EACH_A_PERSON, ONE_SHARED, EACH_SHARED)):
        one = partial(column, rows, kind)
        yield Shape(f"column: {len(rows)} rows, {kind}", one)
        yield Shape(f"one of several: {len(rows)} rows, {kind}", partial(several, x=one))
        yield Shape(f"several: {len(rows)} rows, {kind}", partial(several, x=one, y=one))
    for rows, kind in product(([], ONE, OF_ONE_GROUP, OF_TWO), (RECORDS, ONE_PERSON, EACH_A_PERSON)):
        name = f"{[label for _, label in rows]}, {kind}"
        for names in (["a"], ["a", "b"]):
            yield Shape(f"listed: {names} of {name}", partial(grouped, rows, kind, names=names), "a")
        found = partial(grouped, rows, kind, names=None)
        yield Shape(f"found: {name}", found, "a" if rows else None)
        yield Shape(f"several: groups of {name}", partial(several, x=partial(column, rows, kind), y=found))


def calibrated(data: Any, plan: dpq.Plan) -> Any:
    if isinstance(data, Mapping):
        return schedule_of(data, plan)
    return calibrate_grouped(data, plan) if data.in_groups else Calibrated.for_column(data, plan)


def refused(data: Any, plan: dpq.Plan) -> bool:
    """Whether something that is public refuses this, before anything is drawn."""
    try:
        calibrated(data, plan)
    except (dpq.ParameterError, dpq.DataError):
        return True
    return False


ALL = list(product(shapes(), LEVELS))
SOME = ALL[:: len(LEVELS) + 1]
"""Each shape once, nearly, with levels in turn."""


@pytest.mark.slow
@pytest.mark.parametrize("adjacency", dpq.Adjacency)
@pytest.mark.parametrize("mechanism", list(dpq.MECHANISMS))
def test_what_is_not_refused_is_answered(mechanism: str, adjacency: dpq.Adjacency) -> None:
    check_answered(mechanism, adjacency, ALL)


def check_answered(mechanism: str, adjacency: dpq.Adjacency, pairs: Sequence[Any]) -> None:
    answered = set()
    for shape, levels in pairs:
        plan = SmallPlan(levels, mechanism, BUDGET, adjacency, SMALL.get(mechanism, {}))
        data, seeded = shape.made(None), shape.made(1)
        if refused(data, plan):
            continue
        answered.add(shape.name.split(":")[0])
        with no_room_for_slices(mechanism, charged=True):
            dpq.release(data, plan)
        dpq.simulate(seeded, plan, trials=2)
        in_one_piece = isinstance(data, dpq.Column) and not data.in_groups and data.unit == 1
        if in_one_piece or shape.group is not None:
            with no_room_for_slices(mechanism, charged=False):
                dpq.explain(seeded, plan, group=shape.group)
    assert ("column" in answered) == (adjacency in dpq.MECHANISMS[mechanism].SUPPORTS)


@pytest.mark.slow(keep="normal")
@pytest.mark.parametrize("mechanism", ["slice", "normal"])
def test_some_of_what_is_not_refused_is_answered(mechanism: str) -> None:
    check_answered(mechanism, JOINS, SOME)


@contextmanager
def no_room_for_slices(mechanism: str, charged: bool) -> Iterator[None]:
    """Allow one mechanism to refuse after a draw, where it says what that has spent."""
    if not dpq.MECHANISMS[mechanism].PROFILE.refuses_after_draws:
        yield
        return
    spent = []
    try:
        yield
    except dpq.Infeasible as error:
        spent.append(error.charged)
    assert all(spent) or not charged


@pytest.mark.slow(keep=("0-aq", "2-binhist"))
@pytest.mark.parametrize("mechanism", [key for key in dpq.MECHANISMS if key not in ("slice", "normal")])
@pytest.mark.parametrize("rows", [[], ONE, OF_TWO], ids=len)
def test_an_answer_that_names_no_group_is_charged_and_stored(mechanism: str, rows: Rows, tmp_path: Path) -> None:
    """The usual answer of a small table: names of one or two people are hardly ever released."""
    account = opened(tmp_path, dpq.ApproxDP(5.0, 1e-2))
    for at, levels in enumerate(LEVELS):
        plan = dpq.Plan(levels, mechanism, dpq.ApproxDP(0.8, 1e-9), JOINS, OPTIONS.get(mechanism, {}))
        groups = grouped(rows, RECORDS, None, names=None)
        found = charged_release(groups, plan, account, release_id=str(at))
        assert found.values == {"column": {}}
        again = charged_release(groups, plan, account, release_id=str(at))
        assert (again.values, again.guarantee) == (found.values, found.guarantee)
    account.ledger.engine.dispose()
