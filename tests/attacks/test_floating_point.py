"""Outputs that single out a neighbour by their last bits: a textbook mechanism has them, a release has none.

Mironov 2012: noise that is added in floating point leaves gaps, and which values lie in a gap depends on the truth.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from dpq_core import MECHANISMS, Adjacency, Domain, Guarantee, Plan, PureDP, Sample, release
from dpq_core.arrays import Flags
from dpq_core.mechanisms.joint import mechanism as joint
from dpq_core.mechanisms.joint.recursion import LOSS_OF_ROUNDING, weigh

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


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_no_answer_of_a_release_singles_out_a_neighbour(mechanism: str) -> None:
    """Every answer, bit for bit, is one of the five public grid values, and either data set can give each of them.

    At so small an ε each value has a chance of about a fifth; that one of them is missing among 120 draws has a
    chance below 1e-10.
    """
    plan = Plan(["1/2"], mechanism, PureDP(0.01), Adjacency.SUBSTITUTE, options=OPTIONS.get(mechanism, {}))
    for data in (HERE, THERE):
        sample = Sample.from_values(data, DOMAIN)
        assert {release(sample, plan).values[0] for _ in range(120)} == GRID


ROOT = Path(__file__).parents[2]
SAYS_INTEGERS = re.compile(r"\bintegers?\b")


def test_joint_exp_weighs_in_float64_and_pays_for_its_rounding_beforehand() -> None:
    plan = Plan(["1/4", "1/2"], "jointexp", PureDP(1.0))
    parameters = joint.calibrate(plan, None)
    weights = weigh(Sample.from_values(HERE, DOMAIN).cells, 5, parameters.levels, parameters.rate).starts
    assert weights.mantissa.dtype == np.float64
    assert parameters.guarantee.epsilon == 1.0
    assert LOSS_OF_ROUNDING == 2**-30


@pytest.mark.parametrize(
    "told", ["docs/mechanisms.md", "dpq_core/noise/__init__.py", "dpq_core/noise/exact.py", "Guarantee"]
)
def test_who_says_that_releases_draw_in_integers_names_the_float64_weights_of_joint_exp(told: str) -> None:
    """`JointExp` stands in every paragraph about the entropy of releases that speaks of integers."""
    text = (ROOT / told).read_text() if "." in told else inspect.getdoc(Guarantee)
    assert text
    paragraphs = [part for part in re.split(r"\n\s*\n", text) if "entropy" in part and SAYS_INTEGERS.search(part)]
    assert paragraphs
    assert [part for part in paragraphs if "JointExp" not in part] == []
    assert not re.search(r"integers only[;,.] (?!JointExp)|drawn? in(to)? integers", text)
