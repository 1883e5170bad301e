"""The figure of the lesson on groups: what medians of departments cost one person, and how far they are off."""

from __future__ import annotations

from dpq_core import Groups, GroupStudy, Plan, PureDP, simulate
from dpq_core.results import error_in_words

from ..lessons import CONTROLS
from .picture import MEDIAN, SAMPLE_SEED, LessonPicture, sample_of, values_of

PEOPLE = 1000
BUDGET = 0.5
TRIALS = 64
ERROR_SEED = 0
"""Of the errors in the title; they hardly depend on it."""


def departments(setting: str, seed: int, revealed: bool) -> LessonPicture:
    """Show what medians of departments cost if each is about everybody; then if each is about other people."""
    from dpq_core.figures import ACCENT, TRUE
    from dpq_core.figures.lessons import draw_lines

    count, offered = int(setting), [int(option) for option in CONTROLS["learn_departments"].options]
    added = [BUDGET * answers for answers in offered]
    lines = [("each about everybody", offered, added, TRUE, "dash")]
    table = {"answers": [f"{answers}" for answers in offered], "loss, each about everybody": [f"{a:g}" for a in added]}
    answers = "1 answer costs" if count == 1 else f"{count} answers cost"
    sentence = f"{answers} {BUDGET * count:g} if each is about everybody."
    if revealed:
        study = _simulated(count)
        own, off, size = study.guarantee.epsilon, float(study.rank_errors.mean()), PEOPLE // count
        lines.append(("each about different people", offered, [own] * len(offered), ACCENT, "solid"))
        table["loss, each about different people"] = [f"{own:g}"] * len(offered)
        about = f"{error_in_words(off, 'person', 'people')} of {size:,} off"
        sentence = f"{answers} Kim {own:g}{'' if count == 1 else f', not {BUDGET * count:g}'}. An answer is {about}."
    figure = draw_lines(lines, here=count, x="departments", y="privacy loss at most")
    return LessonPicture(figure, f"Lines over the number of departments. {sentence}", table, sentence)


def _simulated(count: int) -> GroupStudy:
    places = [row % count for row in range(PEOPLE)]
    incomes, domain = values_of("income")[:PEOPLE], sample_of("income", PEOPLE).domain
    groups = Groups.from_values(incomes, places, domain, names=range(count), seed=SAMPLE_SEED)
    return simulate(groups, Plan([MEDIAN], "aq", PureDP(BUDGET)), trials=TRIALS, seed=ERROR_SEED)
