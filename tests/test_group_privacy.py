"""Budgets for persons with several rows: divided in one place, the whole stated, and never more than requested."""

from fractions import Fraction
from math import exp, inf

import numpy as np
import pytest

import dpq_core as dpq
from dpq_core.privacy.composition import PrivacyUnit
from dpq_core.privacy.conversions import largest_rho
from tests.harness import (
    Calibrated,
    CalibratesEach,
    calibrate,
    cells_of,
    kind,
    persons,
    public_count,
    usual_column,
)  # fmt: skip

JOINS, REPLACED = dpq.Adjacency
GRID = dpq.Domain(0, 100, 1)
IDS = np.repeat(np.arange(1000), 6)
VALUES = np.random.default_rng(0).normal(50, 20, IDS.size)
BUDGETS = [dpq.PureDP(0.7), dpq.ApproxDP(0.7, 1e-6), dpq.ZCDP(0.03)]
OPTIONS = {"gkexp": {"alpha": 0.01, "n_max": 6000}}


def of_people(max_rows_per_person=None, per_person=None, seed=None):
    return usual_column(
        VALUES, GRID, people=persons(IDS), per_person=per_person, max_rows_per_person=max_rows_per_person, seed=seed
    )


def plan_of(mechanism, privacy=BUDGETS[0], adjacency=JOINS, levels=("1/4", "1/2")):
    return dpq.Plan(levels, mechanism, privacy, adjacency, OPTIONS.get(mechanism, {}))


@pytest.mark.parametrize("adjacency", dpq.Adjacency)
@pytest.mark.parametrize("privacy", BUDGETS, ids=["pure", "approximate", "concentrated"])
@pytest.mark.parametrize("mechanism", dpq.MECHANISMS)
@pytest.mark.parametrize("max_rows_per_person", [1, 3])
def test_every_mechanism_has_a_part_and_states_the_whole(mechanism, privacy, adjacency, max_rows_per_person):
    column, plan = of_people(max_rows_per_person=max_rows_per_person, seed=0), plan_of(mechanism, privacy, adjacency)
    times = max_rows_per_person * (2 if adjacency is REPLACED else 1)
    if kind(privacy) not in dpq.MECHANISMS[mechanism].SUPPORTS.get(JOINS, ()):  # each row joins or leaves alone
        with pytest.raises(dpq.ParameterError):
            Calibrated.for_column(column, plan)
        return
    if times == 1:
        assert Calibrated.for_column(column, plan).parameters == calibrate(plan)
        return
    calibrated = Calibrated.for_column(column, plan)
    each, whole = calibrated.parameters.guarantee, calibrated.guarantee
    assert (whole.protects, whole.adjacency, each.adjacency) == ("person", adjacency, JOINS)
    assert whole.covers(privacy)
    if mechanism == "slice" and isinstance(privacy, dpq.ApproxDP):
        growth = sum(exp(step * each.epsilon) for step in range(times))
        assert 0 < whole.delta == pytest.approx(growth * each.delta, rel=1e-9)
    else:
        assert each.delta == 0
    if whole.delta == 0 and each.epsilon < inf:
        assert whole.epsilon == pytest.approx(times * each.epsilon, rel=1e-12)
    if each.rho is not None:
        assert whole.rho == pytest.approx(times**2 * each.rho, rel=1e-12)
    spent = whole.rho if isinstance(privacy, dpq.ZCDP) else whole.epsilon
    assert spent == pytest.approx(getattr(privacy, "rho", None) or privacy.epsilon, rel=0.01)


@pytest.mark.parametrize("mechanism", ["aq", "indexp", "jointexp", "freetotal", "aggtree", "slice", "gkexp", "binhist"])
@pytest.mark.parametrize("adjacency", dpq.Adjacency)
def test_one_record_of_each_person_changes_nothing_but_who_is_protected(mechanism, adjacency):
    column = of_people(per_person="mean", seed=0)
    plan = plan_of(mechanism, adjacency=adjacency, levels=["1/2"])
    calibrated = Calibrated.for_column(column, plan)
    count = 1000 if adjacency is REPLACED else None
    assert (calibrated.parameters, calibrated.n_public) == (calibrate(plan, count), count)
    assert calibrated.guarantee.protects == "person"
    assert calibrate(plan, count).guarantee.protects == "record"


def test_releases_studies_and_traces_name_the_person():
    plan = plan_of("aq")
    assert dpq.release(of_people(per_person="random"), plan).guarantee.protects == "person"
    for column in (of_people(per_person="mean", seed=1), of_people(max_rows_per_person=2, seed=1)):
        assert dpq.simulate(column, plan, 2).guarantee.protects == "person"
        assert dpq.explain(column, plan).guarantee.protects == "person"
    assert dpq.release(of_people(max_rows_per_person=2), plan).guarantee.exact
    assert dpq.synthesize(of_people(max_rows_per_person=2), 4, plan).guarantee.protects == "person"
    assert dpq.release(usual_column(VALUES, GRID), plan).guarantee.protects == "record"


@pytest.mark.parametrize("times", [2, 3, 7, 9, 1000])
def test_parts_never_add_up_to_more(times):
    unit = PrivacyUnit(steps_per_group=times)
    for epsilon in (0.7, 0.1, 1.0, 2e-3, 3.3):
        (pure,) = unit.budgets_for_each(dpq.PureDP(epsilon))
        (concentrated,) = unit.budgets_for_each(dpq.ZCDP(epsilon))
        assert isinstance(pure, dpq.PureDP)
        assert isinstance(concentrated, dpq.ZCDP)
        assert 1 - 1e-15 < times * Fraction(pure.epsilon) / Fraction(epsilon) <= 1
        assert 1 - 1e-15 < times**2 * Fraction(concentrated.rho) / Fraction(epsilon) <= 1


def test_a_delta_is_never_handed_down():
    """(epsilon / k, delta) for a row would be (epsilon, more than k delta) for k of them."""
    pure, concentrated = PrivacyUnit(steps_per_group=4).budgets_for_each(dpq.ApproxDP(1.0, 1e-6))
    assert pure == dpq.PureDP(0.25)
    assert concentrated == dpq.ZCDP(largest_rho(1.0, 1e-6) / 16)


def test_of_two_ways_the_less_noisy_one_is_taken():
    many = [f"{i}/40" for i in range(1, 40)]
    one, unit = dpq.Plan(["1/2"], "indexp", dpq.ApproxDP(1.0, 1e-6)), PrivacyUnit("person", 3)
    several = dpq.Plan(many, "indexp", dpq.ApproxDP(1.0, 1e-6))
    assert isinstance(CalibratesEach(unit, calibrate)(one, None)[0].privacy, dpq.PureDP)
    assert isinstance(CalibratesEach(unit, calibrate)(several, None)[0].privacy, dpq.ZCDP)
    whole = Calibrated.for_column(of_people(3), several).guarantee
    assert (whole.epsilon, whole.delta) == (1.0, 1e-6)


def test_too_little_for_each_row_is_refused():
    with pytest.raises(
        dpq.ParameterError, match="`max_rows_per_person` must leave each record a budget of at least 1 × 10⁻⁹"
    ):
        Calibrated.for_column(of_people(500), plan_of("aq", dpq.PureDP(1e-7)))
    with pytest.raises(dpq.ParameterError, match="`max_rows_per_person`"):
        PrivacyUnit(steps_per_group=2).budgets_for_each(dpq.ApproxDP(1e-9, 1e-6))


def test_the_number_of_rows_stays_private_where_a_person_is_replaced():
    """Else trees and bins would read the exact n, which a replaced person changes."""
    column, plan = of_people(max_rows_per_person=3), plan_of("binhist", adjacency=REPLACED)
    calibrated = Calibrated.for_column(column, plan)
    assert public_count(column, plan) is calibrated.n_public is None
    assert calibrated.parameters.guarantee.adjacency is JOINS
    assert calibrated.guarantee.adjacency is REPLACED
    assert column.unit_between(plan.adjacency) == PrivacyUnit("person", 6)
    ids = [*IDS[:-1].tolist(), None]
    dropped = usual_column(VALUES, GRID, people=persons(ids), max_rows_per_person=3)
    assert dpq.release(dropped, plan).guarantee.protects == "person"


def test_a_plan_for_other_rows_draws_nothing():
    plan, plain = plan_of("aq"), usual_column(VALUES, GRID)
    for calibrated_for, drawn_from in [
        (plain, of_people(2)),
        (of_people(2), of_people(3)),
        (plain, of_people(None, "min")),
    ]:
        with pytest.raises(AssertionError, match="calibrated for persons"):
            cells_of(drawn_from, Calibrated.for_column(calibrated_for, plan))


def test_a_sketch_takes_no_persons_with_several_rows():
    """It would answer with the whole budget for each of them."""
    with pytest.raises(dpq.ParameterError, match="one record of each person"):
        dpq.GKSketch.from_column(of_people(max_rows_per_person=2), 0.1, 2000)
    assert dpq.GKSketch.from_column(of_people(per_person="max"), 0.1, 2000).n == 1000


def test_a_sketch_of_persons_says_so_and_stays_one():
    """One row more is another record of its person, not one more: as records they would be charged too little."""
    persons, plan = (
        dpq.GKSketch.from_column(of_people(per_person="max"), 0.1, 2000),
        dpq.Plan(["1/2"], "gkexp", dpq.PureDP(0.7)),
    )
    stored, merged = dpq.GKSketch.from_bytes(persons.to_bytes()), dpq.GKSketch(0.1, GRID, 4000)
    merged.merge(persons)
    for sketch in (persons, stored, merged):
        assert dpq.release(sketch, plan).guarantee.protects == "person"
        with pytest.raises(dpq.ParameterError, match="must come as a Column of persons"):
            sketch.update([1.0])
    records = dpq.GKSketch.from_column(usual_column(VALUES, GRID), 0.1, 2000)
    assert dpq.release(records, plan).guarantee.protects == "record"
    with pytest.raises(dpq.ParameterError, match="as this sketch does"):
        merged.merge(records)


def test_a_refusal_speaks_of_one_record_and_has_cost_as_much_as_the_whole():
    """SliceQuantiles draws a noisy count before it refuses: a person changes that count by up to k."""
    plan = plan_of("slice", dpq.ApproxDP(0.3, 1e-6), levels=["1/4", "1/2", "51/100"])
    with pytest.raises(dpq.Infeasible) as refused:
        dpq.release(of_people(max_rows_per_person=3), plan)
    for_one, _ = CalibratesEach(PrivacyUnit("person", 3), calibrate)(plan, None)
    with pytest.raises(dpq.Infeasible) as alone:
        dpq.release(usual_column(VALUES[:3000], GRID), for_one)
    assert refused.value.charged == pytest.approx(3 * alone.value.charged)
    assert 0 < refused.value.charged <= 0.3
    assert "about one record" in str(refused.value)
    assert not {"epsilon", "delta"} & {way.name for way in refused.value.remedies}
    assert refused.value.noisy_count is not None


def test_a_missing_value_is_told_of_people_as_of_records():
    column = usual_column([1.0, np.nan], GRID, people=persons(["a", "b"]), per_person="mean")
    with pytest.raises(dpq.DataError, match="ids are missing"):
        dpq.release(column, plan_of("aq", adjacency=REPLACED))
