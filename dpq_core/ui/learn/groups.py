"""The figure of the lesson on groups: private medians of departments, and what all of them cost one person."""

from __future__ import annotations

from typing import Any

from ... import Groups, GroupStudy, Plan, PureDP, simulate, true_quantiles
from ...results import as_floats, error_in_words
from ..lessons import CONTROLS
from .picture import MEDIAN, SAMPLE_SEED, LessonPicture, sample_of, values_of

PEOPLE = 1000
BUDGET = 0.5
TRIALS = 64
ERROR_SEED = 0
"""Of the errors that stand beside the loss; they hardly depend on it."""


def departments(setting: str, seed: int, revealed: bool) -> LessonPicture:
    """Show simulated private medians of every department; then the loss of one person, over the departments."""
    count = int(setting)
    study = _simulated(count, ERROR_SEED if revealed else seed)
    off, size = float(study.rank_errors.mean()), PEOPLE // count
    which = "1 department" if count == 1 else f"{count} departments"
    words = f"{error_in_words(off, 'person', 'people')} off on average, {off / size:.1%} of a department"
    errors = f"{which} of {size:,} people: an answer is {words}."
    return _loss(count, study, errors) if revealed else _medians(count, study, errors)


def _simulated(count: int, seed: int) -> GroupStudy:
    places = [row % count for row in range(PEOPLE)]
    incomes, domain = values_of("income")[:PEOPLE], sample_of("income", PEOPLE).domain
    groups = Groups.from_values(incomes, places, domain, names=range(count), seed=SAMPLE_SEED)
    return simulate(groups, Plan([MEDIAN], "aq", PureDP(BUDGET)), trials=TRIALS, seed=seed)


def _medians(count: int, study: GroupStudy, errors: str) -> LessonPicture:
    from ...figures.lessons import draw_strips

    rows = [(f"{place + 1}", as_floats(study.values[:, place, 0])) for place in range(count)]
    truth = float(true_quantiles(sample_of("income", PEOPLE), [MEDIAN])[0])
    axes: dict[str, Any] = {"x": "private median (€)", "y": "department", "unit": "€", "ends": (10_000, 100_000)}
    figure = draw_strips(rows[::-1], None, truth, **axes)
    table = {
        "department": [name for name, _ in rows],
        "lowest answer": [f"{min(values):,.0f} €" for _, values in rows],
        "highest answer": [f"{max(values):,.0f} €" for _, values in rows],
    }
    alt = f"Strokes, one for each of {TRIALS} simulated answers, a row for each department. {errors}"
    return LessonPicture(figure, alt, table, errors, study.seed)


def _loss(count: int, study: GroupStudy, errors: str) -> LessonPicture:
    from ...figures import ACCENT, TRUE
    from ...figures.lessons import draw_lines

    offered = [int(option) for option in CONTROLS["learn_departments"].options]
    every = list(range(offered[0], offered[-1] + 1))
    own = study.guarantee.epsilon
    lines = [
        ("each about everybody", every, [BUDGET * answers for answers in every], TRUE, "dash"),
        ("each about other people", every, [own] * len(every), ACCENT, "solid"),
    ]
    table = {
        "answers": [f"{answers}" for answers in offered],
        "loss, each about everybody": [f"{BUDGET * answers:g}" for answers in offered],
        "loss, each about other people": [f"{own:g}"] * len(offered),
    }
    answers = "1 answer costs" if count == 1 else f"{count} answers cost"
    sentence = f"{answers} Kim {own:g}, and {BUDGET * count:g} if each were about everybody. {errors}"
    figure = draw_lines(lines, here=count, x="answers", y="privacy loss at most")
    return LessonPicture(figure, f"Two lines over the number of answers. {sentence}", table, sentence)
