"""What draws of a recursion add up to, by hand and by the worst runs there are; and measured errors below the bound."""

from fractions import Fraction
from itertools import product
from math import log

import numpy as np
import pytest

from dpq_core import ZCDP, Domain, PureDP, simulate
from dpq_core.mechanisms.aq.mechanism import added_up, proved
from dpq_core.mechanisms.aq.recursion import Node, halves, shaped
from dpq_core.mechanisms.aq.shape import Shaper
from tests.harness import Plan, even_levels, usual_column
from tests.mechanisms.recursions import root_of
from tests.narrowing import present


def worst_run(levels: tuple[Fraction, ...], errors: tuple[int, ...]) -> Fraction:
    """The largest error where the draw of each column errs by its entry, followed rank by rank."""

    def reached(node: Node | None, start: Fraction, end: Fraction) -> Fraction:
        if node is None:
            return Fraction(0)
        (column,) = node.columns
        answer = start + node.level * (end - start) + errors[column]
        left, right = (
            reached(part, *ends) for part, ends in zip(node.children, ((start, answer), (answer, end)), strict=True)
        )
        return max(abs(answer - 1000 * levels[column]), left, right)

    return reached(halves(levels), Fraction(0), Fraction(1000))


@pytest.mark.parametrize(("m", "most"), [(1, 1.0), (3, 1.5), (7, 2.25), (15, 2.875)])
def test_errors_within_one_record_add_up_to_more_than_the_paper_says(m: int, most: float) -> None:
    assert added_up(halves(even_levels(m)), lambda node: 1.0) == most
    assert worst_run(even_levels(m), (1,) * m) == most


def test_no_run_is_worse_than_what_is_added_up() -> None:
    levels = tuple(Fraction(k, 100) for k in (3, 10, 45, 50, 72, 90))
    most = added_up(halves(levels), lambda node: 1.0)
    assert max(worst_run(levels, errors) for errors in product((-1, 0, 1), repeat=6)) == pytest.approx(most)


def test_a_single_level_is_lemma_a1_with_its_own_rate() -> None:
    root = root_of(Plan(["1/2"], "aq", PureDP(1.0)))
    assert proved(root, 2**40, 0.05) == pytest.approx(2 + log(2**40 / 0.05), rel=1e-6)  # a median at epsilon has rate 1


def test_two_levels_drawn_at_once_add_up_like_one() -> None:
    """Thirds in one draw err once; the thirds of their middle part have two wrong ends, and err once more."""
    root = shaped(even_levels(8), Shaper(False), (2, 2, 2))
    assert [len(present(node).levels) for node in (root, *root.children)] == [2, 2, 2, 2]
    assert added_up(root, lambda node: 1.0) == 2.0


def test_two_levels_at_once_are_bounded_by_their_tuples() -> None:
    two = root_of(Plan(["1/3", "2/3"], "aq", PureDP(1.0), options={"draws": "several"}))
    assert len(two.levels) == 2
    # Ranks within 1 below two targets have a distance of 3, and each of 2^80 tuples may err by more: rate is 1/2.
    assert proved(two, 2**40, 0.05) == pytest.approx(3 + 2 * log(2**80 / 0.05) + 1, rel=1e-6)


@pytest.mark.statistical
@pytest.mark.parametrize("privacy", [PureDP(1.0), ZCDP(0.125)])
@pytest.mark.parametrize("draws", ["one", "several"])
def test_measured_errors_lie_below(privacy: PureDP | ZCDP, draws: str) -> None:
    """At most one run in 20 may be above; 256 runs have none, which is why no seed can make this fail."""
    column = usual_column(np.random.default_rng(0).uniform(-5, 5, 20_000), Domain(-100, 100, "0.001"), seed=0)
    plan = Plan(even_levels(20), "aq", privacy, options={"draws": draws})
    bound = proved(root_of(plan), column.slots, 0.05)
    assert simulate(column, plan, 256).rank_errors["column"].max() <= bound < column.n
