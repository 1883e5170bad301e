"""Outputs that single out a neighbour by their last bits: a textbook mechanism has them, a release has none.

Mironov 2012: noise that is added in floating point leaves gaps, and which values lie in a gap depends on the truth.
"""

import numpy as np
import pytest
from numpy.typing import NDArray

from dpq_core import MECHANISMS, Adjacency, Column, Domain, Plan, PureDP, release
from dpq_core.arrays import Flags

DOMAIN = Domain(0, 4, 1)
GRID = {0.0, 1.0, 2.0, 3.0, 4.0}
HERE, THERE = np.array([1.0, 1.0, 3.0, 3.0]), np.array([1.0, 1.0, 3.0, 4.0])
"""One of four people is replaced."""
OPTIONS = {"normal": {"sigma": 1.0, "mean_bound": 2.0}}


def textbook(truth: float, draws: int) -> NDArray[np.float64]:
    """The Laplace mechanism as it is usually written."""
    return truth + np.random.default_rng(7).laplace(size=draws)


def cannot_come_from_one(answers: NDArray[np.float64]) -> Flags:
    """Near 0 a sum of 1 and a float is a multiple of 2^-53; other answers cannot have 1 in them."""
    near: Flags = np.abs(answers) < 0.25
    odd: Flags = np.ldexp(answers, 53) != np.round(np.ldexp(answers, 53))
    return near & odd


def test_the_attack_works_on_a_textbook_mechanism() -> None:
    assert cannot_come_from_one(textbook(0.0, 10_000)).mean() > 0.1
    assert not cannot_come_from_one(textbook(1.0, 10_000)).any()


@pytest.mark.slow(keep="aq")
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_no_answer_of_a_release_singles_out_a_neighbour(mechanism: str) -> None:
    """Every answer, bit for bit, is one of the five public grid values, and either data set can give each of them.

    At so small an ε each value has a chance of about a fifth; that one of them is missing among 120 draws has a
    chance below 1e-10.
    """
    plan = Plan(["1/2"], mechanism, PureDP(0.01), Adjacency.REPLACE_ONE, options=OPTIONS.get(mechanism, {}))
    for data in (HERE, THERE):
        column = Column.from_values(data, DOMAIN)
        assert {release(column, plan).values["column"][0] for _ in range(120)} == GRID
