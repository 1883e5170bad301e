"""Lists of groups as they are typed, and what the answers of groups say."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dpq_core import Adjacency, ApproxDP, Domain, ParameterError, Plan, PureDP
from dpq_core.groups.calibration import CalibratedGroups
from dpq_core.groups.names import GroupColumn
from dpq_core.results import exports
from dpq_core.results.data_set import PublicData
from dpq_core.results.groups.choice import GroupChoice, parse_guesses, parse_names
from dpq_core.results.persons import PersonChoice
from dpq_core.results.simulated import simulate_groups_of
from dpq_core.results.tables.asked import calibrated_groups
from dpq_core.results.tables.kinds import TableRequest

DOMAIN = Domain(0, 100)
PLAN = Plan([Fraction(1, 2)], "aq", PureDP(1.0))


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("north\n\n south \nnorth", ("north", "south")),
        ('a, "b, c", d', ("a", "b, c", "d")),
        ("a;b;c", ("a", "b", "c")),
        ("a\tb", ("a", "b")),
        ("Bath, Somerset\nYork", ("Bath, Somerset", "York")),
        ("north; 1,200\nsouth\t40", ("north", "south")),
        ("42\n7", ("42", "7")),
    ],
)
def test_names_are_read_from_lines_or_from_one_line(typed: str, names: tuple[str, ...]) -> None:
    assert parse_names(typed, "rest") == names


def test_guesses_stand_behind_names() -> None:
    assert parse_guesses("north; 1,200\nsouth\t40\neast\na, b") == {"north": 1200, "south": 40}


@pytest.mark.parametrize(("typed", "other"), [("", ""), (" \n ", ""), ("a\nb", "b")])
def test_no_list_and_a_pool_that_is_listed_are_refused(typed: str, other: str) -> None:
    with pytest.raises(ParameterError):
        parse_names(typed, other)


def test_what_groups_cost_is_known_before_any_data_is_read() -> None:
    choice, person = GroupChoice("region", ("a", "b")), PersonChoice("id", "patient", take="mean")
    assert calibrated_groups(PLAN, DOMAIN, choice, None, 1).guarantee.epsilon == 1
    two = calibrated_groups(PLAN, DOMAIN, replace(choice, groups_per_person=2), person, 1)
    assert isinstance(two, CalibratedGroups)
    assert (two.guarantee.epsilon, two.guarantee.protects, two.unit.groups_per_person) == (1, "person", 2)
    replaced = replace(PLAN, adjacency=Adjacency.SUBSTITUTE)
    whole = calibrated_groups(replaced, DOMAIN, choice, None, 500)
    assert isinstance(whole, CalibratedGroups)
    assert whole.unit.steps_per_group == 2
    found = replace(choice, names=None)
    assert calibrated_groups(replace(PLAN, privacy=ApproxDP(1.0, 1e-6)), DOMAIN, found, None, 1).guarantee.delta == 1e-6
    with pytest.raises(ParameterError, match="delta"):
        calibrated_groups(PLAN, DOMAIN, found, None, 1)


@pytest.mark.parametrize(("codes", "found"), [([-1, -1], ()), ([0, -1], ("a",))], ids=["no group", "nobody's name"])
@pytest.mark.parametrize("mechanism", ["aq", "freetotal", "indexp"])
def test_a_column_without_a_named_group_is_shown_and_taken_away(
    codes: list[int], found: tuple[str, ...], mechanism: str
) -> None:
    data = PublicData(
        identity="upload:1", name="age", kind="number", unit="years", one="person", many="people", about="a.csv",
        source="", is_example=False, values=np.array([1.0, 2.0]), group="region",
        groups=(GroupColumn(np.array(codes, np.int32), found),),
    )  # fmt: skip
    plan = replace(PLAN, mechanism=mechanism, privacy=ApproxDP(1.0, 1e-9))
    asked = TableRequest(
        plans={"age": plan}, bounds={"age": DOMAIN}, weights={"age": Fraction(1)}, about_n=0,
        groups=GroupChoice("region", None),
    )  # fmt: skip
    outcome = simulate_groups_of(data, asked, seed=0)
    assert outcome.answers == ()
    assert exports.as_csv(outcome).count("\n") == exports.as_wide_csv(outcome).count("\n") == 1
    assert '"answers": []' in exports.as_json(outcome)
