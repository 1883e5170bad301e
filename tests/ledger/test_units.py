"""Losses of records and losses of persons have no sum: an account pays for one of both."""

import pytest

from dpq_core import Domain, GKSketch, Groups, ParameterError, People, Plan, PureDP, Sample
from dpq_core.audit.losses import compare, loss_between
from dpq_core.ledger.charging import charged_release
from dpq_core.ledger.history.entries import standing
from tests.ledger.clients import JOINS, plan, sample
from tests.narrowing import present

GRID = Domain(0, 9, 1)
VISITS, IDS = [9, 9, 9, 9, 0], ["a", "b", "c", "d", "e"]


def persons():
    return Sample.from_values(VISITS, GRID, people=People.of(IDS), take="first")


def test_one_visit_more_costs_a_release_of_persons_more_than_it_says():
    """Why there is no sum: another first visit is another record of its person, two steps of one epsilon each."""
    of_persons = Plan(["1/2"], "indexp", PureDP(1.0))
    before, after = (law_of(of_persons, [0, 0, *[5] * 16, 9, 9, 9, first]) for first in (0, 9))
    assert 1.8 < loss_between(before, after, 1.0).epsilon <= 2


def law_of(of_persons, firsts):
    return present(compare(of_persons, firsts, firsts, GRID).laws)[0]


@pytest.mark.parametrize("persons_first", [True, False])
def test_an_account_pays_for_records_or_for_persons(account, persons_first):
    both = [(persons(), "person"), (sample(), "record")]
    (first, own), (second, other) = both if persons_first else both[::-1]
    charged_release(first, plan(0.25), account, release_id="one")
    with pytest.raises(ParameterError, match=f"`account` must protect .* one {own}; this one is for a {other}"):
        charged_release(second, plan(0.5), account)
    with pytest.raises(ParameterError, match="`account` must protect"):
        charged_release({"a": second}, plan(0.5), account)
    assert len(standing(account).entries) == 1, "a refusal is no charge"
    charged_release(first, plan(0.25), account)
    assert charged_release(first, plan(0.25), account, release_id="one").guarantee.protects == own


def test_sketches_and_groups_of_persons_neither(account):
    charged_release(sample(), plan(0.5), account)
    sketch = GKSketch.from_sample(persons(), 0.1, 10)
    groups = Groups.from_values(VISITS, ["n"] * 5, GRID, names=["n"], people=People.of(IDS))
    for data, chosen in ((sketch, Plan(["1/2"], "gkexp", PureDP(0.5), JOINS)), (groups, plan(0.5))):
        with pytest.raises(ParameterError, match="`account` must protect"):
            charged_release(data, chosen, account)
