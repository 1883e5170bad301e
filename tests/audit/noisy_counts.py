"""What must hold of mechanisms that draw from noisy counts: their exact losses against the claim, pair by pair."""

from __future__ import annotations

from math import inf

import pytest

from dpq_core import ZCDP, PureDP
from dpq_core.mechanisms.base import LemmaLoss
from dpq_core.privacy import Guarantee, Privacy
from tests.narrowing import present

ROUNDING = 1e-9


def none_loses_more_and_one_loses_it_all(guarantee: Guarantee, losses: list[LemmaLoss]) -> None:
    epsilon, delta = max(loss.epsilon for loss in losses), max(loss.delta for loss in losses)
    rho, claimed = max(present(loss.rho) for loss in losses), present(guarantee.rho)
    assert delta <= guarantee.delta
    assert rho <= claimed * (1 + 1e-12)
    assert rho == pytest.approx(claimed, rel=1e-9)
    if guarantee.delta == 0:
        assert epsilon <= guarantee.epsilon + ROUNDING
        assert epsilon == inf or epsilon == pytest.approx(guarantee.epsilon, rel=1e-12)


def too_little_noise_is_caught(privacy: Privacy, guarantee: Guarantee, losses: list[LemmaLoss]) -> None:
    """`losses` are those of half the noise under the claim of `guarantee`."""
    assert max(present(loss.rho) for loss in losses) > 2.9 * present(guarantee.rho)
    if isinstance(privacy, PureDP):
        assert max(loss.epsilon for loss in losses) > 1.99 * guarantee.epsilon
    if not isinstance(privacy, ZCDP):
        assert max(loss.delta for loss in losses) > guarantee.delta
