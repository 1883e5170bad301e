"""Fewer levels than requested: which are drawn, the answers between them, and that nothing else changes.

`intervals.interpolation` reads public facts and answers, and no line of it can spend more or tell more of a record. The
levels that it chooses are drawn as if they were all that a plan asks for. So rows of `tests/mutants` are for intervals.
"""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

import dpq_core as dpq
from dpq_core.calibrations import Calibrated, calibrate
from dpq_core.group_privacy import CalibratesEach
from dpq_core.intervals.interpolation import FARTHEST, Interpolation, largest_step, on_lines, places
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.privacy.composition import RECORD
from dpq_core.studies.bounds import bound_of
from dpq_core.study import simulate_column
from tests.branching import Distribution
from tests.harness import NO_CUT, SAMPLERS, law_of_run, loss_of_laws
from tests.narrowing import present

REPLACED = dpq.Adjacency.REPLACE_ONE
SPREAD = dpq.Domain(0, 100, "0.01")
PURE = ("aq", "indexp", "jointexp", "freetotal")


def even(count: int) -> tuple[Fraction, ...]:
    return tuple(Fraction(place, count + 1) for place in range(1, count + 1))


def column(n: int, domain: dpq.Domain = SPREAD) -> dpq.Column:
    return dpq.Column.from_values(np.random.default_rng(2).uniform(0, 100, n), domain, seed=1)


def of_number(plan: dpq.Plan, count: int | None) -> Calibrated:
    return Calibrated.of_facts(plan, CalibratesEach(RECORD, calibrate), count)


def planned(count: int, mechanism: str = "aq", epsilon: float = 1.0, **more: object) -> dpq.Plan:
    return dpq.Plan(even(count), mechanism, epsilon=epsilon, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(("count", "step", "drawn"), [
    (9, 1, range(9)), (9, 2, [0, 1, 3, 5, 7, 8]), (9, 9, [0, 1, 3, 5, 7, 8]), (10, 3, [0, 1, 3, 6, 8, 9]),
    (20, 4, [0, 1, 3, 7, 10, 12, 16, 18, 19]), (20, 3, [0, 1, 3, 6, 9, 10, 13, 16, 18, 19]),
    (21, 20, [0, 1, 3, 7, 13, 17, 19, 20]), (1, 1, [0]), (2, 5, [0, 1]), (0, 1, []),
])  # fmt: skip
def test_the_first_levels_of_both_ends_are_drawn_and_then_every_few(count, step, drawn):
    assert places(count, step) == tuple(drawn)


@pytest.mark.parametrize(
    ("count", "n", "error", "step", "apart"),
    [
        (99, 100_000, 9.0, 1, 1),  # a level has 1,000 records
        (99, 1000, 5.0, 2, 2), (99, 1000, 4.9, 1, 1), (99, 200, 5.0, 10, 10), (99, 200, 5.4, 10, 10),
        (99, 200, 5.5, 11, 11), (99, 100, 5.0, 35, 18), (20, 100, 5.0, 4, 4), (20, 100, 4.7, 3, 3),
        (20, 100, 2.3, 1, 1),
        (99, 10, 5.0, 1, 1),  # answers would be no better than answers at random
        (99, 0, 5.0, 1, 1),
    ],
)  # fmt: skip
def test_the_step_is_the_largest_within_four_standard_errors(count, n, error, step, apart):
    """A table without a mechanism: all levels err by half as much again. `apart`: levels between two drawn ones.

    Where the 1st, 2nd, 4th, ... level alone are drawn but for one in the middle, a larger step changes nothing.
    """
    found = largest_step(even(count), n, lambda levels: error if len(levels) < count else 1.5 * error)
    gaps = [
        max(after - before for before, after in pairwise(places(count, each))) * Fraction(n, count + 1)
        for each in (found, found + 1)
    ]
    assert found == step
    assert max(after - before for before, after in pairwise(places(count, step))) == apart
    if found > 1:
        assert gaps[0] <= FARTHEST * error < gaps[1]


@pytest.mark.parametrize("mechanism", PURE)
def test_few_records_have_fewer_levels_and_many_have_all(mechanism):
    few, many = (of_number(planned(20, mechanism, adjacency=REPLACED), n) for n in (150, 100_000))
    assert few.interpolation is not None
    assert len(few.parameters.levels) < 20
    assert few.parameters == MECHANISMS[mechanism].calibrate(few.interpolation.plan, 150)
    assert many.interpolation is None
    assert many.parameters == MECHANISMS[mechanism].calibrate(many.plan, 100_000)


@pytest.mark.parametrize(
    ("plan", "count"),
    [
        (planned(20), None),  # nothing is known about the number of records
        (planned(20, "aggtree", adjacency=REPLACED), 150),
        (dpq.Plan(even(20), rho=0.125, adjacency=REPLACED), 150),
        (planned(7, adjacency=REPLACED, epsilon=0.5), 150),
        (planned(20, adjacency=REPLACED), 10_000),
    ],
)  # fmt: skip
def test_all_levels_are_drawn_where_fewer_would_not_help(plan, count):
    found = of_number(plan, count)
    assert found.interpolation is None
    assert found.parameters.levels == plan.quantiles
    assert found.notes == found.parameters.notes


def test_a_delta_that_is_spent_keeps_all_levels_and_one_that_is_not_leaves_out_some():
    for count in (20, 60):
        found = of_number(dpq.Plan(even(count), "indexp", epsilon=1, delta=1e-6, adjacency=REPLACED), 400)
        assert found.interpolation is None
        assert found.guarantee.delta > 0
    pure = of_number(dpq.Plan(even(20), "aq", epsilon=1, delta=1e-12, adjacency=REPLACED), 150)
    assert pure.guarantee.delta == 0
    assert pure.interpolation is not None


def test_a_guess_counts_as_half_of_what_may_be_there():
    public = of_number(planned(60, adjacency=REPLACED), 200).interpolation
    guessed = of_number(planned(60, adjacency=REPLACED, about_n=100), None).interpolation
    assert public is not None
    assert guessed is not None
    assert guessed.plan.quantiles == public.plan.quantiles
    assert "because about 100 records are too few for more" in guessed.note
    assert "because the records are too few for more" in public.note


def test_a_private_number_of_records_changes_nothing():
    """Where one joins or leaves, the levels that are drawn follow from the guess alone."""
    plan = planned(60, about_n=100)
    first, other = (Calibrated.for_column(column(n), plan) for n in (100, 5000))
    assert first == other
    assert first.interpolation is not None


def test_several_rows_of_a_person_have_no_public_number():
    sample = replace(column(100), protects="person", max_rows_per_person=2)
    assert Calibrated.for_column(sample, planned(60, adjacency=REPLACED)).interpolation is None
    guessed = Calibrated.for_column(sample, planned(60, adjacency=REPLACED, about_n=1000))
    assert guessed.interpolation is not None
    assert guessed.guarantee.epsilon <= 1
    one = of_number(planned(60, adjacency=REPLACED), 2000)
    assert len(guessed.parameters.levels) < len(one.parameters.levels)  # each row has a fourth of the budget


@pytest.mark.parametrize("mechanism", PURE)
@pytest.mark.parametrize("adjacency", list(dpq.Adjacency))
def test_the_guarantee_is_what_the_plan_asks_for(mechanism, adjacency):
    found = Calibrated.for_column(column(150), planned(20, mechanism, adjacency=adjacency, about_n=85))
    assert found.interpolation is not None
    assert found.guarantee.covers(found.plan.privacy)
    assert found.guarantee.epsilon == pytest.approx(1.0)
    assert found.guarantee.adjacency is adjacency


@pytest.mark.parametrize("mechanism", PURE)
def test_drawn_levels_are_drawn_as_a_plan_of_their_own_and_the_others_follow_from_them(mechanism):
    plan, sample = planned(12, mechanism, adjacency=REPLACED, epsilon=4), column(30)
    among = Calibrated.for_column(sample, plan).interpolation
    assert among is not None
    alone = Calibrated.for_column(sample, among.plan, all_levels=True)
    found = dpq.simulate(sample, plan, 80, seed=5).values["column"]
    drawn = simulate_column(sample, alone, 80, seed=5).values[:, 0]
    assert (found[:, [plan.quantiles.index(level) for level in among.plan.quantiles]] == drawn).all()
    assert (among.answers(drawn, SPREAD) == found).all()
    assert (np.diff(found, axis=1) >= 0).all()


@pytest.mark.parametrize("sampler", ["exact", "fast"])
def test_along_all_outcomes_only_what_was_drawn_decides_and_the_claim_holds(sampler):
    """The exact distributions of neighbouring data: answers to 8 levels, 6 of which are drawn."""
    plan, domain = planned(8, epsilon=16, adjacency=REPLACED), dpq.Domain(0, 2, 1)
    first, other = (dpq.Column.from_values(values, domain, tie_bits=0) for values in ([0, 0, 1, 1, 2], [0, 1, 1, 1, 2]))
    found = Calibrated.for_column(first, plan)
    assert found.interpolation is not None
    columns = [plan.quantiles.index(level) for level in found.interpolation.plan.quantiles]

    def law_of(sample: dpq.Column) -> Distribution:
        return SAMPLERS[sampler](
            lambda entropy: tuple(found.values_and_intervals(sample, np.zeros(1, np.int64), entropy)[0][0, 0].tolist()),
            NO_CUT,
        )

    law, neighbour = law_of(first), law_of(other)
    alone = law_of_run(found.interpolation.plan, first, NO_CUT, sampler)
    assert {tuple(row[at] for at in columns): chance for row, chance in law.chances.items()} == alone.chances
    assert loss_of_laws(law, neighbour, found.guarantee.epsilon).delta <= 1e-9
    assert loss_of_laws(law, neighbour, found.guarantee.epsilon / 4).delta > 0.01, "the claim is used"


def test_lines_lead_to_values_of_the_domain_in_order():
    domain = dpq.Domain(0, 100, 5)
    found = on_lines(np.array([10.0]), np.array([30.0]), np.linspace(0, 1, 41), domain)
    assert set(found.tolist()) == {10.0, 15.0, 20.0, 25.0, 30.0}
    assert (np.diff(found) >= 0).all()
    assert on_lines(np.array([10.0]), np.array([15.0]), np.array([0.5]), domain).tolist() == [15.0]
    assert on_lines(np.array([100.0]), np.array([100.0]), np.array([0.3]), domain).tolist() == [100.0]


@pytest.mark.parametrize(("low", "high", "middle"), [
    (1.0, 100.0, 10.0), (-100.0, -1.0, -10.0), (-1000.0, 1000.0, 0.0), (0.0, 1000.0, 500.0), (-1000.0, 0.0, -500.0),
    (20.0, 30.0, 25.0),
])  # fmt: skip
def test_on_significant_digits_lines_are_even_in_the_logarithm_between_answers_of_one_sign(low, high, middle):
    domain = dpq.Domain.significant(2)
    points = on_lines(np.array([low]), np.array([high]), np.linspace(0, 1, 101), domain)
    assert points[50] == middle
    assert (np.diff(points) >= 0).all()
    assert (points[0], points[-1]) == (low, high)
    assert (domain.decode(domain.encode(points)) == points).all()


@pytest.mark.slow
def test_the_interval_of_an_answer_between_reaches_over_those_of_both_sides():
    plan = planned(40, adjacency=REPLACED, intervals=0.95, epsilon=2)
    found = dpq.release(dpq.Column.from_values(np.arange(100), dpq.Domain(0, 100)), plan)
    among = Calibrated.for_column(column(100), plan).interpolation
    assert among is not None
    known, ends = among.plan.quantiles, dict(zip(plan.quantiles, found.intervals["column"], strict=True))
    for level, (low, high) in ends.items():
        below = max(each for each in known if each <= level)
        above = min(each for each in known if each >= level)
        assert (low, high) == (ends[below][0], ends[above][1])
    assert found.notes[-1] == among.note
    assert among.note.startswith(f"{len(known)} of 40 levels were drawn; the others lie between them")


@pytest.mark.parametrize("together", [False, True])
def test_drawn_levels_fail_with_half_of_the_chance_so_that_those_between_hold_as_asked(together):
    """One between fails where either neighbour does; where all hold at once, so do those between."""
    plan = planned(30, adjacency=REPLACED, intervals=dpq.Intervals(0.95, together=together))
    found = Calibrated.for_column(column(100), plan)
    among, own = present(found.interpolation).plan, present(found.drawn_levels)
    surer = replace(among, intervals=dpq.Intervals(0.95 if together else 0.975, together=together))
    alone = present(Calibrated.for_column(column(100), surer, all_levels=True).drawn_levels)
    assert (own.ends, own.plan) == (alone.ends, alone.plan)
    assert own.sure == alone.sure
    assert "95 %" in own.basis.sentences[1]


def test_the_interval_of_a_level_between_begins_and_ends_with_those_of_its_neighbours():
    plan = dpq.Plan(["1/4", "3/4"], "aq", epsilon=1)
    among = Interpolation((Fraction(1, 2), Fraction(1, 4), Fraction(3, 4)), plan, None)
    assert present(among.intervals(np.array([[1.0, 2.0], [5.0, 9.0]]))).tolist() == [[1, 9], [1, 2], [5, 9]]


@pytest.mark.slow
@pytest.mark.parametrize(("of", "together"), [("data", False), ("population", True)])
def test_intervals_hold_as_often_as_asked(of, together):
    plan = planned(30, intervals=dpq.Intervals(0.9, of, together), about_n=150)
    rng, held = np.random.default_rng(4), []
    for shape in (rng.uniform(0, 100, 150), np.clip(20 * rng.lognormal(0, 0.8, 150), 0, 100), np.repeat([20, 70], 75)):
        study = dpq.simulate(dpq.Column.from_values(shape, SPREAD, seed=1), plan, 256, seed=1)["column"]
        assert study.notes
        held.append(present(study.covered).all(axis=(1, 2)).mean() if together else study.coverage.min())
    assert min(held) >= 0.9


@pytest.mark.slow
def test_fewer_levels_err_less_among_few_records():
    """The mean rank error of 60 levels among 100 even records falls by a fourth at least, where bounds are wide."""
    sample, plan = column(100, dpq.Domain(-400, 500)), planned(60, about_n=100)
    fewer, every = (
        simulate_column(sample, Calibrated.for_column(sample, plan, all_levels=every), 128, seed=0).rank_errors.mean()
        for every in (False, True)
    )
    assert fewer < 0.75 * every


def test_a_trace_has_the_draws_of_the_run_and_the_answers_between_them():
    plan, sample = planned(20, adjacency=REPLACED), column(100)
    trace = dpq.explain(sample, plan, seed=3, run=4)
    among = Calibrated.for_column(sample, plan).interpolation
    assert among is not None
    assert trace.plan == plan
    assert {step.level for step in trace.steps} == set(among.plan.quantiles)
    assert trace.values == tuple(dpq.simulate(sample, plan, seed=3).values["column"][4].tolist())


@pytest.mark.slow
def test_a_column_after_a_noisy_count_and_columns_of_a_table_have_rules_of_their_own():
    plan = planned(40, about_n="noisy", intervals=0.9)
    counted = dpq.simulate(column(300), plan, 2)
    assert counted["column"].notes[0].startswith(tuple("123456789"))
    table = {"few": column(100), "many": column(50_000)}
    study = dpq.simulate(table, planned(40, adjacency=REPLACED, epsilon=4))
    assert [len(each.notes) for each in study.cells] == [1, 0]


def test_groups_draw_all_levels_whatever_is_guessed():
    groups = dpq.Column.from_values(np.arange(60.0), SPREAD, groups=list("ab") * 30, names=["a", "b"], seed=1)
    assert dpq.simulate(groups, planned(12, adjacency=REPLACED, epsilon=4), 2)["column"].notes == ()
    own, guessed = (dpq.simulate(groups, planned(12, about_n=n), 2) for n in (None, {"a": 3, "b": 10**6}))
    assert np.array_equal(own.values["column"], guessed.values["column"])


def test_no_theorem_bounds_an_answer_that_was_not_drawn():
    plan, sample = planned(20, adjacency=REPLACED), column(100)
    fewer, every = (Calibrated.for_column(sample, plan, all_levels=every) for every in (False, True))
    assert bound_of(every, 100, sample.slots) is not None
    assert bound_of(fewer, 100, sample.slots) is None
