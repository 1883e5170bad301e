"""Exact losses between tables that differ by one person with several rows: never above the claim, naive ones caught.

All outputs, and all outcomes of a random choice of rows. What a person's rows become stands in tests/people.
"""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from dpq_core import ZCDP, Adjacency, ApproxDP, Domain, ParameterError, Plan, PureDP, privacy_loss
from dpq_core.audit.losses import compare
from tests.harness import ONE_RECORD, ROUNDING, calibrate, exceeds
from tests.narrowing import present

pytestmark = pytest.mark.usefixtures("calibrated_once")

JOINS, REPLACED = Adjacency
GRID = Domain(0, 3, 1)
TOP = 9
WIDE = Domain(0, TOP, 1)
BUDGETS = [PureDP(1.0), ApproxDP(1.0, 0.01), ZCDP(0.1)]
BUDGET_NAMES = ["pure", "approximate", "concentrated"]
OTHERS = [[], [[0]], [[3, 3, 0]], [[0, 1], [3]], [[2], [2, 0], [3, 3]]]
"""The rows of those who stay, person by person."""
OWN = [[0], [3, 3, 3], [0, 3], [3, 0, 1]]
"""The rows of the one who joins, leaves or is replaced."""


def table(persons):
    """Values and ids, the rows of all persons mixed."""
    rows = [(place, value, person) for person, own in persons.items() for place, value in enumerate(own)]
    ordered = sorted(rows, key=lambda row: (row[0], row[2]))
    return [row[1] for row in ordered], [row[2] for row in ordered]


def tables(adjacency, others=OTHERS, own=OWN):
    """Pairs of tables, each as (values, ids), in which one person has changed."""
    for rows in others:
        stay = {f"stays {i}": each for i, each in enumerate(rows)}
        for before, after in product(own, own) if adjacency is REPLACED else [([], each) for each in own]:
            yield tuple(table(stay | ({"changed": each} if each else {})) for each in (before, after))


def loss_of(plan, pair, domain, **others):
    (values_a, ids_a), (values_b, ids_b) = pair
    return privacy_loss(plan, values_a, values_b, domain, people=(ids_a, ids_b), **others)


@pytest.mark.slow(
    keep=("jointexp-min-pure-replace_one", *(f"aq-{per_person}-approximate-add_remove" for per_person in ONE_RECORD))
)
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("privacy", BUDGETS, ids=BUDGET_NAMES)
@pytest.mark.parametrize("per_person", ONE_RECORD)
@pytest.mark.parametrize("mechanism", ["aq", "jointexp"])
def test_one_record_of_each_person_holds_the_whole_budget(mechanism, per_person, privacy, adjacency):
    plan = Plan(["1/3", "2/3"], mechanism, privacy, adjacency)
    found = [exceeds(plan, loss_of(plan, pair, GRID, per_person=per_person)) for pair in tables(adjacency)]
    assert max(found) <= ROUNDING


@pytest.mark.slow(keep=("freetotal-1-approximate-add_remove", "indexp-2-pure-add_remove"))
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("privacy", BUDGETS, ids=BUDGET_NAMES)
@pytest.mark.parametrize("max_rows_per_person", [1, 2])
@pytest.mark.parametrize("mechanism", ["aq", "indexp", "freetotal"])
def test_at_most_k_rows_hold_the_whole_budget(mechanism, max_rows_per_person, privacy, adjacency):
    plan = Plan(["1/3", "2/3"], mechanism, privacy, adjacency)
    found = [
        exceeds(plan, loss_of(plan, pair, GRID, max_rows_per_person=max_rows_per_person)) for pair in tables(adjacency)
    ]
    assert max(found) <= ROUNDING


@pytest.mark.parametrize("per_person", ["mean", "median", "first"])
@pytest.mark.parametrize("adjacency", Adjacency)
def test_counts_in_bins_by_the_lemma(per_person, adjacency):
    plan = Plan(["1/2"], "binhist", PureDP(1.0), adjacency, {"bins": 2})
    found = [exceeds(plan, loss_of(plan, pair, GRID, per_person=per_person)) for pair in tables(adjacency)]
    assert -0.01 < max(found) <= ROUNDING
    with pytest.raises(ParameterError, match="by a lemma"):
        loss_of(plan, next(tables(adjacency)), GRID, max_rows_per_person=2)


STAY = [TOP] * 20


def nine_rows(stay=STAY):
    """A person with nine rows at one end joins those with one row each."""
    ids = [f"stays {i}" for i in range(len(stay))]
    return (stay, ids), ([*stay, *[0] * 9], [*ids, *["changed"] * 9])


@pytest.mark.parametrize("mechanism", ["aq", "indexp", "jointexp", "freetotal"])
@pytest.mark.parametrize("privacy", BUDGETS, ids=BUDGET_NAMES)
def test_nine_rows_at_the_full_budget_are_caught(mechanism, privacy):
    plan = Plan(["1/2"], mechanism, privacy)
    naive = [
        loss_of(plan, nine_rows(stay), WIDE, max_rows_per_person=9, alter=lambda _: calibrate(plan))
        for stay in (STAY, [5] * 4)
    ]
    sound = [loss_of(plan, nine_rows(stay), WIDE, max_rows_per_person=9) for stay in (STAY, [5] * 4)]
    assert max(exceeds(plan, loss) for loss in sound) <= ROUNDING
    assert max(exceeds(plan, loss) for loss in naive) > 0.05
    if isinstance(privacy, PureDP):
        assert max(loss.epsilon for loss in naive) > 8


@pytest.mark.parametrize("times", [3, 9])
def test_a_part_of_epsilon_with_the_same_delta_is_caught(times):
    stay = [TOP] * 10
    plan = Plan(["1/2"], "indexp", ApproxDP(1.0, 0.01))
    naive = calibrate(Plan(["1/2"], "indexp", ApproxDP(1.0 / times, 0.01)))
    ids = [f"stays {i}" for i in range(len(stay))]
    pair: Any = (stay, ids), ([*stay, *[0] * times], [*ids, *["changed"] * times])
    assert loss_of(plan, pair, WIDE, max_rows_per_person=times, alter=lambda _: naive).delta > 2 * 0.01
    assert loss_of(plan, pair, WIDE, max_rows_per_person=times).delta == 0


def test_a_rho_divided_by_k_alone_is_caught():
    plan, naive = Plan(["1/2"], "indexp", ZCDP(0.5)), calibrate(Plan(["1/2"], "indexp", ZCDP(0.5 / 9)))
    assert present(loss_of(plan, nine_rows(), WIDE, max_rows_per_person=9, alter=lambda _: naive).rho) > 0.7
    assert present(loss_of(plan, nine_rows(), WIDE, max_rows_per_person=9).rho) <= 0.5


def test_a_replaced_person_needs_twice_the_rows():
    """k rows at one end are replaced by k at the other: a budget divided by k alone is exceeded."""
    plan = Plan(["1/2"], "indexp", PureDP(3.0), REPLACED)
    naive = calibrate(Plan(["1/2"], "indexp", PureDP(1.0)))
    ids = ["b", "c", "d", "e", *["a"] * 3]
    pair = ([5] * 4 + [0] * 3, ids), ([5] * 4 + [TOP] * 3, ids)
    assert loss_of(plan, pair, WIDE, max_rows_per_person=3, alter=lambda _: naive).epsilon > 3.1
    assert 1.5 < loss_of(plan, pair, WIDE, max_rows_per_person=3).epsilon <= 3


@pytest.mark.parametrize("per_person", ONE_RECORD)
@pytest.mark.parametrize("adjacency", Adjacency)
def test_half_the_noise_is_caught_for_every_take(per_person, adjacency):
    plan = Plan(["1/2"], "aq", PureDP(1.0), adjacency)
    losses = [
        loss_of(plan, pair, WIDE, per_person=per_person, alter=lambda p: p.with_rates_times(Fraction(2)))
        for pair in tables(adjacency, [[[0], [0]], [[1]]], [[0, 0], [TOP, TOP, TOP]])
    ]
    assert max(loss.epsilon for loss in losses) > 1.5


@pytest.mark.parametrize(("per_person", "max_rows_per_person"), [("random", None), (None, 1)])
def test_a_random_row_is_a_mixture_over_the_rows(per_person, max_rows_per_person):
    """Of a person with rows 0, 0 and 9: two times in three the law of 0, else that of 9."""
    plan, ids = Plan(["1/2"], "aq"), ["a", "a", "a"]
    pair = compare(
        plan, [], [0, 0, TOP], WIDE, people=([], ids), per_person=per_person, max_rows_per_person=max_rows_per_person
    )
    alone = [compare(plan, [], [x], WIDE, people=([], ["a"]), per_person="first").laws for x in (0, TOP)]
    low, high = (present(laws)[1] for laws in alone)
    mixed = present(pair.laws)[1]
    assert abs(np.exp(mixed) - (2 * np.exp(low) + np.exp(high)) / 3).max() < 1e-12


def test_the_guarantee_of_a_pair_is_that_of_the_release():
    plan = Plan(["1/2"], "aq", ZCDP(0.1))
    (_, _), (values, ids) = nine_rows()
    pair = compare(plan, [], values[len(STAY) :], WIDE, people=([], ids[len(STAY) :]), max_rows_per_person=9)
    assert pair.guarantee.protects == "person"
    assert pair.guarantee.rho == pytest.approx(0.1)


@pytest.mark.parametrize(("adjacency", "before", "after"), [
    (JOINS, {"a": [1]}, {"a": [2]}), (JOINS, {"a": [1, 2]}, {"a": [1]}), (JOINS, {}, {"a": [1], "b": [1]}),
    (JOINS, {"a": [1]}, {"b": [1]}), (REPLACED, {}, {"a": [1]}), (REPLACED, {"a": [1], "b": [1]}, {"a": [2], "b": [2]}),
])  # fmt: skip
def test_tables_that_differ_otherwise_are_no_neighbours(adjacency, before, after):
    with pytest.raises(ParameterError, match="by all rows of one person"):
        loss_of(Plan(["1/2"], "aq", PureDP(1.0), adjacency), (table(before), table(after)), GRID, per_person="mean")


@pytest.mark.parametrize(("before", "after"), [({"a": [1]}, {"b": [2, 3]}), ({"a": [1, 2]}, {"a": [2, 1]})])
def test_a_replaced_person_may_keep_the_id_or_bring_another(before, after):
    plan = Plan(["1/2"], "aq", PureDP(1.0), REPLACED)
    assert loss_of(plan, (table(before), table(after)), GRID, per_person="last").epsilon <= 1


def test_columns_of_different_lengths_and_too_many_choices_are_refused():
    with pytest.raises(ParameterError, match="`people` must be two columns"):
        privacy_loss(Plan(["1/2"]), [1, 2], [1], GRID, people=(["a"], ["a"]), per_person="mean")
    values, ids = [0] * 40, ["a"] * 40
    with pytest.raises(ParameterError, match="fewer choices"):
        privacy_loss(Plan(["1/2"]), values, [], GRID, people=(ids, []), max_rows_per_person=20)
