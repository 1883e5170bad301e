"""The course: its lessons in their order, and what ends it: a question of each, and exercises as a notebook."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from ..server import downloads
from . import basics, promises, structures
from .controls import LESSONS, Control
from .picture import Show
from .texts import LessonText, text_of

SHOWS: dict[str, Show] = {
    "quantile": basics.guess_the_middle,
    "one-person": basics.one_more_person,
    "gaps": basics.draw_from_intervals,
    "one-by-one": structures.one_by_one,
    "halves": structures.halves,
    "slices": structures.slices,
    "broken": promises.broken_claim,
    "beliefs": promises.averaged_releases,
}
EXERCISES = Path(__file__).parents[1] / "texts" / "exercises.md"
CODE = re.compile(r"```python\n(.*?)```\n?", re.DOTALL)


@dataclass(frozen=True)
class Lesson:
    """One screen: its text, its slider, and the figure that follows from both."""

    key: str
    number: int
    control: Control
    text: LessonText
    show: Show

    @property
    def reveal(self) -> str:
        """Its text once the prediction was made, about the state that the figure then shows."""
        return self.text.reveal.replace("{shown}", self.control.shown(self.control.in_question))


COURSE = {
    key: Lesson(key, number, control, text_of(key), SHOWS[key])
    for number, (key, control) in enumerate(LESSONS.items(), 1)
}
"""By their names in links, in order."""


def close() -> None:
    """Show what is under the last lesson."""
    with st.expander("What the course has shown", icon=":material/school:"):
        st.markdown("\n".join(map(_answered, COURSE.values())))
    st.markdown("**Exercises.** Eight questions to think about, with solutions in Python that run.")
    downloads.show({"Notebook": notebook}, "exercises")


def _answered(lesson: Lesson) -> str:
    """Return the question at the end of a lesson, its right answer as a sentence, and why it is right."""
    check, right = lesson.text.check, lesson.text.check.right
    return f"{lesson.number}. **{lesson.text.title}.** {check.text} {right.text.rstrip('.')}. {right.because}"


def notebook() -> str:
    """Return the exercises as a Jupyter notebook: text and code in cells of their own, in the order of the file."""
    cells: list[dict[str, Any]] = []
    for at, piece in enumerate(CODE.split(EXERCISES.read_text(encoding="utf-8"))):
        if lines := piece.strip().splitlines(keepends=True):
            cell: dict[str, Any] = {"cell_type": "markdown", "id": f"cell-{at}", "metadata": {}, "source": lines}
            code: dict[str, Any] = {"cell_type": "code", "execution_count": None, "outputs": []}
            cells.append(cell | code if at % 2 else cell)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    made = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(made, indent=1)
