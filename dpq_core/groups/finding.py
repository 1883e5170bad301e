"""Decide privately which groups of the data are named: the optimal rule, in exact rational numbers.

A group with n people is named with the chance p(n), p(0) = 0,

    p(n) = min(a p(n-1) + d, 1 - (1 - d - p(n-1)) / a, 1),    a <= e^epsilon,

This is the largest chance that (epsilon, d) allows where one person joins or leaves: the chance to be named, and the
chance not to be named, may each change by a factor of e^epsilon plus d (Desfontaines, Voss, Gipson & Mandayam 2022,
Theorem 2).

Claim. For all n, p(n) <= e^epsilon p(n-1) + d and 1 - p(n-1) <= e^epsilon (1 - p(n)) + d. p does not fall, so the two
other directions hold as well. Here a is a rational number below e^epsilon, and p(n) is rounded down to a multiple of
2^-bits. Rounding lowers the left side of the first inequality and raises the right side of the second, and the next
step starts from the rounded number. p rises by at least d / a - 2^-bits >= 0 until it is 1. From `MOST_STEPS` on it
does not change, which both inequalities allow. Only d protects names: if a group has one person, its name is released
with the chance d.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ..arrays import Flags, Integers
from ..errors import Name, ParameterError, Remedy, is_real, shown
from ..noise.entropy import Entropy
from ..noise.exact import ExactEntropy
from ..noise.fast import SeededSampler
from ..noise.integer_noise import exp_floor
from ..privacy import composition
from ..privacy.budgets import ApproxDP, Guarantee, Privacy
from ..privacy.composition import PrivacyUnit

FINDING_SHARE = 0.1
"""The share of epsilon for finding groups. A group needs about the inverse of this epsilon in people to be found; a
tenth costs the answers little."""
NO_GROUP = "No group is large enough to be named."
"""The message where groups had to be found and none was."""
NAMES_ELSEWHERE = (
    "must list the groups of a table on a cluster to simulate it: a simulation would take the names of all groups out "
    "of the workers. A release finds the large groups there."
)
MOST_STEPS = 1 << 20
_EXP_BITS = 256


class PartitionSelection:
    """The chance that a group is named, by its number of people; neighbours differ by one person in one group."""

    def __init__(self, epsilon: Fraction, delta: Fraction) -> None:
        """`epsilon` > 0 and 0 < `delta` < 1 of one group."""
        inverse = exp_floor(epsilon, _EXP_BITS)
        self.growth = Fraction(1 << _EXP_BITS, inverse + 1)
        """At most e^epsilon, by less than 2^-250 of itself for epsilon up to 1, and at least 1."""
        self.delta = delta
        self.bits = 128 + int(self.growth / delta).bit_length()
        self._chances = [0]

    def chances(self, most: int) -> list[int]:
        """Return the chances for 0, 1, ... people in units of 2^-bits, up to `most` or until they no longer change."""
        one, up, chances = 1 << self.bits, self.growth, self._chances
        step = int(self.delta * one)
        lost = one - step
        while len(chances) <= min(most, MOST_STEPS) and chances[-1] < one:
            last = chances[-1]
            grown = last * up.numerator // up.denominator + step
            left = one + (last - lost) * up.denominator // up.numerator
            chances.append(max(last, min(grown, left, one)))
        return chances

    def named(self, counts: Integers, trials: int, entropy: Entropy) -> Flags:
        """Return which groups of `counts` people are named in each trial, (trials, groups): independent coins."""
        chances = self.chances(int(counts.max(initial=0)))
        places = np.minimum(counts, len(chances) - 1)
        if isinstance(entropy, ExactEntropy):
            assert trials == 1, "the exact sampler makes one run"
            coins = [entropy.bernoulli(chances[place], 1 << self.bits) for place in places.tolist()]
            return np.array(coins, dtype=np.bool_).reshape(1, counts.size)
        assert isinstance(entropy, SeededSampler), "there are two samplers"
        known = np.array([chance / (1 << self.bits) for chance in chances])
        return entropy.bernoulli(np.tile(known[places], trials)).reshape(trials, counts.size)


def checked_share(share: object, other: object) -> float:
    """Return the share of epsilon for finding groups, none of which are pooled. Raises ParameterError."""
    if other is not None:
        raise ParameterError("other", ("must go with a list of ", Name("names"), "."))
    if not (is_real(share) and 0 < share < 1):
        raise ParameterError("finding", f"must be > 0 and < 1, got {shown(share)}.")
    return float(share)


def divided_for_names(share: float, budget: Privacy) -> tuple[Fraction, ApproxDP]:
    """Return the epsilon for the names of groups, and the budget of their answers. Raises ParameterError."""
    if not isinstance(budget, ApproxDP):
        raise ParameterError(
            "delta",
            ("must be given with ", Name("epsilon"), " where groups are found, such as 1e-6; or list the groups."),
            (Remedy("budget", "approximate"),),
        )
    return composition.names_and_answers(budget, Fraction(share))


def named_with(
    unit: PrivacyUnit, budget: Privacy, for_names: Fraction, answers: Guarantee
) -> tuple[PartitionSelection, Guarantee]:
    """Return the naming rule, with all delta that answers do not use, and the guarantee of names and answers.

    `unit`: how neighbours differ where groups are counted to be named.
    """
    assert isinstance(budget, ApproxDP), "names need a delta"
    left, guarantee = composition.after_names(budget, for_names, answers)
    return PartitionSelection(*composition.budget_of_step(for_names, left, unit)), guarantee
