"""Choose for me: the line of the rule that decides, that what is chosen is available, and how much is lost by it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

import dpq_core as dpq
from dpq_core import MECHANISMS, ZCDP, Adjacency, ApproxDP, Domain, Intervals, Plan, PublicFacts, PureDP, choose
from dpq_core.advice import choice, simulation
from dpq_core.advice.choice import BEST, FOUND_GROUPS
from dpq_core.advice.columns import PublicColumns, best_plans, parts_of_columns
from dpq_core.advice.forecast import error_of
from dpq_core.api import with_best
from dpq_core.calibrations import calibrate_unit
from dpq_core.groups.calibration import MOST_OF_SEVERAL, plan_of_group
from dpq_core.mechanisms.registry import SIDE_BY_SIDE
from dpq_core.privacy.composition import Unit, unit_of_groups
from dpq_core.studies.grid import even_levels

JOIN, REPLACE = Adjacency.ADD_REMOVE, Adjacency.SUBSTITUTE
NARROW, FINE = Domain(0, 100, 1), Domain(0, 100)
DECILES = even_levels(9)
USUAL = PublicFacts(quantiles=DECILES, privacy=PureDP(1.0), n=1000, domain=FINE)
APPROXIMATE = ApproxDP(1.0, 1e-6)


@pytest.mark.parametrize(
    ("changed", "mechanism", "why"),
    [
        ({}, "aq", "There are enough records for this budget. Each counts once in every halving, about 4 times for 9"),
        ({"n": None}, "aq", choice.NOT_KNOWN),
        ({"quantiles": even_levels(1), "domain": Domain(0, 4, 1)}, "aq", choice.ONE_DRAW),
        ({"domain": Domain(0, 89, 1)}, "binhist", "The column has only 90 possible values."),
        ({"domain": Domain(0, 90, 1)}, "aq", "There are enough"),
        ({"domain": Domain(0, 9, 1), "privacy": ZCDP(0.5)}, "aq", "There are enough"),
        ({"domain": Domain(0, 8, 1), "privacy": ZCDP(0.5)}, "binhist", "The column has only 9"),
        ({"domain": Domain(0, 8, 1), "n": 3}, "indexp", "The budget is very small for 3 records."),
        ({"n": 31, "adjacency": REPLACE}, "indexp", "The budget is very small"),
        ({"n": 31}, "aggtree", "There are many quantiles for 31 records"),
        ({"n": 31, "privacy": APPROXIMATE}, "aggtree", "There are many quantiles"),
        ({"n": 72}, "aq", "There are enough"),
        ({"n": 26, "privacy": ZCDP(0.5)}, "aggtree", "There are many quantiles"),
        ({"n": 27, "privacy": ZCDP(0.5)}, "aq", "There are enough"),
        ({"n": 7, "privacy": ZCDP(0.5)}, "indexp", "The budget is very small"),
        ({"adjacency": REPLACE}, "jointexp", "Where one record is replaced, up to 45"),
        ({"adjacency": REPLACE, "privacy": ZCDP(0.5), "quantiles": even_levels(4)}, "indexp", "Where one record is"),
        ({"adjacency": REPLACE, "privacy": ZCDP(0.5), "quantiles": even_levels(5)}, "aq", "There are enough"),
        ({"groups": MOST_OF_SEVERAL}, "aq", "There are enough"),
        ({"groups": MOST_OF_SEVERAL, "quantiles": even_levels(6)}, "aq", "There are enough"),
        ({"groups": MOST_OF_SEVERAL + 1, "quantiles": even_levels(6)}, "freetotal", "In many groups, up to 6"),
        ({"groups": 150, "quantiles": even_levels(1), "intervals": Intervals(0.95)}, "aq", "There are enough"),
        ({"groups": 101, "adjacency": REPLACE, "n": 72}, "aq", "There are enough"),
        ({"intervals": Intervals(0.95), "n": 200, "privacy": PureDP(0.5)}, "aggtree", "There are many quantiles"),
        ({"unit": Unit("person", 20)}, "aggtree", "There are many quantiles"),
        ({"unit": Unit("person", 100)}, "indexp", "The budget is very small"),
    ],
)
def test_every_line_of_the_rule_decides_where_it_says_so(changed: dict[str, Any], mechanism: str, why: str) -> None:
    """Some 19 levels are drawn where nine have intervals; a person with 20 records leaves each a twentieth of ε."""
    found = choose(replace(USUAL, **changed))
    assert (found.mechanism, found.why[: len(why)]) == (mechanism, why)
    assert found.why.endswith(".")


UNITS = (Unit(), Unit("person", 5), unit_of_groups(JOIN, 3, most_rows=2), unit_of_groups(JOIN, 1, shared_draws=9))


@pytest.mark.parametrize("privacy", [PureDP(1.0), PureDP(1e-6), APPROXIMATE, ZCDP(0.125)], ids=str)
def test_what_is_chosen_is_available(privacy: Any) -> None:
    """For whole columns and groups, of records, persons and shares, with few and many levels and possible values."""
    options = product((0, 50, 2000, 10**7, None), (2, 9, 99), tuple(Adjacency), (NARROW, FINE), UNITS, (None, 150))
    for n, levels, adjacency, domain, unit, groups in options:
        if adjacency is REPLACE and not unit.is_one_record:
            continue  # a step of a unit joins or leaves
        facts = PublicFacts.of(Plan(even_levels(levels), BEST, privacy, adjacency), n, domain, unit, groups=groups)
        plan = choose(facts).plan
        assert plan == Plan(even_levels(levels), plan.mechanism, privacy, adjacency)
        assert MECHANISMS[plan.mechanism].PROFILE.reads_shares, "rows of persons may weigh shares"
        assert groups != 150 or plan.mechanism in SIDE_BY_SIDE
        if groups is None:
            calibrate_unit(plan, n if adjacency is REPLACE else None, unit)
        else:
            plan_of_group(plan, unit, dpq.calibrate)


def test_a_choice_draws_and_simulates_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation.Simulation, "__init__", lambda *_: pytest.fail("nothing is simulated"))
    for key, mechanism in MECHANISMS.items():
        monkeypatch.setattr(mechanism, "run", lambda *_, key=key: pytest.fail(key))
    assert choose(USUAL) == choose(USUAL)


def test_intervals_and_a_guess_stay_with_the_plan() -> None:
    asked = Plan(DECILES, BEST, PureDP(1.0), intervals=0.95, about_n=1000)
    assert choose(PublicFacts.of(asked, 1000, FINE)).plan == replace(asked, mechanism="aq")
    many = Plan(even_levels(30), BEST, PureDP(1.0), about_n=1000)
    assert choose(PublicFacts.of(many, 1000, FINE)).plan == replace(many, mechanism="aq")


def test_columns_are_chosen_for_at_their_parts_of_the_budget() -> None:
    public = PublicColumns(
        domains={"a": FINE, "b": FINE}, n=100, weights={"a": 9, "b": 1}, bounding={"a": Fraction(1, 2)}
    )
    plan = Plan(DECILES, BEST, PureDP(1.0))
    assert {name: each.mechanism for name, each in best_plans(plan, public).items()} == {"a": "aggtree", "b": "indexp"}
    assert {each.privacy for each in best_plans(plan, public).values()} == {PureDP(1.0)}
    parts = parts_of_columns({"a": plan, "b": replace(plan, mechanism="jointexp")}, public)
    assert [(each.mechanism, str(each.privacy)) for each in parts.values()] == [
        ("aggtree", "ε = 0.45"),
        ("jointexp", "ε = 0.1"),
    ]
    names_first = replace(public, bounding={}, naming=Fraction(9, 10), n=1000)
    assert {each.mechanism for each in best_plans(plan, names_first).values()} == {"aq", "indexp"}


def test_a_table_in_groups_has_the_choice_of_its_groups() -> None:
    """The fault that was there: the package chose as for a whole column, and the page as for its groups."""
    values, labels = np.arange(61.0), np.arange(61)
    few, many = (
        dpq.Groups.from_values(values[:count], labels[:count], FINE, names=range(count), seed=0) for count in (60, 61)
    )
    plan, guess = Plan(even_levels(3), BEST, PureDP(1.0)), 1000
    guessed = replace(plan, intervals=Intervals(0.5), about_n=guess)
    public = PublicColumns.of({"a": few, "b": many}, {"a": guessed, "b": guessed})
    assert (public.groups, public.n, public.naming) == (121, guess, None)
    sizes = replace(guessed, about_n={name: 20 + name for name in range(60)})
    assert PublicColumns.of({"a": few}, {"a": sizes}).n == 50, "of the middle one"
    found = dpq.Groups.from_values(values, labels, FINE, names=None, people=dpq.People.of(labels), finding=0.2, seed=0)
    unlisted = PublicColumns.of({"a": found}, {"a": plan})
    assert (unlisted.groups, unlisted.naming) == (FOUND_GROUPS, Fraction(0.2))
    assert best_plans({"a": plan}, replace(public, domains={"a": FINE}))["a"].mechanism == "freetotal"
    assert with_best({"a": few}, replace(guessed, about_n=20)).mechanisms == ("aggtree",)
    assert with_best({"a": few}, plan).mechanisms == ("aq",), "where nobody guessed how many there are"


def test_persons_of_a_table_have_the_choice_for_their_records() -> None:
    frame = {"id": list(range(50)) * 2, "pay": list(range(100))}
    plan = Plan(DECILES, BEST, PureDP(1.0), REPLACE)
    for how, steps, n, mechanism in (({"most_rows": 2}, 4, None, "aq"), ({"take": "share"}, 1, 50, "aggtree")):
        table = dpq.Table.from_frame(frame, {"pay": (0, 10_000, 1)}, person="id", **how)
        public = PublicColumns.of(table.columns, {"pay": plan})
        assert (public.units["pay"].steps_per_group, public.n) == (steps, n)
        assert with_best(table.columns, plan).mechanisms == (mechanism,)


def test_a_forecast_simulates_the_chosen_mechanism_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for key in MECHANISMS.keys() - {"aq"}:
        monkeypatch.setattr(MECHANISMS[key], "run", lambda *_, key=key: pytest.fail(key))
    found = dpq.forecast_groups(replace(choose(USUAL).plan, mechanism=BEST), FINE, range(3), 1003)
    assert found.plan.mechanism == "aq"
    assert found.errors[0] == error_of(found.plan, FINE, 1003, groups=3)
