"""Draws of whole values: the law against its definition, both samplers along all outcomes, and its loss on ties."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpq_core import Adjacency, Domain, PureDP, simulate
from dpq_core.arrays import Segments
from dpq_core.mechanisms.aq.mechanism import AQParameters
from dpq_core.mechanisms.exponential.density import log_density
from dpq_core.mechanisms.exponential.distribution import Ranges, Rate, Target, range_of_draw, rounded_rate
from dpq_core.mechanisms.exponential.sampling import draw
from dpq_core.mechanisms.indexp.mechanism import IndExpParameters
from tests import harness
from tests.audit.extremes import pairs
from tests.harness import SAMPLERS, Plan, WeightedCells, calibrate, check_chances, even_levels
from tests.narrowing import only

BITS = 2
INDICES = 20
"""Five values of four slots each."""


def defined(records, target_level, low, high):
    """Weights exp(-rate max(a - t, t - b)) of the value of each slot from low to high; records of a range.

    Without `signed` a slot is a value, and b = a.
    """
    bits = BITS if target_level.signed else 0
    values, t = [record >> bits for record in records], target_level.ranks(len(records))[0]
    scores = [
        max(sum(x < value for x in values) - t, t - sum(x < value + target_level.signed for x in values))
        for value in (index >> bits for index in range(low, high + 1))
    ]
    weights = np.exp(-float(target_level.rate) * np.array([float(score) for score in scores]))
    chances = np.zeros(INDICES)
    chances[low : high + 1] = weights / weights.sum()
    return chances


def ranges(shape, start, end, low, high):
    return Ranges(
        *(np.full(shape, each, np.int64) for each in (start, end, low, high)), values=harness.BaseMeasure(0, BITS)
    )


cases = st.tuples(
    st.lists(st.integers(0, INDICES - 1), max_size=9).map(sorted),
    st.fractions(0, 1, max_denominator=6),
    st.sampled_from([Fraction(1, 2), Fraction(1, 20), Fraction(3), Fraction(1, 500)]),
    st.booleans(),
    st.integers(0, INDICES - 1),
    st.sampled_from(["whole", "below", "above"]),
)


@given(cases)
def test_the_stated_law_is_that_of_the_definition(case):
    """Of the whole range, and of what lies on either side of an answer that parts the slots of a value."""
    records, level, rate, floored, answer, part = case
    cells, outputs = np.array(records, np.int64), np.arange(INDICES)[:, None]
    rank = int(cells.searchsorted(answer))
    start, end = (rank if part == "above" else 0), (rank if part == "below" else cells.size)
    low, high = (answer if part == "above" else 0), (answer if part == "below" else INDICES - 1)
    target_level = Target((level,), Rate(rate), floored, signed=True)
    stated = log_density(cells, ranges(outputs.shape, start, end, low, high), (target_level,), outputs)[:, 0]
    assert np.allclose(np.exp(stated), defined(records[start:end], target_level, low, high), atol=1e-12)


COLUMNS = [
    ([], Fraction(1, 2)), ([9], Fraction(1, 3)), ([8, 9, 11], Fraction(1, 2)),
    ([0, 1, 9, 9, 9, 10, 11, 18], Fraction(1, 2)), ([0, 1, 9, 9, 9, 10, 11, 18], Fraction(0)),
    ([0, 1, 9, 9, 9, 10, 11, 18], Fraction(1)), ([0, 1, 9, 9, 9, 10, 11, 18], Fraction(9, 10)),
    ([4] * 30 + [12] * 15, Fraction(1, 3)),
]  # fmt: skip


@pytest.mark.slow(one_in=5)
@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("rate", [Fraction(2), Fraction(1, 30)])
@pytest.mark.parametrize(("records", "level"), COLUMNS)
@pytest.mark.parametrize("part", ["whole", "below", "above"])
def test_both_samplers_have_the_law_of_the_definition(part, records, level, rate, sampler):
    """Outcome by outcome, with blocks of one rank and of many; an answer at 9 parts a value."""
    cells, target_level = np.array(records, np.int64), Target((level,), Rate(rate), signed=True)
    rank = int(cells.searchsorted(9))
    start, end = (rank if part == "above" else 0), (rank if part == "below" else cells.size)
    low, high = (9 if part == "above" else 0), (9 if part == "below" else INDICES - 1)

    def program(entropy):
        return tuple(draw(cells, ranges((1, 1), start, end, low, high), (target_level,), entropy)[0].tolist())

    stated = defined(records[start:end], target_level, low, high)
    check_chances(SAMPLERS[sampler](program), np.arange(INDICES)[:, None], stated)


@pytest.mark.slow(keep="True-rate3-level4")
@pytest.mark.parametrize("level", [Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(7, 8), Fraction(1)])
@pytest.mark.parametrize("rate", [Fraction(1, 50), Fraction(1, 3), Fraction(4), Fraction(12)])
@pytest.mark.parametrize("signed", [False, True])
def test_the_exact_sampler_has_no_error_however_rare_an_answer(signed, rate, level):
    """Down to chances of 1e-50, of whole records and of rows of which four units are a person."""
    target_level = Target((level,), Rate(rate), signed=signed)
    for records, _ in COLUMNS:
        for unit in (1, 4):
            rows = np.array(records, np.int64)
            cells = rows if unit == 1 else WeightedCells.of(*np.unique(rows, return_counts=True), unit)
            part = ranges((1, 1), 0, cells.size, 0, INDICES - 1)
            law = SAMPLERS["exact"](lambda source: draw(cells, part, (target_level,), source)[0].tolist()[0])  # noqa: B023
            stated = defined(records, target_level.times(Fraction(1, unit)), 0, INDICES - 1).tolist()
            assert [float(law.at_least(index)) for index in range(INDICES)] == pytest.approx(stated, rel=1e-12, abs=0)


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize(("records", "level"), COLUMNS)
def test_columns_side_by_side_have_it_too(records, level, sampler):
    """The second of three columns, one after the other."""
    before, after = [3, 3, 7, 9, 18], [0, 8, 9, 19]
    cells = Segments(np.array([*before, *records, *after], np.int64))
    target_level = Target((level,), Rate(Fraction(1, 3)), signed=True)
    part = ranges((1, 1), len(before), len(before) + len(records), 0, INDICES - 1)
    law = SAMPLERS[sampler](lambda entropy: tuple(draw(cells, part, (target_level,), entropy)[0].tolist()))
    check_chances(law, np.arange(INDICES)[:, None], defined(records, target_level, 0, INDICES - 1))


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("level", [Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(1)])
def test_weighted_rows_have_it_too(level, sampler):
    """Rows of one to four units, of which four are a person."""
    rows, weights, unit = [1, 8, 9, 18], [3, 2, 4, 3], 4
    cells = WeightedCells.of(np.array(rows, np.int64), np.array(weights, np.int64), unit)
    target_level, outputs = Target((level,), Rate(Fraction(2)), signed=True), np.arange(INDICES)[:, None]
    records = [row for row, times in zip(rows, weights, strict=True) for _ in range(times)]
    stated = defined(records, target_level.times(Fraction(1, unit)), 0, INDICES - 1)
    part = ranges((1, 1), 0, cells.size, 0, INDICES - 1)
    law = SAMPLERS[sampler](lambda entropy: tuple(draw(cells, part, (target_level,), entropy)[0].tolist()))
    check_chances(law, outputs, stated)
    parts = ranges(outputs.shape, 0, cells.size, 0, INDICES - 1)
    assert np.allclose(np.exp(log_density(cells, parts, (target_level,), outputs)[:, 0]), stated, atol=1e-12)


LEVELS = [Fraction(0), Fraction(1, 4), Fraction(1, 3), Fraction(1, 2), Fraction(9, 10), Fraction(1)]


def largest_loss(level, adjacency, signed, times=Fraction(1)):
    """The largest log ratio on a grid of 4 values, of which the second one has seven slots of sixteen."""
    replaced = adjacency is Adjacency.REPLACE_ONE
    rate = rounded_rate(1 / range_of_draw(level, replaced))
    target_level = Target((level,), Rate(rate * times), replaced, signed)
    wide = np.array([0, 4, 11, 12, 16]) * 4  # the ends of a range that holds parts of values weigh them unevenly
    outputs = wide[:-1, None]

    @cache
    def law(records):
        cells = wide[np.array(records, np.int64)]
        parts = ranges(outputs.shape, 0, cells.size, 0, 63)
        return log_density(cells, parts, (target_level,), outputs)[:, 0]

    counts = (6, 8) if replaced else (0, 5, 7)
    return max(float(np.abs(law(one) - law(other)).max()) for one, other in pairs(4, counts, adjacency))


@pytest.mark.slow(keep=("level0-replace_one-True", "level2-add_remove-False"))
@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("level", LEVELS)
def test_no_ties_lose_more_than_the_claim_and_half_the_noise_does(level, adjacency, signed):
    assert largest_loss(level, adjacency, signed) <= 1 + harness.ROUNDING
    assert largest_loss(level, adjacency, signed, Fraction(2)) > 1.2


def all_signed(parameters):
    if isinstance(parameters, IndExpParameters):
        return {each.signed for each in parameters.target_levels}
    rounds = only(AQParameters, parameters).rounds
    return {each.signed for some in rounds for nodes in some for each in nodes.target_levels}


@pytest.mark.parametrize("adjacency", Adjacency)
def test_what_splits_records_and_what_papers_print_is_as_before(adjacency):
    plan = Plan(even_levels(7), "aq", PureDP(1.0), adjacency, {"draws": "one"})
    for some in only(AQParameters, calibrate(plan, 10)).rounds:
        for nodes in some:
            for columns, each in zip(nodes.columns.tolist(), nodes.target_levels, strict=True):
                below = [node for node in below_root(only(AQParameters, calibrate(plan, 10)).root) if node]
                (node,) = [node for node in below if list(node.columns) == columns]
                assert each.signed == (node.children == (None, None))
    for mechanism in ("aq", "indexp"):
        printed = Plan(even_levels(7), mechanism, PureDP(1.0), adjacency, {"calibration": "paper"})
        assert all_signed(calibrate(printed, 10)) == {False}
    assert all_signed(calibrate(Plan(["1/2"], "indexp", PureDP(1.0), adjacency), 10)) == {True}


def below_root(node):
    return [node, *(each for child in node.children if child for each in below_root(child))]


@pytest.mark.parametrize("mechanism", ["aq", "indexp"])
def test_half_of_all_records_at_one_value_are_found(mechanism):
    """A tenth of the rank error that slots alone give."""
    rng = np.random.default_rng(0)
    values = np.where(rng.random(1000) < 0.5, 40, rng.integers(0, 100, 1000))
    column = harness.usual_column(values, Domain(0, 100), seed=0)
    plan = Plan(["1/2"], mechanism, PureDP(0.1))
    assert simulate(column, plan, trials=200, seed=0).rank_errors["column"].mean() < 1
