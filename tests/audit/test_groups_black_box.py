"""Whole releases of groups, seen from outside: how often an answer comes from either of two neighbouring tables.

Many pairs of groups stand side by side in one table, each with a person of its own who is in both groups of the pair.
"""

from math import exp

import pytest
from scipy.stats import beta

from dpq_core import ApproxDP, Domain, Plan, PureDP, release
from tests.harness import persons, usual_groups

GRID = Domain(0, 1, 1)
PAIRS, RELEASES = 2000, 6
SURE = 1e-6
"""How likely a sound release fails a test by chance, at most: nothing here has a seed."""
EPSILON = 1.4


def how_often_low(*, joined: bool, max_groups_per_person: int | None) -> int:
    """Return in how many pairs both answers are 0, in all releases; None takes each row for somebody else's."""
    rows = [(1, f"{name}{pair}", f"{name}{pair}") for pair in range(PAIRS) for name in "ns"]
    if joined:
        rows += [(0, f"{name}{pair}", f"Kim {pair}") for pair in range(PAIRS) for name in "ns"]
    values, groups, ids = zip(*rows, strict=True)
    people = None if max_groups_per_person is None else persons(ids)
    names = [f"{name}{pair}" for pair in range(PAIRS) for name in "ns"]
    table = usual_groups(
        values, list(groups), GRID, names=names, people=people, max_groups_per_person=max_groups_per_person or 1,
        tie_bits=0,
    )  # fmt: skip
    plan, found = Plan(["1/2"], privacy=PureDP(EPSILON)), 0
    for _ in range(RELEASES):
        answers = release(table, plan).values["column"]
        found += sum(answers[f"n{pair}"] == answers[f"s{pair}"] == (0.0,) for pair in range(PAIRS))
    return found


def least(count: int, trials: int) -> float:
    return float(beta.ppf(SURE / 2, count, trials - count + 1))


def most(count: int, trials: int) -> float:
    return float(beta.ppf(1 - SURE / 2, count + 1, trials - count))


@pytest.mark.slow
@pytest.mark.parametrize(("max_groups_per_person", "sound"), [(2, True), (None, False)], ids=["by person", "by row"])
def test_who_joins_two_groups_changes_no_answer_by_more_than_the_budget(max_groups_per_person, sound):
    """And a budget for each row, where rows are a person's, is caught."""
    without, joined = (
        how_often_low(joined=each, max_groups_per_person=max_groups_per_person) for each in (False, True)
    )
    ratio = least(joined, PAIRS * RELEASES) / most(without, PAIRS * RELEASES)
    assert (ratio <= exp(EPSILON)) is sound, (without, joined)
    assert ratio > 1.5, "the test sees what a person changes"


def test_whoever_is_alone_in_a_group_has_it_named_with_what_answers_leave_of_delta():
    delta, named = 0.05, 0
    table = usual_groups([1] * PAIRS, range(PAIRS), GRID, names=None)
    for _ in range(RELEASES):
        named += len(release(table, Plan(["1/2"], privacy=ApproxDP(1.0, delta)))["column"].groups)
    assert least(named, PAIRS * RELEASES) <= delta / 2 <= most(named, PAIRS * RELEASES), "the answers have the rest"
