"""A budget as odds: how often an observer's guess about one person can be right.

The observer knows everything but one thing about one person: whether the record is in the data (ADD_REMOVE), or which
of two it is (REPLACE_ONE). Both are equally likely before the answers are seen, so that a coin is right half of the
time. Nothing here draws or reads data, and nothing depends on the mechanism.
"""

from __future__ import annotations

from math import ceil, exp, expm1, sqrt

from ..privacy.budgets import ZCDP, Adjacency, ApproxDP, Privacy, PureDP

HUNDRED = 100
_ROUNDING = 1e-9
"""What floating point may add, in guesses of a hundred: below it a whole number is not rounded up to the next."""


def right_guesses(privacy: Privacy, draws: int = 1) -> float:
    """Return a proved bound on the proportion of guesses that are right, from 0.5 (a coin) to 1 (certain).

    A guess is right with probability (1 + TV) / 2 at best, where TV is the total variation distance between what the
    two neighbours answer. With a pure budget it also bounds the belief after each single answer. Several `draws` of one
    plan, each chosen after the others, spend the plain sums: Dwork & Roth 2014, Theorem 3.16; Bun & Steinke 2016,
    Lemma 1.7, for rho.
    """
    return min(1.0, 0.5 + _distance(privacy, draws) / 2)


def right_of_hundred(privacy: Privacy, draws: int = 1) -> int:
    """Return `right_guesses` out of a hundred, rounded up, so that "at most" stays true."""
    return min(HUNDRED, ceil(HUNDRED * right_guesses(privacy, draws) - _ROUNDING))


def guesses_in_words(privacy: Privacy, adjacency: Adjacency, one: str) -> str:
    """Return in a sentence how often an observer's guess about one person can be right; `one`: `person`."""
    asks = f"whether a given {one} is in the data"
    if adjacency is Adjacency.REPLACE_ONE:
        asks = f"which of two values a given {one} has"
    right = right_of_hundred(privacy)
    return f"Someone guessing {asks} would be right at most {right} times in {HUNDRED}; a coin toss, 50."


def _distance(privacy: Privacy, draws: int) -> float:
    """Return the largest total variation distance that draws at a budget allow, or a bound above it."""
    match privacy:
        case PureDP(epsilon):
            return _two_outcomes(draws * epsilon, 0.0)
        case ApproxDP(epsilon, delta):
            return _two_outcomes(draws * epsilon, draws * delta)
        case ZCDP(rho):
            # KL <= rho (Bun & Steinke 2016). Pinsker: TV <= sqrt(KL / 2). Bretagnolle & Huber: TV <= sqrt(1 - e^-KL).
            return min(sqrt(draws * rho / 2), sqrt(-expm1(-draws * rho)))


def _two_outcomes(epsilon: float, delta: float) -> float:
    """Return the bound of Kairouz, Oh & Viswanath 2015, Theorem 2.1: TV <= (e^eps - 1 + 2 delta) / (e^eps + 1)."""
    return (-expm1(-epsilon) + 2 * delta * exp(-epsilon)) / (1 + exp(-epsilon))
