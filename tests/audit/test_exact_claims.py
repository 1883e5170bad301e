"""Every claim of mechanisms that draw, exactly: never above it on any small data set, and reached somewhere.

Two kinds of data. On small grids all data sets, all their neighbours and all outputs are enumerated. On a grid of 10^13
cells a fixed list of extreme data sets, found by search, shows that the claim is reached, so that it cannot be lowered.
"""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from dpq_core import ZCDP, Adjacency, ApproxDP, Domain, PureDP, privacy_loss
from dpq_core.audit.losses import all_outputs, rho_by_order
from dpq_core.mechanisms.aq import mechanism as aq
from dpq_core.mechanisms.aq.recursion import Node, claim
from dpq_core.mechanisms.freetotal import mechanism as freetotal
from dpq_core.mechanisms.joint import mechanism as jointexp
from dpq_core.mechanisms.joint.distance import best_total, counts_between, distance, proportions_of
from dpq_core.mechanisms.joint.mechanism import half_range, one_way
from dpq_core.privacy.conversions import bounded_range_rho
from tests.audit.extremes import END, HUGE, climb, pairs, share_of_claim, small_losses
from tests.harness import ROUNDING, Plan, parameters, stated, with_less_noise
from tests.narrowing import present

ADD, SUB = Adjacency
PURE, CONCENTRATED = PureDP(1.0), ZCDP(0.1)
LEVELS: list[list[Any]] = [
    ["1/2"], [0], ["1/3", "2/3"], [0, 1], ["1/4", "1/2", "3/4"], ["1/10", "1/2", "9/10"], [0, "1/2", 1], [1],
]  # fmt: skip
MORE = [["1/5", "2/5", "3/5", "4/5"], ["1/6", "1/3", "1/2", "2/3", "5/6"]]
PAPER = {"calibration": "paper"}
SKETCHES: list[dict[str, Any]] = [{"alpha": 0, "n_max": 3}, {"alpha": 0.5, "n_max": 3}, {"alpha": 0.1, "n_max": 40}]
ALL_BUT_ONE_LEVEL = LEVELS[:7]
SMALL: list[Any] = [
    # mechanism, options, levels, budget, cells of the grid, numbers of records
    *(
        (key, options, levels, privacy, 4, (1, 3) if len(levels) < 3 else (3,))
        for key in ("aq", "indexp")
        for levels in LEVELS
        for privacy in (PURE, CONCENTRATED)
        for options in ({}, PAPER)
    ),
    *((key, {}, ["1/4", "1/2", "3/4"], ApproxDP(0.5, 1e-3), 4, (2,)) for key in ("aq", "indexp")),
    *((key, {}, levels, PURE, 3, (2,)) for key in ("aq", "indexp") for levels in MORE),
    *(
        (key, {}, levels, privacy, 4, (0, 1, 2, 3))
        for key in ("jointexp", "freetotal")
        for levels in ALL_BUT_ONE_LEVEL
        for privacy in (PURE, PureDP(4.0), CONCENTRATED, *([ApproxDP(1.0, 0.01)] if key == "freetotal" else []))
    ),
    *(
        ("gkexp", options, levels, privacy, 4, (3,))
        for levels in (["1/2"], [0, "1/3"])
        for privacy in (PURE, CONCENTRATED, ApproxDP(0.5, 1e-3))
        for options in SKETCHES
    ),
]
LARGER: list[Any] = [
    *(
        (key, {}, levels, PureDP(2.0), cells, (5,))
        for key in ("aq", "indexp")
        for levels, cells in ((["1/2"], 7), (["1/4", "3/4"], 5), (["1/5", "1/2", "4/5"], 4))
    ),
    *(
        (key, {}, levels, PureDP(2.0), 5, counts)
        for key, counts in (("jointexp", (4,)), ("freetotal", (4, 5)))
        for levels in (["1/2"], ["1/4", "3/4"], ["1/5", "1/2", "4/5"])
    ),
]


def named(row):
    key, options, levels, privacy, cells, _ = row
    how = "-".join(str(each) for each in options.values())
    kind = {PureDP: "pure", ApproxDP: "approximate", ZCDP: "concentrated"}[type(privacy)]
    size = f"{kind}{privacy.epsilon:g}" if isinstance(privacy, PureDP) else kind
    return " ".join(filter(None, [key, how, "+".join(map(str, levels)), size, f"{cells} cells"]))


KEPT = (
    "aq 1/3+2/3 pure1 4 cells", "aq 1/4+1/2+3/4 concentrated 4 cells", "aq paper 0+1/2+1 pure1 4 cells",
    "aq 1/4+1/2+3/4 approximate 4 cells", "indexp 1/3+2/3 pure1 4 cells", "indexp paper 1/2 concentrated 4 cells",
    "indexp 1/6+1/3+1/2+2/3+5/6 pure1 3 cells", "jointexp 1/2 pure1 4 cells", "jointexp 1/3+2/3 concentrated 4 cells",
    "freetotal 1/2 pure1 4 cells", "freetotal 0+1 approximate 4 cells", "gkexp 0-3 1/2 pure1 4 cells",
    "gkexp 0.1-40 0+1/3 concentrated 4 cells",
)  # fmt: skip


@pytest.mark.slow(keep=tuple(f"{row}-{tuple(Adjacency)[at % 2]}" for at, row in enumerate(KEPT)))
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("row", [*SMALL, *LARGER], ids=named)
def test_no_small_data_set_loses_more_than_the_claim(row, adjacency):
    """Of delta what small data show, at the claimed epsilon: the composition theorem covers what they cannot reach."""
    mechanism, options, levels, privacy, cells, counts = row
    plan = Plan(levels, mechanism, privacy, adjacency, options)
    guarantee, losses = parameters(plan, max(counts)).guarantee, small_losses(plan, cells, counts)
    assert max(loss.delta for loss in losses) <= guarantee.delta
    assert guarantee.rho is None or max(present(loss.rho) for loss in losses) <= guarantee.rho + ROUNDING
    if not guarantee.delta:
        assert max(loss.epsilon for loss in losses) <= guarantee.epsilon + ROUNDING


ONE = {"draws": "one"}
REACHED: list[tuple[str, dict[str, Any], list[Any], Adjacency, list[int], list[int], float]] = [
    # mechanism, options, levels, adjacency, data, neighbour, share of the claim that is reached
    ("aq", ONE, ["1/2"], ADD, [0, 0, END - 10**7], [0, 0, END - 10**7, END], 0.999),
    ("aq", ONE, ["1/2", "3/4"], ADD, [0, 0, END - 10**8], [0, 0, END - 10**8, END], 0.999),
    ("aq", ONE, ["1/3", "2/3"], ADD, [END, END, END], [END, END, END, 10], 0.999),
    ("aq", ONE, ["1/3", "2/3"], SUB, [0, 1, 10, END - 10**6], [1, 10, END - 10**6, END - 10], 0.999),
    ("aq", ONE, ["1/4", "1/2", "3/4"], ADD, [0, 30, END], [0, 30, END - 9, END], 0.999),
    ("aq", ONE | PAPER, ["1/4", "1/2", "3/4"], ADD, [0, 0, END - 10**8], [0, 0, END - 10**8, END], 0.999),
    ("aq", ONE, ["1/2"], SUB, [30, END], [0, 30], 0.999),
    ("aq", ONE, ["1/4", "1/2", "3/4"], SUB, [0, 1, 30_000, 10**5], [0, 30_000, 10**5, END - 99], 0.999),
    ("aq", ONE | PAPER, ["1/2", "3/4"], SUB, [300, END], [100, 300], 0.999),
    ("aq", ONE, ["1/4"], ADD, [END - 9] * 3, [0, *[END - 9] * 3], 0.999),
    ("aq", ONE, [0, "1/2", 1], ADD, [0, 0, END - 10**11], [0, 0, END - 10**11, END - 10], 0.999),
    ("indexp", {}, ["1/2"], ADD, [0, 0, END - 10**7], [0, 0, END - 10**7, END], 0.999),
    ("indexp", {}, ["1/4"], ADD, [END - 9] * 3, [0, *[END - 9] * 3], 0.999),
    ("indexp", PAPER, ["1/2"], ADD, [0, 0, END - 10**7], [0, 0, END - 10**7, END], 0.999),
    ("indexp", {}, ["1/2"], SUB, [30, END], [0, 30], 0.999),
    *((key, {}, [0], ADD, [], [0], 0.999) for key in ("aq", "indexp", "jointexp", "freetotal")),
    *((key, {}, [1], ADD, [], [10], 0.999) for key in ("aq", "indexp")),
    *((key, {}, [0], SUB, [END], [0], 0.999) for key in ("aq", "indexp")),
    *((key, {}, [1], SUB, [END], [10], 0.999) for key in ("aq", "indexp", "jointexp", "freetotal")),
    *((key, {}, [0, 1], ADD, [], [0], 0.999) for key in ("jointexp", "freetotal")),
    ("jointexp", {}, ["1/2"], ADD, [4, 9, HUGE // 3], [4, 9, HUGE // 3, END], 0.999),
    (
        "jointexp", {}, ["1/4", "3/4"], ADD,
        [END - 9502, END - 2285, END - 652], [END - 9502, END - 2285, END - 652, END], 0.999,
    ),
    (
        "jointexp", {}, ["1/4", "1/2", "3/4"], ADD,
        [END - 20**5, END - 10**4, END - 2], [END - 20**5 * 9, END - 20**5, END - 10**4, END - 2], 0.999,
    ),
    (
        "jointexp", {}, ["1/10", "1/2", "9/10"], ADD,
        [0, 611_072, END - 7_204_398, END], [0, 32, 611_072, END - 7_204_398, END], 0.77,
    ),
    ("jointexp", {}, ["1/2"], SUB, [447, END - 932], [4, 447], 0.999),
    (
        "jointexp", {}, ["1/4", "3/4"], SUB,
        [169, END - 62_720_681, END - 653, END], [END - 62_720_681, END - 6_082_198, END - 653, END], 0.999,
    ),
    (
        "jointexp", {}, [0, "1/2"], SUB,
        [159, 6825, HUGE // 7, END - 515_370], [0, 159, 6825, HUGE // 7], 0.999,
    ),
    ("freetotal", {}, ["1/2"], ADD, [0, 0], [0, 0, END - 1], 0.999),
    ("freetotal", {}, ["1/4", "3/4"], ADD, [END - 10, END], [END - 10, END - 1, END], 0.999),
    ("freetotal", {}, ["1/4", "1/2", "3/4"], ADD, [0, 100], [0, 100, 10**9], 0.999),
    ("freetotal", {}, ["1/2"], SUB, [0, 1], [1, END - 1], 0.999),
    # with the finest sketch, and with a coarse one, where records that are not kept move the bounds of the others
    ("gkexp", {"alpha": 0, "n_max": 9}, ["1/2"], ADD, [HUGE - 2], [0, HUGE - 2], 0.999),
    (
        "gkexp", {"alpha": 0, "n_max": 9}, ["1/2"], SUB,
        [100, 1000, HUGE - 10**7], [1000, HUGE - 10**7, HUGE - 2], 0.999,
    ),
    (
        "gkexp", {"alpha": 0.15, "n_max": 10}, ["1/2"], ADD,
        [10**8, 10**10, 10**11, END - 10**11, END - 10**8, END - 10**7, END - 10**6, END - 10, END - 10],
        [10**8, 10**10, 10**11, END - 10**11, END - 10**8, END - 10**7, END - 10**6, END - 10, END - 10, END - 1], 0.65,
    ),
    (
        "gkexp", {"alpha": 0.15, "n_max": 10}, ["1/2"], SUB,
        [1, 10, 1000, 1000, 10**5, END - 10**6, END], [10, 1000, 1000, 10**5, END - 10**6, END - 10**6, END], 0.65,
    ),
]  # fmt: skip
CAUGHT = {"aq": 1.9, "indexp": 1.9, "jointexp": 1.5, "freetotal": 1.5, "gkexp": 1.3}


@pytest.mark.parametrize(("mechanism", "options", "levels", "adjacency", "data", "other", "share"), REACHED)
def test_the_claim_is_reached_and_half_the_noise_breaks_it(mechanism, options, levels, adjacency, data, other, share):
    plan = Plan(levels, mechanism, PURE, adjacency, options)
    by = parameters(plan, len(data))
    assert share <= share_of_claim(plan, by, data, other) <= 1 + ROUNDING
    assert share_of_claim(plan, with_less_noise(by), data, other) > CAUGHT[mechanism]


SEARCHED: list[tuple[str, list[Any], dict[str, Any], int, int]] = [
    *(
        ("aq", levels, options, 6, 50)
        for levels in (["1/2", "3/4"], ["1/4", "1/2", "3/4"], ["1/10", "1/2", "9/10"], [0, "1/3", 1])
        for options in ({}, PAPER)
    ),
    *(
        ("freetotal", levels, {}, 3, 30)
        for levels in (["1/2"], ["1/4", "3/4"], ["1/4", "1/2", "3/4"], ["1/10", "1/2"], [0, "1/2"])
    ),
]


@pytest.mark.slow(keep="freetotal-levels9-options9-3-30-replace_one")
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize(("mechanism", "levels", "options", "starts", "steps"), SEARCHED)
def test_a_search_over_extreme_data_finds_nothing_above_the_claim(mechanism, levels, options, starts, steps, adjacency):
    """Hill-climbing from random starts among values near both ends, fixed seed."""
    plan = Plan(levels, mechanism, PURE, adjacency, options)
    by = cache(lambda n: parameters(plan, n))
    share = climb(lambda data, other: share_of_claim(plan, by(len(data)), data, other), adjacency, starts, steps)
    assert share > 0.5


OUTER = [(0, Fraction(1, 10)), (2, Fraction(9, 10))]
"""Columns and levels below the root, in its parts."""


def test_a_replaced_record_that_leaves_one_part_and_joins_another_costs_rho_in_both():
    """Over all outputs, exactly: more than both versions cost together in one part, and no more than is claimed.

    The root hardly looks at its records, so that it parts the two versions and costs nothing. In the outer tenths of
    each part one record more or less is seen almost wherever the answer falls.
    """
    ends = [Node((column,), (level,), Fraction(1, 10), (None, None)) for column, level in OUTER]
    root = Node((1,), (Fraction(1, 2),), Fraction(1, 1000), tuple(ends))
    usual = aq.calibrate(Plan(["1/20", "1/2", "19/20"], "aq", CONCENTRATED, SUB), None)
    claimed = float(claim(root, SUB, False, squared=True))
    stays = [8] * 9 + [31] * 9
    laws = [aq.log_law(all_outputs(40, 3), np.sort([*stays, one]), replace(usual, root=root), 40) for one in (0, 39)]
    assert 1.1 * float(bounded_range_rho(Fraction(1, 5))) < rho_by_order(*laws).max() <= claimed


WIDE = 4001
WIDE_PAIRS = [
    ("0", ADD, [], [1300]), ("0", SUB, [2450], [700]), ("1/2", ADD, [2000], [2000, 2800]),
    ("1/2", SUB, [2000, 3850], [100, 2000]), ("1", ADD, [], [2500]), ("1", SUB, [650], [3400]),
]  # fmt: skip


@pytest.mark.parametrize(("level", "adjacency", "data", "other"), WIDE_PAIRS)
@pytest.mark.parametrize("mechanism", ["aq", "indexp"])
def test_a_concentrated_draw_costs_its_range(mechanism, level, adjacency, data, other):
    """A few records among thousands of empty cells: nearly all of rho, and no more."""
    plan, outputs = Plan([level], mechanism, ZCDP(0.5), adjacency), all_outputs(WIDE, 1)
    by = parameters(plan, len(data))
    laws = [stated(plan, outputs, np.array(each, np.int64), by, WIDE) for each in (data, other)]
    assert 0.47 < rho_by_order(*laws).max() <= 0.5 + ROUNDING


@pytest.mark.slow(keep="indexp-replace_one")
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("mechanism", ["aq", "indexp", "jointexp", "freetotal", "gkexp"])
def test_half_the_noise_is_caught_on_small_data_by_the_code_of_the_app(mechanism, adjacency):
    options: dict[str, Any] = SKETCHES[0] if mechanism == "gkexp" else {}
    plan, on = Plan(["1/2"], mechanism, PURE, adjacency, options), Domain(0, 4, 1)
    found, halved = (
        [privacy_loss(plan, *pair, on, alter=alter).epsilon for pair in pairs(5, (3,), adjacency)]
        for alter in (None, with_less_noise)
    )
    assert max(found) == max(loss.epsilon for loss in small_losses(plan, 5, (3,))) <= 1 + ROUNDING
    assert max(halved) > 1.2


def scores_of(mechanism, levels, outputs):
    """The score of every output, for one data set after the other."""
    shares = proportions_of(levels)
    total = best_total if mechanism is freetotal else lambda counts, _: Fraction(sum(counts))
    score = cache(lambda counts: distance(counts, shares, total(counts, shares)))
    return lambda records: np.array(
        [score(tuple(each)) for each in counts_between(np.searchsorted(records, outputs), len(records)).tolist()]
    )


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("levels", [*ALL_BUT_ONE_LEVEL, ["1/7", "2/7", "3/7", "6/7"]])
@pytest.mark.parametrize("mechanism", [jointexp, freetotal], ids=["jointexp", "freetotal"])
def test_the_sensitivity_is_that_of_the_score(mechanism, levels, adjacency):
    """Every data set of few records on 4 cells, every tuple, exactly: within the bound, and all of it somewhere."""
    levels, sensitivity = tuple(map(Fraction, levels)), mechanism.sensitivity
    scores = cache(scores_of(mechanism, levels, all_outputs(4, len(levels))))
    counts = (0, 1, 2, 3, 4, 7) if mechanism is freetotal else (0, 1, 2, 3, 7) if len(levels) == 4 else (0, 1, 3, 4)
    changes = [scores(one) - scores(other) for one, other in pairs(4, counts, adjacency)]
    moved = sensitivity(levels, adjacency)
    assert max(abs(each).max() for each in changes) == moved
    apart = max(each.max() - each.min() for each in changes)
    assert apart <= 2 * half_range(levels, adjacency, moved)
    assert apart == 2 * half_range(levels, adjacency, moved) or not one_way(levels, adjacency)
