"""The figure of the lesson on one person with many rows: what is lost where rows are taken for people."""

from __future__ import annotations

from fractions import Fraction
from math import exp

import numpy as np

from dpq_core import Domain, Plan, PureDP
from dpq_core.arrays import Floats
from dpq_core.audit import compare_tables
from dpq_core.results import as_floats

from ..lessons import CONTROLS
from .picture import MEDIAN, LessonPicture, percent

PROMISE = 0.5
MINUTES = (10,) * 6 + (60,) * 6
"""How long twelve people waited who came once."""
KIM = 0
"""Minutes that Kim waits, every time."""
GRID = Domain(0, 100, 1)
BELOW = 10
"""Minutes that twelve of the people waited at least."""


def many_rows(setting: str, seed: int, revealed: bool) -> LessonPicture:
    """Show both output distributions where Kim has many rows; then how likely answers become, by rows and once."""
    here = int(setting)
    return _changes(here) if revealed else _distributions(here)


def _distributions(here: int) -> LessonPicture:
    from dpq_core.figures.lessons import draw_two_distributions

    _, laws = loss_by_rows(here)
    sentence = f"Kim comes {_times(here)}: answers below {BELOW} minutes become likelier."
    table: dict[str, list[str]] = {
        f"answer below {BELOW} minutes": ["without Kim", "with Kim"],
        "probability": [percent(sum(law[:BELOW])) for law in laws],
    }
    figure = draw_two_distributions(laws, None, exp(PROMISE), x="answer (minutes)")
    return LessonPicture(figure, f"Two curves of probabilities over waiting minutes. {sentence}", table, sentence)


def _changes(here: int) -> LessonPicture:
    from dpq_core.figures import ACCENT, MECHANISM_COLOURS, TRUE
    from dpq_core.figures.lessons import draw_lines, in_digits

    offered = [int(option) for option in CONTROLS["learn_rows"].options]
    by_rows, once = [exp(loss_by_rows(rows)[0]) for rows in offered], [exp(loss_once(rows)) for rows in offered]
    most = [exp(PROMISE * rows) for rows in offered]
    lines = [
        ("at most, by rows", offered, most, TRUE, "dash"),
        ("here, by rows", offered, by_rows, MECHANISM_COLOURS["gkexp"], "solid"),
        ("Kim’s mean alone", offered, once, ACCENT, "solid"),
    ]
    at = offered.index(here)
    table = {
        "Kim comes": [_times(rows) for rows in offered],
        "at most, by rows": [f"{in_digits(each)} times" for each in most],
        "here, by rows": [f"{in_digits(each)} times" for each in by_rows],
        "Kim’s mean alone": [f"{in_digits(each)} times" for each in once],
    }
    sentence = (
        f"Kim comes {_times(here)}: some answer becomes {in_digits(by_rows[at])} times as likely, "
        f"and {in_digits(once[at])} times where Kim’s mean counts."
    )
    figure = draw_lines(lines, here=here, x="Kim’s visits", y="times as likely").update_yaxes(type="log", dtick=1)
    return LessonPicture(figure, f"Lines over the number of Kim's visits. {sentence}", table, sentence)


def _times(rows: int) -> str:
    return "once" if rows == 1 else f"{rows} times"


def loss_by_rows(rows: int) -> tuple[float, tuple[tuple[float, ...], tuple[float, ...]]]:
    """Return the exact loss where each row has the whole budget, and both output distributions."""
    tables, ids = _tables(rows)
    times = Fraction(rows)  # what most_rows divides by
    pair = compare_tables(_plan(), *tables, GRID, ids, most_rows=rows, alter=lambda each: each.with_rates_times(times))
    assert pair.laws is not None, "AQ has a law that can be listed"
    without, joined = (as_floats(np.exp(law)) for law in pair.laws)
    return pair.loss.epsilon, (without, joined)


def loss_once(rows: int) -> float:
    """Return the exact loss where the mean of each person's rows counts."""
    tables, ids = _tables(rows)
    return compare_tables(_plan(), *tables, GRID, ids, take="mean").loss.epsilon


def _plan() -> Plan:
    return Plan([MEDIAN], "aq", PureDP(PROMISE))


def _tables(rows: int) -> tuple[tuple[Floats, Floats], tuple[list[int], list[int]]]:
    """Return minutes without and with Kim, and whose row each is."""
    without, people = np.array(MINUTES, dtype=np.float64), list(range(len(MINUTES)))
    return (without, np.append(without, [float(KIM)] * rows)), (people, people + [len(people)] * rows)
