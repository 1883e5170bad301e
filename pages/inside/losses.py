"""What the microscope shows: the verdict, both distributions, their log ratios, and the same numbers as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, isfinite
from typing import Any

import numpy as np
import streamlit as st

from dpq_core.arrays import Floats, Integers
from dpq_core.audit.broken import Broken, BrokenAtScale, TinyPair
from dpq_core.audit.losses import (
    RENYI_ORDERS,
    LossVerdict,
    NoisePiece,
    Pair,
    compare,
    judge,
    log_ratios,
    marginals,
    noise_piece,
    rho_by_order,
)
from dpq_core.figures import distributions as figures
from dpq_core.frame import level_name
from dpq_core.plan import Plan
from dpq_core.texts import in_digits

from ..shell.header import escape, term
from ..shell.pieces import draw, table

Columns = dict[str, list[Any]]
ONE = "Above 0 an answer is likelier after the change, below 0 before. Every point must stay inside the band."
SORTED = "Every point is one answer: all quantiles together. The line must stay inside the band."
EDGE = "Points at the upper or lower edge are possible for one data set only."
UNREFUTED = "One pair within the claim proves nothing. The pair that this view opens with breaks it."
SHARE = "share of the claim"
BADGES = {True: ":blue-badge[:material/check: holds]", False: ":red-badge[:material/close: broken]"}
MOST_POINTS = 1500
"""Of the line of log ratios; both ends and the worst output are always among them."""
MOST_ROWS = 500
LARGEST_SHOWN = 1e6


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Two neighbouring data sets, and the mechanism under which they are compared."""

    variant: Broken | None
    """None: the sound mechanism."""
    fixed: bool
    plan: Plan
    pair: TinyPair

    def compared(self) -> Pair:
        """Return the distributions and the loss of this pair. Raises ParameterError where it is not available."""
        return self.variant.compare(self.plan, self.pair) if self.variant and not self.fixed else self.sound()

    def sound(self) -> Pair:
        """Return the same of the sound mechanism on the same pair."""
        plan, pair = self.plan, self.pair
        return self.variant.fixed(plan, pair) if self.variant else compare(plan, pair.values, pair.other, pair.domain())

    @property
    def names(self) -> tuple[str, str]:
        """The two data sets in words: "without 39", "with 39"."""
        leaving, joining = self.pair.leaving, self.pair.joining
        if leaving is not None and joining is not None:
            return f"with {leaving}", f"with {joining} instead"
        if leaving is None:
            return f"without {joining}", f"with {joining}"
        return f"with {leaving}", f"without {leaving}"


def times(loss: float) -> str:
    """Return a loss as a factor: `2.72 times` for 1."""
    factor = exp(min(loss, 700.0))
    if not isfinite(loss):
        return "∞"
    return f"{factor:.2f} times" if factor < LARGEST_SHOWN else f"{in_digits(factor)} times"


def output_in_words(output: Floats) -> str:
    """Return one answer, or several beside each other: `3.5, 7`."""
    return ", ".join(in_digits(value, 6) for value in np.atleast_1d(output))


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
        return f"By a lemma {what} become at most {times(verdict.found)} as likely; {limit}."
    before, after = names
    ratio = float(log_ratios(*pair.laws)[loss.worst])
    likelier, other = (after, before) if ratio > 0 else (before, after)
    answer = f"The answer **{escape(output_in_words(np.array(loss.worst_output)))}**"
    if not isfinite(ratio):
        chance = exp(max(law[loss.worst] for law in pair.laws))
        probability = in_digits(chance, 2, nothing=0.0)
        return f"{answer} has probability {probability} {likelier} and is impossible {other}: it gives a person away."
    allowed = times(verdict.claimed)
    return f"{answer} is {times(abs(ratio))} as likely {likelier} as {other}; the claim allows {allowed}."


def show_comparison(comparison: Comparison, pair: Pair) -> None:
    """Show one pair of data sets under one mechanism, which may be a broken one."""
    verdict = judge(pair, comparison.plan.privacy)
    _metrics(verdict)
    unrefuted = comparison.variant is not None and not comparison.fixed and verdict.holds
    warning = f" {UNREFUTED}" if unrefuted else ""
    st.markdown(f"{BADGES[verdict.holds]} {verdict_sentence(comparison.names, pair, verdict)}{warning}")
    if pair.laws is not None and pair.outputs is not None:
        _show_outputs(comparison, pair, pair.outputs, pair.laws, verdict)
        return
    st.caption(f":material/functions: {escape(pair.loss.lemma)}")
    piece, promised = noise_piece(pair.parameters[0]), noise_piece(comparison.sound().parameters[0])
    if piece is not None and promised is not None:
        _show_noise(piece, promised, verdict)


def show_sizes(variant: BrokenAtScale, epsilon: Fraction) -> None:
    """Show the loss of one pair for growing numbers of quantiles or people, as printed and fixed."""
    losses = {name: [variant.loss(size, epsilon, name) for size in variant.sizes] for name in (True, False)}
    claim, worst = float(epsilon), max(losses[True])
    _metrics(LossVerdict("epsilon", claim, worst))
    above = [size for size, loss in zip(variant.sizes, losses[True], strict=True) if loss > claim]
    said = f"From {above[0]} {variant.of} on the loss is above the claim." if above else "Within the claim so far."
    st.markdown(f"{BADGES[not above]} {said} {escape(variant.at)}")
    _draw(
        figures.draw_losses_by_size(variant.sizes, losses[True], losses[False], claim, of=variant.of),
        "tiny_sizes", f"The loss for up to {variant.sizes[-1]} {variant.of}: {worst:.3f}, where {claim:g} is claimed.",
    )  # fmt: skip
    columns: Columns = {
        variant.of: [str(size) for size in variant.sizes],
        "as printed": [f"{loss:.3f}" for loss in losses[True]],
        "fixed": [f"{loss:.3f}" for loss in losses[False]],
        "claim": [f"{claim:.3f}"] * len(variant.sizes),
    }
    _numbers(columns, f"The loss by the number of {variant.of}.")


def _metrics(verdict: LossVerdict) -> None:
    sign = "ε" if verdict.measure == "epsilon" else "ρ"
    with st.container(horizontal=True):
        st.metric("Claim", f"{sign} = {verdict.claimed:.3f}", width="stretch", help=term(verdict.measure))
        found = f"{verdict.found:.3f}" if isfinite(verdict.found) else "∞"
        st.metric("Exact loss", f"{sign} = {found}", width="stretch", help=term("exact loss"))
        if verdict.measure == "epsilon":
            allowed = f"Allowed: {times(verdict.claimed)}."
            st.metric("Largest likelihood ratio", times(verdict.found), width="stretch", help=allowed)


def _show_outputs(
    comparison: Comparison, pair: Pair, outputs: Floats, laws: tuple[Floats, Floats], verdict: LossVerdict
) -> None:
    """Show each quantile's distribution for both data sets, and every output's log ratio against the claim."""
    (values, before), (_, after) = (marginals(outputs, law) for law in laws)
    count, ratios = outputs.shape[1], log_ratios(*laws)
    several, axis = count > 1, f"each of the {count} answers" if count > 1 else "answer"
    levels = sorted(set(comparison.plan.quantiles)) if several else []
    rows = [level_name(level).split(" · ")[0] for level in levels]
    _distributions(values.tolist(), before, after, comparison.names, axis, rows)
    if verdict.measure == "rho":
        _orders(rho_by_order(*laws), verdict.claimed)
    else:
        order = np.argsort(ratios, kind="stable") if several else np.arange(ratios.size)
        places = _thinned(order, pair.loss.worst)
        shown = order[places]
        _ratios(
            (places if several else values).tolist(), ratios[shown], int(np.flatnonzero(shown == pair.loss.worst)[0]),
            [output_in_words(outputs[at]) for at in shown], verdict.claimed,
            axis=f"all {ratios.size:,} answers, by their log ratio" if several else axis,
            help=SORTED if several else ONE,
        )  # fmt: skip
    most = np.argsort(-np.abs(ratios), kind="stable")[:MOST_ROWS]
    columns: Columns = {
        "answer": [output_in_words(outputs[at]) for at in most],
        comparison.names[0]: [f"{exp(laws[0][at]):.6g}" for at in most],
        comparison.names[1]: [f"{exp(laws[1][at]):.6g}" for at in most],
        "log ratio": [f"{x:+.4f}" if isfinite(x) else f"only {'after' if x > 0 else 'before'}" for x in ratios[most]],
    }
    note = f"The {len(most)} answers that differ most, of {ratios.size:,}." if ratios.size > len(most) else ""
    _numbers(columns, "Every answer with its probability for both data sets.", note)
    if several:
        columns = {axis: [output_in_words(value) for value in values]}
        for data_set, chances in zip(comparison.names, (before, after), strict=True):
            for row, law in zip(rows, chances, strict=True):
                columns[f"{row} {data_set}"] = [in_digits(chance, 6, nothing=0.0) for chance in law]
        _numbers(columns, "Each quantile's distribution for both data sets.", name="Distributions as a table")


def _show_noise(piece: NoisePiece, promised: NoisePiece, verdict: LossVerdict) -> None:
    """Show the distribution of one noisy number, before and after a person moves it by one."""
    st.caption(
        f"There are too many answers to list. So this shows {piece.what} with its noise, where it is 0 and where it is "
        f"1. The band is what {piece.what} may lose as its share of the claim."
    )
    xs, names = [float(point) for point in piece.points], (f"{piece.what}: 0", f"{piece.what}: 1")
    axis, laws, ratios = f"{piece.what}, with noise", [np.exp(law) for law in piece.laws], log_ratios(*piece.laws)
    _distributions(xs, laws[:1], laws[1:], names, axis)
    if verdict.measure == "rho":
        _orders(piece.rho_by_order, float(promised.rho_by_order.max()), SHARE)
    else:
        _ratios(xs, ratios, None, [str(int(x)) for x in xs], promised.epsilon, axis=axis, help=ONE, limit=SHARE)
    columns: Columns = {
        axis: [str(int(x)) for x in xs],
        names[0]: [in_digits(chance, 6, nothing=0.0) for chance in laws[0]],
        names[1]: [in_digits(chance, 6, nothing=0.0) for chance in laws[1]],
        "log ratio": [f"{ratio:+.4f}" for ratio in ratios],
    }
    _numbers(columns, f"The distribution of {piece.what} with its noise.")


def _thinned(order: Integers, worst: int) -> Integers:
    """Return at most MOST_POINTS places in an order, evenly, with both ends and the worst output."""
    if order.size <= MOST_POINTS:
        return np.arange(order.size)
    evenly = np.linspace(0, order.size - 1, MOST_POINTS).astype(np.int64)
    return np.union1d(evenly, np.flatnonzero(order == worst))


def _distributions(
    xs: list[float], before: list[Floats], after: list[Floats], names: tuple[str, str], axis: str,
    rows: Sequence[str] = (),
) -> None:  # fmt: skip
    """Draw the probabilities of the same values for both data sets, of each quantile."""
    both = [law.tolist() for law in before], [law.tolist() for law in after]
    figure = figures.draw_distributions(xs, *both, names, axis=axis, rows=rows)
    _draw(figure, "tiny_laws", f"Exact probabilities of {axis}, {names[0]} and {names[1]}.")


def _ratios(
    xs: list[float], ratios: Floats, worst: int | None, labels: list[str], claim: float, *, axis: str, help: str,
    limit: str = "claim",
) -> None:  # fmt: skip
    """Draw log ratios beside what the claim allows; `worst`: which of them is the largest, to be marked."""
    figure = figures.draw_log_ratios(xs, ratios.tolist(), worst, claim, labels, axis=axis, limit=limit)
    alt = f"Log ratios: at most {np.abs(ratios).max():.3f}, and the {limit} is {claim:.3f}."
    _draw(figure, "tiny_ratios", alt)
    st.caption(help if np.isfinite(ratios).all() else f"{help} {EDGE}", help=term("log ratio"))


def _orders(shares: Floats, claim: float, limit: str = "claim") -> None:
    """Draw the divergence of each order beside what a concentrated budget allows."""
    figure = figures.draw_divergences(RENYI_ORDERS, shares.tolist(), claim, limit)
    alt = f"Divergence divided by order: at most {shares.max():.4g}, and {claim:.4g} is allowed."
    _draw(figure, "tiny_orders", alt)
    st.caption("A concentrated budget ρ promises that the divergence of order a is at most ρ a, for every order.")
    columns = {"order": [f"{order:g}" for order in RENYI_ORDERS], "divergence / order": [f"{x:.5g}" for x in shares]}
    _numbers(columns, "Divergence divided by order.", name="Orders as a table")


def _draw(figure: Any, name: str, alt: str) -> None:
    draw(st.container(), figure, name, alt, simulated=False)


def _numbers(columns: Columns, alt: str, note: str = "", name: str = "Numbers as a table") -> None:
    with st.expander(name, type="compact"):
        if note:
            st.caption(note)
        table(columns, alt)
