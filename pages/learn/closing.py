"""What is under the last lesson: of each lesson one question and its answer, also to print; and exercises.

The exercises are read from one file of Markdown, as questions, solutions that run, and a notebook of both:

# Title, and what all exercises share, with its code
## 1. Title of an exercise, and its question
### Solution, with its code
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from html import escape
from pathlib import Path
from typing import Any

import streamlit as st

from .. import keys
from ..server import downloads
from .course import COURSE, Lesson

FILE = Path(__file__).parents[1] / "texts" / "exercises.md"
CODE = re.compile(r"```python\n(.*?)```\n?", re.DOTALL)
TITLE = "Private quantiles: what the course has shown"
STYLE = """@page { size: A4; margin: 12mm 16mm; }
body { font: 10.5pt/1.35 system-ui, "Source Sans 3", "DejaVu Sans", sans-serif; color: #0e1828; background: #fff;
  max-width: 48rem; margin: 1.5rem auto; padding: 0 1rem; }
h1 { font-size: 1.4em; margin: 0 0 .5em; } ol { margin: 0; padding-left: 1.6em; } li { margin: 0 0 .42em; }
@media screen and (prefers-color-scheme: dark) { body { color: #e7ebf2; background: #12161d; } }
@media print { body { margin: 0; padding: 0; max-width: none; font-size: 9pt; } li { break-inside: avoid; } }"""


def show(lesson: Lesson) -> None:
    """Show the closing page and the exercises under the last lesson; nothing under the others."""
    if not lesson.is_last:
        return
    lessons = list(COURSE.values())
    with st.expander("What the course has shown, on one page", icon=":material/school:"):
        st.markdown("\n".join(f"{each.number}. **{each.text.title}.** {' '.join(_answered(each))}" for each in lessons))
        downloads.show({"To print": partial(document, lessons)}, "course")
    shared, each = exercises()
    st.subheader("Exercises", anchor=False)
    st.markdown(CODE.sub("", shared))
    for number, exercise in enumerate(each, start=1):
        with st.expander(exercise.title, type="compact"):
            st.markdown(exercise.question)
            if st.toggle("Show the solution", key=keys.widget("solution", number)):
                st.markdown(exercise.solution)
    downloads.show({"Notebook": notebook}, "exercises")


def document(lessons: Sequence[Lesson]) -> str:
    """Return the closing page as a file that needs nothing else and is printed on one sheet."""
    items = "".join(
        f"<li><b>{escape(each.text.title)}.</b> {escape(question)} <i>{escape(answer)}</i> {escape(because)}</li>"
        for each in lessons
        for question, answer, because in [_answered(each)]
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{TITLE}</title><style>{STYLE}</style></head><body><h1>{TITLE}</h1><ol>{items}</ol></body></html>\n"
    )


def _answered(lesson: Lesson) -> tuple[str, str, str]:
    """Return the question at the end of a lesson, its right answer as a sentence, and why it is right."""
    question = lesson.text.check
    right = next(choice for choice in question.choices if choice.right)
    return question.text, right.text.rstrip(".") + ".", right.because


@dataclass(frozen=True)
class Exercise:
    """A question with its solution, as Markdown."""

    title: str
    question: str
    solution: str


@lru_cache(maxsize=1)
def exercises() -> tuple[str, tuple[Exercise, ...]]:
    """Return what all exercises share, and the exercises."""
    head, *parts = FILE.read_text(encoding="utf-8").split("\n## ")
    found = []
    for part in parts:
        title, _, body = part.partition("\n")
        question, _, solution = body.partition("\n### Solution\n")
        found.append(Exercise(title, question.strip(), solution.strip()))
    return head.partition("\n")[2].strip(), tuple(found)


def notebook() -> str:
    """Return the exercises as a Jupyter notebook: text and code in cells of their own, in the order of the file."""
    cells: list[dict[str, Any]] = []
    for at, piece in enumerate(CODE.split(FILE.read_text(encoding="utf-8"))):
        if piece.strip():
            source = piece.strip().splitlines(keepends=True)
            cell: dict[str, Any] = {
                "cell_type": "markdown",
                "id": f"cell-{len(cells)}",
                "metadata": {},
                "source": source,
            }
            code: dict[str, Any] = {"cell_type": "code", "execution_count": None, "outputs": []}
            cells.append(cell | code if at % 2 else cell)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return json.dumps(
        {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}, indent=1
    )
