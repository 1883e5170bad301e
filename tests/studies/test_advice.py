"""Advice from public facts: who can serve, what is expected, and that fresh simulations on other data agree."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import isnan

import numpy as np
import pytest

from dpq_core import MECHANISMS, ZCDP, Adjacency, ApproxDP, Domain, ParameterError, PureDP, Sample, simulate
from dpq_core.release import calibrate
from dpq_core.studies import advice_measure
from dpq_core.studies.advice import Facts, advise
from dpq_core.studies.advice_check import NEAR, UNSEEN, drawn_at_random, outcomes
from dpq_core.studies.advice_laws import noise_size
from dpq_core.studies.advice_measure import COUNTS, GROUNDS, PARTS, SIZES
from dpq_core.studies.advice_surface import FILE, Surface, as_plain, from_plain, stored_surface
from dpq_core.studies.engine import run_cell
from dpq_core.studies.grid import even_levels
from dpq_core.studies.shapes import SHAPES

USUAL = Facts(quantiles=even_levels(9), privacy=PureDP(1.0), n=1000)
MANY = Facts(quantiles=even_levels(60), privacy=ApproxDP(1.0, 1e-6), n=100_000)


def ranked(facts):
    return [found.mechanism for found in advise(facts).ranking]


def expected(facts, mechanism):
    return next(found for found in advise(facts).ranking if found.mechanism == mechanism)


def reason(facts, mechanism):
    return next(found for found in advise(facts).refused if found.mechanism == mechanism).why_not


@pytest.mark.parametrize(
    "facts",
    [
        USUAL,
        MANY,
        replace(USUAL, privacy=ZCDP(0.1), adjacency=Adjacency.SUBSTITUTE),
        replace(USUAL, n=None),
        replace(USUAL, n=0),
        replace(USUAL, n_max=10_000, sigma=1.0, mean_bound=10.0, adjacency=Adjacency.SUBSTITUTE),
        replace(USUAL, quantiles=even_levels(600)),
        replace(USUAL, privacy=PureDP(1e-9)),
    ],
)
def test_every_mechanism_is_ranked_or_refused_with_a_reason(facts):
    advice = advise(facts)
    assert sorted([*(one.mechanism for one in advice.ranking), *(one.mechanism for one in advice.refused)]) == sorted(
        MECHANISMS
    )
    errors = [one.mean_error for one in advice.ranking]
    assert errors == sorted(errors)
    for one in advice.ranking:
        assert 0 <= one.mean_low <= one.mean_error * (1 + 1e-9) <= one.mean_high * (1 + 2e-9) <= advice.n * (1 + 3e-9)
        assert one.max_error >= one.mean_error * 0.99
        assert one.why.endswith(".")
        assert 0 < one.surface_error < 1.5
    assert all(one.why_not.endswith(".") for one in advice.refused)
    assert advice.remarks
    assert advise(facts) == advice


def test_what_is_known_from_the_papers_is_advised():
    assert ranked(USUAL)[0] in ("aq", "jointexp")
    assert ranked(MANY)[0] == "slice"
    assert ranked(replace(MANY, privacy=ZCDP(0.1)))[0] == "aq"
    one = replace(USUAL, quantiles=(Fraction(1, 2),))
    assert expected(one, "aq").mean_error == pytest.approx(expected(one, "indexp").mean_error, rel=1e-9)


def test_a_stream_wants_bounded_memory():
    assert set(ranked(replace(USUAL, streaming=True, n_max=5000))) == {"gkexp", "binhist"}
    assert ranked(replace(USUAL, streaming=True)) == ["binhist"]
    assert "`n_max`" in reason(replace(USUAL, streaming=True), "gkexp")
    assert "memory" in reason(replace(USUAL, streaming=True), "aq")


def test_slices_need_room_for_the_noisy_number_of_records_too():
    assert "further apart" in reason(USUAL, "slice")
    for n in np.geomspace(2_000, 200_000, 12).astype(int).tolist():
        facts = replace(USUAL, quantiles=even_levels(20), n=n)
        if "slice" in ranked(facts):
            sample = Sample.from_values(np.linspace(0, 100, n), Domain(0, 100), seed=1)
            errors = simulate(sample, facts.plan("slice"), trials=64, seed=2).rank_errors
            assert errors.mean() < 3 * expected(facts, "slice").mean_error
            return
    pytest.fail("some n must have room")


def test_a_normal_law_is_used_only_where_it_is_known():
    replaced = replace(USUAL, adjacency=Adjacency.SUBSTITUTE)
    assert "normal law" in reason(replaced, "normal")
    known = replace(replaced, sigma=5.0, mean_bound=100.0)
    assert "normal" in ranked(known)
    assert all(one.mean_low == pytest.approx(one.mean_high) for one in advise(known).ranking)
    assert "`adjacency`" in reason(replace(known, adjacency=Adjacency.ADD_REMOVE), "normal")


@pytest.mark.parametrize("mechanism", ["aq", "indexp", "jointexp", "aggtree", "binhist"])
def test_more_budget_and_a_private_number_of_records_err_less(mechanism):
    errors = [expected(replace(USUAL, privacy=PureDP(e)), mechanism).mean_error for e in (0.3, 1.0, 3.0)]
    assert errors[0] > errors[1] > errors[2]
    assert expected(replace(USUAL, adjacency=Adjacency.SUBSTITUTE), mechanism).mean_error > errors[1]


@pytest.mark.parametrize("mechanism", ["aq", "indexp", "jointexp", "binhist"])
def test_the_size_of_the_noise_follows_the_budget(mechanism):
    def size(epsilon):
        plan = replace(USUAL, privacy=PureDP(epsilon)).plan(mechanism)
        return noise_size(plan, calibrate(plan, None), 1000, 64)

    assert size(0.25) == pytest.approx(4 * size(1.0), rel=0.05)


def test_without_a_number_of_records_there_are_no_shares():
    unknown = advise(replace(USUAL, n=None))
    assert unknown.n == 1000
    assert isnan(unknown.ranking[0].mean_share)
    assert "not known" in " ".join(unknown.remarks)
    assert advise(USUAL).ranking[0].mean_share == advise(USUAL).ranking[0].mean_error / 1000


def test_facts_are_checked():
    for bad in ({"n": -1}, {"n": 2.5}, {"n": float("nan")}, {"cells": 0}, {"quantiles": ()}, {"quantiles": [2]}):
        with pytest.raises(ParameterError) as error:
            replace(USUAL, **bad)
        assert error.value.name in bad


def test_the_stored_surface_is_small_complete_and_from_this_grid():
    surface = stored_surface()
    assert FILE.stat().st_size < 300_000
    assert surface.version
    assert surface.date >= "2026"
    assert [name for name, _ in surface.shapes] == [ground.name for ground in GROUNDS]
    assert not {ground.data for ground in GROUNDS} & set(UNSEEN)
    assert set(UNSEEN) <= set(SHAPES)
    for part in PARTS:
        measured = [part.measures(ground) for ground in GROUNDS]
        for logs in surface.ratios[part.name].values():
            assert (np.isfinite(logs).all(axis=(1, 2)) == measured).all()
    again = as_plain(from_plain(as_plain(surface)))
    assert again == as_plain(surface)


@pytest.mark.parametrize("part", [part for part in PARTS if part.name != "slice"], ids=lambda part: part.name)
def test_a_point_of_the_stored_surface_is_measured_again(part):
    cell = advice_measure._cell_for(part, GROUNDS[0], 9, 0.01, stored_surface().seed)
    again = np.log(run_cell(cell).mean_error / advice_measure._noise_of(cell))
    stored = stored_surface().ratios[part.name]["mean"][0, COUNTS.index(9), SIZES.index(0.01)]
    assert again == pytest.approx(stored, abs=0.01), "a mechanism has changed: measure the surface again"


def test_the_surface_meets_its_points_and_goes_on_beyond():
    logs = np.zeros((3, 2, 2))
    logs[0] = [[0, 1], [2, 3]]
    logs[1] = 5  # the coarse version of the first
    logs[2] = np.nan
    surface = Surface(
        shapes=(("a", 2**40), ("a, whole numbers", 128), ("b", 2**40)),
        counts=(1, 10),
        sizes=(0.01, 1.0),
        ratios={"x": {"mean": logs, "max": logs}},
        off_by={"x": 0.1},
        version="",
        date="",
        seed=0,
    )

    def at(size, m, cells=2**40, n=1000):
        return np.log(surface.errors("x", "mean", size, m, n, cells) / min(size, n))

    assert at(10, 1) == pytest.approx([0])
    assert at(100, 10) == pytest.approx([2.5])
    assert at(0.1, 1) == pytest.approx([0])
    assert at(10, 100) == pytest.approx([4])
    assert at(5000, 1) == pytest.approx([1])
    assert at(10, 1, cells=50) == pytest.approx([5])
    assert at(10, 1, cells=int(2**10.5)) == pytest.approx([2.5], abs=0.01)


def test_questions_are_repeatable_and_of_every_kind():
    asked = list(drawn_at_random(12, seed=3))
    assert asked == list(drawn_at_random(12, seed=3))
    assert len({(type(one.privacy), one.adjacency) for one in asked}) == 6


@pytest.mark.slow
def test_the_advised_mechanism_is_near_the_best_on_data_that_the_surface_has_not_seen():
    found = list(outcomes(24, seed=11, trials=48))
    assert {one.data for one in found} == set(UNSEEN)
    assert sum(one.regret <= NEAR for one in found) >= 0.85 * len(found)
