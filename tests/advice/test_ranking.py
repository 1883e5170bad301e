"""Advice from public facts: who can serve, what to expect, and that studies of other data keep to what was said."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from dpq_core import (
    MECHANISMS,
    ZCDP,
    Adjacency,
    ApproxDP,
    Domain,
    Infeasible,
    ParameterError,
    Plan,
    PublicFacts,
    PureDP,
    Sample,
    best_plan,
    calibrate,
    simulate,
)
from dpq_core.advice import simulation
from dpq_core.advice.ranking import BEST, advise, why_outside
from dpq_core.advice.simulation import LEAST_MARGIN, samples_that_tell
from dpq_core.sources.examples import load_example
from dpq_core.studies.configuration import Configuration, Method
from dpq_core.studies.engine import Samples, run_configuration, steps
from dpq_core.studies.grid import Grid, even_levels
from dpq_core.studies.shapes import domain_of

USUAL = PublicFacts(quantiles=even_levels(9), privacy=PureDP(1.0), n=1000)
MANY = PublicFacts(quantiles=even_levels(60), privacy=ApproxDP(1.0, 1e-6), n=100_000)
SKETCH = Method("gkexp", {"n_max": 10_000})
BELL = Method("normal", {"sigma": 5.0, "mean_bound": 100.0})


def ranked(facts):
    return [found.mechanism for found in advise(facts).ranking]


def expected(facts, mechanism):
    return next(found for found in advise(facts).ranking if found.mechanism == mechanism)


def reason(facts, mechanism):
    return next(found for found in advise(facts).refused if found.mechanism == mechanism).why_not


@pytest.mark.slow(keep=("facts6", "facts7", "facts8"))
@pytest.mark.parametrize(
    "facts",
    [
        USUAL,
        MANY,
        replace(USUAL, privacy=ZCDP(0.1), adjacency=Adjacency.SUBSTITUTE),
        replace(USUAL, n=None),
        replace(USUAL, methods=(SKETCH, BELL), adjacency=Adjacency.SUBSTITUTE),
        replace(USUAL, quantiles=even_levels(600)),
        replace(USUAL, privacy=PureDP(1e-9)),
        replace(USUAL, privacy=PureDP(1000.0), domain=Domain(0, 3, 1)),
        replace(USUAL, n=1),
    ],
)
def test_every_mechanism_is_ranked_or_refused_with_a_reason_and_no_range_has_width_0(facts):
    advice = advise(facts)
    assert sorted([*(one.mechanism for one in advice.ranking), *(one.mechanism for one in advice.refused)]) == sorted(
        MECHANISMS
    )
    for one in advice.ranking:
        for errors in (one.mean, one.worst):
            assert 0 <= errors.low <= errors.typical <= errors.high <= advice.n
            assert errors.high - errors.low >= LEAST_MARGIN
        assert one.worst.typical >= one.mean.typical * 0.99
        assert one.why.endswith(".")
    assert all(one.why_not.endswith(".") for one in advice.refused)
    assert advice.remarks
    assert advise(facts) == advice


def test_nobody_errs_without_records():
    assert {(one.mean.low, one.mean.high) for one in advise(replace(USUAL, n=0)).ranking} == {(0, 0)}


@pytest.mark.slow
def test_the_best_come_first_and_what_errs_alike_stands_in_the_order_of_the_menu():
    advice = advise(replace(USUAL, methods=(SKETCH,)))
    errors = [max(one.mean.typical, 1.05 * advice.ranking[0].mean.typical) for one in advice.ranking]
    assert errors == sorted(errors)
    assert len(set(errors)) > 4
    small = advise(replace(USUAL, n=100_000, domain=Domain(0, 9, 1))).ranking
    alike = [one.mechanism for one in small if one.mean.typical <= simulation.NEGLIGIBLE_ERROR]
    assert len(alike) > 3
    assert alike == [key for key in MECHANISMS if key in alike]


@pytest.mark.slow
def test_what_is_known_from_the_papers_is_advised():
    assert set(ranked(USUAL)[:2]) == {"aq", "freetotal"}, "AQ's first draw is of all levels, as FreeTotal's"
    assert "slice" in ranked(MANY)[:2]
    assert ranked(replace(MANY, privacy=ZCDP(0.1)))[0] == "aq"
    one = replace(USUAL, quantiles=(Fraction(1, 2),))
    both = expected(one, "aq").mean, expected(one, "indexp").mean
    assert both[0].low <= both[1].typical <= both[0].high, "one quantile is the same single draw"


def test_a_stream_wants_bounded_memory():
    assert set(ranked(replace(USUAL, streaming=True, methods=(SKETCH,)))) == {"gkexp", "binhist"}
    assert ranked(replace(USUAL, streaming=True)) == ["binhist"]
    assert "`n_max`" in reason(replace(USUAL, streaming=True), "gkexp")
    assert "memory" in reason(replace(USUAL, streaming=True), "aq")


@pytest.mark.slow
def test_slices_need_room_for_the_noisy_number_of_records_too():
    assert "further apart" in reason(USUAL, "slice")
    for n in np.geomspace(2_000, 200_000, 12).astype(int).tolist():
        facts = replace(USUAL, quantiles=even_levels(20), n=n)
        sample = Sample.from_values(np.linspace(0, 100, n), Domain(0, 100), seed=1)
        try:
            errors = simulate(sample, facts.plan("slice"), trials=64, seed=2).rank_errors
        except Infeasible:
            continue  # quicker than to ask the advice, which runs all mechanisms
        if "slice" in ranked(facts):
            assert errors.mean() < 3 * expected(facts, "slice").mean.typical
            return
    pytest.fail("some n must have room")


@pytest.mark.slow
def test_slices_that_answer_at_random_now_and_then_are_expected_to():
    """The chance, 1 in 1,024 runs, is in the parameters: 64 runs of each shape seldom meet it."""
    n = 48_842
    facts = replace(USUAL, n=n, privacy=PureDP(0.5))
    sample = Sample.from_values(np.linspace(0, 100, n), facts.domain, seed=1)
    errors = simulate(sample, facts.plan("slice"), trials=8192, seed=2).rank_errors.mean(axis=1)
    assert 3 <= np.count_nonzero(errors > 0.01 * n) <= 16
    found = expected(facts, "slice").mean
    assert found.low <= errors.mean() <= found.high
    assert found.typical == pytest.approx(errors.mean(), rel=0.5)
    sure = expected(replace(facts, privacy=ApproxDP(0.5, 1e-6)), "slice").mean
    assert found.high - found.typical < found.typical, "the sentence still says something"
    assert found.typical > sure.typical


@pytest.mark.slow
def test_a_normal_law_is_used_only_where_it_is_known():
    replaced = replace(USUAL, adjacency=Adjacency.SUBSTITUTE)
    assert "normal distribution" in reason(replaced, "normal")
    known = replace(replaced, methods=(BELL,))
    assert "normal" in ranked(known)
    assert "bell-shaped" in " ".join(advise(known).remarks)
    assert all(one.mean.high > one.mean.low for one in advise(known).ranking)
    assert "`adjacency`" in reason(replace(known, adjacency=Adjacency.ADD_REMOVE), "normal")


@pytest.mark.slow
def test_options_that_were_chosen_are_those_that_are_judged():
    noisy = replace(USUAL, methods=(Method("binhist", {"bins": 4}),))
    assert expected(noisy, "binhist").plan.options["bins"] == 4
    assert expected(noisy, "binhist").mean.typical > 3 * expected(USUAL, "binhist").mean.typical


@pytest.mark.slow(keep="indexp")
@pytest.mark.parametrize("mechanism", ["aq", "indexp", "jointexp", "aggtree", "binhist"])
def test_more_budget_and_a_private_number_of_records_err_less(mechanism):
    errors = [expected(replace(USUAL, privacy=PureDP(e)), mechanism).mean.typical for e in (0.3, 1.0, 3.0)]
    assert errors[0] > errors[1] > errors[2]
    assert expected(replace(USUAL, adjacency=Adjacency.SUBSTITUTE), mechanism).mean.typical > errors[1]


def test_facts_are_checked():
    for bad in ({"n": -1}, {"n": 2.5}, {"n": float("nan")}, {"quantiles": ()}, {"quantiles": [2]}):
        with pytest.raises(ParameterError) as error:
            replace(USUAL, **bad)
        assert error.value.name in bad


@pytest.mark.parametrize(
    ("domain", "n", "m", "count"),
    [
        (Domain(0, 120, 1), 1000, 9, 5),
        (Domain(0, 120, 1), 1000, 1, 7),
        (Domain(0, 120, 1), 1000, 99, 5),
        (Domain(0, 120, "1/1000"), 1000, 99, 7),
        (Domain(1, 5, 1), 1000, 9, 7),
        (Domain(0, 120, 1), 10, 9, 7),
        (Domain(0, 120, 1), 0, 9, 7),
    ],
)
def test_shapes_that_leave_fewer_values_than_quantiles_tell_nothing(domain, n, m, count):
    """Unless all of them do."""
    told = samples_that_tell(replace(USUAL, quantiles=even_levels(m), domain=domain), n)
    assert len(told) == count
    assert ("bounds 20 times too wide" in told) == (count == 7)


@pytest.mark.slow(keep="3")
@pytest.mark.parametrize("m", [3, 9, 99])
def test_ages_err_by_what_is_expected_of_them(m):
    facts = PublicFacts(quantiles=even_levels(m), privacy=PureDP(0.1), n=1000, domain=Domain(0, 120, 1))
    best, ages = advise(facts).ranking[0], load_example("adult-age")
    measured = simulate(Sample.from_values(ages.values, facts.domain, seed=1), best.plan, trials=400, seed=2)
    assert 0.7 < np.abs(measured.rank_errors).mean() / best.mean.typical < 1.5


COLUMNS = {
    "adult-age": (None, 1000),
    "adult-hours": (5000, 5000),
    "uniform": (300, 300),
    "skewed": (1000, 1000),
    "tied": (2000, 2000),
    "income": (None, 20_000),
}
"""Data that the advice does not know, and how many records: ages, hours of which half are 40, a narrow column ..."""
BUDGETS = (PureDP(0.5), ApproxDP(1.0, 1e-6), ZCDP(0.05))


def study_and_advice(data, m, privacy, adjacency):
    n, count = COLUMNS[data]
    methods = [Method(key, {"n_max": 100_000} if key == "gkexp" and adjacency == "add_remove" else {}) for key in ALL]
    grid = Grid(mechanisms=methods, budgets=[privacy], quantiles=[m], data=[data], n=[n], adjacencies=[adjacency],
                trials=256, seed=7)  # fmt: skip
    facts = PublicFacts(quantiles=even_levels(m), privacy=privacy, adjacency=adjacency, n=count, domain=domain_of(data),
                  methods=tuple(methods))  # fmt: skip
    rows = {row.mechanism: row for _, row in steps(grid) if row.supported}
    return rows, advise(facts)


ALL = tuple(key for key in MECHANISMS if key != "normal")


def check_that_advice_and_study_agree(data, m, privacy, adjacency):
    rows, advice = study_and_advice(data, m, privacy, adjacency)
    outside = []
    for one in advice.ranking:
        row = rows[one.mechanism]
        inside = one.mean.low <= row.mean_error <= one.mean.high
        assert (why_outside(one.mean, row.mean_error, row.trials, row.failed) == "") == inside
        outside += [] if inside else [one.mechanism]
    assert len(outside) <= len(advice.ranking) / 2, outside
    best = rows[advice.ranking[0].mechanism]
    assert best.mean_error <= 2 * min(row.mean_error for row in rows.values()) + max(2.0, best.n / 1000)


@pytest.mark.slow(keep=r"uniform-9-\u03b5 = 0.5-add_remove")
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("privacy", BUDGETS, ids=str)
@pytest.mark.parametrize("m", [1, 3, 9, 30])
@pytest.mark.parametrize("data", COLUMNS)
def test_a_study_lies_within_what_was_expected_or_it_is_said_why_not(data, m, privacy, adjacency):
    check_that_advice_and_study_agree(data, m, privacy, adjacency)


@pytest.mark.slow
def test_the_figures_of_the_issue_are_one_figure():
    """1,000 people, deciles, ε = 0.5: the advice named 4.82 people, from 4.82 to 4.82, and the study 9.16."""
    for methods in ((), (Method("normal", {"sigma": 15.0, "mean_bound": 100.0}),)):
        facts = PublicFacts(
            quantiles=even_levels(9), privacy=PureDP(0.5), n=1000, domain=Domain(0, 120, 1), methods=methods
        )
        best = advise(facts).ranking[0]
        grid = Grid(mechanisms=[best.mechanism], budgets=[PureDP(0.5)], data=["reference"], n=[1000],
                    domains=[facts.domain], trials=256)  # fmt: skip
        ((_, row),) = steps(grid)
        assert best.mean.low < best.mean.typical < best.mean.high
        if not methods:
            assert best.mean.low <= row.mean_error <= best.mean.high


# ── the best mechanism for a plan ────────────────────────────────────────────────────────────────────────────────────

AS_GOOD = 1.15
SLACK = 0.25
"""Records: below that two errors are both next to nothing."""
JOIN, REPLACE = Adjacency.ADD_REMOVE, Adjacency.SUBSTITUTE
NARROW, FINE = Domain(0, 100, 1), Domain(0, 100)
DECILES = even_levels(9)
DECILES_OF_1000 = PublicFacts(quantiles=DECILES, privacy=PureDP(1.0), n=1000, domain=FINE)


def records(shape: str, n: int) -> np.ndarray:
    """Other records than those on which the choice rests: even ones, and incomes with a heavy tail."""
    rng = np.random.default_rng(7)
    return rng.uniform(0, 100, n) if shape == "even" else 10 * rng.lognormal(0, 1, n)


def measured(facts: PublicFacts, shape: str, trials: int) -> dict[str, float]:
    """Return what a study measures of every mechanism that is available and not too slow for so many quantiles."""
    samples, found = Samples({"column": records(shape, facts.n or 0)}), {}
    for key in MECHANISMS:
        if simulation.too_slow(facts, key):
            continue
        row = run_configuration(
            Configuration(
                method=Method(key), privacy=facts.privacy, quantiles=facts.quantiles, data="column", n=None,
                domain=facts.domain, adjacency=facts.adjacency, trials=trials, data_sets=1, seed=3,
            ), samples=samples,
        )  # fmt: skip
        if row.supported:
            found[key] = row.mean_error
    return found


@pytest.mark.slow(keep=("1-privacy0-add_remove-domain0-500-even", "5-privacy3-add_remove-domain3-500-heavy tail"))
@pytest.mark.parametrize("shape", ["even", "heavy tail"])
@pytest.mark.parametrize(
    ("m", "privacy", "adjacency", "domain", "n"),
    [
        (1, PureDP(1.0), JOIN, FINE, 500),
        (5, PureDP(1.0), JOIN, FINE, 500),
        (5, PureDP(1.0), REPLACE, FINE, 10_000),
        (5, ZCDP(0.125), JOIN, NARROW, 500),
        (5, ApproxDP(1.0, 1e-6), JOIN, FINE, 10_000),
        (20, ZCDP(0.125), JOIN, FINE, 10_000),
        (20, PureDP(1.0), JOIN, NARROW, 10_000),
        (60, PureDP(1.0), JOIN, NARROW, 500),
        (60, ZCDP(0.125), JOIN, FINE, 10_000),
    ],
)
def test_a_study_agrees_with_the_choice(m, privacy, adjacency, domain, n, shape):
    facts = PublicFacts(quantiles=even_levels(m), privacy=privacy, adjacency=adjacency, n=n, domain=domain)
    found = measured(facts, shape, 512 if m == 1 else 128)
    least = min(found.values())
    assert found[best_plan(facts).mechanism] <= max(AS_GOOD * least, least + SLACK), found


def test_the_plan_names_the_mechanism_and_keeps_every_other_choice():
    plan = Plan(DECILES, BEST, ZCDP(0.5), REPLACE)
    best = best_plan(PublicFacts.of(plan, 1000, NARROW))
    assert best.plan == Plan(DECILES, best.mechanism, ZCDP(0.5), REPLACE)
    assert best.mechanism in MECHANISMS
    assert BEST not in MECHANISMS
    calibrate(best.plan, 1000)


@pytest.mark.slow
def test_what_refuses_is_not_chosen():
    """Slices have no room among so few records, and a sketch needs a bound that nobody gave."""
    for n, adjacency in product((0, 1, 300), (JOIN, REPLACE)):
        best = best_plan(replace(DECILES_OF_1000, n=n, adjacency=adjacency, quantiles=even_levels(5)))
        assert best.mechanism not in {one.mechanism for one in advise(best.facts).refused}
        calibrate(best.plan, n if adjacency is REPLACE else None)


@pytest.mark.slow
def test_a_guess_that_is_ten_times_too_large_ends_in_no_refusal():
    """Slices err least in the advice for so many records; among a tenth of them they have no room."""
    facts = PublicFacts(quantiles=even_levels(61), privacy=ApproxDP(8.0, 1e-6), n=10_000, domain=FINE)
    assert advise(facts).ranking[0].mechanism == "slice"
    assert best_plan(facts).mechanism != "slice"
    assert best_plan(facts).ranking[0].plan == best_plan(facts).plan
    assert best_plan(replace(facts, n=1_000_000)).mechanism == "slice", "where there is room all the same"


def test_where_nothing_can_be_simulated_in_advance_there_is_a_choice_all_the_same(monkeypatch):
    monkeypatch.setattr(simulation, "MOST_SECONDS", 0.0)
    best = best_plan(replace(DECILES_OF_1000, n=1002))
    assert (best.ranking, best.mechanism) == ((), "aq")
    assert best.reason.endswith(".")


@pytest.mark.slow
def test_a_second_question_with_the_same_facts_simulates_nothing(monkeypatch):
    first = best_plan(replace(DECILES_OF_1000, n=1003))
    monkeypatch.setattr(simulation.Simulation, "run", lambda *_: pytest.fail("the choice is kept"))
    assert best_plan(replace(DECILES_OF_1000, n=1003)) == first


@pytest.mark.slow
def test_what_errs_no_more_is_not_called_next_best():
    """Within a twentieth mechanisms count as alike, so the second may have the smaller number."""
    best = best_plan(DECILES_OF_1000)
    large, small = (
        replace(best.ranking[0], label=label, mean=replace(best.ranking[0].mean, typical=typical))
        for label, typical in (("A", 1.6), ("B", 1.55))
    )
    assert replace(best, ranking=(large, small)).reason.endswith("A 1.6, as good as B 1.6.")
    assert replace(best, ranking=(small, large)).reason.endswith("B 1.6, runner-up A 1.6.")


@pytest.mark.slow
def test_where_a_draw_with_a_free_total_would_take_too_long_another_mechanism_is_chosen():
    facts = replace(DECILES_OF_1000, quantiles=even_levels(60), privacy=PureDP(0.02), n=1_000_000)
    assert best_plan(facts).mechanism == "aq"
    why_not = {one.mechanism: one.why_not for one in advise(facts).refused}
    assert "its draw takes too long" in why_not["freetotal"]
