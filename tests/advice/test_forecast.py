"""The forecast: what it expects is what simulations show, and what it proposes does."""

import itertools
import sys
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpq_core import MECHANISMS, Column, ParameterError, People, Table, forecast, simulate
from dpq_core.advice import forecast as module
from dpq_core.advice.choice import NOT_KNOWN, Run
from dpq_core.advice.errors import LARGEST_ERROR, ROUND_BUDGETS, chances_of_far, error_of, least_size_for_all
from dpq_core.advice.forecast import MOST_NUMBERS, NAMED, WIDE
from dpq_core.asked_of import question_of
from dpq_core.domain.domain import Domain
from dpq_core.domain.finding import FindBounds
from dpq_core.grouping import FindGroups, Grouping
from dpq_core.plan import Intervals, Plan
from dpq_core.privacy.budgets import ZCDP, Adjacency, ApproxDP, PureDP
from dpq_core.privacy.composition import PrivacyUnit
from dpq_core.question import Persons
from dpq_core.schedule import schedule_of
from tests.advice.asked import ask, run_of
from tests.narrowing import only, present

DOMAIN = Domain(0, 1000)
PLAN = Plan(["1/4", "1/2", "3/4"], "aq", PureDP(1.0))
NAMES = ("north", "south", "west")
LISTED = Grouping(by=("region",), names=NAMES)


def of(plan: Plan = PLAN, about: Any = 50, columns: str = "a", **whole: Any) -> Any:
    return forecast(ask(columns, plan, DOMAIN, groups=whole.pop("groups", LISTED), **whole), about)


def measured(plan: Plan, size: int, **how: Any) -> float:
    """Return the mean rank error in groups of so many records, as a fraction of these: an even spread, half as wide."""
    values = np.random.default_rng(3).uniform(200, 700, 60 * size)
    groups = Column.from_values(values, DOMAIN, groups=np.repeat(np.arange(60), size), names=range(60), seed=0, **how)
    return float(simulate(groups, plan, 8).rank_errors["column"].mean()) / size


@pytest.mark.slow(keep="joins")
@pytest.mark.parametrize(("plan", "each"), [
    (PLAN, None), (replace(PLAN, privacy=ZCDP(0.1), adjacency=Adjacency.REPLACE_ONE), None),
    (replace(PLAN, privacy=PureDP(4.0), mechanism="indexp"), 3),
], ids=["joins", "replaced", "three groups each"])  # fmt: skip
def test_a_group_is_too_small_where_simulated_groups_of_its_size_are(plan: Plan, each: int | None) -> None:
    persons = each and Persons(per_person="mean", column="id", max_groups=each)
    least = of(plan, persons=persons).columns[0].least_size
    for size, too_small in ((2 * least, False), (least // 2, True)):
        how: Any = {"people": People.of(range(60 * size)), "max_groups_per_person": each} if each else {}
        assert (measured(plan, size, **how) > LARGEST_ERROR) == too_small


def test_every_group_has_the_error_of_its_own_guess() -> None:
    (found,) = of(about={"north": 64, "south": 512, "west": 4000}).columns
    assert [(row.group, row.n) for row in found.rows] == [("north", 64), ("south", 512), ("west", 4000)]
    for row in found.rows[:2]:
        assert 0.9 <= row.share / measured(PLAN, row.n) <= 1.6, "its shapes are harder than the even one"
    assert found.rows[2].error == pytest.approx(found.rows[1].error, rel=0.5), "in records it hardly depends on n"
    assert (found.small, found.budget, found.pool) == ((), None, None)


@pytest.mark.slow
@pytest.mark.parametrize("columns", ["a", "ab"])
def test_with_more_than_sixty_groups_in_all_columns_a_draw_is_of_one_quantile(columns: str) -> None:
    """Its errors are not those of a draw of several, and forecasts and sizes that are large enough say so."""
    plan, size = replace(PLAN, quantiles=tuple(Fraction(at, 10) for at in range(1, 10))), 300
    few, many = (
        of(plan, size, columns, budget=PureDP(len(columns)), groups=Grouping(by=("g",), names=tuple(range(at))))
        for at in (30, 61)
    )
    assert many.rows[0].error > 1.1 * few.rows[0].error
    values = np.random.default_rng(3).uniform(200, 700, 61 * size)
    groups = Column.from_values(values, DOMAIN, groups=np.repeat(np.arange(61), size), names=range(61), seed=0)
    in_many = float(simulate(groups, plan, 8).rank_errors["column"].mean())
    assert 0.9 <= many.rows[0].error / in_many <= 1.6, "its shapes are harder than the even one"


@pytest.mark.slow
@pytest.mark.parametrize("adjacency", Adjacency)
def test_a_plan_that_the_largest_simulated_group_is_too_small_for_has_a_forecast(adjacency: Adjacency) -> None:
    """Slices with a tiny budget take a million records: smaller groups are too small, and errors are numbers."""
    plan = Plan(PLAN.quantiles, "slice", ApproxDP(0.01, 1e-6), adjacency)
    (found,) = of(plan, {"north": 10**6, "south": 50}, groups=Grouping(by=("g",), names=("north", "south"))).columns
    assert found.rows[0].error < 10**6 * LARGEST_ERROR
    assert found.rows[1].error == 50
    assert ([row.group for row in found.small], found.least_size) == (["south"], 163_840)


@pytest.mark.slow
def test_a_mechanism_that_needs_many_records_is_simulated_for_the_very_size_that_was_guessed() -> None:
    """The fault that was there: 1,900 records are enough, and the sizes that are simulated begin with 1,024 below."""
    plan = Plan([f"{tenth}/10" for tenth in range(1, 10)], "slice", ApproxDP(1.0, 1e-6))
    two = Grouping(by=("g",), names=("a", "b"))
    (found,) = of(plan, {"a": 1900, "b": 100}, groups=two).columns
    assert found.rows[0].share < 0.01
    assert 1024 < found.least_size < 1900
    assert found.least_size == pytest.approx(least_size_for_all(Run(plan, DOMAIN)), rel=0.1)
    assert [row.group for row in found.small] == ["b"]
    assert "for about " in of(plan, 1100, groups=two).columns[0].not_simulated


def test_a_forecast_is_of_the_plan_with_its_options() -> None:
    """The fault that was there: it left them out, so that four bins erred as little as the usual number."""
    binned = Run(replace(PLAN, mechanism="binhist", options={"bins": 4}), DOMAIN)
    sketched = Run(replace(PLAN, mechanism="gkexp", options={"n_max": 1000}), DOMAIN)
    assert error_of(sketched, 1000) < 10 < 100 < error_of(binned, 1000)
    assert max(chances_of_far(sketched, 1000) or (1,)) < 0.5 < min(chances_of_far(binned, 1000) or (0,))


def test_what_is_proposed_does_and_less_does_not() -> None:
    size = 18
    (found,) = of(about=size).columns
    assert len(found.small) == 3
    enough = found.budget.epsilon
    less = max(each for each in ROUND_BUDGETS if each < enough)
    errors = [error_of(run_of(PLAN.quantiles, PureDP(e), domain=DOMAIN, groups=3, mechanism="aq"), size)
              for e in (enough, less)]  # fmt: skip
    assert errors[0] <= LARGEST_ERROR * size / 1.05 < errors[1], "with a twentieth to spare"
    assert measured(replace(PLAN, privacy=PureDP(enough)), size) < 1.2 * LARGEST_ERROR
    assert (found.pool - 1) * size < found.least_size <= found.pool * size
    assert f"a budget of {found.budget}, or groups of {found.pool} pooled" in " ".join(found.sentences)


@pytest.mark.slow
def test_the_least_budget_is_that_of_the_whole() -> None:
    one, two = (only(PureDP, forecast(ask(names, PLAN, DOMAIN), 1000).least_budget(0.01)) for names in ("a", "ab"))
    assert 2 * one.epsilon <= two.epsilon <= 3 * one.epsilon, "the next round one"
    assert error_of(run_of(PLAN.quantiles, one, domain=DOMAIN, mechanism="aq"), 1000) <= 10
    assert forecast(ask("a", PLAN, DOMAIN), 1000).least_budget(1e-9) is None


@pytest.mark.parametrize(
    ("about", "groups"), [({"north": 5}, LISTED), (0, None), (float("nan"), None), (None, None), ({"a": 5}, None)]
)
def test_a_guess_is_a_whole_number_for_every_group(about: Any, groups: Any) -> None:
    with pytest.raises(ParameterError) as error:
        of(about=about, groups=groups)
    assert error.value.name == "n"


def test_what_cannot_be_simulated_is_said() -> None:
    for word in ("slice", "normal", "nobody's"):
        found = of(replace(PLAN, mechanism=word))
        assert word in found.columns[0].not_simulated
        assert found.sentences[0].startswith("The errors of this plan cannot be simulated. ")
        assert found.rows[0].error is None
        assert np.isnan(found.to_frame()["rank_error"]).all()
    found = forecast(ask(plan=PLAN, domain=FindBounds()), 500)
    assert found.sentences[-1] == module.BOUNDS_FIRST
    assert present(found.rows[0].error) > 0
    assert found.rows[0].in_unit is None


def test_a_forecast_simulates_the_mechanism_of_a_release_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for key in MECHANISMS.keys() - {"aq"}:
        monkeypatch.setattr(MECHANISMS[key], "run", lambda *_, key=key: pytest.fail(key))
    found = forecast(ask(), 1003)
    assert (found.question.columns["a"].mechanism, found.question.columns["a"].about_n) == ("aq", None)
    assert found.why["a"] == NOT_KNOWN
    assert found.rows[0].error == error_of(run_of(mechanism="aq"), 1003), "all levels are drawn"
    monkeypatch.undo()
    assert forecast(ask(about_n=20), 1003).question.columns["a"].mechanism == "aggtree", "the question's own decides"


def test_columns_are_forecast_at_their_parts_of_the_budget() -> None:
    half = replace(PLAN, privacy=PureDP(0.5))
    for groups in (None, LISTED):
        alone, both = of(half, 200, groups=groups), of(PLAN, 200, "ab", groups=groups)
        assert [row.error for row in both.rows] == 2 * [row.error for row in alone.rows]
        assert both.sentences[0] == f"a: {alone.sentences[0]}"


@pytest.mark.parametrize("mechanism", ["aq", "indexp"])
def test_errors_in_the_unit_of_a_column_are_those_of_a_simulation(mechanism: str) -> None:
    """On an even spread and on a bell: between the easiest and the hardest shape, and by the order of the middle."""
    plan, n = replace(PLAN, mechanism=mechanism), 400
    (row,) = forecast(ask(plan=plan, domain=DOMAIN), n).rows
    rng = np.random.default_rng(1)
    for values in (rng.uniform(0, 1000, n), rng.normal(500, 100, n)):
        study = simulate(Column.from_values(values, DOMAIN, seed=0), plan, 256)
        true = np.sort(values)[[int(level * n) - 1 for level in plan.quantiles]]
        off = float(np.abs(study.values["column"] - true).mean())
        assert present(row.in_unit).low < off < 1.4 * present(row.in_unit).high, "an even spread is the hardest but one"
        assert present(row.in_unit).typical < off < 6 * present(row.in_unit).typical


@pytest.mark.slow(keep="aggtree")
@pytest.mark.parametrize("mechanism", ["aggtree", "aq"])
def test_intervals_are_as_wide_as_those_of_a_simulation(mechanism: str) -> None:
    plan, n = replace(PLAN, mechanism=mechanism, intervals=Intervals(0.9), about_n=500), 500
    (row,) = forecast(ask(plan=plan, domain=DOMAIN, about_n=n)).rows
    study = simulate(Column.from_values(np.arange(0, 1000, 2), DOMAIN, seed=0), plan, 64)
    width = float(np.diff(present(study.cells[0].intervals)).mean())
    assert 0.7 < present(row.interval) / (width / 2) < 1.2, "two values a record, and other shapes are narrower"
    assert present(row.interval_in_unit).low <= width <= 1.3 * present(row.interval_in_unit).high
    assert "Intervals are about" in forecast(ask(plan=plan, domain=DOMAIN, about_n=n)).sentences[1]


def test_intervals_as_wide_as_the_possible_values_are_not_given_a_width() -> None:
    """At a fiftieth of the budget they say nothing, and the forecast says that in place of their width."""
    plan = replace(PLAN, intervals=Intervals(0.9), about_n=500)
    for privacy, nothing in ((PureDP(1.0), False), (PureDP(0.02), True)):
        found = forecast(ask(plan=replace(plan, privacy=privacy), domain=DOMAIN, about_n=500))
        (column,) = found.columns
        assert bool(column.too_wide) is nothing
        assert (WIDE.format("") in found.sentences) is nothing


def test_only_the_groups_whose_intervals_say_nothing_are_named_for_it() -> None:
    plan = replace(PLAN, intervals=Intervals(0.9), privacy=PureDP(1.0))
    sizes = {"north": 500, "south": 20, "west": 500}
    (column,) = forecast(ask(plan=plan, domain=DOMAIN, about_n=sizes, groups=LISTED)).columns
    assert [row.group for row in column.too_wide] == ["south"]
    assert WIDE.format(" of south") in column.sentences
    assert any("Intervals are about" in each for each in column.sentences)


def test_sentences_on_four_times_as_many_groups_take_four_times_as_many_steps() -> None:
    def steps(groups: int) -> int:
        rows = tuple(module.Expected(column="x", group=f"g{at}", n=9, error=1.0, interval=9.0) for at in range(groups))
        column, counted = module.ExpectedColumn(name="x", rows=rows, least_size=5), itertools.count()
        sys.setprofile(lambda *_: next(counted) and None)
        try:
            assert len(column.sentences) == 2
        finally:
            sys.setprofile(None)
        return next(counted)

    assert steps(400) < 5 * steps(100)


@pytest.mark.slow
def test_intervals_of_too_many_different_numbers_are_not_worked_out() -> None:
    names = tuple(range(MOST_NUMBERS + 1))
    plan = replace(PLAN, intervals=Intervals(0.9), about_n=dict.fromkeys(names, 9))
    asked = ask(plan=plan, domain=DOMAIN, about_n={name: 500 + name for name in names},
                groups=Grouping(by=("g",), names=names))  # fmt: skip
    assert {row.interval for row in forecast(asked).rows} == {None}


@pytest.mark.parametrize("per_person", ["mean", "weight"])
def test_the_chance_to_be_named_is_that_of_the_release(per_person: Any) -> None:
    """The very rule of a table with rows; by shares the rows of a person count as 64 units."""
    frame = {"id": range(600), "pay": range(600), "sex": ["f"] * 500 + ["m"] * 100}
    each: dict[str, Any] = {} if per_person == "weight" else {"max_groups_per_person": 2}
    table = Table.from_frame(
        frame, {"pay": (0, 1000, 1)}, person="id", per_person=per_person, by={"sex": FindGroups()}, **each
    )
    plan = replace(PLAN, privacy=ApproxDP(1.0, 1e-6))
    question = question_of(table, plan)
    rule = schedule_of(table.columns, question.plan).naming
    assert rule is not None
    found, units = forecast(question, 500), 64 if per_person == "weight" else 1
    exact = [chance / 2**rule.bits for chance in rule.chances(10**6)]
    for persons in (0, 1, 20, 100, 10**4):
        chance = found.chances_named[min(persons, len(found.chances_named) - 1)]
        assert chance == exact[min(persons * units, len(exact) - 1)]
    least = found.least_named
    assert least is not None
    assert exact[(least - 1) * units] < NAMED <= exact[least * units]
    assert f"A group of at least {least:,} persons is named with a chance of 95 % or more" in found.sentences[-1]
    assert found.rows[0].group is None
    assert present(found.rows[0].error) > 0


def test_slices_need_the_same_number_in_every_group_and_other_mechanisms_none() -> None:
    run = run_of(PLAN.quantiles, domain=DOMAIN, mechanism="slice")
    least, refused = least_size_for_all(run), MECHANISMS["slice"].PROFILE.refused_on
    assert refused(run.plan, DOMAIN.cells, least - 1) is not None
    assert refused(run.plan, DOMAIN.cells, least) is None
    assert least_size_for_all(run_of(PLAN.quantiles, PureDP(2.0), domain=DOMAIN, mechanism="slice")) < least
    assert least_size_for_all(replace(run, unit=PrivacyUnit(max_groups_per_person=2))) > least, (
        "each has half of the budget"
    )
    assert least_size_for_all(run.by("aq")) == 1
    replaced = run_of(PLAN.quantiles, adjacency=Adjacency.REPLACE_ONE, mechanism="slice")
    assert least_size_for_all(replaced) == 1, "refused before any draw"


def test_a_frame_has_a_row_for_each_column_and_group() -> None:
    frame = of(about={"north": 64, "south": 512, "west": 4000}, columns="ab").to_frame()
    assert frame["column"].tolist() == list("aaabbb")
    assert frame["group"].tolist() == 2 * list(NAMES)
    assert (frame["rank_share"] == frame["rank_error"] / frame["n"]).all()
    assert (frame["unit_error_low"] <= frame["unit_error"]).all()
    assert (frame["unit_error"] <= frame["unit_error_high"]).all()
