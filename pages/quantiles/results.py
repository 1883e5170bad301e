"""Quantiles on the screen: numbers and words first, tables next, figures last, because they take longest to load."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpq_core.accuracy import NOISE_INTERVAL
from dpq_core.results import exports
from dpq_core.results.answers import middle_of
from dpq_core.results.kinds import Released, Simulation
from dpq_core.results.wording import DisplayText, error_in_words, interval_in_digits, share_in_words, spoken_level
from dpq_core.studies.measures import MEAN_RANK_ERROR

from .. import keys
from ..frame import cells, pieces, screen
from ..frame.header import term
from . import cloud, findings, presenting, scales
from .scales import Scale

CURVE_ALT = "Share of {} at or below each value, with true and private quantiles; see the table"
ERRORS_ALT = "Rank error of each private quantile with 95 % of simulated errors; see the table"
RELEASE_ALT = "Released quantiles between the public bounds; see the table"
_DETAILS = keys.state("details")


def show_simulation(outcome: Simulation, changed: str, details: DeltaGenerator) -> None:
    """Show one simulated answer beside the truth; `details`: where its numbers, other runs and files stand."""
    title = st.container(gap=None)
    distribution, errors = screen.figures()
    pieces.notes(outcome.notes)
    screen.offer_to_present(presenting.TURNED)
    scale = scales.of(outcome)
    with title:
        findings.show(outcome, changed)
    with details:
        many = _details(outcome, scale)
    figures = simulation_figures(outcome, scale)
    pieces.draw(distribution, figures[0], "distribution", CURVE_ALT.format(outcome.wording.many), fills=True)
    pieces.draw(errors, figures[1], "errors", ERRORS_ALT, fills=True)
    if many.open and outcome.values:  # a closed tab costs no time
        with many:
            cloud.show_cloud(outcome, current=not changed)


def _details(outcome: Simulation, scale: Scale) -> Any:
    """Show all but the picture, and return the tab of the cloud, which is drawn last."""
    pieces.result_line(outcome, "")
    pieces.warnings(outcome)
    _metrics_of_simulation(outcome)
    st.caption(_reading_help(outcome))
    many, table = st.tabs(["A cloud of runs", "Numbers"], key=_DETAILS, on_change="rerun")
    with table:
        pieces.table(_simulation_table(outcome), "True and private quantiles with their rank errors")
    held = f" Held: in how many of {outcome.draws} simulated runs."
    pieces.how_sure([outcome.basis], outcome.wording.many, held)
    _downloads(outcome, lambda: [*simulation_figures(outcome, scale), cloud.figure_of(outcome)])
    return many


def show_release(outcome: Released, changed: str, spent: str) -> None:
    """Show private answers and public facts; nothing here was computed from the data but the answers.

    `spent`: what all releases of its data set have cost by now.
    """
    pieces.result_line(outcome, changed)
    pieces.warnings(outcome)
    _metrics_of_release(outcome, spent)
    figure = st.container()
    pieces.notes(outcome.notes)
    st.caption(_release_help(outcome))
    pieces.table(cells.table(outcome.answers, remarks=False), "Released private quantiles")
    pieces.how_sure([outcome.basis], outcome.wording.many)
    _downloads(outcome, lambda: release_figures(outcome))
    screen.offer_to_present(presenting.TURNED)
    pieces.page_link("report", "The report, and what a second draw would cost", {})
    pieces.draw(figure, release_figures(outcome)[0], "release", RELEASE_ALT)


def present(outcome: Simulation | Released, changed: str) -> None:
    """Show an outcome on a projector."""
    if isinstance(outcome, Released):
        sentence = (
            f"Private {findings.name_of(outcome.plan.quantiles)} of {outcome.wording.name} at {outcome.plan.privacy}"
        )
        presenting.show(outcome, sentence, lambda: [(release_figures(outcome)[0], RELEASE_ALT)], changed)
        return
    sentence, scale = findings.sentence(outcome), scales.of(outcome)

    def figures() -> list[tuple[Any, str]]:
        alts = [CURVE_ALT.format(outcome.wording.many), ERRORS_ALT, cloud.ALT]
        return list(zip([*simulation_figures(outcome, scale), cloud.figure_of(outcome)], alts, strict=True))

    presenting.show(outcome, sentence, figures, changed)


def _metrics_of_simulation(outcome: Simulation) -> None:
    words = outcome.wording
    farthest = max(map(abs, outcome.errors), default=0.0)
    named = {MEAN_RANK_ERROR.capitalize(): outcome.usual_error, "Farthest answer of this run": farthest}
    with st.container(horizontal=True, gap="medium"):
        for (label, error), name in zip(named.items(), (MEAN_RANK_ERROR, "rank error"), strict=True):
            shown = error_in_words(error, words.one, words.many)
            st.metric(label, shown, help=term(name), width="stretch")
        _middle(outcome)
        pieces.prices(outcome, "")


def _metrics_of_release(outcome: Released, spent: str) -> None:
    with st.container(horizontal=True, gap="medium"):
        _middle(outcome)
        pieces.prices(outcome, spent)


def _middle(outcome: Simulation | Released) -> None:
    levels, values = outcome.plan.quantiles, outcome.values
    if not levels:
        return
    at = middle_of(levels)
    st.metric(f"Private {spoken_level(levels[at])}", outcome.wording.value(values[at]), width="stretch")


def _reading_help(outcome: Simulation) -> str:
    words = outcome.wording
    low, high = NOISE_INTERVAL
    drawn = "Grey is the true curve, orange the private one, and the area between them the error."
    if len(outcome.values) <= _many():
        drawn = "A circle is the true quantile, a diamond the private one."
    return (
        f"{drawn} The rank error counts the {words.many} between the two; positive means too high. "
        f"Of 100 simulated errors {high - low:.0f} lie in "
        f"the blue band. There are {outcome.n:,} {words.many} in all."
    )


def _many() -> int:
    """Return how many quantiles are drawn as marks; more are curves."""
    from dpq_core.figures.curves import MOST_MARKED_QUANTILES

    return MOST_MARKED_QUANTILES


def _release_help(outcome: Released) -> str:
    hides = exports.adjacency_in_words(outcome)
    start = f"Protected: whether {hides}." if "joins" in hides else f"Protected: that {hides}."
    if outcome.reference is None:
        return start
    moved = _moved(*interval_in_digits(*outcome.reference))
    where = "over the grid of all answers" if _is_wide(outcome) else "between the bounds"
    size = f"{outcome.reference_size:,}"
    return (
        f"{start} How far the noise alone moves such answers: on a public shape ({size} values spread "
        f"evenly {where}), 95 of 100 answers lie {moved} the true quantile. This says nothing about your data."
    )


def _moved(low: int, high: int) -> str:
    """Return where answers lie beside the true quantile, in ranks."""
    return f"within {_signed(low)} to {_signed(high)} ranks of" if low or high else "at the rank of"


def _signed(ranks: float) -> str:
    return f"{ranks:+,.0f}".replace("-", "−") if ranks else "0"


def _simulation_table(outcome: Simulation) -> dict[str, list[Any]]:
    """Return a row for each quantile; with intervals there is no room for errors as shares, which the files hold."""
    words = outcome.wording
    shares = [abs(error) / max(outcome.n, 1) for error in outcome.errors]
    intervals = zip(outcome.lows, outcome.highs, strict=True)
    as_shares = {f"share of all {words.many}": [DisplayText(share, share_in_words(share)) for share in shares]}
    return {
        **cells.table(outcome.answers, remarks=False),
        **({} if outcome.intervals else as_shares),
        f"95 % of simulated errors ({words.many})": [_interval(int(low), int(high)) for low, high in intervals],
        f"95 of 100 runs{words.in_unit}": _ends_of_runs(outcome),
    }


def _ends_of_runs(outcome: Simulation) -> list[DisplayText]:
    number, ends = outcome.wording.number, zip(*(each.tolist() for each in outcome.run_ends), strict=True)
    return [DisplayText(high, f"{number(low)} to {number(high)}") for low, high in ends]


def _interval(low: int, high: int) -> DisplayText:
    """Return a noise interval, sorted by its upper end."""
    rounded = interval_in_digits(low, high)
    return DisplayText(rounded[1], f"{rounded[0]:,} to {rounded[1]:,}")


def _downloads(outcome: Simulation | Released, figures: Callable[[], list[Any]]) -> None:
    pieces.offer_files(outcome, "", f"Private quantiles of {outcome.wording.name}", figures)


def simulation_figures(outcome: Simulation, scale: Scale) -> list[Any]:
    """Return the figures of a simulation: the distribution and the rank errors."""
    from dpq_core.figures import quantiles

    words, order = outcome.wording, _by_level(outcome)
    levels, true, private = _rising(outcome, outcome.true_values, outcome.values)
    cdf = (pieces.axis_values(words, outcome.cdf[0].tolist()), outcome.cdf[1].tolist())
    errors, lows, highs = ([row[at] for at in order] for row in (outcome.errors, outcome.lows, outcome.highs))
    return [
        quantiles.draw_distribution(
            levels,
            true,
            private,
            cdf,
            axis=words.axis,
            many=words.many,
            intervals=_bands(outcome),
            wide=_is_wide(outcome),
            scale=pieces.axis_values(words, list(scale.values)) if scale.values else None,
        ),
        quantiles.draw_rank_errors(levels, errors, lows, highs, many=words.many, reach=scale.reach),
    ]


def _rising(outcome: Simulation | Released, *answers: tuple[float, ...]) -> list[list[Any]]:
    """Return the levels from the lowest up, and answers in their order as a figure takes them."""
    order = _by_level(outcome)
    levels = [float(outcome.plan.quantiles[at]) for at in order]
    return [levels, *(pieces.axis_values(outcome.wording, [row[at] for at in order]) for row in answers)]


def release_figures(outcome: Released) -> list[Any]:
    """Return the figure of a release."""
    from dpq_core.figures import quantiles

    words = outcome.wording
    levels, private = _rising(outcome, outcome.values)
    ends = pieces.axis_values(words, [float(outcome.domain.lower), float(outcome.domain.upper)])
    bounds, bands, wide = (ends[0], ends[1]), _bands(outcome), _is_wide(outcome)
    return [
        quantiles.draw_release(
            levels, private, axis=words.axis, bounds=bounds, many=words.many, intervals=bands, wide=wide
        )
    ]


def _bands(outcome: Simulation | Released) -> tuple[list[Any], list[Any]] | None:
    """Return the low and the high ends of the intervals in the order of the levels; None where there are none."""
    if not outcome.intervals:
        return None
    lows, highs = zip(*outcome.intervals, strict=True)
    _, low, high = _rising(outcome, lows, highs)
    return low, high


def _is_wide(outcome: Simulation | Released) -> bool:
    """Return whether values may lie many decades apart, on a grid of significant digits."""
    return not outcome.domain.has_even_steps


def _by_level(outcome: Simulation | Released) -> list[int]:
    return sorted(range(len(outcome.plan.quantiles)), key=lambda at: outcome.plan.quantiles[at])
