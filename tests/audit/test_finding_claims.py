"""Finding the bounds, then drawing between them: the law of the whole release on tiny tables against its guarantee."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial
from itertools import product
from math import log
from typing import TypeAlias

import numpy as np
import pytest

from dpq_core import ZCDP, Adjacency, ApproxDP, Domain, FindBounds, ParameterError, Plan, PureDP
from tests import harness
from tests.harness import LEAST_RATE, ROUNDING, UNIT, Column, Walk, calibrated, column, law, tiny_bounds, unbounded

ADD, REPLACE = Adjacency
VALUES = (-2, -1, 0, 1, 2)
OTHERS: list[tuple[int, ...]] = [(), (1,), (-2, 2), (0, 1, 1), (2, 2, 2, -1)]
BUDGETS = [PureDP(2.0), ApproxDP(2.0, 0.01), ZCDP(0.3)]
TINY = 1e-250


@lru_cache(maxsize=2000)
def law_between(plan: Plan, values: tuple[int, ...], domain: Domain) -> dict[tuple[int, ...], float]:
    """The enumerated law of the shipped second step."""
    found = harness.law_of_run(plan, column(values, domain))
    assert found.cut < Fraction(1, 10**12)
    return {outcome: float(chance) for outcome, chance in found.chances.items()}


def whole_law(
    values: tuple[int, ...], plan: Plan, bounds: FindBounds, naive: PureDP | None = None
) -> dict[tuple[object, ...], float]:
    """The chance of every pair of bounds with every answer between them; `naive`: at another budget of these."""
    raw = unbounded(values, bounds)
    steps, found = calibrated(plan, raw), dict[tuple[object, ...], float]()
    each = steps.second.each_plan if naive is None else replace(steps.second.each_plan, privacy=naive)
    chances = harness.law_of_bounds(steps, raw)
    assert chances.sum() == pytest.approx(1, rel=1e-12)
    for (low, up), chance in np.ndenumerate(chances):
        domain = bounds.between(low, bounds.zero + 1 + up)
        for answer, inside in law_between(each, tuple(sorted(values)), domain).items():
            found[(domain.lower, domain.upper, answer)] = float(chance) * inside
    return found


def pairs(adjacency: Adjacency) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    for others in OTHERS:
        if adjacency is ADD:
            yield from ((others, (*others, value)) for value in VALUES)
        else:
            yield from (((*others, a), (*others, b)) for a, b in product(VALUES, VALUES) if a < b)


def sure_plan(budget: harness.Privacy, adjacency: Adjacency = ADD) -> Plan:
    return Plan(["1/2"], "indexp", budget, adjacency, intervals=0.5, about_n=1000)


WHOLE = {
    # both ways from 0, with the ends of intervals as outputs, and the least that is lost somewhere
    "both ways": (True, False, 0.45),
    "upwards": (False, False, 0.3),
    "upwards with ends": (False, True, 0.3),
}


@pytest.mark.slow(keep="upwards-approximate-add_remove")
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("budget", BUDGETS, ids=harness.kind)
@pytest.mark.parametrize("way", WHOLE)
def test_the_whole_release_never_loses_more_than_it_says(way, budget, adjacency):
    """All three levels of intervals are outputs, although a release tells two numbers beside the answer."""
    negative, with_ends, least = WHOLE[way]
    bounds, worst = tiny_bounds(negative=negative), 0.0
    plan = sure_plan(budget, adjacency) if with_ends else Plan(["1/2"], "aq", budget, adjacency)
    for first, second in pairs(adjacency):
        steps = calibrated(plan, unbounded(first, bounds))
        if with_ends and adjacency is ADD:
            # where one is replaced their number is public, and of so few no level is far enough out
            assert len(steps.second.parameters.levels) == 3
        assert steps.guarantee.covers(budget)
        loss = harness.loss_of_laws(
            whole_law(first, plan, bounds), whole_law(second, plan, bounds), steps.guarantee.epsilon
        )
        assert harness.within(budget, steps.guarantee, loss)
        worst = max(worst, loss.epsilon / steps.guarantee.epsilon)
    assert worst > least, "the tables have power: more than one step alone"


def test_levels_at_the_ends_that_each_have_the_whole_budget_are_caught():
    """As if three levels cost what one does."""
    bounds, plan = tiny_bounds(negative=False), sure_plan(PureDP(2.0))
    one, other = (2,) * 8, (2,) * 8 + (0,)
    sound, broken = (
        harness.loss_of_laws(whole_law(one, plan, bounds, naive), whole_law(other, plan, bounds, naive), 2.0)
        for naive in (None, PureDP(6.0))
    )
    assert sound.epsilon <= 2 * (1 + ROUNDING)
    assert broken.epsilon > 3


Table: TypeAlias = tuple[float, ...]
FAR: dict[Adjacency, list[tuple[Table, Table]]] = {
    ADD: [((), (8e11,)), ((5e3,), (5e3, 8e11))],
    REPLACE: [((2e-6,), (8e11,)), ((-8e11,), (8e11,))],
}
"""A record beyond many candidates, which a walk has to pass."""


@pytest.mark.parametrize("both", [True, False])
@pytest.mark.parametrize("adjacency", Adjacency)
def test_the_walks_alone_come_near_their_claim_and_never_pass_it(adjacency, both):
    """Without the factor of 3/4 where both walks see a replaced record, the claim would be broken."""
    bounds, epsilon = FindBounds(negative=both), Fraction(4)
    walk = Walk.of(bounds, epsilon, adjacency)
    worst, naive, half = (
        max(abs(ratio) for pair in FAR[adjacency] for ratio in log_ratios(each, *pair))
        for each in (walk, replace(walk, rate=epsilon), replace(walk, rate=2 * walk.rate))
    )
    assert 0.8 * epsilon < worst <= epsilon + ROUNDING
    assert half > epsilon + 0.5, "half the noise is caught"
    assert (naive > epsilon + 0.1) == (adjacency is REPLACE and both)


@pytest.mark.parametrize("negative", [True, False])
@pytest.mark.parametrize("adjacency", Adjacency)
def test_the_walks_over_several_rows_of_a_person_come_near_their_part_and_never_pass_it(adjacency, negative):
    """Where a person is replaced, k rows leave and k others come: k replaced records, not 2 k steps."""
    bounds, rows, worst, half = FindBounds(negative=negative), 3, 0.0, 0.0
    plan = Plan(["1/2"], "indexp", PureDP(20.0), adjacency)
    steps = calibrated(plan, unbounded([1.0, 2.0], bounds, persons=range(2), max_rows_per_person=rows))
    twice = replace(steps.walk, rate=2 * steps.walk.rate)
    for first, second in FAR[adjacency]:
        pair = first * rows, second * rows
        worst = max(worst, *map(abs, log_ratios(steps.walk, *pair)))
        half = max(half, *map(abs, log_ratios(twice, *pair)))
    assert 0.8 * steps.finding < worst <= steps.finding * (1 + ROUNDING)
    assert half > 1.2 * steps.finding, "half the noise is caught"


SPREAD: dict[Adjacency, list[tuple[list[float], list[float]]]] = {
    ADD: [([], [8e11] * 4), ([], [8e11, 8e11, 5e3, -8e11]), ([], [0, 0, 8e11, -5e3])],
    REPLACE: [([-8e11] * 4, [8e11] * 4), ([8e11, 8e11, -5e3, 0], [0, 5e3, -8e11, -8e11]), ([0] * 4, [8e11] * 4)],
}
"""The units of the one who changes, four to a person."""


@pytest.mark.parametrize("adjacency", Adjacency)
def test_a_walk_over_shares_costs_what_a_record_costs(adjacency):
    bounds, epsilon = FindBounds(negative=True), Fraction(4)
    walk = Walk.of(bounds, epsilon, adjacency, unit=4)
    for others in ([], [5e3] * 3 + [-5e3] * 5):
        reached = [
            max(map(abs, log_ratios_of(walk, *(in_units([*others, *own], bounds) for own in pair))))
            for pair in SPREAD[adjacency]
        ]
        assert max(reached) <= epsilon + ROUNDING
    assert max(reached) > 0.5 * float(epsilon)
    naive = replace(walk, rate=walk.rate * 4)
    worst = max(
        max(map(abs, log_ratios_of(naive, *(in_units(own, bounds) for own in pair)))) for pair in SPREAD[adjacency]
    )
    assert worst > epsilon + 1, "as if a unit were a person"


def test_a_walk_over_shares_in_groups_reads_each_row_with_its_own_weight():
    """Rows are sorted by group before, and by value for the walk: weights move with them."""
    people, rule = harness.persons(["p", "p", "q"]), {"names": ["a", "b"], "per_person": "weight"}
    raw = harness.raw_groups(np.array([8.0, 1.0, 2.0]), ["a", "b", "a"], FindBounds(step=1), {"people": people, **rule})
    below = raw.in_one_piece().count_below(raw.domain.encode(np.array([1.0, 2.0, 8.0, 10.0])))
    assert below.tolist() == [0, UNIT // 2, UNIT + UNIT // 2, 2 * UNIT]


@pytest.mark.parametrize("unit", [1, UNIT])
def test_too_little_for_a_walk_is_refused_before_its_noise_is_too_wide_to_draw(unit):
    with pytest.raises(ParameterError, match="must leave more of the budget for finding the bounds"):
        Walk.of(FindBounds(), LEAST_RATE * unit * Fraction(99, 100), ADD, unit)
    assert max(Walk.of(FindBounds(), LEAST_RATE * unit, ADD, unit).scales) == harness.LARGEST_SCALE


def in_units(values: list[float], bounds: FindBounds) -> Column:
    cells = np.sort(bounds.grid.encode(np.array(values, dtype=float)))
    records = harness.WeightedCells.of(cells, np.ones(cells.size, np.int64), 4)
    return Column(records, bounds.grid, 0, None, 0, "person")


def log_ratios(walk: Walk, *tables: tuple[float, ...]) -> list[float]:
    """Of the law of all bounds that can be found; chances that floats cannot hold are left out."""
    grid = walk.find_bounds.grid
    return log_ratios_of(walk, *(column(each, grid) for each in tables))


def log_ratios_of(walk: Walk, *columns: Column) -> list[float]:
    first, second = map(walk.law, columns)
    known = (first > TINY) & (second > TINY)
    return list(map(float, np.log(first[known] / second[known])))


@pytest.mark.parametrize("beyond", [(3, 1, 0), (0, 0, 0), (2, 2, 1)])
def test_the_law_of_a_walk_is_that_of_the_shipped_draws(beyond):
    counts, walk = np.array(beyond), Walk(tiny_bounds(), Fraction(3))
    found = law(lambda entropy: int(walk._steps(counts, entropy)[0]), Fraction(1, 10**5))
    stated = harness.stopping_law(counts, *walk.scales)
    assert [float(found.at_least(at)) for at in range(3)] == pytest.approx(stated, abs=float(found.cut) + 1e-12)
    assert found.cut < 0.005
    drawn = walk._steps(counts, harness.SeededSampler(1, 20_000))
    assert np.bincount(drawn, minlength=3) / 20_000 == pytest.approx(stated, abs=0.015)


def law_of_walks(walk: Walk, values: tuple[int, ...]) -> harness.Distribution:
    """The enumerated law of the shipped walks: grid indices of both bounds."""
    coarse = column(values, walk.find_bounds.grid)
    return law(lambda entropy: tuple(walk.run(coarse, entropy)[0].tolist()), Fraction(1, 10**5))


@pytest.mark.parametrize("negative", [True, False])
@pytest.mark.parametrize("values", [(), (-1,), (0,), (1,), (-2, -1, -1, 0, 1), (2, 2, 1, -2)])
def test_the_law_of_both_walks_is_that_of_the_shipped_draws(values, negative):
    walk = Walk.of(tiny_bounds(negative=negative), Fraction(6), ADD)
    law, zero = law_of_walks(walk, values), walk.find_bounds.zero
    coarse = column(values, walk.find_bounds.grid)
    stated = {(low, zero + 1 + up): chance for (low, up), chance in np.ndenumerate(walk.law(coarse))}
    assert law.chances.keys() == stated.keys()
    assert law.cut < 0.005
    assert {each: float(law.at_least(each)) for each in stated} == pytest.approx(stated, abs=float(law.cut) + 1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("adjacency", Adjacency)
def test_the_shipped_walks_never_lose_more_than_they_claim(adjacency):
    """Of the program itself: nothing is read where a law could repeat its mistake. What is cut goes to the other."""
    epsilon = Fraction(6)
    walk, worst = Walk.of(tiny_bounds(), epsilon, adjacency), 0.0
    law = lru_cache(maxsize=None)(partial(law_of_walks, walk))
    for pair in pairs(adjacency):
        one, other = map(law, pair)
        for each in one.chances.keys() | other.chances.keys():
            chances = [float(law.at_least(each)) for law in (one, other)]
            ratios = (a / (b + float(law.cut)) for a, b, law in zip(chances, chances[::-1], (other, one), strict=True))
            worst = max(worst, log(max(ratios)))
    assert 0.5 * epsilon < worst <= epsilon, "the tables have power"


@pytest.mark.slow(keep="answers")
@pytest.mark.parametrize("with_ends", [False, True], ids=["answers", "ends"])
def test_the_shipped_release_walks_and_then_runs_the_plan_between_the_bounds(with_ends, monkeypatch):
    """Both steps, enumerated in one piece, are the product of their laws; ends are the levels of the law of all."""
    bounds = tiny_bounds(negative=False)
    plan = sure_plan(PureDP(12.0)) if with_ends else Plan(["1/2"], "indexp", PureDP(12.0))
    raw = unbounded((1, 2), bounds)
    steps = calibrated(plan, raw)
    assert steps.second.parameters.levels.index(Fraction(1, 2)) == int(with_ends)

    def answer() -> object:
        cells = harness.answers(raw, steps)
        (levels,) = cells.values
        if with_ends:
            (((low, high),),) = cells.intervals
            levels = (low, *levels, high)
        return cells.domain.lower, cells.domain.upper, tuple(map(int, levels))

    found, stated = harness.law_of_release(answer, monkeypatch, Fraction(1, 10**5)), dict[object, float]()
    for (lower, upper, levels), chance in whole_law((1, 2), plan, bounds).items():
        assert isinstance(upper, Fraction)
        assert isinstance(levels, tuple)
        seen = lower, upper, (*levels[:2], min(levels[2] + 1, int(upper))) if with_ends else levels
        stated[seen] = stated.get(seen, 0.0) + chance
    assert found.chances.keys() == stated.keys()
    assert found.cut < 0.001
    for outcome, chance in stated.items():
        assert float(found.at_least(outcome)) == pytest.approx(chance, abs=float(found.cut) + 1e-9)
