"""Every unit, by the code that is shipped: whole releases of persons, groups and wrappers, along all outcomes.

From the rows of a table to what is answered: which rows are taken of a person is followed, too. No pair of tables loses
more than is claimed, in either direction; how near the listed pairs come is stated; and half the noise under the same
claim is caught by the same code. `test_people_claims`, `test_groups_claims` and others compare many more tables by the
stated output distributions.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import pytest

from dpq_core import ZCDP, Adjacency, ApproxDP, Domain, Plan, PureDP, release
from tests.harness import ROUNDING, column, grouped, kind, reached_with_half_noise_caught, share_between

JOINS, REPLACED = Adjacency
GRID = Domain(0, 9, 1)
PURE, APPROXIMATE, CONCENTRATED = PureDP(1.0), ApproxDP(1.0, 0.01), ZCDP(0.1)
Row = tuple[float, str, str]
"""A value, in which group, and whose it is."""


class Case(NamedTuple):
    """Those who stay, with a row in each group; the rows of the one who changes, before and after; what is reached."""

    stay: list[int]
    before: list[tuple[float, str]]
    after: list[tuple[float, str]]
    reached: float

    def tables(self, groups: str) -> list[list[Row]]:
        stay = [(float(value), name, f"{name}{at}") for name in groups for at, value in enumerate(self.stay)]
        return [[*stay, *((value, name, "changes") for value, name in own)] for own in (self.before, self.after)]


def persons(rows: list[Row], **how: Any) -> Any:
    return column([value for value, *_ in rows], GRID, persons=[person for *_, person in rows], **how)


def answered(plan: Plan, build: Callable[[list[Row]], Any]) -> Callable[[list[Row]], Any]:
    def answer(rows: list[Row]) -> Any:
        found = release(build(rows), plan)["column"]
        return found.groups, found.values

    return answer


def check(plan: Plan, build: Callable[[list[Row]], Any], case: Case, monkeypatch: Any, groups: str = "n") -> None:
    tables = case.tables(groups)
    claim = release(build(tables[0]), plan).guarantee
    assert claim.covers(plan.privacy)
    assert claim.protects == "person"
    reached_with_half_noise_caught(answered(plan, build), tables, plan, claim, case.reached, monkeypatch)


def many(value: float, group: str = "n", times: int = 3) -> list[tuple[float, str]]:
    return [(value, group)] * times


def named(each: Any) -> str:
    return str(each.value) if isinstance(each, Adjacency) else kind(each)


# ── persons ──────────────────────────────────────────────────────────────────────────────────────────────────────────

WORST = {
    (JOINS, PURE): Case([5] * 10, [], many(9, times=2), 0.99),
    (REPLACED, PURE): Case([0] * 2 + [5] * 16 + [9] * 3, many(0, times=2), many(9, times=2), 0.99),
    (JOINS, APPROXIMATE): Case([1, 1], [], many(0, times=2), 0.9),
    (REPLACED, APPROXIMATE): Case([1] * 4, many(0, times=2), many(9, times=2), 0.9),
    (JOINS, CONCENTRATED): Case([4], [], many(0, times=2), 0.99),
    (REPLACED, CONCENTRATED): Case([5] * 4 + [9] * 2, many(0, times=2), many(9, times=2), 0.97),
}
"""Of a person whose rows are alike, for a median. Among many equal ones one value has nearly all chance."""
WORST_OF_SHARES = WORST | {(REPLACED, APPROXIMATE): Case([0] * 2 + [1] * 6, many(0, times=2), many(9, times=2), 0.99)}
"""The same where all rows count."""
every_pair = pytest.mark.parametrize(("adjacency", "privacy"), WORST, ids=named)


@pytest.mark.slow(one_in=5)
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("per_person", ["mean", "median", "min", "max", "first", "last"])
def test_one_number_of_each_person(per_person, adjacency, monkeypatch):
    plan = Plan(["1/2"], "indexp", PURE, adjacency)
    check(plan, partial(persons, per_person=per_person), WORST[adjacency, PURE], monkeypatch)


@pytest.mark.slow(keep=("random-add_remove-pure", "weight-replace_one-approximate"))
@every_pair
@pytest.mark.parametrize("per_person", ["random", "weight"])
def test_a_random_row_of_each_person_and_all_rows(per_person, adjacency, privacy, monkeypatch):
    plan, worst = Plan(["1/2"], "indexp", privacy, adjacency), WORST_OF_SHARES if per_person == "weight" else WORST
    check(plan, partial(persons, per_person=per_person), worst[adjacency, privacy], monkeypatch)


@pytest.mark.slow(keep=("random-add_remove-approximate", "weight-replace_one-pure"))
@every_pair
@pytest.mark.parametrize("per_person", ["random", "weight"])
def test_a_person_with_rows_of_all_kinds(per_person, adjacency, privacy, monkeypatch):
    """At both ends and between: which of them is taken is drawn, or all are."""
    case = WORST[adjacency, privacy]._replace(after=[(value, "n") for value in (0.0, 9.0, 9.0)])
    plan = Plan(["1/2"], "indexp", privacy, adjacency)
    tables, answer = case.tables("n"), answered(plan, partial(persons, per_person=per_person))
    claim = release(persons(tables[0], per_person=per_person), plan).guarantee
    answers_of = partial(answer, tables[0]), partial(answer, tables[1])
    assert share_between(answers_of, privacy, claim, monkeypatch) <= 1 + ROUNDING


ROWS = {
    (JOINS, PURE): Case([1] * 8, [], many(0), 0.97),
    (REPLACED, PURE): Case([0] * 2, many(0), many(9), 0.84),
    (JOINS, APPROXIMATE): Case([1] * 8, [], many(0), 0.97),
    (REPLACED, APPROXIMATE): Case([0] * 2, many(0), many(9), 0.84),
    (JOINS, CONCENTRATED): Case([0] * 4, [], many(0), 0.98),
    (REPLACED, CONCENTRATED): Case([0] * 6, many(0), many(9), 0.93),
}
"""Of a person with three rows, of which two are kept."""


@pytest.mark.slow
@pytest.mark.parametrize(("adjacency", "privacy"), ROWS, ids=named)
def test_at_most_two_rows_of_each_person(adjacency, privacy, monkeypatch):
    plan = Plan(["1/2"], "indexp", privacy, adjacency)
    check(plan, partial(persons, max_rows_per_person=2), ROWS[adjacency, privacy], monkeypatch)


# ── groups ───────────────────────────────────────────────────────────────────────────────────────────────────────────

IN_BOTH = {
    (JOINS, PURE): Case([1] * 10, [], [(9, "n"), (9, "s")], 0.93),
    (REPLACED, PURE): Case([0], [(0, "n"), (0, "s")], [(9, "n"), (9, "s")], 0.87),
    (JOINS, APPROXIMATE): Case([1], [], [(0, "n"), (0, "s")], 0.31),
    (REPLACED, APPROXIMATE): Case([0], [(0, "n"), (0, "s")], [(9, "n"), (9, "s")], 0.32),
    (JOINS, CONCENTRATED): Case([0] * 3, [], [(0, "n"), (0, "s")], 0.99),
    (REPLACED, CONCENTRATED): Case([0] * 7, [(0, "n"), (0, "s")], [(9, "n"), (9, "s")], 0.99),
}


@pytest.mark.slow
@pytest.mark.parametrize(("adjacency", "privacy"), IN_BOTH, ids=named)
def test_a_person_in_two_groups(adjacency, privacy, monkeypatch):
    plan = Plan(["1/2"], "indexp", privacy, adjacency)

    build = partial(grouped, domain=GRID, names=["n", "s"], max_groups_per_person=2)
    check(plan, build, IN_BOTH[adjacency, privacy], monkeypatch, "ns")


IN_ONE = {
    (JOINS, PURE): Case([1] * 10, [], [(9, "n")], 0.99),
    (REPLACED, PURE): Case([0] * 10, [(0, "n")], [(9, "n")], 0.94),
    (JOINS, APPROXIMATE): Case([1] * 2, [], [(0, "n")], 0.93),
    (REPLACED, APPROXIMATE): Case([0] * 10, [(0, "n")], [(9, "n")], 0.94),
    (JOINS, CONCENTRATED): Case([4], [], [(0, "n")], 0.99),
    (REPLACED, CONCENTRATED): Case([0] * 5, [(0, "n")], [(9, "n")], 0.98),
}


@pytest.mark.slow
@pytest.mark.parametrize(("adjacency", "privacy"), IN_ONE, ids=named)
def test_a_person_in_one_of_two_groups(adjacency, privacy, monkeypatch):
    """Sizes are private, also where one is replaced: who stays in a group and changes there pays for two steps."""
    plan = Plan(["1/2"], "indexp", privacy, adjacency)
    check(plan, partial(grouped, domain=GRID, names=["n", "s"]), IN_ONE[adjacency, privacy], monkeypatch, "ns")


@pytest.mark.slow
def test_pooled_groups(monkeypatch):
    """Whoever is in a group that nobody listed counts in the last one."""
    plan, case = Plan(["1/2"], "indexp", PURE, JOINS), Case([5] * 5, [], [(9, "u")], 0.99)
    check(plan, partial(grouped, domain=GRID, names=["n"], other="rest"), case, monkeypatch, "nst")
