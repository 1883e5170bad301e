"""Quantiles on the screen: numbers and words first, tables next, figures last, because they take longest to load."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpq_core.accuracy import NOISE_INTERVAL
from dpq_core.plan import NAMED_LEVELS, levels_of
from dpq_core.results import exports
from dpq_core.results.answers import middle_of
from dpq_core.results.kinds import Released, Simulated
from dpq_core.results.wording import (
    DisplayText,
    count_in_words,
    error_in_words,
    interval_in_digits,
    share_in_words,
    spoken_level,
    two_digits,
)
from dpq_core.studies.measures import MEAN_RANK_ERROR

from .. import keys
from ..frame import cells, pieces, screen
from ..frame.header import escape, term
from ..frame.style import SMALL_PRINT
from . import cloud, presenting

CURVE_ALT = "Share of {} at or below each value, with true and private quantiles; see the table"
ERRORS_ALT = "Rank error of each private quantile with 95 % of simulated errors; see the table"
RELEASE_ALT = "Released quantiles between the public bounds; see the table"
Scale = tuple[tuple[float, float] | None, int]
"""Where the axis of values ends (None where it runs over decades), and that of rank errors to either side."""
_DETAILS, _SHOWN = keys.state("details"), keys.state("scale")


def show_simulation(outcome: Simulated, changed: str, details: DeltaGenerator) -> None:
    """Show one simulated answer beside the truth; `details`: where its numbers, other runs and files stand."""
    title = st.container(gap=None)
    distribution, errors = screen.figures()
    pieces.notes(outcome.notes)
    screen.offer_to_present(presenting.TURNED)
    scale = _scale_of(outcome)
    with title:
        st.header(f"{escape(_finding(outcome))}{pieces.changed_badge(changed)}", anchor=False)
        with st.container(key=SMALL_PRINT):
            runs = f"Mean over {outcome.draws:,} simulated runs. The picture shows one of them."
            st.markdown(f":small[:gray[{runs}]]")
    with details:
        many = _details(outcome, scale)
    figures = _simulation_figures(outcome, scale)
    pieces.draw(distribution, figures[0], "distribution", CURVE_ALT.format(outcome.wording.many), fills=True)
    pieces.draw(errors, figures[1], "errors", ERRORS_ALT, fills=True)
    if many.open and outcome.only.values:  # a closed tab costs no time
        with many:
            cloud.show_cloud(outcome, current=not changed)


def _details(outcome: Simulated, scale: Scale) -> Any:
    """Show all but the picture, and return the tab of the cloud, which is drawn last."""
    pieces.result_line(outcome, "")
    pieces.warnings(outcome)
    _metrics(outcome, "")
    st.caption(_reading_help(outcome))
    many, table = st.tabs(["A cloud of runs", "Numbers"], key=_DETAILS, on_change="rerun")
    with table:
        pieces.table(_simulation_table(outcome), "True and private quantiles with their rank errors")
    held = f" Held: in how many of {outcome.draws} simulated runs."
    pieces.how_sure([outcome.only.basis], outcome.wording.many, held)
    title = f"Private quantiles of {outcome.wording.name}"
    pieces.offer_files(outcome, "", title, lambda: [*_simulation_figures(outcome, scale), cloud.figure_of(outcome)])
    return many


def show_release(outcome: Released, changed: str, spent: str) -> None:
    """Show private answers and public facts; nothing here was computed from the data but the answers.

    `spent`: what all releases of its data set have cost by now.
    """
    pieces.result_line(outcome, changed)
    pieces.warnings(outcome)
    _metrics(outcome, spent)
    figure = st.container()
    pieces.notes(outcome.notes)
    st.caption(_release_help(outcome))
    pieces.table(cells.table(outcome.answers, remarks=False), "Released private quantiles")
    pieces.how_sure([outcome.only.basis], outcome.wording.many)
    title = f"Private quantiles of {outcome.wording.name}"
    pieces.offer_files(outcome, "", title, lambda: [_release_figure(outcome)])
    screen.offer_to_present(presenting.TURNED)
    pieces.page_link("report", "The report, and what a second draw would cost", {})
    pieces.draw(figure, _release_figure(outcome), "release", RELEASE_ALT, simulated=False)


def present(outcome: Simulated | Released, changed: str) -> None:
    """Show an outcome on a projector."""
    if isinstance(outcome, Released):
        sentence = f"Private {_name_of(outcome.plan.quantiles)} of {outcome.wording.name} at {outcome.plan.privacy}"
        presenting.show(outcome, sentence, lambda: [(_release_figure(outcome), RELEASE_ALT)], changed)
        return
    scale = _scale_of(outcome)

    def figures() -> list[tuple[Any, str]]:
        alts = [CURVE_ALT.format(outcome.wording.many), ERRORS_ALT, cloud.ALT]
        return list(zip([*_simulation_figures(outcome, scale), cloud.figure_of(outcome)], alts, strict=True))

    presenting.show(outcome, _finding(outcome), figures, changed)


def _finding(outcome: Simulated) -> str:
    """Return the finding: `At ε = 0.1 the private deciles are off by about 19 of 1,000 people on average.`"""
    if not outcome.only.values:
        return f"At {outcome.plan.privacy} nothing was asked for."
    words, error = outcome.wording, outcome.many_runs.usual_error
    off = f"about {two_digits(error)} of {outcome.n:,} {words.many}"
    if error < 1:
        off = f"less than 1 {words.one} of {outcome.n:,}"
    is_off = "is" if len(outcome.only.values) == 1 else "are"
    return f"At {outcome.plan.privacy} the private {_name_of(outcome.plan.quantiles)} {is_off} off by {off} on average."


def _name_of(levels: tuple[Fraction, ...]) -> str:
    """Return what a list of levels is called: `deciles`, `12 quantiles`."""
    named = next((name for name in NAMED_LEVELS if levels_of(name) == levels), "")
    return named or count_in_words(len(levels), "quantile")


def _scale_of(outcome: Simulated) -> Scale:
    """Return the scales of an outcome; that of errors keeps still from answer to answer as long as all is on it."""
    from dpq_core.figures.axes import reach_of, value_range

    picture = (outcome.cache_key, outcome.bounds, outcome.wording.axis)
    before, reach = st.session_state.get(_SHOWN, (None, None))
    own, runs = outcome.only, outcome.many_runs
    errors = [*own.errors, *runs.lows, *runs.highs]
    reach = reach_of(errors, reach if before == picture else None)
    st.session_state[_SHOWN] = picture, reach
    if _is_wide(outcome):
        return None, reach
    answers = [*own.values, *(end for both in own.intervals for end in both)]
    distribution = runs.cdf[0].tolist(), runs.cdf[1].tolist()
    ends = float(own.domain.lower), float(own.domain.upper)
    return value_range(own.true_values, answers, distribution, ends), reach


def _metrics(outcome: Simulated | Released, spent: str) -> None:
    words, levels = outcome.wording, outcome.plan.quantiles
    with st.container(horizontal=True, gap="medium"):
        if isinstance(outcome, Simulated):
            farthest = max(map(abs, outcome.only.errors), default=0.0)
            for label, error, name in (
                (MEAN_RANK_ERROR.capitalize(), outcome.many_runs.usual_error, MEAN_RANK_ERROR),
                ("Farthest answer of this run", farthest, "rank error"),
            ):
                st.metric(label, error_in_words(error, words.one, words.many), help=term(name), width="stretch")
        if levels:
            at = middle_of(levels)
            st.metric(f"Private {spoken_level(levels[at])}", words.value(outcome.only.values[at]), width="stretch")
        pieces.prices(outcome, spent)


def _reading_help(outcome: Simulated) -> str:
    from dpq_core.figures.curves import MOST_MARKED_QUANTILES

    words = outcome.wording
    low, high = NOISE_INTERVAL
    drawn = "Grey is the true curve, orange the private one, and the area between them the error."
    if len(outcome.only.values) <= MOST_MARKED_QUANTILES:
        drawn = "A circle is the true quantile, a diamond the private one."
    return (
        f"{drawn} The rank error counts the {words.many} between the two; positive means too high. "
        f"Of 100 simulated errors {high - low:.0f} lie in "
        f"the blue band. There are {outcome.n:,} {words.many} in all."
    )


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
    """Return where answers lie beside the true quantile, in ranks: `within −3 to 0 ranks of`."""
    if not (low or high):
        return "at the rank of"
    ends = (f"{ranks:+,}".replace("-", "−") if ranks else "0" for ranks in (low, high))
    return f"within {' to '.join(ends)} ranks of"


def _simulation_table(outcome: Simulated) -> dict[str, list[Any]]:
    """Return a row for each quantile; with intervals there is no room for errors as shares, which the files hold."""
    words, runs = outcome.wording, outcome.many_runs
    shares = [abs(error) / max(outcome.n, 1) for error in outcome.only.errors]
    intervals = zip(runs.lows, runs.highs, strict=True)
    ends = zip(*(each.tolist() for each in runs.ends), strict=True)
    as_shares = {f"share of all {words.many}": [DisplayText(share, share_in_words(share)) for share in shares]}
    return {
        **cells.table(outcome.answers, remarks=False),
        **({} if outcome.only.intervals else as_shares),
        f"95 % of simulated errors ({words.many})": [_interval(int(low), int(high)) for low, high in intervals],
        f"95 of 100 runs{words.in_unit}": [
            DisplayText(high, f"{words.number(low)} to {words.number(high)}") for low, high in ends
        ],
    }


def _interval(low: int, high: int) -> DisplayText:
    """Return a noise interval, sorted by its upper end."""
    rounded = interval_in_digits(low, high)
    return DisplayText(rounded[1], f"{rounded[0]:,} to {rounded[1]:,}")


def _simulation_figures(outcome: Simulated, scale: Scale) -> list[Any]:
    """Return the figures of a simulation: the distribution and the rank errors."""
    from dpq_core.figures import quantiles

    words, order, (values, reach) = outcome.wording, _by_level(outcome), scale
    own, runs = outcome.only, outcome.many_runs
    levels, true, private = _rising(outcome, own.true_values, own.values)
    cdf = (pieces.axis_values(words, runs.cdf[0].tolist()), runs.cdf[1].tolist())
    errors, lows, highs = ([row[at] for at in order] for row in (own.errors, runs.lows, runs.highs))
    return [
        quantiles.draw_distribution(
            levels, true, private, cdf, axis=words.axis, many=words.many, intervals=_bands(outcome),
            wide=_is_wide(outcome), scale=pieces.axis_values(words, list(values)) if values else None,
        ),
        quantiles.draw_rank_errors(levels, errors, lows, highs, many=words.many, reach=reach),
    ]  # fmt: skip


def _rising(outcome: Simulated | Released, *answers: tuple[float, ...]) -> list[list[Any]]:
    """Return the levels from the lowest up, and answers in their order as a figure takes them."""
    order = _by_level(outcome)
    levels = [float(outcome.plan.quantiles[at]) for at in order]
    return [levels, *(pieces.axis_values(outcome.wording, [row[at] for at in order]) for row in answers)]


def _release_figure(outcome: Released) -> Any:
    from dpq_core.figures import quantiles

    words = outcome.wording
    levels, private = _rising(outcome, outcome.only.values)
    domain = outcome.only.domain
    ends = pieces.axis_values(words, [float(domain.lower), float(domain.upper)])
    return quantiles.draw_release(
        levels, private, axis=words.axis, bounds=(ends[0], ends[1]), many=words.many, intervals=_bands(outcome),
        wide=_is_wide(outcome),
    )  # fmt: skip


def _bands(outcome: Simulated | Released) -> tuple[list[Any], list[Any]] | None:
    """Return the low and the high ends of the intervals in the order of the levels; None where there are none."""
    if not outcome.only.intervals:
        return None
    lows, highs = zip(*outcome.only.intervals, strict=True)
    _, low, high = _rising(outcome, lows, highs)
    return low, high


def _is_wide(outcome: Simulated | Released) -> bool:
    """Return whether values may lie many decades apart, on a grid of significant digits."""
    return not outcome.only.domain.has_even_steps


def _by_level(outcome: Simulated | Released) -> list[int]:
    return sorted(range(len(outcome.plan.quantiles)), key=lambda at: outcome.plan.quantiles[at])
