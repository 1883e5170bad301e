"""The exact law of a whole release, by the shipped code: rows taken of persons, tie-breaking bits, and draws."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from fractions import Fraction
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from dpq_core import MECHANISMS, ZCDP, ApproxDP, Guarantee, Plan
from dpq_core.audit.branching import Distribution, enumerate_law
from dpq_core.audit.losses import Loss
from dpq_core.mechanisms import Parameters
from dpq_core.privacy import Privacy
from tests.audit.enumerated import NO_CUT, loss_of_laws
from tests.narrowing import present

MODULES = [
    import_module(f"dpq_core.{name}") for name in ("release", "groups.draws", "finding.steps", "finding.counting")
]
"""Where releases take their entropy from."""
NOISE, SAMPLE, TAKES = (import_module(f"dpq_core.{name}") for name in ("noise", "sample", "people.takes"))
WORDS = 6
"""Random words for a choice of rows: as many as give 1, 2 and 3 rows equal chances."""


def law_of(
    answer: Callable[[], Hashable], monkeypatch: pytest.MonkeyPatch, cut: Fraction = Fraction(0)
) -> Distribution:
    """The law of what `answer` returns, which makes the data anew and releases."""

    here: list[Any] = []
    usual_jitter = NOISE.jitter

    def words_for(places, seed, turn=0):
        return here[0].below(np.full(places.shape, WORDS)).astype(np.uint64)

    def jitter(count, bits, seed=None, first_row=0):
        if seed is not None or not bits:
            return usual_jitter(count, bits, seed, first_row)
        return iter([here[0].below(np.full(count, 1 << bits))])

    for module in MODULES:
        monkeypatch.setattr(module, "ExactEntropy", lambda: here[0])
    monkeypatch.setattr(SAMPLE, "jitter", jitter)
    monkeypatch.setattr(TAKES, "words_for", words_for)

    def program(entropy: Any) -> Hashable:
        here[:] = [entropy]
        return answer()

    law = enumerate_law(program, cut)
    assert cut or law.cut < NO_CUT
    return law


def halve_noise(mechanism: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on the mechanism draws with twice its rates, and states what it stated before."""
    usual = MECHANISMS[mechanism].calibrate

    def broken(plan: Plan, count: int | None) -> Parameters:
        return usual(plan, count).with_rates_times(Fraction(2))

    monkeypatch.setattr(MECHANISMS[mechanism], "calibrate", broken)


def share_of(privacy: Privacy, claim: Guarantee, loss: Loss) -> float:
    """The loss as a share of the claim, in the budget's terms: rho, else delta where one is claimed, or epsilon."""
    if isinstance(privacy, ZCDP):
        return present(loss.rho) / present(claim.rho)
    if isinstance(privacy, ApproxDP) and claim.delta:
        return loss.delta / claim.delta
    return loss.epsilon / claim.epsilon


def share_between(
    answers: tuple[Callable[[], Hashable], Callable[[], Hashable]],
    privacy: Privacy,
    claim: Guarantee,
    monkeypatch: pytest.MonkeyPatch,
) -> float:
    """The loss between two tables' releases as a share of the claim, the worse direction."""
    first, second = (law_of(each, monkeypatch) for each in answers)
    return share_of(privacy, claim, loss_of_laws(first, second, claim.epsilon))
