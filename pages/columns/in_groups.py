"""Several columns in groups on the screen: what was found, and a picture of the groups for each column."""

from __future__ import annotations

from math import isfinite

import streamlit as st

from dpq_core.results import Answers, ColumnsOutcome, ColumnsReleased, count_in_words, middle_of, spoken_level
from dpq_core.results.groups.sizes import TOO_SMALL

from ..frame import escape, pieces
from ..groups import BY_GUESS, IN_RELEASE, INTERVAL, MOST_ROWS, band_in_words, clear_of_noise, diamond_in_words, row_of
from ..settings import check, key

MOST_NAMED = 3
MOST_SAID, MOST_DRAWN = 4, 6
"""Columns of the sentence, and of the pictures: the table has all."""


def finding(outcome: ColumnsOutcome) -> str:
    """Return between what the middle answers of each column lie, in the groups that are large enough."""
    said = [_between(name, own) for name, own in _by_column(outcome).items()]
    found = [each for each in said if each]
    if not found:
        return f"Every group is {TOO_SMALL}." if outcome.answers else ""
    more = len(found) - MOST_SAID
    end = f"; {count_in_words(more, 'column')} more below" if more > 0 else ""
    return f"{'; '.join(found[:MOST_SAID])}{end}."


def _between(name: str, answers: list[Answers]) -> str:
    large = [each for each in answers if not each.too_small]
    if not large:
        return ""
    words, levels = large[0].wording, large[0].plan.quantiles
    at = middle_of(levels)
    bands = [each.intervals[at] if each.intervals else None for each in large]
    kept, all_hidden = clear_of_noise([each.values[at] for each in large], bands)
    clear = [large[place] for place in kept]
    low, high = (pick(clear, key=lambda each: each.values[at]) for pick in (min, max))
    said = f"{name}, private {spoken_level(levels[at])}: {words.value(low.values[at])}"
    if len(clear) == 1:
        said += f" in {low.group}"
    elif low.values[at] == high.values[at]:
        said += f" in {count_in_words(len(clear), 'group')}"
    else:
        said += f" in {low.group} to {words.value(high.values[at])} in {high.group}"
    if all_hidden:
        return f"{said}, the noise hides the order"
    noisy = [each.group for each in large if each not in clear]
    more = f" and {len(noisy) - MOST_NAMED:,} more" if len(noisy) > MOST_NAMED else ""
    return f"{said}, the noise hides {', '.join(noisy[:MOST_NAMED])}{more}" if noisy else said


def _by_column(outcome: ColumnsOutcome) -> dict[str, list[Answers]]:
    found: dict[str, list[Answers]] = {}
    for answer in outcome.answers:
        found.setdefault(answer.wording.name, []).append(answer)
    return found


def show(outcome: ColumnsOutcome) -> None:
    """Draw the groups of each column from the highest middle answer to the lowest, those too small last."""
    by_column = _by_column(outcome)
    if not by_column:
        st.caption("No group is large enough to be named.")
        return
    sought = ""
    if max(map(len, by_column.values())) > MOST_ROWS:
        sought = st.text_input(
            "Find a group", key=f"{key('table_sought')}_{outcome.made}", width=180, max_chars=check.LONGEST_WORD
        )
    for name, answers in list(by_column.items())[:MOST_DRAWN]:
        found = [each for each in answers if sought.casefold().strip() in each.group.casefold()]
        _draw(name, found)
    left_out = len(by_column) - MOST_DRAWN
    if left_out > 0:
        st.caption(f"Only in the table: {count_in_words(left_out, 'column')} more.")
    st.caption(_reading_help(outcome))


def _draw(name: str, answers: list[Answers]) -> None:
    from dpq_core.figures import draw_groups

    if not answers:
        st.caption("No group has such a name.")
        return
    first = answers[0]
    at = middle_of(first.plan.quantiles)
    ordered = sorted(answers, key=lambda each: (each.too_small, -each.values[at], each.group))[:MOST_ROWS]
    rows = [
        row_of(
            each.wording, each.plan.quantiles, each.group, each.values,
            each.intervals[at] if each.intervals else None,
            each.true_values[at] if each.true_values and isfinite(each.true_values[at]) else None,
            faint=each.too_small,
        )
        for each in ordered
    ]  # fmt: skip
    st.markdown(f"**{escape(name)}**")
    band = band_in_words(first.plan.intervals)
    figure = draw_groups(rows, axis=first.wording.axis, wide=not first.domain.has_even_steps, band=band)
    pieces.draw(st.container(), figure, f"groups_{name}", f"Quantiles of {name} in every group; see the table")
    if len(answers) > MOST_ROWS:
        st.caption(f"{MOST_ROWS} of {len(answers):,} groups in view.")


def _reading_help(outcome: ColumnsOutcome) -> str:
    plan = outcome.plan.plans[0]
    parts = [diamond_in_words(plan.quantiles)]
    if any(each.too_small for each in outcome.answers):
        parts.append(f"Grey: {TOO_SMALL}, so its answers are noise and may lie beyond the picture.")
    if plan.intervals is not None:
        parts.append(INTERVAL.format(percent=plan.intervals.percent))
    if isinstance(outcome, ColumnsReleased):
        return " ".join([*parts, BY_GUESS if outcome.request.groups and outcome.request.groups.names else IN_RELEASE])
    return " ".join([*parts, f"Circle: the true one. A group without a circle has no {outcome.many}."])
