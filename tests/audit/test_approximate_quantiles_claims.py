"""AQ with several quantiles in one draw, exactly: never above its claim on small data, reached on a large grid.

The recursion is made to draw several levels at its root, evenly or not, whatever its own shape would be.
"""

from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pytest

from dpq_core import ZCDP, Adjacency, Domain, PureDP, privacy_loss
from dpq_core.audit.losses import all_outputs
from dpq_core.mechanisms.aq.mechanism import log_law
from dpq_core.mechanisms.aq.recursion import Node, claim, map_rates
from dpq_core.mechanisms.aq.shape import relative, side_costs, spread_of_changes
from dpq_core.mechanisms.joint.distance import best_total, distance, proportions_of
from tests.audit.extremes import END, all_losses, climb, share_of_claim
from tests.harness import ROUNDING, Plan, calibrate, even_levels, with_less_noise
from tests.narrowing import present

SEVERAL = Plan([], "aq", options={"draws": "several"})
PLACES = {
    ("1/3", "2/3"): (0, 1), ("1/10", "1/5"): (0, 1), ("0", "1"): (0, 1), ("1/4", "1/2", "3/4"): (0, 2),
    ("1/5", "1/2", "4/5"): (0, 1), ("1/6", "1/3", "1/2", "2/3", "5/6"): (1, 3), ("1/5", "2/5", "3/5", "4/5"): (0, 1, 3),
    ("3/5", "7/10", "4/5"): (0, 2),
}  # fmt: skip
"""Levels, and which of them the root draws at once."""


def grown(levels, places, first=0, low=Fraction(0), high=Fraction(1)):
    """Several at the places, and whatever is left in one part: one level, or nothing."""
    drawn = tuple(levels[place] for place in places)
    ends, cuts = [low, *drawn, high], [-1, *places, len(levels)]
    inner = [levels[cuts[i] + 1 : cuts[i + 1]] for i in range(len(cuts) - 1)]
    children = tuple(
        grown(part, (0,), first + cuts[i] + 1, ends[i], ends[i + 1]) if part else None for i, part in enumerate(inner)
    )
    columns = tuple(first + place for place in places)
    return Node(columns, relative(drawn, low, high), Fraction(1), children)


def several(levels, adjacency, privacy=None):
    """Parameters whose claim is the budget, and what they claim: epsilon and rho."""
    privacy = privacy or PureDP(1.0)
    parameters: Any = calibrate(Plan(list(levels), "aq", privacy, adjacency, {"draws": "several"}))
    root = grown(parameters.levels, PLACES[levels])
    if isinstance(privacy, PureDP):
        factor = Fraction(privacy.epsilon) / claim(root, adjacency, False, squared=False)
    else:
        factor = Fraction((privacy.rho / float(claim(root, adjacency, False, squared=True))) ** 0.5)
    root = map_rates(root, lambda node: node.rate * factor)
    claims = [float(claim(root, adjacency, False, squared=squared)) for squared in (False, True)]
    return replace(parameters, root=root), *claims


@pytest.mark.slow(keep=("levels0-privacy0-add_remove", "levels5-privacy1-replace_one", "levels7-privacy1-add_remove"))
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("privacy", [PureDP(2.0), ZCDP(0.1)])
@pytest.mark.parametrize("levels", PLACES)
def test_no_small_data_set_loses_more_than_the_claim(levels, privacy, adjacency):
    """All data sets of up to 4 records on 4 cells and all their neighbours; 3 cells for more than three levels."""
    parameters, epsilon, rho = several(levels, adjacency, privacy)
    cells = 4 if len(levels) < 4 else 3
    outputs = all_outputs(cells, len(levels))
    law = cache(lambda records: log_law(outputs, np.array(records, np.int64), parameters, cells))
    losses = all_losses(law, epsilon, cells, range(4 + (adjacency is Adjacency.REPLACE_ONE)), adjacency)
    assert max(loss.epsilon for loss in losses) <= epsilon + ROUNDING
    assert max(present(loss.rho) for loss in losses) <= rho + ROUNDING
    assert max(loss.epsilon for loss in losses) > (0.1 if adjacency is Adjacency.REPLACE_ONE else 0.3) * epsilon
    data_sets = (records for count in range(5) for records in combinations_with_replacement(range(cells), count))
    assert all(np.exp(law(records)).sum() == pytest.approx(1) for records in data_sets)


@pytest.mark.parametrize(
    "levels", [("1/10", "1/5"), ("1/3", "2/3"), ("0", "1/2"), ("1/6", "5/6"), ("1/5", "1/4", "1/3")]
)
def test_what_a_record_costs_in_its_part_is_how_far_it_moves_the_score(levels):
    """All counts up to 4, exactly: never farther than said, and so far somewhere."""
    fractions = tuple(map(Fraction, levels))
    moves = [max(map(abs, seen)) for seen in changes(fractions)]
    assert moves == [cost - 1 for cost in side_costs(fractions)]


@pytest.mark.parametrize("levels", [("0",), ("1",), ("0", "1")])
def test_what_a_record_moves_at_both_ends_it_moves_one_way(levels):
    """All counts up to 4, exactly: by 0 or 1, and never back; so a log ratio is at most 1, at rate 1."""
    fractions = tuple(map(Fraction, levels))
    assert set().union(*changes(fractions)) == {0, 1}
    assert side_costs(fractions) == [1] * (len(levels) + 1)
    assert spread_of_changes(fractions) == 1


def changes(levels):
    """By how much a record that joins each of the parts changes the score, for all counts up to 4."""
    shares, found = proportions_of(levels), [set[Fraction]() for _ in range(len(levels) + 1)]

    def score(counts):
        return distance(list(counts), shares, best_total(list(counts), shares))

    for counts in product(range(5), repeat=len(shares)):
        for part, seen in enumerate(found):
            seen.add(score([*counts[:part], counts[part] + 1, *counts[part + 1 :]]) - score(counts))
    return found


REACHED = [
    # levels, adjacency, data, neighbour, share of the claim that is reached
    (("1/3", "2/3"), "add_remove", [10, 100, 10**6, END - 10**9], [1, 10, 100, 10**6, END - 10**9], 0.999),
    (("1/3", "2/3"), "replace_one", [0, END - 10**6, END - 1], [END - 10**6, END - 10, END - 1], 0.5),
    (("1/4", "1/2", "3/4"), "add_remove", [0, 10, 10**10], [0, 1, 10, 10**10], 0.999),
    (("1/4", "1/2", "3/4"), "replace_one", [0, 10**4, 10**5, 10**6], [0, 10**4, 10**6, END - 1000], 0.5),
]


@pytest.mark.parametrize(("levels", "adjacency", "data", "other", "share"), REACHED)
def test_the_claim_is_reached_and_half_the_noise_breaks_it(levels, adjacency, data, other, share):
    parameters, *_ = several(levels, Adjacency(adjacency))
    assert share <= share_of_claim(SEVERAL, parameters, data, other) <= 1 + ROUNDING
    assert share_of_claim(SEVERAL, with_less_noise(parameters), data, other) > 1.9 * share


@pytest.mark.parametrize("m", [2, 3])
def test_what_is_drawn_from_many_where_one_is_replaced_keeps_its_claim_and_half_the_noise_does_not(m):
    """All data sets of up to 4 records on 4 cells and all their neighbours, with the draw of a million records."""
    parameters: Any = calibrate(Plan(even_levels(m), "aq", PureDP(2.0), Adjacency.REPLACE_ONE), 10**6)
    assert len(parameters.root.levels) == m
    largest, outputs = [], all_outputs(4, m)
    for each in (parameters, with_less_noise(parameters)):
        law = cache(lambda records, each=each: log_law(outputs, np.array(records, np.int64), each, 4))
        losses = all_losses(law, 2.0, 4, range(5), Adjacency.REPLACE_ONE)
        largest.append(max(loss.epsilon for loss in losses) / 2)
    assert 0.55 < largest[0] <= 1 < 1.1 < largest[1]


@pytest.mark.slow(keep="levels0-replace_one")
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("levels", [("1/10", "1/5"), ("1/5", "1/2", "4/5")])
def test_a_search_over_extreme_data_finds_nothing_above_the_claim(levels, adjacency):
    """Hill-climbing from random starts among values near both ends, fixed seed."""
    parameters, *_ = several(levels, adjacency)
    assert climb(partial(share_of_claim, SEVERAL, parameters), adjacency, starts=4, steps=30) > 0.25


@pytest.mark.parametrize("adjacency", Adjacency)
def test_the_code_of_the_app_audits_them_and_catches_half_the_noise(adjacency):
    plan = Plan(["1/3", "2/3"], "aq", PureDP(1.0), adjacency, {"draws": "several"})
    assert len(present(vars(calibrate(plan))["root"]).levels) == 2
    data, other = ([0, 1, 9], [0, 1, 2, 9]) if adjacency is Adjacency.ADD_REMOVE else ([0, 36, 39], [36, 38, 39])
    domain = Domain(0, 39, 1)
    assert 0.6 < privacy_loss(plan, data, other, domain).epsilon <= 1 + ROUNDING
    assert privacy_loss(plan, data, other, domain, alter=with_less_noise).epsilon > 1.2
