"""Exact laws of shipped `run`s on tiny data, for tests: what is answered, refusals included, with exact chances."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from dpq_core import ZCDP, Domain, ParameterError, Sample
from dpq_core.audit.branching import Distribution, enumerate_law
from dpq_core.audit.branching_fast import enumerate_fast_law
from dpq_core.audit.losses import Loss, loss_between
from dpq_core.calibrations import calibrate, mechanism_of, public_count

SAMPLERS: dict[str, Callable[..., Distribution]] = {"exact": enumerate_law, "fast": enumerate_fast_law}
NO_CUT = Fraction(1, 2**900)
"""Rounding of weights alone stays far below."""


def sample_of(values, grid):
    return Sample.from_values(values, Domain(0, grid - 1, 1), jitter_bits=0)


def law_of_run(plan, sample, cut_below=Fraction(0), sampler="exact"):
    """The law of what a release would say: cells of the distinct levels, or the whole text of a refusal."""
    parameters = calibrate(plan, public_count(sample, plan))

    def program(entropy):
        try:
            return tuple(mechanism_of(plan).run(sample, parameters, entropy)[0].tolist())
        except ParameterError as refused:
            return str(refused)

    return SAMPLERS[sampler](program, cut_below)


def check_chances(law, outputs, stated):
    """Nothing but the outputs is answered, each with the chance that is stated.

    To a billionth of itself, and to 1e-12: the fast sampler adds up float64 weights, beside which rare ones are lost.
    """
    assert law.cut < NO_CUT
    keys = [tuple(output) for output in outputs.tolist()]
    assert law.chances.keys() <= set(keys)
    assert [float(law.at_least(key)) for key in keys] == pytest.approx(stated.tolist(), rel=1e-9, abs=1e-12)


def loss_of_laws(first: Distribution, second: Distribution, epsilon: float) -> Loss:
    """The loss between two enumerated laws as float64 logarithms; for laws that have no cut."""
    outputs = sorted(first.chances.keys() | second.chances.keys())
    a, b = (np.array([log_of(law.at_least(each)) for each in outputs]) for law in (first, second))
    return loss_between(a, b, epsilon)


def log_of(chance):
    """The logarithm of a fraction that may lie below every float."""
    if not chance:
        return -np.inf
    scale = chance.denominator.bit_length() - chance.numerator.bit_length()
    return float(np.log(float(chance * 2**scale)) - scale * np.log(2))


def within(plan, guarantee, first, second):
    """Whether the claim holds between two laws without a cut, both directions, in the terms of the budget."""
    loss = loss_of_laws(first, second, guarantee.epsilon)
    if isinstance(plan.privacy, ZCDP):
        return loss.rho <= guarantee.rho * (1 + 1e-9)
    return loss.delta <= guarantee.delta * (1 + 1e-9)
