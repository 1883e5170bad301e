"""The work of a draw with a free total is bounded by public facts; what would take longer is refused by these alone."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpq_core import ZCDP, Adjacency, ApproxDP, Domain, Infeasible, Plan, PureDP, release
from dpq_core.errors import Remedy
from dpq_core.mechanisms.freetotal import mechanism
from dpq_core.mechanisms.freetotal.draws import draws_of
from dpq_core.mechanisms.freetotal.totals import MOST_NUMBERS, enough_rate, is_too_much, numbers_weighed
from dpq_core.mechanisms.joint.windows import Part, Windows
from tests import harness
from tests.harness import Calibrated, ExactEntropy, SeededSampler, calibrate, even_levels, usual_column, with_remedy
from tests.narrowing import only

DOMAIN = Domain(0, 1000)
AQ = Remedy("mechanism", "aq")
UNREAD: Any = object()
"""Records without a number and without values."""


def planned(m, privacy, adjacency=Adjacency.ADD_REMOVE):
    return Plan(even_levels(m), "freetotal", privacy, adjacency)


TOO_LONG = [
    (60, PureDP(0.02)), (60, PureDP(0.6)), (60, ZCDP(0.01)), (40, ApproxDP(0.1, 1e-6)), (20, PureDP(0.05)),
    (17, PureDP(0.001)),
]  # fmt: skip


@pytest.mark.parametrize(("m", "privacy"), TOO_LONG)
def test_a_plan_whose_draw_would_take_too_long_is_refused_before_anything_is_read(m, privacy):
    unread = replace(usual_column([1.0], DOMAIN), records=UNREAD)
    plan = planned(m, privacy)
    with pytest.raises(Infeasible, match="`quantiles` must be fewer for FreeTotal with so small a budget") as refused:
        release(unread, plan)
    assert refused.value.remedies[0] == AQ
    assert refused.value.charged == 0
    assert isinstance(privacy, ZCDP) or len(refused.value.remedies) == 2
    for way in refused.value.remedies:
        calibrate(with_remedy(plan, way))


@pytest.mark.parametrize("adjacency", list(Adjacency))
def test_what_is_offered_is_the_least_budget_that_does(adjacency):
    plan = planned(30, PureDP(0.001), adjacency)
    with pytest.raises(Infeasible) as refused:
        calibrate(plan)
    enough = only(float, refused.value.remedies[1].value)
    calibrate(replace(plan, privacy=PureDP(enough)))
    with pytest.raises(Infeasible):
        calibrate(replace(plan, privacy=PureDP(enough - 0.02)))


@pytest.mark.parametrize(
    ("m", "privacy"),
    [(60, PureDP(1.0)), (60, ZCDP(0.125)), (30, PureDP(0.2)), (20, PureDP(0.1)), (16, PureDP(1e-5)), (1, PureDP(1e-6))],
)
def test_usual_plans_are_drawn(m, privacy):
    assert len(calibrate(planned(m, privacy)).levels) == m


def test_shares_of_persons_are_weighed_for_longer():
    """A person is divided until all levels together weigh little, however large the budget is."""
    people = harness.persons([0, 0, 1, 2])
    column = usual_column([1.0, 2.0, 3.0, 4.0], DOMAIN, people=people, per_person="weight")
    Calibrated.for_column(column, planned(20, PureDP(1.0)))
    with pytest.raises(Infeasible, match="where all rows of a person count") as refused:
        Calibrated.for_column(column, planned(60, PureDP(1.0)))
    assert refused.value.remedies == (AQ,)
    assert Calibrated.for_column(column, with_remedy(planned(60, PureDP(1.0)), AQ)).parameters.levels


@pytest.mark.parametrize("m", [1, 2, 9, 16, 60])
def test_more_budget_is_never_more_work(m):
    levels = planned(m, PureDP(1.0)).quantiles
    numbers = [numbers_weighed(levels, Fraction(2) ** order) for order in range(-23, 5)]
    assert numbers == sorted(numbers, reverse=True)
    assert is_too_much(levels, enough_rate(levels) * Fraction(98, 100)) == (numbers[0] > MOST_NUMBERS)
    assert not is_too_much(levels, enough_rate(levels))


@pytest.fixture
def numbers(monkeypatch):
    """Of every weighing for several totals, in their order: one number for each total, level and place."""
    found, weigh = [], Windows.__init__

    def counted(self, *given, **few):
        weigh(self, *given, **few)
        if len(self.totals) > 1:
            found.append(len(self.totals) * sum(np.count_nonzero(each) for each in self.lengths))

    monkeypatch.setattr(Windows, "__init__", counted)
    return found


@pytest.mark.slow(one_in=5)
@pytest.mark.parametrize("levels", [even_levels(9), [Fraction(1, 100), Fraction(99, 100)], even_levels(20)])
@pytest.mark.parametrize("epsilon", [3.0, 0.3, 0.07])
@pytest.mark.parametrize("n", [3000, 100_000])
def test_a_first_weighing_has_no_more_numbers_than_public_facts_say(levels, epsilon, n, numbers):
    column = usual_column(np.random.default_rng(n).uniform(0, 1000, n), DOMAIN, seed=1)
    parameters = mechanism.calibrate(Plan(levels, "freetotal", PureDP(epsilon)), None)
    mechanism.run(column, parameters, SeededSampler(0))
    assert 0 < numbers[0] <= numbers_weighed(parameters.levels, parameters.rate)


@pytest.mark.slow(keep="20-0.1-fast")
@pytest.mark.parametrize("entropy", [ExactEntropy(), SeededSampler(0)], ids=["exact", "fast"])
@pytest.mark.parametrize(("m", "epsilon"), [(16, 0.001), (20, 0.1)])
def test_a_draw_of_a_million_records_within_the_bound(m, epsilon, entropy, numbers):
    values = np.random.default_rng(m).normal(500, 100, 10**6)
    column = usual_column(values, DOMAIN, seed=None if entropy.exact else 1)
    parameters = mechanism.calibrate(planned(m, PureDP(epsilon)), None)
    assert numbers_weighed(parameters.levels, parameters.rate) > MOST_NUMBERS // 2, "it is one of the longest"
    chosen = mechanism.run(column, parameters, entropy)
    assert (np.diff(chosen, axis=1) >= 0).all()
    assert sum(numbers) < 4 * MOST_NUMBERS


@pytest.mark.parametrize("rate", [12, Fraction(1, 2)])
@pytest.mark.parametrize(("m", "entropy"), [(9, ExactEntropy()), (11, ExactEntropy()), (10, SeededSampler(0))])
def test_many_records_of_few_values_are_drawn_at_once(m, entropy, rate, numbers):
    """All totals from 0 to 2 n suit a tuple equally well where half of its parts are empty."""
    cells = np.repeat([3, 77, 500, 512, 999], 100)
    chosen = draws_of(Part.of(cells, 1000, even_levels(m), Fraction(rate))).draw(entropy, 2)
    assert (np.diff(chosen, axis=1) >= 0).all()
    assert sum(numbers) < 10_000


@pytest.mark.slow
def test_a_million_records_that_share_forty_far_values_are_drawn_within_a_known_bound(numbers):
    """The worst columns that were found: the best totals are far apart, and most answers are far from them."""
    values = np.random.default_rng(1).integers(0, 40, 10**6) * 1e7
    column = usual_column(values, Domain(0, 1e9, 1e-6), seed=1)
    mechanism.run(column, mechanism.calibrate(planned(16, PureDP(0.02)), None), SeededSampler(0))
    assert sum(numbers) < 40 * MOST_NUMBERS


class FewValues:
    """Records of a few values, sorted, which are never read all at once."""

    def __init__(self, values, each):
        self.values, self.ends = np.array(values), each * np.arange(len(values) + 1)
        self.size = int(self.ends[-1])

    def __getitem__(self, at):
        assert at.size < 10**6, "a draw reads some records"
        return self.values[np.searchsorted(self.ends[1:], at, side="right")]

    def searchsorted(self, cells):
        return self.ends[np.searchsorted(self.values, cells)]


@pytest.mark.parametrize("values", [3, 5])
def test_five_thousand_million_records_of_few_values_are_drawn_from_without_being_read(values):
    cells: Any = FewValues(range(3, 3 + 7 * values, 7), 5 * 10**9 // values)
    parameters = mechanism.calibrate(planned(3, PureDP(1.0)), None)
    draws = draws_of(Part(cells, 7 * values + 10, parameters.levels, parameters.rate))
    assert draws.draw(ExactEntropy(), 1).shape == (1, 3)
