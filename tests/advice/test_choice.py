"""Choose for me: the line of the rule that decides, that what is chosen is available, and how much is lost by it."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

import dpq_core as dpq
from dpq_core import MECHANISMS, ZCDP, Adjacency, ApproxDP, Domain, FindBounds, Intervals, Plan, PureDP
from dpq_core.advice import choice, simulation
from dpq_core.advice.choice import FOUND_GROUPS, by_rule, choose, groups_in_all, runs_of, unit_of_question, with_best
from dpq_core.asked_of import question_of
from dpq_core.calibrations import MOST_OF_SEVERAL, Calibrated, calibrate, plan_of_group
from dpq_core.group_privacy import CalibratesEach
from dpq_core.grouping import FindGroups, Grouping
from dpq_core.mechanisms.registry import SIDE_BY_SIDE
from dpq_core.plan import BEST
from dpq_core.privacy.composition import PrivacyUnit, unit_of_groups
from dpq_core.studies.design import even_levels
from tests.advice.asked import FINE, ask, run_of

JOIN, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE_ONE
NARROW = Domain(0, 100, 1)
DECILES = even_levels(9)
APPROXIMATE = ApproxDP(1.0, 1e-6)


@pytest.mark.parametrize(("changed", "mechanism", "why"), [
    ({}, "aq", "There are enough records for this budget. Each counts once in every halving, about 4 times for 9"),
    ({"n": None}, "aq", choice.NOT_KNOWN), ({"levels": 1, "domain": Domain(0, 4, 1)}, "aq", choice.ONE_DRAW),
    ({"domain": Domain(0, 89, 1)}, "binhist", "The column has only 90 possible values."),
    ({"domain": Domain(0, 90, 1)}, "aq", "There are enough"),
    ({"domain": Domain(0, 9, 1), "privacy": ZCDP(0.5)}, "aq", "There are enough"),
    ({"domain": Domain(0, 8, 1), "privacy": ZCDP(0.5)}, "binhist", "The column has only 9"),
    ({"domain": Domain(0, 8, 1), "n": 3}, "indexp", "The budget is very small for 3 records."),
    ({"n": 31, "adjacency": REPLACE}, "indexp", "The budget is very small"),
    ({"n": 31}, "aggtree", "There are many quantiles for 31 records"),
    ({"n": 31, "privacy": APPROXIMATE}, "aggtree", "There are many quantiles"), ({"n": 72}, "aq", "There are enough"),
    ({"n": 26, "privacy": ZCDP(0.5)}, "aggtree", "There are many quantiles"),
    ({"n": 27, "privacy": ZCDP(0.5)}, "aq", "There are enough"),
    ({"n": 7, "privacy": ZCDP(0.5)}, "indexp", "The budget is very small"),
    ({"adjacency": REPLACE}, "jointexp", "Where one record is replaced, up to 45"),
    ({"adjacency": REPLACE, "privacy": ZCDP(0.5), "levels": 4}, "indexp", "Where one record is"),
    ({"adjacency": REPLACE, "privacy": ZCDP(0.5), "levels": 5}, "aq", "There are enough"),
    ({"groups": MOST_OF_SEVERAL}, "aq", "There are enough"),
    ({"groups": MOST_OF_SEVERAL, "levels": 6}, "aq", "There are enough"),
    ({"groups": MOST_OF_SEVERAL + 1, "levels": 6}, "freetotal", "In many groups, up to 6"),
    ({"groups": 150, "levels": 1, "intervals": Intervals(0.95)}, "aq", "There are enough"),
    ({"groups": 101, "adjacency": REPLACE, "n": 72}, "aq", "There are enough"),
    ({"intervals": Intervals(0.95)}, "aggtree", "A tree of counts errs about as little for 2"),
    ({"intervals": Intervals(0.95), "n": 20_001}, "aq", "There are enough"),
    ({"intervals": Intervals(0.95), "levels": 3}, "aq", "There are enough"),
    ({"intervals": Intervals(0.95), "adjacency": REPLACE}, "jointexp", "Where one record is replaced"),
    ({"intervals": Intervals(0.95), "n": 200, "privacy": PureDP(0.5)}, "aggtree", "There are many quantiles"),
    ({"unit": PrivacyUnit("person", 20)}, "aggtree", "There are many quantiles"),
    ({"unit": PrivacyUnit("person", 100)}, "indexp", "The budget is very small"),
])  # fmt: skip
def test_every_line_of_the_rule_decides_where_it_says_so(changed: dict[str, Any], mechanism: str, why: str) -> None:
    """Some 19 levels are drawn where nine have intervals; a person with 20 records leaves each a twentieth of ε."""
    n = changed.pop("n", 1000)
    found, because = next(by_rule(run_of(**changed), n))
    assert (found, because[: len(why)]) == (mechanism, why)
    assert because.endswith(".")


UNITS = (
    PrivacyUnit(), PrivacyUnit("person", 5), unit_of_groups(JOIN, 3, max_rows_per_person=2),
    unit_of_groups(JOIN, 1, shares=True),
)  # fmt: skip


@pytest.mark.slow(one_in=4)
@pytest.mark.parametrize("privacy", [PureDP(1.0), PureDP(1e-6), APPROXIMATE, ZCDP(0.125)], ids=str)
def test_what_is_chosen_is_available(privacy: Any) -> None:
    """For whole columns and groups, of records, persons and shares, with few and many levels and possible values."""
    options = product((0, 50, 2000, 10**7, None), (2, 9, 99), tuple(Adjacency), (NARROW, FINE), UNITS, (None, 150))
    for n, levels, adjacency, domain, unit, groups in options:
        if adjacency is REPLACE and not unit.is_one_record:
            continue  # a step of a unit joins or leaves
        run = run_of(levels, privacy, adjacency, domain, unit, groups)
        plan = run.by(next(by_rule(run, n))[0]).plan
        assert MECHANISMS[plan.mechanism].PROFILE.reads_shares, "rows of persons may weigh shares"
        assert groups != 150 or plan.mechanism in SIDE_BY_SIDE
        if groups is None:
            Calibrated.of_facts(plan, CalibratesEach(unit, calibrate), n if adjacency is REPLACE else None)
        else:
            plan_of_group(plan, unit)


def test_a_choice_draws_and_simulates_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation.Simulation, "__init__", lambda *_: pytest.fail("nothing is simulated"))
    for key, mechanism in MECHANISMS.items():
        monkeypatch.setattr(mechanism, "run", lambda *_, key=key: pytest.fail(key))
    assert choose(ask(about_n=1000)) == choose(ask(about_n=1000))


def test_proved_intervals_get_a_mechanism_with_a_theorem() -> None:
    asked = Plan(even_levels(9), BEST, PureDP(1.0), REPLACE, intervals=Intervals(0.95))
    proved = replace(asked, intervals=Intervals(0.95, proved=True))
    mechanisms = [choose(ask(plan=plan), {"a": 5000}).run.plan.mechanism for plan in (asked, proved)]
    assert mechanisms == ["jointexp", "aggtree"]


def test_a_sketch_gets_a_mechanism_that_reads_it_and_what_was_chosen_stays() -> None:
    held = {
        "a": {"held": "gk", "sketch": {"n_max": 1000}}, "b": {"held": "bins"}, "c": {"mechanism": "jointexp"},
        "d": {"levels": ()},
    }  # fmt: skip
    found = choose(ask("abcd", of_columns=held))
    assert {name: each.mechanism for name, each in found.question.columns.items()} == {
        "a": "gkexp", "b": "binhist", "c": "jointexp", "d": "aq",
    }  # fmt: skip
    assert found.why.keys() == {"a", "b"}
    assert runs_of(found.question)["a"].plan.options == {"n_max": 1000}


def test_columns_are_chosen_for_at_their_parts_of_the_budget() -> None:
    parts: Any = {"a": {"possible": FindBounds("1/2"), "weight": Fraction(9)}, "b": {}}
    asked = ask("ab", about_n=100, of_columns=parts)
    found = choose(asked).question
    assert {name: each.mechanism for name, each in found.columns.items()} == {"a": "aggtree", "b": "indexp"}
    assert found.budget == asked.budget
    assert [str(run.plan.privacy) for run in runs_of(found).values()] == ["ε = 0.45", "ε = 0.1"]
    counted = {"a": {"noisy_count": True, "intervals": Intervals(0.95)}}
    assert [str(run.plan.privacy) for run in runs_of(ask("a", of_columns=counted)).values()] == ["ε = 0.95"]
    named = Grouping(by=("g",), names=FindGroups("9/10"))
    (late,) = runs_of(ask(about_n=100, groups=named, budget=APPROXIMATE)).values()
    assert str(late.plan.privacy) == "ε = 0.1, δ = 0.000001"


def test_a_synthetic_column_is_chosen_for_as_many_levels_as_values() -> None:
    (run,) = runs_of(ask(of_columns={"a": {"synthetic": 100}})).values()
    assert run.plan.quantiles[:2] == (Fraction(1, 200), Fraction(3, 200))
    assert choose(ask(about_n=300, of_columns={"a": {"synthetic": 100}})).run.plan.mechanism == "aggtree"


def test_a_question_in_groups_has_the_choice_of_its_groups() -> None:
    """The fault that was there: the package chose as for a whole column, and the page as for its groups."""
    plan = Plan(even_levels(3), BEST, PureDP(1.0))
    sizes: Any = {name: 20 + name for name in range(60)}
    for count, about, mechanism in ((60, 1000, "aq"), (61, 1000, "freetotal"), (60, 20, "aggtree"), (60, sizes, "aq")):
        names = Grouping(by=("g",), names=tuple(range(count)))
        assert choose(ask(plan=plan, about_n=about, groups=names)).run.plan.mechanism == mechanism
    assert choose(ask(plan=plan, about_n=sizes, groups=names)).n == 50, "of the middle one"
    two = ask("ab", plan=plan, groups=Grouping(by=("g",), names=("x", "y"), other="rest"))
    assert groups_in_all(two) == 6
    assert groups_in_all(replace(two, groups=Grouping(by=("g",), names=FindGroups()))) == FOUND_GROUPS


def test_the_package_chooses_what_the_question_does_for_every_kind_of_person() -> None:
    """With the number of records where that is public; a replaced person with two rows is four steps of one."""
    frame = {"id": list(range(50)) * 2, "pay": list(range(100)), "sex": ["f", "m"] * 50}
    for how, steps, mechanism in (({"max_rows_per_person": 2}, 4, "aq"), ({"per_person": "weight"}, 1, "aggtree")):
        for adjacency, groups in product(Adjacency, (False, True)):
            settings: Any = how | ({"by": {"sex": ["f", "m"]}} if groups else {})
            settings |= {"max_groups_per_person": 3} if groups and "max_rows_per_person" in how else {}
            table = dpq.Table.from_frame(frame, {"pay": (0, 10_000, 1)}, person="id", **settings)
            plan = Plan(DECILES, BEST, PureDP(1.0), adjacency)
            whole, asked = table.columns["pay"], question_of(table, plan)
            assert unit_of_question(asked) == whole.unit_between(adjacency)
            found = with_best(table.columns, plan).mechanisms
            if adjacency is REPLACE and not groups:
                assert (unit_of_question(asked).steps_per_group, *found) == (steps, mechanism)
            else:
                assert found == (choose(asked).run.plan.mechanism,)
