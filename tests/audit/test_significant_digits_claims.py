"""Every mechanism on a grid of significant digits, end to end: the exact law of the shipped `run` keeps the claim.

Mechanisms read grid indices, so that the law is, index by index, the one on even steps; the normal sample also reads
values. Records lie between, on and beyond the values of the grid.
"""

from collections import defaultdict
from fractions import Fraction

import pytest

from dpq_core import MECHANISMS, Adjacency, ApproxDP, Domain, PureDP
from dpq_core.plan import OptionValue
from tests.harness import Plan, column, law_of_run, parameters, with_less_noise

JOIN, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE_ONE
TINY = Domain.significant(1, 9, 10)
"""-10, -9, 0, 9, 10."""
TINIEST = Domain.significant(1, 9, 10, negative=False)
RECORDS = {0: -1e300, 1: -0.5, 2: 8.99, 3: 9.5, 4: 2.0**63}
"""One for each index, on none of the values."""
CUT = Fraction(1, 10**6)
PLANS: defaultdict[str, tuple[dict[str, OptionValue], tuple[str, ...]]] = defaultdict(lambda: ({}, ("1/3", "1/2")), {
    "aq": ({}, ("1/4", "1/2", "3/4")), "gkexp": ({"alpha": 0.2, "n_max": 8}, ("1/3", "1/2")),
    "aggtree": ({"branching": 3, "height": 1}, ("2/5",)), "binhist": ({"bins": 2}, ("2/5",)),
    "normal": ({"sigma": 0.01, "mean_bound": 1000.0}, ("1/2",)),
    "slice": ({"half_width": 1, "rank_share": 0.5, "noise": "flat"}, ("0", "1")),
})  # fmt: skip
DRAWN = {"aq", "indexp", "jointexp", "freetotal", "gkexp"}
"""Those of which all outcomes are followed; others may have integer noise, whose tails are cut."""
CASES = [(key, adjacency) for key, module in MECHANISMS.items() for adjacency in module.SUPPORTS]


def plan_of(key, adjacency):
    options, levels = PLANS[key]
    approximate = {"slice": 6.0 if adjacency is JOIN else 12.0, "normal": 8.0}
    privacy = ApproxDP(approximate[key], 0.05) if key in approximate else PureDP(4.0)
    return Plan(levels, key, privacy, adjacency, options)


def law_on(plan, domain, values, less_noise=1):
    sample = column(values, domain)
    by = with_less_noise(parameters(plan, sample.n), less_noise)
    return law_of_run(plan, sample, Fraction(0) if plan.mechanism in DRAWN else CUT, by=by)


def needed_delta(plan, laws, n):
    """The delta that is surely needed, in the worse direction."""
    epsilon = Fraction(parameters(plan, n).guarantee.epsilon)
    return max(a.excess(b, epsilon)[0] for a, b in (laws, laws[::-1]))


@pytest.mark.slow(
    keep=tuple(f"{key}-add_remove" for key, adjacency in CASES if adjacency is JOIN and key not in ("slice", "aq"))
)
@pytest.mark.usefixtures("little_wandering")
@pytest.mark.parametrize(("key", "adjacency"), CASES)
def test_the_law_of_the_shipped_run_keeps_the_claim(key, adjacency):
    """With far less noise it does not, on the very same records."""
    plan, domain = plan_of(key, adjacency), TINIEST if key == "normal" else TINY
    indices = (1,) * 4 + (3,) * 4 if (key, adjacency) == ("slice", REPLACE) else (1, 3, 3)
    if key not in DRAWN:  # from one half of the grid to the other
        others = (*indices, 1) if adjacency is JOIN else (1, *indices[:-1])
    else:
        others = (*indices, 0) if adjacency is JOIN else (0, *indices[1:])
    pair = [[RECORDS[index] for index in each] for each in (indices, others)]
    n = None if adjacency is JOIN else len(indices)
    laws = [law_on(plan, domain, values) for values in pair]
    assert needed_delta(plan, laws, n) <= Fraction(parameters(plan, n).guarantee.delta)
    if key != "normal":
        even = law_on(plan, Domain(0, TINY.cells - 1, 1), indices)
        assert laws[0].chances == even.chances
        assert laws[1].chances != even.chances
    if key != "slice":
        times = 40 if key not in DRAWN or key == "gkexp" else 4
        assert needed_delta(plan, [law_on(plan, domain, values, times) for values in pair], n) > 0
