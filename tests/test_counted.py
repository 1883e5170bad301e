"""A sample of values with counts is the sample of the column that they stand for, and reads it without repeating it."""

from __future__ import annotations

import pickle
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import product
from math import comb
from typing import Any

import numpy as np
import pytest

import dpq_core.counted as counted
from dpq_core import Adjacency, DataError, Domain, Plan, PureDP, Sample, release, simulate, true_quantiles
from dpq_core.noise import jitter

DOMAIN = Domain(0, 9, 1)
VALUES, COUNTS = [7, 2, np.nan, 2, 40, 5], [3, 1000, 4, 20, 6, 0]


def test_records_are_those_of_the_repeated_column():
    whole = Sample.from_values(np.repeat(VALUES, COUNTS), DOMAIN)
    sample = Sample.from_counts(VALUES, COUNTS, DOMAIN)
    assert np.array_equal(sample.cells >> sample.jitter_bits, whole.cells >> whole.jitter_bits)
    assert (sample.n, sample.dropped, sample.jitter_bits) == (whole.n, 4, whole.jitter_bits)
    replaced = Sample.from_counts(VALUES, COUNTS, DOMAIN, missing=9)
    assert (replaced.n, replaced.dropped) == (1033, 0)
    empty = Sample.from_counts([], [], DOMAIN)
    assert (empty.n, empty.cells.size) == (0, 0)
    assert release(empty, Plan(["1/2"], "aq", PureDP(1.0))).values[0] in range(10)


@pytest.mark.parametrize("most_sorted", [counted.MOST_SORTED, 100, 0])
@pytest.mark.parametrize("bits", [0, 1, 8])
def test_every_reading_is_that_of_all_records(monkeypatch, most_sorted, bits):
    monkeypatch.setattr(counted, "MOST_SORTED", most_sorted)
    sample = Sample.from_counts(VALUES, COUNTS, DOMAIN, jitter_bits=bits)
    cells, n = sample.cells, 1029
    assert (sample.n, sample.dropped, cells.size) == (n, 4, n)
    assert np.array_equal(cells >> bits, np.repeat([2, 7, 9], [1020, 3, 6]))
    assert (np.diff(cells) >= 0).all()
    assert np.unique(cells).size > min(2**bits, 200) - 2
    wanted = np.arange(-1, (10 << bits) + 2).reshape(1, -1)
    for start, end in ((0, n), (5, 1021), (1022, 1022)):
        view = sample.records[start:end]
        assert view.size == end - start
        assert np.array_equal(view[np.arange(end - start)], cells[start:end])
        assert np.array_equal(view.searchsorted(wanted), np.searchsorted(cells[start:end], wanted))
    assert int(sample.records.searchsorted(np.array(7 << bits))) == 1020
    again: Any = pickle.loads(pickle.dumps(sample))
    assert np.array_equal(again.cells, cells)


def test_one_record_more_moves_no_other():
    """For every key: what neighbouring tables become are neighbours."""
    for at in (0, 1):
        more = [count + (place == at) for place, count in enumerate(COUNTS)]
        one, other = (Sample.from_counts(VALUES, each, DOMAIN, seed=5).cells.tolist() for each in (COUNTS, more))
        for cell in one:
            other.remove(cell)
        assert [cell >> 20 for cell in other] == [VALUES[at]]


def test_bits_are_uniform_and_independent_of_other_values():
    """1,020 + 400 records: a mean of uniform numbers is within 5 standard deviations, 4e-7 to be outside by chance."""
    first = Sample.from_counts([2, 7], [1020, 400], DOMAIN, seed=1).cells
    second = Sample.from_counts([7], [400], DOMAIN, seed=1).cells
    assert np.array_equal(first[1020:], second)
    for cells in (first[:1020], second):
        fractions = (cells & (2**20 - 1)) / 2**20
        assert abs(fractions.mean() - 0.5) < 5 / np.sqrt(12 * cells.size)
    assert set(first[:400] & (2**20 - 1)) != set(second & (2**20 - 1))


@pytest.mark.parametrize("mechanism", ["aq", "indexp", "aggtree", "binhist", "jointexp", "slice"])
def test_mechanisms_answer_from_counts(mechanism):
    sample = Sample.from_counts(np.arange(1000), np.full(1000, 60), Domain(0, 999, 1))
    budget = PureDP(50.0) if mechanism != "slice" else PureDP(80.0)
    found = release(sample, Plan(["1/4", "1/2"], mechanism, budget)).values
    assert np.abs(np.array(found) - [250, 500]).max() < 12
    assert true_quantiles(sample, ["1/4", "1/2"]) == pytest.approx([249, 499], abs=1)


def test_studies_draw_what_they_draw_from_all_records():
    counts = Sample.from_counts([1, 4, 8], [500, 300, 400], DOMAIN, seed=1)
    whole = Sample(counts.cells, DOMAIN, counts.jitter_bits, 1, 0)
    plan = Plan(["0.3", "0.6"], "aq", PureDP(1.0), Adjacency.SUBSTITUTE)
    assert np.array_equal(simulate(counts, plan, 8).values, simulate(whole, plan, 8).values)


def test_memory_grows_with_distinct_values_only():
    sample = Sample.from_counts(np.arange(10), [10**13] * 10, DOMAIN)
    assert sample.n == 10**14
    assert sample.count_below(np.array([5])).tolist() == [5 * 10**13]
    some = Sample.from_counts(np.arange(10), [300_000] * 10, DOMAIN)
    assert release(some, Plan(["1/2"], "indexp", PureDP(1.0))).values[0] in {4.0, 5.0}


def test_a_first_draw_makes_the_bits_of_few_values(monkeypatch):
    """Of a thousand values with ten thousand records each: whether so many differ is seen from a few of them."""
    made = []

    def noted(count, *others, **facts):
        made.append(count)
        return jitter(count, *others, **facts)

    monkeypatch.setattr(counted, "jitter", noted)
    sample = Sample.from_counts(np.arange(1000), np.full(1000, 10_000), Domain(0, 999, 1))
    assert release(sample, Plan(["1/4", "1/2"], "aq", PureDP(1.0))).values[1] == pytest.approx(499, abs=2)
    assert sum(made) < 50 * 10_000


@pytest.mark.parametrize("mechanism", ["aq", "indexp", "aggtree", "binhist", "slice", "jointexp", "freetotal"])
def test_a_hundred_million_of_a_value_are_hardly_made(mechanism, monkeypatch):
    """Of 10^8 records of each of five values every mechanism counts coins, and makes the bits of few records."""
    made = []

    def noted(count, *others, **facts):
        made.append(count)
        return jitter(count, *others, **facts)

    monkeypatch.setattr(counted, "jitter", noted)
    sample = Sample.from_counts([1, 2, 3, 4, 5], [10**8] * 5, DOMAIN)
    plan = Plan(["0.3", "0.5"], mechanism, PureDP(1.0))
    found = release(sample, plan).values
    assert mechanism == "slice" or found[0] == 2.0  # slice finds no room between so many ties, and answers at random
    seeded = Sample.from_counts([1, 2, 3, 4, 5], [10**8] * 5, DOMAIN, seed=1)
    assert simulate(seeded, plan, 8).values.shape == (8, 2)
    assert sum(made) < 10**7
    assert max(made, default=0) <= counted.MOST_SORTED


class ScriptedCoins:
    """Numbers of heads that a script says; `asked` of how many coins it has none."""

    def __init__(self, script: tuple[int, ...]) -> None:
        self.script, self.asked = iter(script), 0

    def __call__(self, count: int, _: bytes) -> int:
        self.asked = count
        return next(self.script)


@pytest.mark.parametrize(("count", "bits"), [(1, 3), (3, 2), (4, 2), (6, 1)])
def test_halves_have_the_law_of_bits_of_each_record(count, bits, monkeypatch):
    """Exactly: the sum over all coins of the chance of each multiset of bits is that of independent uniform bits."""
    monkeypatch.setattr(counted, "MOST_SORTED", 0)
    law: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    waiting: list[tuple[tuple[int, ...], Fraction]] = [((), Fraction(1))]
    while waiting:
        script, chance = waiting.pop()
        coins = ScriptedCoins(script)
        monkeypatch.setattr(counted, "heads", coins)
        low = counted._LowBits(count, bits, b"", counted._Recent())
        try:
            through = [*low.below(np.arange(2**bits)).tolist(), count]
            found = low.at(np.arange(count))
        except StopIteration:
            n = coins.asked
            waiting += [((*script, each), chance * Fraction(comb(n, each), 2**n)) for each in range(n + 1)]
        else:
            law[tuple(found.tolist())] += chance
            assert np.diff(through).tolist() == np.bincount(found, minlength=2**bits).tolist()
    each_record = Counter(tuple(sorted(every)) for every in product(range(2**bits), repeat=count))
    assert law == {found: Fraction(ways, 2 ** (bits * count)) for found, ways in each_record.items()}


@pytest.mark.parametrize("most_sorted", [0, 300, 10**6])
def test_what_is_halved_spreads_as_bits_of_each_record(most_sorted, monkeypatch):
    """1,000 records in 16 places, 400 times: the mean of Pearson's statistic is 15, with a deviation of 0.27."""
    monkeypatch.setattr(counted, "MOST_SORTED", most_sorted)
    statistics = []
    for seed in range(400):
        cells = Sample.from_counts([3], [1000], DOMAIN, seed=seed, jitter_bits=4).cells
        places = np.bincount(cells & 15, minlength=16)
        statistics.append(((places - 62.5) ** 2).sum() / 62.5)
    assert abs(np.mean(statistics) - 15) < 5 * np.sqrt(30 / 400)


def test_counts_are_whole_numbers():
    for counts in ([1], [1, -1], [1, 0.5], [1, np.nan], [1, np.inf], [1, 10**16]):
        with pytest.raises(DataError, match="counts"):
            Sample.from_counts([1, 2], counts, DOMAIN)
    assert repr(Sample.from_counts([1], [2**21], DOMAIN).records) == "CountedCells()"
