"""The figure of the lesson on one person with many rows: what is lost where rows are taken for people."""

from __future__ import annotations

from fractions import Fraction
from math import exp

import numpy as np

from ... import Domain, Plan, PureDP
from ...arrays import Floats
from ...audit import compare_tables
from ...results import as_floats
from ..lessons import CONTROLS
from .picture import MEDIAN, LessonPicture

PROMISE = 0.5
MINUTES = (10,) * 6 + (60,) * 6
"""How long twelve people waited who came once."""
KIM = 0
"""Minutes that Kim waits, every time."""
GRID = Domain(0, 100, 1)


def many_rows(setting: str, seed: int, revealed: bool) -> LessonPicture:
    """Show both output distributions where Kim has many rows; then the loss by rows, and where Kim counts once."""
    from ...figures import ACCENT, MECHANISM_COLOURS, TRUE
    from ...figures.lessons import draw_lines, draw_two_distributions

    here, control = int(setting), CONTROLS["learn_rows"]
    loss, laws = loss_by_rows(here)
    visits = f"{here} visit{'' if here == 1 else 's'}"
    sentence = f"Kim comes with {visits}: the probability of an answer changes up to {exp(loss):.3g} times."
    table: dict[str, list[str]] = {"Kim has": [visits], "largest change": [f"{exp(loss):.3g}-fold"]}
    if not revealed:
        figure = draw_two_distributions(laws, None, PROMISE, x="answer (minutes)")
        return LessonPicture(figure, f"Two curves of probabilities over waiting minutes. {sentence}", table, sentence)
    offered = [int(option) for option in control.options]
    by_rows, once = [loss_by_rows(rows)[0] for rows in offered], [loss_once(rows) for rows in offered]
    lines = [
        ("every row by itself", offered, by_rows, MECHANISM_COLOURS["gkexp"], "solid"),
        ("Kim’s mean alone", offered, once, ACCENT, "solid"),
    ]
    mean = once[offered.index(here)]
    table = {
        "Kim has": [f"{rows} visit{'' if rows == 1 else 's'}" for rows in offered],
        "loss, every row by itself": [f"{each:.3g}" for each in by_rows],
        "loss, Kim’s mean alone": [f"{each:.3g}" for each in once],
    }
    sentence = f"Kim comes with {visits}: the loss is {loss:.3g} by rows, and {mean:.3g} where Kim’s mean counts."
    alt = f"Two lines over the number of Kim's visits. {sentence} {PROMISE:g} is promised."
    figure = draw_lines(lines, here=here, x="Kim’s visits", y="privacy loss")
    promised = {"annotation_text": "promised", "annotation_position": "bottom right"}
    figure.add_hline(y=PROMISE, line={"color": TRUE, "dash": "dash", "width": 2}, **promised)
    return LessonPicture(figure, alt, table, sentence)


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
