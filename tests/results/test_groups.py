"""Lists of groups as they are typed, and what the answers of groups say."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dpq_core import Adjacency, ApproxDP, Domain, ParameterError, Plan, PureDP
from dpq_core.asked_of import cost_of
from dpq_core.calibrations import Calibrated
from dpq_core.columns_plan import ColumnsPlan
from dpq_core.grouping import FindGroups, Grouping
from dpq_core.groups.names import GroupColumn
from dpq_core.question import Asked, Persons, Question
from dpq_core.results import exports
from dpq_core.results.chosen import Chosen, TableReading
from dpq_core.results.data_set import PublicData
from dpq_core.results.simulated import simulate_table

DOMAIN = Domain(0, 100)
PLAN = Plan([Fraction(1, 2)], "aq", PureDP(1.0))


LISTED, FOUND = Grouping(by=("region",), names=("a", "b")), Grouping(by=("region",), names=FindGroups())


def question(plan: Plan = PLAN, groups: Grouping = LISTED, persons: Persons | None = None) -> Question:
    asked = Asked(possible=DOMAIN, levels=plan.quantiles, mechanism=plan.mechanism)
    return Question(
        columns={"age": asked}, budget=plan.privacy, adjacency=plan.adjacency, groups=groups, persons=persons
    )


def test_what_groups_cost_is_known_before_any_data_is_read() -> None:
    assert cost_of(question()).guarantee.epsilon == 1
    two = cost_of(question(persons=Persons(per_person="mean", column="id", max_groups=2)))
    of_age = two.columns["age"]
    assert isinstance(of_age, Calibrated)
    assert (two.guarantee.epsilon, two.guarantee.protects, of_age.unit.max_groups_per_person) == (1, "person", 2)
    whole = cost_of(question(replace(PLAN, adjacency=Adjacency.REPLACE_ONE))).columns["age"]
    assert isinstance(whole, Calibrated)
    assert whole.unit.steps_per_group == 2
    assert cost_of(question(replace(PLAN, privacy=ApproxDP(1.0, 1e-6)), FOUND)).guarantee.delta == 1e-6
    with pytest.raises(ParameterError, match="delta"):
        cost_of(question(groups=FOUND))


@pytest.mark.parametrize(("codes", "found"), [([-1, -1], ()), ([0, -1], ("a",))], ids=["no group", "nobody's name"])
@pytest.mark.parametrize("mechanism", ["aq", "freetotal", "indexp"])
def test_a_column_without_a_named_group_is_shown(codes: list[int], found: tuple[str, ...], mechanism: str) -> None:
    data = PublicData(
        identity="upload:1", name="age", kind="number", unit="years", one="person", many="people", about="a.csv",
        source="", is_example=False, values=np.array([1.0, 2.0]),
        groups=(GroupColumn(np.array(codes, np.int32), found),),
    )  # fmt: skip
    plan = replace(PLAN, mechanism=mechanism, privacy=ApproxDP(1.0, 1e-9))
    asked = Chosen(question=question(plan, FOUND), plan=ColumnsPlan.of(["age"], plan))
    outcome = simulate_table([data], asked, TableReading(), 0, "upload:1", "a.csv")
    assert outcome.answers == ()
    assert outcome.release.to_csv().count("\n") == outcome.release.to_csv(wide=True).count("\n") == 1
    assert '"answers": []' in exports.as_json(outcome)
