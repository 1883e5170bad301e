"""The sentences of the microscope."""

from __future__ import annotations

from math import exp, isfinite

import numpy as np

from dpq_core.arrays import Floats
from dpq_core.audit import LossVerdict, Pair, log_ratios
from dpq_core.results import in_digits

from ..frame import escape

HELP = {
    "all": "all {:,} answers, by their log ratio",
    "sorted": "Every point is one answer: all quantiles together. The line must stay inside the band.",
    "single": "Above 0 the answer is likelier after the change, below 0 before. Every point must stay inside the band.",
    "unrefuted": "One pair within the claim proves nothing. The pair that this view opens with breaks it.",
    "edge": "Points at the upper or lower edge are possible for one data set only.",
    "orders": "A concentrated budget ρ promises that the divergence of order a is at most ρ a, for every order.",
}
LARGEST_SHOWN = 1e6


def times(loss: float) -> str:
    """Return a loss as a factor: `2.72 times` for 1."""
    factor = exp(min(loss, 700.0))
    if not isfinite(loss):
        return "∞"
    return f"{factor:.2f} times" if factor < LARGEST_SHOWN else f"{in_digits(factor)} times"


def answer_in_words(output: Floats) -> str:
    """Return one answer, or several beside each other: `3.5, 7`."""
    return ", ".join(in_digits(value, 6) for value in np.atleast_1d(output))


def possible_once(ratio: float) -> str:
    """Return what an infinite log ratio means: the answer is possible for one data set only."""
    return "only after" if ratio > 0 else "only before"


def verdict_sentence(names: tuple[str, str], pair: Pair, verdict: LossVerdict) -> str:
    """Return what was found, in plain words, with the worst output where there is one. Markdown."""
    loss = pair.loss
    if verdict.measure == "rho":
        share = verdict.found / verdict.claimed
        said = f"{share:.1f} times what is claimed" if not verdict.holds else f"{share * 100:.0f} % of what is claimed"
        return f"The loss in ρ is {said}."
    if pair.laws is None:
        what = "the noisy numbers behind the answers" if loss.method == "lemma" else "an answer"
        limit = f"the claim allows {times(verdict.claimed)}"
        return f"By a lemma: {what} become up to {times(verdict.found)} as likely; {limit}."
    before, after = names
    ratio = float(log_ratios(*pair.laws)[loss.worst])
    likelier, other = (after, before) if ratio > 0 else (before, after)
    answer = f"The answer **{escape(answer_in_words(np.array(loss.worst_output)))}**"
    if not isfinite(ratio):
        chance = exp(max(law[loss.worst] for law in pair.laws))
        probability = in_digits(chance, 2, nothing=0.0)
        return f"{answer} has probability {probability} {likelier} and is impossible {other}: it gives a person away."
    allowed = times(verdict.claimed)
    return f"{answer} is {times(abs(ratio))} as likely {likelier} as {other}; the claim allows {allowed}."


def loss_in_words(pair: Pair, verdict: LossVerdict) -> str:
    """Return the alternative text of the log ratios."""
    inside_or_not = "stays inside" if verdict.holds else "leaves"
    found = f"{verdict.found:.3f}" if isfinite(verdict.found) else "infinite"
    worst = answer_in_words(np.array(pair.loss.worst_output))
    return f"The log ratio {inside_or_not} the band of {verdict.claimed:.3f}: it is {found} at the answer {worst}."
