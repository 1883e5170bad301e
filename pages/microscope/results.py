"""What the microscope shows: the verdict, both distributions, their log ratios, and the same numbers as a table.

Its sentences are here as well.
"""

from __future__ import annotations

from fractions import Fraction
from math import exp, isfinite
from typing import Any

import numpy as np
import streamlit as st

from dpq_core.arrays import Floats, Integers
from dpq_core.audit.losses import (
    RENYI_ORDERS,
    LossVerdict,
    NoisePiece,
    Pair,
    judge,
    log_ratios,
    marginals,
    noise_piece,
    rho_by_order,
)
from dpq_core.audit.variants import BrokenAtScale
from dpq_core.figures import distributions as figures
from dpq_core.frames.rows import level_name
from dpq_core.texts import in_digits

from ..frame.header import escape, term
from ..frame.pieces import draw, table
from .forms import Comparison

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


MOST_POINTS = 1500
"""Of the line of log ratios; both ends and the worst output are always among them."""
MOST_ROWS = 500
BADGES = {True: ":blue-badge[:material/check: holds]", False: ":red-badge[:material/close: broken]"}
SHARE = "share of the claim"


def show_comparison(comparison: Comparison, pair: Pair) -> None:
    """Show one pair of data sets under one mechanism, which may be a broken one."""
    verdict = judge(pair, comparison.plan.privacy)
    _metrics(verdict)
    unrefuted = comparison.variant is not None and not comparison.fixed and verdict.holds
    warning = f" {HELP['unrefuted']}" if unrefuted else ""
    st.markdown(f"{BADGES[verdict.holds]} {verdict_sentence(comparison.names, pair, verdict)}{warning}")
    if pair.laws is not None and pair.outputs is not None:
        _laws(comparison, pair.outputs, pair.laws, pair, verdict)
        return
    st.caption(f":material/functions: {escape(pair.loss.lemma)}")
    piece, promised = noise_piece(pair.parameters[0]), noise_piece(comparison.sound().parameters[0])
    if piece is not None and promised is not None:
        _noise(piece, promised, verdict)


def show_sizes(variant: BrokenAtScale, epsilon: Fraction) -> None:
    """Show the loss of one pair for growing numbers of quantiles or people, as printed and fixed."""
    losses = {name: [variant.loss(size, epsilon, name) for size in variant.sizes] for name in (True, False)}
    claim, worst = float(epsilon), max(losses[True])
    _metrics(LossVerdict("epsilon", claim, worst))
    above = [size for size, loss in zip(variant.sizes, losses[True], strict=True) if loss > claim]
    badge = BADGES[not above]
    said = f"From {above[0]} {variant.of} on the loss is above the claim." if above else "Within the claim so far."
    st.markdown(f"{badge} {said} {escape(variant.at)}")
    figure = figures.draw_losses_by_size(variant.sizes, losses[True], losses[False], claim, of=variant.of)
    alt = f"The loss for up to {variant.sizes[-1]} {variant.of}: {worst:.3f}, where {claim:g} is claimed."
    draw(st.container(), figure, "tiny_sizes", alt)
    columns: dict[str, list[Any]] = {
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


def _laws(
    comparison: Comparison, outputs: Floats, laws: tuple[Floats, Floats], pair: Pair, verdict: LossVerdict
) -> None:
    """Show each quantile's distribution for both data sets, and every output's log ratio against the claim."""
    values, before = marginals(outputs, laws[0])
    after = marginals(outputs, laws[1])[1]
    several = outputs.shape[1] > 1
    axis = f"each of the {outputs.shape[1]} answers" if several else "answer"
    rows = [level_name(level).split(" · ")[0] for level in sorted(set(comparison.plan.quantiles))] if several else []
    first = figures.draw_distributions(
        values.tolist(), _lists(before), _lists(after), comparison.names, axis=axis, rows=rows
    )
    draw(
        st.container(), first, "tiny_laws",
        f"Probability of every answer {comparison.names[0]} and {comparison.names[1]}, exact.",
    )  # fmt: skip
    ratios = log_ratios(*laws)
    if verdict.measure == "rho":
        _orders(rho_by_order(*laws), verdict.claimed)
    else:
        order = np.argsort(ratios, kind="stable") if several else np.arange(ratios.size)
        places = _thinned(order, pair.loss.worst)
        shown = order[places]
        figure = figures.draw_log_ratios(
            (places if several else values).tolist(), ratios[shown].tolist(),
            int(np.flatnonzero(shown == pair.loss.worst)[0]), verdict.claimed,
            [answer_in_words(outputs[at]) for at in shown],
            axis=HELP["all"].format(ratios.size) if several else axis,
        )  # fmt: skip
        found = f"{verdict.found:.3f}" if isfinite(verdict.found) else "infinite"
        where = f"{'stays inside' if verdict.holds else 'leaves'} the band of {verdict.claimed:.3f}: it is {found}"
        worst = answer_in_words(np.array(pair.loss.worst_output))
        draw(st.container(), figure, "tiny_ratios", f"The log ratio {where} at the answer {worst}.")
        edge = "" if np.isfinite(ratios).all() else f" {HELP['edge']}"
        st.caption(HELP["sorted" if several else "single"] + edge, help=term("log ratio"))
    _table_of_outputs(comparison, outputs, laws, ratios)
    if several:
        columns = {axis: [answer_in_words(value) for value in values]}
        for data_set, chances in zip(comparison.names, (before, after), strict=True):
            for row, law in zip(rows, chances, strict=True):
                columns[f"{row} {data_set}"] = [in_digits(chance, 6, nothing=0.0) for chance in law]
        _numbers(columns, "Each quantile's distribution for both data sets.", name="Distributions as a table")


def _thinned(order: Integers, worst: int) -> Integers:
    """Return at most MOST_POINTS places in an order, evenly, with both ends and the worst output."""
    if order.size <= MOST_POINTS:
        return np.arange(order.size)
    evenly = np.linspace(0, order.size - 1, MOST_POINTS).astype(np.int64)
    return np.union1d(evenly, np.flatnonzero(order == worst))


def _table_of_outputs(comparison: Comparison, outputs: Floats, laws: tuple[Floats, Floats], ratios: Floats) -> None:
    most = np.argsort(-np.abs(ratios), kind="stable")[:MOST_ROWS]
    columns = {
        "answer": [answer_in_words(outputs[at]) for at in most],
        comparison.names[0]: [f"{exp(laws[0][at]):.6g}" for at in most],
        comparison.names[1]: [f"{exp(laws[1][at]):.6g}" for at in most],
        "log ratio": [f"{x:+.4f}" if isfinite(x) else f"only {'after' if x > 0 else 'before'}" for x in ratios[most]],
    }
    left_out = ratios.size - len(most)
    note = f"The {len(most)} answers that differ most, of {ratios.size:,}." if left_out else ""
    _numbers(columns, "Every answer with its probability for both data sets.", note)


def _noise(piece: NoisePiece, promised: NoisePiece, verdict: LossVerdict) -> None:
    """Show the distribution of one noisy number, before and after a person moves it by one."""
    st.caption(
        f"Drawn: {piece.what} with its noise, where it is 0 and where it is 1. The answers themselves are too many to "
        f"list. The band is what {piece.what} may lose as its share of the claim."
    )
    xs, names = [float(point) for point in piece.points], (f"{piece.what}: 0", f"{piece.what}: 1")
    axis = f"{piece.what}, with noise"
    rows = [np.exp(law).tolist() for law in piece.laws]
    draw(
        st.container(), figures.draw_distributions(xs, rows[:1], rows[1:], names, axis=axis), "tiny_noise",
        f"The distribution of {piece.what} with its noise, exact, for 0 and 1.",
    )  # fmt: skip
    ratios = log_ratios(*piece.laws)
    if verdict.measure == "rho":
        _orders(piece.rho_by_order, float(promised.rho_by_order.max()), SHARE)
    else:
        labels = [str(int(x)) for x in xs]
        figure = figures.draw_log_ratios(xs, ratios.tolist(), None, promised.epsilon, labels, axis=axis, limit=SHARE)
        alt = f"The log ratio is at most {piece.epsilon:.3f}; the share of the claim is {promised.epsilon:.3f}."
        draw(st.container(), figure, "tiny_noise_ratios", alt)
        st.caption(HELP["single"], help=term("log ratio"))
    columns = {
        axis: [str(int(x)) for x in xs],
        names[0]: [in_digits(chance, 6, nothing=0.0) for chance in rows[0]],
        names[1]: [in_digits(chance, 6, nothing=0.0) for chance in rows[1]],
        "log ratio": [f"{ratio:+.4f}" for ratio in ratios],
    }
    _numbers(columns, f"The distribution of {piece.what} with its noise.")


def _orders(shares: Floats, claim: float, limit: str = "claim") -> None:
    figure = figures.draw_divergences(RENYI_ORDERS, shares.tolist(), claim, limit)
    draw(
        st.container(), figure, "tiny_orders",
        f"Divergence divided by order: at most {shares.max():.4g}, and {claim:.4g} is allowed.",
    )  # fmt: skip
    st.caption(HELP["orders"])
    columns = {"order": [f"{order:g}" for order in RENYI_ORDERS], "divergence / order": [f"{x:.5g}" for x in shares]}
    _numbers(columns, "Divergence divided by order.", name="Orders as a table")


def _numbers(columns: dict[str, list[Any]], alt: str, note: str = "", name: str = "Numbers as a table") -> None:
    with st.expander(name, type="compact"):
        if note:
            st.caption(note)
        table(columns, alt)


def _lists(rows: list[Floats]) -> list[list[float]]:
    return [row.tolist() for row in rows]
