"""The best mechanism for a plan: chosen from public facts alone, and what a study then measures agrees."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from dpq_core import MECHANISMS, ZCDP, Adjacency, ApproxDP, Domain, Plan, PublicFacts, PureDP, best_plan, calibrate
from dpq_core.advice import simulation
from dpq_core.advice.ranking import BEST, advise
from dpq_core.studies.configuration import Configuration, Method
from dpq_core.studies.engine import Samples, run_configuration
from dpq_core.studies.grid import even_levels

AS_GOOD = 1.15
SLACK = 0.25
"""Records: below that two errors are both next to nothing."""
JOIN, REPLACE = Adjacency.ADD_REMOVE, Adjacency.SUBSTITUTE
NARROW, FINE = Domain(0, 100, 1), Domain(0, 100)
DECILES = even_levels(9)
USUAL = PublicFacts(quantiles=DECILES, privacy=PureDP(1.0), n=1000, domain=FINE)


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
def test_the_choice_follows_the_facts():
    assert best_plan(USUAL).mechanism == "aq", "its first draw is of all levels, as FreeTotal's"
    assert best_plan(replace(USUAL, quantiles=even_levels(20))).mechanism in ("aq", "freetotal")
    assert best_plan(replace(USUAL, privacy=ZCDP(0.1))).mechanism == "aq"
    many = replace(USUAL, quantiles=even_levels(60), domain=NARROW)
    assert best_plan(many).mechanism == "binhist"


@pytest.mark.slow
def test_what_refuses_is_not_chosen():
    """Slices have no room among so few records, and a sketch needs a bound that nobody gave."""
    for n, adjacency in product((0, 1, 300), (JOIN, REPLACE)):
        best = best_plan(replace(USUAL, n=n, adjacency=adjacency, quantiles=even_levels(5)))
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
    best = best_plan(replace(USUAL, n=1002))
    assert (best.ranking, best.mechanism) == ((), "aq")
    assert best.reason.endswith(".")


@pytest.mark.slow
def test_a_second_question_with_the_same_facts_simulates_nothing(monkeypatch):
    first = best_plan(replace(USUAL, n=1003))
    monkeypatch.setattr(simulation.Simulation, "run", lambda *_: pytest.fail("the choice is kept"))
    assert best_plan(replace(USUAL, n=1003)) == first


@pytest.mark.slow
def test_what_errs_no_more_is_not_called_next_best():
    """Within a twentieth mechanisms count as alike, so the second may have the smaller number."""
    best = best_plan(USUAL)
    large, small = (
        replace(best.ranking[0], label=label, mean=replace(best.ranking[0].mean, typical=typical))
        for label, typical in (("A", 1.6), ("B", 1.55))
    )
    assert replace(best, ranking=(large, small)).reason.endswith("A 1.6, as good as B 1.6.")
    assert replace(best, ranking=(small, large)).reason.endswith("B 1.6, runner-up A 1.6.")


@pytest.mark.slow
def test_where_a_draw_with_a_free_total_would_take_too_long_another_mechanism_is_chosen():
    facts = replace(USUAL, quantiles=even_levels(60), privacy=PureDP(0.02), n=1_000_000)
    assert best_plan(facts).mechanism == "aq"
    why_not = {one.mechanism: one.why_not for one in advise(facts).refused}
    assert "its draw takes too long" in why_not["freetotal"]
